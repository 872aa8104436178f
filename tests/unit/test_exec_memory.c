/*
 * Memory: widths, vectors, spaces, generic addresses, variables, atomics.
 */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "run_ptx.h"

TEST(exec_memory, every_width_into_every_register)
{
	static const struct {
		const char *type, *reg;
		uint64_t want; /* from bytes 81 92 a3 b4 c5 d6 e7 f8 */
	} loads[] = {
		{ "b8", "rs", 0x81 },
		{ "u8", "rs", 0x81 },
		{ "s8", "rs", 0xff81 },
		{ "b8", "r", 0x81 },
		{ "u8", "r", 0x81 },
		{ "s8", "r", 0xffffff81 },
		{ "b8", "rd", 0x81 },
		{ "u8", "rd", 0x81 },
		{ "s8", "rd", 0xffffffffffffff81 },
		{ "b16", "rs", 0x9281 },
		{ "u16", "r", 0x9281 },
		{ "s16", "r", 0xffff9281 },
		{ "b16", "r", 0x9281 },
		{ "u16", "rd", 0x9281 },
		{ "s16", "rd", 0xffffffffffff9281 },
		{ "b32", "r", 0xb4a39281 },
		{ "s32", "r", 0xb4a39281 },
		{ "u32", "rd", 0xb4a39281 },
		{ "s32", "rd", 0xffffffffb4a39281 },
		{ "b32", "rd", 0xb4a39281 },
		{ "b64", "rd", 0xf8e7d6c5b4a39281 },
		{ "s64", "rd", 0xf8e7d6c5b4a39281 },
	};
	static const char *const spaces[] = { "", ".global", ".shared",
					      ".local", ".const" };
	char text[4000];

	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		for (int s = 0; s < 5; s++) {
			struct run r = { .block = { 2, 1, 1 }, .shared = 64 };
			const char *reg = loads[i].reg;
			unsigned bits = strlen(reg) == 1   ? 32 :
					!strcmp(reg, "rd") ? 64 :
							     16;

			snprintf(text, sizeof(text),
				 ".version 8.4\n.target sm_90\n"
				 ".address_size 64\n.const .align 8 .b8 c[8] = "
				 "{0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, "
				 "0xf8};\n"
				 ".visible .entry k(.param .u64 out) {\n"
				 ".reg .b64 %%rd<6>; .reg .b32 %%r<3>; "
				 ".reg .b16 %%rs<3>; .local .b64 l[2]; "
				 ".shared .b64 s[2];\n"
				 "ld.param.u64 %%rd0, [out];\n"
				 "mov.u64 %%rd2, 0xf8e7d6c5b4a39281; "
				 "st.local.u64 [l+8], %%rd2; "
				 "st.shared.u64 [s+8], %%rd2; "
				 "st.global.u64 [%%rd0+1024], %%rd2;\n"
				 "mov.u64 %%rd3, %s;\n"
				 "ld%s.%s %%%s1, [%%rd3];\n"
				 "st.global.b%u [%%rd0], %%%s1; ret;\n}\n",
				 s == 2 ? "s+8" :
				 s == 3 ? "l+8" :
				 s == 4 ? "c" :
					  "0; add.u64 %rd3, %rd0, 1024",
				 spaces[s], loads[i].type, reg, bits, reg);
			run_ok(&r, text);
			EQ(loads[i].want, r.d[0]);
		}
}

/* Three rows of 32 words, 100 apart, in shared memory; %r2 is the lane's first
 * word, %r1 the lane. */
#define THREE_ROWS                                                   \
	"mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; " \
	"add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], %r1; "          \
	"add.u32 %r4, %r1, 100; st.shared.u32 [%r2+128], %r4; "      \
	"add.u32 %r4, %r1, 200; st.shared.u32 [%r2+256], %r4;\n"

TEST(exec_memory, an_address_in_shared_memory_may_change_in_a_loop)
{
	struct run r = { .shared = 512 };

	run_both(&r, MODULE(".shared .b32 s[96];\n", THREE_ROWS
			    "mov.u32 %r5, %r2; mov.u32 %r6, 0; "
			    "mov.u32 %r7, 0;\n"
			    "L: ld.shared.u32 %r8, [%r5]; "
			    "add.u32 %r6, %r6, %r8; "
			    "ld.shared.u32 %r8, [%r2+128]; "
			    "add.u32 %r7, %r7, %r8; "
			    "add.u32 %r5, %r5, 128; "
			    "setp.lt.u32 %p1, %r6, 250; @%p1 bra L;\n"
			    "mul.wide.u32 %rd2, %r1, 8; "
			    "add.u64 %rd2, %rd0, %rd2; "
			    "st.global.u32 [%rd2], %r6; "
			    "st.global.u32 [%rd2+4], %r7;"));
	for (uint32_t l = 0; l < 32; l++) {
		EQ(300 + 3 * l, r.w[2 * l]);
		EQ(3 * (100 + l), r.w[2 * l + 1]);
	}
}

