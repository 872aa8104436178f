#include "door/cli/replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "accelsim/list.h"
#include "base/demangle.h"
#include "door/cli/interrupt.h"
#include "door/cli/report.h"
#include "door/cli/summary.h"
#include "door/cli/text.h"
#include "door/cli/values.h"
#include "door/common/launch_json.h"
#include "trace/trace.h"

/* With more launches than this, each is printed as one line; advice is given for
 * the kernels that took the longest. */
enum { MAX_SUMMARIES = 16, MAX_ADVISED = 5 };

struct replay_kernel {
	char name[256];
	struct advice_sum advice;
};

/* What is kept of a launch for the JSON. */
struct replay_launch {
	uint32_t number, stream;
	char kernel[256];
	uint64_t cycles, warp_instructions;
	double gpu_seconds;
	unsigned depends;
};

struct trace_replay {
	const struct replay_request *q;
	struct heddle_device *dev;
	struct heddle_replay_options options;
	struct progress progress;
	size_t groups, launches; /* to replay */
	size_t done;             /* groups */
	struct replay_launch *list;
	size_t count, room;
	uint64_t timed; /* cycles of all groups */
	uint64_t *sums; /* statistics of all groups; ratios are 0 */
	double seconds; /* of the host */
	struct replay_kernel *kernels; /* those that ran alone */
	size_t kernel_count;
	struct summary summary;
	struct heddle_kernel kernel;
	struct heddle_launch launch;
	int code;
};

/* The number of launches that run at the same time as that of item i, itself
 * included. *whole: all of them are complete. */
static size_t replay_count_group(const struct trace *t, size_t i, bool *whole)
{
	const struct trace_item first = trace_item(t, i);
	uint32_t group = trace_get_launch(t, first.number)->launch.group;
	size_t n = 0;

	*whole = true;
	for (; i + n < trace_item_count(t); n++) {
		struct trace_item it = trace_item(t, i + n);
		const struct trace_launch_record *l;

		if (it.kind != TRACE_LAUNCH || it.number != first.number + n)
			break;
		l = trace_get_launch(t, it.number);
		if (l->launch.group != group)
			break;
		*whole = *whole && l->whole && !l->outcome.fault;
	}
	return n;
}

static void replay_warn(const struct trace_replay *r, struct trace *t,
			size_t left_out)
{
	const char *damage = trace_damage(t, NULL);

	if (damage || left_out)
		fprintf(stderr,
			"heddle: warning: %s: %s%s%zu incomplete launches are "
			"left out\n",
			r->q->path, damage ? damage : "", damage ? "; " : "",
			left_out);
}

static enum err replay_count_list(struct trace_replay *r, struct diag *d)
{
	struct asim_list *l;

	if (asim_list_open(&l, r->q->path, d))
		return d->code;
	r->groups = r->options.one ? 1 : l->groups;
	r->launches = r->options.one ? 1 : l->kernels;
	asim_list_free(l);
	return ERR_OK;
}

/* Counts the groups and launches to replay. */
static enum err replay_count(struct trace_replay *r, struct diag *d)
{
	size_t left_out = 0, n;
	struct trace *t;
	bool whole;

	if (asim_list_is(r->q->path))
		return replay_count_list(r, d);
	if (trace_open(&t, r->q->path, d))
		return d->code;
	if (r->q->partial && trace_check(t, d) && d->code != ERR_SYNTAX) {
		trace_close(t);
		return d->code;
	}
	for (size_t i = 0; i < trace_item_count(t); i += n) {
		n = 1;
		if (trace_item(t, i).kind != TRACE_LAUNCH)
			continue;
		n = replay_count_group(t, i, &whole);
		if (r->q->partial && !whole) {
			left_out += n;
			continue;
		}
		r->groups++;
		r->launches += n;
	}
	if (r->q->partial)
		replay_warn(r, t, left_out);
	trace_close(t);
	if (r->options.one)
		r->groups = r->launches = 1;
	return ERR_OK;
}

static void replay_attach(struct trace_replay *r)
{
	if (!r->q->timing->o.gpu)
		return;
	timing_attach(r->q->timing, &r->launch, r->dev, &r->progress,
		      r->done + 1 == r->groups);
	r->options.timing = r->launch.timing;
}

static void replay_print_line(const struct trace_replay *r,
			      const struct replay_launch *one)
{
	char name[256], a[GROUPED_TEXT], b[GROUPED_TEXT];

	demangle(name, sizeof(name), one->kernel);
	fprintf(stderr, "%6" PRIu32 "  %-40.40s  %14s warp-instructions",
		one->number, name, grouped(a, one->warp_instructions));
	if (r->q->timing->o.gpu)
		fprintf(stderr, "  %14s cycles", grouped(b, one->cycles));
	fputc('\n', stderr);
}

