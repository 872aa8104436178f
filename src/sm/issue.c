/*
 * The cycle of an SM. This is where the simulator spends its time.
 */
#include "base/minmax.h"
#include "simt/mem.h"
#include "sm/core.h"
#include "sm/pipes.h"

/* Waits that a scheduling policy hears of. */
static inline bool long_wait(unsigned why)
{
	return why >= REASON_MEMORY;
}

static void tell_stall(struct sm *s, int slot, const struct slot *p)
{
	struct sm_event e = { .kind = SM_EVENT_STALL,
			      .reason = p->wait,
			      .sm = (uint16_t)s->env.self,
			      .slot = (uint16_t)slot,
			      .grid = s->block[p->block].grid,
			      .block = p->warp->block->index,
			      .from = p->since,
			      .to = s->now };

	if (s->now > p->since)
		s->env.event(s->env.event_ctx, &e);
}

static inline void leave_wait(struct sm *s, int slot)
{
	struct slot *p = &s->slot[slot];

	if (p->wait == NO_WAIT)
		return;
	s->waits[p->wait] &= ~(UINT64_C(1) << slot);
	if (long_wait(p->wait))
		sched_woken(&s->sched[p->sched], slot);
	if (UNLIKELY(s->env.event != NULL))
		tell_stall(s, slot, p);
	p->wait = NO_WAIT;
}

static inline void enter_wait(struct sm *s, int slot, enum reason why)
{
	struct slot *p = &s->slot[slot];
	uint64_t bit = UINT64_C(1) << slot;

	s->ready &= ~bit;
	s->waits[why] |= bit;
	p->wait = (uint8_t)why;
	p->wake = CYCLE_NEVER;
	if (UNLIKELY(s->env.event != NULL))
		p->since = s->now;
	if (long_wait(why))
		sched_stalled(&s->sched[p->sched], slot);
}

/* Its next instruction is for an LSU without room for its sub-core:
 * look_for_room will see to it. */
static inline bool finds_lsu_full(const struct sm *s, int slot)
{
	const struct slot *p = &s->slot[slot];

	return s->lsu_full >> p->sub & 1 &&
	       (p->unit == UNIT_LSU || p->unit == UNIT_TEX);
}

static inline void make_ready(struct sm *s, int slot)
{
	unsigned k = s->slot[slot].sched;

	sm_account(s, k, s->now);
	leave_wait(s, slot);
	s->ready |= UINT64_C(1) << slot;
	if (!finds_lsu_full(s, slot)) {
		s->retry[k] = 0;
		s->woken |= 1u << k;
	}
}

void sm_ready(struct sm *s, int slot)
{
	make_ready(s, slot);
}

void sm_wait(struct sm *s, int slot, enum reason why)
{
	struct slot *p = &s->slot[slot];

	if (p->wait == why) {
		p->wake = CYCLE_NEVER;
		return;
	}
	sm_account(s, p->sched, s->now);
	leave_wait(s, slot);
	enter_wait(s, slot, why);
}

/* Due beyond the last turn it waits for that one, and is placed again. */
static void into_turn(struct sm *s, uint64_t bit, cycle_t at)
{
	cycle_t turn = min_u64(at / WHEEL, s->now / WHEEL + WHEEL - 1);

	s->far |= bit;
	s->turns[turn % WHEEL] |= bit;
	s->occupied |= 1;
}

static inline void into_wheel(struct sm *s, int slot, cycle_t at)
{
	uint64_t bit = UINT64_C(1) << slot;
	unsigned place = at % WHEEL;

	if (at - s->now >= WHEEL) {
		into_turn(s, bit, at);
		return;
	}
	s->wheel[place] |= bit;
	s->occupied |= UINT64_C(1) << place;
}

/* The warp waits for a cycle. One that has just issued was accounted for. */
static inline void wait_until(struct sm *s, int slot, enum reason why,
			      cycle_t at)
{
	struct slot *p = &s->slot[slot];

	if (p->wait == NO_WAIT && p->sched == s->turn)
		enter_wait(s, slot, why);
	else
		sm_wait(s, slot, why);
	p->wake = at;
	into_wheel(s, slot, at);
}

static inline score_t later_score(score_t a, score_t b)
{
	return a > b ? a : b;
}

/* Few instructions have more than four registers, so these are looked at
 * without counting. */
