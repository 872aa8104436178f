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

_Static_assert((int)REASON_INT + (int)UNIT_BRANCH == (int)REASON_BRANCH,
	       "reasons by unit are in the order of the units");

static enum reason busy_unit(const struct sm *s, uint64_t ready)
{
	for (unsigned u = 0; u < UNIT_COUNT; u++)
		if (s->needs[u] & ready)
			return (enum reason)(REASON_INT + u);
	return REASON_THROTTLED;
}

/* Charges the cycles before `until`, and at most before t, to `why`. */
static void charge(struct sm *s, unsigned k, cycle_t t, cycle_t until,
		   enum reason why)
{
	cycle_t end = until < t ? until : t;

	if (end <= s->accounted[k])
		return;
	s->reason[why] += end - s->accounted[k];
	s->accounted[k] = end;
}

void sm_charge(struct sm *s, unsigned k, cycle_t t)
{
	uint64_t ready = s->ready & s->mine[k];

	if (ready) {
		charge(s, k, t, s->pace[k], REASON_PACE);
		charge(s, k, t, s->operands[k], REASON_REGISTERS);
		charge(s, k, t, t,
		       s->throttled >> k & 1 ? REASON_THROTTLED :
					       busy_unit(s, ready));
	} else if (s->blocks) {
		charge(s, k, t, t, stall_reason(s, s->mine[k]));
	} else {
		idle_charge(s->env.phases, &s->idle, s->accounted[k], t,
			    s->reason);
		s->accounted[k] = t;
	}
}
