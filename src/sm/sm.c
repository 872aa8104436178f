#include "sm/sm.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/fetch.h"
#include "base/pages.h"
#include "sm/core.h"
#include "sm/operands.h"

/* Maximum number of memory instructions in flight: what the LSU accepts. */
static uint32_t memop_bound(const struct cfg *c)
{
	int64_t n = c->mem.kind == CFG_MEM_LATENCY ? c->mem.fifo :
						     c->lsu.pending;

	return (uint32_t)(n + c->sm.subcores * (c->lsu.queue + 2) + SLOTS);
}

struct wire_room sm_room(const struct cfg *cfg, const struct mem_shape *shape,
			 cycle_t window)
{
	struct wire_room r = lsu_room(cfg, shape, window);

	r.in += (uint32_t)cfg->sm.max_blocks;
	r.out += (uint32_t)cfg->sm.max_blocks + 1; /* MSG_WRITTEN */
	return r;
}

static void set_schedulers(struct sm *s, const struct cfg *c)
{
	s->schedulers = (uint32_t)c->sm.schedulers;
	s->subcores = (uint32_t)c->sm.subcores;
	s->issue_width = (uint32_t)c->sm.issue_width;
	s->issue_interval = (cycle_t)c->sm.issue_interval;
	s->exclusive = s->schedulers == s->subcores && s->issue_width == 1;
	s->common = s->exclusive && s->schedulers == COMMON_SCHEDULERS &&
		    s->issue_interval <= 1;
	s->max_slots = (uint32_t)c->sm.max_warps;
	for (uint32_t k = s->schedulers; k < SUBCORES; k++)
		s->next_try[k] = CYCLE_NEVER;
	for (uint32_t k = 0; k < s->schedulers; k++) {
		s->sub_of[k] = (uint8_t)(k * s->subcores / s->schedulers);
		for (uint32_t w = k; w < s->max_slots; w += s->schedulers)
			s->mine[k] |= UINT64_C(1) << w;
		s->sub_warps[s->sub_of[k]] |= s->mine[k];
	}
	for (uint32_t w = 0; w < s->max_slots; w++) {
		s->sched_of[w] = (uint8_t)(w % s->schedulers);
		s->slot[w].sched = s->sched_of[w];
		s->slot[w].sub = s->sub_of[w % s->schedulers];
	}
}

static void set_units(struct sm *s, const struct cfg *c)
{
	for (unsigned u = 0; u < UNIT_COUNT; u++) {
		int64_t n = cfg_pipes(c, (enum unit_class)u);

		s->pipes[u] = (uint8_t)(n > PIPES ? PIPES : n);
		s->hidden_interval[u] = n && s->exclusive;
	}
	s->collect = c->regs.operands == CFG_OPERANDS_COLLECTOR;
	s->reuse = c->regs.reuse && !s->collect;
	s->banks = c->regs.banks > TIMED_BANKS ? TIMED_BANKS :
						 (uint32_t)c->regs.banks;
	s->read_ports = (uint32_t)c->regs.read_ports;
	s->read_cycles = (uint32_t)c->regs.read_cycles;
	s->collectors = (uint32_t)c->regs.collectors;
	s->branch_cycles = (cycle_t)c->lat[LAT_BRANCH].cycles;
	s->barrier_cycles = (cycle_t)c->lat[LAT_BAR].cycles;
	s->barrier_interval = (cycle_t)c->sm.barrier_interval;
	s->meet_cycles = (cycle_t)c->sm.meet;
	s->part_cycles = (cycle_t)c->sm.meet_wait;
	s->indirect_cycles = (cycle_t)c->sm.indirect;
	s->alu_cycles = (cycle_t)c->lat[LAT_ALU].cycles;
	s->queue_cycles = (cycle_t)c->lat[LAT_MEM].cycles;
	s->block_latency = (cycle_t)c->dispatch.block_latency;
	s->acknowledged = lsu_acknowledged(c);
	s->fences = s->env.fences;
	s->fence_written = (cycle_t)c->sm.fence_written;
	s->buffer = (uint32_t)c->front.buffer;
}

