/* Loose round robin: the next ready slot after the one that issued last. */
#include "sm/sched_impl.h"

static int lrr_pick(struct sched *s, uint64_t can, cycle_t now)
{
	(void)now;
	return sched_find_next(s, can);
}

const struct sched_ops sched_lrr = { .name = "lrr", .pick = lrr_pick };
