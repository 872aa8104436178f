/*
 * Memory operations of an SM in flight, and the order that programs may rely
 * on.
 *
 * A thread sees its own atomics, and after a barrier a block sees those of its
 * threads: the SM knows which sectors its atomics in flight touch, and issues a
 * load or store of such a sector only when the atomics that were issued before
 * it are complete. Sectors are counted in a table by hash; a collision costs
 * time and nothing else. A fence waits for the atomics that were issued before
 * it. Stores need not be waited for, because memory takes them in the order of
 * their cycles.
 */
#include "base/minmax.h"
#include "simt/mem.h"
#include "sm/core.h"
#include "sm/counters.h"
#include "sm/operands.h"
#include "sm/tlb.h"

enum { SECTOR_BITS = 5 };

static inline uint16_t *filter_at(struct sm *s, uint64_t address)
{
	uint64_t sector = address >> SECTOR_BITS;
	uint64_t hash = sector * UINT64_C(0x9e3779b97f4a7c15);

	return &s->atomic_filter[hash >> 54];
}

_Static_assert(ATOMIC_FILTER == 1 << (64 - 54), "size of the filter");

static void filter_add(struct sm *s, const struct atomic *a, int n)
{
	for (lanes_t left = a->mask; left; left &= left - 1) {
		uint16_t *at = filter_at(s, a->addr[lanes_first(left)]);

		*at = (uint16_t)(*at + n);
	}
}

/* Whether the instruction's lanes touch a sector with atomics in flight. */
static bool touches_atomics(struct sm *s, struct warp *w, const struct inst *in,
			    const struct inst *operand)
{
	uint64_t addr[LANES];
	bool hit = false;

	switch (operand->space) {
	case SPACE_SHARED:
	case SPACE_LOCAL:
	case SPACE_PARAM:
	case SPACE_CONST:
		return false;
	}
	w->mask = warp_guard(w, in);
	if (!w->mask)
		return false;
	if (!launch_replays(w->block->launch))
		mem_addresses(w, operand, addr);
	else if (!w->block->launch->hooks->peek(w, in, addr))
		return false; /* the launch has faulted */
	for (lanes_t left = w->mask; left; left &= left - 1)
		hit |= *filter_at(s, addr[lanes_first(left)]) != 0;
	return hit;
}

static uint64_t oldest_atomic(const struct sm *s)
{
	uint64_t oldest = UINT64_MAX;

	for (uint32_t i = 0; i < s->op_count; i++)
		if (s->ops[i].atomic && s->ops[i].order < oldest)
			oldest = s->ops[i].order;
	return oldest;
}

/* The warp may not issue now: it waits until sm_wake_deferred. */
static void defer(struct sm *s, int slot, enum reason why)
{
	SM_SLOT(s, slot)->deferred = true;
	sm_wait(s, slot, why);
}

/* Whether atomics are in flight that were issued before the warp first tried;
 * if so, the warp waits. If it waited for all atomics, it might wait for ever
 * while others issue more. */
static bool wait_for_earlier_atomics(struct sm *s, int slot, enum reason why)
{
	struct slot *p = SM_SLOT(s, slot);

	if (!p->fence)
		p->fence = s->atomic_order + 1;
	if (!s->atomics_open || oldest_atomic(s) >= p->fence) {
		p->fence = 0;
		return false;
	}
	defer(s, slot, why);
	return true;
}

/* Whether writes of the SM that were on their way when the warp first tried have
 * yet to be taken by the L2; if so, the warp waits. It is a matter of their number:
 * later ones may stand for earlier ones. */
static bool wait_for_writes(struct sm *s, int slot)
{
	struct slot *p = SM_SLOT(s, slot);

	if (!s->acknowledged)
		return false;
	if (!p->writes) {
		p->writes = lsu_writes_due(s->lsu) + 1;
		p->writes_since = s->now;
	}
	if (lsu_writes_taken(s->lsu, p->writes - 1))
		return false;
	if (!s->awaited || p->writes - 1 < s->awaited)
		s->awaited = p->writes - 1;
	defer(s, slot, REASON_FENCE);
	return true;
}

/* Without coherence a release is a fence of the memory, and then the access. */
static bool wait_for_release(struct sm *s, int slot,
			     const struct timed_inst *ti)
{
	struct slot *p = SM_SLOT(s, slot);

	if (!s->fences || p->released == p->issued + 1)
		return false;
	if (wait_for_writes(s, slot))
		return true;
	p->writes = 0;
	p->released = p->issued + 1;
	sm_fence_memory(s, slot, ti, s->now);
	sm_wait(s, slot, REASON_FENCE);
	return true;
}

