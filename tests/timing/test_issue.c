/*
 * When a warp's next instruction issues: dependences, units, schedulers,
 * register banks, branches. Rules: sm/sm.h, arch/timed.h, sm/sched.h, "lat",
 * "unit", "sm" and "regs" of docs/params.md.
 *
 * Between two clocks with n independent instructions: n + 1 cycles. A clock
 * is itself an integer instruction.
 */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "rig.h"

static struct rig r;

#define LONE "sm.count=1 "

TEST(issue, independent_instructions_issue_one_a_cycle)
{
	EQ(1, rig_between(KERNEL(CLOCK(0) CLOCK(1)), LONE));
	EQ(4, rig_between(KERNEL(CLOCK(0) "add.u32 %r1, %r40, 1; "
					  "add.u32 %r2, %r40, 1; "
					  "add.u32 %r3, %r40, 1; " CLOCK(1)),
			  LONE));
}

/* A warp that is alone with its scheduler, whichever that is. */
TEST(issue, each_of_sixteen_schedulers_issues_in_every_cycle)
{
	for (int i = 0; i < 16; i++) {
		char only[128];

		snprintf(only, sizeof(only),
			 "shr.u32 %%r1, %%t, 5; setp.ne.u32 %%p1, %%r1, %d; "
			 "@%%p1 exit; ",
			 i);
		rig_open(&r,
			 rig_text("", only, CLOCK(0), "add.u32 %r2, %r40, 1; ",
				  CLOCK(1), NULL),
			 LONE "sm.schedulers=16 sm.max_warps=16 "
			      "sm.max_threads=512 sm.registers=65536");
		rig_run(&r, 1, 512);
		EQ(2, r.c[i][1] - r.c[i][0]);
		rig_close(&r);
	}
}

/* `first`, then an instruction that reads its result, with `set`. */
static void dependent(const char *first, const char *second, const char *set,
		      uint64_t latency)
{
	const char *text =
		rig_text("", CLOCK(0), first, second, CLOCK(1), NULL);
	char all[256];

	snprintf(all, sizeof(all), LONE "%s", set);
	/* The first one comes a cycle after clock 0, clock 1 a cycle after the
	 * second. */
	EQ(1 + latency + 1, rig_between(text, all));
}

TEST(issue, a_dependent_instruction_waits_for_the_latency_of_its_class)
{
	dependent("add.u32 %r1, %r40, 1;", "add.u32 %r2, %r1, 1;",
		  "lat.alu.cycles=7", 7);
	dependent("mul.lo.u32 %r1, %r40, 3;", "add.u32 %r2, %r1, 1;",
		  "lat.mad.cycles=11", 11);
	dependent("div.u32 %r1, %r40, 3;", "add.u32 %r2, %r1, 1;",
		  "lat.idiv.cycles=33 lat.idiv.interval=1", 33);
	dependent("popc.b32 %r1, %r40;", "add.u32 %r2, %r1, 1;",
		  "lat.popc.cycles=9 lat.popc.interval=1", 9);
	dependent("fma.rn.f32 %f1, %f2, %f3, %f4;", "add.f32 %f5, %f1, %f1;",
		  "lat.fma.cycles=6", 6);
	dependent("div.rn.f32 %f1, %f2, %f3;", "add.f32 %f5, %f1, %f1;",
		  "lat.fdiv.cycles=41 lat.fdiv.interval=1", 41);
	dependent("add.f64 %fd1, %fd2, %fd3;", "add.f64 %fd4, %fd1, %fd1;",
		  "lat.f64.cycles=13", 13);
	dependent("div.rn.f64 %fd1, %fd2, %fd3;", "add.f64 %fd4, %fd1, %fd1;",
		  "lat.f64div.cycles=71 lat.f64div.interval=1", 71);
	dependent("add.f16 %h1, %h2, %h3;", "add.f16 %h4, %h1, %h1;",
		  "lat.f16.cycles=15", 15);
	dependent("sin.approx.f32 %f1, %f2;", "add.f32 %f5, %f1, %f1;",
		  "lat.sfu.cycles=17", 17);
	dependent("cvt.rn.f32.u32 %f1, %r40;", "add.f32 %f5, %f1, %f1;",
		  "lat.cvt.cycles=19", 19);
	dependent("cvt.rzi.s32.f32 %r1, %f2;", "add.u32 %r2, %r1, 1;",
		  "lat.f2i.cycles=21", 21);
	dependent("cvt.f64.f32 %fd1, %f2;", "add.f64 %fd4, %fd1, %fd1;",
		  "lat.cvt64.cycles=27", 27);
	dependent("cvt.rn.f32.s64 %f1, %rd2;", "add.f32 %f5, %f1, %f1;",
		  "lat.cvt64.cycles=25", 25);
	dependent("shfl.sync.idx.b32 %r1, %r40, 0, 31, -1;",
		  "add.u32 %r2, %r1, 1;", "lat.shfl.cycles=23", 23);
	dependent("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
		  "{%f0, %f1, %f2, %f3}, {%r1, %r2}, {%r3}, "
		  "{%f4, %f5, %f6, %f7};",
		  "add.f32 %f8, %f3, %f3;", "lat.mma.cycles=29", 29);
}

