/* Launches: checks them, holds back timed ones to run them as a group, runs and
 * reports them. */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/demangle.h"
#include "door/common/parts.h"
#include "door/rt/module.h"
#include "door/rt/report.h"
#include "door/rt/select.h"
#include "door/rt/series.h"

enum { MAX_HELD = 64, MAX_HELD_EVENTS = 256, SMALL_BLOCK = 512 };

/* A launch on its way to the simulator. */
struct held_launch {
	struct rt_func *func;
	struct rt_stream *stream;
	struct heddle_module *mod;
	struct heddle_launch launch;
	uint64_t number;
	void *params; /* malloc'ed; NULL: the caller owns them */
};

/* The launches held back, all of one device, and the events recorded after
 * them. */
static struct held_launch held[MAX_HELD];
static unsigned held_count;
static struct rt_event *held_events[MAX_HELD_EVENTS];
static unsigned held_event_count;

/* The time limit of the launch in flight. */
static struct watch {
	struct heddle_device *sim;
	double until; /* on the host's clock; 0: no limit */
	bool expired;
} watch;

/*
 * Checks
 */

static int launch_check_shape(const struct rt_launch *l,
			      const struct rt_device *d)
{
	static const uint32_t max_grid[3] = { INT32_MAX, 65535, 65535 };
	static const uint32_t max_block[3] = { 1024, 1024, 64 };
	uint64_t threads = 1;

	for (int i = 0; i < 3; i++) {
		if (!l->grid[i] || l->grid[i] > max_grid[i] || !l->block[i] ||
		    l->block[i] > max_block[i])
			return cudaErrorInvalidConfiguration;
		threads *= l->block[i];
	}
	return threads > (uint64_t)d->sheet.cfg.sm.block_threads ?
		       cudaErrorInvalidConfiguration :
		       cudaSuccess;
}

/* .reqntid gives all three dimensions; missing ones are 1. */
static bool launch_bounds_fit(const struct rt_launch *l,
			      const struct heddle_kernel *k)
{
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];

	if (k->max_threads && threads > k->max_threads)
		return false;
	for (int i = 0; k->required[0] && i < 3; i++)
		if (l->block[i] != (k->required[i] ? k->required[i] : 1))
			return false;
	return true;
}

static int launch_check_fit(const struct rt_launch *l, struct rt_device *d,
			    const struct device_func *x)
{
	uint32_t threads = l->block[0] * l->block[1] * l->block[2], blocks;
	uint64_t grid = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	int e;

	if (!launch_bounds_fit(l, x->kernel))
		return cudaErrorInvalidValue;
	if (l->shared_bytes > (size_t)func_max_dynamic(d, x))
		return cudaErrorInvalidValue;
	e = func_occupancy(l->func, d, threads, l->shared_bytes, &blocks);
	if (e)
		return e;
	if (!blocks)
		return cudaErrorLaunchOutOfResources;
	if (l->cooperative && grid > blocks * (uint64_t)d->sheet.cfg.sm.count)
		return cudaErrorCooperativeLaunchTooLarge;
	return cudaSuccess;
}

static int launch_check_cluster(const struct rt_launch *l)
{
	for (int i = 0; i < 3; i++)
		if (l->cluster[i] > 1)
			return rt_unsupported("a launch with clusters");
	return cudaSuccess;
}

static int launch_check_all(const struct rt_launch *l, struct rt_device *d,
			    struct device_func **x)
{
	int e;

	if (!func_find(l->func))
		return l->func ? cudaErrorInvalidResourceHandle :
				 cudaErrorInvalidDeviceFunction;
	e = func_load(l->func, d, x);
	if (!e)
		e = func_check_supported(l->func, d, *x);
	if (!e)
		e = launch_check_shape(l, d);
	if (!e)
		e = launch_check_cluster(l);
	if (!e)
		e = launch_check_fit(l, d, *x);
	if (e)
		return e;
	if (l->block_of_args)
		return l->block_bytes == (*x)->kernel->param_bytes ?
			       cudaSuccess :
			       cudaErrorInvalidValue;
	return l->args || !(*x)->kernel->param_count ? cudaSuccess :
						       cudaErrorInvalidValue;
}

