/*
 * Timed instructions of machine code: what the SM is told of a word. The
 * numbers of stall counts, banks and reuse are those of an H200, measured with
 * patched programs.
 */
#include <string.h>

#include "test.h"

#include "isa/sass/latency.h"
#include "isa/sass/time.h"

enum { TEXTS = 4 };

static struct cfg cfg;
static struct sass_inst code[TEXTS];

static void parse(unsigned i, unsigned sm, const char *text)
{
	struct diag d = { .text = "" };

	sass_parse(&code[i], sm, 0, text, &d);
	STREQ("", d.text);
}

/* The last of these instructions, which follow each other; NULL ends them. */
static struct timed_inst timed_last(unsigned sm, const char *const text[])
{
	struct timed_inst r = { 0 };
	unsigned n = 0;

	cfg_defaults(&cfg);
	for (; n < TEXTS && text[n]; n++)
		parse(n, sm, text[n]);
	OK(sass_time_inst(&r, &code[n - 1], n - 1, &cfg));
	return r;
}

#define TIMED(...) timed_last(90, (const char *const[]){ __VA_ARGS__, NULL })
#define TIMED_ON(sm, text) timed_last(sm, (const char *const[]){ text, NULL })

static unsigned stall_of(unsigned stall, bool stay)
{
	struct timed_inst r = { 0 };

	cfg_defaults(&cfg);
	parse(0, 90, "NOP");
	code[0].ctrl.stall = (uint8_t)stall;
	code[0].ctrl.stay = stay;
	OK(sass_time_inst(&r, &code[0], 0, &cfg));
	EQ(!stay, timed_yields(&r));
	return r.stall;
}

TEST(sass_time, stall_counts_last_as_long_as_on_an_h200)
{
	for (unsigned i = 1; i < 12; i++)
		EQ(i, stall_of(i, true));
	EQ(2, stall_of(0, true));
	EQ(1, stall_of(12, true));
	EQ(1, stall_of(13, true));
	EQ(2, stall_of(14, true));
	EQ(2, stall_of(15, true));
	EQ(36, stall_of(0, false));
	EQ(2, stall_of(1, false));
	for (unsigned i = 2; i < 16; i++)
		EQ(i, stall_of(i, false));
}

TEST(sass_time, counters_are_those_of_the_control_word)
{
	struct timed_inst r = { 0 };

	cfg_defaults(&cfg);
	parse(0, 90, "MUFU.EX2 R4, R4");
	code[0].ctrl = (struct sass_ctrl){
		.stall = 2, .stay = true, .write = 5, .read = 0, .wait = 0x2a
	};
	OK(sass_time_inst(&r, &code[0], 0, &cfg));
	EQ(6, timed_write_counter(&r));
	EQ(1, timed_read_counter(&r));
	EQ(KIND_COUNTED, r.kind);
	EQ(3, r.regs);
	EQ(0, r.writes);
	EQ(1, r.reg[0]);
	EQ(3, r.reg[1]);
	EQ(5, r.reg[2]);
	EQ(1, r.reg[3]); /* TIMED_QUICK are valid */
	EQ(cfg.lat[LAT_SFU].cycles, r.cycles);
}

TEST(sass_time, cctl_ivall_empties_the_l1)
{
	EQ(KIND_EMPTY_L1, TIMED("CCTL.IVALL").kind);
	EQ(KIND_PLAIN, TIMED("CCTLL.IVALL").kind);
	EQ(KIND_PLAIN, TIMED("CCTL.C.IVALL").kind);
	EQ(KIND_PLAIN, TIMED("CCTL.WBALL").kind);
	EQ(KIND_FENCE, TIMED("MEMBAR.SC.GPU").kind);
	EQ(0, TIMED("MEMBAR.SC.GPU").flags & TIMED_EMPTY_L1);
}

/* Reads of the even and the odd bank, without and with the reuse cache. */
static void banks(const char *first, const char *second, unsigned even,
		  unsigned odd, unsigned reuse_even, unsigned reuse_odd)
{
	struct timed_inst r = TIMED(first, second);

	EQ(even, r.reads[0]);
	EQ(odd, r.reads[1]);
	EQ(reuse_even, r.reuse[0]);
	EQ(reuse_odd, r.reuse[1]);
	EQ(even + odd - reuse_even - reuse_odd, r.saved);
}

