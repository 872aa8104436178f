/* Accounts each cycle of each scheduler to one reason. */
#include "sm/core.h"

/*
 * Between two changes of a scheduler's masks all cycles have the same reason,
 * except that the issue interval or a register bank may stop holding it up.
 */
static enum reason stall_reason(const struct sm *s, uint64_t mine)
{
	for (unsigned r = REASON_DEPENDENCE; r < REASON_UNFILLED; r++)
		if (s->waits[r] & mine)
			return (enum reason)r;
	return REASON_UNFILLED;
}

_Static_assert((int)REASON_UNFILLED + 4 == (int)REASON_COUNT,
	       "the reasons without a warp are the last ones");

_Static_assert((int)REASON_INT + (int)UNIT_UNIFORM == (int)REASON_UNIFORM,
	       "reasons by unit are in the order of the units");

static enum reason busy_unit(const struct sm *s, uint64_t ready)
{
	for (unsigned u = 0; u < UNIT_COUNT; u++)
		if (s->needs[u] & ready)
			return (enum reason)(REASON_INT + u);
	return REASON_THROTTLED;
}

/* The warps that a busy unit holds up; all of them if it is no unit. */
static uint64_t needing(const struct sm *s, enum reason why)
{
	return why >= REASON_INT && why <= REASON_UNIFORM ?
		       s->needs[why - REASON_INT] :
		       UINT64_MAX;
}

/* How many cycles before `end` leave the remainder i when divided by n. */
static uint64_t cycles_of(cycle_t end, unsigned i, unsigned n)
{
	return (end + n - 1 - i) / n;
}

/* The details that a warp's wait is charged to: those of its next instruction, or
 * of the barrier, also when that has opened. */
static struct sm_detail *detail_of_wait(const struct sm *s,
					const struct slot *p, enum reason why)
{
	const struct sm_gridstate *g = s->grids[s->block[p->block].grid];

	if (why != REASON_BARRIER || !g->details)
		return sm_detail_of(s, p);
	return &g->details[g->heat[p->barrier_func] - g->pool + p->barrier_pc];
}

/* Charges the cycles [from, to) to the instructions that warps wait for, in turn: the
 * number of a cycle says whose turn it is, so that it does not matter into how
 * many parts the time is cut. */
static void charge_warps(const struct sm *s, uint64_t warps, cycle_t from,
			 cycle_t to, enum reason why)
{
	unsigned n = (unsigned)__builtin_popcountll(warps), i = 0;

	for (; warps; warps &= warps - 1, i++) {
		const struct slot *p = &s->slot[__builtin_ctzll(warps)];
		struct sm_detail *d = detail_of_wait(s, p, why);

		if (d)
			d->slots[why] +=
				cycles_of(to, i, n) - cycles_of(from, i, n);
	}
}

/* Charges the cycles before `until`, and at most before t, to `why`, for which
 * these warps wait. */
static inline void charge(struct sm *s, unsigned k, cycle_t t, cycle_t until,
			  enum reason why, uint64_t warps, bool details)
{
	cycle_t end = until < t ? until : t;

	if (end <= s->accounted[k])
		return;
	if (details)
		charge_warps(s, warps, s->accounted[k], end, why);
	s->reason[why] += end - s->accounted[k];
	s->accounted[k] = end;
}

/* The SM has no block. */
static __attribute__((noinline)) void charge_idle(struct sm *s, unsigned k,
						  cycle_t t)
{
	idle_charge(s->env.phases, &s->idle, s->accounted[k], t, s->reason);
	s->accounted[k] = t;
}

/* Compiled twice: only the one without details is hot. */
static inline void charge_all(struct sm *s, unsigned k, cycle_t t, bool details)
{
	uint64_t ready = s->ready & s->mine[k];
	enum reason why;

	if (ready) {
		charge(s, k, t, s->pace[k], REASON_PACE, ready, details);
		charge(s, k, t, s->operands[k], REASON_REGISTERS, ready,
		       details);
		why = s->throttled >> k & 1 ? REASON_THROTTLED :
					      busy_unit(s, ready);
		charge(s, k, t, t, why, ready & needing(s, why), details);
	} else if (LIKELY(s->blocks)) {
		why = stall_reason(s, s->mine[k]);
		charge(s, k, t, t, why, s->waits[why] & s->mine[k], details);
	} else {
		charge_idle(s, k, t);
	}
}

static __attribute__((noinline)) void charge_details(struct sm *s, unsigned k,
						     cycle_t t)
{
	charge_all(s, k, t, true);
}

void sm_charge(struct sm *s, unsigned k, cycle_t t)
{
	if (UNLIKELY(s->details))
		charge_details(s, k, t);
	else
		charge_all(s, k, t, false);
}
