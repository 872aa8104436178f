#include "sm/lsu_impl.h"

#include "base/minmax.h"

uint32_t lsu_depth(const struct cfg *cfg)
{
	const int64_t max[] = { cfg->shared.latency, cfg->l1.hit_latency,
				cfg->l1.miss_latency, cfg->ccache.l0_cycles,
				cfg->tex.latency };
	int64_t depth = cfg->lat[LAT_MEM].cycles;

	for (unsigned i = 0; i < sizeof(max) / sizeof(*max); i++)
		if (max[i] < depth)
			depth = max[i];
	return depth < 1 ? 1 : (uint32_t)depth;
}

/* Maximum number of instructions with results in flight. */
static uint32_t flight_bound(const struct cfg *cfg)
{
	if (cfg->mem.kind == CFG_MEM_LATENCY)
		return (uint32_t)cfg->mem.fifo;
	return (uint32_t)cfg->lsu.pending;
}

bool lsu_takes_halves(const struct cfg *cfg)
{
	return cfg->lsu.coalesce_lanes >= WARP_LANES;
}

bool lsu_is_scalar(const struct msg *m)
{
	return m->kind == MSG_READ && m->id & L1_ID_SCALAR;
}

uint32_t lsu_atomics(const struct cfg *cfg)
{
	/* A record is taken at issue and given back with the result. */
	return flight_bound(cfg) +
	       (uint32_t)cfg->sm.subcores * ((uint32_t)cfg->lsu.queue + 2);
}

cycle_t lsu_lookahead(const struct cfg *cfg)
{
	cycle_t all = (cycle_t)cfg->l1.miss_latency +
		      (cycle_t)cfg->net.request_latency;

	/* The cycles before the lookup have passed when a message is sent. */
	return cfg->mem.kind == CFG_MEM_LATENCY ? all : all - lsu_depth(cfg);
}

cycle_t lsu_horizon(const struct cfg *cfg)
{
	/* A message starts to pass at most LSU_BACKLOG cycles, and a fraction
	 * of a cycle, after it could: it leaves that much later than the
	 * minimum. */
	return lsu_lookahead(cfg) + LSU_BACKLOG + 1;
}

/* Maximum number of memory instructions in a cycle: those of the schedulers,
 * and a piece of a bulk copy. */
static uint64_t issue_bound(const struct cfg *cfg)
{
	return (uint64_t)cfg->sm.schedulers * (uint64_t)cfg->sm.issue_width + 1;
}

uint64_t lsu_lookups(const struct cfg *cfg)
{
	const struct cfg_l1 *k = &cfg->l1;

	return (uint64_t)(k->tag_banks > k->lookups ? k->tag_banks :
						      k->lookups);
}

struct wire_room lsu_room(const struct cfg *cfg, const struct mem_shape *shape,
			  cycle_t window)
{
	uint64_t sends = l1_sends_max(cfg), looks;

	/* Those left from a lookup before the window, and each one in it. */
	looks = (window + 1) * lsu_lookups(cfg);
	/* 16 bytes of local memory are four words, in as many units. */
	if (cfg->mem.kind == CFG_MEM_LATENCY)
		looks = window * issue_bound(cfg) * WARP_LANES * 4;
	return (struct wire_room){
		.out = (uint32_t)(looks * sends) + (uint32_t)cfg->lsu.merge,
		.in = l1_outstanding_max(cfg) +
		      shape->partitions * (uint32_t)cfg->net.queue *
			      (cfg->l2.acknowledge ? 2 : 1),
	};
}

uint32_t lsu_store_bound(const struct cfg *cfg, cycle_t cycles)
{
	/* The stores issued, times the maximum that each of them touches. */
	uint64_t issued = cycles * issue_bound(cfg) * COALESCE_MAX;
	uint64_t held;

	if (cfg->mem.kind == CFG_MEM_LATENCY)
		return (uint32_t)issued;
	/*
	 * An instruction that was issued in these cycles is, at their end, in a
	 * queue or in the stage, or has passed the stage in them. The stage
	 * looks up so many units of stores a cycle; a unit is a line of 128 bytes or
	 * less.
	 */
	held = ((uint64_t)cfg->sm.subcores * ((uint64_t)cfg->lsu.queue + 1) +
		1) * COALESCE_MAX +
	       cycles * (uint64_t)cfg->l1.lookups;
	return (uint32_t)(issued < held ? issued : held);
}

