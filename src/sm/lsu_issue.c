/* Instructions enter an LSU: its queues, and the load that goes past them. */
#include "sm/lsu_one.h"
#include "sm/lsu_queue.h"

/* ---- a load that is all there is to do ---- */

/* Whether an instruction that is issued now is, if it is a load of one line. */
static inline bool has_nothing_else(const struct lsu *u)
{
	return u->head.next == CYCLE_NEVER && u->head.only_queued && u->usual;
}

static inline bool loads_one_line(const struct lsu_entry *e)
{
	return e->path == PATH_READ && e->n == 1 && !e->words && !e->apart &&
	       e->cache->shift >= UNIT_SHIFT;
}

static inline void begin_lone(struct lsu *u, enum lsu_lone_kind kind,
			      uint32_t subcore, cycle_t now)
{
	cycle_t due = max_u64(now + u->depth, u->queue[subcore].next);

	u->head.lone = (uint8_t)kind;
	u->lone_issued = now;
	u->head.only_queued = false;
	u->head.next = max_u64(due, u->free);
}

static inline void issue_lone(struct lsu *u, struct lsu_entry *e, cycle_t now)
{
	u->lone_entry = e;
	begin_lone(u, LONE_ENTRY, e->subcore, now);
}

/* ---- from the SM's sub-cores ---- */

/* Notes that the queue may have become full. */
static inline void note_room(struct lsu *u, const struct lsu_queue *q,
			     uint32_t subcore)
{
	uint32_t bit = 1u << subcore;

	if (q->count >= u->capacity) {
		u->room &= ~bit;
		u->head.can_issue &= ~bit;
	}
}

/* For the next instruction. */
static inline struct lsu_entry *take_entry(struct lsu *u)
{
	struct lsu_entry *e = u->entry_free;

	u->entry_free = e->next;
	fetch_early(e->next, LSU_FETCH_ENTRY); /* the next one to be used */
	return e;
}

struct lsu_entry *lsu_entry_of_place(struct lsu *u)
{
	const struct lsu_lone *x = &u->lone;
	struct lsu_entry *e = take_entry(u);

	e->subcore = x->subcore;
	e->grid = x->grid;
	e->at = 0;
	e->apart = 0;
	e->tag = x->tag;
	e->flight = x->flight;
	e->reader = x->reader;
	e->words = 0;
	lsu_set_one_unit(u, e, x->number, x->pieces);
	lsu_set_order(u, lsu_fill_flight(u, x->flight, x->tag, x->bytes),
		      x->warp);
	return e;
}

void lsu_end_lone(struct lsu *u)
{
	const struct lsu_entry *e = u->head.lone == LONE_ENTRY ?
					    u->lone_entry :
					    lsu_entry_of_place(u);
	struct lsu_queue *q = &u->queue[e->subcore];

	q->head = (q->head - 1) & q->last;
	q->ring[q->head] = (struct waiting){
		.issued = (uint32_t)u->lone_issued,
		.what = e->number,
	};
	q->count++;
	note_room(u, q, e->subcore);
	u->due[e->subcore] = max_u64(u->lone_issued + u->depth, q->next);
	u->head.lone = 0;
	u->head.only_queued = true;
}

/* An instruction is the first of its queue. Not inlined: most are not, and need
 * fewer registers. */
static __attribute__((noinline)) void begin_queue(struct lsu *u,
						  uint32_t subcore, cycle_t now)
{
	cycle_t due = max_u64(now + u->depth, u->queue[subcore].next);

	u->due[subcore] = due;
	if (UNLIKELY(!u->head.only_queued)) {
		if (u->work)
			return;
		if (u->head.lone)
			lsu_end_lone(u);
	}
	lsu_wake_by(u, due < u->free ? u->free : due);
}

/* Adds an instruction to a queue that has room. */
static inline void enqueue(struct lsu *u, uint32_t subcore, cycle_t now,
			   uint32_t what)
{
	struct lsu_queue *q = &u->queue[subcore];

	q->ring[(q->head + q->count) & q->last] =
		(struct waiting){ .issued = (uint32_t)now, .what = what };
	q->count++;
	note_room(u, q, subcore);
	if (q->count == 1)
		begin_queue(u, subcore, now);
}

/* ---- constants with a stage of their own ---- */