/* Fences and releases, but of a block. */
static bool wait_for_order(struct sm *s, int slot, const struct timed_inst *ti)
{
	if (ti->flags & TIMED_BLOCK)
		return false;
	if (wait_for_earlier_atomics(s, slot, REASON_FENCE))
		return true;
	return ti->kind == KIND_FENCE ? wait_for_writes(s, slot) :
					wait_for_release(s, slot, ti);
}

/* An operand from constant memory must be in the sub-core's first constant
 * cache. The lookup is not repeated when the line has arrived: if it is evicted
 * meanwhile, the warp still has it. */
static bool wait_for_constant(struct sm *s, int slot,
			      const struct timed_inst *ti)
{
	struct slot *p = SM_SLOT(s, slot);
	cycle_t at;

	if (p->constant == p->issued + 1)
		return false;
	p->constant = p->issued + 1;
	at = lsu_constant(s->lsu, p->sub, ti->constant,
			  ti->flags & TIMED_PARAMETER, s->now);
	if (LIKELY(at <= s->now))
		return false;
	if (UNLIKELY(at == CYCLE_NEVER)) { /* sm_asked_came */
		defer(s, slot, REASON_CONSTANT);
		return true;
	}
	sm_wait_until(s, slot, REASON_CONSTANT, at);
	return true;
}

bool sm_must_wait(struct sm *s, int slot, const struct timed_inst *ti)
{
	struct slot *p = SM_SLOT(s, slot);
	const struct inst *operand = p->in;
	struct inst source;

	if (ti->order == ORDER_CONSTANT)
		return wait_for_constant(s, slot, ti);
	if (ti->kind == KIND_FENCE || ti->flags & TIMED_RELEASE)
		return wait_for_order(s, slot, ti);
	if (ti->kind == KIND_BULK && sm_bulk_full(s)) {
		p->deferred = true;
		sm_wait(s, slot, REASON_MEMORY);
		return true;
	}
	if (LIKELY(!s->atomics_open))
		return false;
	if (ti->order == ORDER_BLIND)
		return wait_for_earlier_atomics(s, slot, REASON_ATOMIC);
	switch ((enum timing_kind)ti->kind) {
	case KIND_LOAD:
	case KIND_STORE:
		break;
	case KIND_ASYNC:
		source = mem_async_source(p->in);
		operand = &source;
		break;
	case KIND_BULK: /* its addresses are not checked */
		return wait_for_earlier_atomics(s, slot, REASON_ATOMIC);
	default:
		return false;
	}
	if (!touches_atomics(s, p->warp, p->in, operand)) {
		p->fence = 0;
		return false;
	}
	return wait_for_earlier_atomics(s, slot, REASON_ATOMIC);
}

static inline void
order_set_registers(struct slot *p, const struct timed_inst *ti, score_t ready)
{
	const uint16_t *reg = timed_regs(ti);

	if (LIKELY(ti->writes == 1)) {
		p->ready[*reg] = ready;
		return;
	}
	for (unsigned i = 0; i < ti->writes; i++)
		p->ready[reg[i]] = ready;
}

static inline uint32_t new_op(struct sm *s, int slot,
			      const struct timed_inst *ti, enum reason why)
{
	uint32_t tag = s->op_free;
	struct memop *op;

	CHECK(tag != NO_OP);
	op = &s->ops[tag];
	s->op_free = op->next;
	op->timed = ti;
	op->slot = (uint8_t)slot;
	op->reason = (uint8_t)why;
	SM_SLOT(s, slot)->pending++;
	return tag;
}

/* Drops the oldest groups that are complete. */
static void forget_groups(struct groups *g)
{
	while (g->first < g->open && !g->left[g->first % ASYNC_GROUPS] &&
	       !g->counter[g->first % ASYNC_GROUPS])
		g->first++;
}

/* Lowers the counters of the oldest groups that are complete. */
static void lower_group_counters(const struct sm *s, struct slot *p,
				 struct groups *g, cycle_t when)
{
	for (uint32_t i = g->first; i <= g->open && !g->left[i % ASYNC_GROUPS];
	     i++) {
		uint8_t *n = &g->counter[i % ASYNC_GROUPS];

		if (*n)
			counter_lower(s, p, *n - 1u, when, REASON_MEMORY);
		*n = 0;
	}
}

