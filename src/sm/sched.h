/*
 * Warp schedulers: which of the warps that could issue does.
 *
 * A scheduler sees the warps of its own as bits of a mask over the SM's warp
 * slots. Behind one interface:
 *
 *   lrr        the next slot after the one that issued last
 *   gto        the warp that issued last, else the oldest
 *   cggty      the warp that issued last, else the youngest
 *   two_level  lrr among sm.active_warps active warps (Gebhart, Narasiman,
 *              both MICRO 2011). A warp that begins a long wait leaves; of
 *              those ready and not active, the one that has waited longest is
 *              promoted at once
 *   ccws       gto among the warps that lost locality does not throttle
 *              (Rogers, O'Connor, Aamodt, MICRO 2012)
 *
 * ccws. A warp's victim tags (sm.ccws_tags, LRU in sets of sm.ccws_ways)
 * remember lines that it lost from the L1. A miss that finds its line there
 * sets the warp's score to
 *   hits in victim tags / instructions issued * sm.ccws_throttle * cutoff,
 * where cutoff = resident warps * sm.ccws_score. A score falls by one per
 * cycle, down to sm.ccws_score. Warps are stacked, highest score first (of
 * equal ones the last to come down, then the oldest); those that reach above
 * the cutoff may not issue. Different from the paper: a throttled warp
 * issues nothing, not only no load; each scheduler keeps scores for its own
 * warps; a score stops at the cutoff; the first warp of the stack may always
 * issue.
 *
 * Ages are the order of the calls of sched_started. Equal calls give equal
 * answers on every host.
 *
 * Does not model: the latency of a promotion, or of sorting the scores.
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
	uint64_t mine;  /* slots that belong to this scheduler */
	int last;       /* slot that issued last, or SCHED_NONE */
	uint64_t same;  /* its bit, if the policy wants it to go on */
	uint64_t after; /* the slots above it; at first all */
	/* The policy changes its mind without being told in that cycle. */
	cycle_t wake;
	/* By slot: those of mine whose last start is before its own. */
	uint64_t older[SCHED_SLOTS];
	void *state; /* of the policy */
};

struct sched_ops {
	const char *name; /* as in sm.scheduler */
	uint64_t greedy;  /* all bits: the warp that issued last goes first */
	/* One of `can`, which is not empty, or SCHED_NONE. */
	int (*pick)(struct sched *s, uint64_t can, cycle_t now);
	/* The rest may be NULL: not interested. */
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

/* Every policy, by enum cfg_scheduler; NULL ends the list. */
extern const struct sched_ops *const sched_all[];

/* *cfg must outlive the scheduler. */
MUST_USE enum err sched_init(struct sched *s, struct arena *a,
			     const struct cfg *cfg, uint64_t mine,
			     struct diag *d);
/* Before a launch, when every warp has ended: forgets what happened. */
void sched_start(struct sched *s);

/*
 * Which of the slots in `can` issues: a subset of mine, all started and not
 * ended. SCHED_NONE: none, because `can` is empty or because the policy holds
 * them back; then the answer stays until a notification, or until cycle
 * s->wake (maybe CYCLE_NEVER). `now` never falls.
 */
static inline int sched_pick(struct sched *s, uint64_t can, cycle_t now)
{
	if (can & s->same)
		return s->last;
	return can ? s->ops->pick(s, can, now) : SCHED_NONE;
}

static inline void sched_issued(struct sched *s, int slot)
{
	uint64_t bit = UINT64_C(1) << slot;

	s->last = slot;
	s->same = bit & s->ops->greedy;
	s->after = -bit << 1;
	if (s->ops->issued)
		s->ops->issued(s, slot);
}

/*
 * The slot's warp begins a wait that others may have to end, or that is long:
 * for global memory, at a barrier or fence, asleep. All of these must be
 * told, else two_level may wait for a warp that it does not let go on.
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

/* A warp, the youngest now, starts in a slot. */
void sched_started(struct sched *s, int slot);
/* It will issue no more; sched_issued of its last instruction may follow. */
void sched_ended(struct sched *s, int slot);

/* ccws: a load of the slot's warp misses the L1 on a line; a line that
 * it brought there leaves the L1. */
static inline void sched_missed(struct sched *s, int slot, uint64_t line,
				cycle_t now)
{
	if (s->ops->missed)
		s->ops->missed(s, slot, line, now);
}

static inline void sched_evicted(struct sched *s, int slot, uint64_t line)
{
	if (s->ops->evicted)
		s->ops->evicted(s, slot, line);
}

#endif
