/*
 * The GPU as an engine sees it: partitions that advance in windows.
 *
 *	from = gpu_now(g);
 *	while (!gpu_over(g)) {
 *		to = gpu_window_end(g, from, length);
 *		for each partition p: next = min(next, gpu_advance(g, p, ...));
 *		if (gpu_must_merge(g, from, to, next)): the phases of gpu_merge
 *		gpu_window_done(g, to, next);
 *		from = max(to, next);
 *	}
 *
 * Partitions touch only through wires, so those of one window may be advanced
 * in any order, or at the same time by several threads.
 */
#ifndef HEDDLE_GPU_PART_H
#define HEDDLE_GPU_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"

struct gpu;

uint32_t gpu_parts(const struct gpu *g);
cycle_t gpu_lookahead(const struct gpu *g); /* longest window */
cycle_t gpu_now(const struct gpu *g);       /* where the run begins */

/*
 * Where a window of at most `length` cycles ends, 1 to gpu_lookahead: it never
 * reaches over the end of an epoch, a sample or the cycle limit.
 */
cycle_t gpu_window_end(const struct gpu *g, cycle_t from, cycle_t length);

/*
 * The partition simulates the window [from, to). Returns the earliest cycle in
 * which anything happens next because of it: its own next event or the arrival
 * of what it has sent. Every partition, once in each window.
 */
cycle_t gpu_advance(struct gpu *g, uint32_t part, cycle_t from, cycle_t to);

/*
 * After a window, by one thread; next: the least that gpu_advance returned.
 * Whether the epoch ends here and has changed memory: then it must be merged,
 * in GPU_MERGE_PHASES phases, with a barrier between two of them. Each phase
 * falls into gpu_merge_shares independent shares.
 */
enum { GPU_MERGE_PHASES = 3 };
bool gpu_must_merge(struct gpu *g, cycle_t from, cycle_t to, cycle_t next);
uint32_t gpu_merge_shares(const struct gpu *g, unsigned phase);
void gpu_merge(struct gpu *g, unsigned phase, uint32_t share);

/* After a window and its merge, by one thread: progress, samples, the ends of
 * a run. When nothing will ever happen although blocks are resident, the
 * deadlock becomes a fault of the launch. */
void gpu_window_done(struct gpu *g, cycle_t end, cycle_t next);
/* Nothing is left to do, or the run was cut short. */
bool gpu_over(const struct gpu *g);

#endif