static inline cycle_t operands_ready(const struct sm *s, const struct slot *p,
				     const struct timed_inst *r)
{
	const score_t *ready = p->ready;
	const uint16_t *reg = r->reg;
	score_t at;

	_Static_assert(TIMED_QUICK == 4, "as many as are looked at");
	if (UNLIKELY(!r->regs))
		return 0;
	at = later_score(later_score(ready[reg[0]], ready[reg[1]]),
			 later_score(ready[reg[2]], ready[reg[3]]));
	if (UNLIKELY(r->regs > TIMED_QUICK)) {
		reg = timed_regs(r);
		for (unsigned i = TIMED_QUICK; i < r->regs; i++)
			at = later_score(at, ready[reg[i]]);
	}
	return at + (at < SCORE_PENDING ? s->origin : PENDING - SCORE_PENDING);
}

/* When the warp's next instruction may issue, and in *why what holds it up
 * until then. PENDING and more: it waits for an event. */
static inline cycle_t issue_cycle(const struct sm *s, const struct slot *p,
				  enum reason *why)
{
	cycle_t need = operands_ready(s, p, p->next);

	*why = (enum reason)p->why;
	if (need <= p->earliest)
		return p->earliest;
	if (need >= PENDING)
		*why = (enum reason)(need - PENDING);
	else
		*why = need == p->result ? (enum reason)p->result_reason :
					   REASON_DEPENDENCE;
	return need;
}

static inline void issue_settle(struct sm *s, int slot)
{
	const struct slot *p = &s->slot[slot];
	enum reason why;
	cycle_t at = issue_cycle(s, p, &why);

	if (at >= PENDING)
		sm_wait(s, slot, why);
	/* Ready for the next cycle is ready now for a scheduler that has had
	 * its turn in this one. */
	else if (at <= s->now || (at == s->now + 1 && p->sched == s->turn))
		make_ready(s, slot);
	else
		wait_until(s, slot, why, at);
}

/* The same for a warp that has just issued: it is ready, and its scheduler has
 * had its turn. */
static inline void settle_issued(struct sm *s, int slot)
{
	struct slot *p = &s->slot[slot];
	enum reason why;
	cycle_t at = issue_cycle(s, p, &why);

	if (at <= s->now + 1)
		return;
	enter_wait(s, slot, why);
	if (at >= PENDING)
		return;
	p->wake = at;
	into_wheel(s, slot, at);
}

void sm_settle(struct sm *s, int slot)
{
	issue_settle(s, slot);
}

void sm_near_done(void *ctx, uint32_t tag, cycle_t ready)
{
	struct sm *s = ctx;
	int slot = (int)((tag & ~LSU_NEAR) >> NEAR_SLOT);
	struct slot *p = &s->slot[slot];
	enum reason why;
	cycle_t at;

	p->ready[(uint16_t)tag] = sm_score(s, ready);
	p->result = ready;
	p->result_reason = REASON_SHARED;
	p->pending--;
	if (p->wait == NO_WAIT || p->wake != CYCLE_NEVER)
		return;
	if (UNLIKELY(p->wait != REASON_SHARED)) {
		sm_reconsider(s, slot, ready);
		return;
	}
	/* Only operands hold it: for this reason it does not wait otherwise. */
	at = issue_cycle(s, p, &why);
	if (UNLIKELY(why != REASON_SHARED || at <= s->now)) {
		issue_settle(s, slot);
	} else if (at < PENDING) {
		p->wake = at;
		into_wheel(s, slot, at);
	}
}

/* The warp has come to another function, or to its first. */
static void enter_function(struct sm *s, struct slot *p, const struct inst *in)
{
	const struct code *c = p->warp->frame->code;
	const struct sm_gridstate *g = s->grids[s->block[p->block].grid];
	uint32_t func = c->func->index;

	if (p->insts)
		p->pc = in->index; /* whatever it is, it does not follow */
	p->insts = p->warp->insts;
	p->regs = p->warp->base[SLOT_REG];
	p->sregs = p->warp->base[SLOT_SREG];
	p->rows = g->grid.book->func[func].inst;
	p->heat = g->heat[func];
	p->base = g->base[func];
	p->fetched = 0;
	/* Whatever was under way has arrived: see sm_needs_drain. */
	memset(p->ready, 0,
	       g->grid.book->func[func].scoreboard * sizeof(*p->ready));
}

