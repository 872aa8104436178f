#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "door/rt/module.h"
#include "door/rt/report.h"
#include "door/rt/select.h"

enum { MOST_HELD = 64, MOST_EVENTS = 256, SMALL_BLOCK = 512 };

/* A launch on its way to the simulator. */
struct run {
	struct rt_func *func;
	struct rt_stream *stream;
	struct heddle_module *mod;
	struct heddle_launch launch;
	uint64_t number;
	void *params; /* malloc'ed; NULL: they are the caller's */
};

/* Launches that are held back, all of one device, and the events that were
 * recorded after them. */
static struct run held[MOST_HELD];
static unsigned held_count;
static struct rt_event *marks[MOST_EVENTS];
static unsigned mark_count;

/* What watches the launch under way. */
static struct watch {
	struct heddle_device *sim;
	double until; /* of the host's clock; 0: for ever */
	bool expired;
} watch;

/*
 * Checks
 */

static int check_shape(const struct rt_launch *l, const struct rt_device *d)
{
	static const uint32_t most_grid[3] = { INT32_MAX, 65535, 65535 };
	static const uint32_t most_block[3] = { 1024, 1024, 64 };
	uint64_t threads = 1;

	for (int i = 0; i < 3; i++) {
		if (!l->grid[i] || l->grid[i] > most_grid[i] || !l->block[i] ||
		    l->block[i] > most_block[i])
			return cudaErrorInvalidConfiguration;
		threads *= l->block[i];
	}
	return threads > (uint64_t)d->sheet.cfg.sm.block_threads ?
		       cudaErrorInvalidConfiguration :
		       cudaSuccess;
}

/* .reqntid names all three; missing ones are 1. */
static bool bounds_fit(const struct rt_launch *l, const struct heddle_kernel *k)
{
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];

	if (k->max_threads && threads > k->max_threads)
		return false;
	for (int i = 0; k->required[0] && i < 3; i++)
		if (l->block[i] != (k->required[i] ? k->required[i] : 1))
			return false;
	return true;
}

