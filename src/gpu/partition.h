/*
 * The GPU as an engine sees it: partitions that advance in windows.
 *
 *	from = gpu_now(g);
 *	while (!gpu_over(g)) {
 *		to = gpu_window_end(g, from, length);
 *		due = gpu_find_due(g, gpu_memory_side(g), from, to);
 *		gpu_advance(g, due, from, to);
 *		if (gpu_memory_done(g, from)): gpu_merge(g)
 *		if (gpu_over(g)): break
 *		due = gpu_find_due(g, gpu_sm_side(g), from, to);
 *		gpu_advance(g, due, from, to);
 *		gpu_window_done(g, to, next);
 *		from = max(to, next);
 *	}
 *
 * next: the minimum of due.next and of what gpu_advance returned in this
 * window.
 *
 * There are no wires between SMs, and none between the partitions of the other
 * side, memory and the dispatcher. So the sides take turns. Memory is ahead by
 * the latency of a request, the lead: when the SMs start the window [from, to),
 * memory has been simulated up to from + lead, with all requests that can have
 * reached it by then; its answers take the latency of an answer on top. So a
 * window may be as long as a request and an answer together. If all partitions
 * advanced from the same cycle, it could be only as long as the shorter of the
 * two. The longer an SM is simulated at a time, the less often its state must
 * be brought into the host's cache.
 *
 * Partitions interact only through wires, so those of one side may be advanced
 * in any order, or at the same time by several threads.
 */
#ifndef HEDDLE_GPU_PARTITION_H
#define HEDDLE_GPU_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"

struct gpu;

/* Partitions [first, end). */
struct gpu_side {
	uint32_t first, end;
};

struct gpu_side gpu_sm_side(const struct gpu *g);
struct gpu_side gpu_memory_side(const struct gpu *g);
cycle_t gpu_lookahead(const struct gpu *g); /* the longest window */
/* Announces that this many threads will simulate the partitions of a side, a
 * range of neighbours each. It helps the host's caches and changes no
 * result. */
void gpu_assign_threads(struct gpu *g, unsigned threads);
cycle_t gpu_now(const struct gpu *g); /* where the run begins */

/*
 * The end of a window that starts at `from` and has at most `length` cycles, 1
 * to gpu_lookahead. A window never extends past the end of an epoch, of a
 * sample or the cycle limit.
 */
cycle_t gpu_window_end(const struct gpu *g, cycle_t from, cycle_t length);

/* Partitions that have something to do in a window, in ascending order: their
 * numbers, with a bit for those that have mail. */
enum { GPU_MAIL_BIT = 31 };
struct gpu_due {
	const uint32_t *entry;
	uint32_t count;
	bool many;    /* more than the host's cache can be expected to hold */
	cycle_t next; /* earliest event of the others, by the clock of the SMs */
};

static inline uint32_t gpu_due_partition(uint32_t entry)
{
	return entry & ~(UINT32_C(1) << GPU_MAIL_BIT);
}

static inline bool gpu_due_mail(uint32_t entry)
{
	return entry >> GPU_MAIL_BIT;
}

/*
 * Finds the partitions of a side that have an event in the window [from, to),
 * or mail. All others need not even be looked at: a partition that is at rest
 * costs nothing. Called by one thread; the list is valid until the next call.
 */
struct gpu_due gpu_find_due(struct gpu *g, struct gpu_side side, cycle_t from,
			    cycle_t to);

/*
 * Simulates the window [from, to) of partitions that are due. Returns the
 * earliest cycle, by the clock of the SMs, of an event that they cause: their
 * own, or the arrival of a message that they have sent. Every partition that is
 * due must be advanced once; several threads may share them.
 */
cycle_t gpu_advance(struct gpu *g, struct gpu_due due, cycle_t from,
		    cycle_t to);

/*
 * Called by one thread when the memory side has been advanced: takes samples,
 * reports progress, checks the cycle limit. True: an epoch has begun, and the
 * one before it has changed memory. Then call gpu_merge, which the team of
 * gpu_options shares.
 */
bool gpu_memory_done(struct gpu *g, cycle_t from);
void gpu_merge(struct gpu *g);

/* Called by one thread after a window: ends the run when no event is left (next
 * = CYCLE_NEVER) or it was cut short. An SM reports a deadlock of its blocks as
 * a fault of the launch. */
void gpu_window_done(struct gpu *g, cycle_t end, cycle_t next);
/* Stops the run where it is. */
void gpu_abandon(struct gpu *g);
/* Whether nothing is left to do, or the run was cut short. */
bool gpu_over(const struct gpu *g);

#endif
