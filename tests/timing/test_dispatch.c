/*
 * From a launch to its last block. Rules: gpu/dispatch.h. A block that is sent
 * at cycle t is on its SM at t + dispatch.block_latency and may issue in the
 * cycle after; its end is known dispatch.block_latency after it.
 */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "rig.h"

static struct rig r;

#define NOTHING \
	HEAD "\n.visible .entry k(.param .u64 po, .param .u64 pd) { ret; }\n"
/* 16 additions, one after the other; the last one takes 4 cycles. */
#define SOMETHING                                                     \
	HEAD "\n.visible .entry k(.param .u64 po, .param .u64 pd) { " \
	     ".reg .b32 %r<2>; " X16("add.u32 %r1, %r1, 1; ") "ret; }\n"
enum { ALU = 4, FIRST = 1, SOME = FIRST + 15 * ALU + 1 };

TEST(dispatch, a_launch_takes_its_latency_and_that_of_a_block_twice)
{
	EQ(2 + FIRST, rig_cycles(NOTHING, "", 1, 32));
	EQ(2 * 10 + FIRST,
	   rig_cycles(NOTHING, "dispatch.block_latency=10", 1, 32));
	EQ(500 + 2 * 10 + FIRST, rig_cycles(NOTHING,
					    "dispatch.block_latency=10 "
					    "dispatch.launch_latency=500",
					    1, 32));
	EQ(2 + SOME, rig_cycles(SOMETHING, "", 1, 32));
}

TEST(dispatch, blocks_start_at_their_pace)
{
	/* Four blocks, 10 cycles apart. */
	EQ(3 * 10 + 2 + FIRST,
	   rig_cycles(NOTHING, "dispatch.blocks_per_cycle=0.1", 4, 32));
	EQ(3 + 2 + FIRST,
	   rig_cycles(NOTHING, "dispatch.blocks_per_cycle=1", 4, 32));
	EQ(1 + 2 + FIRST,
	   rig_cycles(NOTHING, "dispatch.blocks_per_cycle=2", 4, 32));
	EQ(2 + FIRST,
	   rig_cycles(NOTHING, "dispatch.blocks_per_cycle=4", 4, 32));
}

/* The SM of each of eight blocks, of four SMs with room for two. */
static void placed(const char *set, const unsigned want[8])
{
	char all[256];

	snprintf(all, sizeof(all), "sm.count=4 sm.max_blocks=2 %s", set);
	rig_open(&r, KERNEL("mov.u32 %r1, %smid; cvt.u64.u32 %c0, %r1; "), all);
	rig_run(&r, 8, 32);
	rig_close(&r);
	for (int i = 0; i < 8; i++)
		EQ(want[i], r.c[i][0]);
}

TEST(dispatch, the_order_says_which_sm_is_next)
{
	placed("dispatch.order=breadth",
	       (unsigned[]){ 0, 1, 2, 3, 0, 1, 2, 3 });
	placed("dispatch.order=depth", (unsigned[]){ 0, 0, 1, 1, 2, 2, 3, 3 });
	placed("dispatch.order=breadth dispatch.cluster=2",
	       (unsigned[]){ 0, 2, 1, 3, 0, 2, 1, 3 });
	placed("dispatch.order=cluster dispatch.cluster=2",
	       (unsigned[]){ 0, 1, 2, 3, 0, 1, 2, 3 });
}

TEST(dispatch, a_block_takes_the_place_of_another_after_both_ways)
{
	/* One block at a time: the end travels back, the next one out. */
	EQ(3 * (2 * 10 + SOME), rig_cycles(SOMETHING,
					   "sm.count=1 sm.max_blocks=1 "
					   "dispatch.block_latency=10",
					   3, 32));
}

