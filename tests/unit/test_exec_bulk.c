/* Bulk copies: what they copy, how they complete on barriers, what is refused.
 */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "run_ptx.h"

#define SHARED                           \
	".shared .align 16 .b8 s[512]; " \
	".shared .align 8 .b64 m;"
#define LOAD "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
#define STORE "cp.async.bulk.global.shared::cta.bulk_group"
#define START                              \
	"mov.u32 %r1, m; mov.u32 %r2, s; " \
	"mbarrier.init.shared::cta.b64 [%r1], 1; "
#define WAIT \
	"W: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0; @!%p1 bra W;\n"

static struct run with_bytes(uint32_t threads)
{
	struct run r = { .block = { threads, 1, 1 } };

	for (int i = 0; i < OUT_BYTES; i++)
		r.b[i] = (uint8_t)(i * 7);
	return r;
}

TEST(exec_bulk, a_size_counts_as_the_whole_chunks_in_it)
{
	struct run r = with_bytes(1);

	/* 40 bytes are two chunks; a copy of no bytes is valid, too. */
	run_both(&r, MODULE(SHARED, START LOAD
			    " [%r2], [%rd0], 40, [%r1]; " LOAD
			    " [%r2+64], [%rd0], 15, [%r1];\n"
			    "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], "
			    "32;\n" WAIT STORE " [%rd0+1024], [%r2], 56; "
			    "cp.async.bulk.commit_group; "
			    "cp.async.bulk.wait_group 0; ret;"));
	EQ(0, memcmp(r.b, r.b + 1024, 32));
	for (int i = 1024 + 32; i < 1024 + 48; i++)
		EQ(0, r.b[i]);
	EQ((uint8_t)(1072 * 7), r.b[1072]);
}

TEST(exec_bulk, a_barrier_waits_for_all_bytes)
{
	struct run r = with_bytes(1);

	run_both(&r, MODULE(SHARED, START
			    "mbarrier.arrive.expect_tx.release.cta"
			    ".shared::cta.b64 _, [%r1], 48; " LOAD
			    " [%r2], [%rd0+16], 32, [%r1];\n"
			    "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], "
			    "0; selp.u32 %r3, 1, 0, %p1; " LOAD
			    " [%r2+32], [%rd0], 16, [%r1];\n" WAIT
			    "ld.shared.u32 %r4, [%r2]; "
			    "ld.shared.u32 %r5, [%r2+32]; "
			    "st.global.u32 [%rd0+1024], %r3; "
			    "st.global.u32 [%rd0+1028], %r4; "
			    "st.global.u32 [%rd0+1032], %r5; ret;"));
	EQ(0u, r.w[256]);
	EQ(r.w[4], r.w[257]);
	EQ(r.w[0], r.w[258]);
}

TEST(exec_bulk, every_active_lane_has_its_own_copy)
{
	struct run r = with_bytes(32);

	/* Odd lanes copy 16 bytes each, to the place of the lane before. */
	run_both(&r,
		 MODULE(SHARED, "mov.u32 %r2, s; and.b32 %r3, %r0, 1; "
				"setp.eq.u32 %p2, %r3, 1; "
				"mul.wide.u32 %rd2, %r0, 16; "
				"add.u64 %rd2, %rd0, %rd2; "
				"mad.lo.u32 %r4, %r0, 16, %r2; "
				"mov.u32 %r5, 77; st.shared.u32 [%r4], %r5; "
				"@%p2 " STORE " [%rd2+1008], [%r4], 16; "
				"cp.async.bulk.commit_group; "
				"cp.async.bulk.wait_group.read 0; ret;"));
	for (uint32_t l = 0; l < 32; l++) {
		if (l % 2 == 0)
			EQ(77u, r.w[256 + 4 * l]);
		else
			EQ((uint8_t)((1024 + 16 * l) * 7), r.b[1024 + 16 * l]);
	}
}

TEST(exec_bulk, a_mask_chooses_bytes_of_each_chunk)
{
	struct run r = with_bytes(1);

	run_both(&r, MODULE(SHARED, "mov.u32 %r2, s; mov.b16 %rs1, 0x8005; "
				    "mov.b64 %rd2, 0; " STORE
				    ".cp_mask [%rd0], [%r2], 16, %rs1; " STORE
				    ".L2::cache_hint.cp_mask [%rd0+16], [%r2], "
				    "32, %rd2, %rs1; ret;"));
	for (int i = 0; i < 64; i++)
		EQ(i < 48 && 0x8005 >> i % 16 & 1 ? 0 : (uint8_t)(i * 7),
		   r.b[i]);
}