TEST(exec_memory, each_block_has_its_own_addresses_in_shared_memory)
{
	struct run r = { .grid = { 3, 1, 1 }, .shared = 512 };

	r.options.threads = 1;
	run_ok(&r, MODULE(".shared .b32 s[96];\n", THREE_ROWS
			  "mov.u32 %r5, %ctaid.x; shl.b32 %r6, %r5, 7; "
			  "add.u32 %r8, %r6, %r2; "
			  "ld.shared.u32 %r7, [%r8]; "
			  "mad.lo.u32 %r5, %r5, 32, %r1; "
			  "mul.wide.u32 %rd2, %r5, 4; "
			  "add.u64 %rd2, %rd0, %rd2; "
			  "st.global.u32 [%rd2], %r7;"));
	for (uint32_t i = 0; i < 96; i++)
		EQ(100 * (i / 32) + i % 32, r.w[i]);
}

TEST(exec_memory, stores_take_the_low_part_of_a_register)
{
	struct run r = { .block = { 1, 1, 1 } };

	memset(r.b, 0xee, 64);
	run_both(&r, KERNEL("mov.u64 %rd2, 0x8877665544332211; "
			    "mov.u32 %r1, 0xddccbbaa; mov.u16 %rs1, 0xfeed;\n"
			    "st.global.b8 [%rd0], %rd2; st.u16 [%rd0+2], %rd2; "
			    "st.s32 [%rd0+4], %rd2; st.u8 [%rd0+8], %r1; "
			    "st.b16 [%rd0+10], %r1; st.b8 [%rd0+12], %rs1; "
			    "st.b8 [%rd0+13], 0x107; st.b16 [%rd0+14], -2; "
			    "st.u32 [%rd0+16], %tid.x; st.b64 [%rd0+24], -3; "
			    "st.f32 [%rd0+32], 0f3f800000; "
			    "st.f64 [%rd0+40], 1.5; ret;"));
	EQ(0x443322112211ee11u, r.d[0]);
	EQ(0xfffe07edbbaaeeaau, r.d[1]);
	EQ(0xeeeeeeee00000000u, r.d[2]);
	EQ((uint64_t)-3, r.d[3]);
	EQ(0x3f800000u, r.w[8]);
	EQ(0x3ff8000000000000u, r.d[5]);
}

TEST(exec_memory, vectors_of_every_length_and_width)
{
	struct run r = { .block = { 1, 1, 1 }, .shared = 128 };

	for (int i = 0; i < 64; i++)
		r.b[i] = (uint8_t)(0x80 + i);
	run_both(
		&r,
		KERNEL("ld.global.v2.u8 {%rs1, %rs2}, [%rd0+2]; "
		       "st.global.v2.u8 [%rd0+1024], {%rs2, %rs1};\n"
		       "ld.global.v4.s8 {%r1, %r2, %r3, %r4}, [%rd0+4]; "
		       "st.global.v4.u32 [%rd0+1040], {%r4, %r3, %r2, %r1};\n"
		       "ld.global.v4.u16 {%rs1, %rs2, _, %rs4}, [%rd0+8]; "
		       "st.global.v4.b16 [%rd0+1056], {%rs4, %rs1, %rs2, 5};\n"
		       "ld.global.v2.b64 {%rd2, %rd3}, [%rd0+16]; "
		       "mov.u64 %rd4, 0; "
		       "st.shared.v2.b64 [%rd4+16], {%rd3, %rd2}; "
		       "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%rd4+16]; "
		       "st.global.v4.b32 [%rd0+1072], {%r1, %r2, %r3, %r4};\n"
		       "ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, "
		       "%r8}, [%rd0+32]; st.global.v8.b32 [%rd0+1088], "
		       "{%r8, %r7, %r6, %r5, %r4, %r3, %r2, %r1};\n"
		       "ld.global.v4.b64 {%rd2, %rd3, %rd4, %rd5}, [%rd0+32]; "
		       "st.global.v4.b64 [%rd0+1120], {%rd5, %rd4, %rd3, "
		       "%rd2};\n"
		       "ld.global.b128 %rq1, [%rd0+48]; "
		       "st.global.b128 [%rd0+1152], %rq1; "
		       "mov.b128 {%rd6, %rd7}, %rq1; mov.b128 %rq2, {%rd7, "
		       "%rd6}; mov.b128 %rq3, %rq2; "
		       "st.global.b128 [%rd0+1168], %rq3;\n"
		       "st.global.v2.u8 [%rd0+1184], {%r1, 7}; "
		       "st.global.v2.f32 [%rd0+1192], {0f3f800000, %f0}; ret;"));
	EQ(0x8283u, r.h[512]);
	EQ(0xffffff87u, r.w[260]);
	EQ(0xffffff84u, r.w[263]);
	EQ(0x8f8e, r.h[528]);
	EQ(0x8988, r.h[529]);
	EQ(0x8b8a, r.h[530]);
	EQ(5, r.h[531]);
	EQ(0x9f9e9d9c9b9a9998u, r.d[134]);
	EQ(0x9796959493929190u, r.d[135]);
	EQ(0xbfbebdbcu, r.w[272]);
	EQ(0xa3a2a1a0u, r.w[279]);
	EQ(0xbfbebdbcbbbab9b8u, r.d[140]);
	EQ(0xa7a6a5a4a3a2a1a0u, r.d[143]);
	EQ(0xb7b6b5b4b3b2b1b0u, r.d[144]);
	EQ(0xbfbebdbcbbbab9b8u, r.d[145]);
	EQ(0xbfbebdbcbbbab9b8u, r.d[146]);
	EQ(0xb7b6b5b4b3b2b1b0u, r.d[147]);
	EQ(0x07a0, r.h[592]);
	EQ(0x3f800000u, r.w[298]);
}

