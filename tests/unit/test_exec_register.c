/*
 * Special registers, moves, carries, predicates and selections.
 */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "run_ptx.h"

TEST(exec_register, thread_and_block_in_three_dimensions)
{
	struct run r = { .options = { .threads = 2 },
			 .grid = { 3, 2, 2 },
			 .block = { 5, 3, 2 } };

	/* each thread writes its position, packed, at the index of its number
	 */
	run_ok(&r,
	       KERNEL("mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; "
		      "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y; "
		      "mov.u32 %r5, %ctaid.z; mov.u32 %r6, %ntid.x; "
		      "mov.u32 %r7, %ntid.y; mov.u32 %r8, %ntid.z; "
		      "mov.u32 %r9, %nctaid.x; mov.u32 %r10, %nctaid.y; "
		      "mov.u32 %r18, %nctaid.z;\n"
		      "mad.lo.u32 %r11, %r2, %r7, %r1; "
		      "mad.lo.u32 %r11, %r11, %r6, %r0; "
		      "mad.lo.u32 %r12, %r5, %r10, %r4; "
		      "mad.lo.u32 %r12, %r12, %r9, %r3; "
		      "mul.lo.u32 %r13, %r6, %r7; mul.lo.u32 %r13, %r13, %r8; "
		      "mad.lo.u32 %r12, %r12, %r13, %r11; "
		      "mul.wide.u32 %rd2, %r12, 4; add.u64 %rd2, %rd2, %rd0;\n"
		      "mad.lo.u32 %r14, %r5, 10, %r4; "
		      "mad.lo.u32 %r14, %r14, 10, %r3; "
		      "mad.lo.u32 %r14, %r14, 10, %r2; "
		      "mad.lo.u32 %r14, %r14, 10, %r1; "
		      "mad.lo.u32 %r14, %r14, 10, %r0; "
		      "mad.lo.u32 %r14, %r18, 1000000, %r14; "
		      "st.global.u32 [%rd2], %r14; ret;"));
	for (uint32_t b = 0, at = 0; b < 12; b++)
		for (uint32_t t = 0; t < 30; t++, at++)
			EQ(2000000 + b / 6 * 100000 + b / 3 % 2 * 10000 +
				   b % 3 * 1000 + t / 15 * 100 +
				   t / 5 % 3 * 10 + t % 5,
			   r.w[at]);
	EQ(12u, r.result.blocks);
	EQ(360u, r.result.threads);
}

TEST(exec_register, lanes_and_their_masks)
{
	struct run r = { .block = { 64, 1, 1 } };

	run_both(&r, KERNEL("mov.u32 %r1, %laneid; mov.u32 %r2, %warpid; "
			    "mad.lo.u32 %r1, %r2, 100, %r1; "
			    "st.global.u32 [%rd1], %r1; "
			    "mov.u32 %r3, %lanemask_eq; "
			    "mov.u32 %r4, %lanemask_lt; "
			    "mov.u32 %r5, %lanemask_le; "
			    "mov.u32 %r6, %lanemask_gt; "
			    "mov.u32 %r7, %lanemask_ge; "
			    "st.global.u32 [%rd1+512], %r3; "
			    "st.global.u32 [%rd1+1024], %r4; "
			    "st.global.u32 [%rd1+1536], %r5; "
			    "st.global.u32 [%rd1+2048], %r6; "
			    "st.global.u32 [%rd1+2560], %r7; ret;"));
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t eq = 1u << i % 32;

		EQ(i / 32 * 100 + i % 32, r.w[i]);
		EQ(eq, r.w[128 + i]);
		EQ(eq - 1, r.w[256 + i]);
		EQ(eq | (eq - 1), r.w[384 + i]);
		EQ(~(eq | (eq - 1)), r.w[512 + i]);
		EQ(~(eq - 1), r.w[640 + i]);
	}
}

