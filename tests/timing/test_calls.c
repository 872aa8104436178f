/*
 * malloc, free and printf of kernels. Rules: system.*; gpu/calls.h says what
 * chunks are. A call in cycle t that takes n cycles lets the warp issue again in
 * t + n.
 */
#include <string.h>

#include "test.h"

#include "rig.h"

static struct rig r;

#define DECLARED                                                               \
	".extern .func (.param .b64 out) malloc (.param .b64 n);\n"            \
	".extern .func free (.param .b64 p);\n"                                \
	".extern .func (.param .b32 out) vprintf (.param .b64 f, .param .b64 " \
	"a);\n.global .align 8 .b8 text[8];\n"
#define TAKE(bytes, from, to)                                                         \
	"{ .param .b64 n; .param .b64 out; mov.u64 %rd1, " #bytes "; "                \
	"st.param.b64 [n], %rd1; " CLOCK(from) "call.uni (out), malloc, (n); " CLOCK( \
		to) "ld.param.b64 %rd2, [out]; add.u64 %rd4, %rd2, %rd2; } "
#define GIVE(from, to)                                     \
	"{ .param .b64 p; st.param.b64 [p], %rd2; " CLOCK( \
		from) "call.uni free, (p); " CLOCK(to) "} "
#define PRINT(from, to)                                           \
	"{ .param .b64 f; .param .b64 a; .param .b32 out; "       \
	"mov.u64 %rd3, text; cvta.global.u64 %rd3, %rd3; "        \
	"st.param.b64 [f], %rd3; st.param.b64 [a], %rd3; " CLOCK( \
		from) "call.uni (out), vprintf, (f, a); " CLOCK(to) "} "
#define BUSY                                                                \
	"sm.count=1 system.malloc_cycles=50000 system.malloc_lane=300 "     \
	"system.contention=20 system.contenders=4 system.search_cycles=50 " \
	"system.chunk_cycles=700 system.free_cycles=40000 "                 \
	"system.free_lane=100 system.release_cycles=900 "                   \
	"system.print_cycles=30000 system.print_lane=10 "                   \
	"system.print_interval=500 system.print_interval_lane=5"

/* From clock to the instruction after the call, less the call's own cycle. */
static uint64_t took(int warp, int from)
{
	return r.c[warp][from + 1] - r.c[warp][from] - 1;
}

static void run(const char *body, int threads)
{
	rig_open(&r, body, BUSY);
	rig_run(&r, 1, threads);
}

TEST(calls, the_first_block_makes_a_chunk_of_two_classes)
{
	run(MODULE(DECLARED, TAKE(64, 0, 1) TAKE(64, 2, 3)), 1);
	EQ(50000 + 2 * 700, took(0, 0));
	EQ(50000, took(0, 2));
	rig_close(&r);
}

TEST(calls, a_block_of_half_a_chunk_passes_all_that_came_before)
{
	/* 13 of 24 units each, so one in a chunk. */
	run(MODULE(DECLARED,
		   TAKE(1000, 0, 1) TAKE(1000, 2, 3) TAKE(1000, 4, 5)),
	    1);
	EQ(50000 + 700 + 50, took(0, 2));
	EQ(50000 + 700 + 2 * 50, took(0, 4));
	rig_close(&r);
}

TEST(calls, lanes_allocate_and_free_one_after_the_other)
{
	/* 32 units: the second chunk is made when the first is full. */
	run(MODULE(DECLARED, TAKE(64, 0, 1) GIVE(2, 3)), 32);
	EQ(50000 + 31 * 300 + 3 * 700 + 50, took(0, 0));
	/* It passes one chunk; both are given back, and that of the class
	 * above. */
	EQ(40000 + 31 * 100 + 50 + 3 * 900, took(0, 2));
	rig_close(&r);
}

TEST(calls, another_warp_inside_of_malloc_delays_each_lane)
{
	run(MODULE(DECLARED, TAKE(64, 0, 1)), 64);
	EQ(r.c[0][0], r.c[1][0]);
	EQ(50000 + 31 * 300 + 3 * 700 + 50, took(0, 0));
	/* 32 units are in use: it passes one chunk, then two, and makes one. */
	EQ(50000 + 31 * (300 + 20) + 50 + 2 * 50 + 700, took(1, 0));
	rig_close(&r);
}

TEST(calls, chunks_are_given_back_one_at_a_time)
{
	run(MODULE(DECLARED, TAKE(1000, 0, 1) "bar.sync 0; " GIVE(2, 3)), 64);
	/* Each of the 64 blocks is a chunk; chunks of the class above go
	 * with them, one and two. The first warp passes 63 chunks. */
	EQ(40000 + 31 * 100 + 63 * 50 + 33 * 900, took(0, 2));
	EQ(40000 + 31 * 100 + 63 * 50 + (33 + 34) * 900,
	   took(1, 2) + r.c[1][2] - r.c[0][2]);
	rig_close(&r);
}

