/* Runs that are cut short end at the same place and for the same reason on all
 * engines. */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "races.h"

LABEL(cut, threads);

enum { BLOCKS = 24, THREADS = 64 };

/* All blocks fault, each at another time and place. */
static const char wrong[] =
	KERNEL("wrong", "",
	       "mov.u32 %r4, 0; xor.b32 %r5, %r2, 13; add.u32 %r5, %r5, 20; "
	       "A: ld.global.u32 %r6, [%rd1]; add.u32 %r4, %r4, 1; "
	       "setp.lt.u32 %p1, %r4, %r5; @%p1 bra A; "
	       "setp.ne.u32 %p2, %r0, %r5; @%p2 ret; "
	       "mul.wide.u32 %rd2, %r1, 4; st.global.u32 [%rd2], %r6;");

struct cut {
	struct heddle_result result;
	struct heddle_error err;
	struct heddle_timing_info info;
	struct heddle_stat stat[STATS];
};

static void keep(struct heddle_device *dev, struct cut *to)
{
	const struct heddle_timing *t = heddle_device_timing(dev);

	OK(t != NULL);
	heddle_timing_info(t, &to->info);
	to->info.config = NULL;
	for (size_t i = 0; i < heddle_stats_count(); i++)
		heddle_stats_get(heddle_timing_stats(t), i, &to->stat[i], NULL);
}

static void run(struct heddle_device_options o, uint64_t max_cycles,
		struct cut *to)
{
	struct heddle_timing_options timing = { .max_cycles = max_cycles };
	struct heddle_config *c = NULL;
	struct heddle_device *dev;
	struct heddle_module *mod;
	heddle_ptr at;
	struct heddle_launch l = { .kernel = "wrong",
				   .grid = { BLOCKS, 1, 1 },
				   .block = { THREADS, 1, 1 },
				   .params = &at,
				   .param_bytes = sizeof(at),
				   .timing = &timing };

	memset(to, 0, sizeof(*to));
	heddle_config_load(&c, HEDDLE_SOURCE_DIR "/configs/gtx285.cfg", NULL);
	o.config = c;
	EQ(0, heddle_device_new(&dev, &o, NULL));
	EQ(0, heddle_module_load(dev, &mod, "wrong.ptx", wrong, strlen(wrong),
				 &to->err));
	EQ(0, heddle_alloc(dev, 4 * BLOCKS * THREADS, &at, NULL));
	EQ(HEDDLE_FAULT, heddle_launch(dev, mod, &l, &to->result, &to->err));
	keep(dev, to);
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
	heddle_config_free(c);
}

static void check_stats(const struct cut *want, const struct cut *got)
{
	EQ(want->info.cycles, got->info.cycles);
	for (size_t i = 0; i < heddle_stats_count(); i++) {
		if (want->stat[i].count != got->stat[i].count)
			printf("%s.%s\n", want->stat[i].group,
			       want->stat[i].name);
		EQ(want->stat[i].count, got->stat[i].count);
	}
}

static const unsigned threads[] = { 2, 3, 4, 8 };
enum { RUNS = sizeof(threads) / sizeof(threads[0]) };

TEST(cut, the_first_fault_by_the_clock_is_reported_and_all_counters_agree)
{
	static struct cut want, got;

	run((struct heddle_device_options){ .engine = "serial" }, 0, &want);
	EQ(HEDDLE_FAULT_ADDRESS, want.result.fault.kind);
	for (int i = 0; i < RUNS; i++) {
		run((struct heddle_device_options){ .engine = "exact",
						    .threads = threads[i] },
		    0, &got);
		STREQ(want.result.fault.text, got.result.fault.text);
		check_stats(&want, &got);
	}
}

/* The run ends with its window, which is shorter, so the counters stop
 * earlier. */
TEST(cut, the_fault_is_the_same_in_every_window)
{
	static struct cut want, got;

	run((struct heddle_device_options){ .engine = "serial" }, 0, &want);
	for (int i = 0; i < 2; i++) {
		run((struct heddle_device_options){ .engine = "cycle",
						    .threads = threads[i] },
		    0, &got);
		STREQ(want.result.fault.text, got.result.fault.text);
		OK(got.info.cycles <= want.info.cycles);
	}
}

TEST(cut, a_limit_of_cycles_ends_every_engine_in_the_same_state)
{
	static struct cut want, got;

	run((struct heddle_device_options){ .engine = "serial" }, 1357, &want);
	EQ(HEDDLE_FAULT_LIMIT, want.result.fault.kind);
	EQ(1357, want.info.cycles);
	for (int i = 0; i < RUNS; i++)
		for (int k = 0; k < 2; k++) {
			struct heddle_device_options o = {
				.engine = k ? "cycle" : "exact",
				.threads = threads[i]
			};

			run(o, 1357, &got);
			EQ(HEDDLE_FAULT_LIMIT, got.result.fault.kind);
			check_stats(&want, &got);
		}
}

static const char *const drifting[] = { "slack:10", "slack:1000", "workgroup" };

/* Where the run ends depends on how far each partition has come; that it ends,
 * and why, does not. */
TEST(cut, engines_that_drift_end_with_a_fault_too)
{
	static struct cut got;

	for (int i = 0; i < 3 * RUNS; i++) {
		run((struct heddle_device_options){ .engine = drifting[i % 3],
						    .threads = threads[i / 3] },
		    0, &got);
		EQ(HEDDLE_FAULT_ADDRESS, got.result.fault.kind);
		EQ(0, got.info.whole);
	}
}

TEST(cut, engines_that_drift_end_at_a_limit_of_cycles)
{
	static struct cut got;

	for (int i = 0; i < 3 * RUNS; i++) {
		run((struct heddle_device_options){ .engine = drifting[i % 3],
						    .threads = threads[i / 3] },
		    1357, &got);
		EQ(HEDDLE_FAULT_LIMIT, got.result.fault.kind);
		EQ(1357, got.info.cycles);
	}
}