/* The instructions around the pc with the same lines need no look at them. */
static void note_fetched(const struct sm *s, struct slot *p)
{
	uint32_t size = 1u << s->line_shift;
	uint64_t line = (uint64_t)p->line * size + s->buffer;
	uint64_t ahead = (uint64_t)p->ahead * size;
	uint64_t from = max_u64(line, ahead), to = min_u64(line, ahead) + size;

	p->fetched_from = (uint32_t)(from - s->buffer - p->base);
	p->fetched = (uint32_t)(to - from);
}

/* The warp comes to another line of instructions, or near to one. */
static __attribute__((noinline)) void fetch_lines(struct sm *s, struct slot *p,
						  cycle_t t)
{
	uint32_t at = p->base + p->pc;
	uint32_t line = at >> s->line_shift;
	uint32_t ahead = (at + s->buffer) >> s->line_shift;

	if (line != p->line) {
		p->line_ready = line == p->ahead ?
					p->ahead_ready :
					front_fetch(s->front, p->sub, line, t);
		p->line = line;
		if (line >= p->ahead || ahead < p->ahead) {
			p->ahead = line;
			p->ahead_ready = p->line_ready;
		}
	}
	if (ahead != p->ahead) {
		p->ahead = ahead;
		p->ahead_ready = front_fetch(s->front, p->sub, ahead, t);
	}
	note_fetched(s, p);
}

/* Instructions up to front.buffer ahead of the pc are asked for. */
static inline void issue_fetch(struct sm *s, struct slot *p, cycle_t t)
{
	if (UNLIKELY(p->pc - p->fetched_from >= p->fetched))
		fetch_lines(s, p, t);
}

/* The warp's next instruction is known: its unit, and its data if it is a load.
 * Its scheduler has been accounted for. */
static inline void issue_set_next(struct sm *s, int slot)
{
	struct slot *p = &s->slot[slot];
	const struct timed_inst *r = p->next;
	uint64_t bit = UINT64_C(1) << slot;

	s->needs[p->unit] &= ~bit;
	s->needs[r->unit] |= bit;
	p->unit = r->unit;
	if (r->fetches)
		mem_fetch(p->warp, p->in);
}

/* Finds what the warp does next. False: nothing, or it must not go on. */
static inline bool look_ahead(struct sm *s, int slot, cycle_t t,
			      cycle_t earliest, enum reason why)
{
	struct slot *p = &s->slot[slot];
	const struct inst *in = warp_next(p->warp);

	if (UNLIKELY(!in)) {
		p->next = NULL;
		sm_blocked(s, slot, t);
		return false;
	}
	if (LIKELY(p->next && in == p->in + 1)) {
		p->next++;
	} else {
		if (p->insts != p->warp->insts)
			enter_function(s, p, in);
		p->next = &p->rows[in - p->insts];
	}
	p->in_text = in->index - p->pc == 1;
	if (UNLIKELY(!p->in_text) && earliest < t + s->branch_cycles) {
		earliest = t + s->branch_cycles;
		why = REASON_REDIRECT;
	}
	p->pc = in->index;
	p->in = in;
	if (s->front) {
		issue_fetch(s, p, t);
		if (p->line_ready > earliest) {
			earliest = p->line_ready;
			why = REASON_FETCH;
		}
	}
	sm_account(s, p->sched, s->now);
	issue_set_next(s, slot);
	p->earliest = earliest;
	p->why = (uint8_t)why;
	if (UNLIKELY(p->hold || sm_needs_drain(p))) {
		sm_wait(s, slot, REASON_MEMORY);
		return false;
	}
	return true;
}

void sm_prepare(struct sm *s, int slot, cycle_t t, cycle_t earliest,
		enum reason why)
{
	if (look_ahead(s, slot, t, earliest, why))
		issue_settle(s, slot);
}

/* The same as look_ahead for what mostly happens: the warp has issued at t and
 * goes on with the next instruction in the text. */
static inline bool issue_in_text(struct sm *s, int slot, cycle_t t)
{
	struct slot *p = &s->slot[slot];

	p->next++;
	p->in++;
	p->pc++;
	p->in_text = true;
	p->earliest = t + 1;
	p->why = REASON_DEPENDENCE;
	if (s->front) {
		issue_fetch(s, p, t);
		if (UNLIKELY(p->line_ready > t + 1)) {
			p->earliest = p->line_ready;
			p->why = REASON_FETCH;
		}
	}
	issue_set_next(s, slot);
	if (LIKELY(!p->hold && !sm_needs_drain(p)))
		return true;
	sm_wait(s, slot, REASON_MEMORY);
	return false;
}

