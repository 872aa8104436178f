/*
 * The GPU as an engine sees it whose partitions drift: each has a clock of its
 * own, and may be simulated beyond what it should have heard from others.
 *
 *	gpu_drift_begin(g);
 *	any partition, by any thread, one at a time each:
 *		clock = gpu_step(g, part, clock, to);
 *	when all clocks are the same and nobody steps:
 *		gpu_meet(g, clock);
 *	gpu_drift_end(g);
 *
 * Messages carry the cycle of their arrival. One that reaches a partition whose
 * clock has passed it is processed in the receiver's present and counted as
 * late. As long as no clock is ahead of another by more than a message takes,
 * none is, and the timing is that of the exact engines.
 *
 * There are no epochs. What an SM has stored in a step is in memory when the
 * step is over, in the order of its stores; atomics that have reached a
 * partition are performed at the end of its step, in the order of arrival,
 * each once. Both come before the messages of that step: so a program without
 * races finds in memory what it would find there on any engine. Who changes
 * memory holds the lock of the memory partition that owns the address, so that
 * no store falls between the two halves of an atomic.
 */
#ifndef HEDDLE_GPU_DRIFT_H
#define HEDDLE_GPU_DRIFT_H

#include "gpu/partition.h"

/* False: out of memory, nothing has begun. */
bool gpu_drift_begin(struct gpu *g);
void gpu_drift_end(struct gpu *g);

uint32_t gpu_dispatcher(const struct gpu *g); /* its number */
/* What a message takes at least: to a memory partition; back from it; between
 * SMs and the dispatcher. */
cycle_t gpu_request_time(const struct gpu *g);
cycle_t gpu_answer_time(const struct gpu *g);
cycle_t gpu_block_time(const struct gpu *g);

/*
 * Simulates [from, to) of a partition with the mail that has come by now.
 * Returns how far it has come: `to`, or less at the end of an epoch, where what
 * an SM stores has no more room, or where an SM stops (gpu_stop_at_ends).
 */
cycle_t gpu_step(struct gpu *g, uint32_t partition, cycle_t from, cycle_t to);
/* The earliest cycle in which the partition has something to do, as far as is
 * known by now. By the thread that steps it. */
cycle_t gpu_wakes(const struct gpu *g, uint32_t partition);

/* From now on steps of SMs end with the cycle in which a block ends there;
 * gpu_block_ended: the last one did. */
void gpu_stop_at_ends(struct gpu *g);
bool gpu_block_ended(const struct gpu *g, uint32_t sm);
/* Blocks are left that no SM has got. By the thread of the dispatcher. */
bool gpu_has_blocks(const struct gpu *g);

/* Requests that wait for their time at the memory partitions, and the most
 * that all SMs can make in a cycle. */
uint64_t gpu_requests_waiting(const struct gpu *g);
uint64_t gpu_requests_a_cycle(const struct gpu *g);

/*
 * By the thread that leads. gpu_must_end: a launch has failed or somebody
 * wants the run stopped; clock: the latest. gpu_wants_meeting: there is
 * something to be told. gpu_meet tells it: samples, events, progress, limits;
 * if nothing is left to do, the run is over. It returns the cycle of the next
 * meeting, which no partition may pass.
 */
bool gpu_must_end(struct gpu *g, cycle_t clock);
bool gpu_wants_meeting(const struct gpu *g);
cycle_t gpu_next_meeting(const struct gpu *g, cycle_t now);
cycle_t gpu_meet(struct gpu *g, cycle_t now);

#endif