static enum err make_ops(struct sm *s, struct arena *a, struct diag *d)
{
	s->op_count = memop_bound(s->env.cfg) + (s->fences ? SLOTS : 0);
	s->ops = arena_new(a, struct memop, s->op_count);
	if (!s->ops)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < s->op_count; i++)
		s->ops[i].next = i + 1 < s->op_count ? i + 1 : NO_OP;
	s->op_free = 0;
	return ERR_OK;
}

/* Words of shared memory within this many bytes never conflict. */
static uint32_t conflict_free_bytes(const struct cfg *c)
{
	if (c->shared.lanes < LANES || c->shared.broadcast == CFG_BROADCAST_ONE)
		return 0;
	return (uint32_t)(c->shared.banks * c->shared.bank_bytes);
}

static enum err make_components(struct sm *s, struct arena *a, struct diag *d)
{
	const struct cfg *c = s->env.cfg;
	struct lsu_env le = { .cfg = c,
			      .shape = s->env.shape,
			      .wires = s->env.wires,
			      .self = s->env.self,
			      .first_partition = s->env.first_partition,
			      .regions = s->env.regions,
			      .st = &s->lsu_st,
			      .l1 = &s->l1_st,
			      .done = sm_mem_done,
			      .near = sm_near_done,
			      .read = sm_mem_read,
			      .ctx = s };
	enum err e = make_ops(s, a, d);

	if (!e && c->sm.scheduler == CFG_SCHEDULER_CCWS) {
		le.missed = sm_mem_missed;
		le.evicted = sm_mem_evicted;
		s->owner = arena_new(a, struct owner, OWNERS);
		if (!s->owner)
			e = fail(d, ERR_NOMEM, "out of memory");
	}
	if (s->env.outside)
		le.came = sm_asked_came;
	if (!e)
		e = lsu_new(&s->lsu, a, &le, d);
	if (!e)
		e = view_new(&s->view, a, lsu_store_bound(c, s->env.epoch),
			     lsu_atomics(c), d);
	if (!e && !c->front.perfect)
		e = front_new(&s->front, a, c, &s->front_st, d);
	if (!e && s->front && s->env.outside)
		front_ask(s->front, sm_ask_code, s);
	if (!e && s->front)
		s->line_shift = front_shift(s->front);
	for (uint32_t k = 0; !e && k < s->schedulers; k++)
		e = sched_init(&s->sched[k], a, c, s->mine[k], d);
	if (!e)
		s->reports = s->env.event || s->sched->ops->stalled;
	return e;
}

enum err sm_new(struct sm **out, struct arena *a, const struct sm_env *env,
		struct diag *d)
{
	struct sm *s = arena_new(a, struct sm, 1);

	if (!s)
		return fail(d, ERR_NOMEM, "out of memory");
	if (env->cfg->sm.dependence == CFG_DEPENDENCE_CONTROL)
		return fail(d, ERR_UNSUPP,
			    "sm.dependence = control: PTX has no control bits, "
			    "and machine code always uses its own; leave it at "
			    "scoreboard");
	s->env = *env;
	s->next = CYCLE_NEVER;
	set_schedulers(s, env->cfg);
	set_units(s, env->cfg);
	s->free_slots = s->max_slots == SLOTS ?
				UINT64_MAX :
				(UINT64_C(1) << s->max_slots) - 1;
	*out = s;
	return make_components(s, a, d);
}

static void drop_grid(struct sm *s, uint32_t id)
{
	struct sm_gridstate *g = s->grids[id];

	if (!g)
		return;
	if (g->owned)
		pages_unmap(g->owned, sm_grid_bytes(&g->grid));
	free(g->heat);
	free(g->details);
	free(g->base);
	sm_hazards_free(g->checks);
	if (g->worker && s->effect == &g->worker->effect)
		s->effect = NULL;
	if (g->worker)
		worker_free(g->worker);
	free(g);
	s->grids[id] = NULL;
	lsu_count_for(s->lsu, id, NULL);
}

void sm_free(struct sm *s)
{
	for (uint32_t i = 0; i < SM_GRIDS; i++)
		if (s->grids[i])
			drop_grid(s, i);
}

