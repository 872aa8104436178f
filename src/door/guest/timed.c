/*
 * Guests on a simulated system: kernels run on the compute units beside the cores,
 * calls take the time of section os of the configuration, and what the program
 * copies takes the time of its instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "apu/apu.h"
#include "apu/copy.h"
#include "door/guest/rt_state.h"
#include "door/opencl/state.h"
#include "mem/cgm/system.h"
#include "system/system.h"

static struct {
	struct work *work; /* of the GPU; NULL: none */
	struct job job;
	struct gcl_times times;
	struct gcl_kernel_time *kernels;
	size_t room;
	bool open; /* the region has begun */
	double begin;
	struct cgm_stats before, last;
	/* Of the thread that may copy now. */
	const struct x86_thread *thread;
	double since;
	struct spans spans;
} timed;

static double ns_of(cycle_t ticks)
{
	return (double)ticks * 1e6 /
	       (double)cgm_system_khz(system_memory(gcl.system));
}

static double now_ns(void)
{
	return ns_of(system_now(gcl.system));
}

static const struct cfg_os *os(void)
{
	return &gcl.config->sheet.cfg.os;
}

void gcl_attach(struct system *system)
{
	const struct cfg *c = &gcl.config->sheet.cfg;
	struct diag d;

	memset(&timed, 0, sizeof(timed));
	gcl.system = system;
	if (apu_new(&gcl.apu, c, system_memory(system), &d))
		snprintf(gcl.refused, sizeof(gcl.refused), "OpenCL: %.240s",
			 d.text);
	gcl.distance = c->cgm.shared ? 0 : (uint64_t)c->cgm.gpu_distance;
	gcl.coherent = c->cgm.cpu_protocol == CFG_CGM_PROTOCOL_MESI &&
		       c->cgm.gpu_protocol == CFG_CGM_PROTOCOL_MESI &&
		       c->cgm.gpu_at == CFG_CGM_GPU_AT_L3;
	gcl.flushes = c->cgm.cpu_protocol != CFG_CGM_PROTOCOL_MESI ||
		      c->cgm.gpu_at == CFG_CGM_GPU_AT_MEMORY;
}

bool timed_is_on(void)
{
	return gcl.system != NULL;
}

bool timed_is_full(void)
{
	return timed.work != NULL;
}

void timed_close(void)
{
	if (timed.work && timed.work->kind == WORK_LAUNCH) {
		launch_clear(&timed.job.run);
		free(timed.job.params);
	}
	free(timed.kernels);
	memset(&timed, 0, sizeof(timed));
	apu_free(gcl.apu);
	gcl.apu = NULL;
}

/*
 * Work
 */

/* Threads that wait for it go on. */
static void work_ended(struct work *w)
{
	struct rt_stream *s = w->stream;

	system_busy(gcl.system, -1);
	stream_work_end(s);
	x86_process_changed(gcl.process);
	system_woken(gcl.system);
}

static void region_end(void)
{
	timed.times.region = now_ns() - timed.begin;
	system_cgm_stats(gcl.system, &timed.last);
}

static void keep_kernel(const struct apu_result *r)
{
	struct gcl_kernel_time *k;

	if (timed.times.kernel_count == timed.room) {
		size_t room = timed.room ? 2 * timed.room : 64;

		k = realloc(timed.kernels, room * sizeof(*k));
		if (!k)
			return;
		timed.kernels = k;
		timed.room = room;
	}
	k = &timed.kernels[timed.times.kernel_count++];
	*k = (struct gcl_kernel_time){
		.start = ns_of(r->began),
		.end = ns_of(r->left),
		.fence = ns_of(r->started - r->began + r->left - r->ended),
		.cycles = r->cycles,
		.requests = r->requests,
		.fences = r->fences,
		.stats = r->stats,
	};
	snprintf(k->name, sizeof(k->name), "%s",
		 timed.work->kernel.launch.kernel);
	timed.times.kernel += k->end - k->start;
	if (timed.open)
		region_end();
}

static void kernel_failed(const char *text)
{
	gpu.fault = cudaErrorLaunchFailure;
	cl_say("error: %s", text);
}

static void kernel_ended(void)
{
	struct work *w = timed.work;
	struct heddle_result result = { 0 };

	timed.job.status = apu_result(gcl.apu)->done ? ERR_OK : ERR_FAULT;
	job_close(&timed.job, gcl.sim, &result);
	if (timed.job.status)
		kernel_failed(result.fault.text);
	else if (apu_result(gcl.apu)->law.code)
		kernel_failed(apu_result(gcl.apu)->law.text);
	keep_kernel(apu_result(gcl.apu));
	launch_clear(&timed.job.run);
	free(timed.job.params);
	timed.work = NULL;
	work_ended(w);
}

