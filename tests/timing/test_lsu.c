/*
 * From a memory instruction to its result, on an SM alone. Rules: sm/lsu.h.
 *
 * Issued a cycle after clock 0, with a result after n cycles that another
 * instruction waits for: clock 1 comes n + 2 cycles after clock 0.
 */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "rig.h"

static struct rig r;

/* Wide enough that only what a test is about takes time. */
#define WIDE                                                                 \
	"sm.count=1 unit.lsu.lanes=64 lsu.return_width=1024 net.sm_in=4096 " \
	"regs.read_ports=4 "                                                 \
	"net.sm_out=4096 net.slice_in=4096 net.slice_out=4096 net.queue=64 " \
	"l1.mshrs=64 l1.bytes=32K l2.mshrs=64 "

/* In tiny.cfg: l1.miss_latency, request, l2.hit_latency, reply, fill. */
enum { L1_HIT = 12, L2_HIT = 5 + 10 + 7 + 10 + 3, SHARED = 10 };

#define BUFFER ".shared .align 16 .b8 s[8192];"
#define USE "add.u32 %r9, %r8, 1; "
/* Everything that was in flight has arrived. */
#define REST "nanosleep.u32 1000; "

/* A load from shared memory, lane l at l * stride. */
static uint64_t shared_load(const char *stride, const char *load,
			    const char *set)
{
	char all[512];

	snprintf(all, sizeof(all), WIDE "%s", set);
	return rig_between(
		rig_text(BUFFER, "mov.u32 %r1, s; mad.lo.u32 %r1, %l, ", stride,
			 ", %r1; " REST CLOCK(0), load, USE CLOCK(1), NULL),
		all);
}

#define LOAD_SHARED "ld.shared.u32 %r8, [%r1]; "

TEST(lsu, shared_memory_has_its_latency)
{
	EQ(SHARED + 2, shared_load("4", LOAD_SHARED, ""));
	EQ(21 + 2, shared_load("4", LOAD_SHARED, "shared.latency=21"));
}

TEST(lsu, a_bank_conflict_of_n_lanes_takes_n_passes)
{
	EQ(SHARED + 1 + 2, shared_load("8", LOAD_SHARED, ""));
	EQ(SHARED + 3 + 2, shared_load("16", LOAD_SHARED, ""));
	EQ(SHARED + 7 + 2, shared_load("32", LOAD_SHARED, ""));
	EQ(SHARED + 15 + 2, shared_load("64", LOAD_SHARED, ""));
	EQ(SHARED + 31 + 2, shared_load("128", LOAD_SHARED, ""));
	EQ(SHARED + 31 * 3 + 2,
	   shared_load("128", LOAD_SHARED, "shared.conflict=3"));
	/* An odd stride meets every bank once. */
	EQ(SHARED + 2, shared_load("132", LOAD_SHARED, ""));
}

TEST(lsu, lanes_that_want_the_same_word_are_served_together)
{
	EQ(SHARED + 2, shared_load("0", LOAD_SHARED, ""));
}

TEST(lsu, a_wide_access_to_shared_memory_takes_a_pass_for_128_bytes)
{
	EQ(SHARED + 1 + 2,
	   shared_load("8", "ld.shared.v2.u32 {%r8, %r7}, [%r1]; ", ""));
	EQ(SHARED + 3 + 2,
	   shared_load("16", "ld.shared.v4.u32 {%r8, %r7, %r6, %r5}, [%r1]; ",
		       ""));
}

TEST(lsu, a_result_of_more_than_128_bytes_takes_longer_to_return)
{
	/* 256 bytes: 128 more, 32 a cycle. */
	EQ(SHARED + 1 + 4 + 2,
	   shared_load("8", "ld.shared.v2.u32 {%r8, %r7}, [%r1]; ",
		       "lsu.return_width=32"));
}

TEST(lsu, an_atomic_on_shared_memory_takes_its_cycles_for_each_pass)
{
	static const char atom[] = "atom.shared.add.u32 %r8, [%r1], 1; ";

	/* One pass of 2 cycles: one more than a load's. */
	EQ(SHARED + 2 - 1 + 2, shared_load("4", atom, "shared.atomic=2"));
	/* On one word the lanes come one by one. */
	EQ(SHARED + 32 * 3 - 1 + 2, shared_load("0", atom, "shared.atomic=3"));
}

TEST(lsu, a_full_queue_stops_the_issue)
{
	/* A queue of 1 has two places. Loads 1 and 2 fill it in cycles 1 and
	 * 2. Load 1 reaches the stage at 1 + 4, which lets load 3 in, and has
	 * it for 32 cycles; then load 2 goes, which lets load 4 in. */
	EQ(5 + 32 + 1,
	   rig_between(
		   MODULE(BUFFER,
			  "mov.u32 %r1, s; mad.lo.u32 %r1, %l, 128, %r1; " REST
				  CLOCK(0) "ld.shared.u32 %r2, [%r1]; "
					   "ld.shared.u32 %r3, [%r1]; "
					   "ld.shared.u32 %r4, [%r1]; "
					   "ld.shared.u32 %r5, [%r1]; " CLOCK(
						   1)),
		   WIDE "lsu.queue=1 lat.mem.cycles=4"));
}

TEST(lsu, a_store_does_not_hold_up_its_warp)
{
	EQ(2, rig_between(
		      KERNEL(CLOCK(0) "st.global.u32 [%mine], %r40; " CLOCK(1)),
		      WIDE));
	EQ(5, rig_between(KERNEL(CLOCK(0) X4("st.global.u32 [%mine], %r40; ")
					 CLOCK(1)),
			  WIDE));
}

#define LOAD "ld.global.u32 %r8, [%mine]; "

