#include "sm/lsu_one.h"

#include "base/minmax.h"

_Static_assert(offsetof(struct lsu, head) == 0, "lsu.h reads it there");

/* Updates which sub-cores may issue. */
static inline void lsu_update_can_issue(struct lsu *u)
{
	u->head.can_issue = UNLIKELY(lsu_exhausted(u)) ? 0 : u->room;
}

/* Sub-cores are examined four at a time, which is all that most SMs have,
 * without a loop. Sub-cores that the SM does not have are never due. */
enum { FOUR = 4 };

static inline cycle_t earliest_of_four(const cycle_t *due)
{
	return min_u64(min_u64(due[0], due[1]), min_u64(due[2], due[3]));
}

static __attribute__((noinline)) cycle_t earliest_of_more(const cycle_t *due,
							  uint32_t subcores)
{
	cycle_t first = CYCLE_NEVER;

	for (uint32_t i = FOUR; i < subcores; i += FOUR)
		first = min_u64(first, earliest_of_four(&due[i]));
	return first;
}

/* When the first of the queues with these heads is due. */
static inline cycle_t earliest(const struct lsu *u, const cycle_t *due)
{
	cycle_t first = earliest_of_four(due);

	_Static_assert(SUBCORES_MAX % FOUR == 0, "whole groups");
	if (UNLIKELY(u->subcores > FOUR))
		first = min_u64(first, earliest_of_more(due, u->subcores));
	return first;
}

static inline cycle_t first_due(const struct lsu *u)
{
	return earliest(u, u->due);
}

/* The sub-cores with an instruction that is due. */
static inline uint32_t due_of_four(const cycle_t *due, cycle_t now)
{
	return (uint32_t)(due[0] <= now) | (uint32_t)(due[1] <= now) << 1 |
	       (uint32_t)(due[2] <= now) << 2 | (uint32_t)(due[3] <= now) << 3;
}

static __attribute__((noinline)) uint32_t
due_of_more(const cycle_t *due, uint32_t subcores, cycle_t now)
{
	uint32_t all = 0;

	for (uint32_t i = FOUR; i < subcores; i += FOUR)
		all |= due_of_four(&due[i], now) << i;
	return all;
}

/* The same of these heads of queues. */
static inline uint32_t all_due(const struct lsu *u, const cycle_t *due,
			       cycle_t now)
{
	uint32_t all = due_of_four(due, now);

	if (UNLIKELY(u->subcores > FOUR))
		all |= due_of_more(due, u->subcores, now);
	return all;
}

static inline uint32_t due_now(const struct lsu *u, cycle_t now)
{
	return all_due(u, u->due, now);
}

/* The next event is no later than `when`. */
static inline void lsu_wake_by(struct lsu *u, cycle_t when)
{
	u->head.next = u->head.next < when ? u->head.next : when;
}

/* Sets the next cycle in which there is something to do. */
static inline void lsu_set_next(struct lsu *u)
{
	cycle_t next;

	if (u->work) {
		next = u->work_at;
	} else {
		next = max_u64(first_due(u), u->free);
	}
	if (UNLIKELY(u->late_count) && u->late[u->late_at].when < next)
		next = u->late[u->late_at].when;
	if (UNLIKELY(u->constants))
		next = min_u64(next, u->const_next);
	if (UNLIKELY(u->l1->merge_next < next))
		next = u->l1->merge_next;
	u->head.next = next < u->freed ? next : u->freed;
}

/* ---- results ---- */

/* Reports a result. Its data start to return `span` cycles before the last of
 * them is there. */
static void deliver(struct lsu *u, cycle_t now, uint32_t tag, cycle_t ready,
		    uint32_t bytes, uint32_t span)
{
	if (!u->latency) {
		cycle_t back = back_pass(&u->back, now, ready - span, bytes);

		ready = back > ready ? back : ready;
	}
	u->env.done(u->env.ctx, tag, ready);
}

static void free_entry(struct lsu *u, struct lsu_entry *e)
{
	e->next = u->entry_free;
	u->entry_free = e;
}

static void free_flight(struct lsu *u, uint32_t i)
{
	u->flight[i].next = u->flight_free;
	u->flight_free = i;
	u->flight_count--;
}

/* All data of an instruction have arrived, or will have at f->ready. */
static void lsu_complete(struct lsu *u, cycle_t now, uint32_t i)
{
	struct flight *f = &u->flight[i];
	cycle_t ready = f->ready;

	if (f->copy && !u->latency) {
		ready = ready > u->copy_free ? ready : u->copy_free;
		ready += f->copy;
		u->copy_free = ready;
	}
	free_flight(u, i);
	deliver(u, now, f->tag, ready, f->bytes, f->span);
}

/* The same for a load that has missed: it returns behind those of its warp that
 * missed before it, and then come those that have waited for it. */
static __attribute__((noinline)) void complete_in_order(struct lsu *u,
							cycle_t now, uint32_t i)
{
	struct lsu_order *o = &u->order[u->flight[i].order - 1];
	cycle_t ready = 0;

	if (o->first != i)
		return;
	do {
		struct flight *f = &u->flight[i];

		o->first = f->next;
		f->ready = ready = max_u64(f->ready, ready);
		lsu_complete(u, now, i);
		i = o->first;
	} while (i != LSU_NONE && !u->flight[i].tokens);
}

