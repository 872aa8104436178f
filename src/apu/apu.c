#include "apu/apu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apu/copy.h"
#include "base/minmax.h"
#include "cu/cu.h"
#include "gpu/gpu.h"
#include "gpu/partition.h"
#include "sm/lsu.h"

enum apu_phase { APU_IDLE, APU_OPENS, APU_RUNS, APU_CLOSES };

struct apu {
	struct arena arena;
	struct cfg cfg;
	struct bridge bridge;
	struct gpu *gpu;
	bool coherent;
	enum apu_phase phase;
	bool copies; /* a copy, not a kernel */
	struct copy_engine engine;
	struct gpu_grid grid;
	cycle_t from;          /* where the GPU's next window begins */
	uint64_t sent, fences; /* requests, when the kernel began */
	struct apu_result result;
};

static enum err check_line(const char *key, int64_t line, struct diag *d)
{
	if (line >= CHUNK_SECTOR_BYTES && line <= CHUNK_BYTES)
		return ERR_OK;
	return fail(d, ERR_RANGE,
		    "%s = %" PRId64 ": %d to %d for a GPU beside cores", key,
		    line, CHUNK_SECTOR_BYTES, CHUNK_BYTES);
}

/* Lines that a multiprocessor requests are in one chunk. */
static enum err apu_check_lines(const struct cfg *c, struct diag *d)
{
	if (!c->ccache.perfect &&
	    check_line("ccache.l0_line", c->ccache.l0_line, d))
		return d->code;
	if (c->front.perfect)
		return ERR_OK;
	return c->front.l1 ? check_line("front.l1_line", c->front.l1_line, d) :
			     check_line("front.l0_line", c->front.l0_line, d);
}

static enum err apu_check(const struct cfg *c, struct diag *d)
{
	if (!c->cgm.cus)
		return fail(d, ERR_RANGE, "cgm.cus = 0: there is no GPU");
	if (c->mem.kind != CFG_MEM_DETAILED)
		return fail(d, ERR_RANGE,
			    "mem.kind = latency: a GPU beside cores has the "
			    "memory system of cgm (mem.kind = detailed)");
	if (c->net.queue > BRIDGE_CREDITS)
		return fail(d, ERR_RANGE,
			    "net.queue = %" PRId64
			    ": at most %d for a GPU beside cores",
			    c->net.queue, BRIDGE_CREDITS);
	return c->gpu.core == CFG_CORE_SM ? apu_check_lines(c, d) : ERR_OK;
}

/* The caches behind a unit are CGM's: whoever asks for their size is told it. */
static void tell_caches(struct cfg *c)
{
	const struct cfg_cgm *k = &c->cgm;

	c->l2.on = false;
	c->l2.bytes =
		(k->cus + k->bank_cus - 1) / k->bank_cus * k->gpu_l2_bytes;
	if (!c->l1.on) {
		c->l1.bytes = k->vector_bytes;
		c->l1.line = CGM_BLOCK;
	}
}

/* The GPU's own memory is one partition that does nothing, and clusters are units:
 * each has its ports. */
static enum err apu_configure(struct cfg *c, const struct cfg *from,
			      struct diag *d)
{
	*c = *from;
	tell_caches(c);
	c->sm.count = from->cgm.cus;
	c->gpu.clock = from->cgm.gpu_clock;
	c->cu.cluster = 1;
	c->l2.slices = 1;
	c->l2.partitions = 1;
	c->dram.bandwidth /= (double)c->dram.channels;
	c->dram.channels = 1;
	return apu_check(from, d);
}

static bridge_scalar *scalar_of(const struct cfg *c)
{
	return c->gpu.core == CFG_CORE_CU ? cu_is_shared_read : lsu_is_scalar;
}

enum err apu_new(struct apu **out, const struct cfg *cfg,
		 struct cgm_system *memory, struct diag *d)
{
	struct apu *a = calloc(1, sizeof(*a));
	enum err e;

	*out = NULL;
	if (!a)
		return fail(d, ERR_NOMEM, "out of memory");
	a->coherent = cfg->cgm.gpu_protocol == CFG_CGM_PROTOCOL_MESI;
	e = apu_configure(&a->cfg, cfg, d);
	if (!e)
		e = bridge_init(&a->bridge, &a->arena, memory,
				(uint32_t)cfg->cgm.cus, a->coherent,
				scalar_of(cfg), d);
	if (!e)
		e = gpu_new_on(&a->gpu, &a->cfg, false, &a->bridge.outside, d);
	if (e) {
		apu_free(a);
		return e;
	}
	a->engine.bridge = &a->bridge;
	a->engine.room = (uint32_t)cfg->cgm.copy_blocks;
	a->bridge.views = gpu_views(a->gpu);
	a->bridge.period = a->bridge.port->source->part.period;
	a->bridge.reply = (cycle_t)a->cfg.net.reply_latency;
	*out = a;
	return ERR_OK;
}

void apu_free(struct apu *a)
{
	if (!a)
		return;
	gpu_free(a->gpu);
	arena_free(&a->arena);
	free(a);
}

const struct cfg *apu_cfg(const struct apu *a)
{
	return &a->cfg;
}

bool apu_runs(const struct apu *a)
{
	return a->phase != APU_IDLE;
}

const struct apu_result *apu_result(const struct apu *a)
{
	return &a->result;
}

static cycle_t tick_of(const struct apu *a, cycle_t cycle)
{
	return a->bridge.offset + cycle * a->bridge.period;
}

/* The first cycle of the GPU's clock from `now` on, in ticks. */
static cycle_t clock_edge(const struct apu *a, cycle_t now)
{
	return round_up(now, a->bridge.period);
}