/* Blocks of an SM at once, by kernel and launch. */
static void resident(const char *text, const char *set, uint32_t threads,
		     uint32_t registers, uint32_t want, const char *limit)
{
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 20, 1, 1 },
				   .block = { threads, 1, 1 },
				   .params = r.params,
				   .param_bytes = sizeof(r.params),
				   .registers = registers };
	struct heddle_kernel_timing k;
	struct heddle_error err;

	rig_open(&r, text, set);
	heddle_launch(r.dev, r.mod, &l, &r.result, &err);
	STREQ("", err.text);
	EQ(0, heddle_timing_kernel(heddle_device_timing(r.dev), 0, &k, NULL));
	EQ(want, k.blocks_per_sm);
	STREQ(limit, k.limit);
	EQ((threads + 31) / 32, k.warps);
	rig_close(&r);
}

TEST(dispatch, an_sm_holds_what_its_tightest_resource_allows)
{
	static const char shared[] = HEAD
		".shared .align 4 .b8 s[3000];\n"
		".visible .entry k(.param .u64 po, .param .u64 pd) { "
		"st.shared.u32 [s], 1; ret; }\n";

	resident(NOTHING, "", 32, 0, 4, "blocks"); /* sm.max_blocks */
	resident(NOTHING, "", 256, 0, 2, "warps"); /* 16 of 8 */
	resident(NOTHING, "sm.max_blocks=16 sm.warp_unit=1", 96, 0, 5, "warps");
	resident(NOTHING, "", 128, 64, 2, "registers");  /* 16384 / 8192 */
	resident(shared, "", 32, 0, 2, "shared memory"); /* 8K / 3K */
}

/* Two kernels of one block each in these streams; when they started and
 * ended. */
static void pair(uint32_t first, uint32_t second, const char *set,
		 struct heddle_kernel_timing k[2])
{
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 1, 1, 1 },
				   .block = { 32, 1, 1 },
				   .params = r.params,
				   .param_bytes = sizeof(r.params) };
	struct heddle_group_launch both[2];
	struct heddle_result results[2];
	struct heddle_error err;

	rig_open(&r, SOMETHING, set);
	both[0] = (struct heddle_group_launch){ r.mod, &l, first };
	both[1] = (struct heddle_group_launch){ r.mod, &l, second };
	heddle_launch_group(r.dev, both, 2, results, &err);
	STREQ("", err.text);
	for (size_t i = 0; i < 2; i++)
		EQ(0, heddle_timing_kernel(heddle_device_timing(r.dev), i,
					   &k[i], NULL));
	rig_close(&r);
}

TEST(dispatch, kernels_of_one_stream_come_one_after_the_other)
{
	struct heddle_kernel_timing k[2];

	pair(5, 5, "dispatch.launch_latency=100 dispatch.block_latency=10", k);
	EQ(0, k[0].start);
	EQ(100 + 20 + SOME, k[0].end);
	EQ(k[0].end, k[1].start);
	EQ(2 * (100 + 20 + SOME), k[1].end);
}

TEST(dispatch, kernels_of_two_streams_overlap)
{
	struct heddle_kernel_timing k[2];

	/* The second block is sent a cycle later, to another sub-core. */
	pair(0, 1, "", k);
	EQ(0, k[1].start);
	EQ(2 + SOME, k[0].end);
	EQ(1 + 2 + SOME, k[1].end);
	/* Unless only one may run at a time. */
	pair(0, 1, "dispatch.kernels=1", k);
	EQ(k[0].end, k[1].start);
	EQ(2 * (2 + SOME), k[1].end);
}

/* Slots of the run that were charged to a reason. */
static uint64_t charged(const char *reason)
{
	char key[64];

	snprintf(key, sizeof(key), "reason.%s", reason);
	return rig_stat(&r, key);
}

/* Two blocks for four SMs. They are on their SMs at cycle 510, issue their only
 * instruction at 511, and are known to have ended at 521. */