/* All units of a load are looked up and some have missed. */
static inline void join_order(struct lsu *u, uint32_t i)
{
	struct flight *f = &u->flight[i];
	struct lsu_order *o = &u->order[f->order - 1];

	f->next = LSU_NONE;
	if (o->first == LSU_NONE)
		o->first = i;
	else
		u->flight[o->last].next = i;
	o->last = i;
}

/* Whether a load that has missed is the only one of its warp that has; it leaves
 * their order then. */
static inline bool leave_order(struct lsu *u, uint32_t i)
{
	const struct flight *f = &u->flight[i];
	struct lsu_order *o = &u->order[f->order - 1];

	if (o->first != i || f->next != LSU_NONE)
		return false;
	o->first = LSU_NONE;
	return true;
}

/* Nothing of a flight is outstanding any more. */
static inline void end_flight(struct lsu *u, cycle_t now, uint32_t i)
{
	const struct flight *f = &u->flight[i];

	if (f->order && f->missed && !leave_order(u, i))
		complete_in_order(u, now, i);
	else
		lsu_complete(u, now, i);
}

/* A token of a flight has come back. */
static inline void lsu_return_token(struct lsu *u, cycle_t now, uint32_t i)
{
	struct flight *f = &u->flight[i];
	cycle_t ready = now + f->result_latency;

	if (ready > f->ready)
		f->ready = ready;
	u->tokens--;
	if (!--f->tokens && !f->open)
		end_flight(u, now, i);
}

/* ---- the common stage ---- */

static inline enum msg_sort atomic_sort(unsigned flags)
{
	if (flags & TIMED_CAS)
		return MSG_SORT_CAS;
	return flags & TIMED_FLOAT ? MSG_SORT_FLOAT : MSG_SORT_INT;
}

/* A unit of PATH_READ has been looked up. */
static inline void note_read(struct lsu *u, const struct lsu_entry *e,
			     enum tags_result r, cycle_t issued)
{
	struct flight *f = &u->flight[e->flight];

	if (r == TAGS_HIT) {
		f->ready = max_u64(f->ready, issued + e->hit);
	} else {
		f->missed = true;
		f->tokens++;
		u->tokens++;
	}
}

/* Looks up the next unit of PATH_READ. False: it must wait for an answer. */
static inline bool look_up_read(struct lsu *u, struct lsu_entry *e,
				cycle_t issued)
{
	struct unit *p = &e->unit[e->at];
	enum tags_result r = l1_read(u->l1, e->cache, p, e->flight, e->tag);

	if (UNLIKELY(tags_stalled(r)))
		return false;
	note_read(u, e, r, issued);
	e->at += !p->pieces;
	return true;
}

/* Looks up the next unit. False: it must wait for an answer. */
static inline bool lsu_look_up(struct lsu *u, struct lsu_entry *e,
			       cycle_t issued)
{
	struct unit *p = &e->unit[e->at];
	struct flight *f = &u->flight[e->flight];

	switch (e->path) {
	case PATH_READ:
		lsu_fetch_line(e, e->at + LSU_AHEAD);
		return look_up_read(u, e, issued);
	case PATH_WRITE:
		if (!l1_write(u->l1, p, e->written[e->at], e->keep,
			      e->words != 0))
			return false;
		e->at += !p->pieces;
		return true;
	case PATH_ASK:
		if (lsu_ask_constant(u, e, issued)) {
			e->at++;
			return true;
		}
		break;
	case PATH_ATOMIC:
		l1_atomic(u->l1, p, e->atomic, e->same, e->counted[e->at],
			  e->flags & TIMED_NO_RESULT ? MSG_NO_RESULT : 0,
			  atomic_sort(e->flags));
		break;
	default:
		l1_read_around(u->l1, p, e->flight);
	}
	f->missed = true;
	f->tokens++;
	u->tokens++;
	e->at++;
	return true;
}

static void lsu_stall(struct lsu *u, cycle_t now, enum l1_stall why,
		      cycle_t when)
{
	u->why = why;
	u->since = now;
	u->work_at = when;
}

static void resume(struct lsu *u, cycle_t now)
{
	struct stat_lsu *st = u->env.st;

	st->stall_mshr += u->why == L1_STALL_MSHR ? now - u->since : 0;
	st->stall_credit += u->why == L1_STALL_CREDIT ? now - u->since : 0;
	st->stall_port += u->why == L1_STALL_PORT ? now - u->since : 0;
	st->stall_tlb += u->why == L1_STALL_TLB ? now - u->since : 0;
	u->why = L1_GO;
}

/* All units are looked up and their requests sent. */
static inline void close_flight(struct lsu *u, cycle_t now, uint32_t i)
{
	struct flight *f = &u->flight[i];

	f->open = false;
	if (f->order && f->missed)
		join_order(u, i);
	if (!f->tokens)
		end_flight(u, now, i);
}

/* The same of an instruction that may have no result, or no units: then no lane
 * took part. */
