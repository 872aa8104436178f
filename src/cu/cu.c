#include "cu/cu.h"

#include <stdlib.h>
#include <string.h>

#include "arch/isa.h"
#include "base/minmax.h"
#include "cu/core.h"

/* ---- bounds -------------------------------------------------------------- */

static uint32_t cluster_units(const struct cfg *c)
{
	return (uint32_t)c->cu.cluster;
}

/* Requests in flight that will be answered. */
static uint32_t answers_bound(const struct cfg *c)
{
	uint32_t unit = cu_op_bound(c) * CU_PARTS;
	uint32_t shared = CU_SLOTS + (uint32_t)c->cu.scalar_mshrs;

	return cluster_units(c) * (unit + shared);
}

struct wire_room cu_room(const struct cfg *cfg, const struct mem_shape *shape,
			 cycle_t window)
{
	uint64_t credits = shape->partitions * (uint64_t)cfg->net.queue;
	uint64_t groups =
		(uint64_t)cluster_units(cfg) * (uint64_t)cfg->sm.max_blocks;

	return (struct wire_room){
		/* A unit looks up a line a cycle, a batch ahead. */
		.out = (uint32_t)(credits + groups +
				  2 * (window + CU_BATCH) *
					  (cluster_units(cfg) + 1u)),
		.in = (uint32_t)(min_u64(answers_bound(cfg), UINT32_MAX / 2) +
				 credits + groups),
	};
}

cycle_t cu_horizon(const struct cfg *cfg)
{
	/* The longest message passes the port in so many cycles. */
	uint64_t most = CHUNK_BYTES + (uint64_t)cfg->net.header +
			(uint64_t)cfg->net.write_extra;

	return (cycle_t)(cfg->l1.miss_latency + cfg->net.request_latency) +
	       2 * CU_BATCH + 2 * most / (uint64_t)cfg->net.sm_out + 4 +
	       (cycle_t)cluster_units(cfg) * CU_SLOTS;
}

/* Lines that the stores of an epoch can touch. */
static uint32_t store_bound(const struct cfg *c, cycle_t epoch)
{
	return cluster_units(c) *
	       (2 * (uint32_t)epoch + ((uint32_t)c->lsu.queue + 2) * CU_PARTS);
}

/* ---- creation ------------------------------------------------------------ */

static void set_rates(struct cu_cluster *x, const struct cfg *c)
{
	cycle_t simple = (cycle_t)(c->sm.warp_size / c->sm.simd_width);

	x->vector_cycles[WAVE_FULL] = simple;
	x->vector_cycles[WAVE_QUARTER] = simple * (cycle_t)c->cu.quarter;
	x->vector_cycles[WAVE_F64_ADD] = simple * (cycle_t)c->cu.f64_add;
	x->vector_cycles[WAVE_F64_MUL] = simple * (cycle_t)c->cu.f64_mul;
}

static void set_memory(struct cu_cluster *x, const struct cfg *c)
{
	x->address_cycles = (cycle_t)c->lat[LAT_MEM].cycles;
	x->hit_after = (cycle_t)c->l1.hit_latency - x->address_cycles;
	x->lead = (cycle_t)c->l1.miss_latency - x->address_cycles;
	x->fill_latency = (cycle_t)c->l1.fill_latency;
	x->request_latency = (cycle_t)c->net.request_latency;
	x->atomic_return = (cycle_t)(c->l1.atomic_return ? c->l1.atomic_return :
							   c->l1.fill_latency);
	x->store_after = (cycle_t)(c->l2.hit_latency + c->net.reply_latency);
	x->header = (uint32_t)c->net.header;
	x->write_extra = (uint32_t)c->net.write_extra;
	x->group_lanes = (uint32_t)c->cu.address_lanes;
	x->queue_max = (uint32_t)c->lsu.queue;
	x->pending_max = (uint32_t)c->lsu.pending;
	x->mshrs = (uint32_t)c->l1.mshrs;
	x->scalar_width = (uint32_t)c->cu.scalar_width;
	x->scalar_latency = (cycle_t)c->cu.scalar_latency;
	x->lds_lanes = (uint32_t)c->shared.lanes;
	x->lds_banks = (uint32_t)c->shared.banks;
	x->lds_bank_shift =
		(uint32_t)__builtin_ctzll((uint64_t)c->shared.bank_bytes);
	x->lds_latency = (cycle_t)c->shared.latency;
	x->lds_conflict = (cycle_t)c->shared.conflict;
	x->lds_atomic = (cycle_t)c->shared.atomic;
	x->lds_queue =
		(cycle_t)c->lsu.queue * (cycle_t)(WAVE_LANES / c->shared.lanes);
}