void sm_start(struct sm *s, cycle_t now)
{
	memset(&s->st, 0, sizeof(s->st));
	memset(&s->front_st, 0, sizeof(s->front_st));
	memset(&s->lsu_st, 0, sizeof(s->lsu_st));
	memset(&s->l1_st, 0, sizeof(s->l1_st));
	memset(s->reason, 0, sizeof(s->reason));
	memset(s->unit_count, 0, sizeof(s->unit_count));
	s->lanes_off = 0;
	s->details = s->checks = s->many = s->watched = false;
	s->counting = 0;
	s->mark = (struct sm_counts){ 0 };
	lsu_start_counts(s->lsu);
	for (uint32_t k = 0; k < s->schedulers; k++) {
		s->accounted[k] = now;
		sched_start(&s->sched[k]);
	}
	if (s->owner)
		memset(s->owner, 0, OWNERS * sizeof(*s->owner));
	s->start = s->residency_at = s->now = now;
	sm_set_origin(s, now);
	s->idle = (struct idle_time){ .since = now };
	s->bulk_first = s->bulk_sent = s->bulk_end = 0;
	s->bulk_free = 0;
	s->stopped = s->stop_at_end = s->ended = false;
	s->turn = NO_TURN;
	s->throttled = 0;
	s->shared_wanted = 0;
	s->code_top = 0;
}

enum { SCORES = 64 / sizeof(score_t) }; /* in a line of the host's cache */

/* Scoreboard entries of a warp, rounded up to lines of the host's cache. */
static uint32_t scoreboard_stride(const struct timed_program *timed)
{
	return (timed->scoreboard + SCORES) / SCORES * SCORES;
}

static size_t heat_bytes(const struct timed_program *timed)
{
	size_t n = 0;

	for (uint32_t f = 0; f < timed->func_count; f++)
		if (timed->func[f].inst)
			n += timed->func[f].code->func->inst_count + 1;
	return (n * (sizeof(struct sm_heat) + sizeof(uint64_t)) + 63) / 64 * 64;
}

static size_t scoreboard_bytes(const struct timed_program *timed)
{
	return (size_t)SLOTS * scoreboard_stride(timed) * sizeof(score_t);
}

size_t sm_grid_bytes(const struct sm_grid *g)
{
	return scoreboard_bytes(g->timed) + heat_bytes(g->timed) +
	       g->occupancy.blocks * block_bytes(g->launch);
}

static enum err sm_make_heat(struct sm *s, struct sm_gridstate *g, char *heat)
{
	const struct timed_program *timed = g->grid.timed;
	struct sm_heat *at = (struct sm_heat *)heat;

	g->heat = calloc(timed->func_count, sizeof(*g->heat));
	g->base = calloc(timed->func_count, sizeof(*g->base));
	if (!g->heat || !g->base)
		return ERR_NOMEM;
	for (uint32_t f = 0; f < timed->func_count; f++) {
		const struct code *c = timed->func[f].code;

		if (!timed->func[f].inst)
			continue;
		g->base[f] = s->code_top;
		s->code_top += c->func->inst_count;
		g->heat[f] = at;
		at += c->func->inst_count + 1;
	}
	/* Apart from the heat, which every issue touches. */
	g->pool = (struct sm_heat *)heat;
	g->excess = (uint64_t *)at;
	if (!g->grid.details)
		return ERR_OK;
	s->details = true;
	g->details = calloc((size_t)(at - g->pool) + 1, sizeof(*g->details));
	return g->details ? ERR_OK : ERR_NOMEM;
}

size_t sm_grid_local_bytes(const struct sm_grid *g)
{
	return g->occupancy.blocks * block_local_bytes(g->launch);
}

static enum err sm_make_grid(struct sm *s, struct sm_gridstate *g)
{
	const struct timed_program *timed = g->grid.timed;
	size_t scores = scoreboard_bytes(timed), heat = heat_bytes(timed);
	char *pool = g->grid.pool;