void sm_group_add(struct groups *g)
{
	g->left[g->open % ASYNC_GROUPS]++;
}

void sm_group_done(struct sm *s, struct slot *p, enum copy_group kind,
		   uint32_t group, cycle_t when)
{
	struct groups *g = &p->groups[kind];

	g->left[group % ASYNC_GROUPS]--;
	lower_group_counters(s, p, g, when);
	forget_groups(g);
}

static bool groups_wait(const struct groups *g)
{
	for (uint32_t i = g->first; i < g->bound; i++)
		if (i <= g->open && g->left[i % ASYNC_GROUPS])
			return true;
	return false;
}

static bool async_waits(const struct slot *p)
{
	return groups_wait(&p->groups[GROUP_COPY]) ||
	       groups_wait(&p->groups[GROUP_BULK]);
}

/* The counter that a commit names stays raised until the copies of the group and
 * of those before it are complete. A group that has one already goes on with
 * it. */
static void raise_group_counter(struct slot *p, struct groups *g, unsigned n)
{
	uint8_t *counter = &g->counter[g->open % ASYNC_GROUPS];
	bool flies = false;

	for (uint32_t i = g->first; i <= g->open; i++)
		flies |= g->left[i % ASYNC_GROUPS] != 0;
	if (!flies || *counter)
		return;
	*counter = (uint8_t)n;
	counter_raise(p, n - 1, REASON_MEMORY);
}

void sm_commit_group(struct slot *p, const struct timed_inst *ti)
{
	struct groups *g = &p->groups[ti->group];
	unsigned write = timed_write_counter(ti);

	if (ti->counters)
		raise_group_counter(p, g,
				    write ? write : timed_read_counter(ti));
	/* If too many groups are in flight, the next copies join this one. */
	if (g->open - g->first + 1 < ASYNC_GROUPS) {
		g->open++;
		g->left[g->open % ASYNC_GROUPS] = 0;
		g->counter[g->open % ASYNC_GROUPS] = 0;
	}
	forget_groups(g);
}

/* in->offset: the number of committed groups that may stay in flight; negative:
 * none may, nor may the open one. */
void sm_issue_async_wait(struct sm *s, int slot, const struct timed_inst *ti,
			 const struct inst *in, cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);
	struct groups *g = &p->groups[ti->group];
	uint64_t stay = (uint64_t)in->offset;

	if (in->offset < 0)
		g->bound = g->open + 1;
	else
		g->bound = stay < g->open ? g->open - (uint32_t)stay : 0;
	if (async_waits(p))
		p->hold |= HOLD_ASYNC;
	sm_prepare(s, slot, t, t + 1, REASON_MEMORY);
}

/* The counter falls in steps of operations whose end is known; the ends that are
 * known already count as past. */
static bool count_waits(const struct slot *p)
{
	return counters_of(p)->open[p->bounded] > p->bound;
}

void sm_issue_count_wait(struct sm *s, int slot, const struct timed_inst *ti,
			 cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);
	cycle_t at = t + ti->stall;

	p->bounded = (uint16_t)(ti->bound >> 16);
	p->bound = (uint16_t)ti->bound;
	if (count_waits(p))
		p->hold |= HOLD_COUNT;
	else if (!p->bound)
		at = max_u64(at, s->origin + counters_of(p)->zero[p->bounded]);
	sm_prepare(s, slot, t, at, REASON_MEMORY);
}

void sm_wake_deferred(struct sm *s)
{
	uint64_t all = s->waits[REASON_ATOMIC] | s->waits[REASON_FENCE] |
		       s->waits[REASON_MEMORY];

	for (; all; all &= all - 1) {
		int slot = __builtin_ctzll(all);

		if (!SM_SLOT(s, slot)->deferred)
			continue;
		SM_SLOT(s, slot)->deferred = false;
		sm_ready(s, slot);
	}
}

static void atomic_done(struct sm *s, struct memop *op)
{
	filter_add(s, op->atomic, -1);
	atomic_finish(s->view, op->atomic);
	op->atomic = NULL;
	s->atomics_open--;
	sm_wake_deferred(s);
}

static void free_op(struct sm *s, uint32_t tag)
{
	struct memop *op = &s->ops[tag];

	op->next = s->op_free;
	s->op_free = tag;
	SM_SLOT(s, op->slot)->pending--;
}

