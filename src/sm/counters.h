/*
 * The counters of a warp, for instructions with control bits (arch/timed.h).
 *
 * Entry n of the warp's scoreboard is the cycle from which counter n is 0, or
 * SCORE_PENDING + reason while operations whose end is not known have raised
 * it; slot.left counts these. Entry TIMED_COUNTERS + n is then the last end
 * that is known.
 *
 * Does not model: the range of a counter (0 to 63); the cycle between the issue
 *          of an instruction and the rise of its counters, which no compiler
 *          relies on.
 */
#ifndef HEDDLE_SM_COUNTERS_H
#define HEDDLE_SM_COUNTERS_H

#include "sm/core.h"

/* Counters are numbered from 0 here. */
static inline void counter_raise(struct slot *p, unsigned n, enum reason why)
{
	if (!p->left[n]++)
		p->ready[TIMED_COUNTERS + n] = p->ready[n];
	p->ready[n] = SCORE_PENDING + why;
}

/* An operation that raised the counter ends at `at`, for which a warp that
 * waits does so for reason `why`. */
static inline void counter_lower(const struct sm *s, struct slot *p, unsigned n,
				 cycle_t at, unsigned why)
{
	score_t *known = &p->ready[TIMED_COUNTERS + n], end = sm_score(s, at);

	*known = *known > end ? *known : end;
	if (--p->left[n])
		return;
	p->ready[n] = *known;
	sm_set_result(p, s->origin + *known, why);
}

/* The counter is raised from now until `at`. */
static inline void counter_hold(const struct sm *s, struct slot *p, unsigned n,
				cycle_t at)
{
	score_t *to = &p->ready[p->left[n] ? TIMED_COUNTERS + n : n];
	score_t end = sm_score(s, at);

	*to = *to > end ? *to : end;
}

/* An instruction whose operands are read by `read` and whose result is written
 * at `written`. */
static inline void counters_hold(const struct sm *s, struct slot *p,
				 const struct timed_inst *ti, cycle_t read,
				 cycle_t written)
{
	if (timed_write_counter(ti))
		counter_hold(s, p, timed_write_counter(ti) - 1, written);
	if (timed_read_counter(ti))
		counter_hold(s, p, timed_read_counter(ti) - 1, read);
}

#endif