	if (!pool)
		pool = g->owned = pages_map(sm_grid_bytes(&g->grid));
	g->worker = worker_new(g->grid.launch, (int)s->env.self);
	if (!pool || !g->worker || sm_make_heat(s, g, pool + scores))
		return ERR_NOMEM;
	/* A warp that enters a function clears its scores. */
	if (g->grid.used)
		memset(pool + scores, 0, heat);
	g->worker->used = g->grid.used;
	g->scoreboard = (score_t *)pool;
	g->stride = scoreboard_stride(timed);
	g->worker->pool = pool + scores + heat;
	g->worker->pool_bytes =
		g->grid.occupancy.blocks * block_bytes(g->grid.launch);
	g->worker->local = g->grid.local;
	if (g->grid.local)
		g->worker->local_bytes = sm_grid_local_bytes(&g->grid);
	worker_set_view(g->worker, s->view);
	s->effect = &g->worker->effect;
	g->worker->effect.near_bytes = conflict_free_bytes(s->env.cfg);
	g->worker->effect.near_word = (uint32_t)s->env.cfg->shared.bank_bytes;
	g->worker->effect.near_pairs = s->env.cfg->shared.pairs;
	g->worker->effect.takes_halves = lsu_takes_halves(s->env.cfg);
	g->worker->effect.takes_texels = s->env.cfg->tex.lookup;
	g->worker->effect.takes_sizes = s->env.cfg->system.malloc_cycles > 0;
	g->worker->smid = s->env.self;
	g->worker->clock_mhz = (uint64_t)s->env.cfg->gpu.clock;
	if (!s->env.cfg->sm.hazards)
		return ERR_OK;
	g->checks = sm_hazards_new(timed);
	s->checks = s->watched = true;
	return g->checks ? ERR_OK : ERR_NOMEM;
}

/* Starts the caches for another grid, whose shared memory is taken out of an
 * adaptive L1. Caches are emptied here, so that an SM without work costs
 * nothing. */
static void start_caches(struct sm *s, const struct occupancy *o, bool first)
{
	uint64_t before = s->shared_wanted;

	s->shared_wanted += o->share.shared * o->blocks;
	if (s->shared_wanted > (uint64_t)s->env.cfg->sm.shared)
		s->shared_wanted = (uint64_t)s->env.cfg->sm.shared;
	if (first && s->front)
		front_start(s->front);
	if (lsu_idle(s->lsu) && (first || s->shared_wanted != before))
		lsu_start(s->lsu, s->shared_wanted);
}

/* The code from the kernel's first instruction on. */
static void launch_code(struct sm *s, const struct sm_gridstate *g)
{
	const struct timed_program *timed = g->grid.timed;

	for (uint32_t f = 0; s->front && f < timed->func_count; f++)
		if (timed->func[f].code == g->grid.launch->kernel)
			front_launch(s->front, g->base[f] >> s->line_shift,
				     (s->code_top - 1) >> s->line_shift,
				     g->grid.sms);
}

enum err sm_attach(struct sm *s, uint32_t id, const struct sm_grid *grid,
		   struct diag *d)
{
	struct sm_gridstate *g = calloc(1, sizeof(*g));
	bool first = !s->code_top;

	CHECK(id < SM_GRIDS && !s->grids[id]);
	if (!g)
		return fail(d, ERR_NOMEM, "out of memory");
	s->grids[id] = g;
	s->many = !first;
	s->watched = s->watched || s->many;
	lsu_count_for(s->lsu, id, &g->own.memory);
	g->grid = *grid;
	if (sm_make_grid(s, g)) {
		drop_grid(s, id);
		return fail(d, ERR_NOMEM, "out of memory");
	}
	if (s->front)
		front_code(s->front, (s->code_top >> s->line_shift) + 2);
	s->max_steps = grid->launch->machine->max_steps;
	start_caches(s, &grid->occupancy, first);
	launch_code(s, g);
	return ERR_OK;
}

/* Drops the blocks of the grid that have not ended, after a fault or a stop. */
static void abandon_blocks(struct sm *s, uint32_t id)
{
	for (uint32_t b = 0; b < BLOCKS; b++) {
		struct resident *r = &s->block[b];

		if (!r->block || r->grid != id)
			continue;
		worker_retire(r->worker, r->block);
		r->block = NULL;
	}
}

void sm_detach(struct sm *s, uint32_t id)
{
	if (!s->grids[id])
		return;
	abandon_blocks(s, id);
	drop_grid(s, id);
}

void sm_stop_at_end(struct sm *s)
{
	s->stop_at_end = true;
}

bool sm_ended(const struct sm *s)
{
	return s->ended;
}

struct view *sm_view(struct sm *s)
{
	return s->view;
}

bool sm_idle(const struct sm *s)
{
	return !s->blocks && lsu_idle(s->lsu);
}