TEST(exec_register, every_special_register_can_be_read)
{
	static const struct {
		const char *name;
		unsigned bits;
		uint64_t want; /* ANY: any value */
	} regs[] = {
#define ANY 0x5a5a5a5a5a5a5a5au
		{ "%nwarpid", 32, 64 },
		{ "%smid", 32, 0 },
		{ "%nsmid", 32, 7 },
		{ "%gridid", 64, 1 },
		{ "%clusterid.x", 32, 0 },
		{ "%clusterid.y", 32, 0 },
		{ "%clusterid.z", 32, 0 },
		{ "%nclusterid.x", 32, 1 },
		{ "%nclusterid.y", 32, 1 },
		{ "%nclusterid.z", 32, 1 },
		{ "%cluster_ctaid.x", 32, 0 },
		{ "%cluster_nctaid.x", 32, 1 },
		{ "%cluster_nctaid.y", 32, 1 },
		{ "%cluster_nctaid.z", 32, 1 },
		{ "%cluster_ctarank", 32, 0 },
		{ "%cluster_nctarank", 32, 1 },
		{ "%clock", 32, ANY },
		{ "%clock_hi", 32, 0 },
		{ "%clock64", 64, ANY },
		{ "%globaltimer", 64, ANY },
		{ "%globaltimer_lo", 32, ANY },
		{ "%globaltimer_hi", 32, ANY },
		{ "%pm0", 32, ANY },
		{ "%pm7", 32, ANY },
		{ "%pm3_64", 64, ANY },
		{ "%envreg0", 32, ANY },
		{ "%envreg2", 32, ANY },
		{ "%total_smem_size", 32, 128 },
		{ "%aggr_smem_size", 32, 48 + 1024 },
		{ "%dynamic_smem_size", 32, 48 },
		{ "%current_graph_exec", 64, 0 },
	};
	char text[1000];

	for (size_t i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
		struct run r = { .options = { .sm_count = 7 }, .shared = 48 };

		snprintf(text, sizeof(text),
			 ".version 8.4\n.target sm_90\n.address_size 64\n"
			 ".visible .entry k(.param .u64 out) {\n"
			 ".reg .b64 %%rd<4>; .reg .b32 %%r<4>;\n"
			 "ld.param.u64 %%rd0, [out]; mov.u%u %%r%s1, %s;\n"
			 "st.global.u%u [%%rd0], %%r%s1; ret;\n}\n",
			 regs[i].bits, regs[i].bits == 64 ? "d" : "",
			 regs[i].name, regs[i].bits,
			 regs[i].bits == 64 ? "d" : "");
		run_ok(&r, text);
		if (regs[i].want != ANY)
			EQ(regs[i].want, r.d[0]);
	}
}

TEST(exec_register, old_programs_read_halves_of_special_registers)
{
	struct run r = { .block = { 40, 1, 1 } };

	run_both(&r,
		 KERNEL("mov.u16 %rs1, %tid.x; mov.u16 %rs2, %ntid.x; "
			"cvt.u32.u16 %r1, %tid.x; cvt.u32.u16 %r2, %rs2; "
			"mul.wide.u16 %r3, %rs1, %rs2; "
			"mad.lo.u32 %r1, %r1, 1000, %r2; "
			"add.u32 %r1, %r1, %r3; "
			"add.u32 %r1, %r1, %tid.x; cvt.u64.u32 %rd2, %ntid.x; "
			"cvt.u32.u64 %r4, %rd2; add.u32 %r1, %r1, %r4; "
			"st.global.u32 [%rd1], %r1; ret;"));
	for (uint32_t i = 0; i < 40; i++)
		EQ(i * 1000 + 40 + i * 40 + i + 40, r.w[i]);
}

TEST(exec_register, clocks_advance)
{
	struct run r = { 0 };

	run_both(&r, KERNEL("mov.u32 %r1, %clock; mov.u64 %rd2, %clock64; "
			    "mov.u64 %rd3, %globaltimer; mov.u32 %r2, 0;\n"
			    "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 9; "
			    "@%p1 bra L;\n"
			    "mov.u32 %r3, %clock; mov.u64 %rd4, %clock64; "
			    "mov.u64 %rd5, %globaltimer; setp.gt.u32 %p2, %r3, "
			    "%r1; setp.gt.and.u64 %p2, %rd4, %rd2, %p2; "
			    "setp.ge.and.u64 %p2, %rd5, %rd3, %p2; "
			    "selp.u32 %r4, 1, 0, %p2; "
			    "st.global.u32 [%rd1], %r4; ret;"));
	EQ(1u, r.w[0]);
	EQ(1u, r.w[31]);
}

