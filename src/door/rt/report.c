#include "door/rt/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/demangle.h"
#include "door/rt/report_state.h"

struct report_state report;

const char *const report_copy_names[REPORT_COPY_KINDS] = {
	[REPORT_HOST_TO_HOST] = "host to host",
	[REPORT_HOST_TO_DEVICE] = "host to device",
	[REPORT_DEVICE_TO_HOST] = "device to host",
	[REPORT_DEVICE_TO_DEVICE] = "device to device",
	[REPORT_SET] = "set",
};

void report_say(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "heddle: %s\n", text);
}

/*
 * Sums of kernels
 */

/* The sums of a kernel, by the number of its name. */
struct report_kernel *report_kernel(const char *symbol)
{
	size_t i = names_index(&report.symbols, symbol);

	if (i == NAMES_FULL)
		return NULL;
	if (i >= report.kernel_room) {
		size_t room = 2 * i + 16;
		struct report_kernel *more =
			realloc(report.kernels, room * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + report.kernel_room, 0,
		       (room - report.kernel_room) * sizeof(*more));
		report.kernels = more;
		report.kernel_room = room;
	}
	if (!report.kernels[i].name[0])
		demangle_instance(report.kernels[i].name,
				  sizeof(report.kernels[i].name), symbol);
	return &report.kernels[i];
}

/* Finds the statistics of the group "reason". */
static void find_reasons(const struct heddle_stats *s)
{
	struct heddle_stat v;

	for (size_t i = 0; i < heddle_stats_count(); i++) {
		if (heddle_stats_get(s, i, &v, NULL) ||
		    strcmp(v.group, "reason"))
			continue;
		CHECK(report.reasons < REPORT_REASONS);
		report.reason_names[report.reasons] = v.name;
		report.reason_stats[report.reasons++] = i;
	}
}

uint64_t report_cycles(const struct report_launch *l)
{
	struct heddle_timing_info info;
	struct heddle_kernel_timing k;

	if (!l->timing || heddle_timing_kernel(l->timing, l->member, &k, NULL))
		return 0;
	heddle_timing_info(l->timing, &info);
	return (k.end ? k.end : info.cycles) - k.start;
}

uint64_t report_sms(const struct report_launch *l)
{
	return (unsigned)l->device < report.device_count ?
		       report.devices[l->device].sms :
		       0;
}

static double ratio_or_0(uint64_t over, uint64_t under)
{
	return under ? (double)over / (double)under : 0;
}

double report_ipc(const struct report_kernel *k)
{
	return ratio_or_0(k->timed_instructions, k->sm_cycles);
}

double report_gpu_ipc(const struct report_kernel *k)
{
	return ratio_or_0(k->timed_instructions, k->cycles);
}

static void kernel_add_timing(struct report_kernel *k,
			      const struct report_launch *l)
{
	const struct heddle_stats *s = heddle_timing_stats(l->timing);
	struct heddle_stat v;

	if (!report.reasons)
		find_reasons(s);
	k->timed++;
	k->cycles += report_cycles(l);
	k->sm_cycles += report_cycles(l) * report_sms(l);
	k->gpu_seconds += l->end - l->start;
	k->timed_instructions += l->result->warp_instructions;
	for (size_t i = 0; i < report.reasons; i++)
		if (!heddle_stats_get(s, report.reason_stats[i], &v, NULL))
			k->reasons[i] += v.count;
}

static void kernel_add_launch(struct report_kernel *k,
			      const struct report_launch *l)
{
	k->launches++;
	k->warp_instructions += l->result->warp_instructions;
	k->thread_instructions += l->result->thread_instructions;
	k->host_seconds += l->result->seconds;
	if (l->timing)
		kernel_add_timing(k, l);
}

struct report_kernel report_total(void)
{
	struct report_kernel sum = { .name = "all" };