static void cu_set_parameters(struct cu_cluster *x, const struct cfg *c)
{
	x->units = cluster_units(c);
	x->simds = CU_SIMDS;
	x->width = (uint32_t)c->sm.issue_width;
	x->simd_waves = (uint32_t)c->sm.max_warps / CU_SIMDS;
	x->max_groups = (uint32_t)c->sm.max_blocks;
	x->max_barriers = (uint32_t)c->cu.barriers;
	x->scalar_cycles = (cycle_t)c->cu.scalar_cycles;
	x->branch_cycles = (cycle_t)c->lat[LAT_BRANCH].cycles;
	x->barrier_cycles = (cycle_t)c->lat[LAT_BAR].cycles;
	x->fetch_bytes = (uint32_t)c->cu.fetch_bytes;
	x->buffer_bytes = (uint32_t)c->cu.buffer_bytes;
	x->fetch_cycles = (cycle_t)c->cu.fetch_cycles;
	x->block_latency = (cycle_t)c->dispatch.block_latency;
	set_rates(x, c);
	set_memory(x, c);
}

static enum err new_l1(struct cu_unit *u, struct arena *a, const struct cfg *c,
		       struct diag *d)
{
	const struct tags_cfg k = {
		.bytes = (uint64_t)c->l1.bytes,
		.line_bytes = (uint32_t)c->l1.line,
		.sector_bytes = (uint32_t)c->l1.line,
		.ways = (uint32_t)c->l1.ways,
		.mshrs = (uint32_t)c->l1.mshrs,
		.merges = (uint32_t)c->l1.merges,
		.replace = c->l1.replace,
		.hash = c->l1.hash == CFG_HASH_NONE ? MAP_NONE : MAP_XOR,
		.unnamed_victims = true,
	};

	return cu_cache_new(&u->l1, a, &k, d);
}

static enum err new_unit(struct cu_cluster *x, uint32_t index, struct arena *a,
			 struct diag *d)
{
	const struct cfg *c = x->env.cfg;
	struct cu_unit *u = &x->unit[index];
	uint32_t n = cu_op_bound(c);

	u->cluster = x;
	u->index = index;
	u->next = u->memory_next = CYCLE_NEVER;
	u->lds = (uint64_t)c->sm.shared;
	for (unsigned k = 0; k < CU_SIMDS; k++) {
		u->simd[k].next = CYCLE_NEVER;
		for (unsigned i = 0; i < CU_WAVES; i++)
			u->simd[k].at[i] = CYCLE_NEVER;
		u->vectors[k] = (uint32_t)(c->sm.registers / CU_SIMDS /
					   c->sm.warp_size);
		u->scalars[k] = (uint32_t)c->cu.scalars;
	}
	u->ops = arena_room(a, struct cu_op, n);
	u->queue = arena_new(a, uint32_t, n);
	u->queue_room = n;
	if (!u->ops || !u->queue)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < n; i++)
		u->ops[i].next = i + 1 < n ? i + 1 : UINT32_MAX;
	u->port_out = port_of((uint64_t)c->net.sm_out);
	u->port_in = port_of((uint64_t)c->net.sm_in);
	return new_l1(u, a, c, d);
}

static enum err new_tables(struct cu_cluster *x, struct arena *a,
			   struct diag *d)
{
	const struct cfg *c = x->env.cfg;
	uint32_t atomics = 2 * x->units * cu_op_bound(c);

	x->unit = arena_new(a, struct cu_unit, x->units);
	x->waiting = arena_new(a, struct cu_waiting, x->units * x->max_groups);
	x->atomic_op = arena_new(a, uint32_t, atomics);
	x->atomic_unit = arena_new(a, uint8_t, atomics);
	if (!x->unit || !x->waiting || !x->atomic_op || !x->atomic_unit)
		return fail(d, ERR_NOMEM, "out of memory");
	return view_new(&x->view, a, store_bound(c, x->env.epoch), atomics, d);
}

enum err cu_new(struct cu_cluster **out, struct arena *a,
		const struct sm_env *env, struct diag *d)
{
	struct cu_cluster *x = arena_new(a, struct cu_cluster, 1);

	if (!x)
		return fail(d, ERR_NOMEM, "out of memory");
	x->env = *env;
	x->next = CYCLE_NEVER;
	cu_set_parameters(x, env->cfg);
	*out = x;
	if (new_tables(x, a, d) || cu_caches_new(x, a, d))
		return d->code;
	for (uint32_t i = 0; i < x->units; i++)
		if (new_unit(x, i, a, d))
			return d->code;
	return ERR_OK;
}