/* A run that was cut short leaves a GPU that cannot run again. */
static enum err apu_renew(struct apu *a, struct diag *d)
{
	struct gpu *fresh;

	if (!gpu_broken(a->gpu))
		return ERR_OK;
	if (gpu_new_on(&fresh, &a->cfg, false, &a->bridge.outside, d))
		return d->code;
	gpu_free(a->gpu);
	a->gpu = fresh;
	a->bridge.views = gpu_views(fresh);
	return ERR_OK;
}

static void apu_open(struct apu *a, cycle_t now)
{
	a->phase = a->coherent ? APU_RUNS : APU_OPENS;
	if (!a->coherent)
		bridge_fence(&a->bridge, now);
}

/* The GPU's clock goes on where it stopped, at another tick. */
static void apu_start(struct apu *a, cycle_t now)
{
	a->phase = APU_RUNS;
	a->result.started = now;
	if (a->copies)
		return;
	a->from = gpu_now(a->gpu);
	a->bridge.offset = now - a->from * a->bridge.period;
}

static void apu_enter(struct apu *a, cycle_t now)
{
	a->sent = bridge_sent(&a->bridge);
	a->fences = bridge_fences(&a->bridge);
	a->result = (struct apu_result){ .began = now };
	apu_open(a, now);
	if (a->phase == APU_RUNS)
		apu_start(a, now);
}

enum err apu_begin(struct apu *a, cycle_t now, const struct apu_kernel *k,
		   struct diag *d)
{
	CHECK(a->phase == APU_IDLE);
	a->grid = (struct gpu_grid){ .launch = k->launch,
				     .timed = k->timed,
				     .occupancy = k->occupancy };
	if (apu_renew(a, d) || gpu_begin(a->gpu, &a->grid, 1, NULL, d))
		return d->code;
	a->copies = false;
	apu_enter(a, clock_edge(a, now));
	return ERR_OK;
}

void apu_begin_copy(struct apu *a, cycle_t now, const struct apu_copy *box)
{
	CHECK(a->phase == APU_IDLE);
	a->copies = true;
	copy_begin(&a->engine, box);
	apu_enter(a, clock_edge(a, now));
}

static cycle_t apu_advance_side(struct gpu *g, struct gpu_side side,
				cycle_t from, cycle_t to)
{
	struct gpu_due due = gpu_find_due(g, side, from, to);

	return min_u64(due.next, gpu_advance(g, due, from, to));
}

/* One window of the GPU: as short as the wires allow, since what CGM answers in it
 * is seen in the next one. */
static void apu_window(struct apu *a)
{
	struct gpu *g = a->gpu;
	cycle_t from = a->from, to = gpu_window_end(g, from, 1), next;

	a->bridge.window = from;
	next = apu_advance_side(g, gpu_memory_side(g), from, to);
	if (gpu_memory_done(g, from))
		gpu_merge(g);
	next = min_u64(next, apu_advance_side(g, gpu_sm_side(g), from, to));
	gpu_window_done(g, to, next);
	a->from = next == CYCLE_NEVER ? to : max_u64(next, to);
}

static void apu_leave(struct apu *a, cycle_t now)
{
	a->phase = APU_CLOSES;
	a->result.ended = now;
	if (!a->coherent)
		bridge_fence(&a->bridge, now);
}

static void apu_end(struct apu *a, cycle_t now)
{
	struct gpu_outcome out;

	gpu_end(a->gpu, &out);
	a->result.done = out.end == GPU_DONE;
	a->result.cycles = out.cycles;
	a->result.stats = out.stats;
	a->result.law = out.law;
	/* Of the partition that only passes requests on. */
	memset(&a->result.stats.l2, 0, sizeof(a->result.stats.l2));
	memset(&a->result.stats.dram, 0, sizeof(a->result.stats.dram));
	if (gpu_broken(a->gpu))
		bridge_forget(&a->bridge);
	apu_leave(a, now);
}

static void apu_close(struct apu *a, cycle_t now)
{
	a->phase = APU_IDLE;
	a->result.left = now;
	a->result.fences = bridge_fences(&a->bridge) - a->fences;
	if (!a->coherent)
		a->result.fences += 2 * (uint64_t)a->bridge.ports;
	a->result.requests =
		bridge_sent(&a->bridge) - a->sent - a->result.fences;
}

static cycle_t apu_run(struct apu *a, cycle_t now)
{
	while (!gpu_over(a->gpu) && tick_of(a, a->from) <= now)
		apu_window(a);
	if (!gpu_over(a->gpu))
		return tick_of(a, a->from);
	apu_end(a, now);
	return apu_advance(a, now);
}

static cycle_t apu_run_copy(struct apu *a, cycle_t now)
{
	if (!copy_advance(&a->engine, now))
		return clock_edge(a, now + 1);
	a->result.done = true;
	a->result.cycles = (now - a->result.started) / a->bridge.period;
	apu_leave(a, now);
	return apu_advance(a, now);
}

cycle_t apu_advance(struct apu *a, cycle_t now)
{
	cycle_t soon = clock_edge(a, now + 1);

	if (a->phase == APU_CLOSES) {
		/* After a fault, what is still in flight is nobody's. */
		if (gpu_broken(a->gpu))
			bridge_forget(&a->bridge);
		if (!bridge_is_idle(&a->bridge))
			return soon;
		apu_close(a, now);
	}
	if (a->phase == APU_IDLE)
		return CYCLE_NEVER;
	if (a->phase == APU_OPENS) {
		if (!bridge_is_idle(&a->bridge))
			return soon;
		apu_start(a, clock_edge(a, now));
	}
	return a->copies ? apu_run_copy(a, now) : apu_run(a, now);
}
