/*
 * The cycle of an SM: messages, wake-ups, issue, the next event. This is where
 * the simulator spends its time. What does not happen in most cycles is never
 * inlined into sm_advance, so that the host's registers hold what a scheduler's
 * turn needs.
 */
#include "base/minmax.h"
#include "simt/mem.h"
#include "sm/core.h"
#include "sm/counters.h"
#include "sm/operands.h"
#include "sm/pipes.h"

/* Waits that scheduling policies are told of. */
static inline bool long_wait(unsigned why)
{
	return why >= REASON_MEMORY;
}

/* The place of a wait is where it begins: a barrier that opens lets the warp go
 * on to the next instruction before the wait is over. The last warp to arrive
 * has gone on already. */
static __attribute__((noinline)) void note_stall(const struct sm *s,
						 struct slot *p)
{
	bool barrier = p->wait == REASON_BARRIER;

	p->since = s->now;
	p->since_func = barrier ? p->barrier_func : p->func;
	p->since_pc = barrier ? p->barrier_pc : p->pc;
}

static inline void leave_wait(struct sm *s, int slot)
{
	struct slot *p = SM_SLOT(s, slot);

	if (p->wait == NO_WAIT)
		return;
	s->waits[p->wait] &= ~(UINT64_C(1) << slot);
	if (long_wait(p->wait))
		sched_woken(SM_SCHED(s, p->sched), slot);
	if (UNLIKELY(s->env.event != NULL))
		sm_report_stall(s, slot, s->now);
	p->wait = NO_WAIT;
}

/* Whether the wait ends at a known cycle, and nothing else can end it: the slot
 * need not know of it then. Unless it is reported. */
static inline bool dozes(const struct sm *s, enum reason why)
{
	return why == REASON_DEPENDENCE && LIKELY(!s->env.event);
}

/* The warp is no longer ready, but waits; nobody is told. */
static inline void begin_wait(struct sm *s, int slot, enum reason why)
{
	struct slot *p = SM_SLOT(s, slot);
	uint64_t bit = UINT64_C(1) << slot;

	s->ready &= ~bit;
	s->waits[why] |= bit;
	p->wait = dozes(s, why) ? NO_WAIT : (uint8_t)why;
	p->wake = CYCLE_NEVER;
}

static inline void enter_wait(struct sm *s, int slot, enum reason why)
{
	struct slot *p = SM_SLOT(s, slot);

	begin_wait(s, slot, why);
	if (UNLIKELY(s->env.event != NULL))
		note_stall(s, p);
	if (long_wait(why))
		sched_stalled(SM_SCHED(s, p->sched), slot);
}

/* The warps whose next instruction needs the LSU, if its queue for their sub-core
 * is full: clear_lsu_full will let their scheduler try again. */
static inline uint64_t find_lsu_full(const struct sm *s)
{
	return (s->needs[UNIT_LSU] | s->needs[UNIT_TEX]) & s->full_warps;
}

/* A warp of scheduler k has become ready; full: find_lsu_full. */
static inline void wake_scheduler(struct sm *s, unsigned k, int slot,
				  uint64_t full)
{
	s->woken |= (uint32_t)(~full >> slot & 1) << k;
}

static inline void make_ready(struct sm *s, int slot)
{
	unsigned k = SM_SLOT(s, slot)->sched;

	sm_account(s, k, s->now);
	leave_wait(s, slot);
	s->ready |= UINT64_C(1) << slot;
	wake_scheduler(s, k, slot, find_lsu_full(s));
}

/* The same for warps that doze. */
static inline void make_dozing_ready(struct sm *s, uint64_t warps)
{
	uint64_t full = find_lsu_full(s);

	for (uint64_t left = warps; left; left &= left - 1) {
		int slot = __builtin_ctzll(left);
		unsigned k = s->sched_of[slot];

		sm_account(s, k, s->now);
		wake_scheduler(s, k, slot, full);
	}
	s->waits[REASON_DEPENDENCE] &= ~warps;
	s->ready |= warps;
}

void sm_ready(struct sm *s, int slot)
{
	make_ready(s, slot);
}

void sm_wait(struct sm *s, int slot, enum reason why)
{
	struct slot *p = SM_SLOT(s, slot);

	if (p->wait == why) {
		p->wake = CYCLE_NEVER;
		return;
	}
	sm_account(s, p->sched, s->now);
	leave_wait(s, slot);
	enter_wait(s, slot, why);
}

/* For a warp due later than the wheel reaches. If it is due beyond the last
 * round, it waits for that round and is placed again. */
static void into_round(struct sm *s, uint64_t bit, cycle_t at)
{
	cycle_t round = min_u64(at / WHEEL, s->now / WHEEL + WHEEL - 1);

	s->far |= bit;
	s->rounds[round % WHEEL] |= bit;
	s->occupied |= 1;
}

static inline void into_wheel(struct sm *s, int slot, cycle_t at)
{
	uint64_t bit = UINT64_C(1) << slot;
	unsigned place = at % WHEEL;

	if (at - s->now >= WHEEL) {
		into_round(s, bit, at);
		return;
	}
	s->wheel[place] |= bit;
	s->occupied |= UINT64_C(1) << place;
}

/* Lets the warp wait for cycle `at`. If it has just issued, its scheduler is
 * accounted for already. */
static inline void wait_until(struct sm *s, int slot, enum reason why,
			      cycle_t at)
{
	struct slot *p = SM_SLOT(s, slot);

	if (p->wait == NO_WAIT && p->sched == s->turn)
		enter_wait(s, slot, why);
	else if (p->wait != why)
		sm_wait(s, slot, why);
	p->wake = at;
	into_wheel(s, slot, at);
}

void sm_wait_until(struct sm *s, int slot, enum reason why, cycle_t at)
{
	sm_wait(s, slot, why);
	SM_SLOT(s, slot)->wake = at;
	into_wheel(s, slot, at);
}

static inline score_t max_score(score_t a, score_t b)
{
	return a > b ? a : b;
}

/* The latest of `at` and the entries of registers after the first four. Few
 * instructions have any: not inlined, because a compiler makes vectors of it, for
 * which the caller would have to align its stack. */
static __attribute__((noinline)) score_t
later_operands(const struct slot *p, const struct timed_inst *ti, score_t at)
{
	const uint16_t *reg = timed_regs(ti);

	for (unsigned i = TIMED_QUICK; i < ti->regs; i++)
		at = max_score(at, p->ready[reg[i]]);
	return at;
}