/* On an H200 these take as many cycles as the fuller bank has reads. */
TEST(sass_time, reads_are_counted_by_bank)
{
#define FFMA(a, b, c) "FFMA RZ, " a ", " b ", " c
	banks("NOP", FFMA("R4", "R5", "R6"), 2, 1, 2, 1);
	banks("NOP", FFMA("R4", "R6", "R8"), 3, 0, 3, 0);
	banks("NOP", FFMA("R5", "R7", "R9"), 0, 3, 0, 3);
	banks("NOP", FFMA("R4", "R4", "R4"), 1, 0, 1, 0);
	banks("NOP", FFMA("R4", "R4", "RZ"), 1, 0, 1, 0);
	banks("NOP", "DFMA R4, R6, R8, R10", 3, 3, 3, 3);
	banks("NOP", "IMAD.WIDE R4, R5, R7, R8", 1, 3, 1, 3);
	banks("NOP", "LDG.E R4, desc[UR4][R6.64]", 1, 1, 1, 1);
	banks("NOP", "STG.E.128 desc[UR4][R6.64], R8", 3, 3, 3, 3);
	banks("NOP", "STS.64 [R6], R8", 2, 1, 2, 1);
	banks("NOP", "HMMA.16816.F32 R4, R8, R12, R16", 5, 5, 5, 5);
}

TEST(sass_time, reuse_goes_by_slot_and_bank)
{
	/* The slot of the first operand, and of the first two. */
	banks(FFMA("R4.reuse", "R6", "R8"), FFMA("R4", "R6", "R8"), 3, 0, 2, 0);
	banks(FFMA("R4.reuse", "R6.reuse", "R8"), FFMA("R4", "R6", "R8"), 3, 0,
	      1, 0);
	banks(FFMA("R4", "R5.reuse", "R6"), FFMA("R4", "R5", "R6"), 2, 1, 2, 0);
	/* Another slot, another register, no bit. */
	banks(FFMA("R4.reuse", "R6", "R8"), FFMA("R6", "R4", "R8"), 3, 0, 3, 0);
	banks(FFMA("R4.reuse", "R6", "R8"), FFMA("R10", "R6", "R8"), 3, 0, 3,
	      0);
	banks(FFMA("R4", "R6", "R8"), FFMA("R4", "R6", "R8"), 3, 0, 3, 0);
}

TEST(sass_time, an_operand_stays_until_its_slot_and_bank_are_read)
{
	struct timed_inst r;

	r = TIMED(FFMA("R4.reuse", "R6", "R8"), FFMA("R5", "R6", "R8"),
		  FFMA("R4", "R6", "R8"));
	EQ(2, r.reuse[0]);
	r = TIMED(FFMA("R4.reuse", "R6", "R8"), FFMA("R10", "R6", "R8"),
		  FFMA("R4", "R6", "R8"));
	EQ(3, r.reuse[0]);
	r = TIMED(FFMA("R4.reuse", "R6", "R8"), "NOP", FFMA("R4", "R6", "R8"));
	EQ(2, r.reuse[0]);
}

TEST(sass_time, operands_in_constant_memory_are_looked_up)
{
	struct timed_inst r = TIMED_ON(80, "FFMA R0, R1, c[0x3][0x164], R2");

	EQ(ORDER_CONSTANT, r.order);
	EQ(0x300164, r.constant);
	EQ(0, r.flags);
	r = TIMED_ON(90, "ULDC.64 UR4, c[0x0][0x208]");
	EQ(ORDER_CONSTANT, r.order);
	EQ(0x208, r.constant);
	EQ(TIMED_PARAMETER, r.flags);
	r = TIMED_ON(90, "LDC R1, c[0x0][0x28]");
	EQ(KIND_LOAD, r.kind);
	EQ(ORDER_ATOMIC, r.order);
	EQ(TIMED_PARAMETER, r.flags);
	r = TIMED_ON(90, "FFMA R0, R1, R3, R2");
	EQ(ORDER_NONE, r.order);
}

