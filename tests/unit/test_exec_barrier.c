/*
 * Barriers of a block: counts, arrivals, reductions, exits and divergence.
 */
#include <string.h>

#include "test.h"

#include "run_ptx.h"

TEST(exec_barrier, what_is_stored_before_is_seen_after)
{
	struct run r = { .block = { 256, 1, 1 }, .shared = 1024 };

	/* each thread reads what its mirror image wrote, twice */
	run_both(&r, KERNEL("shl.b32 %r1, %r0, 2; xor.b32 %r2, %r1, 1020; "
			    "mul.lo.u32 %r3, %r0, 3; "
			    "st.shared.u32 [%r1], %r3; bar.sync 0; "
			    "ld.shared.u32 %r4, [%r2]; bar.sync 0; "
			    "add.u32 %r4, %r4, 1; st.shared.u32 [%r1], %r4; "
			    "barrier.sync 1; ld.shared.u32 %r5, [%r2]; "
			    "st.global.u32 [%rd1], %r5; ret;"));
	for (int i = 0; i < 256; i++)
		EQ(3 * i + 1, r.w[i]);
}

TEST(exec_barrier, all_sixteen_in_turn)
{
	struct run r = { .block = { 128, 1, 1 }, .shared = 512 };

	run_both(&r, KERNEL("shl.b32 %r1, %r0, 2; add.u32 %r2, %r1, 128; "
			    "and.b32 %r2, %r2, 511; mov.u32 %r3, 0; "
			    "mov.u32 %r4, %r0;\n"
			    "L: st.shared.u32 [%r1], %r4; bar.sync %r3; "
			    "ld.shared.u32 %r5, [%r2]; bar.sync %r3, 128; "
			    "add.u32 %r4, %r5, 1; add.u32 %r3, %r3, 1; "
			    "setp.lt.u32 %p1, %r3, 16; @%p1 bra L;\n"
			    "st.global.u32 [%rd1], %r4; ret;"));
	/* 16 rounds of 32 positions: back at the start */
	for (int i = 0; i < 128; i++)
		EQ(i + 16, r.w[i]);
}

TEST(exec_barrier, producers_arrive_and_consumers_wait)
{
	struct run r = { .block = { 128, 1, 1 }, .shared = 256 };

	/* warps 0, 1 produce for warps 2, 3; barrier 1: full, 2: empty */
	run_both(&r, KERNEL("and.b32 %r1, %r0, 63; shl.b32 %r1, %r1, 2; "
			    "mov.u32 %r2, 0; mov.u32 %r3, 0; "
			    "setp.lt.u32 %p1, %r0, 64; @%p1 bra P;\n"
			    "C: bar.sync 1, 128; ld.shared.u32 %r4, [%r1]; "
			    "add.u32 %r3, %r3, %r4; bar.arrive 2, 128; "
			    "add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 10; "
			    "@%p2 bra C; bra E;\n"
			    "P: mad.lo.u32 %r4, %r2, 100, %r0; "
			    "st.shared.u32 [%r1], %r4; bar.arrive 1, 128; "
			    "bar.sync 2, 128; add.u32 %r2, %r2, 1; "
			    "setp.lt.u32 %p2, %r2, 10; @%p2 bra P;\n"
			    "E: st.global.u32 [%rd1], %r3; ret;"));
	for (int i = 64; i < 128; i++)
		EQ(4500 + 10 * (i - 64), r.w[i]);
}

TEST(exec_barrier, pairs_of_warps_use_barriers_of_their_own)
{
	struct run r = { .block = { 128, 1, 1 }, .shared = 512 };

	run_both(&r, KERNEL("shr.u32 %r1, %r0, 6; add.u32 %r1, %r1, 4; "
			    "shl.b32 %r2, %r0, 2; xor.b32 %r3, %r2, 128; "
			    "st.shared.u32 [%r2], %r0; bar.sync %r1, 64; "
			    "ld.shared.u32 %r4, [%r3]; "
			    "st.global.u32 [%rd1], %r4; ret;"));
	for (int i = 0; i < 128; i++)
		EQ(i ^ 32, r.w[i]);
}