TEST(exec_register, values_are_packed_and_unpacked)
{
	struct run r = { .block = { 1, 1, 1 } };

	run_both(&r,
		 KERNEL("mov.u64 %rd2, 0x1122334455667788; "
			"mov.b64 {%r1, %r2}, %rd2; mov.b64 %rd3, {%r2, %r1}; "
			"st.global.u64 [%rd0], %rd3;\n"
			"mov.b64 {%rs1, %rs2, %rs3, %rs4}, %rd2; "
			"mov.b64 %rd3, {%rs4, %rs3, %rs2, %rs1}; "
			"st.global.u64 [%rd0+8], %rd3;\n"
			"mov.b64 {_, %r3}, %rd2; mov.b64 {%r4, _}, %rd2; "
			"st.global.v2.u32 [%rd0+16], {%r3, %r4};\n"
			"mov.b32 {%rs1, %rs2}, %r1; mov.b32 %r5, {%rs2, %rs1}; "
			"mov.b32 {_, %rs3}, %r1; cvt.u32.u16 %r6, %rs3; "
			"st.global.v2.u32 [%rd0+24], {%r5, %r6};\n"
			"mov.b128 %rq1, {%rd2, %rd3}; "
			"mov.b128 {%rd4, _}, %rq1; mov.b128 {_, %rd5}, %rq1; "
			"st.global.v2.u64 [%rd0+32], {%rd4, %rd5};\n"
			/* into its own parts */
			"mov.b64 %rd6, 0x0000000700000005; mov.b64 {%r7, %r8}, "
			"%rd6; mov.b64 %rd6, {%r8, %r7}; "
			"st.global.u64 [%rd0+48], %rd6; ret;"));
	EQ(0x5566778811223344u, r.d[0]);
	EQ(0x7788556633441122u, r.d[1]);
	EQ(0x11223344u, r.w[4]);
	EQ(0x55667788u, r.w[5]);
	EQ(0x77885566u, r.w[6]);
	EQ(0x5566u, r.w[7]);
	EQ(0x1122334455667788u, r.d[4]);
	EQ(0x7788556633441122u, r.d[5]);
	EQ(0x0000000500000007u, r.d[6]);
}

TEST(exec_register, chains_of_carries)
{
	struct run r = { .block = { 2, 1, 1 } };

	/* 128 bits in four words: (2^96 - 1) + tid, and back; lane 1 wraps */
	run_both(
		&r,
		KERNEL("mov.u32 %r1, -1; shl.b32 %r9, %r0, 6; "
		       "cvt.u64.u32 %rd2, %r9; add.u64 %rd2, %rd2, %rd0;\n"
		       "add.cc.u32 %r2, %r1, %r0; addc.cc.u32 %r3, %r1, 0; "
		       "addc.cc.u32 %r4, %r1, 0; addc.u32 %r5, 0, 0; "
		       "st.global.v4.u32 [%rd2], {%r2, %r3, %r4, %r5};\n"
		       "sub.cc.u32 %r2, %r2, %r0; subc.cc.u32 %r3, %r3, 0; "
		       "subc.cc.u32 %r4, %r4, 0; subc.u32 %r5, %r5, 0; "
		       "st.global.v4.u32 [%rd2+16], {%r2, %r3, %r4, %r5};\n"
		       /* a 64 x 64 product from 32-bit parts */
		       "mov.u32 %r10, 0x89abcdef; mov.u32 %r11, 0x01234567; "
		       "mul.lo.u32 %r2, %r10, %r10; mul.hi.u32 %r3, %r10, %r10; "
		       "mad.lo.cc.u32 %r3, %r10, %r11, %r3; "
		       "madc.hi.u32 %r4, %r10, %r11, 0; "
		       "mad.lo.cc.u32 %r3, %r11, %r10, %r3; "
		       "madc.hi.cc.u32 %r4, %r11, %r10, %r4; addc.u32 %r5, 0, 0; "
		       "mad.lo.cc.u32 %r4, %r11, %r11, %r4; "
		       "madc.hi.u32 %r5, %r11, %r11, %r5; "
		       "st.global.v4.u32 [%rd2+32], {%r2, %r3, %r4, %r5};\n"
		       /* another lane's guard leaves the flag alone */
		       "setp.eq.u32 %p1, %r0, 0; add.cc.u32 %r6, %r1, 1; "
		       "@%p1 add.cc.u32 %r6, 1, 1; addc.u32 %r7, 0, 0; "
		       "add.cc.u64 %rd5, -1, 1; addc.u64 %rd6, 5, 5; "
		       "cvt.u32.u64 %r8, %rd6; "
		       "st.global.v2.u32 [%rd2+48], {%r7, %r8}; ret;"));
	for (uint32_t i = 0; i < 2; i++) {
		const uint32_t *w = &r.w[16 * i];
		unsigned __int128 square =
			(unsigned __int128)0x0123456789abcdefull *
			0x0123456789abcdefull;

		EQ(i ? 0 : 0xffffffffu, w[0]);
		EQ(i ? 0 : 0xffffffffu, w[2]);
		EQ(i, w[3]);
		EQ(0xffffffffu, w[4]);
		EQ(0xffffffffu, w[6]);
		EQ(0u, w[7]);
		EQ((uint64_t)square, w[8] | (uint64_t)w[9] << 32);
		EQ((uint64_t)(square >> 64), w[10] | (uint64_t)w[11] << 32);
		EQ(i, w[12]);
		EQ(11u, w[13]);
	}
}

