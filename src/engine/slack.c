/*
 * Bounded slack: a partition may be ahead of the slowest one by so many cycles.
 */
#include "engine/drift.h"

#include "base/minmax.h"

/* The dispatcher gives blocks to SMs in the order in which others end: it waits
 * for what the SMs have to say. */
static cycle_t slack_limit(struct drift *x, uint32_t partition,
			   const struct drift_sight *s)
{
	cycle_t to = s->slowest + x->slack;

	return partition == x->dispatcher ? min_u64(to, s->sm + x->block) : to;
}

const struct drift_rule drift_slack = { .limit = slack_limit };