/* ---- grids --------------------------------------------------------------- */

static void cu_drop_grid(struct cu_cluster *x, uint32_t id)
{
	struct cu_gridstate *g = x->grids[id];

	if (!g)
		return;
	if (g->worker)
		wave_worker_free(g->worker);
	free(g->heat);
	free(g->pool);
	free(g->excess);
	free(g->details);
	free(g);
	x->grids[id] = NULL;
}

void cu_free(struct cu_cluster *x)
{
	for (uint32_t i = 0; i < SM_GRIDS; i++)
		cu_drop_grid(x, i);
}

/* Nothing that the caller could allocate for all clusters at once. */
size_t cu_grid_bytes(const struct sm_grid *g)
{
	(void)g;
	return 64;
}

size_t cu_grid_local_bytes(const struct sm_grid *g)
{
	(void)g;
	return 64;
}

void cu_start(struct cu_cluster *x, cycle_t now)
{
	memset(&x->counts, 0, sizeof(x->counts));
	memset(&x->mark, 0, sizeof(x->mark));
	memset(x->reason, 0, sizeof(x->reason));
	x->start = x->residency_at = x->now = now;
	x->stopped = x->stop_at_end = x->ended = false;
	x->details = x->many = false;
	x->counting = 0;
	for (uint32_t i = 0; i < x->units; i++) {
		struct cu_unit *u = &x->unit[i];

		u->idle = (struct idle_time){ .since = now };
		u->idle_at = now;
		u->order = 0;
	}
}

static enum err cu_make_tables(struct cu_gridstate *g)
{
	const struct program *p = g->grid.launch->program;
	size_t n = 0;

	for (uint32_t f = 0; f < p->func_count; f++)
		n += p->funcs[f].inst_count + 1;
	g->heat = calloc(p->func_count + 1, sizeof(*g->heat));
	g->pool = calloc(n + 1, sizeof(*g->pool));
	g->excess = calloc(n + 1, sizeof(*g->excess));
	if (g->grid.details)
		g->details = calloc(n + 1, sizeof(*g->details));
	if (!g->heat || !g->pool || !g->excess ||
	    (g->grid.details && !g->details))
		return ERR_NOMEM;
	n = 0;
	for (uint32_t f = 0; f < p->func_count; f++) {
		g->heat[f] = g->pool + n;
		n += p->funcs[f].inst_count + 1;
	}
	return ERR_OK;
}

static enum err cu_make_grid(struct cu_cluster *x, struct cu_gridstate *g)
{
	g->worker = wave_worker_new(g->grid.launch, (int)x->env.self);
	if (!g->worker || cu_make_tables(g))
		return ERR_NOMEM;
	g->worker->view = x->view;
	wave_demand(&g->demand, g->grid.launch);
	x->details = x->details || g->grid.details;
	x->max_steps = g->grid.launch->machine->max_steps;
	x->prefetch = g->grid.launch->program->isa->waves->prefetch;
	return ERR_OK;
}

static void empty_caches(struct cu_cluster *x)
{
	tags_invalidate_all(x->code.tags);
	tags_invalidate_all(x->scalar.tags);
	for (uint32_t i = 0; i < x->units; i++)
		tags_invalidate_all(x->unit[i].l1.tags);
}

enum err cu_attach(struct cu_cluster *x, uint32_t id,
		   const struct sm_grid *grid, struct diag *d)
{
	struct cu_gridstate *g = calloc(1, sizeof(*g));

	CHECK(id < SM_GRIDS && !x->grids[id]);
	if (!g)
		return fail(d, ERR_NOMEM, "out of memory");
	x->grids[id] = g;
	g->grid = *grid;
	if (cu_make_grid(x, g)) {
		cu_drop_grid(x, id);
		return fail(d, ERR_NOMEM, "out of memory");
	}
	x->many = id > 0;
	if (!id)
		empty_caches(x);
	return ERR_OK;
}

/* Drops the groups of the grid that have not ended, after a fault or a stop. */
static void abandon_groups(struct cu_cluster *x, uint32_t id)
{
	for (uint32_t i = 0; i < x->units; i++)
		for (uint32_t g = 0; g < CU_GROUPS; g++) {
			struct cu_resident *r = &x->unit[i].group[g];

			if (!r->group || r->grid != id)
				continue;
			workgroup_retire(x->grids[id]->worker, r->group);
			r->group = NULL;
		}
}

void cu_detach(struct cu_cluster *x, uint32_t id)
{
	if (!x->grids[id])
		return;
	abandon_groups(x, id);
	cu_drop_grid(x, id);
}

/* ---- time ---------------------------------------------------------------- */