TEST(exec_register, a_difference_carries_when_nothing_is_borrowed)
{
	struct run r = { .block = { 2, 1, 1 } };

	/* 1 - (1 + tid) borrows in lane 1 only; addc and subc see it */
	run_both(&r,
		 KERNEL("add.u32 %r1, %r0, 1; shl.b32 %r9, %r0, 4; "
			"cvt.u64.u32 %rd2, %r9; add.u64 %rd2, %rd2, %rd0;\n"
			"sub.cc.u32 %r2, 1, %r1; addc.u32 %r3, 0, 0; "
			"sub.cc.u32 %r2, 1, %r1; subc.u32 %r4, 0, 0;\n"
			"cvt.u64.u32 %rd3, %r1; sub.cc.u64 %rd4, 1, %rd3; "
			"addc.u32 %r5, 0, 0;\n"
			/* the other way around: a carry is not a borrow */
			"add.cc.u32 %r2, %r0, -1; subc.u32 %r6, 5, 0;\n"
			"st.global.v4.u32 [%rd2], {%r3, %r4, %r5, %r6}; ret;"));
	for (uint32_t i = 0; i < 2; i++) {
		const uint32_t *w = &r.w[4 * i];

		EQ(1 - i, w[0]);
		EQ(0 - i, w[1]);
		EQ(1 - i, w[2]);
		EQ(4 + i, w[3]);
	}
}