int launch_check(const struct rt_launch *l, int device)
{
	struct device_func *x;

	return launch_check_all(l, &rt.devices[device], &x);
}

/*
 * Running
 */

static void launch_print(void *ctx, const char *text, size_t size)
{
	(void)ctx;
	if (rt.printed_size + size > rt.printed_room) {
		size_t room = (rt.printed_size + size) * 2;
		char *more = realloc(rt.printed, room);

		if (!more)
			return;
		rt.printed = more;
		rt.printed_room = room;
	}
	memcpy(rt.printed + rt.printed_size, text, size);
	rt.printed_size += size;
}

/* Machine code that a GPU would execute otherwise. */
static void launch_hazard(void *ctx, const char *kernel, const char *line)
{
	char name[256];

	(void)ctx;
	demangle(name, sizeof(name), kernel);
	rt_say("warning: kernel %s, %s", name, line);
}

/* The program has a mistake that its GPU would not have shown. */
static void launch_warn(void *ctx, const char *kernel, const char *line)
{
	static bool explained;
	char name[256];

	(void)ctx;
	if (rt.settings.quiet)
		return;
	demangle(name, sizeof(name), kernel);
	rt_say("warning: kernel %s, %s", name, line);
	if (!explained)
		rt_say("such accesses work as on a GPU, within mapped pages of "
		       "2 MiB; 'heddle exec --memory strict' or "
		       "HEDDLE_MEMORY=strict makes them errors");
	explained = true;
}

static void watch_check(void)
{
	if (watch.until > 0 && !watch.expired &&
	    clock_seconds() > watch.until) {
		watch.expired = true;
		heddle_stop(watch.sim);
	}
}

static void launch_progress(void *ctx, uint64_t done, uint64_t blocks,
			    uint64_t instructions)
{
	(void)ctx;
	report_progress(done, blocks, instructions, 0);
	watch_check();
}

static void launch_timed_progress(void *ctx,
				  const struct heddle_timing_progress *p)
{
	(void)ctx;
	report_progress(p->blocks_done, p->blocks, p->warp_instructions,
			p->cycles);
	watch_check();
}

static int fault_error(enum heddle_fault_kind kind)
{
	switch (kind) {
	case HEDDLE_FAULT_NONE:
		return cudaSuccess;
	case HEDDLE_FAULT_ADDRESS:
	case HEDDLE_FAULT_SHARED:
	case HEDDLE_FAULT_LOCAL:
		return cudaErrorIllegalAddress;
	case HEDDLE_FAULT_MISALIGNED:
		return cudaErrorMisalignedAddress;
	case HEDDLE_FAULT_ASSERT:
		return cudaErrorAssert;
	case HEDDLE_FAULT_ILLEGAL:
		return cudaErrorIllegalInstruction;
	/* A real GPU would hang, or its watchdog would stop it. */
	case HEDDLE_FAULT_BARRIER:
	case HEDDLE_FAULT_LOOP:
	case HEDDLE_FAULT_LIMIT:
	case HEDDLE_FAULT_TRACE:
	case HEDDLE_FAULT_STOPPED:
		return cudaErrorLaunchTimeout;
	case HEDDLE_FAULT_TRAP:
		return cudaErrorLaunchFailure;
	}
	return cudaErrorLaunchFailure;
}

/* Moves the output of assert, which came with that of printf, to stderr. */
static void move_assert_output(size_t from)
{
	char *at = rt.printed + from, *end = rt.printed + rt.printed_size;
	char *kept = at;

	while (at < end) {
		char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t n = stop ? (size_t)(stop + 1 - at) : (size_t)(end - at);

		if (memmem(at, n, "] Assertion `", 13)) {
			fwrite(at, 1, n, stderr);
		} else {
			memmove(kept, at, n);
			kept += n;
		}
		at += n;
	}
	rt.printed_size = (size_t)(kept - rt.printed);
}

