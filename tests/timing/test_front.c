/*
 * Instruction supply. Rules: sm/front.h. An instruction has 16 bytes, so a line
 * of 128 has 8 of them. The kernels begin with START_INSTS instructions.
 */
#include "test.h"

#include "rig.h"

static struct rig r;

enum { START_INSTS = 14, L1 = 20, L2 = 100, DECODE = 2 };

#define FRONT                                                      \
	"sm.count=1 front.perfect=no front.decode_cycles=2 "       \
	"front.l1_cycles=20 front.l2_cycles=100 lat.alu.cycles=1 " \
	"front.l1=8K front.l1_ways=4 front.l0=4K "
#define PLAIN "front.prefetch=none "

/* START_INSTS and these two are two lines; clock 0 begins the third one and
 * clock 1 the fourth. */
#define LINE                                                               \
	"mov.u32 %r1, 0; mov.u32 %r2, 0; " CLOCK(0) X4("mov.u32 %r3, 0; ") \
		X2("mov.u32 %r4, 0; ") "mov.u32 %r5, 0; " CLOCK(1)

#define SHORT \
	HEAD "\n.visible .entry k(.param .u64 po, .param .u64 pd) { ret; }\n"

TEST(front, the_first_line_of_a_launch_comes_from_the_l2)
{
	/* Requested when the warp starts; with a perfect supply it issues in
	 * the cycle after that. */
	EQ(L1 + L2 + DECODE - 1,
	   rig_cycles(SHORT, FRONT PLAIN, 1, 32) -
		   rig_cycles(SHORT, "sm.count=1", 1, 32));
}

TEST(front, a_missing_line_is_requested_a_buffer_ahead)
{
	/* With a buffer of b, the line is requested when instruction 8 - b of
	 * the line before becomes the next one, which is when the one before
	 * it issues: 7 - b cycles after clock 0. */
	EQ(6 + L1 + L2 + DECODE,
	   rig_between(KERNEL(LINE), FRONT PLAIN "front.buffer=1"));
	EQ(4 + L1 + L2 + DECODE,
	   rig_between(KERNEL(LINE), FRONT PLAIN "front.buffer=3"));
	EQ(0 + L1 + L2 + DECODE,
	   rig_between(KERNEL(LINE), FRONT PLAIN "front.buffer=7"));
}

TEST(front, a_line_in_the_l1_costs_its_latency)
{
	/* A line of the L1 has two of the L0: the third and the fourth. */
	EQ(6 + L1 + DECODE,
	   rig_between(KERNEL(LINE), FRONT PLAIN "front.buffer=1 "
						 "front.l1_line=256"));
}

TEST(front, without_an_l1_a_line_comes_from_the_l2)
{
	EQ(6 + L2 + DECODE,
	   rig_between(KERNEL(LINE), FRONT PLAIN "front.buffer=1 front.l1=0"));
}

TEST(front, without_an_l0_the_l1_takes_its_place)
{
	EQ(6 + L2 + DECODE,
	   rig_between(KERNEL(LINE), FRONT PLAIN "front.buffer=1 front.l0=0"));
}

TEST(front, a_line_in_the_l0_costs_nothing)
{
	/* The second time round a loop. */
	rig_open(&r,
		 KERNEL("mov.u32 %r10, 0; A: " LINE "add.u32 %r10, %r10, 1; "
			"setp.lt.u32 %p1, %r10, 2; @%p1 bra A; "),
		 FRONT PLAIN "front.buffer=1");
	rig_run(&r, 1, 32);
	EQ(8, r.c[0][1] - r.c[0][0]);
	rig_close(&r);
}

/* A loop from the second instruction of a line to the first one of the next. */
/* clang-format off */
#define IN_TWO_LINES(n)                                               \
	KERNEL("mov.u32 %r10, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; A: " \
	       X4("mov.u32 %r3, 0; ") "mov.u32 %r4, 0; "              \
	       "add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, " n     \
	       "; @%p1 bra A; ")
/* clang-format on */

static uint64_t count_fetches(const char *kernel)
{
	uint64_t n;

	rig_open(&r, kernel, FRONT PLAIN "front.buffer=7");
	rig_run(&r, 1, 32);
	n = (uint64_t)rig_stat(&r, "front.fetches");
	rig_close(&r);
	return n;
}

/* The second line, a buffer ahead of the first, has been requested before. */
TEST(front, a_jump_back_into_the_line_before_requests_it)
{
	EQ(10, count_fetches(IN_TWO_LINES("20")) -
		       count_fetches(IN_TWO_LINES("10")));
}

TEST(front, a_large_buffer_hides_the_l1)
{
	/* Requested 20 instructions ahead, a line of the L1 arrives in time. */
	rig_open(&r, KERNEL(LINE),
		 FRONT PLAIN "front.buffer=24 "
			     "front.l1_line=1K");
	rig_run(&r, 1, 32);
	EQ(8, r.c[0][1] - r.c[0][0]);
	rig_close(&r);
}

TEST(front, a_stream_of_prefetched_lines_comes_in_time)
{
	/* The first miss requests the next four lines, one per cycle: they
	 * arrive soon after the first. */
	rig_open(&r, KERNEL(LINE),
		 FRONT "front.buffer=1 front.prefetch=stream "
		       "front.prefetch_lines=4");
	rig_run(&r, 1, 32);
	EQ(8, r.c[0][1] - r.c[0][0]);
	OK(rig_stat(&r, "front.prefetches") >= 4);
	rig_close(&r);
}

TEST(front, a_perfect_supply_requests_nothing)
{
	rig_open(&r, KERNEL(LINE), "sm.count=1 lat.alu.cycles=1");
	rig_run(&r, 1, 32);
	EQ(8, r.c[0][1] - r.c[0][0]);
	EQ(0, rig_stat(&r, "front.fetches"));
	rig_close(&r);
}

TEST(front, warps_of_a_sub_core_share_its_l0)
{
	/* Both warps of the only sub-core request every line; each line is
	 * fetched once. 14 + 2 + 9 + 13 + 9 instructions are 6 lines. */
	rig_open(&r, KERNEL(LINE),
		 FRONT PLAIN "front.buffer=1 sm.subcores=1 sm.schedulers=1");
	rig_run(&r, 1, 64);
	EQ(6, rig_stat(&r, "front.l1_misses"));
	EQ(0, rig_stat(&r, "front.l1_hits"));
	rig_close(&r);
	/* Of two sub-cores, each fetches it into its own. */
	rig_open(&r, KERNEL(LINE), FRONT PLAIN "front.buffer=1");
	rig_run(&r, 1, 64);
	EQ(12, rig_stat(&r, "front.l0_misses"));
	rig_close(&r);
}

TEST(front, a_launch_begins_with_empty_instruction_caches)
{
	rig_open(&r, KERNEL(LINE),
		 FRONT PLAIN "front.buffer=1 sm.subcores=1 sm.schedulers=1");
	for (int i = 0; i < 2; i++) {
		rig_run(&r, 1, 32);
		EQ(6, rig_stat(&r, "front.l1_misses"));
		EQ(0, rig_stat(&r, "front.l1_hits"));
		EQ(0, rig_stat(&r, "front.l0_hits"));
	}
	rig_close(&r);
}