static void close_entry(struct lsu *u, const struct lsu_entry *e, cycle_t now,
			cycle_t issued)
{
	if (e->path == PATH_WRITE)
		return;
	if (!e->n && !u->flight[e->flight].tokens)
		u->flight[e->flight].ready = issued + e->hit;
	close_flight(u, now, e->flight);
}

/* Looks up units of the current instruction, a few in a cycle, until all are done
 * or one must wait. */
static inline void lsu_look_up_units(struct lsu *u, cycle_t now)
{
	struct lsu_entry *e = u->work;
	uint32_t budget = e->pace;

	if (UNLIKELY(e->grid != u->grid))
		lsu_switch_grid(u, e->grid);
	if (u->why != L1_GO)
		resume(u, now);
	u->l1->now = now;
	for (;;) {
		cycle_t when;
		enum l1_stall why = L1_GO;

		if (u->l1->out_count)
			why = l1_drain(u->l1, now, &when);
		if (why != L1_GO) {
			lsu_stall(u, now, why, when);
			return;
		}
		if (!lsu_has_units(u, e))
			break;
		if (!budget) {
			u->work_at = now + 1;
			return;
		}
		if (!lsu_look_up(u, e, now - u->depth)) {
			lsu_stall(u, now, L1_STALL_MSHR, CYCLE_NEVER);
			return;
		}
		budget--;
	}
	close_entry(u, e, now, now - u->depth);
	free_entry(u, e);
	u->work = NULL;
	if (u->free <= now)
		u->free = now + 1;
}

/* The cycle from which what a load of constants reads can be used. together: the
 * accesses do not wait for each other. */
static cycle_t read_constants(struct lsu *u, const struct lsu_entry *e,
			      cycle_t t, bool together)
{
	cycle_t ready = 0, next = t;

	for (unsigned i = 0; i < e->n; i++) {
		cycle_t r;

		next = together ? t : next;
		r = constcache_read(u->cc, e->subcore, e->unit[i].number,
				    e->flags & TIMED_PARAMETER, t, &next);
		ready = r > ready ? r : ready;
	}
	return ready;
}

/* The next instruction of the sub-core waits for the passes of this one. */
static __attribute__((noinline)) void hold_back(struct lsu *u,
						const struct lsu_entry *e)
{
	struct lsu_queue *q = &u->queue[e->subcore];

	q->next += e->apart;
	if (q->count)
		u->due[e->subcore] = max_u64(u->due[e->subcore], q->next);
}

/* An instruction enters the common stage. */
static void lsu_start_entry(struct lsu *u, struct lsu_entry *e, cycle_t now)
{
	cycle_t issued = now - u->depth, ready = 0, busy = now + e->passes;

	if (UNLIKELY(e->reader))
		u->env.read(u->env.ctx, e->reader, now);
	switch (e->path) {
	case PATH_SHARED:
		u->free = u->free < busy ? busy : u->free;
		if (e->kind != KIND_STORE)
			deliver(u, now, e->tag, now + e->hit, e->bytes, 0);
		break;
	case PATH_CONST:
		u->free = u->free < busy ? busy : u->free;
		ready = read_constants(u, e, issued, false);
		deliver(u, now, e->tag, e->n ? ready : now, e->bytes, 0);
		break;
	case PATH_FIXED:
		deliver(u, now, e->tag, issued + lsu_tex_latency(u, e->flags),
			e->bytes, 0);
		break;
	default:
		if (e->path == PATH_READ)
			for (unsigned i = 1; i < LSU_AHEAD; i++)
				lsu_fetch_line(e, i);
		u->work = e;
		u->free = u->free < busy ? busy : u->free;
		if (UNLIKELY(e->apart))
			hold_back(u, e);
		lsu_look_up_units(u, now);
		u->head.only_queued = !u->work && !u->constants &&
				      !u->l1->merge_count;
		return;
	}
	free_entry(u, e);
}

/* What it takes, by its tag. */
static inline const struct lsu_near *near_of(const struct lsu *u, uint32_t tag)
{
	return &u->near[(tag & ~LSU_NEAR) >> LSU_NEAR_WIDTH];
}

/* The first of the sub-cores in `due`, from *turn on. */
static inline uint32_t first_in_turn(uint32_t due, uint32_t *turn)
{
	uint32_t i;

	/* Doubled, so that the search can start at *turn and wrap. */
	due = (due << SUBCORES_MAX | due) >> *turn;
	i = ((uint32_t)__builtin_ctz(due) + *turn) % SUBCORES_MAX;
	*turn = (i + 1) % SUBCORES_MAX;
	return i;
}

/* Takes the first instruction from a queue, and sets when the next one is due. */
static inline struct waiting take_first(const struct lsu *u, cycle_t now,
					struct lsu_queue *q, cycle_t *due)
{
	struct waiting w = q->ring[q->head], next;
	cycle_t at;

	q->head = (q->head + 1) & q->last;
	q->next = now + u->address_interval;
	q->count--;
	/* If there is one, it was issued no later than `now`; next.issued holds
	 * the lower bits of that cycle. Without a branch: whether there is one is
	 * unpredictable. */
	next = q->ring[q->head];
	at = max_u64(now - (uint32_t)((uint32_t)now - next.issued) + u->depth,
		     q->next);
	*due = at | -(cycle_t)!q->count;
	return w;
}

