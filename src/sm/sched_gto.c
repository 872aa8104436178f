/* Greedy, then oldest: the warp that issued last, else the oldest. */
#include "sm/sched_impl.h"

static int gto_pick(struct sched *s, uint64_t can, cycle_t now)
{
	(void)now;
	return sched_find_oldest(s, sched_not_yielded(s, can));
}

const struct sched_ops sched_gto = {
	.name = "gto",
	.greedy = UINT64_MAX,
	.pick = gto_pick,
};
