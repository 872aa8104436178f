#include "simt/wave.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/isa.h"
#include "base/clock.h"
#include "base/minmax.h"
#include "base/pages.h"
#include "simt/crew.h"
#include "simt/program.h"
#include "simt/view.h"

/*
 * GROUP_TURN: instructions before a work-group is suspended for another one on
 * its thread. WAVE_TURN: instructions of a wave before the next one's turn.
 * HELP: instructions after which the launch is long enough for other threads.
 * PARKED_MAX: maximum number of suspended work-groups of a thread.
 */
enum { GROUP_TURN = 1 << 20, WAVE_TURN = 1 << 14, HELP = 1 << 13 };
enum { PARKED_MAX = 4096, ALIGN = 64 };

static const struct wave_isa *wave_isa_of(const struct launch *l)
{
	return l->program->isa->waves;
}

enum unit_class wave_unit_class(const struct wave_op *op)
{
	static const uint8_t units[WAVE_UNITS] = {
		[WAVE_VALU] = UNIT_FP32,     [WAVE_SALU] = UNIT_UNIFORM,
		[WAVE_SMEM] = UNIT_UNIFORM,  [WAVE_VMEM] = UNIT_LSU,
		[WAVE_LDS] = UNIT_LSU,       [WAVE_EXPORT] = UNIT_LSU,
		[WAVE_BRANCH] = UNIT_BRANCH, [WAVE_SPECIAL] = UNIT_BRANCH,
	};
	static const uint8_t rates[WAVE_RATES] = {
		[WAVE_FULL] = UNIT_FP32,
		[WAVE_QUARTER] = UNIT_SFU,
		[WAVE_F64_ADD] = UNIT_FP64,
		[WAVE_F64_MUL] = UNIT_FP64,
	};

	return (enum unit_class)(op->unit == WAVE_VALU ? rates[op->passes] :
							 units[op->unit]);
}

/* ---- work-groups ------------------------------------------------------- */

static size_t aligned(size_t n)
{
	return (n + ALIGN - 1) / ALIGN * ALIGN;
}

/* Bytes of a wave's registers. An odd number of lines apart, so that the same
 * registers of several waves do not compete for a set of the host's cache. */
static size_t register_bytes(const struct launch *l)
{
	const struct wave_code *c = wave_isa_of(l)->code(l->program);
	size_t vectors = (size_t)c->vectors * WAVE_LANES * 4;

	return aligned(vectors) + WAVE_SCALARS * 4 + ALIGN;
}

static void place_waves(struct workgroup *g, char *at)
{
	const struct launch *l = g->launch;
	const struct wave_code *c = wave_isa_of(l)->code(l->program);
	size_t each = register_bytes(l);

	for (uint32_t i = 0; i < g->wave_count; i++) {
		struct wave *w = &g->waves[i];
		char *regs = at + i * each;

		*w = (struct wave){ .group = g,
				    .index = i,
				    .v = (uint32_t *)regs,
				    .v_count = c->vectors,
				    .effect = &g->worker->effect,
				    .view = g->worker->view,
				    .tells = g->worker->view || l->hooks };
		w->s = w->v + (size_t)c->vectors * WAVE_LANES;
	}
}

static struct workgroup *workgroup_new(struct wave_worker *wk)
{
	const struct launch *l = wk->launch;
	struct workgroup *g = calloc(1, sizeof(*g));
	size_t waves, lds = aligned(l->shared_bytes), bytes;
	char *at;

	if (!g)
		return NULL;
	g->launch = wk->launch;
	g->worker = wk;
	g->number = wk->groups++;
	g->wave_count = l->warps_per_block;
	g->lds_bytes = l->shared_bytes;
	g->scratch_bytes = wave_scratch_bytes(l);
	waves = aligned(g->wave_count * sizeof(struct wave));
	bytes = waves + lds + g->wave_count * register_bytes(l);
	at = aligned_alloc(ALIGN, aligned(bytes));
	g->slab = at;
	if (g->scratch_bytes)
		g->scratch = pages_map_small(g->scratch_bytes * g->wave_count);
	if (!at || (g->scratch_bytes && !g->scratch)) {
		free(at);
		free(g);
		return NULL;
	}
	g->waves = (struct wave *)at;
	g->lds = at + waves;
	place_waves(g, g->lds + lds);
	return g;
}

static void workgroup_free(struct workgroup *g)
{
	if (g->tape)
		g->launch->hooks->drop_group(g);
	pages_unmap(g->scratch, g->scratch_bytes * g->wave_count);
	free(g->slab);
	free(g);
}

static void start_wave(struct wave *w)
{
	const struct wave_isa *isa = wave_isa_of(w->group->launch);

	memset(w->v, 0, (size_t)w->v_count * WAVE_LANES * 4);
	memcpy(w->s, isa->constants, WAVE_SCALARS * 4);
	w->steps = w->lane_steps = 0;
	w->state = WAVE_RUNNING;
	w->mode = 0;
	isa->start(w);
}