TEST(dispatch, slots_without_a_warp_say_why_there_is_none)
{
	uint64_t s;

	rig_open(&r, NOTHING,
		 "sm.count=4 dispatch.launch_latency=500 "
		 "dispatch.block_latency=10 dispatch.blocks_per_cycle=4");
	rig_run(&r, 2, 32);
	EQ(521, r.result.cycles);
	s = rig_stat(&r, "sm.slots") / rig_stat(&r, "sm.cycles");
	OK(s > 1);
	EQ(4 * s * 510, charged("launch"));
	EQ(2 * s * (521 - 510), charged("no_block"));
	/* The warp's scheduler issues in the last cycle of the block. */
	EQ(2 * ((521 - 512) + (s - 1) * (521 - 511)), charged("tail"));
	EQ(2 * (s - 1), charged("unfilled"));
	rig_close(&r);
}

/* One block at a time: two of three gaps lie between blocks. */
TEST(dispatch, a_gap_between_two_blocks_belongs_to_the_launch)
{
	uint64_t s;

	rig_open(&r, NOTHING,
		 "sm.count=1 sm.max_blocks=1 dispatch.block_latency=10");
	rig_run(&r, 3, 32);
	s = rig_stat(&r, "sm.slots") / rig_stat(&r, "sm.cycles");
	EQ(3 * (2 * 10 + FIRST), r.result.cycles);
	EQ(10 * s + 2 * (19 + 20 * (s - 1)), charged("launch"));
	EQ(9 + 10 * (s - 1), charged("tail"));
	EQ(0, charged("no_block"));
	rig_close(&r);
}

/* Two blocks, then one in the same stream, for two SMs. The second SM waits for
 * the end of the first kernel, for the launch of the second, and then for the
 * end of a block that is not its own. */
TEST(dispatch, an_sm_without_a_block_of_the_second_kernel_has_no_block)
{
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 2, 1, 1 },
				   .block = { 32, 1, 1 },
				   .params = r.params,
				   .param_bytes = sizeof(r.params) };
	struct heddle_launch one = l;
	struct heddle_group_launch both[2];
	struct heddle_result results[2];
	struct heddle_error err;
	uint64_t s;

	one.grid.x = 1;
	rig_open(&r, NOTHING,
		 "sm.count=2 dispatch.launch_latency=100 "
		 "dispatch.block_latency=10 dispatch.blocks_per_cycle=4");
	both[0] = (struct heddle_group_launch){ r.mod, &l, 5 };
	both[1] = (struct heddle_group_launch){ r.mod, &one, 5 };
	heddle_launch_group(r.dev, both, 2, results, &err);
	STREQ("", err.text);
	s = rig_stat(&r, "sm.slots") / rig_stat(&r, "sm.cycles");
	/* The first ends at 121; the second block is there from 231 on and ends
	 * at 232, the kernel at 242. */
	EQ(2 * 242 * s, rig_stat(&r, "sm.slots"));
	EQ(2 * s * (110 + 110), charged("launch"));
	EQ(s * (242 - 231), charged("no_block"));
	EQ(3 * (9 + 10 * (s - 1)), charged("tail"));
	rig_close(&r);
}

/* Adds up the samples; of each, the reasons are its slots. */
static void add_sample(void *ctx, uint64_t from, uint64_t to,
		       const struct heddle_stats *s)
{
	uint64_t *sum = ctx, reasons = 0;
	struct heddle_stat v;

	(void)from, (void)to;
	for (size_t i = 0; i < heddle_stats_count(); i++) {
		EQ(0, heddle_stats_get(s, i, &v, NULL));
		if (strcmp(v.group, "reason") != 0)
			continue;
		OK(v.count < 1 << 20); /* none has become less */
		reasons += v.count;
		sum[i] += v.count;
	}
	EQ(0, heddle_stats_find(s, "sm.slots", &v, NULL));
	EQ(v.count, reasons);
}

