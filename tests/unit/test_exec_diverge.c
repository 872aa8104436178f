/*
 * Divergence: lanes of one warp that diverge, reconverge, return, exit and wait
 * for each other.
 */
#include <string.h>

#include "test.h"

#include "run_ptx.h"

/* The word that lane l wrote first and the mask it saw at the join. */
#define STORE_MASK "activemask.b32 %r20; st.global.u32 [%rd1+1024], %r20;\n"

static void masks_are_full(const struct run *r, int lanes)
{
	for (int i = 0; i < lanes; i++)
		EQ(0xffffffffu, r->w[256 + i]);
}

TEST(exec_diverge, both_sides_run_once_and_meet)
{
	struct run r = { 0 };

	run_both(&r,
		 KERNEL("setp.lt.u32 %p1, %r0, 7; @%p1 bra A;\n"
			"mov.u32 %r1, 2; bra B;\n" /* 25 lanes */
			"A: mov.u32 %r1, 1;\n"     /* 7 lanes */
			"B: " STORE_MASK "st.global.u32 [%rd1], %r1; ret;"));
	masks_are_full(&r, 32);
	for (int i = 0; i < 32; i++)
		EQ(i < 7 ? 1 : 2, r.w[i]);
	EQ(BODY_PC + 2u + 2 + 1 + 4, r.result.warp_instructions);
	EQ((BODY_PC + 2u + 4) * 32 - (32 - 7) + 25 * 2 + 7,
	   r.result.thread_instructions);
}

TEST(exec_diverge, a_uniform_branch_does_not_diverge)
{
	struct run r = { 0 };

	run_both(&r, KERNEL("setp.lt.u32 %p1, %r0, 32; @%p1 bra A; trap;\n"
			    "A: @!%p1 bra B; " STORE_MASK "B: ret;"));
	masks_are_full(&r, 32);
	EQ(BODY_PC + 2u + 4, r.result.warp_instructions);
}

TEST(exec_diverge, nested_ifs_meet_from_the_inside_out)
{
	struct run r = { 0 };

	run_both(&r,
		 KERNEL("and.b32 %r2, %r0, 1; and.b32 %r3, %r0, 2; "
			"mov.u32 %r1, 0; setp.eq.u32 %p1, %r2, 0; "
			"setp.eq.u32 %p2, %r3, 0;\n"
			"@%p1 bra A;\n"
			"@%p2 bra A1; add.u32 %r1, %r1, 1;\n"
			"A1: activemask.b32 %r4; add.u32 %r1, %r1, 10; bra J;\n"
			"A: @%p2 bra A2; add.u32 %r1, %r1, 100;\n"
			"A2: activemask.b32 %r4; add.u32 %r1, %r1, 1000;\n"
			"J: " STORE_MASK "st.global.u32 [%rd1], %r1; "
			"st.global.u32 [%rd1+512], %r4; ret;"));
	masks_are_full(&r, 32);
	for (uint32_t i = 0; i < 32; i++) {
		EQ(i & 1 ? 10 + (i >> 1 & 1) : 1000 + 100 * (i >> 1 & 1),
		   r.w[i]);
		EQ(i & 1 ? 0xaaaaaaaau : 0x55555555u, r.w[128 + i]);
	}
	EQ(BODY_PC + 6u + (1 + 1 + 3) + (1 + 1 + 2) + 5,
	   r.result.warp_instructions);
}

TEST(exec_diverge, lanes_leave_a_loop_one_by_one)
{
	struct run r = { 0 };

	run_both(&r,
		 KERNEL("mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
			"L: add.u32 %r2, %r2, %r1; add.u32 %r1, %r1, 1; "
			"setp.le.u32 %p1, %r1, %r0; @%p1 bra L;\n" STORE_MASK
			"st.global.u32 [%rd1], %r2; ret;"));
	masks_are_full(&r, 32);
	for (uint32_t i = 0; i < 32; i++)
		EQ(i * (i + 1) / 2, r.w[i]);
	EQ(BODY_PC + 2u + 4 * 32 + 4, r.result.warp_instructions);
	/* a lane's last branch has a false guard and does not count */
	EQ((BODY_PC + 2u + 4) * 32 + 4 * (32 * 33 / 2) - 32,
	   r.result.thread_instructions);
}

