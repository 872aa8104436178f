/* Writes the folder of results: see common/results.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "door/common/hot.h"
#include "door/common/launch_json.h"
#include "door/common/parts.h"
#include "door/rt/report_state.h"

extern char **environ;

enum { FILE_NAME = 48 };

/* Stops writing results; the folder stays marked as incomplete. */
static void folder_give_up(const struct diag *d)
{
	report_say("error: %s; no results are written", d->text);
	report.folder[0] = '\0';
}

static FILE *folder_create(const char *name)
{
	struct diag d;
	FILE *f = results_create(report.folder, name, &d);

	if (!f)
		folder_give_up(&d);
	return f;
}

static bool folder_commit(FILE *f, const char *name)
{
	struct diag d;

	if (results_commit(f, report.folder, name, &d)) {
		folder_give_up(&d);
		return false;
	}
	return true;
}

static void write_config(unsigned device, const struct heddle_config *c)
{
	char name[FILE_NAME], *text = heddle_config_dump(c);
	struct diag d;
	FILE *f;

	snprintf(name, sizeof(name), "gpu-%u.cfg", device);
	f = text ? folder_create(name) : NULL;
	if (f) {
		fputs(text, f);
		folder_commit(f, name);
	} else if (!text) {
		fail(&d, ERR_NOMEM, "out of memory");
		folder_give_up(&d);
	}
	free(text);
}

/* `heddle exec` may have opened the folder already. */
static enum err folder_open(const char *out, struct diag *d)
{
	const char *ready = getenv(RESULTS_OPENED);

	report.own_results = !ready || strcmp(ready, out) != 0;
	if (!report.own_results)
		return results_take(report.folder, out, d);
	if (results_open(&report.results, out, d))
		return d->code;
	return results_take(report.folder, report.results.path, d);
}

/* Sources whose lines may be shown: of the program's folder, and those that the
 * user has named. */
static void folder_allow_sources(const char *list)
{
	struct diag d;

	if (sources_add_program(&report.sources, "/proc/self/exe", &d) ||
	    (list && sources_add_list(&report.sources, list, &d)))
		report_say("error: %s; its sources are not shown", d.text);
}

void report_source(const char *name, const char *text)
{
	struct diag d;

	if (report.folder[0] &&
	    sources_add_text(&report.sources, name, text, &d))
		report_say("error: %s; its lines are not shown", d.text);
}

void report_folder_open(const struct report_setup *s)
{
	struct diag d;

	if (!getcwd(report.start_folder, sizeof(report.start_folder)))
		report.start_folder[0] = '\0';
	folder_allow_sources(s->sources);
	if (folder_open(s->out, &d)) {
		folder_give_up(&d);
		return;
	}
	for (unsigned i = 0; i < report.device_count && report.folder[0]; i++)
		write_config(i, s->configs[i]);
}

/*
 * A launch
 */

static void json_lines(struct json *j, const struct report_launch *l)
{
	struct hot hot;
	struct diag d;

	if (!hot_read(&hot, l->timing, l->member, &report.sources, &d))
		hot_json(&hot, j);
	else
		report_say("error: %s; the lines of launch %" PRIu64
			   " are not written",
			   d.text, l->number);
	hot_clear(&hot);
}

/* Maps take much space: only those of the longest launch so far are kept, so that
 * the one that a page shows has them. */
static void json_parts(struct json *j, const struct report_launch *l)
{
	struct report_device *d = &report.devices[l->device];
	uint64_t cycles = report_cycles(l);

	if (cycles <= d->longest)
		return;
	d->longest = cycles;
	if (l->parts)
		parts_json(l->parts, j);
}

static void json_timed(struct json *j, const struct report_launch *l)
{
	struct heddle_kernel_timing k;
	char config[FILE_NAME];

	if (!l->timing) {
		json_null(j, "timing");
		return;
	}
	snprintf(config, sizeof(config), "gpu-%d.cfg", l->device);
	json_open(j, "timing", '{');
	json_string(j, "config", config);
	if (!heddle_timing_kernel(l->timing, l->member, &k, NULL)) {
		json_uint(j, "kernel_cycles", report_cycles(l));
		json_uint(j, "kernel_start_cycle", k.start);
	}
	json_timing(j, l->timing, l->member);
	json_parts(j, l);
	json_lines(j, l);
	json_close(j, '{');
}