/* Records the first fault as the device's and reports its reason. */
static void record_fault(struct rt_device *d,
			 const struct heddle_result *results, unsigned n,
			 size_t printed)
{
	const struct heddle_fault *f = NULL;

	for (unsigned i = 0; i < n; i++)
		if (results[i].fault.kind &&
		    (!f || f->kind == HEDDLE_FAULT_STOPPED))
			f = &results[i].fault;
	if (!f || d->fault)
		return;
	if (f->kind == HEDDLE_FAULT_ASSERT)
		move_assert_output(printed);
	d->fault = fault_error(f->kind);
	if (watch.expired)
		rt_say("error: kernel %s has not ended after %g s "
		       "(HEDDLE_TIMEOUT)",
		       f->kernel, rt.settings.timeout);
	else
		rt_say("error: %s", f->text);
}

/* Seconds of an untimed launch: those of an empty kernel. */
static double untimed_seconds(const struct cfg *c)
{
	return (double)c->dispatch.launch_latency / (c->gpu.clock * 1e6);
}

/* The group starts when all of its streams can. */
static double group_start_time(const struct held_launch *runs, unsigned n)
{
	double start = 0;

	for (unsigned i = 0; i < n; i++) {
		double t = stream_start_time(runs[i].stream);

		start = t > start ? t : start;
	}
	return start;
}

static struct time_span launch_span(const struct rt_device *d, double start,
				    const struct heddle_timing *t, unsigned i)
{
	struct heddle_kernel_timing k;
	double hz = d->sheet.cfg.gpu.clock * 1e6;
	struct heddle_timing_info info;

	if (!t || heddle_timing_kernel(t, i, &k, NULL))
		return (struct time_span){
			start, start + untimed_seconds(&d->sheet.cfg)
		};
	heddle_timing_info(t, &info);
	return (struct time_span){
		start + (double)k.start / hz,
		start + (double)(k.end ? k.end : info.cycles) / hz
	};
}

static void launch_describe(struct report_launch *out,
			    const struct held_launch *r, unsigned i, unsigned n)
{
	const struct heddle_kernel *k = r->func->on[r->stream->device].kernel;

	*out = (struct report_launch){ .number = r->number,
				       .isa = k->isa,
				       .target = k->ptx_version,
				       .device = r->stream->device,
				       .stream = r->stream->id,
				       .kernel = r->func->name,
				       .grid = r->launch.grid,
				       .block = r->launch.block,
				       .shared_bytes = r->launch.shared_bytes,
				       .timed = !r->launch.functional,
				       .group = n,
				       .member = i };
}

/* What SMs and slices did in the launch that runs. */
static struct part_maps launch_parts;

static void launch_on_parts(void *ctx, uint64_t from, uint64_t to,
			    const struct heddle_parts *p)
{
	(void)ctx, (void)from;
	parts_add(&launch_parts, to, p);
}

/* Asks for them, for results, unless intervals are used otherwise. */
static void launch_want_parts(struct heddle_timing_options *o)
{
	launch_parts.columns = 0;
	launch_parts.stride = 0;
	if (!rt.settings.out || (o->sample && !o->interval))
		return;
	if (!o->interval)
		o->interval = PARTS_INTERVAL;
	o->parts = launch_on_parts;
}

static void launch_report(struct rt_device *d, const struct held_launch *runs,
			  unsigned n, const struct heddle_result *results,
			  double start, struct time_span spans[])
{
	const struct heddle_timing *t =
		runs[0].launch.functional ? NULL : heddle_device_timing(d->sim);

	for (unsigned i = 0; i < n; i++) {
		struct time_span s = launch_span(d, start, t, i);
		struct report_launch r;

		launch_describe(&r, &runs[i], i, n);
		r.start = s.start;
		r.end = s.end;
		spans[i] = s;
		r.result = &results[i];
		r.timing = t;
		r.parts = t && n == 1 ? &launch_parts : NULL;
		stream_begin(runs[i].stream, s.start);
		stream_advance(runs[i].stream, s.end);
		if (t)
			series_launch(&r);
		report_launch(&r);
	}
	if (t)
		series_end(t);
}