TEST(exec_memory, one_instruction_may_reach_several_spaces)
{
	struct run r = { .shared = 512 };

	/* a third of the lanes each: global, shared, local; then a mix of
	 * loads, stores and atomics through the same pointers */
	run_both(&r,
		 KERNEL(".local .b32 l[2]; rem.u32 %r1, %r0, 3; "
			"setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1; "
			"mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2; "
			"mul.wide.u32 %rd3, %r0, 4; "
			"cvta.shared.u64 %rd3, %rd3; "
			"selp.b64 %rd4, %rd1, %rd3, %p1; "
			"selp.b64 %rd4, %rd4, %rd2, %p2;\n"
			"selp.b64 %rd4, %rd4, %rd4, %p1; "
			"@%p1 mov.u64 %rd4, %rd1; add.u32 %r2, %r0, 40;\n"
			"st.u32 [%rd4], %r2; ld.u32 %r3, [%rd4]; "
			"atom.add.u32 %r4, [%rd4], 1000; ld.u32 %r5, [%rd4]; "
			"bar.sync 0; st.global.u32 [%rd1+128], %r3; "
			"st.global.u32 [%rd1+256], %r4; "
			"st.global.u32 [%rd1+384], %r5; "
			"isspacep.global %p3, %rd4; isspacep.shared %p4, %rd4; "
			"isspacep.local %p5, %rd4; selp.u32 %r6, 1, 0, %p3; "
			"@%p4 add.u32 %r6, %r6, 2; @%p5 add.u32 %r6, %r6, 4; "
			"st.global.u32 [%rd1+512], %r6; ret;"));
	for (uint32_t i = 0; i < 32; i++) {
		EQ(i % 3 == 0 ? i + 1040 : 0, r.w[i]);
		EQ(i + 40, r.w[32 + i]);
		EQ(i + 40, r.w[64 + i]);
		EQ(i + 1040, r.w[96 + i]);
		EQ(i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : 4, r.w[128 + i]);
	}
}

TEST(exec_memory, generic_addresses_come_back)
{
	struct run r = { .block = { 1, 1, 1 }, .shared = 64 };

	run_both(&r,
		 MODULE(".shared .b32 s[4]; .global .b32 g[4]; "
			".const .b32 c[4] = {5, 6, 7, 8};",
			".local .b32 l[4]; cvta.shared.u64 %rd2, s; "
			"cvta.to.shared.u64 %rd3, %rd2; "
			"mov.u64 %rd4, s; sub.u64 %rd3, %rd3, %rd4; "
			"cvta.local.u64 %rd5, l; cvta.to.local.u64 %rd6, %rd5; "
			"mov.u64 %rd7, l; sub.u64 %rd6, %rd6, %rd7; "
			"cvta.const.u64 %rd8, c; ld.u32 %r1, [%rd8+8]; "
			"cvta.global.u64 %rd9, g; st.u32 [%rd9+4], 99; "
			"ld.global.u32 %r2, [g+4]; "
			"cvta.param.u64 %rd10, out; ld.u64 %rd11, [%rd10]; "
			"sub.u64 %rd11, %rd11, %rd0; "
			"mov.u64 %rd13, s+8; sub.u64 %rd13, %rd13, %rd4;\n"
			"st.global.u64 [%rd0], %rd3; "
			"st.global.u64 [%rd0+8], %rd6; "
			"st.global.u64 [%rd0+16], %rd11; "
			"st.global.u32 [%rd0+24], %r1; "
			"st.global.u32 [%rd0+28], %r2; "
			"st.global.u64 [%rd0+32], %rd13; ret;"));
	EQ(0u, r.d[0]);
	EQ(0u, r.d[1]);
	EQ(0u, r.d[2]);
	EQ(7u, r.w[6]);
	EQ(99u, r.w[7]);
	EQ(8u, r.d[4]);
}