/* The latest scoreboard entry of the first four registers, if there are any. */
static inline score_t first_operands(const struct slot *p,
				     const struct timed_inst *ti)
{
	const score_t *ready = p->ready;
	const uint16_t *reg = ti->reg;

	_Static_assert(TIMED_QUICK == 4, "as many as are read here");
	return max_score(max_score(ready[reg[0]], ready[reg[1]]),
			 max_score(ready[reg[2]], ready[reg[3]]));
}

/* The cycle of a scoreboard entry, or PENDING + reason. */
static inline cycle_t score_cycle(const struct sm *s, score_t at)
{
	cycle_t to = s->origin;

	/* Without a branch: which of them it is, is unpredictable. */
	to = at < SCORE_PENDING ? to : PENDING - SCORE_PENDING;
	return at + to;
}

/* The cycle in which all operands can be read, or PENDING + reason. */
static inline cycle_t operands_ready(const struct sm *s, const struct slot *p,
				     const struct timed_inst *ti)
{
	score_t at;

	if (UNLIKELY(!ti->regs))
		return 0;
	at = first_operands(p, ti);
	if (UNLIKELY(ti->regs > TIMED_QUICK))
		at = later_operands(p, ti, at);
	return score_cycle(s, at);
}

/* The cycle in which the warp's next instruction may issue, if its operands can
 * be read at `need`, and in *why the reason that it waits until then. */
static inline cycle_t issue_with_operands(const struct slot *p, cycle_t need,
					  enum reason *why)
{
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

/* The cycle in which the warp's next instruction may issue, and in *why the
 * reason that it waits until then. PENDING or more: it waits for an event. */
static inline cycle_t issue_cycle(const struct sm *s, const struct slot *p,
				  enum reason *why)
{
	return issue_with_operands(p, operands_ready(s, p, p->next), why);
}

static inline void wait_for_operands(struct sm *s, int slot)
{
	const struct slot *p = SM_SLOT(s, slot);
	enum reason why;
	cycle_t at = issue_cycle(s, p, &why);

	if (at >= PENDING)
		sm_wait(s, slot, why);
	/* If its scheduler has had its turn in this cycle, ready in the next
	 * cycle is ready now. */
	else if (at <= s->now || (at == s->now + 1 && p->sched == s->turn))
		make_ready(s, slot);
	else
		wait_until(s, slot, why, at);
}

/* A warp that has just issued, whose scheduler has had its turn, waits for cycle
 * `at`, or for an event. */
static __attribute__((noinline)) void wait_reported(struct sm *s, int slot,
						    enum reason why, cycle_t at)
{
	enter_wait(s, slot, why);
	if (at >= PENDING)
		return;
	SM_SLOT(s, slot)->wake = at;
	into_wheel(s, slot, at);
}

/* The same as wait_for_operands for a warp that has just issued: it is still in
 * the ready mask, and its scheduler has had its turn. `need` is when its
 * operands can be read. */
static inline void wait_after_issue(struct sm *s, int slot, cycle_t t,
				    cycle_t need)
{
	struct slot *p = SM_SLOT(s, slot);
	enum reason why;
	cycle_t at = issue_with_operands(p, need, &why);

	if (at <= t + 1)
		return;
	if (UNLIKELY(s->reports)) {
		wait_reported(s, slot, why, at);
		return;
	}
	begin_wait(s, slot, why);
	if (at >= PENDING)
		return;
	p->wake = at;
	into_wheel(s, slot, at);
}

__attribute__((noinline)) void sm_wait_for_operands(struct sm *s, int slot)
{
	wait_for_operands(s, slot);
}

/* The warp waits for its operands and nothing else, for reason p->wait, and one of
 * them has become known. If it waits on for that reason, notes until when. */
static inline bool waits_on(struct sm *s, int slot)
{
	struct slot *p = SM_SLOT(s, slot);
	enum reason why;
	cycle_t at = issue_with_operands(
		p, score_cycle(s, first_operands(p, p->next)), &why);

	if (UNLIKELY(why != p->wait || at <= s->now ||
		     p->next->regs > TIMED_QUICK))
		return false;
	if (LIKELY(at < PENDING)) {
		p->wake = at;
		into_wheel(s, slot, at);
	}
	return true;
}

/* While it waited for memory, other warps used the host's cache, if there are
 * any. */
static inline void fetch_after_wait(const struct sm *s, const struct slot *p)
{
	if (s->live & (s->live - 1) && p->next && p->wake != CYCLE_NEVER)
		fetch_operands(p);
}

/* Whether the warp waits for operands that a load from memory writes, and nothing
 * else holds it. */
static inline bool waits_for_load(const struct slot *p)
{
	return p->wait == REASON_MEMORY && p->wake == CYCLE_NEVER &&
	       !(p->hold | p->deferred) && p->next &&
	       p->next->kind != KIND_CALL && p->next->regs;
}

static inline void load_came(struct sm *s, int slot, uint32_t tag,
			     cycle_t ready)
{
	struct slot *p = SM_SLOT(s, slot);

	p->pending--;
	if (UNLIKELY(!waits_for_load(p) || !waits_on(s, slot)))
		sm_reconsider(s, slot, ready);
	if (light_reason(tag) == REASON_MEMORY)
		fetch_after_wait(s, p);
}

void sm_load_came(struct sm *s, int slot, uint32_t tag, cycle_t ready)
{
	load_came(s, slot, tag, ready);
}

void sm_light_done(struct sm *s, uint32_t tag, cycle_t ready)
{
	int slot = light_slot(tag);
	struct slot *p = SM_SLOT(s, slot);

	p->ready[(uint16_t)tag] = sm_score(s, ready);
	sm_set_result(p, ready, light_reason(tag));
	load_came(s, slot, tag, ready);
}

/* The warp may have waited for a load from shared memory, which is complete at
 * `ready`. */
static inline void reconsider_near(struct sm *s, int slot, cycle_t ready)
{
	struct slot *p = SM_SLOT(s, slot);

	p->pending--;
	if (p->wait == NO_WAIT || p->wake != CYCLE_NEVER)
		return;
	/* REASON_SHARED is for operands only, so nothing else holds it. */
	if (UNLIKELY(p->wait != REASON_SHARED))
		sm_reconsider(s, slot, ready);
	else if (UNLIKELY(!waits_on(s, slot)))
		sm_wait_for_operands(s, slot);
}

/* A load with control bits: the LSU has read its operands now. */
static __attribute__((noinline)) void near_counted(struct sm *s, uint32_t tag,
						   cycle_t ready)
{
	int slot = (int)(tag >> NEAR_SLOT) % SLOTS;
	struct slot *p = SM_SLOT(s, slot);
	unsigned read = tag >> 3 & 7, write = tag & 7;

	if (read)
		counter_lower(s, p, read - 1, s->now, REASON_SHARED);
	if (write)
		counter_lower(s, p, write - 1, ready, REASON_SHARED);
	else
		sm_set_result(p, ready, REASON_SHARED);
	reconsider_near(s, slot, ready);
}

/* A load with a scoreboard. */
static __attribute__((noinline)) void near_scored(struct sm *s, uint32_t tag,
						  cycle_t ready)
{
	int slot = (int)((tag & ~LSU_NEAR) >> NEAR_SLOT);
	struct slot *p = SM_SLOT(s, slot);

	p->ready[(uint16_t)tag] = sm_score(s, ready);
	sm_set_result(p, ready, REASON_SHARED);
	reconsider_near(s, slot, ready);
}

void sm_near_done(void *ctx, uint32_t tag, cycle_t ready)
{
	if (tag & NEAR_COUNTED)
		near_counted(ctx, tag, ready);
	else
		near_scored(ctx, tag, ready);
}

/* The warp enters another function, or its first. */
static void enter_function(struct sm *s, struct slot *p, const struct inst *in)
{
	const struct code *c = p->warp->frame->code;
	const struct sm_gridstate *g = s->grids[s->block[p->block].grid];
	uint32_t func = c->func->index;

	if (p->insts)
		p->pc = in->index; /* not sequential, whatever in->index is */
	p->insts = p->warp->insts;
	p->regs = p->warp->base[SLOT_REG];
	p->timed = g->grid.timed->func[func].inst;
	p->heat = g->heat[func];
	p->base = g->base[func];
	p->func = func;
	p->fetched = 0;
	/* Nothing is in flight: see sm_needs_drain. */
	memset(p->ready, 0,
	       g->grid.timed->func[func].scoreboard * sizeof(*p->ready));
}

/* Notes which instructions around the pc need the same two lines, so that
 * issue_fetch can skip them. If both lines are there at t and follow each other,
 * entering the second one changes nothing but p->line, which settle_line does
 * later: they are those that need no line behind the second. */
static void note_fetched(const struct sm *s, struct slot *p, cycle_t t)
{
	uint32_t size = 1u << s->line_shift;
	uint64_t line = (uint64_t)p->line * size + s->buffer;
	uint64_t ahead = (uint64_t)p->ahead * size;
	uint64_t from = max_u64(line, ahead), to = min_u64(line, ahead) + size;

	if (p->ahead == p->line + 1 &&
	    max_u64(p->line_ready, p->ahead_ready) <= t)
		to = ahead + size;
	p->fetched_from = (uint32_t)(from - s->buffer - p->base);
	p->fetched = (uint32_t)(to - from);
}

/* Fetches the line of the pc, and the line that front.buffer instructions ahead
 * are in, if they are new. */
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
	note_fetched(s, p, t);
}