/* The time wheel of an SM has 64 entries and 64 rounds: waits of about a round,
 * of about all of them, and longer. */
TEST(issue, a_wait_has_its_length_however_long_it_is)
{
	static const uint64_t cycles[] = { 62,   63,   64,   65,   126,  127,
					   128,  129,  4030, 4032, 4094, 4095,
					   4096, 4097, 4159, 4160, 4161, 9999 };
	char set[64];

	for (size_t i = 0; i < sizeof(cycles) / sizeof(*cycles); i++) {
		snprintf(set, sizeof(set),
			 "lat.idiv.cycles=%llu lat.idiv.interval=1",
			 (unsigned long long)cycles[i]);
		dependent("div.u32 %r1, %r40, 3;", "add.u32 %r2, %r1, 1;", set,
			  cycles[i]);
	}
}

#define NONE "sm.dependence=none "

TEST(issue, without_dependences_nothing_waits_for_a_result)
{
	EQ(9, rig_between(KERNEL(CLOCK(0) X8("add.u32 %r1, %r1, 1; ") CLOCK(1)),
			  LONE NONE "lat.alu.cycles=5"));
	EQ(3, rig_between(KERNEL(CLOCK(0) "ld.global.u32 %r1, [%mine]; "
					  "add.u32 %r2, %r1, 1; " CLOCK(1)),
			  LONE NONE));
}

TEST(issue, without_dependences_an_atomic_is_waited_for)
{
	/* Its result comes only when it has been performed. */
	rig_open(&r,
		 KERNEL("atom.global.add.u32 %r1, [%mine], 5; "
			"atom.global.add.u32 %r2, [%mine], 1; "
			"mad.lo.u32 %r3, %r2, 10, %r1; "
			"st.global.u32 [%mine+4096], %r3; " CLOCK(0)),
		 LONE NONE);
	rig_run(&r, 1, 32);
	EQ(50, rig_word(&r, 1024));
	EQ(6, rig_word(&r, 0));
	rig_close(&r);
}

/* 2,200 sleeps of a million cycles: more than 2^31 in all. A result from before
 * can be read at once, one from after them when it is ready. */
TEST(issue, a_dependence_is_the_same_after_billions_of_cycles)
{
	rig_open(
		&r,
		KERNEL("add.u32 %r1, %l, 1; mov.u32 %r2, 2200; "
		       "NAP: nanosleep.u32 1000000; sub.u32 %r2, %r2, 1; "
		       "setp.ne.u32 %p1, %r2, 0; @%p1 bra NAP; "
		       "nanosleep.u32 100; " CLOCK(0) "add.u32 %r3, %r1, 1; " CLOCK(
			       1) "add.u32 %r4, %r3, 1; " CLOCK(2)),
		LONE "gpu.clock=1000 lat.alu.cycles=7");
	rig_run(&r, 1, 32);
	EQ(1, r.c[0][0] > UINT64_C(1) << 31);
	EQ(2, r.c[0][1] - r.c[0][0]);
	EQ(7 - 1 + 1, r.c[0][2] - r.c[0][1]);
	rig_close(&r);
}

TEST(issue, a_chain_of_dependent_instructions_adds_up)
{
	/* 8 additions, 5 cycles apart; the first a cycle after clock 0. */
	EQ(1 + 7 * 5 + 1,
	   rig_between(KERNEL(CLOCK(0) X8("add.u32 %r1, %r1, 1; ") CLOCK(1)),
		       LONE "lat.alu.cycles=5"));
}

