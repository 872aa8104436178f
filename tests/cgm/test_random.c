/* The whole memory system at random, every value checked. */
#include "cgm/variants.h"
#include "test.h"

static void try_all(uint64_t accesses, bool roomy)
{
	for (unsigned i = 0; i < VARIANTS; i++)
		OK(!variant_try(i, accesses, roomy, i + 1));
}

TEST(random, values_are_right_in_caches_that_always_evict)
{
	try_all(8000, false);
}

TEST(random, values_are_right_where_blocks_stay_and_are_shared)
{
	try_all(110000, true);
}

TEST(random, threads_change_nothing)
{
	struct cgm_stats one, more;
	cycle_t ticks[2] = { 0, 0 };
	struct random_test t;

	random_tiny(&t, 600);
	t.words = 1;
	t.cfg.cgm.cores = 3;
	t.cfg.cgm.cus = 2;
	t.options.jitter = 5;
	t.options.threads = 1;
	OK(!random_run(&t, &ticks[0], &one));
	t.options.threads = 3;
	OK(!random_run(&t, &ticks[1], &more));
	EQ(ticks[0], ticks[1]);
	for (unsigned i = 0; i < CGM_INSTANCES; i++)
		for (unsigned k = 0; k < cgm_stat_count; k++)
			if (cgm_stat_rows[k].kind == cgm_stat_places[i].kind)
				EQ(cgm_stat_value(&one, &cgm_stat_places[i],
						  &cgm_stat_rows[k]),
				   cgm_stat_value(&more, &cgm_stat_places[i],
						  &cgm_stat_rows[k]));
}
LABEL(random, threads);

/* A row of the table broken: the values must show it. */
TEST(random, a_lost_invalidation_is_caught)
{
	struct cgm_table table = cgm_table;
	struct cgm_stats stats;
	struct random_test t;
	cycle_t ticks = 0;

	random_tiny(&t, 20000);
	random_roomy(&t);
	t.cfg.cgm.cus = 0;
	table.cache[CGM_C_S][CGM_CE_INVAL].actions &= ~CGM_DO(BACK);
	t.options.table = &table;
	OK(random_run(&t, &ticks, &stats));
}