/* Before a warp that has issued continues anywhere: if it has entered the line
 * ahead, as note_fetched lets it, a jump back to the line before is not free. */
static inline void settle_line(const struct sm *s, struct slot *p)
{
	uint32_t line = (p->base + p->pc) >> s->line_shift;

	if (line == p->line || line != p->ahead || !p->fetched)
		return;
	p->line = line;
	p->line_ready = p->ahead_ready;
	p->fetched = 0;
}

/* Requests the lines of instructions up to front.buffer ahead of the pc. */
static inline void issue_fetch(struct sm *s, struct slot *p, cycle_t t)
{
	if (UNLIKELY(p->pc - p->fetched_from >= p->fetched))
		fetch_lines(s, p, t);
}

/* The warp's next instruction is known: notes the unit that it needs. The
 * scheduler must be accounted for already. */
static inline void update_needs(struct sm *s, int slot)
{
	struct slot *p = SM_SLOT(s, slot);
	const struct timed_inst *ti = p->next;
	uint64_t bit = UINT64_C(1) << slot;

	s->needs[p->unit] &= ~bit;
	s->needs[ti->unit] |= bit;
	p->unit = ti->unit;
	if (LIKELY(s->live & (s->live - 1))) /* others issue before it does */
		fetch_operands_of(p, 0);
}

/* Prefetches the data of a load into the host's cache. */
static inline void fetch_data(const struct slot *p)
{
	if (p->next->fetches)
		mem_fetch(p->warp, p->in);
}

static inline void write_registers(const struct sm *s, struct slot *p,
				   const struct timed_inst *ti, cycle_t ready)
{
	const uint16_t *reg = timed_regs(ti);

	for (unsigned i = 0; i < ti->writes; i++)
		p->ready[reg[i]] = sm_score(s, ready);
}

/* Moves on to the instruction that warp_next has returned. */
static inline void enter_inst(struct sm *s, struct slot *p,
			      const struct inst *in)
{
	if (LIKELY(p->next && in == p->in + 1)) {
		p->next++;
	} else {
		if (p->insts != p->warp->insts)
			enter_function(s, p, in);
		p->next = &p->timed[in - p->insts];
	}
	p->sequential = in->index - p->pc == 1;
}

/* Executes folded instructions whose operands are known to arrive. Returns the
 * next instruction that issues; NULL: there is none. */
static __attribute__((noinline)) const struct inst *
pass_folded(struct sm *s, struct slot *p, const struct inst *in)
{
	bool sequential = p->sequential;

	while (in && p->next->folded) {
		cycle_t ready = operands_ready(s, p, p->next);
		uint64_t steps = p->warp->steps;

		if (ready >= PENDING)
			break;
		write_registers(s, p, p->next, ready);
		p->pc = in->index;
		p->in = in;
		if (!warp_execute(p->warp, in))
			(void)warp_end_step(p->warp, steps);
		/* That of a merged load is part of another one. */
		p->warp->effect->pattern = EFFECT_LANES;
		in = warp_next(p->warp);
		if (!in)
			break;
		enter_inst(s, p, in);
		sequential &= p->sequential;
	}
	p->sequential = sequential;
	return in;
}

/* Finds the warp's next instruction. False: there is none, or it must not issue
 * yet; then the warp waits. */