TEST(issue, a_register_is_not_written_before_an_earlier_result)
{
	/* The second one writes the register of the first, which is in
	 * flight. */
	EQ(1 + 30 + 1, rig_between(KERNEL(CLOCK(0) "popc.b32 %r1, %r40; "
						   "mov.u32 %r1, 5; " CLOCK(1)),
				   LONE "lat.popc.cycles=30 "
					"lat.popc.interval=1"));
}

/* Three independent instructions of a pipe that takes one in `interval`. */
static void paced(const char *inst, const char *set, uint64_t interval)
{
	const char *text =
		rig_text("", CLOCK(0), inst, inst, inst, CLOCK(1), NULL);
	char all[256];

	snprintf(all, sizeof(all), LONE "%s", set);
	EQ(1 + 2 * interval + 1, rig_between(text, all));
}

TEST(issue, a_pipe_takes_a_warp_in_as_many_cycles_as_its_lanes_need)
{
	/* Lanes are those of an SM with two sub-cores. */
	paced("fma.rn.f32 %f1, %f2, %f3, %f4;",
	      "unit.fp32.lanes=64 lat.fma.cycles=1", 1);
	paced("fma.rn.f32 %f1, %f2, %f3, %f4;",
	      "unit.fp32.lanes=32 lat.fma.cycles=1", 2);
	paced("fma.rn.f32 %f1, %f2, %f3, %f4;",
	      "unit.fp32.lanes=16 lat.fma.cycles=1", 4);
	paced("add.f64 %fd1, %fd2, %fd3;", "unit.fp64.lanes=2 lat.f64.cycles=1",
	      32);
	paced("sin.approx.f32 %f1, %f2;", "lat.sfu.cycles=1", 8);
	paced("popc.b32 %r1, %r40;", "lat.popc.cycles=1 lat.popc.interval=1",
	      1);
}

TEST(issue, an_interval_of_a_latency_class_overrides_the_lanes)
{
	paced("fma.rn.f32 %f1, %f2, %f3, %f4;",
	      "lat.fma.cycles=1 lat.fma.interval=6", 6);
}

TEST(issue, simd_width_narrows_a_pipe)
{
	/* 16 lanes of an SM are 8 of a sub-core: 32 / 8 cycles. */
	paced("fma.rn.f32 %f1, %f2, %f3, %f4;",
	      "sm.simd_width=8 unit.fp32.lanes=16 lat.fma.cycles=1", 4);
	paced("fma.rn.f32 %f1, %f2, %f3, %f4;",
	      "sm.simd_width=16 unit.fp32.lanes=32 lat.fma.cycles=1", 2);
}

TEST(issue, several_narrow_pipes_take_as_much_as_a_wide_one)
{
	/* 32 lanes of a sub-core in pipes of 8: four warps in four cycles. */
	EQ(1 + 8,
	   rig_between(KERNEL(CLOCK(0) X8("fma.rn.f32 %f1, %f2, %f3, %f4; ")
				      CLOCK(1)),
		       LONE "sm.simd_width=8 lat.fma.cycles=1"));
	/* 16 lanes in two such pipes: two warps in four cycles, the n-th pair
	 * in cycles 4 n + 1 and 4 n + 2. */
	EQ(1 + 3 * 4 + 1 + 1,
	   rig_between(KERNEL(CLOCK(0) X8("fma.rn.f32 %f1, %f2, %f3, %f4; ")
				      CLOCK(1)),
		       LONE "sm.simd_width=8 unit.fp32.lanes=32 "
			    "lat.fma.cycles=1"));
}

#define ONE_SIN \
	KERNEL("bar.sync 0; " CLOCK(0) "sin.approx.f32 %f1, %f2; " CLOCK(1))

TEST(issue, a_unit_of_fewer_lanes_than_sub_cores_is_shared)
{
	uint64_t a, b;

	/* Each sub-core has a lane: no warp waits. */
	rig_open(&r, ONE_SIN, LONE "unit.sfu.lanes=2");
	rig_run(&r, 1, 64);
	EQ(2, r.c[0][1] - r.c[0][0]);
	EQ(2, r.c[1][1] - r.c[1][0]);
	rig_close(&r);
	/* One lane for both, 32 cycles for a warp: one of them waits. */
	rig_open(&r, ONE_SIN, LONE "unit.sfu.lanes=1");
	rig_run(&r, 1, 64);
	a = r.c[0][1] - r.c[0][0];
	b = r.c[1][1] - r.c[1][0];
	EQ(r.c[0][0], r.c[1][0]);
	EQ(2, a < b ? a : b);
	EQ(32 + 2, a < b ? b : a);
	rig_close(&r);
}