struct workgroup *workgroup_start(struct wave_worker *wk, uint64_t index)
{
	const struct launch *l = wk->launch;
	struct workgroup *g = wk->free_groups;

	if (g)
		wk->free_groups = g->next;
	else
		g = workgroup_new(wk);
	if (!g)
		return NULL;
	g->index = index;
	g->id[0] = (uint32_t)(index % l->grid[0]);
	g->id[1] = (uint32_t)(index / l->grid[0] % l->grid[1]);
	g->id[2] = (uint32_t)(index / l->grid[0] / l->grid[1]);
	g->live = g->wave_count;
	g->arrived = g->releases = g->next_wave = 0;
	memset(g->lds, 0, g->lds_bytes);
	for (uint32_t i = 0; i < g->wave_count; i++)
		start_wave(&g->waves[i]);
	if (l->hooks)
		l->hooks->start_group(l->hooks, g);
	return g;
}

void workgroup_retire(struct wave_worker *wk, struct workgroup *g)
{
	struct launch *l = wk->launch;
	uint64_t steps = 0, lanes = 0;

	if (l->hooks)
		l->hooks->end_group(l->hooks, g, !g->live);
	for (uint32_t i = 0; i < g->wave_count; i++) {
		steps += g->waves[i].steps;
		lanes += g->waves[i].lane_steps;
	}
	atomic_fetch_add_explicit(&l->steps, steps, memory_order_relaxed);
	atomic_fetch_add_explicit(&l->lane_steps, lanes, memory_order_relaxed);
	atomic_fetch_add_explicit(&l->blocks_done, g->live ? 0 : 1,
				  memory_order_relaxed);
	g->next = wk->free_groups;
	wk->free_groups = g;
}

struct wave_worker *wave_worker_new(struct launch *l, int index)
{
	struct wave_worker *wk = calloc(1, sizeof(*wk));

	if (!wk)
		return NULL;
	wk->launch = l;
	wk->index = index;
	return wk;
}

void wave_worker_free(struct wave_worker *wk)
{
	struct workgroup *g;

	while (wk && (g = wk->free_groups)) {
		wk->free_groups = g->next;
		workgroup_free(g);
	}
	free(wk);
}

uint64_t wave_scratch_bytes(const struct launch *l)
{
	return (uint64_t)l->kernel->local_bytes * WAVE_LANES;
}

uint64_t wave_scratch_address(const struct wave *w)
{
	const struct workgroup *g = w->group;
	uint64_t place = (uint64_t)g->worker->index * PARKED_MAX + g->number;

	return WAVE_SCRATCH +
	       (place * g->wave_count + w->index) * g->scratch_bytes;
}

uint64_t wave_code_address(const struct launch *l)
{
	return l->code ? l->code : wave_isa_of(l)->code(l->program)->base;
}

uint64_t wave_pc_address(const struct wave *w)
{
	const struct launch *l = w->group->launch;

	return wave_code_address(l) + w->pc->at;
}

void wave_demand(struct wave_demand *out, const struct launch *l)
{
	wave_isa_of(l)->demand(out, l);
}

/* ---- for executors ----------------------------------------------------- */

static void release(struct workgroup *g)
{
	g->arrived = 0;
	g->releases++;
	for (uint32_t i = 0; i < g->wave_count; i++)
		if (g->waves[i].state == WAVE_AT_BARRIER)
			g->waves[i].state = WAVE_RUNNING;
}

void wave_barrier(struct wave *w)
{
	w->state = WAVE_AT_BARRIER;
	if (++w->group->arrived == w->group->live)
		release(w->group);
}

/* A wave that has ended is not waited for. */
void wave_end(struct wave *w)
{
	struct workgroup *g = w->group;

	w->state = WAVE_ENDED;
	g->live--;
	if (g->live && g->arrived == g->live)
		release(g);
}

static bool is_earlier(const struct fault *now, const struct wave *w)
{
	uint64_t cycle = w->view ? w->view->now : 0;

	return now->kind == FAULT_NONE || cycle < now->clock ||
	       (cycle == now->clock && w->view &&
		(uint32_t)w->group->worker->index < now->smid);
}

static void place_fault(struct fault *f, const struct wave *w, unsigned lane)
{
	const struct workgroup *g = w->group;
	const struct launch *l = g->launch;
	const struct wave_op *op = w->pc - 1;
	uint32_t item = w->index * WAVE_LANES + lane;

	memcpy(f->block, g->id, sizeof(f->block));
	f->thread[0] = item % l->block[0];
	f->thread[1] = item / l->block[0] % l->block[1];
	f->thread[2] = item / l->block[0] / l->block[1];
	f->warp = w->index;
	f->lane = lane;
	f->func = &l->program->funcs[op->func];
	f->inst = op->index;
}