TEST(exec_memory, parameters_through_registers)
{
	struct run r = { .block = { 4, 1, 1 } };

	/* a lane for each half of the pointer's bytes */
	run_both(&r, KERNEL("mul.wide.u32 %rd2, %r0, 2; mov.u64 %rd3, out; "
			    "add.u64 %rd2, %rd2, %rd3; "
			    "ld.param.u16 %r1, [%rd2]; "
			    "st.global.u32 [%rd1], %r1; ret;"));
	EQ(r.at, r.w[0] | (uint64_t)r.w[1] << 16 | (uint64_t)r.w[2] << 32 |
			 (uint64_t)r.w[3] << 48);
}

TEST(exec_memory, variables_with_initial_values)
{
	struct run r = { .block = { 1, 1, 1 } };

	run_both(
		&r,
		MODULE(".global .align 4 .b32 a[4] = {1, -2, 3}; "
		       ".const .b32 b = 0x1234; "
		       ".global .u64 p[4] = {a, a+8, generic(b), generic(a)+4};"
		       " .global .b8 s[4] = {97, 98, 99, 0}; "
		       ".global .f32 f[2] = {1.5, 0f40000000}; "
		       ".global .b32 zero[3];",
		       ".global .b32 own = 41; .const .b16 c2[2] = {7, 9};\n"
		       "ld.global.u64 %rd2, [p]; ld.global.s32 %r1, [%rd2+4]; "
		       "ld.global.u64 %rd2, [p+8]; ld.global.u32 %r2, [%rd2]; "
		       "ld.global.u64 %rd2, [p+16]; ld.u32 %r3, [%rd2]; "
		       "ld.global.u64 %rd2, [p+24]; ld.u32 %r4, [%rd2+4]; "
		       "ld.global.u8 %r5, [s+2]; ld.global.u32 %r6, [f]; "
		       "ld.global.u32 %r7, [zero+8]; ld.global.u32 %r8, [own]; "
		       "ld.const.u16 %r9, [c2+2];\n"
		       "st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4}; "
		       "st.global.v4.u32 [%rd0+16], {%r5, %r6, %r7, %r8}; "
		       "st.global.u32 [%rd0+32], %r9; ret;"));
	EQ((uint32_t)-2, r.w[0]);
	EQ(3u, r.w[1]);
	EQ(0x1234u, r.w[2]);
	EQ(3u, r.w[3]);
	EQ('c', r.w[4]);
	EQ(0x3fc00000u, r.w[5]);
	EQ(0u, r.w[6]);
	EQ(41u, r.w[7]);
	EQ(9u, r.w[8]);
}

TEST(exec_memory, loads_and_stores_of_every_order_and_hint)
{
	struct run r = { .block = { 1, 1, 1 } };

	r.w[0] = 3;
	run_both(
		&r,
		KERNEL("ld.volatile.global.u32 %r1, [%rd0]; "
		       "ld.relaxed.gpu.global.u32 %r2, [%rd0]; "
		       "ld.acquire.sys.u32 %r3, [%rd0]; "
		       "ld.weak.global.u32 %r4, [%rd0]; "
		       "ld.global.nc.u32 %r5, [%rd0]; "
		       "ld.global.cg.u32 %r6, [%rd0]; ldu.global.u32 %r7, "
		       "[%rd0]; ld.global.nc.L1::no_allocate.u32 %r8, [%rd0];\n"
		       "prefetch.global.L1 [%rd0]; prefetch.global.L2 [%rd0]; "
		       "prefetchu.L1 [%rd0]; prefetch.global.L2 [%rd0+99999]; "
		       "membar.cta; membar.gl; membar.sys; fence.sc.gpu; "
		       "fence.acq_rel.cta; fence.proxy.alias;\n"
		       "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; "
		       "add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5; "
		       "add.u32 %r1, %r1, %r6; add.u32 %r1, %r1, %r7; "
		       "add.u32 %r1, %r1, %r8;\n"
		       "st.volatile.global.u32 [%rd0+4], %r1; "
		       "st.relaxed.cta.global.u32 [%rd0+8], %r1; "
		       "st.release.gpu.global.u32 [%rd0+12], %r1; "
		       "st.global.wt.u32 [%rd0+16], %r1; "
		       "st.global.cs.u32 [%rd0+20], %r1; "
		       "createpolicy.fractional.L2::evict_first.b64 %rd5; "
		       "st.global.L2::cache_hint.u32 [%rd0+24], %r1, %rd5; "
		       "ld.global.L2::cache_hint.u32 %r2, [%rd0], %rd5; "
		       "st.global.u32 [%rd0+28], %r2; ret;"));
	for (int i = 1; i < 7; i++)
		EQ(24u, r.w[i]);
	EQ(3u, r.w[7]);
}