void sm_reconsider(struct sm *s, int slot, cycle_t when)
{
	struct slot *p = SM_SLOT(s, slot);

	if (p->wait == REASON_DRAIN) {
		if (!p->pending)
			sm_end_warp(s, slot);
		return;
	}
	if (!p->next || p->wait == NO_WAIT || p->wake != CYCLE_NEVER ||
	    p->deferred)
		return;
	if (p->hold & HOLD_ASYNC && !async_waits(p)) {
		p->hold &= (uint8_t)~HOLD_ASYNC;
		p->earliest = when > p->earliest ? when : p->earliest;
	}
	if (p->hold & HOLD_COUNT && !count_waits(p)) {
		p->hold &= (uint8_t)~HOLD_COUNT;
		p->earliest = when > p->earliest ? when : p->earliest;
	}
	if (p->hold || sm_needs_drain(p))
		return;
	if (p->next->kind == KIND_CALL && when > p->earliest)
		p->earliest = when;
	sm_wait_for_operands(s, slot);
}

static inline uint32_t near_tag(int slot, uint16_t reg)
{
	return LSU_NEAR | (uint32_t)slot << NEAR_SLOT | reg;
}

static inline uint32_t light_tag(int slot, uint16_t reg, enum reason why)
{
	return LIGHT | (uint32_t)why << LIGHT_REASON |
	       (uint32_t)slot << NEAR_SLOT | reg;
}

static inline uint32_t counted_tag(int slot, const struct timed_inst *ti,
				   enum reason why)
{
	return COUNTED | (uint32_t)why << LIGHT_REASON |
	       (uint32_t)slot << NEAR_SLOT | timed_write_counter(ti);
}

static void counted_done(struct sm *s, uint32_t tag, cycle_t ready)
{
	int slot = light_slot(tag);
	struct slot *p = SM_SLOT(s, slot);

	if ((uint16_t)tag)
		counter_lower(s, p, (uint16_t)tag - 1u, ready,
			      light_reason(tag));
	else
		sm_set_result(p, ready, light_reason(tag));
	sm_load_came(s, slot, tag, ready);
}

void sm_mem_read(void *ctx, uint32_t reader, cycle_t when)
{
	struct sm *s = ctx;
	int slot = light_slot(reader);
	struct slot *p = SM_SLOT(s, slot);

	counter_lower(s, p, (uint16_t)reader - 1u, when, light_reason(reader));
	p->pending--;
	sm_reconsider(s, slot, when);
}

/* The result of a memory operation is written at `ready`. */
static void op_written(const struct sm *s, struct slot *p,
		       const struct memop *op, cycle_t ready)
{
	unsigned counter = timed_write_counter(op->timed);

	if (counter) {
		counter_lower(s, p, counter - 1, ready, op->reason);
		return;
	}
	order_set_registers(p, op->timed, sm_score(s, ready));
	sm_set_result(p, ready, op->reason);
}

/* For scheduling policies that watch the L1: a load has missed on a line; a
 * line was evicted. */
void sm_mem_missed(void *ctx, uint32_t tag, uint64_t line)
{
	struct sm *s = ctx;
	int slot = tag & (LIGHT | COUNTED) ? light_slot(tag) : s->ops[tag].slot;

	s->owner[line % OWNERS] = (struct owner){ line + 1, (uint8_t)slot };
	sched_missed(SM_SCHED(s, SM_SLOT(s, slot)->sched), slot, line, s->now);
}

void sm_mem_evicted(void *ctx, uint64_t line)
{
	struct sm *s = ctx;
	const struct owner *o = &s->owner[line % OWNERS];

	if (o->line == line + 1)
		sched_evicted(SM_SCHED(s, SM_SLOT(s, o->slot)->sched), o->slot,
			      line);
}

void sm_fence_memory(struct sm *s, int slot, const struct timed_inst *ti,
		     cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);

	p->acquires = new_op(s, slot, ti, REASON_FENCE);
	p->hold |= HOLD_ACQUIRE;
	lsu_ask_fence(s->lsu, t, p->acquires);
}

/* What the warp has waited for is complete. Without coherence an acquire is the
 * access, and then a fence of the memory. */
static void end_hold(struct sm *s, int slot, const struct memop *op,
		     cycle_t ready)
{
	struct slot *p = SM_SLOT(s, slot);

	if (UNLIKELY(s->fences) && op->reason != REASON_FENCE &&
	    !(op->timed->flags & TIMED_BLOCK)) {
		sm_fence_memory(s, slot, op->timed, s->now);
		return;
	}
	p->acquires = NO_OP;
	p->hold &= (uint8_t)~HOLD_ACQUIRE;
	p->earliest = ready > p->earliest ? ready : p->earliest;
	p->why = op->reason;
}