void wave_fault(struct wave *w, enum fault_kind kind, unsigned lane,
		uint64_t address, const char *format, ...)
{
	struct launch *l = w->group->launch;
	va_list ap;

	w->state = WAVE_FAULTED;
	pthread_mutex_lock(&l->lock);
	if (is_earlier(&l->fault, w)) {
		l->fault.kind = kind;
		l->fault.clock = w->view ? w->view->now : 0;
		l->fault.smid = (uint32_t)w->group->worker->index;
		l->fault.address = address;
		place_fault(&l->fault, w, lane);
		va_start(ap, format);
		vsnprintf(l->fault.text, sizeof(l->fault.text), format, ap);
		va_end(ap);
	}
	pthread_mutex_unlock(&l->lock);
	atomic_store_explicit(&l->ended, true, memory_order_relaxed);
}

/* ---- without time ------------------------------------------------------ */

static void run_wave(struct wave *w, uint64_t budget)
{
	uint64_t end = w->steps + budget;
	uint64_t max = w->group->launch->machine->max_steps;

	while (w->state == WAVE_RUNNING && w->steps < end)
		wave_step(w);
	if (w->state == WAVE_RUNNING && w->steps >= max) {
		w->pc++;
		wave_fault(w, FAULT_LOOP, 0, 0,
			   "the wave has executed %llu instructions",
			   (unsigned long long)w->steps);
	}
}

enum group_state { GROUP_DONE, GROUP_PARKED, GROUP_FAULT };

/* Runs the waves in turn; true: one of them has executed something. */
static enum group_state group_run_group(struct workgroup *g, uint64_t budget)
{
	uint64_t used = 0;

	while (g->live && used < budget) {
		for (uint32_t i = 0; i < g->wave_count; i++) {
			struct wave *w = &g->waves[i];
			uint64_t before = w->steps;

			if (w->state != WAVE_RUNNING)
				continue;
			run_wave(w, min_u64(WAVE_TURN, budget));
			used += w->steps - before;
			if (w->state == WAVE_FAULTED)
				return GROUP_FAULT;
		}
		if (atomic_load_explicit(&g->launch->ended,
					 memory_order_relaxed))
			return GROUP_FAULT;
	}
	return g->live ? GROUP_PARKED : GROUP_DONE;
}

struct group_queue {
	struct workgroup *first, *last;
	uint32_t count;
};

static void group_park(struct group_queue *q, struct workgroup *g)
{
	g->next = NULL;
	if (q->last)
		q->last->next = g;
	else
		q->first = g;
	q->last = g;
	q->count++;
}

static struct workgroup *group_unpark(struct group_queue *q)
{
	struct workgroup *g = q->first;

	if (g) {
		q->first = g->next;
		if (!q->first)
			q->last = NULL;
		q->count--;
	}
	return g;
}

static struct workgroup *next_group(struct wave_worker *wk,
				    const struct group_queue *q)
{
	struct launch *l = wk->launch;
	struct workgroup *g;
	uint64_t index;

	if (q->count >= PARKED_MAX)
		return NULL;
	index = atomic_fetch_add_explicit(&l->next_block, 1,
					  memory_order_relaxed);
	if (index >= l->block_count)
		return NULL;
	g = workgroup_start(wk, index);
	if (!g) {
		atomic_store(&l->no_memory, true);
		atomic_store(&l->ended, true);
	}
	return g;
}

/* Opens the launch to helpers once it is known to be long. */
static bool group_stay_alone(struct launch *l)
{
	uint64_t next = atomic_load(&l->next_block);

	if (atomic_load_explicit(&l->steps, memory_order_relaxed) < HELP)
		return true;
	if (next < l->block_count)
		crew_open(l->machine->crew, l,
			  (uint32_t)min_u64(l->block_count - next, UINT32_MAX));
	return false;
}

static void group_report(struct launch *l, double *next)
{
	double now;

	if (!l->progress)
		return;
	now = clock_seconds();
	if (now < *next)
		return;
	*next = now + 0.1;
	l->progress(l->ctx, atomic_load(&l->blocks_done), l->block_count,
		    atomic_load(&l->steps));
}

static void work(struct wave_worker *wk)
{
	struct launch *l = wk->launch;
	struct group_queue q = { 0 };
	struct workgroup *g;
	bool alone = wk->index == 0 && l->machine->threads > 1 &&
		     l->block_count > 1;
	double next = l->progress ? clock_seconds() + 0.1 : 0;

	while (!atomic_load_explicit(&l->ended, memory_order_relaxed) &&
	       ((g = next_group(wk, &q)) || (g = group_unpark(&q)))) {
		enum group_state s =
			group_run_group(g, alone ? HELP : GROUP_TURN);

		if (s == GROUP_PARKED)
			group_park(&q, g);
		else
			workgroup_retire(wk, g);
		if (alone)
			alone = s != GROUP_PARKED && group_stay_alone(l);
		if (wk->index == 0)
			group_report(l, &next);
		if (atomic_load_explicit(&l->machine->stop,
					 memory_order_relaxed))
			atomic_store(&l->ended, true);
	}
	while ((g = group_unpark(&q)))
		workgroup_retire(wk, g);
}

bool wave_join(struct launch *l, uint32_t index)
{
	struct wave_worker *wk = wave_worker_new(l, (int)index);

	if (!wk)
		return false;
	work(wk);
	wave_worker_free(wk);
	return true;
}