#define REDUCE                                                              \
	"rem.u32 %r2, %r0, 3; setp.eq.u32 %p1, %r2, 0; "                    \
	"setp.lt.u32 %p2, %r0, 1000; setp.gt.u32 %p3, %r0, 1000;\n"         \
	"bar.red.popc.u32 %r3, 0, %p1; bar.red.popc.u32 %r4, 0, !%p1; "     \
	"bar.red.and.pred %p4, 1, %p2; bar.red.and.pred %p5, 1, %p1; "      \
	"bar.red.or.pred %p6, 2, %p3; barrier.red.or.pred %p7, 2, %p1; "    \
	"bar.red.and.pred %p8, 1, !%p3;\n"                                  \
	"selp.u32 %r5, 1, 0, %p4; selp.u32 %r6, 2, 0, %p5; "                \
	"selp.u32 %r7, 4, 0, %p6; selp.u32 %r8, 8, 0, %p7; "                \
	"selp.u32 %r9, 16, 0, %p8; or.b32 %r5, %r5, %r6; "                  \
	"or.b32 %r5, %r5, %r7; or.b32 %r5, %r5, %r8; "                      \
	"or.b32 %r5, %r5, %r9; shl.b32 %r4, %r4, 8; shl.b32 %r3, %r3, 16; " \
	"or.b32 %r5, %r5, %r4; or.b32 %r5, %r5, %r3; "                      \
	"st.global.u32 [%rd1], %r5; ret;"

TEST(exec_barrier, reductions_over_the_threads)
{
	static const uint32_t sizes[] = { 32, 64, 100, 128, 5 };

	for (int k = 0; k < 5; k++) {
		uint32_t n = sizes[k], thirds = (n + 2) / 3;
		struct run r = { .block = { n, 1, 1 } };

		run_both(&r, KERNEL(REDUCE));
		for (uint32_t i = 0; i < n; i++)
			EQ(thirds << 16 | (n - thirds) << 8 | 1 | 8 | 16,
			   r.w[i]);
	}
}

TEST(exec_barrier, reductions_leave_out_what_has_exited)
{
	struct run r = { .block = { 128, 1, 1 } };

	/* warp 1 exits; so do lanes 0..3 of warp 3 */
	run_both(&r, KERNEL("shr.u32 %r1, %r0, 5; setp.eq.u32 %p1, %r1, 1; "
			    "@%p1 exit; sub.u32 %r1, %r0, 96; "
			    "setp.lt.u32 %p1, %r1, 4; @%p1 exit;\n" REDUCE));
	for (uint32_t i = 0; i < 128; i++) {
		uint32_t thirds = 11 + 10 + 9; /* 0..31, 64..95, 100..127 */

		if (i / 32 == 1 || (i >= 96 && i < 100))
			EQ(0u, r.w[i]);
		else
			EQ(thirds << 16 | (92 - thirds) << 8 | 1 | 8 | 16,
			   r.w[i]);
	}
}

TEST(exec_barrier, a_reduction_with_a_count)
{
	struct run r = { .block = { 96, 1, 1 } };

	run_both(&r, KERNEL("setp.ge.u32 %p1, %r0, 64; @%p1 bra E; "
			    "setp.lt.u32 %p2, %r0, 50;\n"
			    "bar.red.popc.u32 %r1, 3, 64, %p2; "
			    "st.global.u32 [%rd1], %r1; E: ret;"));
	EQ(50u, r.w[0]);
	EQ(50u, r.w[63]);
	EQ(0u, r.w[64]);
}

TEST(exec_barrier, the_last_warp_may_be_partial)
{
	struct run r = { .block = { 70, 1, 1 }, .shared = 512 };

	run_both(&r, KERNEL("shl.b32 %r1, %r0, 2; mov.u32 %r2, 276; "
			    "sub.u32 %r2, %r2, %r1; st.shared.u32 [%r1], %r0; "
			    "bar.sync 0, 96; ld.shared.u32 %r3, [%r2]; "
			    "st.global.u32 [%rd1], %r3; ret;"));
	for (int i = 0; i < 70; i++)
		EQ(69 - i, r.w[i]);
}

TEST(exec_barrier, diverged_lanes_come_one_after_the_other)
{
	struct run r = { .options = { .divergence =
					      HEDDLE_DIVERGE_INDEPENDENT },
			 .block = { 64, 1, 1 },
			 .shared = 256 };

	/* both sides of a branch wait at an instruction of their own */
	run_ok(&r, KERNEL("shl.b32 %r1, %r0, 2; xor.b32 %r2, %r1, 4; "
			  "and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 0; "
			  "@%p1 bra A;\n"
			  "add.u32 %r4, %r0, 100; st.shared.u32 [%r1], %r4; "
			  "barrier.sync 0; ld.shared.u32 %r5, [%r2]; bra B;\n"
			  "A: add.u32 %r4, %r0, 200; st.shared.u32 [%r1], %r4; "
			  "barrier.sync 0; ld.shared.u32 %r5, [%r2];\n"
			  "B: st.global.u32 [%rd1], %r5; activemask.b32 %r6; "
			  "st.global.u32 [%rd1+512], %r6; ret;"));
	for (int i = 0; i < 64; i++) {
		EQ(i & 1 ? 200 + i - 1 : 100 + i + 1, r.w[i]);
		EQ(0xffffffffu, r.w[128 + i]);
	}
	/* lanes that skip the barrier reach another one of the same number */
	run_ok(&r, KERNEL("setp.lt.u32 %p1, %r0, 20; @!%p1 bra A;\n"
			  "bar.sync 0; st.global.u32 [%rd1], 1;\n"
			  "A: @%p1 bra B; bar.sync 0; "
			  "st.global.u32 [%rd1], 2;\nB: ret;"));
	for (int i = 0; i < 64; i++)
		EQ(i < 20 ? 1 : 2, r.w[i]);
}

