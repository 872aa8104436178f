/* Which reason each idle cycle of an SM is charged to. */
#include <string.h>

#include "test.h"

#include "sm/idle.h"

static struct idle_phases p;

/* Grids start at 0 and 300; their last blocks arrive at 100 and 400. */
static void two_phases(void)
{
	idle_clear(&p);
	idle_grid_starts(&p, 0);
	idle_all_sent(&p, 100);
	idle_grid_starts(&p, 300);
	idle_all_sent(&p, 400);
}

/* Cycles [from, to), by reason. */
static void charges(struct idle_time t, cycle_t from, cycle_t to,
		    uint64_t launch, uint64_t tail, uint64_t no_block)
{
	uint64_t reason[REASON_COUNT] = { 0 }, parts[REASON_COUNT] = { 0 };

	idle_charge(&p, &t, from, to, reason);
	EQ(launch, reason[REASON_LAUNCH]);
	EQ(tail, reason[REASON_TAIL]);
	EQ(no_block, reason[REASON_NO_BLOCK]);
	/* It does not matter when they are counted. */
	for (cycle_t at = from; at < to; at += 7)
		idle_charge(&p, &t, at, at + 7 < to ? at + 7 : to, parts);
	EQ(0, memcmp(reason, parts, sizeof(reason)));
}

#define ALL .known = 2, .end_known = true

TEST(idle, an_sm_without_any_block_waits_and_then_has_none)
{
	two_phases();
	charges((struct idle_time){ ALL }, 0, 500, 200, 0, 300);
	charges((struct idle_time){ ALL }, 150, 310, 10, 0, 150);
}

TEST(idle, after_its_last_block_an_sm_is_in_the_tail_until_the_next_launch)
{
	two_phases();
	charges((struct idle_time){ .since = 50, .had_block = true, ALL }, 50,
		500, 150, 200, 100);
	/* Its last block was one of the second grid. */
	charges((struct idle_time){ .since = 350, .had_block = true, ALL }, 350,
		500, 50, 100, 0);
	charges((struct idle_time){ .since = 450, .had_block = true, ALL }, 450,
		500, 0, 50, 0);
}

TEST(idle, a_grid_that_starts_in_a_phase_extends_it)
{
	idle_clear(&p);
	idle_grid_starts(&p, 0);
	idle_all_sent(&p, 100);
	idle_grid_starts(&p, 90);
	EQ(0, idle_last(&p));
	EQ(CYCLE_NEVER, p.at[0].end);
	idle_all_sent(&p, 120);
	EQ(1, p.count);
	charges((struct idle_time){ .known = 1, .end_known = true }, 0, 200,
		120, 0, 80);
	/* At its end, a new one begins. */
	idle_grid_starts(&p, 120);
	EQ(1, idle_last(&p));
}

TEST(idle, an_sm_that_gets_a_block_does_not_read_the_end_of_its_phase)
{
	two_phases();
	p.at[1].end = 0; /* the dispatcher may be writing it */
	charges((struct idle_time){ .known = 2 }, 0, 350, 150, 0, 200);
	p.at[0].end = 0;
	charges((struct idle_time){ .known = 1 }, 0, 80, 80, 0, 0);
}
