/*
 * The GPU as an engine sees it: partitions that advance in windows.
 *
 *	from = gpu_now(g);
 *	while (!gpu_over(g)) {
 *		to = gpu_window_end(g, from, length);
 *		gpu_advance(g, gpu_memory_side(g), from, to);
 *		if (gpu_turn(g, from)): the phases of gpu_merge
 *		if (gpu_over(g)): break
 *		gpu_advance(g, gpu_sm_side(g), from, to);
 *		gpu_window_done(g, to, next);
 *		from = max(to, next);
 *	}
 *
 * next: the least that gpu_advance returned in this window.
 *
 * SMs have no wires to each other, nor have the partitions on the other side:
 * memory and the dispatcher. So the sides take turns. Memory is ahead by the
 * time that a request is on its way: in the window [from, to) of the SMs it has
 * been simulated up to from + gpu_lead, with all that can have reached it by
 * then; what it answers takes as long again as an answer does. So a window may
 * be as long as a request and an answer together, where partitions that all
 * advance from the same cycle could go for the shorter of the two only: the
 * longer an SM is simulated at a time, the less often its state must be
 * brought into the host's cache.
 *
 * Partitions touch only through wires, so those of one side may be advanced in
 * any order, or at the same time by several threads.
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
cycle_t gpu_lookahead(const struct gpu *g); /* longest window */
/* So many threads are going to simulate the partitions of a side, in runs of
 * neighbours: for the host's caches, nothing else depends on it. */
void gpu_deal(struct gpu *g, unsigned threads);
cycle_t gpu_now(const struct gpu *g); /* where the run begins */

/*
 * Where a window of at most `length` cycles ends, 1 to gpu_lookahead: it never
 * reaches over the end of an epoch, a sample or the cycle limit.
 */
cycle_t gpu_window_end(const struct gpu *g, cycle_t from, cycle_t length);

/*
 * Partitions of one side simulate their part of the window [from, to). Returns
 * the earliest cycle, by the clock of the SMs, in which anything happens next
 * because of them: an event of their own or the arrival of what they have sent.
 * Every partition, once in each window.
 */
cycle_t gpu_advance(struct gpu *g, struct gpu_side partitions, cycle_t from,
		    cycle_t to);

/*
 * Between the two sides, by one thread: samples, progress, the cycle limit.
 * True: an epoch has begun, and the one before it has changed memory. Then that
 * must be merged, in which the team of gpu_options helps.
 */
bool gpu_turn(struct gpu *g, cycle_t from);
void gpu_merge(struct gpu *g);

/* After a window, by one thread: the ends of a run. When nothing
 * will ever happen although blocks are resident, the deadlock becomes a fault
 * of the launch. */
void gpu_window_done(struct gpu *g, cycle_t end, cycle_t next);
/* Ends the run where it is. */
void gpu_abandon(struct gpu *g);
/* Nothing is left to do, or the run was cut short. */
bool gpu_over(const struct gpu *g);

#endif