TEST(issue, two_schedulers_of_a_sub_core_share_its_pipe)
{
	uint64_t a, b;

	/* 64 integer lanes are two pipes, so the clocks are read together;
	 * 32 FP32 lanes are one: 8 instructions take 8 cycles. */
	rig_open(&r,
		 KERNEL("bar.sync 0; " CLOCK(0)
				X4("fma.rn.f32 %f1, %f2, %f3, %f4; ")
					CLOCK(1) "bar.sync 0; "),
		 LONE "sm.subcores=1 sm.schedulers=2 unit.fp32.lanes=32 "
		      "lat.fma.cycles=1 regs.read_ports=4");
	rig_run(&r, 1, 64);
	a = r.c[0][1] - r.c[0][0];
	b = r.c[1][1] - r.c[1][0];
	EQ(r.c[0][0], r.c[1][0]);
	EQ(8 + 1, a > b ? a : b);
	rig_close(&r);
}

TEST(issue, a_scheduler_issues_once_in_an_issue_interval)
{
	EQ(3 * 4,
	   rig_between(KERNEL(CLOCK(0) "add.u32 %r1, %r40, 1; "
				       "add.u32 %r2, %r40, 1; " CLOCK(1)),
		       LONE "sm.issue_interval=4"));
}

/* What follows a barrier is the first of its cycle. */
#define ALONE "bar.sync 0; "

TEST(issue, two_instructions_of_different_units_issue_together)
{
	/* 0: clock, fma; 1: add, fma; 2: add, fma; 3: clock. */
	rig_open(&r,
		 KERNEL(ALONE CLOCK(0) "fma.rn.f32 %f1, %f8, %f8, %f8; "
				       "add.u32 %r1, %r40, 1; "
				       "fma.rn.f32 %f2, %f8, %f8, %f8; "
				       "add.u32 %r2, %r40, 1; "
				       "fma.rn.f32 %f3, %f8, %f8, %f8; " CLOCK(
					       1)),
		 LONE "sm.issue_width=2");
	rig_run(&r, 1, 32);
	EQ(3, r.c[0][1] - r.c[0][0]);
	OK(rig_stat(&r, "sm.dual") >= 3);
	rig_close(&r);
}

TEST(issue, dual_issue_does_not_widen_a_pipe)
{
	/* A sub-core has 32 integer lanes: one warp a cycle. */
	EQ(4,
	   rig_between(KERNEL(ALONE CLOCK(0) "add.u32 %r1, %r40, 1; "
					     "add.u32 %r2, %r40, 1; "
					     "add.u32 %r3, %r40, 1; " CLOCK(1)),
		       LONE "sm.issue_width=2"));
	/* With 64 it has two pipes: clock and add, add and add, clock. */
	EQ(2,
	   rig_between(KERNEL(ALONE CLOCK(0) "add.u32 %r1, %r40, 1; "
					     "add.u32 %r2, %r40, 1; "
					     "add.u32 %r3, %r40, 1; " CLOCK(1)),
		       LONE "sm.issue_width=2 unit.int.lanes=128"));
}

TEST(issue, a_dependent_instruction_does_not_issue_in_the_same_cycle)
{
	/* 0: clock, fma; 3: the addition that waits for it, clock. */
	EQ(3, rig_between(
		      KERNEL(ALONE CLOCK(0) "fma.rn.f32 %f1, %f8, %f8, %f8; "
					    "add.f32 %f2, %f1, %f8; " CLOCK(1)),
		      LONE "sm.issue_width=2 lat.fma.cycles=3"));
}

/* Three values that a uniform datapath could not compute. */
#define THREE_VALUES                                                           \
	"cvt.rn.f32.u32 %f1, %l; add.u32 %r1, %l, 7; mul.lo.u32 %r2, %l, %l; " \
	"cvt.rn.f32.u32 %f2, %r1; cvt.rn.f32.u32 %f3, %r2; "                   \
	"add.f32 %f4, %f1, %f2; add.f32 %f4, %f4, %f3; "                       \
	"mov.b32 %r3, %f4; mov.b32 %r3, %r3; "