TEST(exec_diverge, break_and_continue)
{
	struct run r = { 0 };

	/* for (i = 0; i < 20; i++) { if (i == lane) break;
	 *                            if ((i ^ lane) & 1) continue; sum += i; } */
	run_both(&r,
		 KERNEL("mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
			"L: setp.ge.u32 %p1, %r1, 20; @%p1 bra E;\n"
			"setp.eq.u32 %p1, %r1, %r0; @%p1 bra E;\n"
			"xor.b32 %r3, %r1, %r0; and.b32 %r3, %r3, 1; "
			"setp.ne.u32 %p1, %r3, 0; @%p1 bra C;\n"
			"add.u32 %r2, %r2, %r1;\n"
			"C: add.u32 %r1, %r1, 1; bra L;\n"
			"E: " STORE_MASK "st.global.u32 [%rd1], %r2; ret;"));
	masks_are_full(&r, 32);
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t sum = 0;

		for (uint32_t k = 0; k < 20 && k != i; k++)
			if (!((k ^ i) & 1))
				sum += k;
		EQ(sum, r.w[i]);
	}
}

TEST(exec_diverge, nested_loops_meet_in_every_round)
{
	struct run r = { 0 };

	run_both(&r, KERNEL("mov.u32 %r1, 0; mov.u32 %r5, 0; mov.u32 %r4, -1;\n"
			    "O: mov.u32 %r2, 0;\n"
			    "I: add.u32 %r2, %r2, 1; add.u32 %r5, %r5, 1; "
			    "add.u32 %r3, %r0, %r1; and.b32 %r3, %r3, 7; "
			    "setp.lt.u32 %p1, %r2, %r3; @%p1 bra I;\n"
			    "activemask.b32 %r6; and.b32 %r4, %r4, %r6; "
			    "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 5; "
			    "@%p1 bra O;\n"
			    "st.global.u32 [%rd1], %r5; "
			    "st.global.u32 [%rd1+1024], %r4; ret;"));
	masks_are_full(&r, 32);
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t n = 0;

		for (uint32_t k = 0; k < 5; k++)
			n += ((i + k) & 7) > 1 ? (i + k) & 7 : 1;
		EQ(n, r.w[i]);
	}
}

TEST(exec_diverge, a_loop_with_two_entries_ends)
{
	struct run r = { 0 };

	/* even lanes enter at A, odd ones at B; A and B go to each other */
	run_both(&r,
		 KERNEL("and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0; "
			"mov.u32 %r1, 0; mov.u32 %r3, 0; @%p1 bra A;\n"
			"B: add.u32 %r1, %r1, 100; add.u32 %r3, %r3, 1; "
			"setp.gt.u32 %p2, %r3, %r0; @%p2 bra E;\n"
			"A: add.u32 %r1, %r1, 1; add.u32 %r3, %r3, 1; "
			"setp.gt.u32 %p2, %r3, %r0; @!%p2 bra B;\n"
			"E: " STORE_MASK "st.global.u32 [%rd1], %r1; ret;"));
	masks_are_full(&r, 32);
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t sum = 0;

		for (uint32_t n = 0; n <= i; n++)
			sum += (i + n) & 1 ? 100 : 1;
		EQ(sum, r.w[i]);
	}
}