static inline void prepare_issued(struct sm *s, int slot, cycle_t t)
{
	bool goes = LIKELY(s->smooth && s->slot[slot].next->leads_on) ?
			    issue_in_text(s, slot, t) :
			    look_ahead(s, slot, t, t + 1, REASON_DEPENDENCE);

	if (goes)
		settle_issued(s, slot);
}

void sm_prepare_issued(struct sm *s, int slot, cycle_t t)
{
	prepare_issued(s, slot, t);
}

static inline void write_registers(const struct sm *s, struct slot *p,
				   const struct timed_inst *r, cycle_t ready)
{
	const uint16_t *reg = timed_regs(r);

	for (unsigned i = 0; i < r->writes; i++)
		p->ready[reg[i]] = sm_score(s, ready);
}

/* The block's barriers take one warp after the other. */
static void issue_barrier(struct sm *s, int slot, bool arrives, cycle_t t)
{
	cycle_t start = s->barrier_free > t ? s->barrier_free : t, open;

	s->st.barriers++;
	s->barrier_free = start + s->barrier_interval;
	open = s->barrier_free + s->barrier_cycles;
	if (sm_release(s, s->slot[slot].block, t, open) && !arrives)
		sm_prepare(s, slot, t, open, REASON_BARRIER);
	else
		sm_prepare(s, slot, t, t + 1, REASON_BARRIER);
}

static cycle_t fence_cycles(const struct sm *s, const struct timed_inst *r)
{
	const struct cfg_sm *c = &s->env.cfg->sm;

	if (r->flags & TIMED_BLOCK)
		return (cycle_t)c->fence_block;
	return (cycle_t)(r->flags & TIMED_SYSTEM ? c->fence_system :
						   c->fence_gpu);
}

static cycle_t sleep_cycles(const struct sm *s, uint64_t ns)
{
	uint64_t mhz = (uint64_t)s->env.cfg->gpu.clock;

	return ns * mhz / 1000 + 1;
}

/* What follows from an instruction with a known latency, executed at t. */
static inline void after_plain(struct sm *s, int slot,
			       const struct timed_inst *r, cycle_t t,
			       cycle_t late)
{
	struct slot *p = &s->slot[slot];

	write_registers(s, p, r, t + r->cycles + late);
	prepare_issued(s, slot, t);
}

/* What malloc returns is known at the end of the epoch. */
static void await_heap(struct sm *s, int slot, cycle_t t)
{
	cycle_t epoch = s->env.epoch;

	s->slot[slot].warp->effect->calls_heap = false;
	sm_prepare(s, slot, t, (t / epoch + 1) * epoch, REASON_ATOMIC);
}

/* And from any other. */
static void after_step(struct sm *s, int slot, const struct timed_inst *r,
		       const struct inst *in, cycle_t t)
{
	struct slot *p = &s->slot[slot];

	switch ((enum timing_kind)r->kind) {
	case KIND_LOAD:
	case KIND_STORE:
	case KIND_ATOMIC:
	case KIND_ASYNC:
	case KIND_TEX:
		sm_issue_memory(s, slot, r, in, t);
		return;
	case KIND_BULK:
		sm_issue_bulk(s, slot, r, t);
		return;
	case KIND_ASYNC_WAIT:
		sm_issue_async_wait(s, slot, r, in, t);
		return;
	case KIND_BARRIER:
	case KIND_ARRIVE:
		issue_barrier(s, slot, r->kind == KIND_ARRIVE, t);
		return;
	case KIND_FENCE:
		sm_prepare(s, slot, t, t + fence_cycles(s, r), REASON_FENCE);
		return;
	case KIND_SLEEP:
		sm_prepare(s, slot, t,
			   t + sleep_cycles(s, p->warp->effect->sleep_ns),
			   REASON_SLEEP);
		return;
	case KIND_COMMIT:
		sm_commit_group(&p->groups[r->group]);
		prepare_issued(s, slot, t);
		return;
	case KIND_BRANCH:
	case KIND_INDIRECT:
		s->st.branches++;
		s->st.diverged += p->warp->split_count != p->splits;
		if (UNLIKELY(p->warp->steps >= s->max_steps)) {
			warp_endless(p->warp);
			s->stopped = true;
			return;
		}
		sm_prepare(s, slot, t, t + 1, REASON_REDIRECT);
		return;
	default: /* KIND_CALL, KIND_EXIT */
		write_registers(s, p, r, t + r->cycles);
		if (UNLIKELY(p->warp->effect->calls_heap))
			await_heap(s, slot, t);
		else
			sm_prepare(s, slot, t, t + 1, REASON_REDIRECT);
	}
}

