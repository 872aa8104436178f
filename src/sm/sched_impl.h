/*
 * The policies, and what they share. For sched*.c only; sm/sched.h is the
 * interface.
 */
#ifndef HEDDLE_SM_SCHED_IMPL_H
#define HEDDLE_SM_SCHED_IMPL_H

#include "sm/sched.h"

extern const struct sched_ops sched_lrr, sched_gto, sched_two_level,
	sched_cggty, sched_ccws;

static inline uint64_t sched_bit(int slot)
{
	return UINT64_C(1) << slot;
}

static inline int sched_lowest(uint64_t mask)
{
	return __builtin_ctzll(mask);
}

/* Those of `can` that have not yielded; if there are none, a new round begins
 * with all of them. */
static inline uint64_t sched_not_yielded(struct sched *s, uint64_t can)
{
	uint64_t others = can & ~s->yielded;

	/* Without a branch: who has yielded is unpredictable. */
	s->yielded &= -(uint64_t)(others != 0);
	return others ? others : can;
}

/*
 * The opposite of what sched_pick_youngest finds: the lowest above the warp that
 * started last, or else the lowest, or what is any older than that.
 */
static inline int sched_find_oldest(const struct sched *s, uint64_t can)
{
	uint64_t first = can & ~s->filled;
	int slot = sched_lowest(first ? first : can);

	if (LIKELY(s->in_order))
		return slot;
	for (uint64_t m; (m = can & s->older[slot]);)
		slot = sched_lowest(m);
	return slot;
}

/* The first slot of `can` after the one that issued last, going round. */
static inline int sched_find_next(const struct sched *s, uint64_t can)
{
	uint64_t above = can & s->after;

	return sched_lowest(above ? above : can);
}

#endif