TEST(exec_diverge, lanes_that_return_early_wait_for_the_others)
{
	struct run r = { 0 };

	run_both(&r, MODULE(".func (.param .b32 r) f(.param .b32 a) { "
			    ".reg .b32 %x<4>; .reg .pred %q<3>; "
			    "ld.param.b32 %x0, [a]; setp.lt.u32 %q0, %x0, 5; "
			    "st.param.b32 [r], 5; @%q0 ret; "
			    "setp.lt.u32 %q1, %x0, 20; @%q1 bra L; "
			    "st.param.b32 [r], 99; ret; "
			    "L: st.param.b32 [r], 20; ret; }",
			    "{ .param .b32 a; .param .b32 b; "
			    "st.param.b32 [a], %r0; call (b), f, (a); "
			    "ld.param.b32 %r1, [b]; }\n" STORE_MASK
			    "st.global.u32 [%rd1], %r1; ret;"));
	masks_are_full(&r, 32);
	for (int i = 0; i < 32; i++)
		EQ(i < 5 ? 5 : i < 20 ? 20 : 99, r.w[i]);
	EQ(BODY_PC + 3u + 6 + 2 + 2 + 4, r.result.warp_instructions);
}

TEST(exec_diverge, recursion_to_a_depth_of_its_own_for_each_lane)
{
	struct run r = { 0 };

	run_both(&r, MODULE(".func (.param .b32 r) f(.param .b32 n);"
			    ".func (.param .b32 r) f(.param .b32 n) { "
			    ".reg .b32 %x<4>; .reg .pred %q; "
			    "ld.param.b32 %x0, [n]; setp.eq.u32 %q, %x0, 0; "
			    "mov.u32 %x2, 1; @%q bra E; sub.u32 %x1, %x0, 1; "
			    "{ .param .b32 a; .param .b32 b; "
			    "st.param.b32 [a], %x1; call (b), f, (a); "
			    "ld.param.b32 %x2, [b]; } "
			    "mul.lo.u32 %x2, %x2, 3; add.u32 %x2, %x2, %x0; "
			    "E: st.param.b32 [r], %x2; ret; }",
			    "and.b32 %r2, %r0, 15; "
			    "{ .param .b32 a; .param .b32 b; "
			    "st.param.b32 [a], %r2; call (b), f, (a); "
			    "ld.param.b32 %r1, [b]; }\n" STORE_MASK
			    "st.global.u32 [%rd1], %r1; ret;"));
	masks_are_full(&r, 32);
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t v = 1;

		for (uint32_t n = 1; n <= (i & 15); n++)
			v = 3 * v + n;
		EQ(v, r.w[i]);
	}
}

#define THREE_FUNCTIONS                                                      \
	".func (.param .b32 r) f0(.param .b32 a) { .reg .b32 %x; "           \
	"ld.param.b32 %x, [a]; add.u32 %x, %x, 1000; st.param.b32 [r], %x; " \
	"ret; } "                                                            \
	".func (.param .b32 r) f1(.param .b32 a) { .reg .b32 %x; "           \
	"ld.param.b32 %x, [a]; mul.lo.u32 %x, %x, 2; st.param.b32 [r], %x; " \
	"ret; } "                                                            \
	".func (.param .b32 r) f2(.param .b32 a) { .reg .b32 %x<2>; "        \
	"ld.param.b32 %x0, [a]; activemask.b32 %x1; "                        \
	"st.param.b32 [r], %x1; ret; } "                                     \
	".global .u64 table[3] = { f0, f1, f2 };"

TEST(exec_diverge, each_lane_calls_the_function_it_names)
{
	struct run r = { 0 };

	run_both(&r,
		 MODULE(THREE_FUNCTIONS,
			"rem.u32 %r2, %r0, 3; mul.wide.u32 %rd2, %r2, 8; "
			"mov.u64 %rd3, table; add.u64 %rd2, %rd2, %rd3; "
			"ld.global.u64 %rd4, [%rd2];\n"
			"P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
			"{ .param .b32 a; .param .b32 b; "
			"st.param.b32 [a], %r0; call (b), %rd4, (a), P; "
			"ld.param.b32 %r1, [b]; }\n" STORE_MASK
			"st.global.u32 [%rd1], %r1; ret;"));
	masks_are_full(&r, 32);
	for (uint32_t i = 0; i < 32; i++)
		EQ(i % 3 == 0 ? i + 1000 :
		   i % 3 == 1 ? 2 * i :
				0x24924924u,
		   r.w[i]);
	/* the call once for each function */
	EQ(BODY_PC + 5u + 1 + 3 + 4 * 3 + 1 + 4, r.result.warp_instructions);
}