static bool replay_keep(struct trace_replay *r,
			const struct heddle_replayed_launch *l,
			const struct heddle_result *result)
{
	struct replay_launch *one;

	if (r->count == r->room) {
		size_t room = r->room ? 2 * r->room : 64;
		struct replay_launch *list =
			realloc(r->list, room * sizeof(*list));

		if (!list)
			return false;
		r->list = list;
		r->room = room;
	}
	one = &r->list[r->count++];
	*one = (struct replay_launch){ .number = l->number,
				       .stream = l->stream,
				       .cycles = result->cycles,
				       .warp_instructions =
					       result->warp_instructions,
				       .gpu_seconds = result->gpu_seconds,
				       .depends = l->depends };
	snprintf(one->kernel, sizeof(one->kernel), "%s", l->kernel);
	return true;
}

/* The summary is about the last launch of the group. */
static void replay_describe(struct trace_replay *r,
			    const struct heddle_replayed *g)
{
	const struct heddle_replayed_launch *l = &g->launches[g->count - 1];
	struct summary *s = &r->summary;

	r->kernel.name = l->kernel;
	r->kernel.isa = l->isa;
	r->kernel.ptx_version = l->target;
	r->launch.kernel = l->kernel;
	r->launch.grid = l->grid;
	r->launch.block = l->block;
	r->q->timing->threads = l->block.x * l->block.y * l->block.z;
	r->launch.shared_bytes = l->shared_bytes;
	s->kernel = &r->kernel;
	s->result = g->results[g->count - 1];
	s->seconds = s->result.seconds;
	r->seconds += s->result.seconds;
	s->warp_instructions = s->result.warp_instructions;
	s->cycles = s->result.cycles;
}

static void replay_print_group(const struct trace_replay *r,
			       const struct heddle_replayed *g)
{
	bool lines = r->launches > MAX_SUMMARIES || g->count > 1;

	for (size_t i = 0; lines && i < g->count; i++)
		replay_print_line(r, &r->list[r->count - g->count + i]);
	if (r->launches > MAX_SUMMARIES)
		return;
	summary_print(&r->summary);
}

/* Adds the advice on a launch to that on its kernel. */
static enum err replay_add_advice(struct trace_replay *r, const char *kernel,
				  struct diag *d)
{
	const struct timing *t = r->q->timing;
	struct replay_kernel *more;
	size_t i = 0;

	while (i < r->kernel_count && strcmp(r->kernels[i].name, kernel) != 0)
		i++;
	if (i == r->kernel_count) {
		more = realloc(r->kernels, (i + 1) * sizeof(*more));
		if (!more)
			return fail(d, ERR_NOMEM, "out of memory");
		r->kernels = more;
		memset(&more[i], 0, sizeof(*more));
		snprintf(more[i].name, sizeof(more[i].name), "%s", kernel);
		r->kernel_count++;
	}
	return advice_sum_add(&r->kernels[i].advice, &t->advice,
			      (double)t->info.cycles) ?
		       ERR_OK :
		       fail(d, ERR_NOMEM, "out of memory");
}

static int replay_by_cycles(const void *a, const void *b)
{
	const struct replay_kernel *x = a, *y = b;

	if (x->advice.cycles != y->advice.cycles)
		return x->advice.cycles > y->advice.cycles ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void replay_print_advice(struct trace_replay *r)
{
	struct advice_list a;
	char name[256];

	if (r->kernel_count)
		qsort(r->kernels, r->kernel_count, sizeof(*r->kernels),
		      replay_by_cycles);
	for (size_t i = 0; i < r->kernel_count && i < MAX_ADVISED; i++) {
		advice_sum_find(&a, &r->kernels[i].advice);
		demangle(name, sizeof(name), r->kernels[i].name);
		advice_print_kernel(stderr, name, &a);
	}
}

/* Adds the statistics of a group to the sums. */
static enum err replay_add_stats(struct trace_replay *r, struct diag *d)
{
	const struct heddle_timing *t = heddle_device_timing(r->dev);
	const struct heddle_stats *s = t ? heddle_timing_stats(t) : NULL;
	size_t n = heddle_stats_count();
	struct heddle_stat v;

	if (!r->sums)
		r->sums = calloc(n, sizeof(*r->sums));
	if (!r->sums)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; s && i < n; i++) {
		if (heddle_stats_get(s, i, &v, NULL))
			BUG("a statistic has no value");
		if (v.kind == HEDDLE_STAT_COUNT)
			r->sums[i] += v.count;
		else if (v.kind == HEDDLE_STAT_PEAK && v.count > r->sums[i])
			r->sums[i] = v.count;
	}
	return ERR_OK;
}