static void count_issue(struct sm *s, struct slot *p,
			const struct timed_inst *r, cycle_t t)
{
	struct sm_heat *h = &p->heat[p->pc];
	lanes_t mask = p->warp->mask;

	h->issued++;
	h->waited += t - p->issued;
	p->issued = t;
	s->unit_count[r->unit]++;
	if (mask != LANES_ALL) {
		s->lanes_off += warp_off(mask);
		s->st.guarded_off += !mask;
	}
}

/* Executes the warp's next instruction, which may issue at t. */
static inline void issue_inst(struct sm *s, unsigned k, int slot, cycle_t t,
			      cycle_t late)
{
	struct slot *p = &s->slot[slot];
	struct warp *w = p->warp;
	const struct timed_inst *r = p->next;
	const struct inst *in = p->in;
	uint64_t steps = w->steps;

	sm_account(s, k, t);
	s->accounted[k] = t + 1;
	s->pace[k] = t + s->issue_interval;
	s->last[k] = (int8_t)slot;
	hold_unit(s, s->sub_of[k], r, t);
	if (r->kind == KIND_BRANCH || r->kind == KIND_INDIRECT)
		p->splits = w->split_count;
	s->smooth = warp_smooth_step(w, in);
	if (UNLIKELY(!s->smooth && !warp_end_step(w, steps))) {
		s->st.replays++;
		s->reason[REASON_CONVERGE]++;
		sm_prepare(s, slot, t, t + 1, REASON_CONVERGE);
		return;
	}
	count_issue(s, p, r, t);
	if (UNLIKELY(w->event & EVENT_FAULT)) {
		s->stopped = true;
		return;
	}
	if (r->kind == KIND_PLAIN)
		after_plain(s, slot, r, t, late);
	else
		after_step(s, slot, r, in, t);
}

/* Another instruction of the warp that has just issued, in the same cycle. */
static bool issue_second(struct sm *s, unsigned k, int slot, cycle_t t)
{
	struct slot *p = &s->slot[slot];
	uint64_t bit = UINT64_C(1) << slot;
	const struct timed_inst *r = p->next;
	cycle_t late;

	if (!(s->ready & bit) || !p->in_text || r->kind != KIND_PLAIN ||
	    (p->earliest > t && p->earliest != t + 1) ||
	    operands_ready(s, p, r) > t || busy_warps(s, s->sub_of[k], t) & bit)
		return false;
	late = take_operands(s, k, slot, r, t);
	if (late == CYCLE_NEVER)
		return false;
	issue_inst(s, k, slot, t, late);
	s->st.dual++;
	return true;
}

/* Takes warps out of *ready whose unit is busy in cycle `at`; returns when the
 * first of these units is free. */
static inline cycle_t unit_event(const struct sm *s, unsigned row, cycle_t at,
				 uint64_t *ready)
{
	cycle_t next = CYCLE_NEVER;

	for (uint32_t left = s->held[row]; left; left &= left - 1) {
		unsigned u = (unsigned)__builtin_ctz(left);
		cycle_t free = s->unit_free[row][u];
		uint64_t wait = s->needs[u] & *ready & -(uint64_t)(free > at);

		next = min_u64(next, wait ? free : CYCLE_NEVER);
		*ready &= ~wait;
	}
	return next;
}

/*
 * Scheduler k has had its turn in t: the next cycle in which it may issue, if
 * nothing else happens before. What happens sets s->retry to 0: a warp becomes
 * ready, or the LSU has room.
 */