/* An operation with a struct memop is complete. Not inlined: the others need few
 * registers. */
static __attribute__((noinline)) void op_done(struct sm *s, uint32_t tag,
					      cycle_t ready)
{
	struct memop *op = &s->ops[tag];
	int slot = op->slot;
	struct slot *p = SM_SLOT(s, slot);

	if (UNLIKELY(op->atomic != NULL))
		atomic_done(s, op);
	if (UNLIKELY(op->reason == REASON_FENCE)) {
		/* It has no result. */
	} else if (UNLIKELY(op->timed->kind == KIND_ASYNC)) {
		sm_group_done(s, p, GROUP_COPY, op->group, ready);
		if (timed_write_counter(op->timed))
			op_written(s, p, op, ready);
	} else if (UNLIKELY(op->timed->kind == KIND_BULK)) {
		sm_bulk_came(s, op->group, ready);
	} else {
		op_written(s, p, op, ready);
	}
	free_op(s, tag);
	if (UNLIKELY(p->hold & HOLD_ACQUIRE) && p->acquires == tag)
		end_hold(s, slot, op, ready);
	sm_reconsider(s, slot, ready);
}

void sm_mem_done(void *ctx, uint32_t tag, cycle_t ready)
{
	if (LIKELY(tag & LIGHT))
		sm_light_done(ctx, tag, ready);
	else if (tag & COUNTED)
		counted_done(ctx, tag, ready);
	else
		op_done(ctx, tag, ready);
}

static enum reason wait_reason(enum space space, unsigned kind)
{
	switch (space) {
	case SPACE_SHARED:
		return REASON_SHARED;
	case SPACE_CONST:
		return REASON_CONSTANT;
	default:
		return kind == KIND_ATOMIC ? REASON_ATOMIC : REASON_MEMORY;
	}
}

static uint64_t local_base(const struct sm *s, int slot)
{
	const struct warp *w = SM_SLOT(s, slot)->warp;
	uint64_t bytes = w->local_size * LANES;

	return TLB_LOCAL_MEMORY +
	       ((uint64_t)s->env.self * SLOTS + (uint64_t)slot) * bytes;
}

/* Whether a load may have a light tag. */
static inline bool is_light(const struct timed_inst *ti)
{
	return ti->kind == KIND_LOAD && ti->writes == 1 &&
	       !(ti->flags & TIMED_ACQUIRE);
}

/* Returns the tag. */
static inline uint32_t track_light(struct slot *p, int slot,
				   const struct timed_inst *ti, enum reason why)
{
	uint16_t reg = ti->reg[0];

	p->pending++;
	p->ready[reg] = SCORE_PENDING + why;
	return light_tag(slot, reg, why);
}

static uint32_t track_op(struct sm *s, int slot, const struct timed_inst *ti,
			 enum space space)
{
	struct slot *p = SM_SLOT(s, slot);
	enum reason why = wait_reason(space, ti->kind);
	struct memop *op;
	uint32_t tag;

	if (timed_write_counter(ti))
		counter_raise(p, timed_write_counter(ti) - 1, why);
	if (ti->kind == KIND_LOAD && !ti->writes &&
	    !(ti->flags & TIMED_ACQUIRE)) {
		p->pending++;
		return counted_tag(slot, ti, why);
	}
	if (LIKELY(is_light(ti)))
		return track_light(p, slot, ti, why);
	tag = new_op(s, slot, ti, why);
	op = &s->ops[tag];
	if (ti->kind == KIND_ASYNC) {
		op->group = p->groups[GROUP_COPY].open;
		sm_group_add(&p->groups[GROUP_COPY]);
		return tag;
	}
	if (ti->kind == KIND_ATOMIC && p->warp->effect->atomic) {
		op->atomic = p->warp->effect->atomic;
		op->order = ++s->atomic_order;
		s->atomics_open++;
		filter_add(s, op->atomic, 1);
	}
	/* Pending until the LSU calls sm_mem_done. */
	order_set_registers(p, ti, SCORE_PENDING + why);
	if (ti->flags & TIMED_ACQUIRE) {
		p->acquires = tag;
		p->hold |= HOLD_ACQUIRE;
		if (!(ti->flags & TIMED_BLOCK))
			lsu_empty_l1(s->lsu);
	}
	return tag;
}