#define THREE_READS                       \
	"fma.rn.f32 %f5, %f1, %f2, %f3; " \
	"fma.rn.f32 %f6, %f1, %f2, %f3; " \
	"fma.rn.f32 %f7, %f1, %f2, %f3; "
#define USES                                             \
	"add.f32 %f8, %f5, %f6; add.f32 %f8, %f8, %f7; " \
	"add.f32 %f8, %f8, %f1; add.f32 %f8, %f8, %f2; " \
	"add.f32 %f8, %f8, %f3; st.global.f32 [%mine], %f8; "
#define BANKS KERNEL(THREE_VALUES CLOCK(0) THREE_READS CLOCK(1) USES)

TEST(issue, register_banks_pace_instructions_with_many_operands)
{
	/* One bank with one port: three reads are three cycles, so a second
	 * one issues three cycles after the first. */
	EQ(1 + 2 * 3 + 1,
	   rig_between(BANKS, LONE "regs.banks=1 regs.read_ports=1 "
				   "regs.reuse=no"));
	/* With as many ports as operands nothing waits. */
	EQ(4, rig_between(BANKS, LONE "regs.banks=1 regs.read_ports=3 "
				      "regs.reuse=no"));
}

TEST(issue, the_reuse_cache_saves_reads_of_the_same_operands)
{
	EQ(4, rig_between(BANKS, LONE "regs.banks=1 regs.read_ports=1 "
				      "regs.reuse=yes"));
}

TEST(issue, operand_collectors_let_instructions_wait_for_banks)
{
	/* One collector is busy for the three reads. */
	EQ(1 + 2 * 3 + 1,
	   rig_between(BANKS, LONE "regs.operands=collector regs.banks=1 "
				   "regs.collectors=1"));
	/* Two: the third instruction waits for the first one's, which is
	 * busy in cycles 1 to 3. */
	EQ(5, rig_between(BANKS, LONE "regs.operands=collector regs.banks=1 "
				      "regs.collectors=2"));
	EQ(4, rig_between(BANKS, LONE "regs.operands=collector regs.banks=1 "
				      "regs.collectors=3"));
}

TEST(issue, a_result_is_late_by_what_its_operands_waited_in_a_collector)
{
	/* Issued in cycles 1, 2 and 3, the bank serves them until 4, 7 and 10;
	 * alone the third would have been done at 6. Its result comes at
	 * 3 + 4 + 4. */
	EQ(3 + 4 + 4 + 1,
	   rig_between(KERNEL(THREE_VALUES CLOCK(0) THREE_READS
			      "mov.b32 %r5, %f7; " CLOCK(1) USES),
		       LONE "regs.operands=collector regs.banks=1 "
			    "lat.fma.cycles=4"));
}

/* Four warps of one scheduler that are released from a barrier together. The
 * order of their first clocks goes to `order`. */
static void scheduled(const char *policy, int order[4])
{
	char set[128];

	snprintf(set, sizeof(set),
		 LONE "sm.subcores=1 sm.schedulers=1 sm.scheduler=%s", policy);
	rig_open(&r,
		 KERNEL("bar.sync 0; " CLOCK(0) CLOCK(1) CLOCK(2)
				X8("mov.u32 %r1, 0; ")),
		 set);
	rig_run(&r, 1, 128);
	for (int i = 0; i < 4; i++) {
		int before = 0;

		for (int j = 0; j < 4; j++)
			before += r.c[j][0] < r.c[i][0];
		order[before] = i;
	}
	rig_close(&r);
}

TEST(issue, round_robin_gives_every_warp_its_turn)
{
	int order[4];

	scheduled("lrr", order);
	for (int w = 0; w < 4; w++) {
		EQ(4, r.c[w][1] - r.c[w][0]);
		EQ(4, r.c[w][2] - r.c[w][1]);
		EQ((order[0] + w) % 4, order[w]);
	}
}

TEST(issue, greedy_then_oldest_stays_with_a_warp_then_takes_the_oldest)
{
	int order[4];

	scheduled("gto", order);
	for (int w = 0; w < 4; w++)
		EQ(2, r.c[w][2] - r.c[w][0]);
	/* First the one that issued last, which closed the barrier. */
	for (int i = 1; i < 3; i++)
		OK(order[i] < order[i + 1]);
}

