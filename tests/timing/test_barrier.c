/*
 * Warps that wait for each other, for memory order, or for time. Rules:
 * lat.bar.cycles ("after the last warp has arrived"), sm.barrier_interval,
 * sm.fence_*.
 */
#include <stdio.h>

#include "test.h"

#include "rig.h"
#include "watch.h"

static struct rig r;

#define LONE "sm.count=1 sm.barrier_interval=0 "

TEST(barrier, a_warp_alone_waits_for_the_latency)
{
	EQ(1 + 13, rig_between(KERNEL(CLOCK(0) "bar.sync 0; " CLOCK(1)),
			       LONE "lat.bar.cycles=13"));
}

static uint64_t min_u64(int clock, int warps)
{
	uint64_t v = r.c[0][clock];

	for (int w = 1; w < warps; w++)
		v = r.c[w][clock] < v ? r.c[w][clock] : v;
	return v;
}

TEST(barrier, all_warps_continue_together_after_the_last_has_arrived)
{
	/* One warp of each of the two schedulers: all in step. */
	rig_open(&r, KERNEL("bar.sync 0; " CLOCK(0) "bar.sync 0; " CLOCK(1)),
		 LONE "lat.bar.cycles=13");
	rig_run(&r, 1, 64);
	for (int w = 0; w < 2; w++)
		EQ(1 + 13, r.c[w][1] - r.c[w][0]);
	EQ(4, rig_stat(&r, "sm.barriers"));
	rig_close(&r);
}

TEST(barrier, the_last_of_many_warps_releases_them)
{
	/* Eight warps of a scheduler: released in cycle 0, their clocks are
	 * in cycles 0 to 7, and the barriers in 8 to 15. Released at 15 + 13,
	 * again one after the other. */
	rig_open(&r, KERNEL("bar.sync 0; " CLOCK(0) "bar.sync 0; " CLOCK(1)),
		 LONE "lat.bar.cycles=13 sm.schedulers=1 sm.subcores=1");
	rig_run(&r, 1, 256);
	EQ(15 + 13, min_u64(1, 8) - min_u64(0, 8));
	rig_close(&r);
}

TEST(barrier, arrivals_are_taken_one_in_an_interval)
{
	/* Four warps, two for each scheduler: clocks in cycles 0 and 1, two
	 * barriers in cycle 2 and two in 3. Each takes 5 cycles. */
	rig_open(&r, KERNEL("bar.sync 0; " CLOCK(0) "bar.sync 0; " CLOCK(1)),
		 "sm.count=1 sm.barrier_interval=5 lat.bar.cycles=13");
	rig_run(&r, 1, 128);
	EQ(2 + 4 * 5 + 13, min_u64(1, 4) - min_u64(0, 4));
	rig_close(&r);
}

#define SLOW X8("add.u32 %r1, %r1, 1; ") X8("add.u32 %r1, %r1, 1; ")

TEST(barrier, a_warp_that_arrives_does_not_wait)
{
	/* Warp 1 is late, arrives and continues; warp 0 waits for it. */
	rig_open(&r,
		 KERNEL("setp.ne.u32 %p1, %w, 0; @%p1 bra A; "
			"bar.sync 1, 64; " CLOCK(0) "bra J; A: " SLOW SLOW
				CLOCK(0) "bar.arrive 1, 64; " CLOCK(1) "J:"),
		 LONE "lat.bar.cycles=13");
	rig_run(&r, 1, 64);
	EQ(2, r.c[1][1] - r.c[1][0]);
	EQ(1 + 13, r.c[0][0] - r.c[1][0]);
	rig_close(&r);
}

TEST(barrier, a_warp_that_ends_completes_a_barrier)
{
	/* Warp 1 stores its clock, which takes the 4 cycles of a move, and
	 * ends in the cycle after that. */
	rig_open(
		&r,
		KERNEL("setp.ne.u32 %p1, %w, 0; @%p1 bra A; bar.sync 0; " CLOCK(
			0) "bra J; A: " SLOW SLOW
			       CLOCK(0) "st.global.u64 [%out], %c0; ret; J:"),
		LONE "lat.bar.cycles=13 lat.alu.cycles=4");
	rig_run(&r, 1, 64);
	EQ(4 + 1 + 13, r.c[0][0] - r.c[1][0]);
	rig_close(&r);
}