/* Like enqueue. */
static void enqueue_constant(struct lsu *u, uint32_t subcore, cycle_t now,
			     uint32_t what)
{
	struct lsu_queue *q = &u->constant->queue[subcore];

	q->ring[(q->head + q->count) & q->last] =
		(struct waiting){ .issued = (uint32_t)now, .what = what };
	if (UNLIKELY(u->head.lone))
		lsu_end_lone(u);
	u->constants++;
	u->head.only_queued = false;
	if (++q->count >= u->capacity) {
		u->const_full |= 1u << subcore;
		u->room &= ~(1u << subcore);
		u->head.can_issue &= ~(1u << subcore);
	}
	if (q->count > 1)
		return;
	u->constant->due[subcore] = max_u64(now + u->depth, q->next);
	lsu_set_const_next(u);
	lsu_wake_by(u, u->const_next);
}

/* ---- from and to outside ---- */

cycle_t lsu_constant(struct lsu *u, uint32_t subcore, uint64_t address,
		     bool parameter, cycle_t now)
{
	uint64_t access = address >> constcache_shift(u->cc);
	cycle_t t = now;

	t = constcache_read(u->cc, subcore, access, parameter, now, &t);
	if (UNLIKELY(t == CYCLE_NEVER)) {
		lsu_ask_operand(u, now, subcore, access);
		return t;
	}
	return t - (cycle_t)u->env.cfg->ccache.l0_cycles;
}

/* The walk for where the first lane's access goes begins before its requests can
 * leave. */
static inline void translate_early(struct lsu *u, cycle_t now,
				   const struct lsu_inst *in)
{
	unsigned first;
	uint64_t at;

	if (!u->l1->tlb.known || in->space != SPACE_GLOBAL || !in->mask ||
	    in->kind == KIND_TEX)
		return;
	first = (unsigned)__builtin_ctz(in->mask);
	at = in->addr ? in->addr[first] : in->half[first / (WARP_LANES / 2)];
	tlb_ready(&u->l1->tlb, at / CHUNK_BYTES, now);
}

void lsu_issue(struct lsu *u, cycle_t now, const struct lsu_inst *in)
{
	struct lsu_entry *e;

	CHECK(u->head.can_issue & 1u << in->subcore);
	if (UNLIKELY(u->latency)) {
		lsu_issue_at_once(u, now, in);
		return;
	}
	e = take_entry(u);
	lsu_prepare(u, e, in);
	translate_early(u, now, in);
	lsu_update_can_issue(u);
	if (UNLIKELY(e->path == PATH_CONST && u->constant))
		enqueue_constant(u, in->subcore, now, e->number);
	else if (has_nothing_else(u) && loads_one_line(e))
		issue_lone(u, e, now);
	else
		enqueue(u, e->subcore, now, e->number);
}

/* Like lsu_issue and lsu_prepare. */
static __attribute__((noinline)) void issue_one_unit(struct lsu *u, cycle_t now,
						     const struct lsu_place *in)
{
	struct lsu_entry *e = take_entry(u);

	e->kind = KIND_LOAD;
	e->flags = in->flags;
	e->subcore = in->subcore;
	e->tag = in->tag;
	e->reader = in->reader;
	e->bytes = WARP_LANES * in->bytes;
	e->grid = u->grid;
	e->at = 0;
	e->words = 0;
	e->apart = 0;
	lsu_prepare_one_unit(u, e, in->address, in->bytes, in->warp);
	lsu_update_by_flights(u);
	if (u->l1->tlb.known)
		tlb_ready(&u->l1->tlb, in->address / CHUNK_BYTES, now);
	enqueue(u, in->subcore, now, e->number);
}

/* The same of one that is all there is to do. It calls no function in most cases, so
 * that it need not save registers. */
static inline void issue_lone_place(struct lsu *u, cycle_t now,
				    const struct lsu_place *in)
{
	struct lsu_lone *x = &u->lone;

	x->pieces = lsu_count_one_unit(u, in->address, in->bytes);
	x->number = in->address >> u->unit_shift;
	x->flight = lsu_take_flight(u);
	x->tag = in->tag;
	x->reader = in->reader;
	x->bytes = WARP_LANES * in->bytes;
	x->subcore = in->subcore;
	x->warp = in->warp;
	x->grid = u->grid;
	begin_lone(u, LONE_PLACE, in->subcore, now);
	if (UNLIKELY(u->flight_free == LSU_NONE))
		u->head.can_issue = 0;
	if (u->l1->tlb.known)
		tlb_ready(&u->l1->tlb, in->address / CHUNK_BYTES, now);
}