TEST(calls, what_was_freed_in_between_is_found_sooner)
{
	/* Three blocks in a chunk: the tenth makes a fourth one. What is freed
	 * there is a hole, which the search meets half way. */
	run(MODULE(DECLARED,
		   X4(TAKE(512, 4, 5)) X4(TAKE(512, 4, 5)) TAKE(512, 4, 5)
			   TAKE(512, 0, 1) TAKE(512, 4, 5) GIVE(4, 5)
				   TAKE(512, 2, 3)),
	    1);
	EQ(50000 + 700 + 3 * 50, took(0, 0));
	EQ(50000 + 1 * 50, took(0, 2));
	rig_close(&r);
}

#define COUNTED                                                            \
	BUSY " system.malloc_instructions=800 "                            \
	     "system.malloc_lane_instructions=200 "                        \
	     "system.spin_instructions=100 system.search_instructions=7 "  \
	     "system.chunk_instructions=300 system.free_instructions=600 " \
	     "system.free_lane_instructions=9"

/* The line of the n-th call of the kernel, and the sum of all lines. */
static struct heddle_hot_line call_line(unsigned n, uint64_t *all)
{
	const struct heddle_timing *t = heddle_device_timing(r.dev);
	struct heddle_hot_line line, found = { 0 };
	struct heddle_timing_info info;

	*all = 0;
	heddle_timing_info(t, &info);
	for (size_t i = 0; i < info.hot_lines; i++) {
		EQ(0, heddle_timing_hot(t, i, &line, NULL));
		*all += line.issued;
		if (!strncmp(line.instruction, "call", 4) && !n--)
			found = line;
	}
	return found;
}

TEST(calls, instructions_of_malloc_and_free_are_counted)
{
	/* The times of these are above. Two warps: the second spins in malloc
	 * for the first. Chunks of 32 lanes: three and a search; then two
	 * searches, one and two, and a new chunk. */
	uint64_t take =
		2 * (800 + 31 * 200) + (3 * 300 + 7) + (3 * 7 + 300) + 32 * 100;
	/* Of three chunks two are full; then one is left. */
	uint64_t give = 2 * (600 + 31 * 9) + 2 * 7, all;

	rig_open(&r, MODULE(DECLARED, TAKE(64, 0, 1) "bar.sync 0; " GIVE(2, 3)),
		 COUNTED);
	rig_run(&r, 1, 64);
	EQ(50000 + 31 * 300 + 3 * 700 + 50, took(0, 0));
	EQ(2 + take, call_line(0, &all).issued);
	EQ(2 + give, call_line(1, &all).issued);
	EQ(take + give, rig_stat(&r, "sm.served"));
	EQ(r.result.warp_instructions + take + give,
	   rig_stat(&r, "sm.instructions"));
	EQ(rig_stat(&r, "sm.instructions"), all);
	EQ(r.result.warp_instructions, rig_stat(&r, "reason.issued"));
	rig_close(&r);
}

TEST(calls, lanes_of_malloc_take_turns)
{
	uint64_t malloc_of_all = 800 + 31 * 200 + 3 * 300 + 7;

	rig_open(&r, MODULE(DECLARED, TAKE(64, 0, 1)), COUNTED);
	rig_run(&r, 1, 32);
	EQ(malloc_of_all, rig_stat(&r, "sm.served"));
	EQ(r.result.thread_instructions + malloc_of_all * (32 + 2) / 3,
	   rig_stat(&r, "sm.lanes"));
	rig_close(&r);
}

TEST(calls, without_its_instructions_malloc_is_not_counted)
{
	run(MODULE(DECLARED, TAKE(64, 0, 1)), 32);
	EQ(0, rig_stat(&r, "sm.served"));
	EQ(r.result.warp_instructions, rig_stat(&r, "sm.instructions"));
	rig_close(&r);
}

TEST(calls, printf_has_one_lock)
{
	run(MODULE(DECLARED, PRINT(0, 1)), 64);
	EQ(r.c[0][0], r.c[1][0]);
	EQ(30000 + 31 * 10, took(0, 0));
	EQ(500 + 32 * 5 + 30000 + 31 * 10, took(1, 0));
	rig_close(&r);
}

TEST(calls, without_times_malloc_waits_for_the_epoch_and_printf_does_not)
{
	rig_open(&r, MODULE(DECLARED, PRINT(0, 1) TAKE(64, 2, 3)),
		 "sm.count=1");
	rig_run(&r, 1, 32);
	OK(took(0, 0) < 32);
	OK(took(0, 2) > took(0, 0));
	rig_close(&r);
}
