/*
 * What each grid of a run did on an SM, if there are several: the counters of the
 * SM and of its LSU are shared, and before they count for another grid, what they
 * have counted since the last change is added to the grid that it belongs to. With
 * one grid nothing ever changes, and it costs nothing.
 *
 * Models:  instructions by unit, lanes, branches, barriers; residency of blocks and
 *          warps; memory instructions, sectors, shared memory, lookups of the L1
 *          and requests sent.
 * Does not model: why schedulers did not issue, instruction supply, register
 *          banks and constant caches, which warps of all grids share; answers,
 *          which equal requests.
 * Owner:   the SM.
 */
#ifndef HEDDLE_SM_OWN_H
#define HEDDLE_SM_OWN_H

#include <stdint.h>

#include "cfg/cfg.h"
#include "stat/stat.h"

struct sm;

/* Counters of the LSU and the L1. */
struct lsu_counts {
	struct stat_lsu lsu;
	struct stat_l1 l1;
};

/* Counters of the SM itself; of st, those that an instruction increments. */
struct sm_counts {
	struct stat_sm st;
	uint64_t unit[UNIT_COUNT], lanes_off;
};

/* What a grid did. */
struct sm_own {
	struct sm_counts sm;
	struct lsu_counts memory;
	uint64_t active_cycles, warp_cycles;
};

/* Adds what was counted between two times: all members are counters. */
#define COUNTS_MOVE(to, now, mark)                             \
	counts_move((uint64_t *)(to), (const uint64_t *)(now), \
		    (uint64_t *)(mark), sizeof(*(to)) / sizeof(uint64_t))
static inline void counts_move(uint64_t *to, const uint64_t *now,
			       uint64_t *mark, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i] += now[i] - mark[i];
		mark[i] = now[i];
	}
}

/* From now on, what is counted belongs to this grid. */
void sm_switch_grid(struct sm *s, uint32_t grid);
/* Charges n cycles of residency to the grids that have blocks. */
void sm_own_residency(struct sm *s, uint64_t n);

#endif