/* Takes an instruction from one of the sub-cores in `due`, in turn. Returns what
 * its queue held. */
static inline uint32_t take_in_turn(struct lsu *u, cycle_t now, uint32_t due)
{
	uint32_t i = first_in_turn(due, &u->turn);
	struct waiting w = take_first(u, now, &u->queue[i], &u->due[i]);

	u->room |= 1u << i & ~u->const_full;
	return w.what;
}

/* Accepts an instruction other than a near load. */
static inline void accept_other(struct lsu *u, cycle_t now, uint32_t what)
{
	if (what & LSU_NEAR_STORE) {
		u->free = now + u->near[0].busy;
		what &= ~LSU_NEAR_STORE;
		if (what)
			u->env.read(u->env.ctx, what, now);
		return;
	}
	u->free = now + u->accept_interval;
	lsu_start_entry(u, &u->entry[what], now);
}

/* A conflict-free load from shared memory enters the stage. The caller calls
 * return_near then. */
static inline void accept_near(struct lsu *u, cycle_t now,
			       const struct lsu_near *n)
{
	u->free = now + n->busy;
}

static inline void return_near(struct lsu *u, cycle_t now, uint32_t tag,
			       const struct lsu_near *n)
{
	u->env.near(u->env.ctx, tag,
		    back_pass(&u->back, now, now + n->after, n->bytes));
}

/* Accepts any instruction. */
static void lsu_accept(struct lsu *u, cycle_t now, uint32_t due)
{
	uint32_t what = take_in_turn(u, now, due);

	if (what & LSU_NEAR) {
		accept_near(u, now, near_of(u, what));
		return_near(u, now, what, near_of(u, what));
	} else {
		accept_other(u, now, what);
	}
}

/* ---- a load that is all there is to do ---- */

/* Whether an instruction that is issued now is, if it is a load of one line. */
static inline bool has_nothing_else(const struct lsu *u)
{
	return u->head.next == CYCLE_NEVER && u->head.only_queued &&
	       u->may_be_lone;
}

static inline bool loads_one_line(const struct lsu_entry *e)
{
	return e->path == PATH_READ && e->n == 1 && !e->words && !e->apart &&
	       e->cache->shift >= UNIT_SHIFT;
}

static inline void issue_lone(struct lsu *u, struct lsu_entry *e, cycle_t now)
{
	cycle_t due = max_u64(now + u->depth, u->queue[e->subcore].next);

	u->head.lone = e;
	u->lone_issued = now;
	u->head.only_queued = false;
	u->head.next = max_u64(due, u->free);
}

/* Its line was looked up, but not all is sent, or the lookup was refused. False: it
 * is in the common stage now, and waits. */
static __attribute__((noinline)) bool
send_lone(struct lsu *u, cycle_t now, struct lsu_entry *e, enum tags_result r)
{
	enum l1_stall why = L1_STALL_MSHR;
	cycle_t when = CYCLE_NEVER;

	if (!tags_stalled(r)) {
		e->at = 1;
		why = l1_drain(u->l1, now, &when);
	}
	if (why == L1_GO)
		return true;
	u->work = e;
	u->head.only_queued = false;
	lsu_stall(u, now, why, when);
	lsu_set_next(u);
	lsu_update_can_issue(u);
	return false;
}

/* It enters the common stage, like the first of a queue, and is looked up and
 * sent at once, if that is possible. */