/* Numbers the streams for the simulator. */
static void number_streams(struct heddle_group_launch *g,
			   const struct held_launch *runs, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned k = 0;

		while (runs[k].stream != runs[i].stream)
			k++;
		g[i].stream = k;
	}
}

/* Runs the launches together. The arrays are static because they are too large
 * for the stacks of some programs; the lock is held. If the simulator refuses,
 * no caller is there to be told: the device gets the error, like a fault. */
static void launch_run_group(struct held_launch *runs, unsigned n,
			     struct time_span spans[])
{
	struct rt_device *d = &rt.devices[runs[0].stream->device];
	struct heddle_timing_options timing = {
		.max_cycles = rt.settings.max_cycles,
		.progress = launch_timed_progress,
		.host_time = rt.settings.host_time,
		.details = rt.settings.out != NULL,
		.cold = rt.settings.cold,
	};
	static struct heddle_group_launch g[MAX_HELD];
	static struct heddle_result results[MAX_HELD];
	double start = group_start_time(runs, n);
	size_t printed = rt.printed_size;
	struct report_launch first;
	struct heddle_error err;
	int status;

	for (unsigned i = 0; i < n; i++) {
		runs[i].launch.timing = &timing;
		g[i] = (struct heddle_group_launch){
			.module = runs[i].mod, .launch = &runs[i].launch
		};
		spans[i] = (struct time_span){ start, start };
	}
	number_streams(g, runs, n);
	launch_describe(&first, &runs[0], 0, n);
	report_begin(&first);
	watch = (struct watch){ .sim = d->sim };
	if (rt.settings.timeout > 0)
		watch.until = clock_seconds() + rt.settings.timeout;
	if (!runs[0].launch.functional)
		series_begin(&first, d, start, &timing);
	launch_want_parts(&timing);
	status = heddle_launch_group(d->sim, g, n, results, &err);
	if (status && status != HEDDLE_FAULT) {
		rt_say("error: %s", err.text);
		d->fault = status == HEDDLE_NOMEM ? cudaErrorMemoryAllocation :
						    cudaErrorLaunchFailure;
		return;
	}
	launch_report(d, runs, n, results, start, spans);
	if (status == HEDDLE_FAULT)
		record_fault(d, results, n, printed);
}

static void launch_release(struct held_launch *runs, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		runs[i].stream->held = 0;
		free(runs[i].params);
	}
}

static void event_settle(struct rt_event *e, const struct time_span *s)
{
	e->time = e->ended = s->end;
	e->began = s->start;
	e->held = 0;
}

void rt_flush(void)
{
	struct time_span spans[MAX_HELD];
	unsigned n = held_count, events = held_event_count;

	if (!n)
		return;
	held_count = held_event_count = 0;
	if (rt.devices[held[0].stream->device].fault)
		memset(spans, 0, sizeof(spans));
	else
		launch_run_group(held, n, spans);
	for (unsigned i = 0; i < events; i++)
		event_settle(held_events[i], &spans[held_events[i]->held - 1]);
	launch_release(held, n);
}

int event_hold(struct rt_event *e, struct rt_stream *s)
{
	if (held_event_count == MAX_HELD_EVENTS) {
		rt_flush();
		e->time = e->ended = stream_start_time(s);
		return cudaSuccess;
	}
	/* An event that is recorded again moves to its new launch. */
	for (unsigned i = 0; i < held_event_count; i++)
		if (held_events[i] == e)
			held_events[i] = held_events[--held_event_count];
	e->held = s->held;
	held_events[held_event_count++] = e;
	return cudaSuccess;
}