static void json_report_launch(struct json *j, const struct report_launch *l,
			       const struct report_kernel *k,
			       const struct advice_list *a)
{
	const struct heddle_result *r = l->result;

	json_open(j, NULL, '{');
	json_string(j, "heddle", HEDDLE_VERSION);
	json_uint(j, "launch", l->number);
	json_string(j, "kernel", k->name);
	json_string(j, "symbol", l->kernel);
	json_code(j, l->isa, l->target);
	json_uint(j, "device", (uint64_t)l->device);
	json_uint(j, "stream", l->stream);
	json_dim3(j, "grid", l->grid);
	json_dim3(j, "block", l->block);
	json_uint(j, "shared_bytes", l->shared_bytes);
	json_bool(j, "timed", l->timing != NULL);
	json_uint(j, "launches_at_once", l->group);
	json_uint(j, "member", l->member);
	json_real(j, "start", l->start);
	json_real(j, "end", l->end);
	json_uint(j, "blocks", r->blocks);
	json_uint(j, "threads", r->threads);
	json_uint(j, "warp_instructions", r->warp_instructions);
	json_uint(j, "thread_instructions", r->thread_instructions);
	json_uint(j, "outside_accesses", r->outside_accesses);
	json_uint(j, "hazards", r->hazards);
	json_real(j, "host_seconds", r->seconds);
	json_fault(j, &r->fault);
	if (l->timing)
		advice_json(j, a);
	json_timed(j, l);
	json_close(j, '{');
}

static void launch_file(char name[FILE_NAME], uint64_t number)
{
	snprintf(name, FILE_NAME, "launch-%06" PRIu64 ".json", number);
}

void report_folder_launch(const struct report_launch *l,
			  const struct report_kernel *k,
			  const struct advice_list *a)
{
	char name[FILE_NAME];
	struct json j = { 0 };

	launch_file(name, l->number);
	j.to = folder_create(name);
	if (!j.to)
		return;
	json_report_launch(&j, l, k, a);
	folder_commit(j.to, name);
}

/*
 * The program
 */

/* The arguments of the process. */
static void json_arguments(struct json *j)
{
	FILE *f = fopen("/proc/self/cmdline", "re");
	char *text = NULL;
	size_t room = 0;

	json_open(j, "arguments", '[');
	while (f && getdelim(&text, &room, '\0', f) > 0)
		json_string(j, NULL, text);
	json_close(j, '[');
	free(text);
	if (f)
		fclose(f);
}

/* The environment variables of Heddle. */
static void json_settings(struct json *j)
{
	char name[64];

	json_open(j, "environment", '{');
	for (char **e = environ; e && *e; e++) {
		size_t n = strcspn(*e, "=");

		if (strncmp(*e, "HEDDLE_", 7) || n >= sizeof(name) || !(*e)[n])
			continue;
		memcpy(name, *e, n);
		name[n] = '\0';
		json_string(j, name, *e + n + 1);
	}
	json_close(j, '{');
}

static void json_devices(struct json *j)
{
	char config[FILE_NAME];

	json_open(j, "devices", '[');
	for (unsigned i = 0; i < report.device_count; i++) {
		const struct report_device *d = &report.devices[i];

		snprintf(config, sizeof(config), "gpu-%u.cfg", i);
		json_open(j, NULL, '{');
		json_uint(j, "device", i);
		json_string(j, "gpu", d->gpu ? d->gpu : "");
		json_string(j, "name", d->name);
		json_string(j, "config", config);
		json_uint(j, "sms", d->sms);
		json_real(j, "clock_mhz", d->mhz);
		json_close(j, '{');
	}
	json_close(j, '[');
}