TEST(exec_diverge, a_call_that_not_all_lanes_make)
{
	struct run r = { 0 };

	run_both(&r,
		 MODULE(THREE_FUNCTIONS,
			"setp.lt.u32 %p1, %r0, 9; mov.u32 %r1, 7; "
			"mov.u64 %rd4, f0;\n"
			"P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
			"{ .param .b32 a; .param .b32 b; st.param.b32 [b], 7; "
			"st.param.b32 [a], %r0; @%p1 call (b), f1, (a); "
			"ld.param.b32 %r1, [b]; }\n" STORE_MASK
			"{ .param .b32 a; .param .b32 b; st.param.b32 [b], 8; "
			"st.param.b32 [a], %r0; @!%p1 call (b), %rd4, (a), P; "
			"ld.param.b32 %r2, [b]; activemask.b32 %r3; }\n"
			"st.global.u32 [%rd1], %r1; "
			"st.global.u32 [%rd1+256], %r2; "
			"st.global.u32 [%rd1+512], %r3; ret;"));
	masks_are_full(&r, 32);
	for (uint32_t i = 0; i < 32; i++) {
		EQ(i < 9 ? 2 * i : 7, r.w[i]);
		EQ(i < 9 ? 8 : i + 1000, r.w[64 + i]);
		EQ(0xffffffffu, r.w[128 + i]);
	}
}

TEST(exec_diverge, a_branch_through_a_table)
{
	static const uint32_t want[4] = { 11, 10, 100, 10 };
	struct run r = { 0 };

	run_both(&r,
		 KERNEL("and.b32 %r2, %r0, 3; mov.u32 %r1, 0;\n"
			"T: .branchtargets A, B, C, B;\n"
			"setp.ne.u32 %p1, %r0, 31; @%p1 brx.idx %r2, T;\n"
			"add.u32 %r1, %r1, 5000; bra J;\n"
			"A: add.u32 %r1, %r1, 1;\n"
			"B: add.u32 %r1, %r1, 10; bra J;\n"
			"C: add.u32 %r1, %r1, 100;\n"
			"J: " STORE_MASK "st.global.u32 [%rd1], %r1; ret;"));
	masks_are_full(&r, 32);
	for (int i = 0; i < 31; i++)
		EQ(want[i & 3], r.w[i]);
	EQ(5000u, r.w[31]);
}

TEST(exec_diverge, some_lanes_exit_inside_of_a_loop)
{
	struct run r = { 0 };

	run_both(&r, KERNEL("mov.u32 %r1, 0;\n"
			    "L: setp.eq.u32 %p1, %r1, %r0; "
			    "st.global.u32 [%rd1], %r1; @%p1 exit; "
			    "add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 24; "
			    "@%p2 bra L;\n"
			    "activemask.b32 %r20; "
			    "st.global.u32 [%rd1+1024], %r20; ret;"));
	for (int i = 0; i < 32; i++) {
		EQ(i < 24 ? i : 23, r.w[i]);
		EQ(i < 24 ? 0 : 0xff000000u, r.w[256 + i]);
	}
}

