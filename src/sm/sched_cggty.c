/*
 * Compiler-guided greedy, then youngest: the warp that issued last, else the
 * youngest (Huerta et al., MICRO 2025). On an H200, 2 to 8 warps of a sub-core
 * with clocks among their FFMAs show it: those that stay issue to their end, the
 * youngest first; those that yield take turns.
 */
#include "sm/sched_impl.h"

static int cggty_pick(struct sched *s, uint64_t can, cycle_t now)
{
	(void)now;
	return sched_pick_youngest(s, can);
}

const struct sched_ops sched_cggty = {
	.name = "cggty",
	.greedy = UINT64_MAX,
	.youngest = true,
	.pick = cggty_pick,
};