TEST(exec_memory, an_address_register_may_be_the_destination)
{
	struct run r = { 0 };

	for (uint32_t i = 0; i < 64; i++)
		r.w[256 + i] = 1000 + i;
	run_both(&r, KERNEL("mov.u64 %rd5, %rd1; "
			    "ld.global.u32 %r5, [%rd5+1024]; "
			    "shl.b32 %r6, %r0, 2; cvt.u64.u32 %rd6, %r6; "
			    "add.u64 %rd7, %rd1, 1024; and.b64 %rd7, %rd7, -8; "
			    "ld.global.v2.u32 {%r8, %r9}, [%rd7]; "
			    "ld.global.u64 %rd7, [%rd7]; "
			    "cvt.u32.u64 %r10, %rd7; "
			    "st.global.u32 [%rd1], %r5; "
			    "st.global.u32 [%rd1+128], %r9; "
			    "st.global.u32 [%rd1+256], %r10; ret;"));
	for (uint32_t i = 0; i < 32; i++) {
		EQ(1000 + i, r.w[i]);
		EQ(1000 + (i | 1), r.w[32 + i]);
		EQ(1000 + (i & ~1u), r.w[64 + i]);
	}
}

TEST(exec_memory, atomics_return_what_was_there_and_do_their_operation)
{
	static const struct {
		const char *op,
			*operands; /* on the value 10, by lanes 0, 1, 2 */
		uint64_t before, old[3], after;
	} cases[] = {
		{ "add.u32", "5", 10, { 10, 15, 20 }, 25 },
		{ "add.s32", "-5", 10, { 10, 5, 0 }, 0xfffffffb },
		{ "add.u64",
		  "0x100000000",
		  10,
		  { 10, 0x10000000a, 0x20000000a },
		  0x30000000a },
		{ "add.f32",
		  "0f3f800000",
		  0x3f800000,
		  { 0x3f800000, 0x40000000, 0x40400000 },
		  0x40800000 },
		{ "add.f64",
		  "0d3ff0000000000000",
		  0x3ff0000000000000,
		  { 0x3ff0000000000000, 0x4000000000000000,
		    0x4008000000000000 },
		  0x4010000000000000 },
		{ "exch.b32", "%r0", 10, { 10, 0, 1 }, 2 },
		{ "exch.b64", "%rd9", 10, { 10, 9, 9 }, 9 },
		{ "inc.u32", "11", 10, { 10, 11, 0 }, 1 },
		{ "dec.u32", "12", 1, { 1, 0, 12 }, 11 },
		{ "dec.u32", "12", 20, { 20, 12, 11 }, 10 },
		{ "min.u32", "%r0", 10, { 10, 0, 0 }, 0 },
		{ "min.s32",
		  "-3",
		  10,
		  { 10, 0xfffffffd, 0xfffffffd },
		  0xfffffffd },
		{ "max.s32", "-3", 10, { 10, 10, 10 }, 10 },
		{ "max.u32",
		  "-3",
		  10,
		  { 10, 0xfffffffd, 0xfffffffd },
		  0xfffffffd },
		{ "min.s64",
		  "-3",
		  10,
		  { 10, (uint64_t)-3, (uint64_t)-3 },
		  (uint64_t)-3 },
		{ "max.u64",
		  "-3",
		  10,
		  { 10, (uint64_t)-3, (uint64_t)-3 },
		  (uint64_t)-3 },
		{ "and.b32", "6", 10, { 10, 2, 2 }, 2 },
		{ "or.b64", "%rd9", 10, { 10, 11, 11 }, 11 },
		{ "xor.b32", "3", 10, { 10, 9, 10 }, 9 },
		{ "cas.b32", "10, 77", 10, { 10, 77, 77 }, 77 },
		{ "cas.b64", "%rd9, 77", 10, { 10, 10, 10 }, 10 },
	};
	char text[2000];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int s = 0; s < 6; s++) {
			bool wide = strstr(cases[i].op, "64") != NULL;
			bool red = s >= 3;
			const char *space = s % 3 == 0 ? ".global" :
					    s % 3 == 1 ? ".shared" :
							 "";
			struct run r = { .block = { 3, 1, 1 }, .shared = 16 };

			if (red && (!strncmp(cases[i].op, "exch", 4) ||
				    !strncmp(cases[i].op, "cas", 3)))
				continue;
			r.d[0] = cases[i].before;
			snprintf(text, sizeof(text),
				 ".version 8.4\n.target sm_90\n"
				 ".address_size 64\n"
				 ".visible .entry k(.param .u64 out) {\n"
				 ".reg .b64 %%rd<12>; .reg .b32 %%r<9>;\n"
				 "ld.param.u64 %%rd0, [out]; mov.u32 %%r0, "
				 "%%tid.x; mov.u64 %%rd9, 9;\n"
				 "ld.global.u64 %%rd2, [%%rd0]; %s;\n"
				 "%s%s.%s %s [%%rd3], %s;\n"
				 "mul.wide.u32 %%rd5, %%r0, 8; "
				 "add.u64 %%rd5, %%rd5, %%rd0; "
				 "%s "
				 "ld%s.u64 %%rd6, [%%rd3]; "
				 "st.global.u64 [%%rd0], %%rd6; ret;\n}\n",
				 s % 3 == 1 ? "mov.u64 %rd3, 0; "
					      "st.shared.u64 [%rd3], %rd2" :
					      "mov.u64 %rd3, %rd0",
				 red ? "red" : "atom", space, cases[i].op,
				 red  ? "" :
				 wide ? "%rd4," :
					"%r4,",
				 cases[i].operands,
				 red  ? "" :
				 wide ? "st.global.u64 [%rd5+64], %rd4;" :
					"st.global.u32 [%rd5+64], %r4;",
				 s % 3 == 1 ? ".shared" : "");
			run_ok(&r, text);
			EQ(cases[i].after, r.d[0]);
			for (int l = 0; l < 3 && !red; l++)
				EQ(cases[i].old[l], r.d[8 + l]);
		}
}