static inline bool find_next_inst(struct sm *s, int slot, cycle_t t,
				  cycle_t earliest, enum reason why)
{
	struct slot *p = SM_SLOT(s, slot);
	const struct inst *in = warp_next(p->warp);

	/* Until now it has waited where it was. */
	sm_account(s, p->sched, s->now);
	settle_line(s, p);
	if (LIKELY(in != NULL)) {
		enter_inst(s, p, in);
		if (UNLIKELY(p->next->folded))
			in = pass_folded(s, p, in);
	}
	if (UNLIKELY(!in)) {
		p->fetched = 0; /* pass_folded may have moved the pc */
		p->next = NULL;
		sm_blocked(s, slot, t);
		return false;
	}
	if (UNLIKELY(!p->sequential) && earliest < t + s->branch_cycles) {
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
	update_needs(s, slot);
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
	if (find_next_inst(s, slot, t, earliest, why))
		wait_for_operands(s, slot);
}

/* The warp has issued at t and continues with the next instruction in the text,
 * unless it is held. */
static inline void step_in_text(struct slot *p, cycle_t t)
{
	p->earliest = t + p->next->stall;
	p->why = REASON_DEPENDENCE;
	p->next++;
	p->in++;
	p->pc++;
	p->sequential = true;
}

/* The line of the next instruction may arrive later. */
static inline void wait_for_line(const struct sm *s, struct slot *p)
{
	if (s->front && UNLIKELY(p->line_ready > p->earliest)) {
		p->earliest = p->line_ready;
		p->why = REASON_FETCH;
	}
}

/* After step_in_text. Nor does a call follow: falls_through. */
static inline void wait_in_text(struct sm *s, int slot, cycle_t t, cycle_t need)
{
	wait_for_line(s, SM_SLOT(s, slot));
	update_needs(s, slot);
	if (UNLIKELY(SM_SLOT(s, slot)->hold))
		sm_wait(s, slot, REASON_MEMORY);
	else
		wait_after_issue(s, slot, t, need);
}

/* The same, whatever the next instruction is. */
static __attribute__((noinline)) void wait_at_length(struct sm *s, int slot,
						     cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);

	if (s->front)
		issue_fetch(s, p, t);
	wait_in_text(s, slot, t, operands_ready(s, p, p->next));
	fetch_data(p);
}

/* The warp has issued at t, and may continue anywhere. */
static __attribute__((noinline)) void prepare_anywhere(struct sm *s, int slot,
						       cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);

	if (find_next_inst(s, slot, t, t + p->next->stall, REASON_DEPENDENCE))
		wait_after_issue(s, slot, t, operands_ready(s, p, p->next));
}

/* The common case calls no other function but at its end, so that it need not
 * save registers. */
static inline void prepare_issued(struct sm *s, int slot, cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);
	const struct timed_inst *next;

	if (UNLIKELY(!s->uneventful || !p->next->falls_through)) {
		prepare_anywhere(s, slot, t);
		return;
	}
	step_in_text(p, t);
	next = p->next;
	/* One branch for all of it: each alone is unpredictable. */
	if (UNLIKELY(((s->front != NULL) &
		      (p->pc - p->fetched_from >= p->fetched)) |
		     (next->regs > TIMED_QUICK))) {
		wait_at_length(s, slot, t);
		return;
	}
	wait_in_text(s, slot, t,
		     score_cycle(s, first_operands(p, next)) &
			     -(cycle_t)(next->regs != 0));
	fetch_data(p);
}

void sm_prepare_issued(struct sm *s, int slot, cycle_t t)
{
	prepare_issued(s, slot, t);
}

/* An SM's barriers take one warp in sm.barrier_interval cycles. */
static void issue_barrier(struct sm *s, int slot, const struct timed_inst *ti,
			  cycle_t t)
{
	cycle_t start = s->barrier_free > t ? s->barrier_free : t, open;
	bool arrives = ti->kind == KIND_ARRIVE;

	s->st.barriers++;
	sm_at_barrier(SM_SLOT(s, slot));
	s->barrier_free = start + s->barrier_interval;
	open = s->barrier_free + s->barrier_cycles;
	if (sm_release(s, SM_SLOT(s, slot)->block, t, open) && !arrives)
		sm_prepare(s, slot, t, max_u64(open, t + ti->stall),
			   REASON_BARRIER);
	else
		sm_prepare(s, slot, t, t + ti->stall, REASON_BARRIER);
}

/* Instructions other than memory accesses raise their counters for a time that
 * is known. They read their operands on the way to their unit. */
static inline void hold_counters(struct sm *s, struct slot *p,
				 const struct timed_inst *ti, cycle_t t)
{
	if (!ti->counters)
		return;
	counters_hold(s, p, ti, t + min_u64(ti->cycles, s->queue_cycles),
		      t + ti->cycles);
	if (timed_yields(ti))
		sched_yields(SM_SCHED(s, p->sched));
}

static cycle_t fence_cycles(const struct sm *s, const struct timed_inst *ti)
{
	const struct cfg_sm *c = &s->env.cfg->sm;

	if (ti->flags & TIMED_BLOCK)
		return (cycle_t)c->fence_block;
	return (cycle_t)(ti->flags & TIMED_SYSTEM ? c->fence_system :
						    c->fence_gpu);
}

/* A fence issues at t. The time for which it has waited for writes is part of
 * its latency. */
static void issue_fence(struct sm *s, int slot, const struct timed_inst *ti,
			cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);
	cycle_t from = p->writes ? p->writes_since : t;
	cycle_t after = max_u64(ti->stall, 1);

	if (from < t)
		after = max_u64(after,
				lsu_written(s->lsu, t) - t + s->fence_written);
	p->writes = 0;
	if (ti->flags & TIMED_EMPTY_L1)
		lsu_empty_l1(s->lsu);
	if (UNLIKELY(s->fences) && !(ti->flags & TIMED_BLOCK))
		sm_fence_memory(s, slot, ti, t);
	sm_prepare(s, slot, t, max_u64(from + fence_cycles(s, ti), t + after),
		   REASON_FENCE);
}

/* Lanes have met others at t, or wait for them. */
static void issue_meet(struct sm *s, int slot, const struct timed_inst *ti,
		       cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);
	lanes_t met = p->warp->mask;
	cycle_t stall = max_u64(ti->stall, s->meet_cycles);

	sched_yields_if(SM_SCHED(s, p->sched), timed_yields(ti));
	if (!find_next_inst(s, slot, t, t + stall, REASON_CONVERGE))
		return;
	if (!(p->warp->active & met))
		p->earliest = max_u64(p->earliest, t + s->part_cycles);
	wait_for_operands(s, slot);
}

static cycle_t sleep_cycles(const struct sm *s, uint64_t ns)
{
	uint64_t mhz = (uint64_t)s->env.cfg->gpu.clock;

	return ns * mhz / 1000 + 1;
}

/* Finishes the issue of an instruction with a fixed latency, executed at t; its
 * result is `late` cycles late. */
