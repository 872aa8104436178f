/* The protocol of CGM in every state that small systems can reach. */
#include "cgm/explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

/* A system whose caches and L3 have room for one block each, so that two blocks
 * evict each other all the time. */
static struct explore system_of(unsigned caches, unsigned blocks)
{
	return (struct explore){ .table = &cgm_table,
				 .caches = caches,
				 .blocks = blocks,
				 .ways = 1,
				 .home_ways = 1,
				 .buffers = 1,
				 .limit = UINT64_MAX };
}

static bool explores(struct explore *x)
{
	bool good = explore_run(x);

	printf("%" PRIu64 " states, %" PRIu64 " transitions, %u messages to "
	       "rest at most%s%s\n",
	       x->states, x->steps, x->longest, good ? "" : ": ", x->failure);
	return good;
}

TEST(protocol, two_caches_and_a_block_are_coherent_in_every_state)
{
	struct explore x = system_of(2, 1);

	x.flushes = true;
	OK(explores(&x));
}

TEST(protocol, three_caches_and_a_block_are_coherent_in_every_state)
{
	struct explore x = system_of(3, 1);

	OK(explores(&x));
}

TEST(protocol, caches_without_coherence_always_come_to_rest)
{
	struct explore x = system_of(2, 1);

	x.flushes = true;
	x.plain = 1;
	OK(explores(&x));
	x.plain = 2;
	x.states = x.steps = 0;
	OK(explores(&x));
}

/* Breaks one row of the table and expects the check to say so. */
static void caught(struct cgm_table *t, const char *what)
{
	struct explore x = system_of(3, 1);

	x.table = t;
	x.flushes = true;
	if (explore_run(&x)) {
		printf("not caught: %s\n", what);
		OK(false);
	}
	printf("%s: %s\n", what, x.failure);
}

TEST(mutation, a_reader_that_keeps_its_copy_is_caught)
{
	struct cgm_table t = cgm_table;

	t.cache[CGM_C_S][CGM_CE_INVAL].next = CGM_C_S;
	caught(&t, "S keeps its copy on inval");
}

TEST(mutation, a_writer_that_does_not_wait_for_answers_is_caught)
{
	struct cgm_table t = cgm_table;

	t.cache[CGM_C_IM][CGM_CE_DATA_XW].next = CGM_C_M;
	t.cache[CGM_C_IM][CGM_CE_DATA_XW].actions |= CGM_DO(UNBLOCK);
	caught(&t, "M before all readers have answered");
}

TEST(mutation, an_eviction_that_loses_data_is_caught)
{
	struct cgm_table t = cgm_table;

	t.home[CGM_H_X][CGM_HE_PUTX].actions &= ~CGM_DO(MERGE);
	caught(&t, "the home drops what is put");
}

TEST(mutation, a_forgotten_unblock_is_caught)
{
	struct cgm_table t = cgm_table;

	t.cache[CGM_C_IS][CGM_CE_DATA_E].actions &= ~CGM_DO(UNBLOCK);
	caught(&t, "no unblock");
}

TEST(mutation, a_missing_row_is_caught)
{
	struct cgm_table t = cgm_table;

	t.cache[CGM_C_MI][CGM_CE_FWD_GETX].there = false;
	caught(&t, "no row for a forward that meets an eviction");
}

/* Any row that does nothing where it should do something. */
TEST(mutation, actions_dropped_one_by_one_are_caught)
{
	static const enum cgm_action drop[] = {
		CGM_A_FILL,   CGM_A_UNBLOCK, CGM_A_INV_ACK,
		CGM_A_SHARE,  CGM_A_GIVE,    CGM_A_COPY,
		CGM_A_RETURN, CGM_A_COUNT,   CGM_A_ACKED,
	};
	unsigned tried = 0;

	for (unsigned s = 0; s < CGM_CSTATES; s++)
		for (unsigned e = 0; e < CGM_CEVENTS; e++)
			for (unsigned k = 0; k < sizeof(drop) / sizeof(drop[0]);
			     k++) {
				struct cgm_table t = cgm_table;
				struct cgm_row *r = &t.cache[s][e];
				uint64_t bit = UINT64_C(1) << drop[k];

				if (!(r->actions & bit) || s >= CGM_C_NF)
					continue;
				r->actions &= ~bit;
				tried++;
				caught(&t, cgm_actions[drop[k]].name);
			}
	OK(tried > 20);
}