static void unit_advance(struct cu_unit *u, cycle_t t)
{
	unsigned k = (unsigned)t & (CU_SIMDS - 1);

	if (u->memory_next <= t)
		cu_memory_advance(u, t);
	if (u->simd[k].next <= t)
		cu_issue(u, k, t);
	u->next = u->memory_next;
	for (k = 0; k < CU_SIMDS; k++)
		u->next = min_u64(u->next, u->simd[k].next);
}

static void cluster_advance(struct cu_cluster *x, cycle_t t)
{
	x->now = t;
	x->view->now = t;
	cu_take_mail(x, t);
	for (uint32_t i = 0; i < x->units && !x->stopped; i++)
		if (x->unit[i].next <= t)
			unit_advance(&x->unit[i], t);
	x->next = CYCLE_NEVER;
	for (uint32_t i = 0; i < x->units; i++)
		x->next = min_u64(x->next, x->unit[i].next);
}

cycle_t cu_advance(struct cu_cluster *x, cycle_t from, cycle_t to)
{
	x->until = to;
	x->ended = false;
	while (!x->stopped) {
		cycle_t t =
			min_u64(x->next, wire_next(x->env.wires, x->env.self));

		t = max_u64(t, from);
		if (t >= x->until)
			return t;
		cluster_advance(x, t);
	}
	return CYCLE_NEVER;
}

void cu_stop_at_end(struct cu_cluster *x)
{
	x->stop_at_end = true;
}

bool cu_ended(const struct cu_cluster *x)
{
	return x->ended;
}

/* Wavefronts do not call the system. */
void cu_return(struct cu_cluster *x, uint32_t slot,
	       const struct service_cost *cost)
{
	(void)x;
	(void)slot;
	(void)cost;
	BUG("a wavefront has called the system");
}

struct view *cu_view(struct cu_cluster *x)
{
	return x->view;
}

bool cu_idle(const struct cu_cluster *x)
{
	return !x->groups && !x->outstanding && !x->out_count &&
	       !x->waiting_count;
}

/* ---- results ------------------------------------------------------------- */

static void cu_account_all(struct cu_cluster *x, cycle_t t)
{
	struct stat_sm *st = &x->counts.st;

	for (uint32_t i = 0; i < x->units; i++) {
		struct cu_unit *u = &x->unit[i];

		u->idle.known = x->env.phases->count;
		u->idle.end_known = true;
		cu_account_unit(u, t);
	}
	cu_residency(x, t);
	st->instructions = 0;
	for (unsigned i = 0; i < UNIT_COUNT; i++)
		st->instructions += x->counts.unit[i];
	st->cycles = (t - x->start) * x->units;
	st->slots = st->cycles;
}

void cu_finish(struct cu_cluster *x, cycle_t end)
{
	cu_account_all(x, end);
	cu_report_rest(x, end);
}

void cu_stats(struct cu_cluster *x, cycle_t now, struct stats *out)
{
	cu_account_all(x, now);
	out->sm = x->counts.st;
	out->front = x->counts.front;
	out->lsu = x->counts.lsu;
	out->l1 = x->counts.l1;
	memcpy(out->reason, x->reason, sizeof(x->reason));
	memcpy(out->unit, x->counts.unit, sizeof(x->counts.unit));
}

uint64_t cu_issued(const struct cu_cluster *x)
{
	return x->counts.st.instructions;
}

cycle_t cu_last(const struct cu_cluster *x)
{
	return x->now;
}

const struct sm_heat *cu_heat(const struct cu_cluster *x, uint32_t grid,
			      uint32_t func)
{
	return x->grids[grid] ? x->grids[grid]->heat[func] : NULL;
}

const uint64_t *cu_excess(const struct cu_cluster *x, uint32_t grid,
			  uint32_t func)
{
	const struct cu_gridstate *g = x->grids[grid];

	return g ? g->excess + (g->heat[func] - g->pool) : NULL;
}

const struct sm_detail *cu_detail(const struct cu_cluster *x, uint32_t grid,
				  uint32_t func)
{
	const struct cu_gridstate *g = x->grids[grid];

	return g && g->details ? g->details + (g->heat[func] - g->pool) : NULL;
}

const char *cu_broken_law(const struct cu_cluster *x)
{
	uint64_t sum = 0;

	for (unsigned r = 0; r < REASON_COUNT; r++)
		sum += x->reason[r];
	if (sum != x->counts.st.slots)
		return "the reasons of a compute unit's SIMDs add up to its "
		       "turns";
	if (x->counts.st.instructions - x->counts.st.dual !=
	    x->reason[REASON_ISSUED])
		return "a turn that issues counts its instructions";
	return NULL;
}