TEST(barrier, lanes_that_end_complete_a_barrier)
{
	/* The same by half of a warp, whose other half waits, too. */
	rig_open(&r,
		 KERNEL("setp.eq.u32 %p1, %w, 0; setp.lt.u32 %p2, %l, 16; "
			"or.pred %p1, %p1, %p2; @%p1 bra A; " SLOW SLOW CLOCK(
				1) "st.global.u64 [%out+8], %c1; exit; "
				   "A: barrier.sync 0; " CLOCK(
					   0) "st.global.u64 [%out], "
					      "%c0; exit;"),
		 LONE "lat.bar.cycles=13 lat.alu.cycles=4");
	rig_run(&r, 1, 64);
	EQ(4 + 1 + 13, r.c[0][0] - r.c[1][1]);
	EQ(r.c[0][0], r.c[1][0]);
	rig_close(&r);
}

/* Runs data/exits.ptx or what ptxas made of it; with a configuration, timed. */
static void run_exits(const char *file, const char *config)
{
	static char text[1 << 16];
	struct heddle_timing_options timing = { .max_cycles = 200000 };
	struct heddle_device_options o = { .sm_major = 9, .threads = 1 };
	struct heddle_launch l = { .kernel = "exits",
				   .grid = { 1, 1, 1 },
				   .block = { 64, 1, 1 },
				   .param_bytes = 8,
				   .timing = config ? &timing : NULL };
	struct heddle_error err = { .text = "" };
	struct heddle_config *c = NULL;
	struct heddle_device *dev;
	struct heddle_module *mod;
	struct heddle_result result;
	uint32_t out[64] = { 0 };
	FILE *f = fopen(file, "rb");
	heddle_ptr at;
	size_t size;

	OK(f);
	size = fread(text, 1, sizeof(text), f);
	fclose(f);
	if (config)
		EQ(0, heddle_config_load(&c, config, NULL));
	o.config = c;
	watch_options(&o);
	EQ(0, heddle_device_new(&dev, &o, NULL));
	EQ(0, heddle_module_load(dev, &mod, file, text, size, NULL));
	EQ(0, heddle_alloc(dev, sizeof(out), &at, NULL));
	EQ(0, heddle_write(dev, at, out, sizeof(out), NULL));
	l.params = &at;
	heddle_launch(dev, mod, &l, &result, &err);
	STREQ("", err.text);
	EQ(0, heddle_read(dev, out, at, sizeof(out), NULL));
	for (int i = 0; i < 64; i++)
		EQ(i >= 16 && i < 32 ? 0 : 2, out[i]);
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
	heddle_config_free(c);
}

TEST(barrier, lanes_that_end_wake_other_warps)
{
	static const char ptx[] = HEDDLE_SOURCE_DIR
		"/tests/timing/data/exits.ptx";
	static const char cubin[] = HEDDLE_SOURCE_DIR
		"/tests/timing/data/exits.cubin";

	run_exits(ptx, NULL);
	run_exits(cubin, NULL);
	run_exits(ptx, HEDDLE_SOURCE_DIR "/configs/h200.cfg");
	run_exits(cubin, HEDDLE_SOURCE_DIR "/configs/h200.cfg");
}

/* Warp `late` arrives last. Returns the cycles from its clock before the
 * barrier to the other warp's clock after it. */
static uint64_t release_after(int late)
{
	rig_open(&r,
		 rig_text("", "setp.ne.u32 %p1, %w, ", late ? "0; " : "1; ",
			  "@%p1 bra A; bar.sync 0; " CLOCK(1) "bra J; A: " SLOW
				  SLOW CLOCK(0) "bar.sync 0; " CLOCK(1) "J:",
			  NULL),
		 LONE "lat.bar.cycles=1");
	rig_run(&r, 1, 64);
	rig_close(&r);
	return r.c[!late][1] - r.c[late][0];
}

TEST(barrier, a_latency_of_one_cycle_is_one_for_every_scheduler)
{
	EQ(1 + 1, release_after(1));
	EQ(1 + 1, release_after(0));
}

TEST(barrier, named_barriers_do_not_meet)
{
	/* Two pairs of warps; one pair is late. */
	rig_open(&r,
		 KERNEL("setp.ge.u32 %p1, %w, 2; @%p1 bra A; " CLOCK(
			 0) "bar.sync 1, 64; " CLOCK(1) "bra J; A: " SLOW SLOW
				CLOCK(0) "bar.sync 2, 64; " CLOCK(1) "J:"),
		 LONE "lat.bar.cycles=13");
	rig_run(&r, 1, 128);
	OK(r.c[0][1] < r.c[2][0]);
	EQ(1 + 13, r.c[2][1] - r.c[2][0]);
	rig_close(&r);
}