TEST(exec_register, predicates_and_their_negations)
{
	struct run r = { .block = { 4, 1, 1 } };

	/* p = bit 0, q = bit 1 of the thread */
	run_both(
		&r,
		KERNEL("and.b32 %r1, %r0, 1; and.b32 %r2, %r0, 2; "
		       "setp.ne.u32 %p1, %r1, 0; setp.ne.u32 %p2, %r2, 0; "
		       "mov.u32 %r3, 0;\n"
		       "and.pred %p3, %p1, %p2; @%p3 or.b32 %r3, %r3, 1; "
		       "or.pred %p3, %p1, %p2; @%p3 or.b32 %r3, %r3, 2; "
		       "xor.pred %p3, %p1, %p2; @%p3 or.b32 %r3, %r3, 4; "
		       "not.pred %p3, %p1; @%p3 or.b32 %r3, %r3, 8; "
		       "and.pred %p3, !%p1, %p2; @%p3 or.b32 %r3, %r3, 16; "
		       "or.pred %p3, %p1, !%p2; @%p3 or.b32 %r3, %r3, 32; "
		       "mov.pred %p3, %p2; @!%p3 or.b32 %r3, %r3, 64; "
		       "mov.pred %p3, 1; @%p3 or.b32 %r3, %r3, 128;\n"
		       /* two destinations and a combination */
		       "setp.eq.and.u32 %p4|%p5, %r1, 1, %p2; "
		       "@%p4 or.b32 %r3, %r3, 256; @%p5 or.b32 %r3, %r3, 512; "
		       "setp.eq.or.u32 %p4|%p5, %r1, 1, !%p2; "
		       "@%p4 or.b32 %r3, %r3, 1024; @%p5 or.b32 %r3, %r3, 2048; "
		       "setp.eq.xor.s32 %p4|_, %r1, 1, %p2; "
		       "@%p4 or.b32 %r3, %r3, 4096; setp.lt.u32 _|%p5, %r0, 2; "
		       "@%p5 or.b32 %r3, %r3, 8192; "
		       "st.global.u32 [%rd1], %r3; ret;"));
	for (uint32_t i = 0; i < 4; i++) {
		bool p = i & 1, q = i & 2;
		uint32_t w = 128;

		w |= (p && q ? 1u : 0) | (p || q ? 2u : 0) | (p != q ? 4u : 0) |
		     (!p ? 8u : 0) | (!p && q ? 16u : 0) | (p || !q ? 32u : 0) |
		     (!q ? 64u : 0) | (p && q ? 256u : 0) |
		     (!p && q ? 512u : 0) | (p || !q ? 1024u : 0) |
		     (!p || !q ? 2048u : 0) | (p != q ? 4096u : 0) |
		     (i >= 2 ? 8192u : 0);
		EQ(w, r.w[i]);
	}
}

/* As ptxas reads them: all integers but 0 are true. */
TEST(exec_register, predicates_may_be_integers)
{
	struct run r = { .block = { 2, 1, 1 } };

	run_both(&r, KERNEL("mov.u32 %r3, 0;\n"
			    "setp.eq.and.u32 %p4|%p5, %r0, 1, 1; "
			    "@%p4 or.b32 %r3, %r3, 1; @%p5 or.b32 %r3, %r3, 2; "
			    "setp.eq.or.s32 %p4|%p5, %r0, 1, 0; "
			    "@%p4 or.b32 %r3, %r3, 4; @%p5 or.b32 %r3, %r3, 8; "
			    "setp.eq.xor.u32 %p4, %r0, 1, 2; "
			    "@%p4 or.b32 %r3, %r3, 16; "
			    "setp.eq.or.u32 %p4, %r0, 1, !1; "
			    "@%p4 or.b32 %r3, %r3, 32; "
			    "set.eq.and.u32.u32 %r4, %r0, 1, -1; "
			    "and.b32 %r4, %r4, 64; or.b32 %r3, %r3, %r4; "
			    "selp.b32 %r4, 128, 256, 1; or.b32 %r3, %r3, %r4; "
			    "selp.b32 %r4, 512, 1024, 0; or.b32 %r3, %r3, %r4; "
			    "xor.pred %p4, %p4, -5; "
			    "@%p4 or.b32 %r3, %r3, 2048; "
			    "not.pred %p5, 0; @%p5 or.b32 %r3, %r3, 4096; "
			    "st.global.u32 [%rd1], %r3; ret;"));
	EQ(2u | 8 | 16 | 128 | 1024 | 2048 | 4096, r.w[0]);
	EQ(1u | 4 | 32 | 64 | 128 | 1024 | 4096, r.w[1]);
}