TEST(lsu, a_hit_in_the_l2_takes_the_sum_of_its_parts)
{
	EQ(L2_HIT + 2,
	   rig_between_warm(KERNEL(CLOCK(0) LOAD USE CLOCK(1)), WIDE));
	EQ(21 + 30 + 40 + 50 + 60 + 2,
	   rig_between_warm(KERNEL(CLOCK(0) LOAD USE CLOCK(1)),
			    WIDE "l1.miss_latency=21 net.request_latency=30 "
				 "l2.hit_latency=40 net.reply_latency=50 "
				 "l1.fill_latency=60"));
}

TEST(lsu, a_second_load_hits_in_the_l1)
{
	EQ(L1_HIT + 2,
	   rig_between_warm(KERNEL(LOAD USE REST CLOCK(0) LOAD USE CLOCK(1)),
			    WIDE));
	EQ(33 + 2,
	   rig_between_warm(KERNEL(LOAD USE REST CLOCK(0) LOAD USE CLOCK(1)),
			    WIDE "l1.hit_latency=33"));
}

TEST(lsu, a_load_of_a_sector_in_flight_completes_with_it)
{
	rig_open(&r,
		 KERNEL(CLOCK(0) "ld.global.u32 %r7, [%mine]; " LOAD USE CLOCK(
			 1)),
		 WIDE);
	rig_warm(&r, 0, 4096);
	rig_run(&r, 1, 32);
	EQ(L2_HIT + 2, r.c[0][1] - r.c[0][0]);
	EQ(1, rig_stat(&r, "l1.read_pending"));
	EQ(1, rig_stat(&r, "l2.reads"));
	rig_close(&r);
}

TEST(lsu, cg_and_volatile_loads_go_around_the_l1)
{
	EQ(L2_HIT + 2,
	   rig_between_warm(
		   KERNEL(LOAD USE REST CLOCK(
			   0) "ld.global.cg.u32 %r8, [%mine]; " USE CLOCK(1)),
		   WIDE));
	EQ(L2_HIT + 2,
	   rig_between_warm(
		   KERNEL(LOAD USE REST CLOCK(
			   0) "ld.volatile.global.u32 %r8, [%mine]; " USE
				  CLOCK(1)),
		   WIDE));
	EQ(L2_HIT + 2,
	   rig_between_warm(KERNEL(LOAD USE REST CLOCK(0) LOAD USE CLOCK(1)),
			    WIDE "l1.global=no"));
	EQ(L2_HIT + 2,
	   rig_between_warm(KERNEL(LOAD USE REST CLOCK(0) LOAD USE CLOCK(1)),
			    WIDE "l1.on=no"));
}

/* 32 lanes touch n lines of 128 bytes: lane / (32 / n). */
static uint64_t lines(const char *shift, const char *set)
{
	char all[512];

	snprintf(all, sizeof(all), WIDE "%s", set);
	return rig_between_warm(
		rig_text("", "shr.u32 %r1, %l, ", shift,
			 "; mul.wide.u32 %rd1, %r1, 128; "
			 "add.u64 %rd1, %data, %rd1; " REST CLOCK(
				 0) "ld.global.u32 %r8, [%rd1]; " USE CLOCK(1),
			 NULL),
		all);
}

TEST(lsu, lines_are_looked_up_one_after_the_other)
{
	EQ(L2_HIT + 2, lines("5", ""));
	EQ(L2_HIT + 1 + 2, lines("4", ""));
	EQ(L2_HIT + 3 + 2, lines("3", ""));
	EQ(L2_HIT + 7 + 2, lines("2", ""));
	EQ(L2_HIT + 15 + 2, lines("1", ""));
	EQ(L2_HIT + 31 + 2, lines("0", ""));
	/* Or some at a time; a slice takes one a cycle. */
	EQ(L2_HIT + 15 + 2, lines("0", "l1.lookups=2 l2.lookups=4"));
	EQ(L2_HIT + 7 + 2, lines("0", "l1.lookups=4 l2.lookups=4"));
}

/* Two loads of the same words, lane l at `from` + l * stride + (l / 16) * more; the
 * second one hits. */
static uint64_t hits(const char *from, const char *stride, const char *more,
		     const char *set)
{
	char all[512];

	snprintf(all, sizeof(all), WIDE "%s", set);
	return rig_between(
		rig_text("", "mul.wide.u32 %rd1, %l, ", stride,
			 "; add.u64 %rd1, %rd1, %data; add.u64 %rd1, %rd1, ",
			 from, "; shr.u32 %r1, %l, 4; mul.wide.u32 %rd2, %r1, ",
			 more,
			 "; add.u64 %rd1, %rd1, %rd2; "
			 "ld.global.u32 %r8, [%rd1]; " REST CLOCK(
				 0) "ld.global.u32 %r8, [%rd1]; " USE CLOCK(1),
			 NULL),
		all);
}

TEST(lsu, lines_of_different_banks_are_looked_up_at_once)
{
	/* Neighbours in two lines. */
	EQ(L1_HIT + 1 + 2, hits("20", "4", "0", ""));
	EQ(L1_HIT + 2, hits("20", "4", "0", "l1.tag_banks=4"));
	/* Two rows of 16 words, 384 bytes apart: two words in each bank. */
	EQ(L1_HIT + 2, hits("0", "4", "320", "l1.tag_banks=4"));
	EQ(L1_HIT + 3 + 2,
	   hits("0", "4", "320", "l1.tag_banks=4 l1.pass_latency=3"));
	/* 32 lines that follow each other, 8 in each bank of tags: one word in
	 * each bank, or all words in one. */
	EQ(L1_HIT + 31 + 2, hits("0", "132", "0", ""));
	EQ(L1_HIT + 7 + 2, hits("0", "132", "0", "l1.tag_banks=4"));
	EQ(L1_HIT + 7 + 2, hits("0", "128", "0", "l1.tag_banks=4"));
	EQ(L1_HIT + 7 + 31 * 2 + 2,
	   hits("0", "128", "0", "l1.tag_banks=4 l1.pass_latency=2"));
	/* One bank of tags: the lines one after the other. */
	EQ(L1_HIT + 31 + 2, hits("0", "132", "0", "l1.tag_banks=1"));
}