TEST(sass_time, a_warp_waits_at_depbar_until_a_counter_is_low_enough)
{
	struct timed_inst r = TIMED_ON(90, "DEPBAR.LE SB5, 0x3");

	EQ(KIND_COUNT_WAIT, r.kind);
	EQ(timed_bound(5, 3), r.bound);
}

TEST(sass_time, calls_are_jumps_and_meeting_lanes_do_not_branch)
{
	EQ(KIND_BRANCH, TIMED_ON(90, "CALL.REL.NOINC 0x100").kind);
	EQ(KIND_INDIRECT, TIMED_ON(90, "RET.REL.NODEC R2 0x0").kind);
	EQ(KIND_MEET, TIMED_ON(90, "BSYNC B0").kind);
	EQ(KIND_BRANCH, TIMED_ON(90, "BRA 0x100").kind);
	EQ(KIND_EXIT, TIMED_ON(90, "EXIT").kind);
}

TEST(sass_time, memory_orders_decide_about_the_l1)
{
	EQ(0, TIMED_ON(90, "LDG.E R4, desc[UR4][R6.64]").flags);
	EQ(TIMED_READONLY,
	   TIMED_ON(90, "LDG.E.CONSTANT R4, desc[UR4][R6.64]").flags);
	EQ(TIMED_UNCACHED,
	   TIMED_ON(90, "LDG.E.STRONG.GPU R4, desc[UR4][R6.64]").flags);
	EQ(TIMED_UNCACHED | TIMED_SYSTEM,
	   TIMED_ON(80, "LDG.E.STRONG.SYS R4, desc[UR4][R6.64]").flags);
	EQ(TIMED_STREAMING,
	   TIMED_ON(90, "LDG.E.EF R4, desc[UR4][R6.64]").flags);
	EQ(TIMED_UNCACHED, TIMED_ON(75, "LDG.E.STRONG.GPU R4, [R6]").flags);
	EQ(0, TIMED_ON(75, "LDG.E.SYS R4, [R6]").flags);
	EQ(0, TIMED_ON(90, "LDS R4, [R6]").flags);
	EQ(TIMED_UNCACHED,
	   TIMED_ON(90, "LDGSTS.E.BYPASS.128 [R4], desc[UR4][R6.64]").flags);
	EQ(0, TIMED_ON(90, "LDGSTS.E [R4], desc[UR4][R6.64]").flags);
	EQ(TIMED_SHARES | TIMED_NO_RESULT,
	   TIMED_ON(90, "ATOMS.POPC.INC.32 RZ, [R4+URZ]").flags);
	EQ(TIMED_CAS, TIMED_ON(90, "ATOMS.CAS R4, [R6], R8, R9").flags);
	EQ(TIMED_SPIN, TIMED_ON(90, "ATOMS.CAST.SPIN R4, [R6], R8, R9").flags);
	EQ(TIMED_BLOCK, TIMED_ON(90, "MEMBAR.ALL.CTA").flags);
	EQ(0, TIMED_ON(90, "MEMBAR.SC.GPU").flags);
	EQ(TIMED_SYSTEM, TIMED_ON(90, "MEMBAR.SC.SYS").flags);
	EQ(TIMED_NO_RESULT,
	   TIMED_ON(90, "REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5").flags);
	EQ(0,
	   TIMED_ON(90, "ATOMG.E.ADD.STRONG.GPU PT, R4, desc[UR4][R2.64], R5")
		   .flags);
}

TEST(sass_time, a_unit_that_the_sm_lacks_is_replaced_or_refused)
{
	struct timed_inst r = { 0 };

	cfg_defaults(&cfg);
	parse(0, 90, "DADD R4, R6, R8");
	cfg.unit[UNIT_FP64].lanes = 0;
	OK(!sass_time_inst(&r, &code[0], 0, &cfg));
	parse(0, 90, "UIADD3 UR4, UR5, UR6, URZ");
	OK(sass_time_inst(&r, &code[0], 0, &cfg));
	EQ(UNIT_INT, r.unit);
	cfg.unit[UNIT_UNIFORM].lanes = 64;
	memset(&r, 0, sizeof(r));
	OK(sass_time_inst(&r, &code[0], 0, &cfg));
	EQ(UNIT_UNIFORM, r.unit);
	EQ(2, r.interval);
}

