/*
 * Bounded slack: no partition is ahead of the slowest one by more than K
 * cycles.
 */
#include "engine/drift.h"

#include "base/minmax.h"

/* The dispatcher hands out blocks in the order in which others end, so it also
 * waits until it can have heard from all SMs. */
static cycle_t slack_limit(struct drift *x, uint32_t partition,
			   const struct drift_snapshot *s)
{
	cycle_t to = s->slowest + x->slack;

	return partition == x->dispatcher ? min_u64(to, s->sm + x->block) : to;
}

const struct drift_rule drift_slack = { .limit = slack_limit };
