/*
 * What engines have in common whose partitions drift: threads, clocks,
 * meetings. The engine says how far a partition may go.
 *
 * One thread leads: it simulates the dispatcher and, alone or with others, the
 * memory partitions; the rest have the SMs, each the same ones from the start
 * to the end. With one thread it does everything in turn.
 *
 * A partition that has work does it, up to its limit, with the mail that it has
 * by then. One that has none waits where no message can be late: it gains
 * nothing by going ahead.
 *
 * Nobody waits for ever: the partition that is furthest behind may always go
 * on, whatever the others do.
 */
#ifndef HEDDLE_ENGINE_DRIFT_H
#define HEDDLE_ENGINE_DRIFT_H

#include <stdatomic.h>

#include "base/eventcount.h"
#include "engine/engine.h"
#include "gpu/drift.h"

struct team;
struct drift;

/* What a thread has seen of the clocks when it begins a round; since then they
 * may have advanced. */
struct drift_sight {
	cycle_t sm, memory, dispatcher; /* the least of each kind */
	cycle_t slowest;
	cycle_t answers, blocks; /* what may still be sent arrives from then */
	/* Of workgroup: the dispatcher has a block to send, which arrives from
	 * then on; requests in the reorder queues. */
	cycle_t assigns;
	uint64_t requests;
};

/* An engine. */
struct drift_rule {
	/* Before the first round; of each round. May be NULL. */
	void (*begin)(struct drift *x);
	void (*look)(struct drift *x, struct drift_sight *s);
	/* The cycle that a partition may not pass. */
	cycle_t (*limit)(struct drift *x, uint32_t partition,
			 const struct drift_sight *s);
	/* An SM has been simulated. By the thread that leads, after each of
	 * its rounds: true if something has changed. May be NULL. */
	void (*moved)(struct drift *x, uint32_t partition);
	bool (*lead)(struct drift *x);
};

struct drift {
	struct gpu *g;
	const struct drift_rule *rule;
	unsigned threads, memory_threads;
	bool spins; /* who waits: bell_spins */
	struct gpu_side sms, mems;
	uint32_t dispatcher, partitions;
	cycle_t step; /* cycles at a time */
	cycle_t slack;
	cycle_t request, answer, block; /* times of messages */

	_Atomic cycle_t *clock; /* by partition */
	_Atomic cycle_t *wake;  /* by partition: when it has something to do */
	_Atomic cycle_t meeting;
	atomic_bool more; /* there are blocks that no SM has got */
	atomic_bool over;
	struct eventcount news;

	/* Of the engine workgroup. */
	_Atomic cycle_t base;
	cycle_t top;
	uint64_t room; /* of the reorder queues; full: SMs that are ahead stop */
	atomic_bool *issuable;
};

static inline cycle_t drift_clock(const struct drift *x, uint32_t partition)
{
	return atomic_load_explicit(&x->clock[partition], memory_order_acquire);
}

/* The least clock of a side. */
cycle_t drift_min(const struct drift *x, struct gpu_side side);

/* Runs what gpu_begin has set up. *step: cycles at a time at most, and what
 * was made of it. False: out of memory, nothing was done. */
bool drift_run(struct gpu *g, const struct drift_rule *rule, cycle_t slack,
	       struct team *team, cycle_t *step);

extern const struct drift_rule drift_slack, drift_workgroup;

#endif