static void copy_ended(void)
{
	const struct apu_result *r = apu_result(gcl.apu);
	struct work *w = timed.work;

	work_run(w);
	timed.times.gpu_copies.count++;
	timed.times.gpu_copies.bytes += work_bytes(w);
	timed.times.gpu_copies.requests += r->requests;
	timed.times.gpu_copies.ns += ns_of(r->left - r->began);
	if (timed.open && work_is_to_host(w))
		region_end();
	timed.work = NULL;
	work_ended(w);
}

static void gpu_step(void *ctx, cycle_t now)
{
	cycle_t next = apu_advance(gcl.apu, now);

	(void)ctx;
	if (next != CYCLE_NEVER)
		system_at(gcl.system, next, gpu_step, NULL);
	else if (timed.work->kind == WORK_LAUNCH)
		kernel_ended();
	else
		copy_ended();
}

/* Moves nothing until it has taken its time. */
static void start_copy(struct work *w)
{
	cycle_t now = system_now(gcl.system);
	const struct apu_copy box = work_box(w);

	timed.work = w;
	system_busy(gcl.system, 1);
	apu_begin_copy(gcl.apu, now, &box);
	system_at(gcl.system, now, gpu_step, NULL);
}

/* It could not start: it ends in the next window. */
static void kernel_refused(void *ctx, cycle_t now)
{
	(void)now;
	timed.work = NULL;
	work_ended(ctx);
}

static void start_kernel(struct work *w)
{
	cycle_t now = system_now(gcl.system);
	struct diag d;

	timed.work = w;
	timed.job = (struct job){ .mod = w->kernel.module,
				  .launch = &w->kernel.launch };
	system_busy(gcl.system, 1);
	if (!gpu.fault && !job_open(&timed.job, gcl.sim, &d)) {
		if (!apu_begin(gcl.apu, now,
			       &(struct apu_kernel){ &timed.job.run,
						     timed.job.mod->timed,
						     timed.job.occupancy },
			       &d)) {
			system_at(gcl.system, now, gpu_step, NULL);
			return;
		}
		launch_clear(&timed.job.run);
		free(timed.job.params);
	}
	if (!gpu.fault)
		kernel_failed(d.text);
	system_at(gcl.system, now, kernel_refused, w);
}

void timed_start(struct work *w)
{
	if (w->kind == WORK_LAUNCH)
		start_kernel(w);
	else
		start_copy(w);
}

/*
 * Times
 */

static uint64_t call_ns(uint64_t function)
{
	switch (function & ~(uint64_t)GCL_MOVED) {
	case GCL_WAIT:
		return (uint64_t)os()->finish;
#define COST(parameter, name) \
	case GCL_##name:      \
		return (uint64_t)os()->parameter;
#include "door/guest/cost.def"
	default:
		return (uint64_t)os()->opencl;
	}
}

void timed_call(struct x86_thread *t, uint64_t function)
{
	uint64_t ns;

	if (!gcl.system)
		return;
	ns = call_ns(function);
	x86_process_takes(t, ns);
	if (!timed.open)
		return;
	timed.times.calls++;
	timed.times.call += (double)ns;
	spans_add(&timed.spans, GCL_SPAN_CALL, (uint64_t)now_ns(),
		  (uint64_t)now_ns() + ns);
}

/* The thread's next instructions may be a copy's. */
void timed_place(struct x86_thread *t)
{
	if (!gcl.system)
		return;
	timed.thread = t;
	timed.since = now_ns() + (double)call_ns(GCL_PLACE);
}

void timed_moved(struct x86_thread *t, uint64_t bytes, bool to_host)
{
	if (!gcl.system || !timed.open)
		return;
	if (cl.moved && timed.thread == t && now_ns() > timed.since) {
		timed.times.copy += now_ns() - timed.since;
		timed.times.copied += bytes;
		spans_add(&timed.spans, GCL_SPAN_COPY, (uint64_t)timed.since,
			  (uint64_t)now_ns());
	}
	timed.thread = NULL;
	if (to_host)
		region_end();
}

void timed_buffer_made(void)
{
	if (!gcl.system || timed.open)
		return;
	timed.open = true;
	timed.begin = now_ns();
	system_cgm_stats(gcl.system, &timed.before);
	timed.last = timed.before;
}

void gcl_times(struct gcl_times *out)
{
	*out = timed.times;
	out->used = timed.open;
	out->kernels = timed.kernels;
	out->begin = timed.begin;
	out->spans = &timed.spans;
	out->memory = timed.last;
	cgm_stats_subtract(&out->memory, &timed.before);
}