/* Cycles from a producer to a consumer of what it writes. */
static unsigned latency_of(unsigned sm, const char *from, const char *to)
{
	struct sass_latencies l;
	struct sass_use w[SASS_USES], r[SASS_USES];
	unsigned writes, reads;

	parse(0, sm, from);
	parse(1, sm, to);
	sass_latencies(&l, sm);
	writes = sass_uses(&code[0], w);
	reads = sass_uses(&code[1], r);
	for (unsigned i = 0; i < writes; i++)
		for (unsigned k = 0; k < reads; k++)
			if (w[i].writes && !r[k].writes &&
			    w[i].file == r[k].file && w[i].reg == r[k].reg)
				return l.cycles[sass_producer_of(&code[0],
								 &w[i])]
					       [sass_consumer_of(&code[1],
								 &r[k])];
	return 0;
}

/* The registers of a file that an instruction reads or writes, as bits. */
static uint32_t used(const char *text, enum sass_file file, bool writes)
{
	struct sass_use u[SASS_USES];
	uint32_t bits = 0;
	unsigned n;

	parse(0, 90, text);
	n = sass_uses(&code[0], u);
	for (unsigned i = 0; i < n; i++)
		if (u[i].file == file && u[i].writes == writes)
			bits |= 1u << u[i].reg;
	return bits;
}

TEST(sass_time, predicates_that_are_moved_are_read_or_written)
{
	EQ(0x15, used("R2P PR, R3, 0x15", SASS_FILE_P, true));
	EQ(0, used("R2P PR, R3, 0x15", SASS_FILE_P, false));
	EQ(1 << 3, used("R2P PR, R3, 0x15", SASS_FILE_R, false));
	EQ(0x7f, used("R2P PR, R3, R4", SASS_FILE_P, true));
	EQ(0x06, used("P2R R3, PR, RZ, 0x6", SASS_FILE_P, false));
	EQ(0, used("P2R R3, PR, RZ, 0x6", SASS_FILE_P, true));
	EQ(0x7f, used("P2R.B1 R3, PR, R3, R4", SASS_FILE_P, false));
	EQ(0x41, used("UR2UP UPR, UR4, 0x41", SASS_FILE_UP, true));
	EQ(0x7f, used("UR2UP UPR, UR4", SASS_FILE_UP, true));
	EQ(0x03, used("UP2UR UR4, UPR, URZ, 0x3", SASS_FILE_UP, false));
}

TEST(sass_time, the_index_of_a_constant_is_read)
{
	EQ(1 << 5, used("LDC R2, c[0x3][R5+0x10]", SASS_FILE_R, false));
	EQ(0, used("LDC R2, c[0x3][0x10]", SASS_FILE_R, false));
	EQ(1 << 6, used("ULDC UR4, c[0x3][UR6]", SASS_FILE_UR, false));
}

/* Where a smaller stall count changes the result on an H200. */
TEST(sass_time, latencies_are_those_that_an_h200_needs)
{
	EQ(4, latency_of(90, "FADD R5, R0, R5", "FADD R5, R0, R5"));
	EQ(4, latency_of(90, "IMAD R5, R5, R0, R2", "IMAD R5, R5, R0, R2"));
	EQ(4, latency_of(90, "LOP3.LUT R5, R5, 0x1, R0, 0x96, !PT",
			 "LOP3.LUT R5, R5, 0x1, R0, 0x96, !PT"));
	EQ(5, latency_of(90, "LOP3.LUT R5, R5, 0x1, R0, 0x96, !PT",
			 "IMAD R5, R5, R0, 0x1"));
	EQ(5, latency_of(90, "IMAD R5, R5, R0, 0x1",
			 "LOP3.LUT R5, R5, 0x1, R0, 0x96, !PT"));
	EQ(8, latency_of(90, "DADD R6, R4, R6", "DADD R6, R4, R6"));
	EQ(8,
	   latency_of(90, "HFMA2.MMA R5, R5, R0, R0", "HFMA2 R5, R5, R0, R0"));
}