TEST(issue, greedy_then_youngest_takes_the_youngest)
{
	int order[4];

	scheduled("cggty", order);
	for (int w = 0; w < 4; w++)
		EQ(2, r.c[w][2] - r.c[w][0]);
	for (int i = 1; i < 3; i++)
		OK(order[i] > order[i + 1]);
}

TEST(issue, two_level_scheduling_turns_among_the_active_warps)
{
	rig_open(&r,
		 KERNEL("bar.sync 0; " X8("mov.u32 %r1, 0; ") CLOCK(0) CLOCK(1)
				CLOCK(2) X8("mov.u32 %r1, 0; ")),
		 LONE "sm.subcores=1 sm.schedulers=1 sm.scheduler=two_level "
		      "sm.active_warps=2 lat.alu.cycles=1");
	rig_run(&r, 1, 128);
	for (int w = 0; w < 4; w++)
		EQ(4, r.c[w][2] - r.c[w][0]); /* every other cycle */
	rig_close(&r);
}

/* Sixteen warps, each with four lines that it reads sixteen times, in an L1 of
 * 32 lines: if all of them run, none of them hits. */
#define FOUR_LINES                                                \
	X4("ld.global.u32 %r1, [%rd1]; add.u64 %rd1, %rd1, 128; " \
	   "add.u32 %r3, %r3, %r1; ")                             \
	"sub.u64 %rd1, %rd1, 512; "
#define THRASH                                                           \
	KERNEL("mul.wide.u32 %rd1, %w, 512; add.u64 %rd1, %data, %rd1; " \
	       "mov.u32 %r3, 0; " X16(FOUR_LINES))

static uint64_t hits(const char *set, uint64_t *throttled)
{
	uint64_t n;

	rig_open(&r, THRASH, set);
	rig_run(&r, 1, 512);
	n = rig_stat(&r, "l1.read_hits");
	*throttled = rig_stat(&r, "reason.throttled");
	rig_close(&r);
	return n;
}

TEST(issue, lost_locality_throttles_warps_and_brings_hits_back)
{
	uint64_t none, some;
	uint64_t before = hits("sm.count=1 sm.scheduler=lrr", &none);
	uint64_t after = hits("sm.count=1 sm.scheduler=ccws", &some);

	EQ(0, none);
	OK(some > 0);
	OK(after > 2 * before);
}

TEST(issue, an_instruction_that_no_lane_executes_takes_its_slot)
{
	rig_open(
		&r,
		KERNEL("setp.ne.u32 %p1, %r40, %r40; mov.u32 %r1, 0; " X8(
			"mov.u32 %r2, 0; ")
			       CLOCK(0) "@%p1 add.u32 %r3, "
					"%r40, 1; @%p1 ld.global.u32 %r4, [%mine]; "
					"@%p1 st.global.u32 [%mine], %r40; " CLOCK(
						1)),
		LONE "unit.lsu.lanes=64");
	rig_run(&r, 1, 32);
	EQ(4, r.c[0][1] - r.c[0][0]);
	EQ(3, rig_stat(&r, "sm.guarded_off"));
	EQ(0, rig_stat(&r, "lsu.global_loads"));
	rig_close(&r);
}

#define LATER X8("mov.u32 %r2, 0; ") /* predicates are ready */

TEST(issue, a_taken_branch_costs_its_latency_and_another_does_not)
{
	EQ(1 + 9,
	   rig_between(KERNEL(CLOCK(0) "bra A; mov.u32 %r1, 1; A: " CLOCK(1)),
		       LONE "lat.branch.cycles=9"));
	EQ(1 + 1 + 1,
	   rig_between(KERNEL("setp.ne.u32 %p1, %r40, %r40; " LATER CLOCK(
			       0) "@%p1 bra A; mov.u32 %r1, 1; A: " CLOCK(1)),
		       LONE "lat.branch.cycles=9"));
}