uint32_t sm_track_piece(struct sm *s, int slot, const struct timed_inst *ti,
			uint32_t number)
{
	uint32_t tag = new_op(s, slot, ti, REASON_MEMORY);

	s->ops[tag].group = number;
	return tag;
}

static void describe_async(struct lsu_inst *li, const struct effect *e)
{
	li->space = SPACE_GLOBAL;
	li->addr = e->source;
	li->mask = (uint32_t)e->source_mask;
	li->shared = e->addr;
}

static void describe_atomic(struct sm *s, struct lsu_inst *li,
			    const struct atomic *a)
{
	li->space = SPACE_GLOBAL;
	li->mask = (uint32_t)a->mask;
	li->addr = a->addr;
	li->atomic = (uint32_t)(a - s->view->atomics);
	li->bytes = a->bytes;
}

/* Raises the read counter, if there is one, until the LSU has taken the operands:
 * sm_mem_read. Returns lsu_inst.reader. */
static uint32_t track_reader(struct sm *s, int slot,
			     const struct timed_inst *ti, enum space space)
{
	unsigned counter = timed_read_counter(ti);
	enum reason why = wait_reason(space, ti->kind);

	if (!counter)
		return 0;
	counter_raise(SM_SLOT(s, slot), counter - 1, why);
	SM_SLOT(s, slot)->pending++;
	return (uint32_t)why << LIGHT_REASON | (uint32_t)slot << NEAR_SLOT |
	       counter;
}

static void send_to_lsu(struct sm *s, int slot, const struct timed_inst *ti,
			struct lsu_inst *li, cycle_t t)
{
	const struct stat_lsu *st = &s->lsu_st;
	uint64_t before = st->global_excess + st->shared_conflicts, excess;

	if ((ti->kind == KIND_STORE || ti->kind == KIND_ATOMIC) &&
	    li->space == SPACE_GLOBAL)
		s->block[SM_SLOT(s, slot)->block].stored = true;
	li->tag = ti->kind == KIND_STORE ?
			  NO_OP :
			  track_op(s, slot, ti, (enum space)li->space);
	if (ti->counters)
		li->reader = track_reader(s, slot, ti, (enum space)li->space);
	if (timed_yields(ti))
		sched_yields(SM_SCHED(s, SM_SLOT(s, slot)->sched));
	li->warp = (uint8_t)slot;
	lsu_issue(s->lsu, t, li);
	excess = st->global_excess + st->shared_conflicts - before;
	if (UNLIKELY(excess))
		sm_count_excess(s, SM_SLOT(s, slot), excess);
}

/* A memory instruction that accesses no memory: it has no active lane, or reads
 * parameters, which are operands of instructions on GPUs. */
static void issue_without_access(struct sm *s, int slot,
				 const struct timed_inst *ti, cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);

	p->fence = 0; /* it waits for no atomics any more */
	order_set_registers(p, ti, sm_score(s, t + s->alu_cycles));
	counters_hold(s, p, ti, t + s->alu_cycles, t + s->alu_cycles);
	sm_prepare_issued(s, slot, t);
}

static inline void issue_near(struct sm *s, int slot, struct slot *p,
			      uint16_t reg, cycle_t t)
{
	p->fence = 0;
	p->pending++;
	p->ready[reg] = SCORE_PENDING + REASON_SHARED;
	lsu_issue_near(s->lsu, t, p->sub, near_tag(slot, reg));
	sm_prepare_issued(s, slot, t);
}

/* The same with control bits, for words and vectors. */
static inline void issue_near_counted(struct sm *s, int slot, struct slot *p,
				      const struct timed_inst *ti,
				      uint32_t bytes, bool paired, cycle_t t)
{
	uint32_t width = bytes / (2 * EFFECT_WORD); /* log2 of 1, 2, 4 words */

	width |= paired ? LSU_NEAR_PAIRED : 0;
	p->fence = 0;
	p->pending++;
	if (timed_write_counter(ti))
		counter_raise(p, timed_write_counter(ti) - 1, REASON_SHARED);
	if (timed_read_counter(ti))
		counter_raise(p, timed_read_counter(ti) - 1, REASON_SHARED);
	sched_yields_if(SM_SCHED(s, p->sched), timed_yields(ti));
	lsu_issue_near(s->lsu, t, p->sub,
		       near_tag(slot, ti->counters) | NEAR_COUNTED |
			       width << LSU_NEAR_WIDTH);
	sm_prepare_issued(s, slot, t);
}