static inline void after_plain(struct sm *s, int slot,
			       const struct timed_inst *ti, cycle_t t,
			       cycle_t late)
{
	struct slot *p = SM_SLOT(s, slot);

	write_registers(s, p, ti, t + ti->cycles + late);
	sched_yields_if(SM_SCHED(s, p->sched), timed_yields(ti));
	prepare_issued(s, slot, t);
}

/* False: the warp has branched too often. */
static bool count_branch(struct sm *s, struct slot *p)
{
	s->st.branches++;
	if (p->warp->split_count != p->splits) {
		s->st.diverged++;
		sm_count_excess(s, p, 1);
	}
	if (LIKELY(p->warp->steps < s->max_steps))
		return true;
	warp_endless(p->warp);
	s->stopped = true;
	return false;
}

/* When a warp continues after a call, a branch to an address in a register, or after
 * some of its lanes have exited, which may have completed a barrier. */
static cycle_t after_jump(struct sm *s, const struct slot *p,
			  const struct timed_inst *ti, cycle_t t)
{
	bool by_register = ti->kind == KIND_INDIRECT &&
			   ti->flags & TIMED_REGISTER && p->warp->mask;
	cycle_t next =
		t + max_u64(ti->stall, by_register ? s->indirect_cycles : 0);
	cycle_t open = t + s->barrier_cycles;

	return sm_release(s, p->block, t, open) ? max_u64(open, next) : next;
}

/* Finishes the issue of an instruction that is neither KIND_PLAIN, nor
 * KIND_LOAD, nor KIND_STORE. */
static __attribute__((noinline)) void after_step(struct sm *s, int slot,
						 const struct timed_inst *ti,
						 const struct inst *in,
						 cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);

	switch ((enum timing_kind)ti->kind) {
	case KIND_EMPTY_L1:
		lsu_empty_l1(s->lsu);
		if (UNLIKELY(s->fences))
			sm_fence_memory(s, slot, ti, t);
		/* fall through */
	case KIND_COUNTED:
		hold_counters(s, p, ti, t);
		prepare_issued(s, slot, t);
		return;
	case KIND_ATOMIC:
	case KIND_ASYNC:
	case KIND_TEX:
		sm_issue_memory(s, slot, ti, in, t);
		return;
	case KIND_BULK:
		hold_counters(s, p, ti, t);
		sm_issue_bulk(s, slot, ti, t);
		return;
	case KIND_COUNT_WAIT:
		sm_issue_count_wait(s, slot, ti, t);
		return;
	case KIND_ASYNC_WAIT:
		sm_issue_async_wait(s, slot, ti, in, t);
		return;
	case KIND_BARRIER:
	case KIND_ARRIVE:
		hold_counters(s, p, ti, t);
		issue_barrier(s, slot, ti, t);
		return;
	case KIND_FENCE:
		hold_counters(s, p, ti, t);
		issue_fence(s, slot, ti, t);
		return;
	case KIND_SLEEP:
		sm_prepare(s, slot, t,
			   t + sleep_cycles(s, p->warp->effect->sleep_ns),
			   REASON_SLEEP);
		return;
	case KIND_COMMIT:
		sm_commit_group(p, ti);
		prepare_issued(s, slot, t);
		return;
	case KIND_MEET:
		issue_meet(s, slot, ti, t);
		return;
	case KIND_BRANCH:
		if (!count_branch(s, p))
			return;
		hold_counters(s, p, ti, t);
		sm_prepare(s, slot, t, t + ti->stall, REASON_REDIRECT);
		return;
	case KIND_INDIRECT: /* of machine code: also calls of services */
		if (!count_branch(s, p))
			return;
		/* fall through */
	default: /* KIND_CALL, KIND_EXIT */
		write_registers(s, p, ti, t + ti->cycles);
		hold_counters(s, p, ti, t);
		if (UNLIKELY(p->warp->effect->service))
			sm_await_service(s, slot, ti, t);
		else
			sm_prepare(s, slot, t, after_jump(s, p, ti, t),
				   REASON_REDIRECT);
	}
}

void sm_count_excess(struct sm *s, const struct slot *p, uint64_t n)
{
	const struct sm_gridstate *g = s->grids[s->block[p->block].grid];

	g->excess[sm_place_of(g, p)] += n;
}

/* The warp's instruction was not executed: its lanes wait for others. */
static __attribute__((noinline)) void issue_replay(struct sm *s, int slot,
						   cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);
	struct sm_detail *d = s->details ? sm_detail_of(s, p) : NULL;

	if (s->many)
		sm_switch_grid(s, s->block[p->block].grid);
	s->st.replays++;
	s->reason[REASON_CONVERGE]++;
	if (d)
		d->slots[REASON_CONVERGE]++;
	sm_prepare(s, slot, t, t + 1, REASON_CONVERGE);
}

static __attribute__((noinline)) void
note_lanes(const struct sm *s, const struct slot *p, uint32_t off)
{
	struct sm_detail *d = sm_detail_of(s, p);

	if (d)
		d->lanes_off += off;
}

static void count_issued(struct sm *s, struct slot *p,
			 const struct timed_inst *ti, cycle_t t)
{
	struct sm_heat *h = &p->heat[p->pc];
	lanes_t mask = p->warp->mask;

	h->issued++;
	h->waited += t - p->issued;
	p->issued = t;
	s->unit_count[ti->unit]++;
	if (!lanes_are_all(mask)) {
		s->lanes_off += warp_off(mask);
		if (UNLIKELY(s->details))
			note_lanes(s, p, warp_off(mask));
		s->st.guarded_off += !mask;
	}
}

/* What is looked at only if it is wanted. */
static __attribute__((noinline)) void watch_issue(struct sm *s, int slot,
						  cycle_t t)
{
	if (s->checks)
		sm_hazards_check(s, slot, t);
	if (s->many)
		sm_switch_grid(s, s->block[SM_SLOT(s, slot)->block].grid);
}

/* The sub-core of scheduler k. common: sm.common, a constant in what is compiled
 * for it and for all others. */
static inline unsigned sub_core_of(const struct sm *s, unsigned k, bool common)
{
	return common ? k : s->sub_of[k];
}