TEST(lsu, without_mshrs_a_miss_waits_for_an_answer)
{
	/* Issued at 1, lines 1 and 2 are looked up at 5 and 6; their answers
	 * arrive at 1 + 32 and 34. Then lines 3 and 4 go, as if issued 4
	 * before that. */
	EQ(34 - 4 + L2_HIT + 1, lines("3", "l1.mshrs=2"));
	/* With one: a line in 32 - 4 cycles after the one before. */
	EQ(1 + 3 * (L2_HIT - 3 - 4) + L2_HIT + 1, lines("3", "l1.mshrs=1"));
}

TEST(lsu, without_merges_a_second_load_of_a_line_waits_for_the_first)
{
	/* The second load is looked up when the first one's answer arrives at
	 * 1 + 32, and hits: as if issued 4 before that. */
	EQ(33 - 4 + L1_HIT + 1,
	   rig_between_warm(
		   KERNEL(CLOCK(
			   0) "ld.global.u32 %r7, [%mine]; " LOAD USE CLOCK(1)),
		   WIDE "l1.merges=1 lat.mem.cycles=4"));
}

TEST(lsu, constants_come_from_two_levels_of_caches)
{
	static const char text[] =
		MODULE(".const .align 128 .b8 z[4096];",
		       CLOCK(0) "ld.const.u32 %r8, [z]; " USE CLOCK(1) CLOCK(
			       2) "ld.const.u32 %r8, [z+64]; " USE CLOCK(3)
			       CLOCK(4) "ld.const.u32 %r8, [z]; " USE CLOCK(5));

	/* Lines of the second level have two of the first. */
	rig_open(&r, text,
		 WIDE "ccache.perfect=no ccache.l1_line=128 "
		      "ccache.l0_cycles=27 ccache.l1_cycles=81 "
		      "ccache.l2_cycles=251");
	rig_run(&r, 1, 32);
	EQ(251 + 2, r.c[0][1] - r.c[0][0]);
	EQ(81 + 2, r.c[0][3] - r.c[0][2]);
	EQ(27 + 2, r.c[0][5] - r.c[0][4]);
	EQ(1, rig_stat(&r, "lsu.const_misses"));
	EQ(1, rig_stat(&r, "lsu.const_l1_hits"));
	EQ(1, rig_stat(&r, "lsu.const_l0_hits"));
	rig_close(&r);
	rig_open(&r, text, WIDE "ccache.l0_cycles=27");
	rig_run(&r, 1, 32);
	EQ(27 + 2, r.c[0][1] - r.c[0][0]);
	rig_close(&r);
}

TEST(lsu, a_constant_that_no_launch_has_read_comes_from_dram)
{
	rig_open(
		&r,
		MODULE(".const .align 128 .b8 z[4096];",
		       CLOCK(0) "ld.const.u32 %r8, [z]; " USE CLOCK(1) CLOCK(
			       2) "ld.const.u32 %r8, [z+64]; " USE CLOCK(3)
			       CLOCK(4) "ld.const.u32 %r8, [z+128]; " USE CLOCK(
				       5)),
		WIDE "ccache.perfect=no ccache.l1_line=128 "
		     "ccache.l1_cycles=81 ccache.l2_cycles=251 "
		     "ccache.first_cycles=300");
	rig_run(&r, 1, 32);
	EQ(251 + 300 + 2, r.c[0][1] - r.c[0][0]);
	EQ(81 + 2, r.c[0][3] - r.c[0][2]);
	EQ(251 + 300 + 2, r.c[0][5] - r.c[0][4]);
	/* The next launch finds it in the L2. */
	rig_run(&r, 1, 32);
	EQ(251 + 2, r.c[0][1] - r.c[0][0]);
	EQ(81 + 2, r.c[0][3] - r.c[0][2]);
	rig_close(&r);
}

TEST(lsu, lanes_in_different_constant_lines_are_served_one_by_one)
{
	/* 16 lines of 64 bytes, all at hand. */
	EQ(27 + 15 + 2,
	   rig_between(MODULE(".const .align 128 .b8 z[4096];",
			      "shr.u32 %r1, %l, 1; mul.wide.u32 %rd1, %r1, 64; "
			      "mov.u64 %rd2, z; add.u64 %rd1, %rd1, %rd2; " REST
				      CLOCK(0) "ld.const.u32 %r8, [%rd1]; " USE
					      CLOCK(1)),
		       WIDE "ccache.l0_cycles=27"));
}

#define OBJECT ".global .texref image;"
#define FETCH_LINE "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {%r1}]; "
#define FETCH_PLANE \
	"tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {%r1, %r2}]; "
#define USE_TEXEL "add.f32 %f9, %f1, %f1; "

/* Fetches words of the data: those of a line of them, or from rows of 1 KiB, or
 * packed ones as arrays have. */
static void fetch_filtered(const char *text, const char *set, uint32_t height,
			   uint64_t row_bytes, int linear)
{
	struct heddle_texture t = { .format = HEDDLE_TEXEL_F32,
				    .channels = 1,
				    .width = 256,
				    .height = height,
				    .row_bytes = row_bytes,
				    .linear = linear };
	uint64_t object;

	rig_open(&r, text, set);
	t.data = r.data;
	EQ(0, heddle_texture_new(r.dev, &t, &object, NULL));
	EQ(0, heddle_module_bind(r.dev, r.mod, "image", object, NULL));
	rig_warm(&r, 0, 8 << 10);
	rig_run(&r, 1, 32);
}

static void fetch(const char *text, const char *set, uint32_t height,
		  uint64_t row_bytes)
{
	fetch_filtered(text, set, height, row_bytes, 0);
}

#define TEXTURE WIDE "tex.latency=40 tex.plane_latency=9 "

