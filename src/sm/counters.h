/*
 * The counters of a warp, for instructions with control bits (arch/timed.h). They
 * are its scoreboard: what an instruction raises, waits for and lowers is in one
 * line of the host's cache.
 *
 * Does not model: the range of a counter (0 to 63); the cycle between the issue
 *          of an instruction and the rise of its counters, which no compiler
 *          relies on.
 */
#ifndef HEDDLE_SM_COUNTERS_H
#define HEDDLE_SM_COUNTERS_H

#include <string.h>

#include "sm/core.h"

struct counters {
	/* The cycle from which the counter is 0, or SCORE_PENDING + reason while
	 * operations whose end is not known have raised it. Then `known` is the
	 * last end that is. */
	score_t zero[TIMED_COUNTERS], known[TIMED_COUNTERS];
	uint16_t open[TIMED_COUNTERS]; /* operations whose end is not known */
};
_Static_assert(offsetof(struct counters, open) ==
		       TIMED_COUNTER_SCORES * sizeof(score_t),
	       "entries of a scoreboard");
_Static_assert(sizeof(struct counters) <= TIMED_COUNTER_ROOM * sizeof(score_t),
	       "as much room as a program asks for");

static inline struct counters *counters_of(const struct slot *p)
{
	return (struct counters *)(void *)p->ready;
}

/* A warp starts. The scores are cleared when it enters a function. */
static inline void counters_start(struct slot *p)
{
	memset(counters_of(p)->open, 0, sizeof(counters_of(p)->open));
}

/* Counters are numbered from 0 here. */
static inline void counter_raise(struct slot *p, unsigned n, enum reason why)
{
	struct counters *c = counters_of(p);

	if (!c->open[n]++)
		c->known[n] = c->zero[n];
	c->zero[n] = SCORE_PENDING + why;
}

/* An operation that raised the counter ends at `at`, for which a warp that
 * waits does so for reason `why`. */
static inline void counter_lower(const struct sm *s, struct slot *p, unsigned n,
				 cycle_t at, unsigned why)
{
	struct counters *c = counters_of(p);
	score_t end = sm_score(s, at);

	c->known[n] = c->known[n] > end ? c->known[n] : end;
	if (--c->open[n])
		return;
	c->zero[n] = c->known[n];
	sm_set_result(p, s->origin + c->known[n], why);
}

/* The counter is raised from now until `at`. */
static inline void counter_hold(const struct sm *s, struct slot *p, unsigned n,
				cycle_t at)
{
	struct counters *c = counters_of(p);
	score_t *to = c->open[n] ? &c->known[n] : &c->zero[n];
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