/* For loads of 1 << width words a lane. */
static void set_near_width(struct lsu *u, unsigned width, bool paired)
{
	uint32_t bytes = 4u << width;
	uint32_t passes = bank_min(&u->banks, ~0u, bytes);
	uint32_t more = (paired ? (passes + 1) / 2 : passes) - 1;
	uint32_t cycles = 1 + more * u->conflict;

	u->near[width + (paired ? LSU_NEAR_PAIRED : 0)] = (struct lsu_near){
		.passes = 1 + more,
		.busy = cycles > u->accept_interval ? cycles :
						      u->accept_interval,
		.after = u->shared_after + cycles - 1 +
			 more * u->conflict_latency,
		.lane_bytes = bytes,
		.bytes = lsu_returned(u, 1 + more, WARP_LANES * bytes),
	};
}

static void set_parameters(struct lsu *u, const struct cfg *cfg)
{
	u->latency = cfg->mem.kind == CFG_MEM_LATENCY;
	u->head.only_queued = !u->latency;
	u->depth = lsu_depth(cfg);
	u->capacity = (uint32_t)cfg->lsu.queue + 1;
	u->address_interval = (uint32_t)cfg->lsu.address_interval;
	u->accept_interval = (uint32_t)cfg->lsu.accept_interval;
	u->lookups = (uint32_t)cfg->l1.lookups;
	u->tag_banks = (uint32_t)cfg->l1.tag_banks;
	u->shared_after = (uint32_t)cfg->shared.latency - u->depth;
	u->conflict = (uint32_t)cfg->shared.conflict;
	u->conflict_latency = (uint32_t)cfg->shared.conflict_latency;
	u->atomic_pass = (uint32_t)cfg->shared.atomic;
	u->atomic_latency = (uint32_t)cfg->shared.atomic_latency;
	u->atomic_again = (uint32_t)cfg->shared.atomic_again;
	u->cas_pass = cfg->shared.cas ? (uint32_t)cfg->shared.cas :
					u->atomic_pass;
	u->cas_again = (uint32_t)cfg->shared.cas_again;
	u->cas_latency = (uint32_t)cfg->l1.cas_latency;
	u->pass_latency = (uint32_t)cfg->l1.pass_latency;
	u->shared_cas_latency = (uint32_t)cfg->shared.cas_latency;
	u->store_interval = (uint32_t)cfg->lsu.store_interval;
	u->line_latency = (uint32_t)(256 * cfg->l1.line_latency + 0.5);
	u->fill_latency = (uint32_t)cfg->l1.fill_latency;
	u->hit_latency = (uint32_t)(u->latency ? cfg->mem.l1_latency :
						 cfg->l1.hit_latency);
	u->atomic_return = cfg->l1.atomic_return ?
				   (uint32_t)cfg->l1.atomic_return :
				   u->fill_latency;
	u->reduction_return =
		(uint32_t)min_u64(u->atomic_return, u->fill_latency);
	u->coalesce_lanes = cfg->lsu.coalesce_lanes < WARP_LANES ?
				    (uint32_t)cfg->lsu.coalesce_lanes :
				    WARP_LANES;
	u->group = cfg->lsu.coalesce > PIECE_BYTES ?
			   (uint32_t)cfg->lsu.coalesce / PIECE_BYTES :
			   1;
	u->banks = (struct bank_shape){
		.banks = (uint32_t)cfg->shared.banks,
		.bank_bytes = (uint32_t)cfg->shared.bank_bytes,
		.lanes = cfg->shared.lanes < WARP_LANES ?
				 (uint32_t)cfg->shared.lanes :
				 WARP_LANES,
		.broadcast_one = cfg->shared.broadcast == CFG_BROADCAST_ONE,
		.pairs = cfg->shared.pairs,
	};
	for (unsigned i = 0; i < LSU_NEAR_PAIRED - 1; i++) {
		set_near_width(u, i, false);
		set_near_width(u, i, true);
	}
	back_init(&u->back, (uint32_t)cfg->lsu.return_width);
	u->fifo = (uint32_t)cfg->mem.fifo;
	u->head.next = u->freed = CYCLE_NEVER;
	u->subcores = (uint8_t)cfg->sm.subcores;
	u->head.can_issue = u->room = (1u << u->subcores) - 1;
}

static bool make_queue(struct lsu_queue *q, struct arena *a, uint32_t capacity)
{
	uint32_t places = 64 / sizeof(*q->ring);

	while (places < capacity)
		places *= 2;
	q->last = places - 1;
	q->ring = arena_new(a, struct waiting, places);
	return q->ring != NULL;
}

