/*
 * Warp schedulers: choose which of the ready warps issues.
 *
 * A scheduler sees its own warps as bits of a mask over the SM's warp slots.
 * A policy is one file with one struct sched_ops; sched.c lists them all:
 *
 *   sched_lrr.c        lrr        the next slot after the one that issued last
 *   sched_gto.c        gto        the warp that issued last, else the oldest
 *   sched_cggty.c      cggty      the warp that issued last, else the youngest
 *   sched_two_level.c  two_level  lrr among a few active warps
 *   sched_ccws.c       ccws       gto among the warps that lost locality does
 *                                 not throttle
 *
 * A warp's age is the order of the calls of sched_started. Equal calls give
 * equal answers on every host.
 *
 * Does not model: the time that a decision takes.
 * Owner:   the SM. Nothing is allocated after sched_init.
 */
#ifndef HEDDLE_SM_SCHED_H
#define HEDDLE_SM_SCHED_H

#include <stdint.h>

#include "base/arena.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "cfg/cfg.h"

enum { SCHED_NONE = -1, SCHED_SLOTS = 64 };

struct sched {
	const struct sched_ops *ops;
	const struct cfg *cfg;
	uint64_t mine;    /* slots that belong to this scheduler */
	int last;         /* slot that issued last, or SCHED_NONE */
	uint64_t same;    /* the bit of the one that the policy stays with */
	uint64_t yielded; /* warps that have, in this round */
	uint64_t after;   /* the slots above it; at first all */
	uint64_t greedy;  /* of ops */
	bool youngest;    /* of ops */
	/* The warps of `live` have started in the order of their slots, going
	 * round. */
	bool in_order;
	uint64_t filled; /* slots up to that of the warp that started last */
	uint64_t live;   /* slots whose warps have started and not ended */
	/* The cycle in which the policy's answer may change without a
	 * notification, or CYCLE_NEVER. */
	cycle_t wake;
	/* By slot: those of mine that started before it. */
	uint64_t older[SCHED_SLOTS];
	void *state; /* of the policy */
};

struct sched_ops {
	const char *name; /* as in sm.scheduler */
	uint64_t greedy;  /* all bits: the warp that issued last goes first */
	bool youngest;    /* `pick` is sched_pick_youngest */
	/* Returns one of `can`, which is not empty, or SCHED_NONE. */
	int (*pick)(struct sched *s, uint64_t can, cycle_t now);
	/* Any of these may be NULL. The functions below that have their names
	 * say when they are called. */
	enum err (*init)(struct sched *s, struct arena *a, struct diag *d);
	void (*start)(struct sched *s);
	void (*issued)(struct sched *s, int slot);
	void (*stalled)(struct sched *s, int slot);
	void (*woken)(struct sched *s, int slot);
	void (*started)(struct sched *s, int slot);
	void (*ended)(struct sched *s, int slot);
	void (*missed)(struct sched *s, int slot, uint64_t line, cycle_t now);
	void (*evicted)(struct sched *s, int slot, uint64_t line);
};

/* Every policy, by enum cfg_scheduler; NULL-terminated. */
extern const struct sched_ops *const sched_all[];

/* *cfg must outlive the scheduler. */
MUST_USE enum err sched_init(struct sched *s, struct arena *a,
			     const struct cfg *cfg, uint64_t mine,
			     struct diag *d);
/* Forgets everything, before a launch: every warp must have ended. */
void sched_start(struct sched *s);

/*
 * What the policy cggty picks of `can`, which is not empty. Inline and without
 * branches, since it is unpredictable which warp goes on and which has yielded:
 * the one that the policy stays with, else the youngest of those that have not
 * yielded. If all have, a new round begins.
 *
 * Blocks fill slots upwards, and new ones those of the oldest again. As long as
 * all do, the youngest is the highest below the warp that started last, or else
 * the highest. Otherwise steps lead from there to any younger one until there is
 * none.
 */
static inline int sched_pick_youngest(struct sched *s, uint64_t can)
{
	uint64_t same = can & s->same, others = can & ~s->yielded, last;
	int slot;

	s->yielded &= -(uint64_t)((same | others) != 0);
	can = others ? others : can;
	can = same ? same : can;
	last = can & s->filled;
	last = last ? last : can;
	slot = 63 - __builtin_clzll(last);
	if (LIKELY(s->in_order))
		return slot;
	for (uint64_t m; (m = can & ~s->older[slot] & ~(UINT64_C(1) << slot));)
		slot = 63 - __builtin_clzll(m);
	return slot;
}

/*
 * Returns the slot of `can` that issues. `can` is a subset of mine, all of it
 * started and not ended; `now` never decreases. SCHED_NONE: `can` is empty, or
 * the policy holds all of it back. That answer stays the same until the next
 * notification, or until cycle s->wake.
 */
static inline int sched_pick(struct sched *s, uint64_t can, cycle_t now)
{
	if (LIKELY(s->youngest && can))
		return sched_pick_youngest(s, can);
	if (can & s->same)
		return __builtin_ctzll(s->same);
	return can ? s->ops->pick(s, can, now) : SCHED_NONE;
}

/* The same where only this slot can issue. */
static inline int sched_pick_one(struct sched *s, int slot, cycle_t now)
{
	uint64_t can = UINT64_C(1) << slot;

	if (UNLIKELY(!s->youngest))
		return sched_pick(s, can, now);
	s->yielded &= -(uint64_t)((can & (s->same | ~s->yielded)) != 0);
	return slot;
}

static inline void sched_issued(struct sched *s, int slot)
{
	uint64_t bit = UINT64_C(1) << slot;

	s->last = slot;
	s->same = bit & s->greedy;
	s->after = -bit << 1;
	if (s->ops->issued)
		s->ops->issued(s, slot);
}

/* The slot's warp was picked, and issues when its operands can be read: a
 * greedy policy stays with it. */
static inline void sched_committed(struct sched *s, int slot)
{
	s->same = UINT64_C(1) << slot & s->greedy;
}

/* If the instruction that has issued last yields, a greedy policy does not stay
 * with its warp, and prefers others until all that can issue have yielded. */
static inline void sched_yields_if(struct sched *s, bool yields)
{
	/* Without a branch: it is unpredictable. */
	uint64_t all = -(uint64_t)yields;

	s->yielded |= s->same & all;
	s->same &= ~all;
}

static inline void sched_yields(struct sched *s)
{
	sched_yields_if(s, true);
}

/*
 * The slot's warp begins a wait that is long or that other warps may have to
 * end: for global memory, at a barrier or fence, asleep. Report every one of
 * them: two_level would otherwise keep the warp active, while those that it
 * waits for never become active.
 */
static inline void sched_stalled(struct sched *s, int slot)
{
	if (s->ops->stalled)
		s->ops->stalled(s, slot);
}

/* That wait is over. */
static inline void sched_woken(struct sched *s, int slot)
{
	if (s->ops->woken)
		s->ops->woken(s, slot);
}

/* A warp starts in the slot: the youngest now. */
void sched_started(struct sched *s, int slot);
/* The slot's warp issues nothing more. */
void sched_ended(struct sched *s, int slot);

/* A load of the slot's warp misses the L1. */
static inline void sched_missed(struct sched *s, int slot, uint64_t line,
				cycle_t now)
{
	if (s->ops->missed)
		s->ops->missed(s, slot, line, now);
}

/* The L1 evicts a line that the slot's warp brought there. */
static inline void sched_evicted(struct sched *s, int slot, uint64_t line)
{
	if (s->ops->evicted)
		s->ops->evicted(s, slot, line);
}

#endif