TEST(issue, the_sides_of_a_diverged_branch_come_one_after_the_other)
{
	/* A branch that costs one cycle: every instruction takes one. branch,
	 * two of one side and its branch, three of the other, clock. */
	rig_open(&r,
		 KERNEL("setp.lt.u32 %p1, %l, 16; " LATER CLOCK(
			 0) "@%p1 bra A; add.u32 %r1, %r40, 1; "
			    "add.u32 %r3, %r40, 1; bra J; "
			    "A: add.u32 %r4, %r40, 1; add.u32 %r5, %r40, 1; "
			    "add.u32 %r6, %r40, 1; J: " CLOCK(1)),
		 LONE "lat.branch.cycles=1");
	rig_run(&r, 1, 32);
	EQ(1 + 3 + 3 + 1, r.c[0][1] - r.c[0][0]);
	EQ(1, rig_stat(&r, "sm.diverged"));
	EQ(2, rig_stat(&r, "sm.branches"));
	rig_close(&r);
}

TEST(issue, a_loop_pays_its_dependences_and_its_branch_in_every_iteration)
{
	/* mov 1, add 1 + 4; setp 4 later, branch 4 later, next add 8 later:
	 * 16 an iteration. In the tenth the branch is not taken. */
	EQ(5 + 9 * 16 + 8 + 1,
	   rig_between(KERNEL(CLOCK(0) "mov.u32 %r1, 0; "
				       "A: add.u32 %r1, %r1, 1; "
				       "setp.lt.u32 %p1, %r1, 10; "
				       "@%p1 bra A; " CLOCK(1)),
		       LONE "lat.alu.cycles=4 lat.branch.cycles=8"));
}

TEST(issue, a_call_and_its_return_cost_a_branch_each)
{
	char before[4096];

	/* Wherever the two lie in their functions. */
	for (int n = 0; n < 24; n++) {
		strcpy(before, ".func f() { .reg .b32 %x<2>; ");
		for (int i = 0; i < n; i++)
			strcat(before, "mov.u32 %x1, 7; ");
		strcat(before, "ret; }");
		EQ(1 + 9 + (uint64_t)n + 9,
		   rig_between(rig_text(before, CLOCK(0), "call f; ", CLOCK(1),
					NULL),
			       LONE "lat.branch.cycles=9 lat.alu.cycles=1"));
	}
}

/* The branch waits for the predicate longer than other instructions do. */
#define GUARDED                                                           \
	KERNEL(CLOCK(0) "add.u32 %r1, %r40, 1; setp.eq.u32 %p1, %r1, 0; " \
			"@%p1 bra L; L: " CLOCK(1))

#define COMPARE "setp.eq.u32 %p1, %r40, 0; "
#define OTHERS                                                            \
	"add.u32 %r1, %r40, 1; add.u32 %r2, %r40, 2; add.u32 %r3, %r40, " \
	"3; add.u32 %r4, %r40, 4; "
#define JUMP "@%p1 bra L; L: "

TEST(issue, a_branch_waits_for_its_predicate)
{
	uint64_t plain = rig_between(GUARDED, LONE "lat.alu.cycles=4");

	EQ(plain,
	   rig_between(GUARDED, LONE "lat.alu.cycles=4 sm.branch_guard=4"));
	EQ(plain + 7, rig_between(GUARDED, LONE "lat.alu.cycles=4 "
						"sm.branch_guard=11"));
	/* The addition is not the one that the branch reads. */
	EQ(plain + 7 + 2,
	   rig_between(GUARDED, LONE "lat.alu.cycles=6 sm.branch_guard=11"));
	/* A compiler puts other instructions between them. */
	EQ(rig_between(KERNEL(CLOCK(0) COMPARE OTHERS JUMP CLOCK(1)),
		       LONE "lat.alu.cycles=4 sm.branch_guard=11"),
	   rig_between(KERNEL(CLOCK(0) OTHERS COMPARE JUMP CLOCK(1)),
		       LONE "lat.alu.cycles=4 sm.branch_guard=11 "
			    "sm.compiled=yes"));
}

/* Lanes go two ways, and each way leads to another branch of that kind, which
 * goes one way. */
TEST(issue, an_indirect_branch_counts_as_diverged_if_it_divides_its_lanes)
{
	rig_open(&r,
		 KERNEL("and.b32 %r1, %l, 1; mov.u32 %r2, 0; "
			"T: .branchtargets A, B; U: .branchtargets C, C;\n"
			"brx.idx %r1, T; A: brx.idx %r2, U; "
			"B: brx.idx %r2, U; C: "),
		 LONE);
	rig_run(&r, 1, 32);
	EQ(3, rig_stat(&r, "sm.branches"));
	EQ(1, rig_stat(&r, "sm.diverged"));
	rig_close(&r);
}