static inline cycle_t next_try(const struct sm *s, unsigned k, cycle_t t)
{
	unsigned sub = s->sub_of[k];
	uint64_t ready = s->ready & s->mine[k];
	cycle_t at = max_u64(t + 1, max_u64(s->pace[k], s->operands[k])), next;

	if (s->lsu_full >> sub & 1)
		ready &= ~(s->needs[UNIT_LSU] | s->needs[UNIT_TEX]);
	if (!ready)
		return CYCLE_NEVER;
	next = unit_event(s, sub, at, &ready);
	if (s->held[SHARED_UNITS])
		next = min_u64(next, unit_event(s, SHARED_UNITS, at, &ready));
	return ready ? at : next;
}

/* Whether the LSU takes the instruction; if not, it is not asked again before
 * it has moved. */
static inline bool lsu_takes(struct sm *s, unsigned sub,
			     const struct timed_inst *r)
{
	bool ours = (r->unit == UNIT_LSU) | (r->unit == UNIT_TEX);

	if (LIKELY(!(ours & !lsu_can_issue(s->lsu, sub))))
		return true;
	s->lsu_full |= 1u << sub;
	return false;
}

/* A scheduler's turn in cycle t. */
static void issue_schedule(struct sm *s, unsigned k, cycle_t t)
{
	uint64_t can = s->ready & s->mine[k];
	const struct timed_inst *r;
	cycle_t late;
	int slot;

	if (s->pace[k] > t || s->operands[k] > t)
		return;
	can &= ~busy_warps(s, s->sub_of[k], t);
	if (!can)
		return;
	slot = sched_pick(&s->sched[k], can, t);
	if (UNLIKELY(slot < 0 || s->throttled >> k & 1)) {
		sm_account(s, k, t); /* for what it was up to now */
		s->throttled &= ~(1u << k);
		s->throttled |= (uint32_t)(slot < 0) << k;
		if (slot < 0)
			return;
	}
	r = s->slot[slot].next;
	if (!lsu_takes(s, s->sub_of[k], r))
		return;
	if (UNLIKELY(sm_orders(s, r)) && sm_must_wait(s, slot, r))
		return;
	late = take_operands(s, k, slot, r, t);
	if (UNLIKELY(late == CYCLE_NEVER))
		return;
	issue_inst(s, k, slot, t, late);
	sched_issued(&s->sched[k], slot);
	for (uint32_t n = 1; n < s->issue_width && !s->stopped; n++)
		if (!issue_second(s, k, slot, t))
			break;
}

static inline void take_turn(struct sm *s, unsigned k, cycle_t t)
{
	s->turn = (uint8_t)k;
	if (s->ready & s->mine[k])
		issue_schedule(s, k, t);
	s->retry[k] = next_try(s, k, t);
}

/* Schedulers that may issue in cycle t. Which cannot be foreseen: no branch.
 * Those that the SM has not never may. */
static inline uint32_t due_turns(const struct sm *s, uint32_t schedulers,
				 cycle_t t)
{
	uint32_t due = 0;

	_Static_assert(SUBCORES % 4 == 0, "four at a time");
	for (uint32_t k = 0; k < schedulers && k < SUBCORES; k += 4) {
		const cycle_t *retry = &s->retry[k];

		due |= (uint32_t)(retry[0] <= t) << k |
		       (uint32_t)(retry[1] <= t) << (k + 1) |
		       (uint32_t)(retry[2] <= t) << (k + 2) |
		       (uint32_t)(retry[3] <= t) << (k + 3);
	}
	return due;
}

/* In their order. A turn may wake warps of others: it is not too late for
 * those that follow. */
static inline void issue_take_turns(struct sm *s, uint32_t schedulers,
				    cycle_t t)
{
	uint32_t due = due_turns(s, schedulers, t);

	s->woken = 0;
	while (due) {
		unsigned k = (unsigned)__builtin_ctz(due);

		take_turn(s, k, t);
		due = (due | s->woken) & -(UINT32_C(2) << k);
	}
	s->turn = NO_TURN;
}

/* A turn of the wheel begins, and brings the warps that waited for it. */
static void begin_turn(struct sm *s, cycle_t t)
{
	uint64_t *turn = &s->turns[t / WHEEL % WHEEL], due = *turn;

	*turn = 0;
	s->far &= ~due;
	for (; due; due &= due - 1) {
		int slot = __builtin_ctzll(due);

		into_wheel(s, slot, s->slot[slot].wake);
	}
}