TEST(lsu, a_texel_comes_from_the_l1_or_the_l2)
{
	static const char text[] =
		MODULE(OBJECT, "mov.u32 %r1, %l; " REST CLOCK(0)
				       FETCH_LINE USE_TEXEL CLOCK(1) CLOCK(2)
					       FETCH_LINE USE_TEXEL CLOCK(3));

	/* What a hit takes beyond one of a load is added to a miss. */
	fetch(text, TEXTURE "tex.lookup=yes", 0, 0);
	EQ(L2_HIT + 40 - L1_HIT + 2, r.c[0][1] - r.c[0][0]);
	EQ(40 + 2, r.c[0][3] - r.c[0][2]);
	EQ(2, rig_stat(&r, "lsu.textures"));
	EQ(8, rig_stat(&r, "lsu.load_sectors"));
	rig_close(&r);
	fetch(text, TEXTURE "tex.lookup=no", 0, 0);
	EQ(40 + 2, r.c[0][1] - r.c[0][0]);
	rig_close(&r);
}

TEST(lsu, a_texture_of_two_dimensions_takes_longer)
{
	static const char text[] = MODULE(
		OBJECT,
		"mov.u32 %r1, %l; mov.u32 %r2, 3; " REST FETCH_PLANE USE_TEXEL
			REST CLOCK(0) FETCH_PLANE USE_TEXEL CLOCK(1));

	fetch(text, TEXTURE "tex.lookup=yes", 16, 1024);
	EQ(40 + 9 + 2, r.c[0][1] - r.c[0][0]);
	rig_close(&r);
	/* The second fetch waits for the unit. */
	fetch(MODULE(OBJECT, "mov.u32 %r1, %l; mov.u32 %r2, 3; " REST CLOCK(0)
				     FETCH_PLANE FETCH_PLANE CLOCK(1)),
	      TEXTURE "lat.tex.interval=50 tex.plane_passes=3", 16, 1024);
	EQ(150 + 2, r.c[0][1] - r.c[0][0]);
	rig_close(&r);
}

TEST(lsu, texels_of_an_array_lie_in_tiles)
{
	/* 8 by 4 texels: as rows they are in four lines, which are looked up
	 * one a cycle and cost l1.line_latency each, in an array in one. */
	static const char text[] = MODULE(
		OBJECT, "and.b32 %r1, %l, 7; shr.u32 %r2, %l, 3; " REST CLOCK(0)
				FETCH_PLANE USE_TEXEL CLOCK(1));

	fetch(text, TEXTURE "tex.lookup=yes l1.line_latency=2", 16, 1024);
	EQ(L2_HIT + 40 - L1_HIT + 9 + 3 * (1 + 2) + 2, r.c[0][1] - r.c[0][0]);
	rig_close(&r);
	fetch(text, TEXTURE "tex.lookup=yes l1.line_latency=2", 16, 0);
	EQ(L2_HIT + 40 - L1_HIT + 9 + 2, r.c[0][1] - r.c[0][0]);
	rig_close(&r);
}

/* From clock 0 to clock 1 of warp w of two, with a line in the L2, another in the L1
 * and a third in neither; only warp 0 has %p1. */
static uint64_t ordered(const char *loads, int w, const char *set)
{
	char all[512];

	snprintf(all, sizeof(all), WIDE "%s", set);
	rig_open(&r,
		 rig_text("",
			  "ld.global.cg.u32 %r6, [%mine]; "
			  "ld.global.u32 %r6, [%mine+2048]; "
			  "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; ",
			  REST CLOCK(0), loads, USE CLOCK(1), NULL),
		 all);
	rig_run(&r, 1, 64);
	rig_close(&r);
	return r.c[w][1] - r.c[w][0];
}

#define FROM_DRAM(to) "@%p1 ld.global.u32 " to ", [%mine+4096]; "
#define FROM_L2(to) "ld.global.cg.u32 " to ", [%mine]; "
#define FROM_L1 "ld.global.u32 %r8, [%mine+2048]; "

TEST(lsu, loads_of_a_warp_that_miss_may_return_in_order)
{
	uint64_t dram = ordered(FROM_DRAM("%r8"), 0, "");

	OK(dram > L2_HIT + 10);
	/* The other warp loads in between. */
	EQ(2 + L2_HIT + 2, ordered(FROM_DRAM("%r7") FROM_L2("%r8"), 0, ""));
	EQ(dram,
	   ordered(FROM_DRAM("%r7") FROM_L2("%r8"), 0, "l1.in_order=yes"));
	/* What comes later anyway does not wait, nor does a hit, nor does
	 * another warp. */
	EQ(ordered(FROM_L2("%r7") FROM_DRAM("%r8"), 0, ""),
	   ordered(FROM_L2("%r7") FROM_DRAM("%r8"), 0, "l1.in_order=yes"));
	EQ(2 + L1_HIT + 2,
	   ordered(FROM_DRAM("%r7") FROM_L1, 0, "l1.in_order=yes"));
	EQ(ordered(FROM_DRAM("%r7") FROM_L2("%r8"), 1, ""),
	   ordered(FROM_DRAM("%r7") FROM_L2("%r8"), 1, "l1.in_order=yes"));
}

/* A load of constants and other ones, lane l at 4 * (l >> shift). */
static uint64_t beside(const char *shift, const char *loads, const char *more)
{
	char cfg[512];

	snprintf(cfg, sizeof(cfg), WIDE "ccache.l0_cycles=12 %s", more);
	return rig_between(
		rig_text(".const .align 128 .b8 z[4096]; " BUFFER,
			 "shr.u32 %r1, %l, ", shift,
			 "; mul.wide.u32 %rd1, %r1, 4; mov.u64 %rd2, z; "
			 "add.u64 %rd1, %rd1, %rd2; mov.u32 %r1, s; "
			 "mad.lo.u32 %r1, %l, 16, %r1; " REST CLOCK(0),
			 loads, USE CLOCK(1), NULL),
		cfg);
}

#define LOAD_CONSTANT(to) "ld.const.u32 " to ", [%rd1]; "
#define WORDS "ccache.word_cycles=11 ccache.word_interval=2 "

