/*
 * The GPU as seen by engines whose partitions drift: each partition has its own
 * clock, and may be simulated past the arrival of messages that it has not
 * received yet.
 *
 *	gpu_drift_begin(g);
 *	for any partition, by any thread, one thread at a time each:
 *		clock = gpu_step(g, partition, clock, to);
 *	when all clocks are the same and no thread steps:
 *		gpu_meet(g, clock);
 *	gpu_drift_end(g);
 *
 * Messages carry the cycle of their arrival. A message that reaches a partition
 * whose clock has passed that cycle is processed in the receiver's present and
 * counted as late. As long as no clock is ahead of another by more than the
 * latency of a message, none is late, and the timing is that of the exact
 * engines.
 *
 * There are no epochs. The stores of an SM in a step are in memory when the
 * step is over, in their order; atomics that have reached a memory partition
 * are performed once each at the end of its step, in the order of arrival. Both
 * happen before the messages of that step are sent: so a program without races
 * reads the same values on every engine. A thread that changes memory holds the
 * lock of the memory partition that owns the address, so that no store falls
 * between the read and the write of an atomic.
 */
#ifndef HEDDLE_GPU_DRIFT_H
#define HEDDLE_GPU_DRIFT_H

#include "gpu/partition.h"

/* False: out of memory; do not call gpu_drift_end. */
bool gpu_drift_begin(struct gpu *g);
void gpu_drift_end(struct gpu *g);

uint32_t gpu_dispatcher(const struct gpu *g); /* its number */
/* The minimum latency of a message: to a memory partition; back from it;
 * between SMs and the dispatcher. */
cycle_t gpu_request_time(const struct gpu *g);
cycle_t gpu_answer_time(const struct gpu *g);
cycle_t gpu_block_time(const struct gpu *g);

/*
 * Simulates [from, to) of a partition with the messages that have come by now.
 * Returns the cycle reached: `to`, or an earlier one, which is the end of the
 * epoch, beyond which an SM has no room for stores, or where an SM stops
 * (gpu_stop_at_block_ends).
 */
cycle_t gpu_step(struct gpu *g, uint32_t partition, cycle_t from, cycle_t to);
/* The earliest event of the partition that is known by now. Call it from the
 * thread that steps the partition. */
cycle_t gpu_next_event(const struct gpu *g, uint32_t partition);

/* From now on a step of an SM ends with the cycle in which a block ends on it;
 * gpu_block_ended: the last step ended that way. */
void gpu_stop_at_block_ends(struct gpu *g);
bool gpu_block_ended(const struct gpu *g, uint32_t sm);
/* Whether there are blocks that have not been sent to an SM. Call it from the
 * thread that steps the dispatcher. */
bool gpu_has_more_blocks(const struct gpu *g);

/* Requests that wait at the memory partitions for the cycle of their arrival,
 * and the maximum number that all SMs can make in a cycle. */
uint64_t gpu_requests_waiting(const struct gpu *g);
uint64_t gpu_requests_a_cycle(const struct gpu *g);

/*
 * Only the leading thread calls these. gpu_must_end: a launch has failed or the
 * run was stopped from outside; clock is the latest of all. gpu_wants_meeting:
 * a progress report is due. gpu_meet takes samples, delivers events, reports
 * progress and checks limits; if nothing is left to do, the run is over. It
 * returns the cycle of the next meeting, which no partition may pass.
 */
bool gpu_must_end(struct gpu *g, cycle_t clock);
bool gpu_wants_meeting(const struct gpu *g);
cycle_t gpu_next_meeting(const struct gpu *g, cycle_t now);
cycle_t gpu_meet(struct gpu *g, cycle_t now);

#endif