	for (size_t i = 0; i < report.symbols.count; i++) {
		const struct report_kernel *k = &report.kernels[i];

		sum.launches += k->launches;
		sum.warp_instructions += k->warp_instructions;
		sum.thread_instructions += k->thread_instructions;
		sum.host_seconds += k->host_seconds;
		sum.timed += k->timed;
		sum.cycles += k->cycles;
		sum.sm_cycles += k->sm_cycles;
		sum.timed_instructions += k->timed_instructions;
		sum.gpu_seconds += k->gpu_seconds;
		for (size_t r = 0; r < report.reasons; r++)
			sum.reasons[r] += k->reasons[r];
	}
	return sum;
}

/* Slots without a warp count as well: then the launch or the grid is what to
 * look at. */
static bool is_stall(const char *reason)
{
	return strcmp(reason, "issued") != 0;
}

const char *report_top_stall(const struct report_kernel *k, double *share)
{
	const char *top = NULL;
	uint64_t max = 0, all = 0;

	for (size_t i = 0; i < report.reasons; i++) {
		all += k->reasons[i];
		if (k->reasons[i] > max && is_stall(report.reason_names[i])) {
			max = k->reasons[i];
			top = report.reason_names[i];
		}
	}
	*share = all ? (double)max / (double)all : 0;
	return top;
}

/* Advice on a launch; it may be refused. */
static void advise(struct report_kernel *k, const struct report_launch *l,
		   struct advice_list *a)
{
	struct advice_shape shape = {
		.cfg = &report.devices[l->device].cfg,
		.threads = l->block.x * l->block.y * l->block.z,
	};
	struct diag d;

	memset(a, 0, sizeof(*a));
	if (!l->timing)
		return;
	if (advice_of_launch(a, l->timing, l->member, &shape, &d))
		snprintf(a->none, sizeof(a->none), "None: %.300s.", d.text);
	else if (l->group <= 1 && !l->result->fault.kind &&
		 !advice_sum_add(&k->advice, a, (double)report_cycles(l)))
		report_say("error: out of memory; the advice on %.100s is "
			   "incomplete",
			   k->name);
}

void report_advice(struct advice_list *out, const struct report_kernel *k)
{
	advice_sum_find(out, &k->advice);
	if (!k->advice.launches)
		snprintf(out->none, sizeof(out->none),
			 "None: it ran at the same time as others, or was cut "
			 "short.");
}

static bool grow_events(void)
{
	size_t room = report.event_room ? 2 * report.event_room : 256;
	struct report_event *more;

	if (room > REPORT_EVENTS)
		return false;
	more = realloc(report.events, room * sizeof(*more));
	if (!more)
		return false;
	report.events = more;
	report.event_room = room;
	return true;
}

void report_event(const struct report_event *e)
{
	if (report.event_count == report.event_room && !grow_events()) {
		report.left_out++;
		return;
	}
	report.events[report.event_count++] = *e;
}

/*
 * What rt calls
 */

/* The library's configuration, as advice needs it. */
static void read_device_cfg(struct report_device *d,
			    const struct heddle_config *c)
{
	char *text = heddle_config_dump(c);
	struct cfg_sheet sheet;
	struct diag why;

	cfg_sheet_init(&sheet);
	if (!text ||
	    cfg_read_text(&sheet, d->gpu, text, strlen(text), CFG_ANY, &why))
		report_say("error: %s: the configuration cannot be read; there "
			   "is no good advice",
			   d->gpu);
	d->cfg = sheet.cfg;
	cfg_sheet_free(&sheet);
	free(text);
}

static void open_device(struct report_device *d, const char *gpu,
			const struct heddle_config *c)
{
	struct heddle_value v;

	*d = (struct report_device){ .gpu = strdup(gpu) };
	if (!heddle_config_get(c, "gpu.name", &v, NULL))
		memcpy(d->name, v.text, sizeof(d->name));
	if (!heddle_config_get(c, "sm.count", &v, NULL))
		d->sms = (uint64_t)v.integer;
	if (!heddle_config_get(c, "gpu.clock", &v, NULL))
		d->mhz = v.real;
	read_device_cfg(d, c);
}