/* A store of words to shared memory without conflicts. */
static inline void issue_near_store(struct sm *s, int slot, struct slot *p,
				    const struct timed_inst *ti, cycle_t t)
{
	uint32_t reader = 0;

	p->fence = 0;
	if (ti->counters)
		reader = track_reader(s, slot, ti, SPACE_SHARED);
	sched_yields_if(SM_SCHED(s, p->sched), timed_yields(ti));
	lsu_issue_near_store(s->lsu, t, p->sub, reader);
	sm_prepare_issued(s, slot, t);
}

/* A load of constants with control bits, by lanes that all read at one
 * address. */
static void issue_constant(struct sm *s, int slot, const struct timed_inst *ti,
			   struct effect *e, cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);
	struct lsu_place c = { .address = e->half[0],
			       .tag = counted_tag(slot, ti, REASON_CONSTANT),
			       .mask = (uint32_t)e->mask,
			       .bytes = (uint8_t)e->bytes,
			       .flags = ti->flags,
			       .subcore = p->sub };

	e->pattern = EFFECT_LANES;
	p->fence = 0;
	p->pending++;
	if (timed_write_counter(ti))
		counter_raise(p, timed_write_counter(ti) - 1, REASON_CONSTANT);
	if (ti->counters)
		c.reader = track_reader(s, slot, ti, SPACE_CONST);
	if (timed_yields(ti))
		sched_yields(SM_SCHED(s, p->sched));
	lsu_issue_constant(s->lsu, t, &c);
	sm_prepare_issued(s, slot, t);
}

/* Any such load. */
static __attribute__((noinline)) void track_place(struct sm *s, int slot,
						  const struct timed_inst *ti,
						  struct lsu_place *x)
{
	x->tag = track_op(s, slot, ti, SPACE_GLOBAL);
	if (!ti->counters)
		return;
	x->reader = track_reader(s, slot, ti, SPACE_GLOBAL);
	if (timed_yields(ti))
		sched_yields(SM_SCHED(s, SM_SLOT(s, slot)->sched));
}

/* A load of global memory by a whole warp that reads at one address. Not inlined,
 * so that issue_near does not save and restore its registers. */
static __attribute__((noinline)) void issue_place(struct sm *s, int slot,
						  const struct timed_inst *ti,
						  struct effect *e, cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);
	uint64_t before = s->lsu_st.global_excess;
	struct lsu_place x = { .address = e->half[0],
			       .mask = (uint32_t)LANES_ALL,
			       .bytes = (uint8_t)e->bytes,
			       .flags = ti->flags,
			       .subcore = p->sub,
			       .warp = (uint8_t)slot };

	e->pattern = EFFECT_LANES;
	p->fence = 0;
	if (LIKELY(!ti->counters && is_light(ti)))
		x.tag = track_light(p, slot, ti, REASON_MEMORY);
	else
		track_place(s, slot, ti, &x);
	lsu_issue_place(s->lsu, t, &x);
	if (UNLIKELY(s->lsu_st.global_excess != before))
		sm_count_excess(s, p, s->lsu_st.global_excess - before);
	sm_prepare_issued(s, slot, t);
}

/* Describes the access of an effect to the LSU. */
static void describe_access(struct lsu_inst *li, struct effect *e)
{
	enum effect_pattern pattern = (enum effect_pattern)e->pattern;

	e->pattern = EFFECT_LANES;
	switch (pattern) {
	case EFFECT_LANES:
		mem_resolve_effect(e);
		li->addr = e->addr;
		li->space = e->space;
		li->mask = (uint32_t)e->mask;
		break;
	case EFFECT_PLACE:
		for (unsigned l = 0; l < LANES; l++)
			e->addr[l] = e->half[0];
		li->addr = e->addr;
		li->space = SPACE_GLOBAL;
		li->mask = (uint32_t)LANES_ALL;
		break;
	case EFFECT_NEAR:
	case EFFECT_PAIRED:
		li->paired = pattern == EFFECT_PAIRED;
		li->space = SPACE_SHARED;
		li->mask = (uint32_t)LANES_ALL;
		break;
	case EFFECT_HALVES:
		li->space = SPACE_GLOBAL;
		li->half = e->half;
		li->mask = (uint32_t)LANES_ALL;
		break;
	case EFFECT_SAME:
		li->space = SPACE_CONST;
		li->half = e->half;
		li->mask = (uint32_t)e->mask;
		break;
	}
	li->bytes = e->bytes;
}