TEST(exec_barrier, a_guarded_barrier_holds_only_the_lanes_it_acts_on)
{
	struct run r = { .options = { .divergence =
					      HEDDLE_DIVERGE_INDEPENDENT },
			 .block = { 32, 1, 1 } };

	run_ok(&r, KERNEL("setp.lt.u32 %p1, %r0, 8; st.global.u32 [%rd1], 1; "
			  "@%p1 bar.sync 0; @!%p1 bar.sync 0; "
			  "st.global.u32 [%rd1], 3; ret;"));
	for (int i = 0; i < 32; i++)
		EQ(3u, r.w[i]);
}

TEST(exec_barrier, the_exit_of_a_warp_releases_the_others)
{
	struct run r = { .block = { 96, 1, 1 }, .shared = 16 };

	/* warp 2 exits long after the others have arrived */
	run_both(&r, KERNEL("setp.ge.u32 %p1, %r0, 64; @%p1 bra A;\n"
			    "bar.sync 0; ld.shared.u32 %r2, [%r9]; "
			    "st.global.u32 [%rd1], %r2; ret;\n"
			    "A: mov.u32 %r1, 0;\n"
			    "L: add.u32 %r1, %r1, 1; "
			    "setp.lt.u32 %p2, %r1, 30000; @%p2 bra L;\n"
			    "mov.u32 %r9, 0; st.shared.u32 [%r9], %r1; exit;"));
	for (int i = 0; i < 96; i++)
		EQ(i < 64 ? 30000 : 0, r.w[i]);
}

/* Machine code writes these bits itself, and takes a state's count from them. */
TEST(exec_barrier, an_mbarrier_has_the_bits_of_the_hardware)
{
	static struct run r;
	const uint64_t five = 0x100000 - 5, four = 0x100000 - 4;

	memset(&r, 0, sizeof(r));
	r.block.x = 1;
	run_ok(&r, KERNEL(".shared .align 8 .b8 m[8];\n"
			  "mov.u32 %r1, m; mbarrier.init.shared.b64 [%r1], 5;\n"
			  "ld.shared.u64 %rd2, [%r1]; "
			  "st.global.u64 [%rd0], %rd2;\n"
			  "mbarrier.arrive.shared.b64 _, [%r1]; "
			  "ld.shared.u64 %rd2, [%r1]; "
			  "st.global.u64 [%rd0+8], %rd2;\n"
			  "mbarrier.arrive.shared.b64 _, [%r1], 4; "
			  "ld.shared.u64 %rd2, [%r1]; "
			  "st.global.u64 [%rd0+16], %rd2;\n"
			  "mbarrier.expect_tx.relaxed.cta.shared.b64 "
			  "[%r1], 0x8000; ld.shared.u64 %rd2, [%r1]; "
			  "st.global.u64 [%rd0+24], %rd2;\n"
			  "mbarrier.arrive.shared.b64 %rd2, [%r1]; "
			  "st.global.u64 [%rd0+32], %rd2; ret;"));
	EQ(five << 1 | five << 43, r.d[0]);
	EQ(five << 1 | four << 43, r.d[1]);
	EQ(five << 1 | five << 43 | 1ull << 63, r.d[2]);
	EQ(r.d[2] | (uint64_t)(0x200000 - 0x8000) << 21, r.d[3]);
	/* A state has the upper word only, as on an H200. */
	EQ(r.d[3] >> 32 << 32, r.d[4]);
}