/* Queues of loads of constants that have a stage of their own. */
static bool make_constants(struct lsu *u, struct arena *a, uint32_t subcores)
{
	bool ok;

	u->constant = arena_new(a, struct lsu_queues, 1);
	ok = u->constant != NULL;
	for (uint32_t i = 0; ok && i < SUBCORES_MAX; i++)
		u->constant->due[i] = CYCLE_NEVER;
	for (uint32_t i = 0; ok && i < subcores; i++)
		ok = make_queue(&u->constant->queue[i], a, u->capacity);
	return ok;
}

static bool make_order(struct lsu *u, struct arena *a)
{
	u->order = arena_new(a, struct lsu_order, LSU_WARPS);
	for (uint32_t i = 0; u->order && i < LSU_WARPS; i++)
		u->order[i].first = LSU_NONE;
	return u->order != NULL;
}

static bool make_entries(struct lsu *u, struct arena *a, uint32_t n)
{
	u->entry = arena_new(a, struct lsu_entry, n);
	for (uint32_t i = n; u->entry && i-- > 0;) {
		u->entry[i].number = i;
		u->entry[i].next = u->entry_free;
		u->entry_free = &u->entry[i];
	}
	return u->entry != NULL;
}

static bool lsu_new_allocate(struct lsu *u, struct arena *a,
			     const struct cfg *cfg)
{
	uint32_t subcores = (uint32_t)cfg->sm.subcores;
	bool asks = u->env.came && !u->latency;
	bool constants = cfg->ccache.own_stage && !u->latency && !asks;
	bool ok = !constants || make_constants(u, a, subcores);

	for (uint32_t i = 0; i < SUBCORES_MAX; i++)
		u->due[i] = CYCLE_NEVER;
	for (uint32_t i = 0; i < subcores; i++)
		ok &= make_queue(&u->queue[i], a, u->capacity);
	/* One more for the instruction in the stage; and the last one of the
	 * list, which is never used. */
	ok &= make_entries(u, a, subcores * u->capacity * (1 + constants) + 2);
	if (u->latency) {
		u->known = arena_new(a, struct known, subcores * u->capacity);
		ok &= u->known != NULL;
	}
	if (asks)
		ok &= lsu_make_asking(u, a);
	u->usual = !u->latency && !u->asking;
	if (cfg->l1.in_order && !u->latency)
		ok &= make_order(u, a);
	u->flights = flight_bound(cfg);
	u->atomics = lsu_atomics(cfg);
	u->flight = arena_new(a, struct flight, u->flights);
	u->by_atomic = arena_new(a, uint32_t, u->atomics);
	u->late_room = u->latency ? 1 : l1_outstanding_max(cfg);
	u->late = arena_room(a, struct lsu_late, u->late_room);
	if (!ok || !u->flight || !u->by_atomic || !u->late)
		return false;
	for (uint32_t i = 0; i < u->flights; i++)
		u->flight[i].next = i + 1 < u->flights ? i + 1 : LSU_NONE;
	return true;
}

static void set_plain_loads(struct lsu *u, const struct cfg *cfg)
{
	unsigned shift = l1_unit_shift(&u->l1->data);
	uint32_t pieces = 1u << (shift - PIECE_SHIFT);

	u->plain_loads = cfg->l1.on && cfg->l1.global && !u->latency &&
			 u->coalesce_lanes == WARP_LANES;
	u->unit_shift = (uint8_t)shift;
	u->unit_last = (uint8_t)(pieces - 1);
	u->unit_group = (uint8_t)(u->group < pieces ? u->group : pieces);
	u->lone_places = u->plain_loads && u->l1->data.shift >= UNIT_SHIFT;
}

enum err lsu_new(struct lsu **out, struct arena *a, const struct lsu_env *env,
		 struct diag *d)
{
	struct lsu *u = arena_new(a, struct lsu, 1);
	enum err e;

	if (!u)
		return fail(d, ERR_NOMEM, "no memory for an LSU");
	CHECK(env->cfg->sm.subcores <= SUBCORES_MAX);
	u->env = *env;
	set_parameters(u, env->cfg);
	if (!lsu_new_allocate(u, a, env->cfg))
		return fail(d, ERR_NOMEM, "no memory for an LSU");
	e = l1_new(&u->l1, a, &u->env, u->latency ? 0 : u->depth, d);
	if (e != ERR_OK)
		return e;
	u->tags = u->l1->data.tags;
	set_plain_loads(u, env->cfg);
	*out = u;
	return constcache_new(&u->cc, a, env->cfg, env->st, u->asking != NULL,
			      u->depth, d);
}