/* The sums over all groups; the statistics in "timing" are the last group's. */
static void replay_sums_json(const struct trace_replay *r, struct json *j)
{
	const struct heddle_timing *t = heddle_device_timing(r->dev);
	const struct heddle_stats *s = t ? heddle_timing_stats(t) : NULL;
	struct heddle_stat v;
	char key[128];

	if (!s || !r->sums)
		return;
	json_open(j, "stats", '{');
	for (size_t i = 0; i < heddle_stats_count(); i++) {
		if (heddle_stats_get(s, i, &v, NULL) ||
		    v.kind == HEDDLE_STAT_RATIO)
			continue;
		snprintf(key, sizeof(key), "%s.%s", v.group, v.name);
		json_uint(j, key, r->sums[i]);
	}
	json_close(j, '{');
}

static void replay_json(const void *ctx, struct json *j)
{
	const struct trace_replay *r = ctx;

	json_open(j, "trace", '{');
	json_uint(j, "launches", r->count);
	json_real(j, "host_seconds", r->seconds);
	if (r->q->timing->o.gpu)
		json_uint(j, "cycles", r->timed);
	json_open(j, "launch", '[');
	for (size_t i = 0; i < r->count; i++) {
		const struct replay_launch *one = &r->list[i];
		char name[256];

		demangle(name, sizeof(name), one->kernel);
		json_open(j, NULL, '{');
		json_uint(j, "number", one->number);
		json_uint(j, "stream", one->stream);
		json_string(j, "kernel", name);
		json_string(j, "symbol", one->kernel);
		json_uint(j, "warp_instructions", one->warp_instructions);
		if (r->q->timing->o.gpu) {
			json_uint(j, "cycles", one->cycles);
			json_real(j, "gpu_seconds", one->gpu_seconds);
		}
		json_uint(j, "depends_on_time", one->depends);
		json_close(j, '{');
	}
	json_close(j, '[');
	replay_sums_json(r, j);
	json_close(j, '{');
}

/* Prints and stores a group. Its timing is only valid until the replay ends. */
static enum err replay_report(struct trace_replay *r,
			      const struct heddle_replayed *g, struct diag *d)
{
	struct timing *t = r->q->timing;
	struct summary *s = &r->summary;
	bool fault = s->result.fault.kind != HEDDLE_FAULT_NONE;
	bool last = r->done == r->groups || fault || interrupted();

	if (t->o.gpu && (timing_read(t, d) || replay_add_stats(r, d)))
		return d->code;
	if (t->result && t->info.whole && g->count == 1 &&
	    replay_add_advice(r, g->launches[0].kernel, d))
		return d->code;
	t->number = g->launches[0].number;
	if (t->o.gpu && last &&
	    timing_finish(t, r->q->path,
			  interrupted() ? "interrupted" :
			  fault         ? fault_name(s->result.fault.kind) :
					  NULL,
			  d))
		return d->code;
	if (!r->q->quiet)
		replay_print_group(r, g);
	if (t->result && t->info.law) {
		report_bug(t);
		r->code = EXIT_BUG;
	}
	s->done = r->count;
	s->status = interrupted()       ? "interrupted" :
		    fault               ? "fault" :
		    r->code == EXIT_BUG ? "bug" :
					  "ok";
	if (last && r->q->json)
		return summary_json(s, r->q->json, d);
	return ERR_OK;
}

static int replay_on_done(void *ctx, const struct heddle_replayed *g)
{
	struct trace_replay *r = ctx;
	struct diag d;

	progress_end(&r->progress);
	r->done++;
	for (size_t i = 0; i < g->count; i++)
		if (!replay_keep(r, &g->launches[i], &g->results[i])) {
			say_error("out of memory");
			r->code = EXIT_INPUT;
			return 1;
		}
	replay_describe(r, g);
	r->timed += heddle_device_timing(r->dev) ?
			    (heddle_timing_info(heddle_device_timing(r->dev),
						&r->q->timing->info),
			     r->q->timing->info.cycles) :
			    0;
	if (replay_report(r, g, &d)) {
		say_error("%s", d.text);
		r->code = EXIT_INPUT;
		return 1;
	}
	replay_attach(r);
	progress_start(&r->progress);
	return r->code != EXIT_OK || interrupted();
}