/* Issues and executes the warp's next instruction at t. */
static inline __attribute__((always_inline)) void
issue_inst(struct sm *s, unsigned k, int slot, cycle_t t, cycle_t late,
	   bool common)
{
	struct slot *p = SM_SLOT(s, slot);
	struct warp *w = p->warp;
	const struct timed_inst *ti = p->next;
	const struct inst *in = p->in;
	uint64_t steps = w->steps;

	sm_account(s, k, t);
	s->accounted[k] = t + 1;
	if (!common) /* otherwise it is in the next cycle */
		s->pace[k] = t + s->issue_interval;
	hold_unit(s, sub_core_of(s, k, common), ti, t);
	if (!ti->falls_through)
		p->splits = w->split_count; /* for KIND_BRANCH, KIND_INDIRECT */
	s->uneventful = warp_execute(w, in);
	if (UNLIKELY(!s->uneventful && !warp_end_step(w, steps))) {
		issue_replay(s, slot, t);
		return;
	}
	if (UNLIKELY(s->watched))
		watch_issue(s, slot, t);
	count_issued(s, p, ti, t);
	if (UNLIKELY(w->event & EVENT_FAULT)) {
		s->stopped = true;
		return;
	}
	if (ti->kind == KIND_PLAIN)
		after_plain(s, slot, ti, t, late);
	else if (ti->kind == KIND_LOAD || ti->kind == KIND_STORE)
		sm_issue_memory(s, slot, ti, in, t);
	else
		after_step(s, slot, ti, in, t);
}

/* Issues another instruction of the warp that has just issued, in the same
 * cycle, if possible. */
static __attribute__((noinline)) bool issue_second(struct sm *s, unsigned k,
						   int slot, cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);
	uint64_t bit = UINT64_C(1) << slot;
	const struct timed_inst *ti = p->next;
	cycle_t late;

	if (!(s->ready & bit) || !p->sequential || ti->kind != KIND_PLAIN ||
	    timed_yields(ti) || (p->earliest > t && p->earliest != t + 1) ||
	    operands_ready(s, p, ti) > t ||
	    !finds_unit(s, slot, s->sub_of[k], t))
		return false;
	late = take_operands(s, k, s->sub_of[k], slot, ti, t);
	if (late == CYCLE_NEVER)
		return false;
	issue_inst(s, k, slot, t, late, false);
	s->st.dual++;
	return true;
}

static __attribute__((noinline)) void issue_more(struct sm *s, unsigned k,
						 int slot, cycle_t t)
{
	for (uint32_t n = 1; n < s->issue_width && !s->stopped; n++)
		if (!issue_second(s, k, slot, t))
			break;
}

/* Units of sub-core `sub` are busy that all of the warps need: the first cycle in
 * which one of them is free; CYCLE_NEVER: an event must come first. */
static inline cycle_t first_unit_free(const struct sm *s, unsigned sub,
				      uint32_t busy, uint64_t warps)
{
	cycle_t first = UNIT_NEVER;

	for (; busy; busy &= busy - 1) {
		unsigned u = first_unit(busy);

		if (s->needs[u] & warps)
			first = min_u64(first, s->unit_free[sub].of[u]);
	}
	return first == UNIT_NEVER ? CYCLE_NEVER : first;
}

/*
 * Scheduler k has had its turn in t: the next cycle in which it may issue, if
 * nothing else happens before: a warp becomes ready, or the LSU has room. Most
 * often a single warp is ready: then there is just one unit to look at.
 */
static inline __attribute__((always_inline)) cycle_t
find_next_try(const struct sm *s, unsigned k, cycle_t t, bool common)
{
	unsigned sub = sub_core_of(s, k, common);
	uint64_t ready = s->ready & s->mine[k];
	cycle_t at = max_u64(t + 1, s->operands[k]), free;
	uint32_t busy;

	if (!common)
		at = max_u64(at, s->pace[k]);

	if (!ready)
		return CYCLE_NEVER;
	if (is_single(ready)) {
		free = unit_free_for(s, __builtin_ctzll(ready), sub);
		return free == UNIT_NEVER ? CYCLE_NEVER : max_u64(at, free);
	}
	busy = busy_units(s, sub, at);
	if (ready & ~warps_needing(s, busy))
		return at;
	return first_unit_free(s, sub, busy, ready);
}

/* The LSU's queue for the sub-core was found full: nobody tries to issue to it
 * before clear_lsu_full. */
static inline void fill_lsu(struct sm *s, unsigned sub)
{
	cycle_t *free = s->unit_free[sub].of;

	s->lsu_full |= 1u << sub;
	s->full_warps |= s->sub_warps[sub];
	s->lsu_free[sub] = free[UNIT_LSU];
	s->tex_free[sub] = free[UNIT_TEX];
	free[UNIT_LSU] = free[UNIT_TEX] = UNIT_NEVER;
}

/* Whether the LSU has room for the instruction, if it needs the LSU. If not,
 * the sub-core does not try again before clear_lsu_full. */
static inline bool lsu_takes(struct sm *s, unsigned sub,
			     const struct timed_inst *ti)
{
	const uint32_t of_lsu = 1u << UNIT_LSU | 1u << UNIT_TEX;
	uint32_t needed = of_lsu >> ti->unit & 1;

	/* One branch: which unit is needed is unpredictable. */
	if (LIKELY(!(needed & !lsu_can_issue(s->lsu, sub))))
		return true;
	fill_lsu(s, sub);
	return false;
}

/* The warp that issues in scheduler k's turn; SCHED_NONE: the policy holds all
 * back; NO_SLOT: none can. */
static inline __attribute__((always_inline)) int
pick_warp(struct sm *s, unsigned k, cycle_t t, bool common)
{
	unsigned sub = sub_core_of(s, k, common);
	uint64_t can = s->ready & s->mine[k];

	if (is_single(can)) {
		int slot = __builtin_ctzll(can);

		return finds_unit(s, slot, sub, t) ?
			       sched_pick_one(SM_SCHED(s, k), slot, t) :
			       (int)NO_SLOT;
	}
	can &= ~warps_needing(s, busy_units(s, sub, t));
	return can ? sched_pick(SM_SCHED(s, k), can, t) : (int)NO_SLOT;
}

/* A scheduler's turn in cycle t. */
static inline __attribute__((always_inline)) void
issue_schedule(struct sm *s, unsigned k, cycle_t t, bool common)
{
	unsigned sub = sub_core_of(s, k, common);
	const struct timed_inst *ti;
	cycle_t late;
	int slot;

	if ((!common && s->pace[k] > t) || s->operands[k] > t)
		return;
	slot = pick_warp(s, k, t, common);
	if (slot == NO_SLOT)
		return;
	if (UNLIKELY(slot < 0 || s->throttled >> k & 1)) {
		sm_account(s, k, t); /* before `throttled` changes */
		s->throttled &= ~(1u << k);
		s->throttled |= (uint32_t)(slot < 0) << k;
		if (slot < 0)
			return;
	}
	ti = SM_SLOT(s, slot)->next;
	if (!lsu_takes(s, sub, ti))
		return;
	if (UNLIKELY(sm_orders(s, ti)) && sm_must_wait(s, slot, ti))
		return;
	late = take_operands(s, k, sub, slot, ti, t);
	if (UNLIKELY(late == CYCLE_NEVER)) {
		if (SM_SLOT(s, slot)->control)
			sched_committed(SM_SCHED(s, k), slot);
		return;
	}
	sched_issued(SM_SCHED(s, k), slot);
	issue_inst(s, k, slot, t, late, common);
	if (!common && UNLIKELY(s->issue_width > 1))
		issue_more(s, k, slot, t);
}