/* The access of a load of shared memory that others have been merged into: the
 * aligned `bytes` bytes of each lane. Where all lanes need one word of each bank at
 * most, so do all groups of lanes that follow each other. */
static void widen_access(struct lsu_inst *li, struct effect *e, uint32_t bytes)
{
	li->bytes = bytes;
	li->paired = e->near_pairs && !li->addr;
	for (unsigned l = 0; li->addr && l < LANES; l++)
		e->addr[l] &= ~(uint64_t)(bytes - 1);
}

/* Without tex.lookup, there are no addresses: the mask is 0. */
static void describe_fetch(struct lsu_inst *li, struct effect *e)
{
	li->space = SPACE_GLOBAL;
	li->addr = e->addr;
	li->mask = (uint32_t)e->fetched;
	li->bytes = e->bytes;
	e->fetched = 0;
}

/* One lane does what all of them would. */
static void combine_lanes(struct lsu_inst *li, enum atomic_lanes which)
{
	if (which == COMBINE_LANES || li->mask == (uint32_t)LANES_ALL)
		li->mask &= -li->mask;
}

/* Not inlined either. */
static __attribute__((noinline)) void issue_access(struct sm *s, int slot,
						   const struct timed_inst *ti,
						   struct effect *e, cycle_t t)
{
	struct lsu_inst li = { .kind = ti->kind,
			       .flags = ti->flags,
			       .subcore = SM_SLOT(s, slot)->sub };

	SM_SLOT(s, slot)->fence = 0; /* it waits for no atomics any more */
	if (ti->kind == KIND_TEX)
		describe_fetch(&li, e);
	else
		describe_access(&li, e);
	if (UNLIKELY(ti->group) && ti->kind == KIND_LOAD)
		widen_access(&li, e, ti->group);
	else if (ti->kind == KIND_ASYNC)
		describe_async(&li, e);
	else if (ti->kind == KIND_ATOMIC && e->atomic)
		describe_atomic(s, &li, e->atomic);
	if (UNLIKELY(ti->group) && ti->kind == KIND_ATOMIC)
		combine_lanes(&li, (enum atomic_lanes)ti->group);
	if (li.space == SPACE_LOCAL)
		li.local_base = local_base(s, slot);
	send_to_lsu(s, slot, ti, &li, t);
	e->atomic = NULL;
	sm_prepare_issued(s, slot, t);
}

/* Whether an access of shared memory without conflicts takes a path of its own. */
static inline bool takes_near_path(const struct timed_inst *ti, bool paired)
{
	if (ti->kind == KIND_LOAD && !ti->writes)
		return true;
	if (paired || ti->flags & TIMED_ACQUIRE)
		return false;
	return ti->kind == KIND_STORE ||
	       (ti->kind == KIND_LOAD && ti->writes == 1);
}

static inline void issue_any_near(struct sm *s, int slot, struct slot *p,
				  const struct timed_inst *ti, uint32_t bytes,
				  bool paired, cycle_t t)
{
	if (ti->kind == KIND_STORE)
		issue_near_store(s, slot, p, ti, t);
	else if (!ti->writes)
		issue_near_counted(s, slot, p, ti, bytes, paired, t);
	else
		issue_near(s, slot, p, ti->reg[0], t);
}

void sm_issue_memory(struct sm *s, int slot, const struct timed_inst *ti,
		     const struct inst *in, cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);
	struct effect *e = p->warp->effect;
	bool paired = e->pattern == EFFECT_PAIRED;

	if ((paired || e->pattern == EFFECT_NEAR) &&
	    takes_near_path(ti, paired)) {
		e->pattern = EFFECT_LANES;
		issue_any_near(s, slot, p, ti, e->bytes, paired, t);
		return;
	}
	/* A fetch leaves the pattern as it was: of a load of constants to a
	 * uniform register, which is not issued as one. */
	if (UNLIKELY(ti->kind == KIND_TEX))
		e->pattern = EFFECT_LANES;
	if (e->pattern == EFFECT_PLACE && !ti->group)
		issue_place(s, slot, ti, e, t);
	else if (in->space == SPACE_PARAM || !p->warp->mask)
		issue_without_access(s, slot, ti, t);
	else if (e->pattern == EFFECT_SAME && !ti->writes)
		issue_constant(s, slot, ti, e, t);
	else
		issue_access(s, slot, ti, e, t);
}