TEST(exec_memory, atomics_of_16_and_128_bits_halves_and_vectors)
{
	struct run r = { .block = { 2, 1, 1 } };

	r.h[0] = 7;
	r.d[2] = 1;
	r.d[3] = 2;
	r.w[8] = 0x3c003c00; /* 1.0, 1.0 */
	run_both(&r,
		 KERNEL("mov.u16 %rs1, 7; mov.u16 %rs2, 9; "
			"atom.global.cas.b16 %rs3, [%rd0], %rs1, %rs2; "
			"st.global.u16 [%rd1+512], %rs3;\n"
			"mov.u64 %rd2, 1; mov.u64 %rd3, 2; mov.u64 %rd4, 3; "
			"cvt.u64.u32 %rd5, %r0; mov.b128 %rq1, {%rd2, %rd3}; "
			"mov.b128 %rq2, {%rd4, %rd5}; "
			"atom.global.cas.b128 %rq3, [%rd0+16], %rq1, %rq2; "
			"mov.b128 {%rd6, %rd7}, %rq3; cvt.u32.u64 %r1, %rd6; "
			"st.global.u32 [%rd1+520], %r1;\n"
			"atom.global.exch.b128 %rq4, [%rd0+16], %rq1; "
			"mov.b128 {%rd6, %rd7}, %rq4; cvt.u32.u64 %r1, %rd6; "
			"st.global.u32 [%rd1+528], %r1;\n"
			"mov.u32 %r2, 0x40003c00; "
			"red.global.add.noftz.f16x2 [%rd0+32], %r2; "
			"mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0f40000000; "
			"red.global.add.v2.f32 [%rd0+40], {%f1, %f2}; ret;"));
	EQ(9, r.h[0]);
	EQ(7u, r.w[128]);
	EQ(9u, r.w[129]);
	EQ(1u, r.w[130]); /* lane 0 swaps, lane 1 does not */
	EQ(3u, r.w[131]);
	EQ(3u, r.w[132]);
	EQ(1u, r.w[133]);
	EQ(1u, r.d[2]);
	EQ(2u, r.d[3]);
	EQ(0x45004200u, r.w[8]); /* 5.0, 3.0 */
	EQ(0x40000000u, r.w[10]);
	EQ(0x40800000u, r.w[11]);
}