TEST(exec_diverge, lanes_may_exit_inside_of_a_function)
{
	struct run r = { 0 };

	run_both(&r, MODULE(".func f(.param .b32 a) { .reg .b32 %x; "
			    ".reg .pred %q<2>; ld.param.b32 %x, [a]; "
			    "setp.lt.u32 %q0, %x, 4; setp.gt.u32 %q1, %x, 20; "
			    "@%q0 bra A; @%q1 ret; bra B; A: exit; B: ret; }",
			    "setp.ge.u32 %p1, %r0, 2; "
			    "{ .param .b32 a; st.param.b32 [a], %r0; "
			    "@%p1 call f, (a); }\n"
			    "activemask.b32 %r20; "
			    "st.global.u32 [%rd1], %r20; ret;"));
	for (int i = 0; i < 32; i++)
		EQ(i == 2 || i == 3 ? 0 : 0xfffffff3u, r.w[i]);
}

TEST(exec_diverge, all_lanes_exit_inside_of_a_function)
{
	struct run r = { .block = { 64, 1, 1 } };

	run_both(&r, MODULE(".func f() { exit; } .func g() { call f; ret; }",
			    "st.global.u32 [%rd1], 1; call g; trap;"));
	EQ(1u, r.w[63]);
}

/* A lock for the lanes of one warp. `inside` may use %r1, the counter; `spin`
 * is what a lane executes before it tries again. */
#define LOCK(spin)                                                         \
	KERNEL("L: atom.global.cas.b32 %r2, [%rd0+2048], 0, 1; "           \
	       "setp.ne.u32 %p1, %r2, 0;\n" spin "@%p1 bra L;\n"           \
	       "ld.volatile.global.u32 %r1, [%rd0]; add.u32 %r1, %r1, 1; " \
	       "st.volatile.global.u32 [%rd0], %r1; membar.gl; "           \
	       "atom.global.exch.b32 %r2, [%rd0+2048], 0; ret;")

TEST(exec_diverge, a_spin_lock_inside_of_a_warp_needs_independent_lanes)
{
	static const char *const locks[] = {
		LOCK(""),
		/* the lanes that wait diverge and reconverge in every round */
		LOCK("and.b32 %r3, %r0, 1; setp.eq.and.u32 %p2, %r3, 0, %p1; "
		     "@%p2 bra X; mov.u32 %r4, 1; X: mov.u32 %r4, 2;\n"),
		LOCK("@%p1 nanosleep.u32 100;\n"),
		LOCK("@%p1 nanosleep.u32 100; and.b32 %r3, %r0, 1; "
		     "setp.eq.and.u32 %p2, %r3, 0, %p1; "
		     "@%p2 bra X; mov.u32 %r4, 1; X: mov.u32 %r4, 2;\n"),
	};

	for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++) {
		struct run r = {
			.options = { .divergence = HEDDLE_DIVERGE_INDEPENDENT,
				     .max_warp_instructions = 10000000 },
			.block = { 64, 1, 1 }
		};

		run_ok(&r, locks[i]);
		EQ(64u, r.w[0]);
		r.options.divergence = HEDDLE_DIVERGE_STACK;
		r.options.max_warp_instructions = 20000;
		run_ptx(&r, locks[i]);
		EQ(HEDDLE_FAULT_LOOP, r.result.fault.kind);
		OK(r.usable);
	}
}

TEST(exec_diverge, lanes_wait_for_a_flag_of_another_lane)
{
	struct run r = { .options = { .max_warp_instructions = 10000000 } };

	/* lane 0 sets the flag only after the branch that the others spin in;
	 * the spin is in a function */
	run_ok(&r,
	       MODULE(".func f(.param .b64 p) { .reg .b64 %a; .reg .b32 %x; "
		      ".reg .pred %q; ld.param.b64 %a, [p]; "
		      "L: ld.acquire.gpu.global.u32 %x, [%a]; "
		      "setp.eq.u32 %q, %x, 0; @%q bra L; ret; }",
		      "setp.eq.u32 %p1, %r0, 0; @%p1 bra A;\n"
		      "{ .param .b64 p; st.param.b64 [p], %rd0; "
		      "call f, (p); } bra B;\n"
		      "A: st.release.gpu.global.u32 [%rd0], 1;\n"
		      "B: ret;"));
	EQ(1u, r.w[0]);
	run_ok(&r, KERNEL("setp.eq.u32 %p1, %r0, 0; @%p1 bra B;\n"
			  "L: ld.volatile.global.u32 %r1, [%rd0]; "
			  "setp.eq.u32 %p2, %r1, 0; @%p2 bra L;\n"
			  "B: @%p1 st.global.u32 [%rd0], 1; ret;"));
	EQ(1u, r.w[0]);
}

