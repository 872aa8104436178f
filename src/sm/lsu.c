/*
 * The common stage of an LSU: what it accepts from the queues, and the lookups of
 * the instruction in it.
 */
#include "sm/lsu_one.h"
#include "sm/lsu_queue.h"

_Static_assert(offsetof(struct lsu, head) == 0, "lsu.h reads it there");

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

/* All units are looked up and their requests sent. */
static inline void close_flight(struct lsu *u, cycle_t now, uint32_t i)
{
	struct flight *f = &u->flight[i];

	f->open = false;
	if (f->order && f->missed)
		join_order(u, i);
	if (!f->tokens)
		lsu_end_flight(u, now, i);
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
	lsu_free_entry(u, e);
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
			lsu_deliver(u, now, e->tag, now + e->hit, e->bytes, 0);
		break;
	case PATH_CONST:
		u->free = u->free < busy ? busy : u->free;
		ready = read_constants(u, e, issued, false);
		lsu_deliver(u, now, e->tag, e->n ? ready : now, e->bytes, 0);
		break;
	case PATH_FIXED:
		lsu_deliver(u, now, e->tag,
			    issued + lsu_tex_latency(u, e->flags), e->bytes, 0);
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
	lsu_free_entry(u, e);
}

/* Takes an instruction from one of the sub-cores in `due`, in turn. Returns what
 * its queue held. */
static inline uint32_t take_in_turn(struct lsu *u, cycle_t now, uint32_t due)
{
	uint32_t i = lsu_first_in_turn(due, &u->turn);
	struct waiting w = lsu_take_first(u, now, &u->queue[i], &u->due[i]);

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
		accept_near(u, now, lsu_near_of(u, what));
		return_near(u, now, what, lsu_near_of(u, what));
	} else {
		accept_other(u, now, what);
	}
}

/* ---- a load that is all there is to do ---- */

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

/* It leaves its queue and enters the common stage for so many passes. */
static inline void enter_alone(struct lsu *u, cycle_t now, uint32_t subcore,
			       uint32_t reader, uint8_t grid, uint32_t passes)
{
	u->head.lone = 0;
	if (UNLIKELY(reader))
		u->env.read(u->env.ctx, reader, now);
	if (UNLIKELY(grid != u->grid))
		lsu_switch_grid(u, grid);
	u->turn = (subcore + 1) % SUBCORES_MAX;
	u->queue[subcore].next = now + u->address_interval;
	u->free = now + max_u64(u->accept_interval, passes);
	u->head.next = CYCLE_NEVER;
	u->head.only_queued = true;
	u->l1->now = now;
}

/* Accepts it like the first of a queue. It is looked up and sent at once, if that is
 * possible. */
static __attribute__((noinline)) bool accept_lone(struct lsu *u, cycle_t now)
{
	struct lsu_entry *e = u->lone_entry;
	enum tags_result r;

	enter_alone(u, now, e->subcore, e->reader, e->grid,
		    e->passes ? e->passes : 1);
	r = l1_read(u->l1, e->cache, e->unit, e->flight, e->tag);
	if (LIKELY(!tags_stalled(r)))
		note_read(u, e, r, now - u->depth);
	if (UNLIKELY(tags_stalled(r) || u->l1->out_count) &&
	    !send_lone(u, now, e, r))
		return true;
	close_flight(u, now, e->flight);
	lsu_free_entry(u, e);
	lsu_update_by_flights(u);
	return true;
}

/* The rest for one from one address that has not just missed and been sent. */
static __attribute__((noinline)) bool finish_lone(struct lsu *u, cycle_t now,
						  enum tags_result r)
{
	const struct lsu_lone *x = &u->lone;
	struct lsu_entry *e;

	if (LIKELY(r == TAGS_HIT)) {
		lsu_fill_flight(u, x->flight, x->tag, x->bytes)->ready =
			now - u->depth + u->hit_latency;
		lsu_complete(u, now, x->flight);
		lsu_update_by_flights(u);
		return true;
	}
	e = lsu_entry_of_place(u);
	if (!tags_stalled(r))
		note_read(u, e, r, now - u->depth);
	if (!send_lone(u, now, e, r))
		return true;
	close_flight(u, now, e->flight);
	lsu_free_entry(u, e);
	return true;
}

static __attribute__((noinline)) bool accept_place(struct lsu *u, cycle_t now)
{
	const struct lsu_lone *x = &u->lone;
	struct flight *f;
	enum tags_result r;

	enter_alone(u, now, x->subcore, x->reader, x->grid, 1);
	r = l1_read_line(u->l1, x->number, x->pieces, x->flight, x->tag);
	if (UNLIKELY(r == TAGS_HIT || tags_stalled(r) || u->l1->out_count))
		return finish_lone(u, now, r);
	f = lsu_fill_flight(u, x->flight, x->tag, x->bytes);
	f->tokens = 1;
	f->missed = true;
	f->open = false;
	u->tokens++;
	lsu_set_order(u, f, x->warp);
	if (u->order)
		join_order(u, x->flight);
	return true;
}

/* ---- constants with a stage of their own ---- */

/* Accepts a load of constants: like lsu_accept and lsu_start_entry. */
static __attribute__((noinline)) void accept_constant(struct lsu *u,
						      cycle_t now)
{
	struct lsu_queues *c = u->constant;
	uint32_t i =
		lsu_first_in_turn(lsu_all_due(u, c->due, now), &u->const_turn);
	uint32_t what = lsu_take_first(u, now, &c->queue[i], &c->due[i]).what;
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
	lsu_free_entry(u, e);
	lsu_set_const_next(u);
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
	lsu_free_flight(u, e->flight);
}

void lsu_issue_at_once(struct lsu *u, cycle_t now, const struct lsu_inst *in)
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

/* ---- its cycles ---- */

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
		lsu_take_late(u, now);
	if (u->work && u->work_at <= now)
		lsu_look_up_units(u, now);
	constant = u->constants && u->const_next <= now;
	if (constant)
		accept_constant(u, now);
	due = !u->work && u->free <= now ? lsu_due_now(u, now) : 0;
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
	uint32_t what = take_in_turn(u, now, lsu_due_of_four(u->due, now));
	const struct lsu_near *n = lsu_near_of(u, what);

	if (UNLIKELY(!(what & LSU_NEAR)))
		return accept_only_other(u, now, what);
	accept_near(u, now, n);
	u->head.next = max_u64(lsu_earliest_of_four(u->due), u->free);
	lsu_update_by_flights(u);
	return_near(u, now, what, n);
	return true;
}

/* lsu_advance if there is more to do than to accept from the queues, or less. */
static inline bool advance_unusual(struct lsu *u, cycle_t now)
{
	if (LIKELY(u->head.lone == LONE_PLACE))
		return accept_place(u, now);
	return u->head.lone ? accept_lone(u, now) : lsu_advance_all(u, now);
}

/* Saves no registers: what it calls does. */
bool lsu_advance(struct lsu *u, cycle_t now)
{
	if (now < u->head.next)
		return false;
	if (UNLIKELY(!u->head.only_queued || u->subcores > LSU_FOUR))
		return advance_unusual(u, now);
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