TEST(lsu, constants_may_have_a_stage_of_their_own)
{
	/* 32 addresses occupy the stage for 64 cycles, of which one has passed
	 * when the next load comes; that one needs four passes. */
	EQ(1 + 63 + SHARED + 3 + 2,
	   beside("0", LOAD_CONSTANT("%r7") LOAD_SHARED, WORDS));
	EQ(1 + SHARED + 3 + 2, beside("0", LOAD_CONSTANT("%r7") LOAD_SHARED,
				      WORDS "ccache.own_stage=yes"));
	/* Loads of constants still follow each other. */
	EQ(12 + 31 * 11 + 64 + 2,
	   beside("0", LOAD_CONSTANT("%r7") LOAD_CONSTANT("%r8"),
		  WORDS "ccache.own_stage=yes"));
}

TEST(lsu, constants_with_a_stage_of_their_own_return_on_their_own)
{
	static const char loads[] =
		"ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r1]; " LOAD_CONSTANT(
			"%r8");

	/* 512 bytes return first, after four passes. */
	EQ(SHARED + 3 + 512 / 32 + 2,
	   beside("5", loads, WORDS "lsu.return_width=32"));
	EQ(1 + 12 + 2,
	   beside("5", loads,
		  WORDS "lsu.return_width=32 ccache.own_stage=yes"));
}

TEST(lsu, a_filter_reads_the_texels_of_all_lanes)
{
	/* Lane l at l + 0.75: texel l or, with a filter, also l + 1. The last of
	 * them is in a sector of its own. */
	static const char text[] = MODULE(
		OBJECT,
		"cvt.rn.f32.u32 %f5, %l; add.f32 %f5, %f5, 0f3f400000; "
		"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f5}]; ");

	fetch_filtered(text, TEXTURE "tex.lookup=yes", 0, 0, 0);
	EQ(4, rig_stat(&r, "lsu.load_sectors"));
	rig_close(&r);
	fetch_filtered(text, TEXTURE "tex.lookup=yes", 0, 0, 1);
	EQ(5, rig_stat(&r, "lsu.load_sectors"));
	rig_close(&r);
}

/* A load of constants, lane l at 4 * (l >> shift). */
static uint64_t words(const char *shift, const char *more)
{
	char cfg[512];

	snprintf(cfg, sizeof(cfg), WIDE "ccache.l0_cycles=27 %s", more);
	return rig_between(
		rig_text(".const .align 128 .b8 z[4096];", "shr.u32 %r1, %l, ",
			 shift,
			 "; mul.wide.u32 %rd1, %r1, 4; mov.u64 %rd2, z; "
			 "add.u64 %rd1, %rd1, %rd2; " REST CLOCK(
				 0) "ld.const.u32 %r8, [%rd1]; " USE CLOCK(1),
			 NULL),
		cfg);
}

TEST(lsu, different_addresses_of_constants_follow_each_other)
{
	EQ(27 + 2, words("5", "ccache.word_cycles=11"));
	EQ(27 + 11 + 2, words("4", "ccache.word_cycles=11"));
	EQ(27 + 31 * 11 + 2, words("0", "ccache.word_cycles=11"));
	/* The first is a miss: its answer is late by 251 - 27. */
	EQ(251 + 31 * 11 + 2,
	   words("0", "ccache.word_cycles=11 ccache.perfect=no ccache.l0=4K "
		      "ccache.l0_line=128 ccache.l2_cycles=251"));
	/* By lines, all 32 words are one access. */
	EQ(27 + 2, words("0", "ccache.l0_line=128"));
}

#define LOCAL ".local .align 16 .b8 m[64]; "

TEST(lsu, local_memory_lies_lane_by_lane_and_hits_in_the_l1)
{
	rig_open(&r,
		 KERNEL(LOCAL "ld.local.u32 %r8, [m]; " USE REST CLOCK(
			 0) "ld.local.u32 %r8, [m]; " USE CLOCK(1)),
		 WIDE);
	rig_run(&r, 1, 32);
	EQ(L1_HIT + 2, r.c[0][1] - r.c[0][0]);
	EQ(8, rig_stat(&r, "lsu.local_sectors")); /* two full lines */
	EQ(1, rig_stat(&r, "l1.read_hits"));
	rig_close(&r);
	/* 16 bytes of a lane are four lines: the last is looked up later. */
	EQ(L1_HIT + 3 + 2,
	   rig_between(
		   KERNEL(LOCAL
			  "ld.local.v4.u32 {%r8, %r7, %r6, %r5}, [m]; " USE REST
				  CLOCK(0) "ld.local.v4.u32 {%r8, %r7, %r6, %r5}, [m]; " USE
					  CLOCK(1)),
		   WIDE));
}

/* Reads two lines. Local memory has 64 KiB a lane and lies word by word: bytes
 * 2048 of a warp are 64 KiB behind its first ones, not yet the next warp's. */
#define LOCAL_FAR                        \
	".local .align 16 .b8 m[4096]; " \
	"ld.local.u32 %r8, [m]; " USE "ld.local.u32 %r8, [m+2048]; " USE

TEST(lsu, what_a_store_claims_of_local_memory_is_read_from_the_l1)
{
	const char *body = KERNEL(LOCAL "st.local.u32 [m], %l; " REST CLOCK(
		0) "ld.local.u32 %r8, [m]; " USE CLOCK(1));

	rig_open(&r, body, WIDE "l1.local_claim=yes");
	rig_run(&r, 1, 32);
	EQ(L1_HIT + 2, r.c[0][1] - r.c[0][0]);
	/* The store goes on to the L2: 4 sectors, and 8 of the clocks. */
	EQ(4 + 8, rig_stat(&r, "lsu.write_sectors_sent"));
	EQ(0, rig_stat(&r, "lsu.read_sectors_sent"));
	rig_close(&r);
	rig_open(&r, body, WIDE);
	rig_run(&r, 1, 32);
	OK(r.c[0][1] - r.c[0][0] > L1_HIT + 2);
	EQ(4, rig_stat(&r, "lsu.read_sectors_sent"));
	rig_close(&r);
}