void sm_prefetch(const struct sm *s)
{
	fetch_early(s, offsetof(struct sm, env));
}

void sm_prefetch_slots(const struct sm *s)
{
	for (uint64_t left = s->live; left; left &= left - 1)
		fetch_early(&s->slot[__builtin_ctzll(left)], 2 * FETCH_LINE);
	for (uint32_t k = 0; k < s->schedulers; k++)
		fetch_early(&s->sched[k], sizeof(s->sched[k]));
	fetch_early(s->view, offsetof(struct view, newest));
	if (s->effect)
		fetch_early(s->effect, offsetof(struct effect, addr));
	lsu_prefetch(s->lsu);
}

void sm_prefetch_warps(const struct sm *s)
{
	lsu_prefetch_queues(s->lsu);
	for (uint64_t left = s->live; left; left &= left - 1) {
		const struct slot *p = &s->slot[__builtin_ctzll(left)];

		if (!p->next)
			continue;
		fetch_early(p->warp, 2 * FETCH_LINE);
		fetch_early(&p->heat[p->pc], 1);
		fetch_early(&p->ready[p->next->reg[0]], 2 * FETCH_LINE);
		/* One that waits for memory may not issue in this window. */
		if (p->wait != REASON_MEMORY || p->wake != CYCLE_NEVER)
			fetch_operands(p);
	}
}

void sm_prefetch_mail(const struct sm *s, cycle_t to)
{
	lsu_prefetch_mshrs(s->lsu, to);
}

void sm_prefetch_mail_more(const struct sm *s, cycle_t to)
{
	lsu_prefetch_fills(s->lsu, to);
}

static void account_all(struct sm *s, cycle_t t)
{
	s->idle.known = s->env.phases->count;
	s->idle.end_known = true;
	for (uint32_t k = 0; k < s->schedulers; k++)
		sm_account(s, k, t);
	sm_residency(s, t);
	sm_count_calls(s, t);
	s->st.instructions = s->st.served;
	for (unsigned u = 0; u < UNIT_COUNT; u++)
		s->st.instructions += s->unit_count[u];
	s->st.lanes = LANES * s->st.instructions - s->lanes_off;
	s->reason[REASON_ISSUED] =
		s->st.instructions - s->st.served - s->st.dual;
	s->st.cycles = t - s->start;
	s->st.slots = s->st.cycles * s->schedulers;
}

void sm_finish(struct sm *s, cycle_t end)
{
	account_all(s, end);
	sm_report_rest(s, end);
}

void sm_share_regions(struct sm *s, bitmap_word *known)
{
	lsu_share_regions(s->lsu, known);
}

void sm_stats(struct sm *s, cycle_t now, struct stats *out)
{
	account_all(s, now);
	out->sm = s->st;
	out->front = s->front_st;
	out->lsu = s->lsu_st;
	out->l1 = s->l1_st;
	memcpy(out->reason, s->reason, sizeof(s->reason));
	memcpy(out->unit, s->unit_count, sizeof(s->unit_count));
}

uint64_t sm_issued(const struct sm *s)
{
	return s->st.instructions;
}

cycle_t sm_last(const struct sm *s)
{
	return s->now;
}

const struct sm_heat *sm_heat(const struct sm *s, uint32_t grid, uint32_t func)
{
	return s->grids[grid] ? s->grids[grid]->heat[func] : NULL;
}

const uint64_t *sm_excess(const struct sm *s, uint32_t grid, uint32_t func)
{
	const struct sm_gridstate *g = s->grids[grid];

	return g && g->heat[func] ? g->excess + (g->heat[func] - g->pool) :
				    NULL;
}

const struct sm_detail *sm_detail(const struct sm *s, uint32_t grid,
				  uint32_t func)
{
	const struct sm_gridstate *g = s->grids[grid];

	if (!g || !g->details || !g->heat[func])
		return NULL;
	return g->details + (g->heat[func] - g->pool);
}

const char *sm_broken_law(const struct sm *s)
{
	uint64_t sum = 0;

	for (unsigned r = 0; r < REASON_COUNT; r++)
		sum += s->reason[r];
	if (sum != s->st.slots)
		return "the reasons of an SM's schedulers add up to its slots";
	return lsu_broken_law(s->lsu);
}