/* Copies the arguments to their offsets in the parameter block. */
static void pack_args(char *block, const struct rt_launch *l,
		      const struct heddle_kernel *k)
{
	memset(block, 0, k->param_bytes);
	for (uint32_t i = 0; i < k->param_count; i++)
		memcpy(block + k->params[i].offset, l->args[i],
		       k->params[i].size);
}

static struct heddle_launch launch_for_simulator(const struct rt_launch *l,
						 const struct heddle_kernel *k,
						 const void *params)
{
	return (struct heddle_launch){
		.kernel = k->name,
		.grid = { l->grid[0], l->grid[1], l->grid[2] },
		.block = { l->block[0], l->block[1], l->block[2] },
		.shared_bytes = l->shared_bytes,
		.params = params,
		.param_bytes = k->param_bytes,
		.print = launch_print,
		.progress = launch_progress,
		.warn = launch_warn,
		.hazard = launch_hazard,
		.functional = 1,
		.cooperative = l->cooperative,
		.global_offset = { l->offset[0], l->offset[1], l->offset[2] },
		.work_dim = l->dims,
	};
}

/* Holds the launch back until something could see its effects. */
static int launch_hold(const struct held_launch *r, const void *block)
{
	struct held_launch *mine;

	if (held_count == MAX_HELD ||
	    (held_count && held[0].stream->device != r->stream->device))
		rt_flush();
	mine = &held[held_count];
	*mine = *r;
	mine->params = malloc(r->launch.param_bytes + 1);
	if (!mine->params)
		return cudaErrorMemoryAllocation;
	memcpy(mine->params, block, r->launch.param_bytes);
	mine->launch.params = mine->params;
	r->stream->held = ++held_count;
	return cudaSuccess;
}

static int launch_start(struct held_launch *r, const void *block)
{
	bool timed = !rt.settings.functional &&
		     select_timed(r->func->name, r->number);
	/* A trace records what may run at once, timed or not. With cold caches
	 * each runs alone, as a profiler makes them. */
	bool grouped = (timed && !rt.settings.cold) ||
		       (rt.settings.functional && rt.settings.trace);
	struct time_span span;

	r->launch.functional = !timed;
	if (grouped && !stream_is_legacy(r->stream) && !r->launch.cooperative)
		return launch_hold(r, block);
	rt_flush();
	if (rt.devices[r->stream->device].fault)
		return cudaSuccess;
	launch_run_group(r, 1, &span);
	return cudaSuccess;
}

int launch_run_now(const struct rt_launch *l, struct rt_stream *s)
{
	struct rt_device *d = &rt.devices[s->device];
	char small[SMALL_BLOCK], *packed = NULL;
	struct held_launch r = { .func = l->func, .stream = s };
	const void *block = l->block_of_args;
	struct device_func *x;
	int e = launch_check_all(l, d, &x);

	if (e)
		return e;
	if (!block) {
		packed = x->kernel->param_bytes > sizeof(small) ?
				 malloc(x->kernel->param_bytes) :
				 small;
		if (!packed)
			return cudaErrorMemoryAllocation;
		pack_args(packed, l, x->kernel);
		block = packed;
	}
	r.mod = l->func->module->on[d->number].mod;
	r.number = ++rt.launches;
	r.launch = launch_for_simulator(l, x->kernel, block);
	e = launch_start(&r, block);
	if (packed != small)
		free(packed);
	return e;
}

int rt_launch(const struct rt_launch *l, struct rt_stream *s)
{
	struct rt_work w = { .kind = RT_NODE_KERNEL, .launch = *l };

	s = stream_find(s);
	/* Copies go to any stream, kernels only to the thread's device. */
	if (!s || s->device != rt_thread()->device)
		return cudaErrorInvalidResourceHandle;
	return work_submit(s, &w);
}

void rt_source_add(const char *name, const char *text)
{
	report_source(name, text);
}