TEST(exec_register, selections)
{
	struct run r = { .block = { 4, 1, 1 } };

	run_both(
		&r,
		KERNEL("sub.u32 %r1, %r0, 2; setp.lt.s32 %p1, %r1, 0; "
		       "selp.u32 %r2, 10, %r0, %p1; "
		       "selp.b64 %rd2, %rd0, 5, %p1; sub.u64 %rd2, %rd2, %rd0; "
		       "slct.u32.s32 %r3, 7, 8, %r1; cvt.rn.f32.s32 %f1, %r1; "
		       "slct.u32.f32 %r4, 70, 80, %f1; "
		       "set.lt.u32.s32 %r5, %r1, 0; set.ge.f32.s32 %f2, %r1, 0; "
		       "mov.b32 %r6, %f2; set.eq.or.s32.u32 %r7, %r0, 3, %p1;\n"
		       "st.global.u32 [%rd1], %r2; "
		       "st.global.u32 [%rd1+16], %r3; "
		       "st.global.u32 [%rd1+32], %r4; "
		       "st.global.u32 [%rd1+48], %r5; "
		       "st.global.u32 [%rd1+64], %r6; "
		       "st.global.u32 [%rd1+80], %r7; ret;"));
	for (int i = 0; i < 4; i++) {
		bool negative = i < 2;

		EQ(negative ? 10 : i, r.w[i]);
		EQ(negative ? 8 : 7, r.w[4 + i]);
		EQ(negative ? 80 : 70, r.w[8 + i]);
		EQ(negative ? 0xffffffffu : 0, r.w[12 + i]);
		EQ(negative ? 0 : 0x3f800000u, r.w[16 + i]);
		EQ(negative || i == 3 ? 0xffffffffu : 0, r.w[20 + i]);
	}
}

TEST(exec_register, a_guard_keeps_the_other_lanes)
{
	struct run r = { 0 };

	run_both(&r, KERNEL("mov.u32 %r1, 1; mov.u64 %rd2, 1; mov.u16 %rs1, 1; "
			    "setp.lt.u32 %p1, %r0, 3; setp.lt.u32 %p2, %r0, 3; "
			    "@%p1 mov.u32 %r1, 2; @%p1 mov.u64 %rd2, 2; "
			    "@!%p1 mov.u16 %rs1, 2; "
			    "@%p1 setp.lt.u32 %p2, %r0, 1; "
			    "cvt.u32.u64 %r2, %rd2; cvt.u32.u16 %r3, %rs1; "
			    "mad.lo.u32 %r1, %r1, 10, %r2; "
			    "mad.lo.u32 %r1, %r1, 10, %r3; "
			    "@%p2 add.u32 %r1, %r1, 1000; "
			    "st.global.u32 [%rd1], %r1; ret;"));
	for (int i = 0; i < 32; i++)
		EQ(i < 3 ? 221 + (i < 1 ? 1000 : 0) : 112, r.w[i]);
}

TEST(exec_register, six_and_four_bit_floats_and_powers_of_two_convert)
{
	struct run r = { .block = { 1, 1, 1 } };

	run_ok(&r, KERNEL(".reg .b8 %q1;\n"
			  "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0fBF000000;\n"
			  "cvt.rn.satfinite.e2m3x2.f32 %rs1, %f1, %f2;\n"
			  "st.global.u16 [%rd0], %rs1;\n"
			  "cvt.rn.satfinite.e3m2x2.f32 %rs2, %f1, %f2;\n"
			  "st.global.u16 [%rd0+2], %rs2;\n"
			  "cvt.rn.satfinite.e2m1x2.f32 %q1, %f1, %f2;\n"
			  "st.global.u8 [%rd0+4], %q1;\n"
			  "cvt.rn.f16x2.e2m1x2 %r1, %q1;\n"
			  "st.global.u32 [%rd0+8], %r1;\n"
			  "cvt.rn.f16x2.e3m2x2 %r2, %rs2;\n"
			  "st.global.u32 [%rd0+12], %r2;\n"
			  "mov.f32 %f3, 0f40000000; mov.f32 %f4, 0f3F400000;\n"
			  "cvt.rp.satfinite.ue8m0x2.f32 %rs3, %f3, %f4;\n"
			  "st.global.u16 [%rd0+16], %rs3;\n"
			  "cvt.rn.bf16x2.ue8m0x2 %r3, %rs3;\n"
			  "st.global.u32 [%rd0+20], %r3; ret;"));
	EQ(0x0824, r.h[0]); /* 1.0 above -0.5, a subnormal of e2m3 */
	EQ(0x0c28, r.h[1]);
	EQ(0x29, r.b[4]);
	EQ(0x3c00b800, r.w[2]);
	EQ(0x3c00b800, r.w[3]);
	EQ(0x807f, r.h[8]); /* 2, and 0.75 rounded up to 1 */
	EQ(0x40003f80, r.w[5]);
}