TEST(dispatch, the_reasons_of_intervals_are_their_slots_and_add_up)
{
	uint64_t sum[512] = { 0 };
	struct heddle_timing_options o = { .interval = 7,
					   .sample = add_sample,
					   .ctx = sum };
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 6, 1, 1 },
				   .block = { 32, 1, 1 },
				   .params = r.params,
				   .param_bytes = sizeof(r.params),
				   .timing = &o };
	struct heddle_error err;
	struct heddle_stat v;

	rig_open(&r, SOMETHING,
		 "sm.count=5 sm.max_blocks=1 dispatch.launch_latency=40 "
		 "dispatch.block_latency=10");
	heddle_launch(r.dev, r.mod, &l, &r.result, &err);
	STREQ("", err.text);
	for (size_t i = 0; i < heddle_stats_count(); i++) {
		EQ(0, heddle_stats_get(
			      heddle_timing_stats(heddle_device_timing(r.dev)),
			      i, &v, NULL));
		if (strcmp(v.group, "reason") == 0)
			EQ(v.count, sum[i]);
	}
	OK(charged("tail") && charged("launch") && charged("unfilled"));
	rig_close(&r);
}

TEST(dispatch, the_limit_is_the_grid_if_it_has_too_few_blocks)
{
	struct heddle_kernel_timing k;

	rig_open(&r, NOTHING, "sm.count=2 sm.max_blocks=4");
	rig_run(&r, 7, 32);
	EQ(0, heddle_timing_kernel(heddle_device_timing(r.dev), 0, &k, NULL));
	STREQ("grid", k.limit);
	STREQ("blocks", k.resource);
	rig_run(&r, 8, 32);
	EQ(0, heddle_timing_kernel(heddle_device_timing(r.dev), 0, &k, NULL));
	STREQ("blocks", k.limit);
	rig_close(&r);
}

/* The sum of a statistic over the SMs. */
static uint64_t sum_of_sms(const struct heddle_timing *t, const char *key)
{
	struct heddle_timing_info info;
	struct heddle_stat v;
	uint64_t sum = 0;

	heddle_timing_info(t, &info);
	for (size_t i = 0; i < info.sms; i++) {
		EQ(0, heddle_stats_find(heddle_timing_sm_stats(t, i), key, &v,
					NULL));
		sum += v.count;
	}
	return sum;
}

static uint64_t count_of_sm(const struct heddle_timing *t, size_t sm,
			    const char *key)
{
	struct heddle_stat v;

	EQ(0, heddle_stats_find(heddle_timing_sm_stats(t, sm), key, &v, NULL));
	return v.count;
}

/* Only SMs that get a block are reset for a launch and looked at: what others
 * did in earlier ones must not show. */
TEST(dispatch, sms_without_a_block_count_the_same_whatever_ran_before)
{
	static const char *const keys[] = {
		"sm.cycles",       "sm.slots",      "sm.active_cycles",
		"sm.instructions", "sm.warps",      "lsu.global_loads",
		"l1.reads",        "front.fetches", "reason.issued",
		"reason.memory",   "reason.launch", "reason.tail",
		"reason.no_block", "unit.int"
	};
	const struct heddle_timing *t;
	uint64_t alone[sizeof(keys) / sizeof(keys[0])], cycles;

	rig_open(&r, SILENT("ld.global.cg.u32 %r1, [%mine]; "),
		 "sm.count=70 dispatch.order=breadth");
	rig_run(&r, 2, 32);
	cycles = rig_stat(&r, "gpu.cycles");
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		alone[k] = rig_stat(&r, keys[k]);
	rig_close(&r);

	rig_open(&r, SILENT("ld.global.cg.u32 %r1, [%mine]; "),
		 "sm.count=70 dispatch.order=breadth");
	rig_run(&r, 1, 32); /* its line is in the L2 from now on */
	rig_run(&r, 300, 64);
	rig_run(&r, 2, 32);
	t = heddle_device_timing(r.dev);
	OK(rig_stat(&r, "gpu.cycles") < cycles);
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		EQ(rig_stat(&r, keys[k]), sum_of_sms(t, keys[k]));
		if (strncmp(keys[k], "reason", 6) &&
		    !strstr(keys[k], "cycles") &&
		    strcmp(keys[k], "sm.slots") != 0)
			EQ(alone[k], rig_stat(&r, keys[k]));
	}
	EQ(rig_stat(&r, "gpu.cycles"), count_of_sm(t, 69, "sm.cycles"));
	EQ(0, count_of_sm(t, 69, "sm.instructions"));
	EQ(0, count_of_sm(t, 2, "reason.tail"));
	OK(count_of_sm(t, 2, "reason.no_block"));
	rig_close(&r);
}