TEST(exec_memory, asynchronous_copies_fill_with_zeroes)
{
	struct run r = { .block = { 4, 1, 1 }, .shared = 128 };

	for (int i = 0; i < 64; i++)
		r.b[i] = (uint8_t)(i + 1);
	/* lane 0 copies all 16 bytes, lane 1 copies 5, lanes 2 and 3 none, from
	 * an invalid address */
	run_both(&r,
		 KERNEL("shl.b32 %r1, %r0, 4; mov.u32 %r2, 16; "
			"setp.eq.u32 %p1, %r0, 1; @%p1 mov.u32 %r2, 5; "
			"setp.gt.u32 %p2, %r0, 1; @%p2 mov.u32 %r2, 0; "
			"cvt.u64.u32 %rd2, %r1; add.u64 %rd3, %rd0, %rd2; "
			"@%p2 mov.u64 %rd3, 16; st.shared.b32 [%r1+8], -1;\n"
			"cp.async.cg.shared.global [%r1], [%rd3], 16, %r2; "
			"cp.async.commit_group; cp.async.wait_group 0;\n"
			"ld.shared.v2.b64 {%rd4, %rd5}, [%r1]; "
			"add.u64 %rd6, %rd0, %rd2; "
			"st.global.v2.b64 [%rd6+512], {%rd4, %rd5};\n"
			"@!%p2 cp.async.ca.shared.global [%r1+4], [%rd3+4], 4; "
			"cp.async.ca.shared.global [%r1+8], [%rd3+8], 8, %p2; "
			"cp.async.wait_all; ld.shared.v2.b64 {%rd4, %rd5}, "
			"[%r1]; st.global.v2.b64 [%rd6+640], {%rd4, %rd5}; "
			"ret;"));
	EQ(0x0807060504030201u, r.d[64]);
	EQ(0x100f0e0d0c0b0a09u, r.d[65]);
	EQ(0x0000001514131211u, r.d[66]);
	for (int i = 67; i < 72; i++)
		EQ(0u, r.d[i]);
	EQ(0x1817161514131211u, r.d[82]);
	EQ(0x201f1e1d1c1b1a19u, r.d[83]);
	EQ(0u, r.d[85]);
}

TEST(exec_memory, a_copy_from_nowhere_faults)
{
	struct run r = { .shared = 64 };

	run_ptx(&r, KERNEL("mov.u64 %rd2, 64; mov.u32 %r1, 0; "
			   "cp.async.ca.shared.global [%r1], [%rd2], 4; ret;"));
	EQ(HEDDLE_FAULT_ADDRESS, r.result.fault.kind);
	EQ(64u, r.result.fault.address);
	run_ptx(&r, KERNEL("mov.u32 %r1, 64; "
			   "cp.async.ca.shared.global [%r1], [%rd0], 4; ret;"));
	EQ(HEDDLE_FAULT_SHARED, r.result.fault.kind);
}

TEST(exec_memory, alloca_gives_each_thread_room_on_the_stack)
{
	struct run r = { 0 };

	run_both(
		&r,
		MODULE(".func (.param .b32 r) f(.param .b32 n) { "
		       ".reg .b32 %x<6>; .reg .b64 %y<6>; .reg .pred %q; "
		       ".local .b32 l; st.local.b32 [l], 9; "
		       "ld.param.b32 %x0, [n]; mul.wide.u32 %y0, %x0, 4; "
		       "stacksave.u64 %y4; alloca.u64 %y1, %y0, 32; "
		       "and.b64 %y5, %y1, 31; mov.u32 %x1, 0; mov.b64 %y2, %y1; "
		       "L: st.local.u32 [%y2], %x1; add.u64 %y2, %y2, 4; "
		       "add.u32 %x1, %x1, 1; setp.lt.u32 %q, %x1, %x0; "
		       "@%q bra L; mov.u32 %x2, 0; "
		       "M: sub.u64 %y2, %y2, 4; ld.local.u32 %x3, [%y2]; "
		       "add.u32 %x2, %x2, %x3; setp.gt.u64 %q, %y2, %y1; "
		       "@%q bra M; stackrestore.u64 %y4; ld.local.b32 %x4, [l]; "
		       "add.u32 %x2, %x2, %x4; cvt.u32.u64 %x5, %y5; "
		       "add.u32 %x2, %x2, %x5; st.param.b32 [r], %x2; ret; }",
		       "add.u32 %r1, %r0, 1; { .param .b32 a; .param .b32 b; "
		       "st.param.b32 [a], %r1; call (b), f, (a); "
		       "ld.param.b32 %r2, [b]; } st.global.u32 [%rd1], %r2; "
		       "ret;"));
	for (uint32_t i = 0; i < 32; i++)
		EQ(i * (i + 1) / 2 + 9, r.w[i]);
}

/* Inactive lanes hold a size that would overflow the stack. */
TEST(exec_memory, alloca_in_a_diverged_warp_is_for_the_lanes_that_execute_it)
{
	struct run r = { 0 };

	run_both(&r,
		 KERNEL("mov.u64 %rd2, 16; alloca.u64 %rd3, %rd2, 16;\n"
			"setp.lt.u32 %p1, %r0, 7; mov.u64 %rd4, %rd3; "
			"mul.wide.u32 %rd2, %r0, 16; "
			"@!%p1 mov.u64 %rd2, 0x10000000000;\n"
			"@!%p1 bra J; alloca.u64 %rd4, %rd2, 16;\n"
			"J: mov.u64 %rd2, 16; alloca.u64 %rd5, %rd2, 16;\n"
			"sub.u64 %rd4, %rd4, %rd3; sub.u64 %rd5, %rd5, %rd3; "
			"st.global.u32 [%rd1], %rd4; "
			"st.global.u32 [%rd1+128], %rd5; ret;"));
	for (uint32_t i = 0; i < 32; i++) {
		EQ(i < 7 ? 16 : 0, r.w[i]);
		EQ(16 + 6 * 16, r.w[32 + i]); /* above the largest of them */
	}
}