TEST(exec_diverge, lanes_that_wait_for_lanes_that_spin_go_on_at_once)
{
	struct run r = { 0 };

	/* Lane 0 waits at B for the others. These yield before they read the
	 * flag, and so see it set. */
	run_ok(&r, KERNEL("setp.eq.u32 %p1, %r0, 0; @%p1 bra B;\n"
			  "L: ld.volatile.global.u32 %r1, [%rd0]; "
			  "setp.eq.u32 %p2, %r1, 0; @%p2 bra L;\n"
			  "B: @%p1 st.global.u32 [%rd0], 1; ret;"));
	EQ(1u, r.w[0]);
	EQ(BODY_PC + 2u + 2 + 3 + 2, r.result.warp_instructions);
}

/* Writes %r1 and the mask of the join. */
static const uint32_t evens = 0x55555555, odds = 0xaaaaaaaa;

TEST(exec_diverge, halves_of_a_warp_vote_on_their_own)
{
	struct run r = { 0 };

	run_both(&r, KERNEL("and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0; "
			    "setp.lt.u32 %p2, %r0, 10; @%p1 bra A;\n"
			    "vote.sync.ballot.b32 %r1, %p2, 0xaaaaaaaa; "
			    "redux.sync.add.u32 %r3, %r0, 0xaaaaaaaa; bra B;\n"
			    "A: vote.sync.ballot.b32 %r1, %p2, 0x55555555; "
			    "redux.sync.add.u32 %r3, %r0, 0x55555555;\n"
			    "B: " STORE_MASK "st.global.u32 [%rd1], %r1; "
			    "st.global.u32 [%rd1+512], %r3; ret;"));
	masks_are_full(&r, 32);
	for (int i = 0; i < 32; i++) {
		EQ((i & 1 ? odds : evens) & 0x3ff, r.w[i]);
		EQ(i & 1 ? 256 : 240, r.w[128 + i]);
	}
}

TEST(exec_diverge, lanes_of_one_instruction_may_name_different_members)
{
	struct run r = { 0 };

	/* four tiles of eight lanes, as cooperative groups make them */
	run_both(&r,
		 KERNEL("and.b32 %r2, %r0, 24; mov.u32 %r3, 0xff; "
			"shl.b32 %r3, %r3, %r2; and.b32 %r4, %r0, 1; "
			"setp.eq.u32 %p1, %r4, 0; setp.ge.u32 %p2, %r0, 8;\n"
			"vote.sync.ballot.b32 %r5, %p1, %r3; "
			"vote.sync.all.pred %p3, %p2, %r3; "
			"redux.sync.add.u32 %r6, %r0, %r3; "
			"match.any.sync.b32 %r7, %r4, %r3; "
			"elect.sync %r8|%p4, %r3; bar.warp.sync %r3; "
			"shfl.sync.idx.b32 %r9, %r0, 3, 0x181f, %r3; "
			"selp.u32 %r10, 1, 0, %p3; selp.u32 %r11, 1, 0, %p4;\n"
			"activemask.b32 %r12; st.global.u32 [%rd1], %r5; "
			"st.global.u32 [%rd1+128], %r6; "
			"st.global.u32 [%rd1+256], %r7; "
			"st.global.u32 [%rd1+384], %r8; "
			"st.global.u32 [%rd1+512], %r9; "
			"st.global.u32 [%rd1+640], %r10; "
			"st.global.u32 [%rd1+768], %r11; "
			"st.global.u32 [%rd1+896], %r12; ret;"));
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t tile = 0xffu << (i & 24), first = i & 24;

		EQ(tile & evens, r.w[i]);
		EQ(8 * first + 28, r.w[32 + i]);
		EQ(tile & (i & 1 ? odds : evens), r.w[64 + i]);
		EQ(first, r.w[96 + i]);
		EQ(first + 3, r.w[128 + i]);
		EQ(i >= 8, r.w[160 + i]);
		EQ(i == first, r.w[192 + i]);
		EQ(0xffffffffu, r.w[224 + i]);
	}
}

