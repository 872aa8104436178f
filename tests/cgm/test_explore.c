/* The protocol of CGM in every state that small systems can reach. */
#include "cgm/explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cgm/pairs.h"
#include "test.h"

/* A system whose caches and L3 have room for one block each, so that two blocks
 * evict each other all the time, and with everything that a test can ask for. */
static struct moves system_of(unsigned caches, unsigned blocks)
{
	return (struct moves){ .table = &cgm_table,
			       .caches = caches,
			       .blocks = blocks,
			       .ways = 1,
			       .home_ways = 1,
			       .buffers = 1,
			       .mshrs = 1,
			       .flushes = true,
			       .kids = true };
}

static uint64_t explores(const struct moves *system)
{
	struct explore x = { .system = *system, .limit = UINT64_MAX };
	bool good = explore_run(&x);

	printf("%" PRIu64 " states, %" PRIu64 " transitions, %u messages to "
	       "rest at most%s%s\n",
	       x.states, x.steps, x.longest, good ? "" : ": ",
	       x.system.failure);
	OK(good);
	return x.states;
}

/* The states of a block that differ in more than names. */
static uint64_t explores_block(const struct moves *system)
{
	struct block_graph g;
	bool good = block_explore(&g, system);
	uint64_t states = good ? block_distinct(&g) : 0;

	printf("%" PRIu64 " states, %" PRIu64 " transitions, %u messages to "
	       "rest at most%s%s\n",
	       states, g.steps, g.longest, good ? "" : ": ", g.system.failure);
	block_free(&g);
	OK(good);
	return states;
}

static uint64_t explores_pairs(const struct moves *system, uint16_t shared)
{
	struct block_graph g;
	struct pairs p = { .graph = &g, .shared = shared, .threads = 2 };

	OK(block_explore(&g, system));
	OK(pairs_explore(&p));
	printf("%" PRIu64 " states, %" PRIu64 " transitions\n", p.states,
	       p.steps);
	block_free(&g);
	return p.states;
}

TEST(protocol, three_caches_and_a_block_are_coherent_in_every_state)
{
	struct moves m = system_of(3, 1);

	/* Named once and for all, and by every name. */
	EQ(explores(&m), explores_block(&m));
}

TEST(protocol, two_caches_and_two_blocks_are_coherent_in_every_state)
{
	struct moves one = system_of(2, 1), two = system_of(2, 2);

	/* A pair of blocks is what the system does with both at once. */
	one.kids = two.kids = one.flushes = two.flushes = false;
	EQ(explores(&two), explores_pairs(&one, PAIRS_SHARE_ALL));
}

TEST(protocol, two_blocks_of_different_slices_are_coherent_in_every_state)
{
	struct moves m = system_of(2, 1);

	OK(explores_pairs(&m, PAIRS_OTHER_SLICE) >
	   explores_pairs(&m, PAIRS_SHARE_ALL));
}

TEST(protocol, migratory_caches_are_coherent_in_every_state)
{
	struct moves three = system_of(3, 1), one = system_of(2, 1);
	struct cgm_table t;

	cgm_table_migratory(&t);
	three.table = one.table = &t;
	EQ(explores(&three), explores_block(&three));
	OK(explores_pairs(&one, PAIRS_OTHER_SLICE) >
	   explores_pairs(&one, PAIRS_SHARE_ALL));
}

TEST(protocol, caches_without_coherence_always_come_to_rest)
{
	struct moves m = system_of(2, 1);

	m.kids = false;
	m.plain = 1;
	EQ(explores(&m), explores_block(&m));
	m.plain = 2;
	EQ(explores(&m), explores_block(&m));
}

/* A row of the table has been broken; the check must say so. */
static void caught_nearby(struct cgm_table *t, const char *what)
{
	struct explore x = { .system = system_of(3, 1), .limit = UINT64_MAX };
	bool good;

	x.system.table = t;
	good = explore_run(&x);
	printf("%s: %s\n", what, good ? "not caught" : x.system.failure);
	OK(!good);
}

/* So must the other one, which finds all states first. */
static void caught(struct cgm_table *t, const char *what)
{
	struct moves m = system_of(3, 1);
	struct block_graph g;
	bool good;

	caught_nearby(t, what);
	m.table = t;
	good = block_explore(&g, &m);
	printf("%s: %s\n", what, good ? "not caught" : g.system.failure);
	block_free(&g);
	OK(!good);
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

TEST(mutation, a_first_level_cache_that_is_not_told_is_caught)
{
	struct cgm_table t = cgm_table;

	t.cache[CGM_C_S][CGM_CE_INVAL].actions &= ~CGM_DO(BACK);
	caught(&t, "first-level caches keep what is invalidated");
}

/* A home that gives no block away waits for ever. */
TEST(mutation, blocks_that_wait_for_each_other_are_caught)
{
	struct cgm_table t = cgm_table;

	t.home[CGM_H_H][CGM_HE_EVICT].next = CGM_H_H;
	caught(&t, "the home keeps what it evicts");
}

TEST(mutation, a_missing_row_is_caught)
{
	struct cgm_table t = cgm_table;

	t.cache[CGM_C_MI][CGM_CE_FWD_GETX].there = false;
	caught(&t, "no row for a forward that meets an eviction");
}

TEST(mutation, a_block_that_moves_and_stays_is_caught)
{
	struct cgm_table t;

	cgm_table_migratory(&t);
	t.cache[CGM_C_M][CGM_CE_FWD_GETS].next = CGM_C_S;
	caught(&t, "the former owner keeps a copy");
	cgm_table_migratory(&t);
	t.home[CGM_H_FD][CGM_HE_MOVED].actions &= ~CGM_DO(OWNER);
	caught(&t, "the home does not know the new owner");
	cgm_table_migratory(&t);
	t.home[CGM_H_FS][CGM_HE_MOVED].actions &= ~CGM_DO(MERGE);
	caught(&t, "the home's copy is old");
}

/* Any row that does nothing where it should do something. */
TEST(mutation, actions_dropped_one_by_one_are_caught)
{
	static const enum cgm_action drop[] = {
		CGM_A_FILL,  CGM_A_UNBLOCK, CGM_A_INV_ACK, CGM_A_SHARE,
		CGM_A_GIVE,  CGM_A_COPY,    CGM_A_RETURN,  CGM_A_COUNT,
		CGM_A_ACKED, CGM_A_BACK,
	};
	unsigned tried = 0;

	for (unsigned s = 0; s < CGM_CSTATES; s++)
		for (unsigned e = 0; e < CGM_CEVENTS; e++)
			for (unsigned k = 0; k < sizeof(drop) / sizeof(drop[0]);
			     k++) {
				struct cgm_table t = cgm_table;
				struct cgm_row *r = &t.cache[s][e];
				uint64_t bit = UINT64_C(1) << drop[k];

				if (!(r->actions & bit) || s == CGM_C_N ||
				    s == CGM_C_ND || s >= CGM_C_NF)
					continue;
				r->actions &= ~bit;
				tried++;
				caught_nearby(&t, cgm_actions[drop[k]].name);
			}
	OK(tried > 20);
}