/* A line is read, something happens, it is read again. */
static uint64_t read_after(const char *between, const char *set)
{
	char all[512];

	snprintf(all, sizeof(all), WIDE "%s", set);
	return rig_between(
		rig_text("", "ld.global.u32 %r8, [%data]; " USE REST, between,
			 REST CLOCK(0) "ld.global.u32 %r8, [%data]; " USE CLOCK(
				 1),
			 NULL),
		all);
}

TEST(lsu, a_fence_beyond_the_block_empties_the_l1)
{
	static const char yes[] = "l1.fence_empties=yes";

	EQ(L1_HIT + 2, read_after("membar.gl; ", ""));
	EQ(L1_HIT + 2, read_after("", yes));
	EQ(L1_HIT + 2, read_after("membar.cta; ", yes));
	EQ(L1_HIT + 2, read_after("ld.relaxed.gpu.u32 %r8, [%data+4]; ", yes));
	EQ(L2_HIT + 2, read_after("membar.gl; ", yes));
	EQ(L2_HIT + 2, read_after("fence.acq_rel.sys; ", yes));
	EQ(L2_HIT + 2, read_after("ld.acquire.gpu.u32 %r8, [%data+4]; ", yes));
	/* Again, with nothing read in between. */
	EQ(L2_HIT + 2, read_after("membar.gl; membar.gl; ", yes));
}

#define STORE(at) "st.global.u32 [%data+" at "], %r40; "

/* Writes that are sent, and how many joined another one. In the end the rig
 * stores its eight clocks, in one line. */
static void expect_writes(uint64_t sent, uint64_t merged, const char *body,
			  const char *set)
{
	bool merges = strstr(set, "lsu.merge=") != NULL;
	char all[512];

	snprintf(all, sizeof(all), WIDE "%s", set);
	rig_open(&r, rig_text("", body, REST, NULL), all);
	rig_run(&r, 1, 32);
	EQ(sent + (merges ? 1 : 8), rig_stat(&r, "lsu.writes_sent"));
	EQ(merged + (merges ? 7 : 0), rig_stat(&r, "lsu.writes_merged"));
	EQ(sent + (merges ? 1 : 8), rig_stat(&r, "l2.writes"));
	rig_close(&r);
}

TEST(lsu, stores_to_a_line_that_waits_are_sent_with_it)
{
	static const char few[] = "lsu.merge=2 lsu.merge_cycles=100";
	static const char more[] = "lsu.merge=3 lsu.merge_cycles=100";

	expect_writes(2, 0, STORE("0") STORE("4"), "");
	expect_writes(1, 1, STORE("0") STORE("4"), few);
	expect_writes(1, 3, X4(STORE("0")), few);
	expect_writes(2, 0, STORE("0") REST STORE("4"), few);
	expect_writes(2, 2, STORE("0") STORE("128") STORE("32") STORE("160"),
		      few);
	/* The third line makes the first one go. */
	expect_writes(4, 0, STORE("0") STORE("128") STORE("256") STORE("0"),
		      few);
	expect_writes(3, 1, STORE("0") STORE("128") STORE("256") STORE("0"),
		      more);
	/* So does a read of it. */
	expect_writes(
		2, 0,
		STORE("0") "ld.global.cg.u32 %r8, [%data+64]; " STORE("0"),
		few);
	expect_writes(
		1, 1,
		STORE("0") "ld.global.cg.u32 %r8, [%data+128]; " STORE("0"),
		few);
}

TEST(lsu, a_store_waits_for_others_for_a_time)
{
	/* The warp sleeps for 7 cycles: two stores that are looked up 9 cycles
	 * apart. In the cycle in which a line would go, it is still there. */
	static const char body[] = STORE("0") "nanosleep.u32 7; " STORE("0");

	expect_writes(2, 0, body, "lsu.merge=2 lsu.merge_cycles=8");
	expect_writes(1, 1, body, "lsu.merge=2 lsu.merge_cycles=9");
}

TEST(lsu, every_warp_of_every_sm_has_local_memory_of_its_own)
{
	rig_open(&r, KERNEL(LOCAL_FAR),
		 WIDE "sm.count=2 sm.registers=65536 l2.bytes=1M");
	rig_run(&r, 4, 128);
	EQ(16 * 2, rig_stat(&r, "l1.reads"));
	EQ(16 * 2, rig_stat(&r, "l1.read_misses"));
	EQ(16 * 2 * 4, rig_stat(&r, "l2.sectors_read"));
	EQ(16 * 2 * 4, rig_stat(&r, "l2.sectors_missed"));
	rig_close(&r);
}

/* All lanes read 96 lines one after the other, twice. */
#define TWICE_96                                                          \
	"mov.u32 %r2, 0; B: mov.u32 %r1, 0; mov.u64 %rd1, %data; "        \
	"A: ld.global.u32 %r8, [%rd1]; add.u64 %rd1, %rd1, 128; "         \
	"add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 96; @%p1 bra A; " USE \
	"add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 2; @%p1 bra B; "

TEST(lsu, shared_memory_in_use_is_taken_out_of_an_adaptive_l1)
{
	static const char set[] = WIDE "l1.bytes=16K l1.ways=4 l1.hash=none "
				       "l1.adaptive=yes";

	/* 128 lines hold all 96 of them. */
	rig_open(&r, KERNEL(TWICE_96), set);
	rig_run(&r, 1, 32);
	EQ(96, rig_stat(&r, "l1.read_misses"));
	rig_close(&r);
	/* 8 KiB of 16 leave 64: three lines of every set come round in two
	 * ways, and the oldest is always the next one wanted. */
	rig_open(&r, MODULE(BUFFER, "st.shared.u32 [s], %r40; " TWICE_96), set);
	rig_run(&r, 1, 32);
	EQ(192, rig_stat(&r, "l1.read_misses"));
	rig_close(&r);
}

#define COPY(n, text) \
	"cp.async.ca.shared.global [%r1+" #n "], [%rd1+" #n "], 4; " text