/* As an H200 answers. */
TEST(exec_barrier, lanes_that_arrive_together_have_one_state)
{
	static struct run r;

	memset(&r, 0, sizeof(r));
	run_ok(&r,
	       KERNEL(".shared .align 8 .b8 m[16];\n"
		      "and.b32 %r2, %r0, 1; shl.b32 %r2, %r2, 3; "
		      "mov.u32 %r1, m; add.u32 %r1, %r1, %r2;\n"
		      "setp.gt.u32 %p1, %r0, 1;\n"
		      "@!%p1 mbarrier.init.shared.b64 [%r1], 100; "
		      "bar.sync 0;\n"
		      "mul.wide.u32 %rd2, %r0, 8; "
		      "add.u64 %rd2, %rd0, %rd2;\n"
		      "mbarrier.arrive.shared.b64 %rd3, [%r1]; "
		      "st.global.u64 [%rd2], %rd3;\n"
		      "mbarrier.arrive.noComplete.shared.b64 %rd3, [%r1], 2; "
		      "st.global.u64 [%rd2+256], %rd3; ret;"));
	for (unsigned l = 0; l < 32; l++) {
		EQ(0x7ffce00000000000ull, r.d[l]);
		EQ(0x7ffd600000000000ull + l / 2 * 0x100000000000ull +
			   (l % 2 ? 0xaaaaaaaa : 0x55555555),
		   r.d[32 + l]);
	}
}

TEST(exec_barrier, mbarriers_count_arrivals_and_bytes)
{
	struct run r = { .block = { 1, 1, 1 } };

	run_both(
		&r,
		MODULE(".shared .align 8 .b64 m;",
		       "mov.u32 %r1, m; mbarrier.init.shared.b64 [%r1], 3;\n"
		       "mbarrier.arrive.shared.b64 %rd2, [%r1]; "
		       "mbarrier.pending_count.b64 %r2, %rd2; "
		       "st.global.u32 [%rd0], %r2;\n" /* before: 3 */
		       "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd2; "
		       "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%rd0+4], %r3;\n"
		       "mbarrier.arrive.noComplete.shared.b64 %rd3, [%r1], 1; "
		       "mbarrier.pending_count.b64 %r2, %rd3; "
		       "st.global.u32 [%rd0+8], %r2;\n"
		       "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0; "
		       "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%rd0+12], %r3;\n"
		       "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 1; "
		       "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%rd0+16], %r3;\n"
		       "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 16;\n"
		       "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd2; "
		       "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%rd0+20], %r3;\n"
		       "mbarrier.complete_tx.shared.b64 [%r1], 16;\n"
		       "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd2; "
		       "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%rd0+24], %r3;\n"
		       "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0; "
		       "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%rd0+28], %r3;\n"
		       /* the next phase: 3 again, one drops out */
		       "mbarrier.arrive_drop.shared.b64 %rd4, [%r1]; "
		       "mbarrier.arrive.shared.b64 _, [%r1], 2; "
		       "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd4; "
		       "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%rd0+32], %r3;\n"
		       "mbarrier.arrive.shared.b64 %rd5, [%r1]; "
		       "mbarrier.pending_count.b64 %r2, %rd5; "
		       "st.global.u32 [%rd0+36], %r2; "
		       "mbarrier.inval.shared.b64 [%r1]; ret;"));
	EQ(3u, r.w[0]);
	EQ(0u, r.w[1]);
	EQ(2u, r.w[2]);
	EQ(0u, r.w[3]);
	EQ(1u, r.w[4]);
	EQ(0u, r.w[5]);
	EQ(1u, r.w[6]);
	EQ(1u, r.w[7]);
	EQ(1u, r.w[8]);
	EQ(2u, r.w[9]);
}

TEST(exec_barrier, warps_hand_over_through_an_mbarrier)
{
	struct run r = { .block = { 64, 1, 1 } };

	/* lanes of warp 1 wait in a loop for lane 5 of warp 0, four phases */
	run_both(&r,
		 MODULE(".shared .align 8 .b64 m; .shared .u32 v;",
			"mov.u32 %r1, m; mov.u32 %r2, v; "
			"setp.eq.u32 %p1, %r0, 0; "
			"@%p1 mbarrier.init.shared.b64 [%r1], 1; "
			"bar.sync 0; mov.u32 %r3, 0; mov.u32 %r5, 0; "
			"setp.ge.u32 %p1, %r0, 32; @%p1 bra W;\n"
			"P: setp.ne.u32 %p2, %r0, 5; "
			"@!%p2 st.shared.u32 [%r2], %r3; "
			"@!%p2 mbarrier.arrive.shared.b64 _, [%r1]; "
			"bar.sync 1; add.u32 %r3, %r3, 1; "
			"setp.lt.u32 %p2, %r3, 4; @%p2 bra P; bra E;\n"
			"W: and.b32 %r4, %r3, 1;\n"
			"X: mbarrier.try_wait.parity.shared.b64 %p2, [%r1], "
			"%r4; @!%p2 bra X; ld.shared.u32 %r6, [%r2]; "
			"mad.lo.u32 %r5, %r5, 10, %r6; bar.sync 1; "
			"add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 4; "
			"@%p2 bra W; st.global.u32 [%rd1], %r5;\nE: ret;"));
	for (int i = 32; i < 64; i++)
		EQ(123u, r.w[i]);
}