struct issued_sums {
	uint64_t of[70];
};

static void add_issued(void *ctx, uint64_t from, uint64_t to,
		       const struct heddle_parts *p)
{
	struct issued_sums *sums = ctx;

	(void)from, (void)to;
	for (uint32_t i = 0; i < p->sms; i++)
		sums->of[i] += p->issued[i];
}

TEST(dispatch, samples_of_sms_without_a_block_are_empty)
{
	struct issued_sums sums = { { 0 } };
	struct heddle_timing_options o = { .interval = 5,
					   .parts = add_issued,
					   .ctx = &sums };
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 2, 1, 1 },
				   .block = { 32, 1, 1 },
				   .params = r.params,
				   .param_bytes = sizeof(r.params),
				   .timing = &o };
	struct heddle_error err;

	rig_open(&r, SOMETHING, "sm.count=70 dispatch.order=breadth");
	rig_run(&r, 300, 64);
	heddle_launch(r.dev, r.mod, &l, &r.result, &err);
	STREQ("", err.text);
	EQ(17, sums.of[0]);
	EQ(17, sums.of[1]);
	for (size_t i = 2; i < 70; i++)
		EQ(0, sums.of[i]);
	rig_close(&r);
}

#define STORES(n) SILENT(n("st.global.u32 [%mine], %t; "))
#define SLOW_WRITES "l2.write_interval=300 l2.acknowledge=yes "

TEST(dispatch, a_launch_ends_when_the_l2_has_taken_what_was_stored)
{
	uint64_t four = rig_cycles(STORES(X4), SLOW_WRITES, 1, 32);

	EQ(4 * 300, rig_cycles(STORES(X8), SLOW_WRITES, 1, 32) - four);
	/* Without it, the slice is at work when the launch has ended. */
	OK(rig_cycles(STORES(X8), "l2.write_interval=300", 1, 32) < 300);
	/* A shorter time is part of dispatch.flush_latency. */
	EQ(four, rig_cycles(STORES(X4), SLOW_WRITES "dispatch.flush_latency=9",
			    1, 32));
	EQ(rig_cycles(STORES(X4), "dispatch.flush_latency=5000", 1, 32),
	   rig_cycles(STORES(X4), SLOW_WRITES "dispatch.flush_latency=5000", 1,
		      32));
}

TEST(dispatch, all_sms_must_have_been_served)
{
	/* Two SMs store to the same line, and a third one nothing. */
	static const char some[] =
		SILENT("setp.gt.u32 %p1, %b, 1; @%p1 ret; " X4(
			"st.global.u32 [%mine], %t; "));
	static const char set[] = SLOW_WRITES "sm.count=3 ";

	/* Both SMs' first stores arrive in the same cycles, so that a slice
	 * has twice as much to do. One line leaves the SM in 5 cycles. */
	EQ(4 * 300 + 5, rig_cycles(some, set, 3, 32) -
				rig_cycles(STORES(X4), SLOW_WRITES, 1, 32));
}

TEST(dispatch, a_later_block_of_an_sm_is_not_held_up_by_stores)
{
	/* Blocks one after the other on one SM: each but the last leaves its
	 * stores behind. */
	uint64_t one = rig_cycles(STORES(X4), SLOW_WRITES "sm.count=1", 1, 32);

	EQ(4 * 300,
	   rig_cycles(STORES(X4), SLOW_WRITES "sm.count=1 sm.max_blocks=1", 2,
		      32) -
		   one);
}