TEST(exec_diverge, tiles_wait_for_their_own_lanes_only)
{
	struct run r = { 0 };

	/* half of each tile arrives later: the tiles complete one by one */
	run_both(
		&r,
		KERNEL("and.b32 %r2, %r0, 16; mov.u32 %r3, 0xffff; "
		       "shl.b32 %r3, %r3, %r2; and.b32 %r4, %r0, 1; "
		       "setp.eq.u32 %p1, %r4, 0; mov.u32 %r5, 5; "
		       "@%p1 bra A; add.u32 %r5, %r5, 1; add.u32 %r5, %r5, 1;\n"
		       "A: redux.sync.add.u32 %r6, %r5, %r3; "
		       "st.global.u32 [%rd1], %r6; ret;"));
	for (int i = 0; i < 32; i++)
		EQ(16 * 6, r.w[i]);
}

TEST(exec_diverge, a_warp_barrier_may_stand_in_both_branches)
{
	struct run r = { 0 };

	/* what one half stores before, the other half reads after */
	run_both(&r, KERNEL("xor.b32 %r5, %r0, 1; mul.wide.u32 %rd3, %r5, 4; "
			    "add.u64 %rd3, %rd0, %rd3; and.b32 %r2, %r0, 1; "
			    "setp.eq.u32 %p1, %r2, 0; @%p1 bra A;\n"
			    "add.u32 %r3, %r0, 500; st.global.u32 [%rd1], %r3; "
			    "bar.warp.sync -1; ld.global.u32 %r4, [%rd3]; "
			    "bra B;\n"
			    "A: add.u32 %r3, %r0, 700; "
			    "st.global.u32 [%rd1], %r3; bar.warp.sync -1; "
			    "ld.global.u32 %r4, [%rd3];\n"
			    "B: " STORE_MASK
			    "st.global.u32 [%rd1+512], %r4; ret;"));
	masks_are_full(&r, 32);
	for (int i = 0; i < 32; i++)
		EQ(i & 1 ? 700 + i - 1 : 500 + i + 1, r.w[128 + i]);
	EQ(BODY_PC + 6u + 5 + 4 + 4, r.result.warp_instructions);
}

TEST(exec_diverge, a_sync_operation_gathers_lanes_that_come_at_different_times)
{
	struct run r = { .options = { .divergence =
					      HEDDLE_DIVERGE_INDEPENDENT } };

	/* lanes leave the loop after different numbers of rounds; the shuffle
	 * is inside it */
	run_ok(&r, KERNEL("setp.lt.u32 %p1, %r0, 16; mov.u32 %r1, %r0; "
			  "@%p1 bra A; add.u32 %r1, %r1, 100;\n"
			  "A: shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1; "
			  "st.global.u32 [%rd1], %r2; ret;"));
	for (int i = 0; i < 32; i++)
		EQ(i < 16 ? i + 116 : i - 16, r.w[i]);
}

TEST(exec_diverge, lanes_that_have_exited_are_not_waited_for)
{
	struct run r = { 0 };

	/* they exit after the others have started to wait */
	run_both(&r,
		 KERNEL("setp.lt.u32 %p1, %r0, 8; @%p1 bra A;\n"
			"vote.sync.ballot.b32 %r1, %p1, -1; "
			"not.b32 %r1, %r1; st.global.u32 [%rd1], %r1; ret;\n"
			"A: exit;"));
	for (int i = 8; i < 32; i++)
		EQ(0xffffffffu, r.w[i]);
	run_both(&r,
		 KERNEL("setp.ge.u32 %p1, %r0, 8; @%p1 bra A;\n"
			"setp.lt.u32 %p2, %r0, 4; @%p2 exit; exit;\n"
			"A: bar.warp.sync -1; redux.sync.add.s32 %r1, 1, -1; "
			"st.global.u32 [%rd1], %r1; ret;"));
	for (int i = 8; i < 32; i++)
		EQ(24u, r.w[i]);
}