TEST(exec_memory, stackrestore_in_a_diverged_warp_frees_nothing)
{
	struct run r = { 0 };

	run_both(&r,
		 KERNEL("stacksave.u64 %rd2; mov.u64 %rd3, 64; "
			"alloca.u64 %rd4, %rd3, 16;\n"
			"setp.lt.u32 %p1, %r0, 7; @!%p1 bra J; "
			"stackrestore.u64 %rd2;\n"
			"J: alloca.u64 %rd5, %rd3, 16; "
			"stackrestore.u64 %rd2; alloca.u64 %rd6, %rd3, 16;\n"
			"sub.u64 %rd5, %rd5, %rd4; sub.u64 %rd6, %rd6, %rd4; "
			"st.global.u32 [%rd1], %rd5; "
			"st.global.u32 [%rd1+128], %rd6; ret;"));
	for (uint32_t i = 0; i < 32; i++) {
		EQ(64, r.w[i]);
		EQ(0, r.w[32 + i]); /* all lanes have freed it */
	}
}

TEST(exec_memory, a_32_bit_program_uses_the_same_spaces)
{
	struct run r = { .options = { .address32 = 1 } };

	run_ok(&r, ".version 8.4\n.target sm_90\n.address_size 32\n"
		   ".shared .b32 s[32]; .global .b32 g = 5;\n"
		   ".visible .entry k(.param .u64 out) {\n"
		   ".reg .b32 %r<9>; .reg .b64 %rd;\n"
		   "ld.param.u32 %r0, [out]; mov.u32 %r1, %tid.x; "
		   "shl.b32 %r2, %r1, 2; add.u32 %r3, %r0, %r2; "
		   "mov.u32 %r4, s; add.u32 %r4, %r4, %r2; "
		   "st.shared.u32 [%r4], %r1; cvta.shared.u32 %r5, %r4; "
		   "ld.u32 %r6, [%r5]; ld.global.u32 %r7, [g]; "
		   "add.u32 %r6, %r6, %r7; st.global.u32 [%r3], %r6; ret; }\n");
	OK(r.at < 0x100000000u);
	for (int i = 0; i < 32; i++)
		EQ(i + 5, r.w[i]);
}

/* PTX ISA 9.4.1: what is loaded is extended to the width of the register, by
 * zeros or by its sign. */
TEST(exec_memory, a_load_fills_a_register_that_is_wider)
{
	struct run r = { .block = { 1, 1, 1 } };

	run_both(&r,
		 MODULE(".global .align 8 .b8 v[8] = {0x81, 0x82, 0x83, 0x84, "
			"0, 0, 0, 0};",
			"mov.u64 %rd2, -1; mov.u32 %r1, -1; mov.u32 %r2, -1; "
			"mov.u32 %r3, -1; mov.u32 %r4, -1; mov.u64 %rd3, -1; "
			"mov.u64 %rd4, -1; mov.u64 %rd5, -1; "
			"ld.global.u8 %r1, [v]; ld.global.s8 %r2, [v]; "
			"ld.global.u16 %r3, [v]; ld.global.s16 %r4, [v]; "
			"ld.global.u32 %rd2, [v]; ld.global.s32 %rd3, [v]; "
			"ld.global.u8 %rd4, [v]; ld.global.s16 %rd5, [v]; "
			"st.global.u32 [%rd0], %r1; "
			"st.global.u32 [%rd0+4], %r2; "
			"st.global.u32 [%rd0+8], %r3; "
			"st.global.u32 [%rd0+12], %r4; "
			"st.global.u64 [%rd0+16], %rd2; "
			"st.global.u64 [%rd0+24], %rd3; "
			"st.global.u64 [%rd0+32], %rd4; "
			"st.global.u64 [%rd0+40], %rd5; ret;"));
	EQ(0x81u, r.w[0]);
	EQ(0xffffff81u, r.w[1]);
	EQ(0x8281u, r.w[2]);
	EQ(0xffff8281u, r.w[3]);
	EQ(0x84838281u, r.d[2]);
	EQ(0xffffffff84838281u, r.d[3]);
	EQ(0x81u, r.d[4]);
	EQ(0xffffffffffff8281u, r.d[5]);
}
