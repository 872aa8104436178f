/* Compiler-guided greedy, then youngest: the warp that issued last, else the
 * youngest (Huerta et al., MICRO 2025). */
#include "sm/sched_impl.h"

static int cggty_pick(struct sched *s, uint64_t can, cycle_t now)
{
	(void)now;
	return sched_find_youngest(s, can);
}

const struct sched_ops sched_cggty = {
	.name = "cggty",
	.greedy = UINT64_MAX,
	.pick = cggty_pick,
};