static inline __attribute__((always_inline)) void
take_turn(struct sm *s, unsigned k, cycle_t t, bool common)
{
	s->turn = (uint8_t)k;
	if (s->ready & s->mine[k])
		issue_schedule(s, k, t, common);
	s->next_try[k] = find_next_try(s, k, t, common);
	s->woken &= ~(1u << k);
}

/* The first cycle in which a scheduler may issue. */
static inline cycle_t first_try(const struct sm *s, uint32_t schedulers)
{
	cycle_t first = CYCLE_NEVER;

	_Static_assert(SUBCORES % 4 == 0, "four at a time");
	for (uint32_t k = 0; k < schedulers && k < SUBCORES; k += 4) {
		const cycle_t *at = &s->next_try[k];

		first = min_u64(first, min_u64(min_u64(at[0], at[1]),
					       min_u64(at[2], at[3])));
	}
	return first;
}

/* Schedulers that may issue in cycle t, as bits. Without branches, since the
 * outcome is unpredictable. Schedulers that the SM does not have are never
 * due. */
static inline uint32_t due_schedulers(const struct sm *s, uint32_t schedulers,
				      cycle_t t)
{
	uint32_t due = 0;

	for (uint32_t k = 0; k < schedulers && k < SUBCORES; k += 4) {
		const cycle_t *at = &s->next_try[k];

		due |= (uint32_t)(at[0] <= t) << k |
		       (uint32_t)(at[1] <= t) << (k + 1) |
		       (uint32_t)(at[2] <= t) << (k + 2) |
		       (uint32_t)(at[3] <= t) << (k + 3);
	}
	return due;
}

/* Schedulers that were woken after their turn have it in the next cycle. */
static __attribute__((noinline)) void wake_later(struct sm *s)
{
	for (uint32_t left = s->woken; left; left &= left - 1)
		s->next_try[__builtin_ctz(left)] = 0;
	s->woken = 0;
}

/* Gives all schedulers that are due their turn, in order; the first one that was
 * not woken is in cycle `turn`. A turn may wake warps of other schedulers: those
 * that come later still issue in this cycle. */
static inline __attribute__((always_inline)) void
issue_take_turns(struct sm *s, uint32_t schedulers, cycle_t turn, cycle_t t,
		 bool common)
{
	uint32_t due = s->woken;

	if (turn <= t)
		due |= due_schedulers(s, schedulers, t);
	s->woken = 0;
	while (due) {
		unsigned k = (unsigned)__builtin_ctz(due);

		take_turn(s, k, t, common);
		due = (due | s->woken) & -(UINT32_C(2) << k);
	}
	s->turn = NO_TURN;
	if (UNLIKELY(s->woken))
		wake_later(s);
}

/* A round of the wheel begins: the warps that wait for it enter the wheel. */
static __attribute__((noinline)) void begin_round(struct sm *s, cycle_t t)
{
	uint64_t *round = &s->rounds[t / WHEEL % WHEEL], due = *round;

	*round = 0;
	s->far &= ~due;
	for (; due; due &= due - 1) {
		int slot = __builtin_ctzll(due);

		into_wheel(s, slot, SM_SLOT(s, slot)->wake);
	}
}

/* Makes these warps ready, which wait for the present cycle. */
static __attribute__((noinline)) void wake_several(struct sm *s, uint64_t due)
{
	uint64_t dependents = 0;

	if (LIKELY(!s->env.event))
		dependents = due & s->waits[REASON_DEPENDENCE];
	make_dozing_ready(s, dependents);
	for (due &= ~dependents; due; due &= due - 1)
		make_ready(s, __builtin_ctzll(due));
}

/* Whether the warp, which waits, is the only one of its scheduler: what it waits for
 * is the reason of all cycles then. */
static inline bool waits_alone(const struct sm *s, unsigned k, uint64_t warp)
{
	return (s->live & s->mine[k]) == warp && LIKELY(!s->details);
}

/* make_ready of one warp, or make_dozing_ready. No events are reported. */
static inline void wake_one(struct sm *s, int slot)
{
	struct slot *p = SM_SLOT(s, slot);
	unsigned k = p->sched;
	uint64_t bit = UINT64_C(1) << slot;
	unsigned why = p->wait == NO_WAIT ? REASON_DEPENDENCE : p->wait;

	s->waits[why] &= ~bit;
	p->wait = NO_WAIT;
	s->ready |= bit;
	s->reason[why] += s->now - s->accounted[k];
	s->accounted[k] = s->now;
	wake_scheduler(s, k, slot, find_lsu_full(s));
	if (long_wait(why))
		sched_woken(SM_SCHED(s, k), slot);
}

/* Makes the warps ready that wait for cycle t. */
static inline void wake_place(struct sm *s, cycle_t t)
{
	unsigned place = t % WHEEL;
	uint64_t due = s->wheel[place];
	int slot;

	s->wheel[place] = 0;
	s->occupied &= ~(UINT64_C(1) << place);
	s->occupied |= s->far != 0;
	if (UNLIKELY(!due))
		return;
	slot = __builtin_ctzll(due);
	if (is_single(due) && waits_alone(s, s->sched_of[slot], due) &&
	    LIKELY(!s->env.event))
		wake_one(s, slot);
	else
		wake_several(s, due);
}

static __attribute__((noinline)) void wake_round(struct sm *s, cycle_t t)
{
	begin_round(s, t);
	wake_place(s, t);
}

/* All calls are at its end, so that it need not save registers. */
static __attribute__((noinline)) void issue_wake(struct sm *s, cycle_t t)
{
	if (UNLIKELY(t % WHEEL == 0))
		wake_round(s, t);
	else
		wake_place(s, t);
}

static __attribute__((noinline)) void
receive_messages(struct sm *s, struct wire_box *in, cycle_t t)
{
	const struct msg *m;

	while ((m = wire_take_from(in, t))) {
		if (m->kind == MSG_BLOCK)
			sm_block_arrives(s, m);
		else
			lsu_answer(s->lsu, t, m);
	}
	if (UNLIKELY(s->awaited) && lsu_writes_taken(s->lsu, s->awaited)) {
		s->awaited = 0;
		sm_wake_deferred(s);
	}
}