static void replay_on_progress(void *ctx, uint64_t done, uint64_t blocks,
			       uint64_t instructions)
{
	struct trace_replay *r = ctx;

	progress_report(&r->progress, done, blocks, instructions);
}

static void replay_on_reading(void *ctx, const char *file, uint64_t bytes,
			      uint64_t all)
{
	struct trace_replay *r = ctx;

	progress_read(&r->progress, file, bytes, all);
}

static void replay_print_total(const struct trace_replay *r)
{
	double mhz = r->q->timing->o.gpu ? r->q->timing->sheet.cfg.gpu.clock :
					   0;
	char a[GROUPED_TEXT], b[GROUPED_TEXT];
	uint64_t instructions = 0;

	for (size_t i = 0; i < r->count; i++)
		instructions += r->list[i].warp_instructions;
	fprintf(stderr, "%stotal%s: %s launches, %s warp-instructions",
		tint(stderr, TINT_BOLD), tint(stderr, TINT_OFF),
		grouped(a, r->count), grouped(b, instructions));
	if (mhz > 0)
		fprintf(stderr, ", %s cycles, %s on the GPU",
			grouped(a, r->timed),
			duration(b, (double)r->timed / (mhz * 1e6)));
	fputc('\n', stderr);
}

static int replay_conclude(struct trace_replay *r, int status,
			   const struct heddle_error *e)
{
	if (interrupted()) {
		fputs("heddle: interrupted\n", stderr);
		return interrupt_exit();
	}
	if (r->count > 1 && !r->q->quiet)
		replay_print_total(r);
	if (r->launches > MAX_SUMMARIES && !r->q->quiet)
		replay_print_advice(r);
	if (r->code)
		return r->code;
	if (status == HEDDLE_FAULT && r->summary.kernel &&
	    r->summary.result.fault.kind) {
		summary_fault(&r->summary);
		return EXIT_FAULT;
	}
	if (status) {
		if (strncmp(e->text, r->q->path, strlen(r->q->path)) != 0)
			say_error("%s: %s", r->q->path, e->text);
		else
			say_error("%s", e->text);
		return status == HEDDLE_FAULT ? EXIT_FAULT : EXIT_INPUT;
	}
	if (!r->count)
		say_error("%s: the trace has no launch", r->q->path);
	return r->count ? EXIT_OK : EXIT_INPUT;
}

static enum err replay_prepare(struct trace_replay *r, struct diag *d)
{
	const struct replay_request *q = r->q;
	struct heddle_error he;
	uint64_t number;

	if (q->launch) {
		if (number_parse_uint(&number, "--launch", q->launch,
				      strlen(q->launch), UINT32_MAX, d))
			return d->code;
		r->options.one = 1;
		r->options.launch = (uint32_t)number;
	}
	if (replay_count(r, d))
		return d->code;
	if (q->timing->o.gpu && (timing_configure(q->timing, q->device, d) ||
				 timing_open(q->timing, q->json, d)))
		return d->code;
	if (heddle_device_new(&r->dev, q->device, &he))
		return fail_api(d, &he);
	interrupt_stops_device(r->dev);
	r->options.progress = q->timing->o.gpu ? NULL : replay_on_progress;
	r->options.done = replay_on_done;
	r->options.reading = replay_on_reading;
	r->options.partial = q->partial;
	return ERR_OK;
}

int replay_trace(const struct replay_request *q)
{
	struct trace_replay r = { .q = q };
	struct heddle_error he = { 0 };
	struct diag d;
	int status;

	progress_init(&r.progress, q->progress);
	r.summary =
		(struct summary){ .program = q->path,
				  .repeat = 1,
				  .launch = &r.launch,
				  .timing = q->timing->o.gpu ? q->timing : NULL,
				  .more = replay_json,
				  .more_ctx = &r };
	if (replay_prepare(&r, &d)) {
		say_error("%s", d.text);
		r.code = EXIT_INPUT;
	} else {
		replay_attach(&r);
		r.options.ctx = &r;
		progress_start(&r.progress);
		status = heddle_replay(r.dev, q->path, &r.options, &he);
		progress_end(&r.progress);
		r.code = replay_conclude(&r, status, &he);
	}
	interrupt_stops_device(NULL);
	if (r.dev)
		heddle_device_free(r.dev);
	progress_free(&r.progress);
	for (size_t i = 0; i < r.kernel_count; i++)
		advice_sum_free(&r.kernels[i].advice);
	free(r.kernels);
	free(r.list);
	free(r.sums);
	return r.code;
}