TEST(exec_bulk, what_goes_with_them_in_programs_for_clusters)
{
	struct run r = with_bytes(32);

	/* A block is a cluster of its own. */
	run_both(&r, MODULE(SHARED, "mov.u32 %r1, m; elect.sync _|%p1, -1; "
				    "@%p1 mbarrier.init.shared::cta.b64 [%r1], "
				    "1; fence.mbarrier_init.release.cluster; "
				    "bar.sync 0; @%p1 mbarrier.arrive.expect_tx"
				    ".release.cluster.shared::cluster.b64 _, "
				    "[%r1], 16; @%p1 mbarrier.complete_tx"
				    ".relaxed.cluster.shared::cluster.b64 "
				    "[%r1], 16;\n"
				    "W: mbarrier.try_wait.parity.acquire"
				    ".cluster.shared::cta.b64 %p2, [%r1], 0, "
				    "1000; @!%p2 bra W; fence.proxy.async; "
				    "fence.proxy.async.global; "
				    "fence.proxy.async.shared::cluster; "
				    "fence.proxy.async::generic.acquire"
				    ".sync_restrict::shared::cluster.cluster; "
				    "fence.release"
				    ".sync_restrict::shared::cta.cluster; "
				    "griddepcontrol.wait; "
				    "griddepcontrol.launch_dependents; "
				    "setmaxnreg.dec.sync.aligned.u32 40; "
				    "cp.async.bulk.prefetch.L2.global [%rd0], "
				    "64; st.global.u32 [%rd1], 5; ret;"));
	for (int i = 0; i < 32; i++)
		EQ(5u, r.w[i]);
}

TEST(exec_bulk, addresses_are_checked)
{
	static const struct {
		const char *text;
		int kind;
	} bad[] = {
		{ LOAD " [%r2+8], [%rd0], 16, [%r1];",
		  HEDDLE_FAULT_MISALIGNED },
		{ LOAD " [%r2], [%rd0+8], 16, [%r1];",
		  HEDDLE_FAULT_MISALIGNED },
		{ LOAD " [%r2], [%rd0], 16, [%r1+4];",
		  HEDDLE_FAULT_MISALIGNED },
		{ LOAD " [%r2], [%rd0], 4096, [%r1];", HEDDLE_FAULT_SHARED },
		{ LOAD " [%r2], [%rd0+4080], 32, [%r1];",
		  HEDDLE_FAULT_ADDRESS },
		{ STORE " [%rd0+4080], [%r2], 32;", HEDDLE_FAULT_ADDRESS },
		{ STORE " [%rd0], [%r2+8], 16;", HEDDLE_FAULT_MISALIGNED },
		{ STORE " [%rd0], [%r2+512], 1024;", HEDDLE_FAULT_SHARED },
	};
	char text[2048];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct run r = with_bytes(1);

		snprintf(text, sizeof(text), "%s%s ret;\n}\n",
			 ".version 8.4\n.target sm_90\n.address_size 64\n"
			 ".shared .align 16 .b8 s[512]; "
			 ".shared .align 8 .b64 m;\n"
			 ".visible .entry k(.param .u64 out) {\n"
			 ".reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
			 "ld.param.u64 %rd0, [out]; " START,
			 bad[i].text);
		run_ptx(&r, text);
		EQ(HEDDLE_FAULT, r.status);
		EQ(bad[i].kind, r.result.fault.kind);
	}
}

TEST(exec_bulk, other_forms_are_refused)
{
	static const struct {
		const char *text, *what;
	} bad[] = {
		{ LOAD ".multicast::cluster [%r1], [%rd0], 16, [%r2], %rs1;",
		  "cluster" },
		{ "cp.async.bulk.shared::cluster.shared::cta"
		  ".mbarrier::complete_tx::bytes [%r1], [%r3], 16, [%r2];",
		  "cluster" },
		{ "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 "
		  "[%rd0], [%r1], 16;",
		  "bulk reductions" },
		{ LOAD ".L2::cache_hint [%r1], [%rd0], 16, [%r2];",
		  "expected 5 operands" },
		{ STORE " [%rd0], [%r1], 16, %rd1;", "expected 3 operands" },
		{ STORE ".cp_mask [%rd0], [%r1], 16, %rd1;",
		  "has 8 bytes, expected 2" },
	};
	char text[2048];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct run r = { .block = { 1, 1, 1 } };

		snprintf(text, sizeof(text), "%s%s ret;\n}\n",
			 ".version 8.4\n.target sm_90\n.address_size 64\n"
			 ".visible .entry k(.param .u64 out) {\n"
			 ".reg .b16 %rs<2>; .reg .b32 %r<4>; "
			 ".reg .b64 %rd<2>;\n",
			 bad[i].text);
		run_ptx(&r, text);
		OK(r.status != HEDDLE_OK);
		if (!strstr(r.err.text, bad[i].what))
			STREQ(bad[i].what, r.err.text);
	}
}