#define COPIES(body)                                                  \
	MODULE(BUFFER, "mov.u32 %r1, s; mad.lo.u32 %r1, %l, 4, %r1; " \
		       "mov.u64 %rd1, %mine; " REST CLOCK(0) body CLOCK(1))

TEST(lsu, a_warp_waits_for_its_groups_of_asynchronous_copies)
{
	/* Issued at 1, it has come at 1 + 35 and is written in a cycle. */
	EQ(1 + L2_HIT + 1,
	   rig_between_warm(COPIES(COPY(0, "cp.async.commit_group; "
					   "cp.async.wait_group 0; ")),
			    WIDE));
	EQ(1 + L2_HIT + 1,
	   rig_between_warm(COPIES(COPY(0, "cp.async.wait_all; ")), WIDE));
	/* The second group is issued at 3; only the first is waited for. */
	EQ(1 + L2_HIT + 1,
	   rig_between_warm(
		   COPIES(COPY(0, "cp.async.commit_group; ") COPY(
			   256,
			   "cp.async.commit_group; ") "cp.async.wait_group 1; "),
		   WIDE));
	EQ(3 + L2_HIT + 1,
	   rig_between_warm(
		   COPIES(COPY(0, "cp.async.commit_group; ") COPY(
			   256,
			   "cp.async.commit_group; ") "cp.async.wait_group 0; "),
		   WIDE));
	/* No warp waits: copy, commit, clock. */
	EQ(3,
	   rig_between_warm(COPIES(COPY(0, "cp.async.commit_group; ")), WIDE));
}

/* Lane 0 copies so many bytes and tests the barrier until it is complete. */
#define BULK(bytes)                                                                \
	MODULE(".shared .align 16 .b8 s[4096]; .shared .align 8 .b64 m;",          \
	       "mov.u32 %r1, m; mov.u32 %r2, s; setp.eq.u32 %p1, %l, 0; "          \
	       "@%p1 mbarrier.init.shared.b64 [%r1], 1; "                          \
	       "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r1], " #bytes       \
	       "; " REST CLOCK(                                                    \
		       0) "@%p1 cp.async.bulk.shared::cluster.global"              \
			  ".mbarrier::complete_tx::bytes [%r2], [%data], " #bytes  \
			  ", [%r1];\n"                                             \
			  "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r1], 0; " \
			  "@!%p2 bra W; " CLOCK(1))
#define BULK_OUT(bytes, wait)                                                 \
	MODULE(".shared .align 16 .b8 s[4096];",                              \
	       "mov.u32 %r2, s; setp.eq.u32 %p1, %l, 0; " REST CLOCK(         \
		       0) "@%p1 cp.async.bulk.global.shared::cta.bulk_group " \
			  "[%data], [%r2], " #bytes                           \
			  "; cp.async.bulk.commit_group; " wait CLOCK(1))

TEST(lsu, a_barrier_completes_when_a_bulk_copy_has_arrived)
{
	enum {
		LOOK = 13,
		FOUND = 12
	}; /* each look; from the last to clock 1 */
	uint64_t n;

	/* Issued at 1, looked at from 2 on. */
	EQ(2 + FOUND, rig_between_warm(BULK(0), WIDE));
	/* Its piece goes out at 2, has come at 37 and is written in a cycle:
	 * the look at 41 sees it. */
	EQ(2 + 3 * LOOK + FOUND, rig_between_warm(BULK(16), WIDE));
	/* Eight pieces, one in four cycles, of four passes each. */
	n = rig_between_warm(BULK(4096), WIDE);
	OK(n >= 2 + 7 * 4 + L2_HIT + 4 + FOUND);
	OK(n < 2 + 7 * 4 + L2_HIT + 4 + FOUND + 2 * LOOK);
}

TEST(lsu, a_warp_waits_until_its_bulk_copies_are_on_their_way)
{
	/* No warp waits: copy, commit, clock. */
	EQ(3, rig_between_warm(BULK_OUT(16, ""), WIDE));
	EQ(4,
	   rig_between_warm(BULK_OUT(4096, "cp.async.bulk.wait_group.read 1; "),
			    WIDE));
	/* Issued at 1; pieces go out at 2, 6, ... */
	EQ(4, rig_between_warm(BULK_OUT(16, "cp.async.bulk.wait_group 0; "),
			       WIDE));
	EQ(2 + 7 * 4,
	   rig_between_warm(BULK_OUT(4096, "cp.async.bulk.wait_group 0; "),
			    WIDE));
}

TEST(lsu, sub_cores_take_turns_at_the_common_stage)
{
	/* Two warps of two sub-cores, 32 passes each: the second one waits. */
	uint64_t a, b;

	rig_open(&r,
		 MODULE(BUFFER,
			"mov.u32 %r1, s; mad.lo.u32 %r1, %l, 128, %r1; "
			"bar.sync 0; " CLOCK(0) LOAD_SHARED USE CLOCK(1)),
		 WIDE);
	rig_run(&r, 1, 64);
	a = r.c[0][1] - r.c[0][0];
	b = r.c[1][1] - r.c[1][0];
	EQ(SHARED + 31 + 2, a < b ? a : b);
	EQ(SHARED + 31 + 32 + 2, a < b ? b : a);
	rig_close(&r);
}

/* The excess of the instruction whose text begins like this. */
static uint64_t excess_of(const char *text)
{
	const struct heddle_timing *t = heddle_device_timing(r.dev);
	struct heddle_timing_info info;
	struct heddle_hot_line l;

	heddle_timing_info(t, &info);
	for (size_t i = 0; i < info.hot_lines; i++) {
		EQ(0, heddle_timing_hot(t, i, &l, NULL));
		if (!strncmp(l.instruction, text, strlen(text)))
			return l.excess;
	}
	OK(!"the instruction was issued");
	return 0;
}