/* The sums of a kernel, or of all kernels. */
static void json_sums(struct json *j, const struct report_kernel *k)
{
	const char *stall;
	double share;

	json_uint(j, "launches", k->launches);
	json_uint(j, "timed_launches", k->timed);
	json_uint(j, "warp_instructions", k->warp_instructions);
	json_uint(j, "thread_instructions", k->thread_instructions);
	json_real(j, "host_seconds", k->host_seconds);
	if (!k->timed)
		return;
	stall = report_top_stall(k, &share);
	json_uint(j, "cycles", k->cycles);
	json_real(j, "gpu_seconds", k->gpu_seconds);
	json_real(j, "ipc", report_ipc(k));
	json_real(j, "gpu_ipc", report_gpu_ipc(k));
	json_string(j, "top_stall", stall ? stall : "");
	json_real(j, "top_stall_share", share);
	json_open(j, "issue_slots", '{');
	for (size_t i = 0; i < report.reasons; i++)
		json_uint(j, report.reason_names[i], k->reasons[i]);
	json_close(j, '{');
}

static void json_kernels(struct json *j)
{
	struct advice_list a;

	json_open(j, "kernels", '[');
	for (size_t i = 0; i < report.symbols.count; i++) {
		json_open(j, NULL, '{');
		json_string(j, "kernel", report.kernels[i].name);
		json_string(j, "symbol", report.symbols.at[i]);
		json_sums(j, &report.kernels[i]);
		if (report.kernels[i].timed) {
			report_advice(&a, &report.kernels[i]);
			advice_json(j, &a);
		}
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void json_totals(struct json *j)
{
	struct report_kernel sum = report_total();

	json_open(j, "totals", '{');
	json_real(j, "simulated_seconds", report.end);
	json_uint(j, "api_calls", report.calls);
	json_sums(j, &sum);
	json_open(j, "copies", '[');
	for (int i = 0; i < REPORT_COPY_KINDS; i++) {
		const struct report_copies *c = &report.copies[i];

		if (!c->count)
			continue;
		json_open(j, NULL, '{');
		json_string(j, "kind", report_copy_names[i]);
		json_uint(j, "count", c->count);
		json_uint(j, "bytes", c->bytes);
		json_real(j, "seconds", c->seconds);
		json_close(j, '{');
	}
	json_close(j, '[');
	json_close(j, '{');
}

static void json_when(struct json *j, const struct report_event *e)
{
	json_uint(j, "device", e->device);
	json_uint(j, "stream", e->stream);
	json_real(j, "start", e->start);
	json_real(j, "end", e->end);
}

static void json_event(struct json *j, const struct report_event *e)
{
	char file[FILE_NAME];

	json_open_line(j, NULL, '{');
	switch (e->kind) {
	case REPORT_CALLED:
		json_string(j, "call", e->call);
		json_uint(j, "count", e->count);
		break;
	case REPORT_LAUNCHED:
		launch_file(file, e->number);
		json_uint(j, "launch", e->number);
		json_string(j, "kernel", report.kernels[e->kernel].name);
		json_string(j, "file", file);
		json_bool(j, "timed", e->timed);
		if (e->timed)
			json_uint(j, "cycles", e->count);
		json_when(j, e);
		break;
	case REPORT_COPIED:
		json_string(j, "copy", report_copy_names[e->copy]);
		json_uint(j, "bytes", e->bytes);
		json_when(j, e);
		break;
	}
	json_close(j, '{');
}

static void json_events(struct json *j)
{
	json_uint(j, "events_left_out", report.left_out);
	json_open(j, "events", '[');
	for (size_t i = 0; i < report.event_count; i++)
		json_event(j, &report.events[i]);
	json_close(j, '[');
}

static void json_report_program(struct json *j)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	json_open(j, NULL, '{');
	json_string(j, "heddle", HEDDLE_VERSION);
	json_string(j, "program", path);
	json_arguments(j);
	json_string(j, "folder", report.start_folder);
	json_settings(j);
	json_bool(j, "timed", report.timed);
	json_devices(j);
	json_totals(j);
	json_kernels(j);
	json_events(j);
	json_close(j, '{');
}

void report_folder_end(void)
{
	struct json j = { .to = folder_create(RESULTS_PROGRAM) };
	struct diag d;

	if (!j.to)
		return;
	json_report_program(&j);
	if (!folder_commit(j.to, RESULTS_PROGRAM) || !report.own_results)
		return;
	if (results_complete(&report.results, &d))
		report_say("error: %s", d.text);
	results_close(&report.results);
}