static __attribute__((noinline)) bool accept_lone(struct lsu *u, cycle_t now)
{
	struct lsu_entry *e = u->head.lone;
	enum tags_result r;

	u->head.lone = NULL;
	if (UNLIKELY(e->reader))
		u->env.read(u->env.ctx, e->reader, now);
	if (UNLIKELY(e->grid != u->grid))
		lsu_switch_grid(u, e->grid);
	u->turn = (e->subcore + 1u) % SUBCORES_MAX;
	u->queue[e->subcore].next = now + u->address_interval;
	u->free = now + max_u64(u->accept_interval, max_u64(e->passes, 1));
	u->head.next = CYCLE_NEVER;
	u->head.only_queued = true;
	u->l1->now = now;
	r = l1_read(u->l1, e->cache, e->unit, e->flight, e->tag);
	if (LIKELY(!tags_stalled(r)))
		note_read(u, e, r, now - u->depth);
	if (UNLIKELY(tags_stalled(r) || u->l1->out_count) &&
	    !send_lone(u, now, e, r))
		return true;
	close_flight(u, now, e->flight);
	free_entry(u, e);
	lsu_update_can_issue(u);
	return true;
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

/* Something else comes: the load that was alone moves to its queue, to the
 * front. */
static __attribute__((noinline)) void end_lone(struct lsu *u)
{
	const struct lsu_entry *e = u->head.lone;
	struct lsu_queue *q = &u->queue[e->subcore];

	q->head = (q->head - 1) & q->last;
	q->ring[q->head] = (struct waiting){
		.issued = (uint32_t)u->lone_issued,
		.what = e->number,
	};
	q->count++;
	note_room(u, q, e->subcore);
	u->due[e->subcore] = max_u64(u->lone_issued + u->depth, q->next);
	u->head.lone = NULL;
	u->head.only_queued = true;
}

/* Adds an instruction to a queue that has room. */
static inline void enqueue(struct lsu *u, uint32_t subcore, cycle_t now,
			   uint32_t what)
{
	struct lsu_queue *q = &u->queue[subcore];
	cycle_t due = now + u->depth;

	q->ring[(q->head + q->count) & q->last] =
		(struct waiting){ .issued = (uint32_t)now, .what = what };
	q->count++;
	note_room(u, q, subcore);
	if (q->count > 1)
		return;
	due = due < q->next ? q->next : due;
	u->due[subcore] = due;
	if (UNLIKELY(!u->head.only_queued)) {
		if (u->work)
			return;
		if (u->head.lone)
			end_lone(u);
	}
	lsu_wake_by(u, due < u->free ? u->free : due);
}

/* ---- constants with a stage of their own ---- */

static void set_const_next(struct lsu *u)
{
	u->const_next = max_u64(earliest(u, u->constant->due), u->const_free);
}

/* Accepts a load of constants: like lsu_accept and lsu_start_entry. */
static __attribute__((noinline)) void accept_constant(struct lsu *u,
						      cycle_t now)
{
	struct lsu_queues *c = u->constant;
	uint32_t i = first_in_turn(all_due(u, c->due, now), &u->const_turn);
	uint32_t what = take_first(u, now, &c->queue[i], &c->due[i]).what;
	struct lsu_entry *e = &u->entry[what];
	cycle_t ready;

	u->constants--;
	u->const_full &= ~(1u << i);
	if (u->queue[i].count < u->capacity)
		u->room |= 1u << i;
	if (UNLIKELY(e->reader))
		u->env.read(u->env.ctx, e->reader, now);
	u->const_free = now + e->passes;
	ready = read_constants(u, e, now - u->depth, false);
	u->env.done(u->env.ctx, e->tag, e->n ? ready : now);
	free_entry(u, e);
	set_const_next(u);
}

/* Like enqueue. */
static void enqueue_constant(struct lsu *u, uint32_t subcore, cycle_t now,
			     uint32_t what)
{
	struct lsu_queue *q = &u->constant->queue[subcore];

	q->ring[(q->head + q->count) & q->last] =
		(struct waiting){ .issued = (uint32_t)now, .what = what };
	if (UNLIKELY(u->head.lone != NULL))
		end_lone(u);
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
	set_const_next(u);
	lsu_wake_by(u, u->const_next);
}

/* ---- mem.kind = latency ---- */

/* Notes a result, which is reported in the next cycle. */
static void add_known(struct lsu *u, cycle_t now, uint32_t tag, cycle_t ready)
{
	u->known[u->known_count++] =
		(struct known){ .ready = ready, .tag = tag };
	lsu_wake_by(u, now + 1);
}

/* Reads a unit around the L1, because no line of its set can be replaced. */
static void read_around_l1(struct lsu *u, struct lsu_entry *e)
{
	struct unit *p = &e->unit[e->at], chunk;

	chunk.number = p->number << (l1_unit_shift(e->cache) - UNIT_SHIFT);
	for (; p->pieces; p->pieces >>= UNIT_PIECES, chunk.number++) {
		chunk.pieces = p->pieces & ((1u << UNIT_PIECES) - 1);
		if (!chunk.pieces)
			continue;
		l1_read_around(u->l1, &chunk, e->flight);
		u->flight[e->flight].tokens++;
		u->tokens++;
	}
	e->at++;
}

static void look_up_at_once(struct lsu *u, struct lsu_entry *e, cycle_t now)
{
	struct flight *f = &u->flight[e->flight];
	cycle_t when;

	u->l1->now = now;
	while (lsu_has_units(u, e)) {
		if (!lsu_look_up(u, e, now)) {
			if (e->path == PATH_WRITE)
				e->keep = false;
			else
				read_around_l1(u, e);
		}
		l1_drain(u->l1, now, &when);
	}
	if (e->path == PATH_WRITE)
		return;
	f->open = false;
	if (f->tokens)
		return;
	add_known(u, now, e->tag, e->n ? f->ready : now + e->hit);
	free_flight(u, e->flight);
}

static void issue_at_once(struct lsu *u, cycle_t now, const struct lsu_inst *in)
{
	const struct cfg *cfg = u->env.cfg;
	struct lsu_entry *e = u->entry;
	cycle_t ready;

	lsu_prepare(u, e, in);
	if (e->reader)
		u->env.read(u->env.ctx, e->reader, now + u->depth);
	if (++u->queue[in->subcore].count >= u->capacity)
		u->room &= ~(1u << in->subcore);
	lsu_wake_by(u, now + 1);
	switch (e->path) {
	case PATH_SHARED:
		if (e->kind != KIND_STORE)
			add_known(u, now, e->tag,
				  now + (cycle_t)cfg->mem.shared_latency);
		break;
	case PATH_CONST:
		ready = read_constants(u, e, now, true);
		add_known(u, now, e->tag, ready > now ? ready : now + 1);
		break;
	case PATH_FIXED:
		add_known(u, now, e->tag, now + lsu_tex_latency(u, e->flags));
		break;
	default:
		look_up_at_once(u, e, now);
	}
	lsu_update_can_issue(u);
}

static bool report_known(struct lsu *u)
{
	for (uint32_t i = 0; i < u->known_count; i++) {
		const struct known *k = &u->known[i];

		if (k->tag & LSU_NEAR)
			u->env.near(u->env.ctx, k->tag, k->ready);
		else
			u->env.done(u->env.ctx, k->tag, k->ready);
	}
	u->known_count = 0;
	for (uint32_t i = 0; i < SUBCORES_MAX; i++)
		u->queue[i].count = 0;
	u->head.next = u->freed = CYCLE_NEVER;
	u->room = (1u << u->subcores) - 1;
	lsu_update_can_issue(u);
	return true;
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

/* For the next instruction. */
static inline struct lsu_entry *take_entry(struct lsu *u)
{
	struct lsu_entry *e = u->entry_free;

	u->entry_free = e->next;
	fetch_early(e->next, LSU_FETCH_ENTRY); /* the next one to be used */
	return e;
}

void lsu_issue(struct lsu *u, cycle_t now, const struct lsu_inst *in)
{
	struct lsu_entry *e;

	CHECK(u->head.can_issue & 1u << in->subcore);
	if (UNLIKELY(u->latency)) {
		issue_at_once(u, now, in);
		return;
	}
	e = take_entry(u);
	lsu_prepare(u, e, in);
	translate_early(u, now, in);
	if (UNLIKELY(e->path == PATH_CONST && u->constant)) {
		lsu_update_can_issue(u);
		enqueue_constant(u, in->subcore, now, e->number);
		return;
	}
	lsu_update_can_issue(u);
	if (has_nothing_else(u) && loads_one_line(e))
		issue_lone(u, e, now);
	else
		enqueue(u, e->subcore, now, e->number);
}

/* Like lsu_issue and lsu_prepare. */
static inline void issue_one_unit(struct lsu *u, cycle_t now,
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
	lsu_update_can_issue(u);
	if (u->l1->tlb.known)
		tlb_ready(&u->l1->tlb, in->address / CHUNK_BYTES, now);
	if (LIKELY(has_nothing_else(u) && u->l1->data.shift >= UNIT_SHIFT))
		issue_lone(u, e, now);
	else
		enqueue(u, in->subcore, now, e->number);
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
	if (LIKELY(u->plain_loads &&
		   lsu_is_one_unit(u, in->address, in->bytes, in->flags)))
		issue_one_unit(u, now, in);
	else
		issue_any_place(u, now, in);
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

	issue_at_once(u, now,
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
	const struct lsu_near *n = near_of(u, tag);

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

/* Data have passed the port. */
static inline void take_data(struct lsu *u, cycle_t now, uint32_t id,
			     uint64_t chunk, uint8_t sectors)
{
	uint32_t n = l1_fill(u->l1, id, chunk, sectors);

	for (uint32_t i = 0; i < n; i++)
		lsu_return_token(u, now, u->l1->tokens[i]);
}

/* An answer has passed the port. */
static void lsu_handle_answer(struct lsu *u, cycle_t now, uint8_t kind,
			      uint32_t id, uint64_t chunk, uint8_t sectors)
{
	uint32_t n;

	if (u->why == L1_STALL_MSHR)
		u->work_at = now;
	if (kind == MSG_ATOMIC_DONE) {
		u->l1->outstanding--;
		lsu_return_token(u, now, u->by_atomic[id]);
		return;
	}
	if (LIKELY(!(id & L1_ID_SCALAR))) {
		take_data(u, now, id, chunk, sectors);
		return;
	}
	u->l1->outstanding--;
	n = lsu_asked_came(u, now, id, chunk, sectors);
	if (n != LSU_NONE)
		lsu_return_token(u, now, n);
}

static void take_late(struct lsu *u, cycle_t now)
{
	while (u->late_count && u->late[u->late_at].when <= now) {
		const struct lsu_late *l = &u->late[u->late_at];

		lsu_handle_answer(u, now, l->kind, l->id, l->chunk, l->sectors);
		u->late_at = u->late_at + 1 < u->late_room ? u->late_at + 1 : 0;
		/* Restarts at 0, where the host's cache is warm. */
		if (!--u->late_count)
			u->late_at = 0;
	}
}

/* Updates whether there is nothing to do but to accept from the queues. */
static void lsu_update_only_queued(struct lsu *u)
{
	u->head.only_queued = !u->work && !u->late_count && !u->constants &&
			      !u->l1->merge_count && u->freed == CYCLE_NEVER &&
			      !u->latency;
}

/* The general case of lsu_advance. Not inlined: the others need few registers. */
static __attribute__((noinline)) bool lsu_advance_all(struct lsu *u,
						      cycle_t now)
{
	bool full = lsu_exhausted(u), room, constant;
	uint32_t due;

	if (u->latency)
		return report_known(u);
	room = u->freed != CYCLE_NEVER;
	u->freed = CYCLE_NEVER;
	if (u->late_count)
		take_late(u, now);
	if (u->work && u->work_at <= now)
		lsu_look_up_units(u, now);
	constant = u->constants && u->const_next <= now;
	if (constant)
		accept_constant(u, now);
	due = !u->work && u->free <= now ? due_now(u, now) : 0;
	if (due)
		lsu_accept(u, now, due);
	if (lsu_is_asking(u))
		lsu_send_asked(u, now);
	if (u->l1->merge_next <= now)
		l1_send_merged(u->l1, now);
	lsu_set_next(u);
	lsu_update_only_queued(u);
	lsu_update_can_issue(u);
	return room || due || constant || (full && !lsu_exhausted(u));
}

/* The only thing that is due is an instruction other than a near load. */
static __attribute__((noinline)) bool
accept_only_other(struct lsu *u, cycle_t now, uint32_t what)
{
	accept_other(u, now, what);
	lsu_set_next(u);
	lsu_update_can_issue(u);
	return true;
}

/* Accepts an instruction where that is all there is to do, from no more than FOUR
 * sub-cores. The call of lsu_env.near is last, so that few registers must be saved
 * for it. */
static __attribute__((noinline)) bool accept_queued(struct lsu *u, cycle_t now)
{
	uint32_t what = take_in_turn(u, now, due_of_four(u->due, now));
	const struct lsu_near *n = near_of(u, what);

	if (UNLIKELY(!(what & LSU_NEAR)))
		return accept_only_other(u, now, what);
	accept_near(u, now, n);
	u->head.next = max_u64(earliest_of_four(u->due), u->free);
	u->head.can_issue = u->flight_free == LSU_NONE ? 0 : u->room;
	return_near(u, now, what, n);
	return true;
}

/* Saves no registers: what it calls does. */
bool lsu_advance(struct lsu *u, cycle_t now)
{
	if (now < u->head.next)
		return false;
	if (UNLIKELY(!u->head.only_queued || u->subcores > FOUR))
		return u->head.lone ? accept_lone(u, now) :
				      lsu_advance_all(u, now);
	return accept_queued(u, now);
}

/* Whether the lookups of the next cycle report no result: units will be left,
 * or tokens are outstanding. */
static inline bool is_silent(const struct lsu *u, const struct lsu_entry *e)
{
	return e->n - e->at > (int)e->pace || e->path == PATH_WRITE ||
	       u->flight[e->flight].tokens;
}

cycle_t lsu_run_ahead(struct lsu *u, cycle_t to)
{
	cycle_t last = 0;

	if (u->late_count || u->freed != CYCLE_NEVER || u->env.missed ||
	    u->env.evicted || u->constants)
		return 0;
	while (u->work && u->work_at < to && !u->l1->merge_count &&
	       is_silent(u, u->work)) {
		last = u->work_at;
		lsu_look_up_units(u, last);
	}
	if (last) {
		lsu_update_only_queued(u);
		lsu_set_next(u);
	}
	return last;
}

/* Bytes of an answer with data. */
static inline uint32_t data_bytes(const struct lsu *u, const struct msg *m)
{
	return u->l1->header + pieces_count(m->sectors) * PIECE_BYTES;
}

/* Counts an answer; returns its bytes. */
static uint32_t count_answer(const struct lsu *u, const struct msg *m)
{
	struct stat_lsu *st = u->env.st;

	if (m->kind == MSG_DATA) {
		st->answers++;
		return data_bytes(u, m);
	}
	if (m->kind != MSG_ATOMIC_DONE)
		return u->l1->header;
	st->atomic_answers++;
	if (!u->flight[u->by_atomic[m->id]].bytes)
		return u->l1->header;
	return u->l1->header + (m->lanes + 1u) * ATOMIC_LANE_BYTES;
}

static void receive_answer(struct lsu *u, cycle_t now, const struct msg *m)
{
	cycle_t when = l1_arrive(u->l1, now, count_answer(u, m));
	uint32_t at;

	if (when <= now && !u->late_count) {
		lsu_handle_answer(u, now, m->kind, m->id, m->chunk, m->sectors);
		return;
	}
	CHECK(u->late_count < u->late_room);
	at = u->late_at + u->late_count++;
	at = at < u->late_room ? at : at - u->late_room;
	u->late[at] = (struct lsu_late){
		.when = when,
		.chunk = m->chunk,
		.id = m->id,
		.kind = m->kind,
		.sectors = m->sectors,
	};
}

static void take_credit(struct lsu *u, cycle_t now, const struct msg *m)
{
	uint32_t partition = m->source - u->env.first_partition;

	if (u->latency)
		return;
	u->l1->credit[partition] += m->id;
	u->l1->writes_taken += m->bytes[0];
	if (m->bytes[1])
		u->l1->far_written = now + u->l1->far_write;
	if (u->l1->merge_count && u->l1->merge_next == CYCLE_NEVER)
		u->l1->merge_next = now;
	if (u->why == L1_STALL_CREDIT && u->l1->no_credit == partition)
		u->work_at = now;
}

/* Whether an answer that comes now is all that changes: no instruction has waited
 * for it, and no other answer waits for the port. */
static inline bool answer_changes_little(const struct lsu *u)
{
	return u->why == L1_GO && !u->late_count && !u->asking && !u->latency &&
	       u->flight_free != LSU_NONE;
}

/* The general case of lsu_answer. */
static __attribute__((noinline)) void
answer_at_length(struct lsu *u, cycle_t now, const struct msg *m)
{
	bool full = lsu_exhausted(u);

	if (m->kind == MSG_CREDIT)
		take_credit(u, now, m);
	else
		receive_answer(u, now, m);
	if ((full && !lsu_exhausted(u)) || lsu_is_asking(u))
		u->freed = now;
	if (u->head.lone)
		end_lone(u);
	lsu_update_can_issue(u);
	lsu_update_only_queued(u);
	if (!u->latency)
		lsu_set_next(u);
	else
		lsu_wake_by(u, u->freed);
}

void lsu_answer(struct lsu *u, cycle_t now, const struct msg *m)
{
	if (LIKELY(m->kind == MSG_DATA) && answer_changes_little(u) &&
	    l1_arrive_at_once(u->l1, now, data_bytes(u, m))) {
		u->env.st->answers++;
		take_data(u, now, m->id, m->chunk, m->sectors);
		return;
	}
	answer_at_length(u, now, m);
}

bool lsu_holds_writes(const struct lsu *u)
{
	const struct l1 *c = u->l1;

	return c->acknowledged &&
	       (c->writes_taken != c->writes_sent || !lsu_idle(u));
}

/* Lines that an instruction has yet to write to the L2. */
static uint32_t lines_to_write(const struct lsu_entry *e)
{
	return e->path == PATH_WRITE ? (uint32_t)(e->n - e->at) : 0;
}

static uint32_t queued_writes(const struct lsu *u)
{
	uint32_t n = u->work ? lines_to_write(u->work) : 0;

	for (uint32_t k = 0; k < u->subcores; k++) {
		const struct lsu_queue *q = &u->queue[k];

		for (uint32_t i = 0; i < q->count; i++) {
			uint32_t what = q->ring[(q->head + i) & q->last].what;

			if (lsu_has_entry(what))
				n += lines_to_write(&u->entry[what]);
		}
	}
	return n;
}

uint64_t lsu_writes_due(const struct lsu *u)
{
	const struct l1 *c = u->l1;

	return c->writes_sent + c->merge_count + (c->out_count - c->out_at) +
	       queued_writes(u);
}

bool lsu_writes_taken(const struct lsu *u, uint64_t due)
{
	return u->l1->writes_taken >= due ||
	       u->l1->writes_taken == lsu_writes_due(u);
}

cycle_t lsu_written(const struct lsu *u, cycle_t now)
{
	return max_u64(now, u->l1->far_written);
}

bool lsu_idle(const struct lsu *u)
{
	return first_due(u) == CYCLE_NEVER && !u->work && !u->constants &&
	       !u->flight_count && !u->late_count && !u->known_count &&
	       !u->l1->out_count && !u->l1->merge_count &&
	       !u->l1->outstanding && !lsu_is_asking(u);
}

void lsu_start(struct lsu *u, uint64_t shared_bytes)
{
	CHECK(lsu_idle(u));
	l1_start(u->l1, shared_bytes);
	constcache_start(u->cc);
}

void lsu_share_regions(struct lsu *u, bitmap_word *known)
{
	tlb_share(&u->l1->tlb, known);
}

void lsu_empty_l1(struct lsu *u)
{
	l1_empty(u->l1);
}

void lsu_start_counts(struct lsu *u)
{
	u->mark = (struct lsu_counts){ *u->env.st, *u->env.l1 };
	u->grid = 0;
	u->l1->flags = 0;
}

void lsu_count_for(struct lsu *u, uint32_t grid, struct lsu_counts *to)
{
	CHECK(grid < LSU_GRIDS);
	u->own[grid] = to;
}

void lsu_settle(struct lsu *u)
{
	struct lsu_counts *own = u->own[u->grid];

	if (!own)
		return;
	COUNTS_MOVE(&own->lsu, u->env.st, &u->mark.lsu);
	COUNTS_MOVE(&own->l1, u->env.l1, &u->mark.l1);
}

void lsu_switch_grid(struct lsu *u, uint8_t grid)
{
	if (u->grid == grid)
		return;
	lsu_settle(u);
	u->grid = grid;
	u->l1->flags = msg_grid_flags(grid);
}

const char *lsu_broken_law(const struct lsu *u)
{
	const struct l1 *l1 = u->l1;
	const char *law = NULL;
	uint64_t tokens = 0;

	if (l1->data.tags)
		law = tags_broken_law(l1->data.tags);
	if (!law && l1->tex.tags)
		law = tags_broken_law(l1->tex.tags);
	if (law)
		return law;
	for (uint32_t i = 0; i < u->env.shape->partitions; i++)
		if (l1->credit[i] > (uint64_t)u->env.cfg->net.queue)
			return "credits <= net.queue";
	for (uint32_t i = 0; i < u->flights; i++)
		tokens += u->flight[i].tokens;
	if (tokens != u->tokens)
		return "tokens of all instructions == lsu.tokens";
	if (lsu_idle(u) && u->tokens)
		return "idle: no tokens are outstanding";
	if (l1->outstanding > l1->outstanding_max)
		return "outstanding requests <= their maximum";
	return NULL;
}
