/* The whole memory system at random, every value checked. */
#include <stdio.h>

#include "cgm/random.h"
#include "test.h"

/* What the variants of a run share, and what they change. */
struct variant {
	const char *name;
	enum cfg_cgm_protocol cpu, gpu;
	enum cfg_cgm_gpu_at at;
	bool apart; /* address spaces */
	uint32_t jitter;
};

static const struct variant variants[] = {
	{ "coherent", CFG_CGM_PROTOCOL_MESI, CFG_CGM_PROTOCOL_MESI,
	  CFG_CGM_GPU_AT_L3, false, 0 },
	{ "coherent, late messages", CFG_CGM_PROTOCOL_MESI,
	  CFG_CGM_PROTOCOL_MESI, CFG_CGM_GPU_AT_L3, false, 30 },
	{ "coherent, two address spaces", CFG_CGM_PROTOCOL_MESI,
	  CFG_CGM_PROTOCOL_MESI, CFG_CGM_GPU_AT_L3, true, 0 },
	{ "GPU not coherent, at the L3", CFG_CGM_PROTOCOL_MESI,
	  CFG_CGM_PROTOCOL_NONE, CFG_CGM_GPU_AT_L3, false, 7 },
	{ "GPU not coherent, at memory", CFG_CGM_PROTOCOL_MESI,
	  CFG_CGM_PROTOCOL_NONE, CFG_CGM_GPU_AT_MEMORY, false, 0 },
	{ "CPU not coherent", CFG_CGM_PROTOCOL_NONE, CFG_CGM_PROTOCOL_MESI,
	  CFG_CGM_GPU_AT_L3, false, 0 },
	{ "nothing coherent", CFG_CGM_PROTOCOL_NONE, CFG_CGM_PROTOCOL_NONE,
	  CFG_CGM_GPU_AT_L3, false, 3 },
	{ "nothing coherent, GPU at memory", CFG_CGM_PROTOCOL_NONE,
	  CFG_CGM_PROTOCOL_NONE, CFG_CGM_GPU_AT_MEMORY, true, 0 },
};

enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

static void set_variant(struct random_test *t, const struct variant *v)
{
	t->cfg.cgm.cpu_protocol = v->cpu;
	t->cfg.cgm.gpu_protocol = v->gpu;
	t->cfg.cgm.gpu_at = v->at;
	t->cfg.cgm.shared = !v->apart;
	t->options.jitter = v->jitter;
}

static void try_all(uint64_t accesses, bool roomy)
{
	for (unsigned i = 0; i < VARIANTS; i++) {
		struct cgm_stats stats;
		struct random_test t;
		const char *wrong;
		cycle_t ticks = 0;

		random_tiny(&t, accesses);
		if (roomy)
			random_roomy(&t);
		set_variant(&t, &variants[i]);
		t.options.seed = i + 1;
		wrong = random_run(&t, &ticks, &stats);
		printf("%s: %s\n", variants[i].name, wrong ? wrong : "good");
		OK(!wrong);
	}
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