static int check_fit(const struct rt_launch *l, struct rt_device *d,
		     const struct entry *x)
{
	uint32_t threads = l->block[0] * l->block[1] * l->block[2], blocks;
	uint64_t grid = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	int e;

	if (!bounds_fit(l, x->kernel))
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

static int check_cluster(const struct rt_launch *l)
{
	for (int i = 0; i < 3; i++)
		if (l->cluster[i] > 1)
			return rt_unsupported("a launch with clusters");
	return cudaSuccess;
}

static int check(const struct rt_launch *l, struct rt_device *d,
		 struct entry **x)
{
	int e;

	if (!func_find(l->func))
		return l->func ? cudaErrorInvalidResourceHandle :
				 cudaErrorInvalidDeviceFunction;
	e = func_on(l->func, d, x);
	if (!e)
		e = func_refused(l->func, d, *x);
	if (!e)
		e = check_shape(l, d);
	if (!e)
		e = check_cluster(l);
	if (!e)
		e = check_fit(l, d, *x);
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
	struct entry *x;

	return check(l, &rt.devices[device], &x);
}

/*
 * Running
 */

static void print(void *ctx, const char *text, size_t size)
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

static void check_time(void)
{
	if (watch.until > 0 && !watch.expired &&
	    clock_seconds() > watch.until) {
		watch.expired = true;
		heddle_stop(watch.sim);
	}
}

static void progress(void *ctx, uint64_t done, uint64_t blocks,
		     uint64_t instructions)
{
	(void)ctx;
	report_progress(done, blocks, instructions, 0);
	check_time();
}

static void timed_progress(void *ctx, const struct heddle_timing_progress *p)
{
	(void)ctx;
	report_progress(p->blocks_done, p->blocks, p->warp_instructions,
			p->cycles);
	check_time();
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
	/* A real GPU would hang, or its watchdog say so. */
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

/* What assert wrote belongs on stderr; it came with what printf wrote. */
static void sort_printed(size_t from)
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

/* A fault is the device's from now on. Why it stopped is said once. */
static void take_fault(struct rt_device *d, const struct heddle_result *results,
		       unsigned n, size_t printed)
{
	const struct heddle_fault *f = NULL;

	for (unsigned i = 0; i < n; i++)
		if (results[i].fault.kind &&
		    (!f || f->kind == HEDDLE_FAULT_STOPPED))
			f = &results[i].fault;
	if (!f || d->fault)
		return;
	if (f->kind == HEDDLE_FAULT_ASSERT)
		sort_printed(printed);
	d->fault = fault_error(f->kind);
	if (watch.expired)
		rt_say("error: kernel %s has not ended after %g s "
		       "(HEDDLE_TIMEOUT)",
		       f->kernel, rt.settings.timeout);
	else
		rt_say("error: %s", f->text);
}

/* What is not timed takes as long as the least kernel. */
static double nominal(const struct cfg *c)
{
	return (double)c->dispatch.launch_latency / (c->gpu.clock * 1e6);
}

/* The group starts when all of its streams can. */
static double group_start(const struct run *runs, unsigned n)
{
	double start = 0;

	for (unsigned i = 0; i < n; i++) {
		double t = stream_now(runs[i].stream);

		start = t > start ? t : start;
	}
	return start;
}

static struct span span_of(const struct rt_device *d, double start,
			   const struct heddle_timing *t, unsigned i)
{
	struct heddle_kernel_timing k;
	double hz = d->sheet.cfg.gpu.clock * 1e6;
	struct heddle_timing_info info;

	if (!t || heddle_timing_kernel(t, i, &k, NULL))
		return (struct span){ start, start + nominal(&d->sheet.cfg) };
	heddle_timing_info(t, &info);
	return (struct span){ start + (double)k.start / hz,
			      start + (double)(k.end ? k.end : info.cycles) /
					      hz };
}

static void describe(struct report_launch *out, const struct run *r, unsigned i,
		     unsigned n)
{
	*out = (struct report_launch){ .number = r->number,
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

static void account(struct rt_device *d, const struct run *runs, unsigned n,
		    const struct heddle_result *results, double start,
		    double ends[])
{
	const struct heddle_timing *t =
		runs[0].launch.functional ? NULL : heddle_device_timing(d->sim);

	for (unsigned i = 0; i < n; i++) {
		struct span s = span_of(d, start, t, i);
		struct report_launch r;

		describe(&r, &runs[i], i, n);
		r.start = s.start;
		r.end = ends[i] = s.end;
		r.result = &results[i];
		r.timing = t;
		stream_passed(runs[i].stream, s.end);
		report_launch(&r);
	}
}

/* Numbers for the simulator: one for each stream. */
static void number_streams(struct heddle_group_launch *g,
			   const struct run *runs, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned k = 0;

		while (runs[k].stream != runs[i].stream)
			k++;
		g[i].stream = k;
	}
}

/* Runs them together. What is static is too large for the stacks of some
 * programs; the lock is held. An error: the simulator refuses, which nobody waits
 * for; it is the device's, as a fault. */
static void run_group(struct run *runs, unsigned n, double ends[])
{
	struct rt_device *d = &rt.devices[runs[0].stream->device];
	struct heddle_timing_options timing = {
		.max_cycles = rt.settings.max_cycles,
		.progress = timed_progress,
		.host_time = rt.settings.host_time,
	};
	static struct heddle_group_launch g[MOST_HELD];
	static struct heddle_result results[MOST_HELD];
	double start = group_start(runs, n);
	size_t printed = rt.printed_size;
	struct report_launch first;
	struct heddle_error err;
	int status;

	for (unsigned i = 0; i < n; i++) {
		runs[i].launch.timing = &timing;
		g[i] = (struct heddle_group_launch){
			.module = runs[i].mod, .launch = &runs[i].launch
		};
		ends[i] = start;
	}
	number_streams(g, runs, n);
	describe(&first, &runs[0], 0, n);
	report_begin(&first);
	watch = (struct watch){ .sim = d->sim };
	if (rt.settings.timeout > 0)
		watch.until = clock_seconds() + rt.settings.timeout;
	status = heddle_launch_group(d->sim, g, n, results, &err);
	if (status && status != HEDDLE_FAULT) {
		rt_say("error: %s", err.text);
		d->fault = status == HEDDLE_NOMEM ? cudaErrorMemoryAllocation :
						    cudaErrorLaunchFailure;
		return;
	}
	account(d, runs, n, results, start, ends);
	if (status == HEDDLE_FAULT)
		take_fault(d, results, n, printed);
}

static void drop(struct run *runs, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		runs[i].stream->held = 0;
		free(runs[i].params);
	}
}

void rt_flush(void)
{
	double ends[MOST_HELD];
	unsigned n = held_count, events = mark_count;

	if (!n)
		return;
	held_count = mark_count = 0;
	if (rt.devices[held[0].stream->device].fault)
		memset(ends, 0, sizeof(ends));
	else
		run_group(held, n, ends);
	for (unsigned i = 0; i < events; i++) {
		marks[i]->time = ends[marks[i]->held - 1];
		marks[i]->held = 0;
	}
	drop(held, n);
}

int event_hold(struct rt_event *e, struct rt_stream *s)
{
	if (mark_count == MOST_EVENTS) {
		rt_flush();
		e->time = stream_now(s);
		return cudaSuccess;
	}
	/* An event that is recorded again moves. */
	for (unsigned i = 0; i < mark_count; i++)
		if (marks[i] == e)
			marks[i] = marks[--mark_count];
	e->held = s->held;
	marks[mark_count++] = e;
	return cudaSuccess;
}

/* The parameters, one after the other, where the kernel wants them. */
static void pack(char *block, const struct rt_launch *l,
		 const struct heddle_kernel *k)
{
	memset(block, 0, k->param_bytes);
	for (uint32_t i = 0; i < k->param_count; i++)
		memcpy(block + k->params[i].offset, l->args[i],
		       k->params[i].size);
}

static struct heddle_launch describe_launch(const struct rt_launch *l,
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
		.print = print,
		.progress = progress,
		.functional = 1,
		.cooperative = l->cooperative,
	};
}

/* Keeps the launch until something wants to see what it did. */
static int hold(const struct run *r, const void *block)
{
	struct run *mine;

	if (held_count == MOST_HELD ||
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

static int start(struct run *r, const void *block)
{
	bool timed = !rt.settings.functional &&
		     select_timed(r->func->name, r->number);
	/* A trace says what may run at once, whether it is timed or not. */
	bool grouped = timed || (rt.settings.functional && rt.settings.trace);
	double end;

	r->launch.functional = !timed;
	if (grouped && !stream_is_legacy(r->stream) && !r->launch.cooperative)
		return hold(r, block);
	rt_flush();
	if (rt.devices[r->stream->device].fault)
		return cudaSuccess;
	run_group(r, 1, &end);
	return cudaSuccess;
}

int launch_run_work(const struct rt_launch *l, struct rt_stream *s)
{
	struct rt_device *d = &rt.devices[s->device];
	char small[SMALL_BLOCK], *packed = NULL;
	struct run r = { .func = l->func, .stream = s };
	const void *block = l->block_of_args;
	struct entry *x;
	int e = check(l, d, &x);

	if (e)
		return e;
	if (!block) {
		packed = x->kernel->param_bytes > sizeof(small) ?
				 malloc(x->kernel->param_bytes) :
				 small;
		if (!packed)
			return cudaErrorMemoryAllocation;
		pack(packed, l, x->kernel);
		block = packed;
	}
	r.mod = l->func->module->on[d->number].mod;
	r.number = ++rt.launches;
	r.launch = describe_launch(l, x->kernel, block);
	e = start(&r, block);
	if (packed != small)
		free(packed);
	return e;
}

int rt_launch(const struct rt_launch *l, struct rt_stream *s)
{
	struct rt_work w = { .kind = RT_NODE_KERNEL, .launch = *l };

	s = stream_find(s);
	/* Copies go to any stream, kernels to those of the thread's device. */
	if (!s || s->device != rt_thread()->device)
		return cudaErrorInvalidResourceHandle;
	return work_submit(s, &w);
}