/* The same of any load from one address. */
static __attribute__((noinline)) void
issue_any_place(struct lsu *u, cycle_t now, const struct lsu_place *in)
{
	uint64_t addr[WARP_LANES];

	for (unsigned l = 0; l < WARP_LANES; l++)
		addr[l] = in->address;
	lsu_issue(u, now,
		  &(struct lsu_inst){ .kind = KIND_LOAD,
				      .space = SPACE_GLOBAL,
				      .flags = in->flags,
				      .subcore = in->subcore,
				      .warp = in->warp,
				      .tag = in->tag,
				      .reader = in->reader,
				      .mask = in->mask,
				      .bytes = in->bytes,
				      .addr = addr });
}

void lsu_issue_place(struct lsu *u, cycle_t now, const struct lsu_place *in)
{
	CHECK(u->head.can_issue & 1u << in->subcore);
	if (UNLIKELY(!u->plain_loads ||
		     !lsu_is_one_unit(u, in->address, in->bytes, in->flags)))
		issue_any_place(u, now, in);
	else if (LIKELY(u->lone_places && has_nothing_else(u)))
		issue_lone_place(u, now, in);
	else
		issue_one_unit(u, now, in);
}

/* Like lsu_issue and find_constants. */
static inline void queue_constant(struct lsu *u, cycle_t now,
				  const struct lsu_place *in)
{
	struct lsu_entry *e = take_entry(u);

	e->path = PATH_CONST;
	e->kind = KIND_LOAD;
	e->flags = in->flags;
	e->subcore = in->subcore;
	e->tag = in->tag;
	e->reader = in->reader;
	e->bytes = lsu_lanes(in->mask) * in->bytes;
	e->n = 1;
	e->passes = (uint16_t)constcache_interval(u->cc);
	e->unit[0].number = in->address >> constcache_shift(u->cc);
	u->env.st->const_loads++;
	if (u->constant)
		enqueue_constant(u, in->subcore, now, e->number);
	else
		enqueue(u, in->subcore, now, e->number);
}

void lsu_issue_constant(struct lsu *u, cycle_t now, const struct lsu_place *in)
{
	if (LIKELY(!u->latency && !u->asking)) {
		queue_constant(u, now, in);
		return;
	}
	lsu_issue(u, now,
		  &(struct lsu_inst){ .kind = KIND_LOAD,
				      .space = SPACE_CONST,
				      .flags = in->flags,
				      .subcore = in->subcore,
				      .tag = in->tag,
				      .reader = in->reader,
				      .mask = in->mask,
				      .bytes = in->bytes,
				      .half = &in->address });
}

/* The next two with mem.kind = latency. what: the tag of a load, the reader of a
 * store. */
static __attribute__((noinline)) void
issue_near_at_once(struct lsu *u, cycle_t now, enum timing_kind kind,
		   uint32_t subcore, uint32_t what, const struct lsu_near *n)
{
	bool load = kind == KIND_LOAD;

	lsu_issue_at_once(u, now,
			  &(struct lsu_inst){ .kind = (uint8_t)kind,
					      .space = SPACE_SHARED,
					      .subcore = (uint8_t)subcore,
					      .tag = load ? what : 0,
					      .reader = load ? 0 : what,
					      .mask = ~0u,
					      .bytes = n->lane_bytes });
}

void lsu_issue_near(struct lsu *u, cycle_t now, uint32_t subcore, uint32_t tag)
{
	const struct lsu_near *n = lsu_near_of(u, tag);
	struct stat_lsu *st = u->env.st;

	if (UNLIKELY(u->latency)) {
		issue_near_at_once(u, now, KIND_LOAD, subcore, tag, n);
		return;
	}
	st->shared_loads++;
	st->shared_passes += n->passes;
	enqueue(u, subcore, now, tag);
}

void lsu_issue_near_store(struct lsu *u, cycle_t now, uint32_t subcore,
			  uint32_t reader)
{
	const struct lsu_near *n = &u->near[0];
	struct stat_lsu *st = u->env.st;

	if (UNLIKELY(u->latency)) {
		issue_near_at_once(u, now, KIND_STORE, subcore, reader, n);
		return;
	}
	st->shared_stores++;
	st->shared_passes += n->passes;
	enqueue(u, subcore, now, LSU_NEAR_STORE | reader);
}