void report_open(const struct report_setup *s)
{
	report.quiet = s->quiet;
	report.timed = s->timed;
	report.inexact_engine = s->inexact_engine;
	report.pid = getpid();
	for (unsigned i = 0; i < s->devices && i < MAX_DEVICES; i++)
		open_device(&report.devices[report.device_count++], s->gpus[i],
			    s->configs[i]);
	progress_init(&report.progress, !s->quiet && isatty(STDERR_FILENO));
	if (s->out)
		report_folder_open(s);
	report.open = true;
}

void report_call(const char *name)
{
	struct report_event *last;

	report.calls++;
	if (!report.folder[0])
		return;
	last = report.event_count ? &report.events[report.event_count - 1] :
				    NULL;
	if (last && last->kind == REPORT_CALLED && last->call == name)
		last->count++;
	else
		report_event(&(struct report_event){
			.kind = REPORT_CALLED, .call = name, .count = 1 });
}

void report_begin(const struct report_launch *l)
{
	char name[256];

	if (!report.progress.on)
		return;
	report.begun_timed = l->timed;
	demangle_instance(name, sizeof(name), l->kernel);
	snprintf(report.label, sizeof(report.label),
		 "launch %llu, %.30s: ", (unsigned long long)l->number, name);
	report.progress.label = report.label;
	progress_start(&report.progress);
}

void report_progress(uint64_t blocks_done, uint64_t blocks,
		     uint64_t warp_instructions, uint64_t cycles)
{
	/* A timed launch reports twice, with cycles and without. */
	if (report.begun_timed && !cycles)
		return;
	if (report.begun_timed)
		progress_timed(&report.progress,
			       &(struct heddle_timing_progress){
				       .cycles = cycles,
				       .blocks_done = blocks_done,
				       .blocks = blocks,
				       .warp_instructions =
					       warp_instructions });
	else
		progress_report(&report.progress, blocks_done, blocks,
				warp_instructions);
}

static void note_launch(const struct report_launch *l, uint32_t kernel)
{
	report_event(&(struct report_event){ .kind = REPORT_LAUNCHED,
					     .timed = l->timing != NULL,
					     .device = (uint8_t)l->device,
					     .kernel = kernel,
					     .number = l->number,
					     .count = report_cycles(l),
					     .stream = l->stream,
					     .start = l->start,
					     .end = l->end });
}

void report_launch(const struct report_launch *l)
{
	struct report_kernel *k = report_kernel(l->kernel);
	struct advice_list a;

	progress_end(&report.progress);
	report.launches++;
	if (l->end > report.end)
		report.end = l->end;
	if (!k)
		return;
	kernel_add_launch(k, l);
	if (!l->timing)
		report.functional++;
	if (!report.quiet || report.folder[0])
		advise(k, l, &a);
	if (!report.quiet)
		report_line(l, k);
	if (!report.folder[0] || report.pid != getpid())
		return;
	note_launch(l, (uint32_t)(k - report.kernels));
	report_folder_launch(l, k, &a);
}

void report_copy(const struct report_copy *c)
{
	struct report_copies *sum = &report.copies[c->kind];

	sum->count++;
	sum->bytes += c->bytes;
	sum->seconds += c->end - c->start;
	if (c->end > report.end)
		report.end = c->end;
	if (report.folder[0])
		report_event(
			&(struct report_event){ .kind = REPORT_COPIED,
						.copy = c->kind,
						.device = (uint8_t)c->device,
						.bytes = c->bytes,
						.stream = c->stream,
						.start = c->start,
						.end = c->end });
}

void report_end(void)
{
	if (!report.open || report.pid != getpid())
		return;
	report.open = false;
	progress_end(&report.progress);
	if (!report.quiet && report.launches)
		report_table();
	if (report.folder[0])
		report_folder_end();
}