TEST(exec_diverge, a_partial_warp_has_fewer_lanes)
{
	struct run r = { .block = { 43, 1, 1 } };

	run_both(&r,
		 KERNEL("activemask.b32 %r1; "
			"vote.sync.ballot.b32 %r2, %p0, -1; not.b32 %r2, %r2; "
			"redux.sync.add.u32 %r3, 1, -1; "
			"st.global.u32 [%rd1], %r1; "
			"st.global.u32 [%rd1+512], %r3; ret;"));
	EQ(0xffffffffu, r.w[31]);
	EQ(0x7ffu, r.w[32]);
	EQ(32u, r.w[128]);
	EQ(11u, r.w[128 + 42]);
}

/* PTX ISA 9.7.9.6, written out. */
static uint32_t shfl(int mode, uint32_t lane, uint32_t b, uint32_t c,
		     bool *inside)
{
	int seg = c >> 8 & 31, low = (int)lane & seg, j;
	int last = low | ((int)(c & 31) & ~seg);

	b &= 31;
	j = mode == 0 ? (int)lane - (int)b :
	    mode == 1 ? (int)lane + (int)b :
	    mode == 2 ? (int)(lane ^ b) :
			low | ((int)b & ~seg);
	*inside = mode == 0 ? j >= last : j <= last;
	return *inside ? (uint32_t)j : lane;
}

TEST(exec_diverge, shuffles_at_the_borders_of_segments)
{
	static const char *const text =
		KERNEL("ld.global.u32 %r2, [%rd0+2048]; "
		       "ld.global.u32 %r3, [%rd0+2052]; bar.sync 0;\n"
		       "shfl.sync.up.b32 %r4|%p1, %r0, %r2, %r3, -1; "
		       "selp.u32 %r5, 256, 0, %p1; or.b32 %r4, %r4, %r5; "
		       "st.global.u32 [%rd1], %r4;\n"
		       "shfl.sync.down.b32 %r4|%p1, %r0, %r2, %r3, -1; "
		       "selp.u32 %r5, 256, 0, %p1; or.b32 %r4, %r4, %r5; "
		       "st.global.u32 [%rd1+128], %r4;\n"
		       "shfl.sync.bfly.b32 %r4|%p1, %r0, %r2, %r3, -1; "
		       "selp.u32 %r5, 256, 0, %p1; or.b32 %r4, %r4, %r5; "
		       "st.global.u32 [%rd1+256], %r4;\n"
		       "shfl.idx.b32 %r4|%p1, %r0, %r2, %r3; "
		       "selp.u32 %r5, 256, 0, %p1; or.b32 %r4, %r4, %r5; "
		       "st.global.u32 [%rd1+384], %r4; ret;");
	static const uint32_t clamps[] = { 0x1f,   0,      0x181f, 0x1800,
					   0x1007, 0x1c1f, 0x1e00 };
	static const uint32_t by[] = { 0, 1, 3, 8, 17, 31, 33 };

	for (int c = 0; c < 7; c++)
		for (int b = 0; b < 7; b++) {
			struct run r = { 0 };

			r.w[512] = by[b];
			r.w[513] = clamps[c];
			run_ok(&r, text);
			for (uint32_t i = 0; i < 128; i++) {
				bool in;
				uint32_t v = shfl((int)i / 32, i % 32, by[b],
						  clamps[c], &in);

				EQ(v | (in ? 256u : 0u), r.w[i]);
			}
		}
}