/* Warps whose cycle has come. */
static void issue_wake(struct sm *s, cycle_t t)
{
	unsigned place = t % WHEEL;
	uint64_t due;

	if (place == 0)
		begin_turn(s, t);
	due = s->wheel[place];
	s->wheel[place] = 0;
	s->occupied &= ~(UINT64_C(1) << place);
	s->occupied |= s->far != 0;
	for (; due; due &= due - 1)
		make_ready(s, __builtin_ctzll(due));
}

static void arrivals(struct sm *s, cycle_t t)
{
	struct msg m;

	while (wire_take(s->env.wires, s->env.self, t, &m)) {
		if (m.kind == MSG_BLOCK)
			sm_block_arrives(s, &m);
		else
			lsu_answer(s->lsu, t, &m);
	}
}

/* Queues of memory instructions may have room again. */
static void look_for_room(struct sm *s)
{
	uint32_t freed = 0;

	for (uint32_t k = 0; k < s->schedulers; k++) {
		unsigned sub = s->sub_of[k];

		if (!(s->lsu_full >> sub & 1) || !lsu_can_issue(s->lsu, sub))
			continue;
		/* Stores may go on after the last block has ended. */
		if (s->live)
			sm_account(s, k, s->now);
		s->retry[k] = 0;
		freed |= 1u << sub;
	}
	s->lsu_full &= ~freed;
}

/* Until `to` the LSU is on its own. */
static inline cycle_t lsu_alone(struct sm *s, cycle_t to)
{
	cycle_t last = lsu_ahead(s->lsu, min_u64(to, s->until));

	s->now = max_u64(s->now, last);
	return lsu_next(s->lsu);
}

static inline cycle_t next_event(struct sm *s, uint32_t schedulers, cycle_t t)
{
	cycle_t next = wire_next(s->env.wires, s->env.self), lsu;

	if (s->occupied) {
		unsigned at = (t + 1) % WHEEL;
		uint64_t turned = s->occupied >> at |
				  s->occupied << (WHEEL - at) % WHEEL;

		next = min_u64(next, t + 1 + (unsigned)__builtin_ctzll(turned));
	}
	if (UNLIKELY(!sm_bulk_idle(s)))
		next = min_u64(next, s->bulk_next);
	for (uint32_t k = 0; k < schedulers && k < SUBCORES; k += 4) {
		const cycle_t *retry = &s->retry[k];

		next = min_u64(next, min_u64(min_u64(retry[0], retry[1]),
					     min_u64(retry[2], retry[3])));
	}
	lsu = lsu_next(s->lsu);
	if (lsu < next && !lsu_calm(s->lsu))
		lsu = lsu_alone(s, next);
	next = min_u64(next, lsu);
	return next > t ? next : t + 1;
}

/* What could be read before it has no say any more. */
static void move_origin(struct sm *s, cycle_t to)
{
	cycle_t by = to - s->origin;

	for (uint64_t left = s->live; left; left &= left - 1) {
		struct slot *p = &s->slot[__builtin_ctzll(left)];
		uint32_t n = s->grids[s->block[p->block].grid]->stride;

		for (uint32_t i = 0; i < n; i++)
			if (p->ready[i] < SCORE_PENDING)
				p->ready[i] -=
					(score_t)min_u64(p->ready[i], by);
	}
	s->origin = to;
}

cycle_t sm_advance(struct sm *s, cycle_t from, cycle_t to)
{
	cycle_t t = min_u64(s->next, wire_next(s->env.wires, s->env.self));
	const uint32_t schedulers = s->schedulers;

	t = t < from ? from : t;
	s->until = to;
	s->ended = false;
	while (t < s->until && !s->stopped) {
		if (UNLIKELY(t - s->origin >= SCORE_LAST))
			move_origin(s, t);
		s->now = t;
		s->view->now = t;
		if (wire_next(s->env.wires, s->env.self) <= t)
			arrivals(s, t);
		if (lsu_next(s->lsu) <= t && lsu_advance(s->lsu, t) &&
		    s->lsu_full)
			look_for_room(s);
		if (UNLIKELY(!sm_bulk_idle(s)))
			sm_bulk_advance(s, t);
		if (s->occupied >> t % WHEEL & 1)
			issue_wake(s, t);
		issue_take_turns(s, schedulers, t);
		t = next_event(s, schedulers, t);
	}
	s->next = s->stopped ? CYCLE_NEVER : t;
	return s->next;
}