TEST(barrier, a_fence_costs_what_its_scope_does)
{
	static const char set[] = LONE "sm.fence_block=21 sm.fence_gpu=190 "
				       "sm.fence_system=1000";

	EQ(1 + 21, rig_between(KERNEL(CLOCK(0) "membar.cta; " CLOCK(1)), set));
	EQ(1 + 190, rig_between(KERNEL(CLOCK(0) "membar.gl; " CLOCK(1)), set));
	EQ(1 + 1000,
	   rig_between(KERNEL(CLOCK(0) "membar.sys; " CLOCK(1)), set));
	EQ(1 + 190,
	   rig_between(KERNEL(CLOCK(0) "fence.acq_rel.gpu; " CLOCK(1)), set));
}

#define STORE "st.global.u32 [%mine], %t; "
#define SLOW_WRITES LONE "sm.fence_gpu=2 l2.write_interval=200 "

TEST(barrier, a_fence_waits_for_what_was_stored)
{
	static const char one[] = KERNEL(CLOCK(0) STORE "membar.gl; " CLOCK(1));
	static const char four[] =
		KERNEL(CLOCK(0) X4(STORE) "membar.gl; " CLOCK(1));
	static const char set[] = SLOW_WRITES "l2.acknowledge=yes";

	/* The clock, 5 to the lookup, 5 through the port with 128 bytes and a
	 * header, 10 to the slice and as many back, and the clock again. */
	EQ(1 + 5 + 5 + 10 + 10 + 1, rig_between(one, set));
	/* The slice takes the last of four 600 cycles later. */
	EQ(rig_between(one, set) + 600, rig_between(four, set));
	/* It ends so long after it knows that. */
	EQ(1 + 5 + 5 + 10 + 10 + 50,
	   rig_between(one, SLOW_WRITES "l2.acknowledge=yes "
					"sm.fence_written=50"));
	/* Nothing is on its way: the latency alone. */
	EQ(1 + 2, rig_between(KERNEL(CLOCK(0) "membar.gl; " CLOCK(1)),
			      SLOW_WRITES "l2.acknowledge=yes "
					  "sm.fence_written=50"));
	/* The time that a fence waits is part of its latency. */
	EQ(rig_between(one, LONE "sm.fence_gpu=900"),
	   rig_between(one, LONE "l2.acknowledge=yes sm.fence_gpu=900"));
}

TEST(barrier, a_fence_of_the_block_does_not_wait_for_stores)
{
	EQ(1 + 21,
	   rig_between(KERNEL(X4(STORE) CLOCK(0) "membar.cta; " CLOCK(1)),
		       SLOW_WRITES "l2.acknowledge=yes "
				   "sm.fence_block=21"));
}

TEST(barrier, a_sleeping_warp_wakes_after_its_time)
{
	/* 100 ns are 100 cycles at 1000 MHz, 50 at 500; then it issues in the
	 * cycle after. */
	EQ(1 + 100 + 1,
	   rig_between(KERNEL(CLOCK(0) "nanosleep.u32 100; " CLOCK(1)), LONE));
	EQ(1 + 50 + 1,
	   rig_between(KERNEL(CLOCK(0) "nanosleep.u32 100; " CLOCK(1)),
		       LONE "gpu.clock=500"));
}

TEST(barrier, lanes_of_a_warp_wait_for_each_other_at_a_shuffle)
{
	/* Both sides of a branch come to the shuffle, then it is executed
	 * once, by all: nothing is lost but the slots of the two sides. */
	rig_open(&r,
		 KERNEL("setp.lt.u32 %p1, %l, 16; @%p1 bra A; "
			"mov.u32 %r1, 7; bra J; A: mov.u32 %r1, 9; "
			"J: shfl.sync.idx.b32 %r2, %r1, 31, 31, -1; "
			"st.global.u32 [%mine], %r2; "),
		 LONE);
	rig_run(&r, 1, 32);
	EQ(7, rig_word(&r, 0));
	EQ(7, rig_word(&r, 31));
	rig_close(&r);
}
