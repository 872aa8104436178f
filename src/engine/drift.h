/*
 * What the engines with drifting partitions have in common: threads, clocks,
 * meetings. Each engine's rule decides how far a partition may advance.
 *
 * One thread leads: it simulates the dispatcher and, alone or with others, the
 * memory partitions. The other threads simulate the SMs, each the same ones
 * throughout. A single thread simulates everything in turn.
 *
 * A partition with events advances up to its limit, with the messages that it
 * has by then. A partition without events waits where no message can be late:
 * it would gain nothing by going ahead.
 *
 * There is no deadlock: the partition that is furthest behind may always
 * advance, whatever the others do.
 */
#ifndef HEDDLE_ENGINE_DRIFT_H
#define HEDDLE_ENGINE_DRIFT_H

#include <stdatomic.h>

#include "base/eventcount.h"
#include "engine/engine.h"
#include "gpu/drift.h"

struct team;
struct drift;

/* The clocks as a thread has read them at the start of a round; they may have
 * advanced since. */
struct drift_snapshot {
	cycle_t sm, memory, dispatcher; /* the minimum of each kind */
	cycle_t slowest;
	cycle_t answers, blocks; /* earliest arrivals of later messages */
	/* Of workgroup: the earliest arrival of a block that the dispatcher can
	 * send; the number of requests in the reorder queues. */
	cycle_t assigns;
	uint64_t requests;
};

/* The rule of an engine. */
struct drift_rule {
	/* Called before the first round; called for the snapshot of each round.
	 * May be NULL. */
	void (*begin)(struct drift *x);
	void (*observe)(struct drift *x, struct drift_snapshot *s);
	/* The cycle that a partition may not pass. */
	cycle_t (*limit)(struct drift *x, uint32_t partition,
			 const struct drift_snapshot *s);
	/* Called when an SM has been simulated; called by the leading thread
	 * after each of its rounds, true if something has changed. May be
	 * NULL. */
	void (*advanced)(struct drift *x, uint32_t partition);
	bool (*lead)(struct drift *x);
};

struct drift {
	struct gpu *g;
	const struct drift_rule *rule;
	unsigned threads, memory_threads;
	bool spins; /* waiting threads spin: eventcount_spins */
	struct gpu_side sms, mems;
	uint32_t dispatcher, partitions;
	cycle_t step; /* maximum cycles at a time */
	cycle_t slack;
	cycle_t request, answer, block; /* minimum latencies of messages */

	_Atomic cycle_t *clock;      /* by partition */
	_Atomic cycle_t *next_event; /* by partition */
	_Atomic cycle_t meeting;
	atomic_bool more_blocks; /* not yet sent to an SM */
	atomic_bool over;
	struct eventcount changed;

	/* Of the engine workgroup. */
	_Atomic cycle_t base;
	cycle_t top;
	uint64_t room; /* of the reorder queues; if full, SMs ahead stop */
	atomic_bool *issuable;
};

static inline cycle_t drift_clock(const struct drift *x, uint32_t partition)
{
	return atomic_load_explicit(&x->clock[partition], memory_order_acquire);
}

/* The minimum clock of a side. */
cycle_t drift_min(const struct drift *x, struct gpu_side side);

/* Runs what gpu_begin has set up. *step: the maximum number of cycles at a
 * time; a rule may lower it. False: out of memory, nothing was simulated. */
bool drift_run(struct gpu *g, const struct drift_rule *rule, cycle_t slack,
	       struct team *team, cycle_t *step);

extern const struct drift_rule drift_slack, drift_workgroup;

#endif