TEST(lsu, sectors_beyond_the_need_are_counted_by_instruction)
{
	/* 32 words need 4 sectors; 8 bytes apart they are in 8, 16 bytes from a
	 * boundary in 5. A store of one word to one address needs 1. */
	rig_open(&r,
		 SILENT("mul.wide.u32 %rd1, %l, 8; add.u64 %rd1, %data, %rd1; "
			"ld.global.u32 %r1, [%mine]; "
			"ld.global.f32 %f1, [%rd1]; "
			"ld.global.s32 %r2, [%mine+16]; "
			"st.global.u32 [%data], %r1; "),
		 "sm.count=1");
	rig_run(&r, 1, 32);
	EQ(4 + 8 + 5 + 1, rig_stat(&r, "lsu.global_sectors"));
	EQ(4 + 1, rig_stat(&r, "lsu.global_excess"));
	EQ(0, excess_of("ld.global.u32"));
	EQ(4, excess_of("ld.global.f32"));
	EQ(1, excess_of("ld.global.s32"));
	EQ(0, excess_of("st.global"));
	rig_close(&r);
}

TEST(lsu, with_larger_pieces_the_need_is_rounded_up_to_them)
{
	/* Two lanes, in one piece of 128 bytes, or in two. */
	rig_open(&r,
		 SILENT("setp.ge.u32 %p1, %l, 2; @%p1 ret; "
			"mul.wide.u32 %rd1, %l, 128; "
			"add.u64 %rd1, %data, %rd1; "
			"ld.global.u32 %r1, [%mine]; "
			"ld.global.f32 %f1, [%rd1]; "),
		 "sm.count=1 lsu.coalesce=128");
	rig_run(&r, 1, 32);
	EQ(0, excess_of("ld.global.u32"));
	EQ(4, excess_of("ld.global.f32"));
	rig_close(&r);
}

TEST(lsu, conflicts_and_diverged_branches_are_counted_by_instruction)
{
	rig_open(&r,
		 ENTRY(".shared .align 4 .b8 s[4096];\n",
		       "mov.u64 %rd2, s; mul.wide.u32 %rd1, %l, 128; "
		       "add.u64 %rd1, %rd2, %rd1; mul.wide.u32 %rd3, %l, 4; "
		       "add.u64 %rd3, %rd2, %rd3; "
		       "st.shared.u32 [%rd1], %l; ld.shared.u32 %r1, [%rd3]; "
		       "setp.lt.u32 %p1, %l, 5; @%p1 bra L; "
		       "add.u32 %r2, %r1, 1; L: ret;"),
		 "sm.count=1");
	rig_run(&r, 2, 64);
	EQ(2 * 2 * 31, rig_stat(&r, "lsu.shared_conflicts"));
	EQ(2 * 2 * 31, excess_of("st.shared"));
	EQ(0, excess_of("ld.shared"));
	EQ(2 * 2, excess_of("@%p1 bra"));
	EQ(2 * 2, rig_stat(&r, "sm.diverged"));
	rig_close(&r);
}

TEST(lsu, the_statistics_of_sms_add_up_to_those_of_the_run)
{
	static const char *const keys[] = {
		"sm.instructions", "lsu.global_loads", "reason.launch",
		"reason.no_block", "unit.lsu",         "l1.reads"
	};
	const struct heddle_timing *t;
	struct heddle_stat v;

	rig_open(&r, SILENT("ld.global.u32 %r1, [%mine]; "), "sm.count=4");
	rig_run(&r, 3, 64);
	t = heddle_device_timing(r.dev);
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < 4; i++) {
			EQ(0, heddle_stats_find(heddle_timing_sm_stats(t, i),
						keys[k], &v, NULL));
			sum += v.count;
		}
		EQ(rig_stat(&r, keys[k]), sum);
		OK(sum);
	}
	EQ(NULL, heddle_timing_sm_stats(t, 4));
	rig_close(&r);
}

TEST(lsu, a_launch_begins_with_an_empty_l1)
{
	rig_open(&r,
		 KERNEL("ld.global.u32 %r1, [%mine]; "
			"add.u32 %r2, %r1, 1; ld.global.u32 %r3, [%mine]; "),
		 "sm.count=1");
	for (int i = 0; i < 3; i++) {
		rig_run(&r, 1, 32);
		EQ(1, rig_stat(&r, "l1.read_misses"));
		EQ(1, rig_stat(&r, "l1.read_hits"));
	}
	rig_close(&r);
}

/* ATOMS.POPC.INC, measured on an H200: a pass for each word of a bank. */
TEST(lsu, increments_of_one_word_share_a_pass)
{
	static const char inc[] = "red.shared.add.u32 [%r1], 1; " LOAD_SHARED;
	static const char two[] = "red.shared.add.u32 [%r1], 2; " LOAD_SHARED;
	static const char set[] = "sm.compiled=yes gpu.capability=90 "
				  "shared.atomic=1";
	uint64_t apart = shared_load("4", inc, set);

	EQ(apart, shared_load("0", inc, set));
	EQ(apart, shared_load("4", two, set));
	/* 32 words of one bank, the load's conflicts left aside. */
	EQ(shared_load("128", two, set), shared_load("128", inc, set));
	OK(shared_load("128", inc, set) >= apart + 31);
	OK(shared_load("0", two, set) >= apart + 31);
}

/* An atomic on the sector at `at`; when it is complete, one elsewhere, and a
 * load of the first sector of the data. Cycles until the load has issued. */
static uint64_t load_after_atomic(const char *at)
{
	return rig_between(
		rig_text("", "atom.global.add.u32 %r1, [%mine+", at,
			 "], 1; add.u32 %r2, %r1, 1; nanosleep.u32 2000; ",
			 CLOCK(0),
			 "red.global.add.u32 [%mine+4096], 1; "
			 "ld.global.u32 %r3, [%mine]; ",
			 CLOCK(1), NULL),
		"sm.count=1");
}

TEST(lsu, a_load_waits_for_atomics_in_flight_and_not_for_earlier_ones)
{
	EQ(load_after_atomic("8192"), load_after_atomic("0"));
	EQ(4, load_after_atomic("0"));
}