TEST(sass_time, latencies_depend_on_the_operand_and_the_architecture)
{
	EQ(13, latency_of(90, "ISETP.GE.AND P0, PT, R0, 0x1, PT", "@P0 EXIT"));
	EQ(12, latency_of(75, "ISETP.GE.AND P0, PT, R0, 0x1, PT", "@P0 EXIT"));
	EQ(4, latency_of(90, "ISETP.GE.AND P0, PT, R0, 0x1, PT",
			 "SEL R4, R5, R6, P0"));
	EQ(5, latency_of(90, "IADD3 R6, R6, 0x1, RZ",
			 "LDG.E R4, desc[UR4][R6.64]"));
	EQ(3,
	   latency_of(90, "IMAD.WIDE R6, R4, R5, R8", "IADD3 R0, R6, R1, RZ"));
	EQ(5,
	   latency_of(90, "IMAD.WIDE R6, R4, R5, R8", "IADD3 R0, R7, R1, RZ"));
	EQ(6, latency_of(80, "DADD R6, R4, R6", "DADD R6, R4, R6"));
	EQ(6, latency_of(90, "UIADD3 UR4, UR5, 0x1, URZ",
			 "IADD3 R0, R1, UR4, RZ"));
	EQ(2,
	   latency_of(90, "ULDC UR4, c[0x0][0x210]", "IADD3 R0, R1, UR4, RZ"));
	EQ(24, latency_of(90, "HMMA.16816.F32 R4, R8, R12, R16",
			  "FADD R0, R7, R1"));
	EQ(16,
	   latency_of(90, "HMMA.1688.F32 R4, R8, R12, R16", "FADD R0, R7, R1"));
}

TEST(sass_time, comparisons_of_floats_are_integer_instructions)
{
	EQ(UNIT_INT, TIMED_ON(90, "FMNMX R0, R1, R2, PT").unit);
	EQ(UNIT_INT, TIMED_ON(90, "FSEL R0, R1, R2, P0").unit);
	EQ(UNIT_INT, TIMED_ON(90, "FSETP.GT.AND P0, PT, R1, R2, PT").unit);
	EQ(LAT_MAD, TIMED_ON(90, "VIADD R0, R1, 0x1").lat);
	EQ(LAT_WIDE, TIMED_ON(90, "IMAD.WIDE R6, R4, R5, R8").lat);
	EQ(LAT_CVT64, TIMED_ON(90, "F2F.F64.F32 R4, R6").lat);
	EQ(LAT_F2I, TIMED_ON(90, "F2I.TRUNC.NTZ R4, R6").lat);
}

TEST(sass_time, small_matrices_take_a_part_of_the_interval)
{
	/* lat.mma.interval is 8 where nothing else is said, and a sub-core has 8
	 * lanes for doubles. */
	EQ(8, TIMED_ON(90, "HMMA.16816.F32 R4, R8, R12, R16").interval);
	EQ(4, TIMED_ON(90, "HMMA.1688.F32 R4, R8, R12, R16").interval);
	EQ(8, TIMED_ON(90, "HMMA.1688.F32.TF32 R4, R8, R12, R16").interval);
	EQ(4, TIMED_ON(90, "HMMA.1684.F32.TF32 R4, R8, R12, R16").interval);
	EQ(8,
	   TIMED_ON(90, "IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R16").interval);
	EQ(4,
	   TIMED_ON(90, "IMMA.16816.S8.S8 R4, R8.ROW, R12.COL, R16").interval);
	/* Sparse: twice as deep in the same time. */
	EQ(8,
	   TIMED_ON(90, "HMMA.SP.16832.F32 R4, R8, R12, R16, R2, 0x1").interval);
	EQ(4,
	   TIMED_ON(90, "HMMA.SP.16816.F32 R4, R8, R12, R16, R2, 0x1").interval);
	EQ(8, TIMED_ON(90, "IMMA.SP.16864.S8.S8 R4, R8.ROW, R12.COL, R16, R2, "
			   "0x0")
		      .interval);
	EQ(16, TIMED_ON(90, "DMMA.8x8x4 R4, R8, R12, R16").interval);
	EQ(128, TIMED_ON(90, "DMMA.16x8x16 R4, R8, R12, R16").interval);
}
