/* The whole memory system at random, every value checked. */
#include <string.h>

#include "cgm/variants.h"
#include "test.h"

static void try_all(uint64_t accesses, enum variant_room room)
{
	for (unsigned i = 0; i < VARIANTS; i++)
		OK(variant_try(i, accesses, room, i / 2));
}

TEST(random, values_are_right_in_caches_that_always_evict)
{
	try_all(8000, ROOM_TINY);
}

TEST(random, values_are_right_where_translations_are_missing)
{
	OK(variant_try(0, 500, ROOM_PAGES, 1));
	OK(variant_try(8, 500, ROOM_PAGES, 2));
}

TEST(random, values_are_right_where_blocks_stay_and_are_shared)
{
	try_all(110000, ROOM_ENOUGH);
}

TEST(random, threads_change_nothing)
{
	static const unsigned threads[] = { 1, 2, 4, 8 };
	struct random_result one, more;
	struct random_test t;

	random_tiny(&t, 600);
	t.words = 1;
	t.cfg.cgm.cores = 3;
	t.cfg.cgm.cus = 2;
	t.options.jitter = 5;
	for (unsigned k = 0; k < sizeof(threads) / sizeof(threads[0]); k++) {
		t.options.threads = threads[k];
		OK(random_run(&t, k ? &more : &one));
		if (!k)
			continue;
		EQ(one.ticks, more.ticks);
		EQ(one.accesses, more.accesses);
		OK(!memcmp(&one.stats, &more.stats, sizeof(one.stats)));
	}
}
LABEL(random, threads);

/* A row of the table broken: the values must show it. */
TEST(random, a_lost_invalidation_is_caught)
{
	struct cgm_table table = cgm_table;
	struct random_result r;
	struct random_test t;

	random_tiny(&t, 20000);
	random_roomy(&t);
	t.cfg.cgm.cus = 0;
	table.cache[CGM_C_S][CGM_CE_INVAL].actions &= ~CGM_DO(BACK);
	t.options.table = &table;
	OK(!random_run(&t, &r));
}