/* The LSU has room again for the sub-core of scheduler k. */
static inline void wake_for_lsu(struct sm *s, unsigned k)
{
	/* Stores may be in flight after the last block has ended: then there is
	 * nothing to account for. */
	if (LIKELY(s->live))
		sm_account(s, k, s->now);
	s->woken |= 1u << k;
}

/* The LSU has advanced: sub-cores whose queue has room again may issue to
 * it. */
static __attribute__((noinline)) void clear_lsu_full(struct sm *s)
{
	uint32_t freed = s->lsu_full & lsu_ready(s->lsu);

	s->lsu_full &= ~freed;
	for (; freed; freed &= freed - 1) {
		unsigned sub = (unsigned)__builtin_ctz(freed);

		s->full_warps &= ~s->sub_warps[sub];
		s->unit_free[sub].of[UNIT_LSU] = s->lsu_free[sub];
		s->unit_free[sub].of[UNIT_TEX] = s->tex_free[sub];
		if (LIKELY(s->schedulers == s->subcores)) {
			wake_for_lsu(s, sub);
			continue;
		}
		for (uint32_t k = 0; k < s->schedulers; k++)
			if (s->sub_of[k] == sub)
				wake_for_lsu(s, k);
	}
}

/* When the next warp of the wheel is due, or its next round, after t. */
static inline cycle_t wheel_next(const struct sm *s, cycle_t t)
{
	unsigned at = (t + 1) % WHEEL;
	uint64_t turned;

	if (!s->occupied)
		return CYCLE_NEVER;
	turned = s->occupied >> at | s->occupied << (WHEEL - at) % WHEEL;
	return t + 1 + (unsigned)__builtin_ctzll(turned);
}

/* The LSU accepts a lone load, and nothing else happens in that cycle. Returns the
 * next event of LSU and wheel. */
static inline cycle_t accept_lone_load(struct sm *s)
{
	cycle_t t = lsu_next(s->lsu);

	if (UNLIKELY(t >= s->until || t >= s->origin_end || s->lsu_full))
		return t;
	s->now = t;
	s->view->now = t;
	lsu_advance(s->lsu, t);
	if (UNLIKELY(s->woken))
		return t;
	return min_u64(lsu_next(s->lsu), wheel_next(s, t));
}

/* Nothing happens before `to` but in the LSU: runs it ahead. Returns the next
 * event of LSU and wheel. */
static __attribute__((noinline)) cycle_t run_lsu_alone(struct sm *s, cycle_t to)
{
	cycle_t last;

	if (LIKELY(lsu_has_lone(s->lsu)))
		return accept_lone_load(s);
	last = lsu_run_ahead(s->lsu, min_u64(to, s->until));
	s->now = max_u64(s->now, last);
	return lsu_next(s->lsu);
}

/* What is seldom there: does what is due of it at t. */
static __attribute__((noinline)) void look_aside(struct sm *s, cycle_t t)
{
	if (s->held && !lsu_holds_writes(s->lsu))
		sm_report_written(s);
	if (!sm_bulk_idle(s))
		sm_bulk_advance(s, t);
	if (s->calling && s->call_next <= t)
		sm_return_calls(s, t);
	s->aside = s->held || !sm_bulk_idle(s) || s->calling;
}

/* `next`, or its next event if that comes earlier. */
static __attribute__((noinline)) cycle_t next_aside(const struct sm *s,
						    cycle_t next)
{
	if (!sm_bulk_idle(s))
		next = min_u64(next, s->bulk_next);
	if (s->calling)
		next = min_u64(next, s->call_next);
	return next;
}

/* The next event after t, where `next` is the first arrival of a message or turn
 * of a scheduler. */
static inline cycle_t next_event(struct sm *s, cycle_t next, cycle_t t)
{
	cycle_t lsu = lsu_next(s->lsu);

	next = min_u64(next, wheel_next(s, t));
	if (UNLIKELY(s->aside))
		next = next_aside(s, next);
	if (lsu < next && !lsu_only_queued(s->lsu))
		lsu = run_lsu_alone(s, next);
	next = min_u64(next, lsu);
	return next > t ? next : t + 1;
}

/* Moves the origin of the scoreboards; entries before the new origin become
 * 0. */
static __attribute__((noinline)) void move_origin(struct sm *s, cycle_t to)
{
	cycle_t by = to - s->origin;

	for (uint64_t left = s->live; left; left &= left - 1) {
		struct slot *p = SM_SLOT(s, __builtin_ctzll(left));
		const struct sm_gridstate *g =
			s->grids[s->block[p->block].grid];
		uint32_t n = g->grid.timed->func[p->func].scoreboard;

		for (uint32_t i = 0; i < n; i++)
			if (p->ready[i] < SCORE_PENDING)
				p->ready[i] -=
					(score_t)min_u64(p->ready[i], by);
	}
	sm_set_origin(s, to);
}

static inline __attribute__((always_inline)) cycle_t
advance_sm(struct sm *s, cycle_t from, cycle_t to, const bool common)
{
	const uint32_t schedulers = common ? COMMON_SCHEDULERS : s->schedulers;
	struct wire_box *in = &s->env.wires->box[s->env.self];
	cycle_t t = max_u64(min_u64(s->next, in->next), from);
	cycle_t turn = first_try(s, schedulers);

	s->until = to;
	s->ended = false;
	while (t < s->until && !s->stopped) {
		if (UNLIKELY(t >= s->origin_end))
			move_origin(s, t);
		s->now = t;
		s->view->now = t;
		if (in->next <= t)
			receive_messages(s, in, t);
		if (lsu_next(s->lsu) <= t && lsu_advance(s->lsu, t) &&
		    s->lsu_full)
			clear_lsu_full(s);
		if (UNLIKELY(s->aside))
			look_aside(s, t);
		if (s->occupied >> t % WHEEL & 1)
			issue_wake(s, t);
		/* Otherwise no scheduler can do what it could not before. */
		if (turn <= t || s->woken) {
			issue_take_turns(s, schedulers, turn, t, common);
			turn = first_try(s, schedulers);
		}
		t = next_event(s, min_u64(in->next, turn), t);
	}
	s->next = s->stopped ? CYCLE_NEVER : t;
	return s->next;
}

cycle_t sm_advance(struct sm *s, cycle_t from, cycle_t to)
{
	return LIKELY(s->common) ? advance_sm(s, from, to, true) :
				   advance_sm(s, from, to, false);
}
