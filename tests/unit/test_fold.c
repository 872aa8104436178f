/*
 * What a compiler makes no machine instruction of: which instructions of PTX are
 * folded, and that they take no time.
 */
#include <stdio.h>
#include <string.h>

#include "isa/ptx/fold.h"
#include "isa/ptx/schedule.h"
#include "test.h"

#include "run_ptx.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"
#define REGS                                                    \
	".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<99>; " \
	".reg .b64 %rd<19>; .reg .f32 %f<99>; .reg .f64 %d<9>;\n"

/* Checks the folds of a body, one letter for each instruction of the text: '-'
 * none, 'A'way, 'M'ad, a'L'u. */
static void check_folds(const char *body, const char *want)
{
	static const char letters[] = "-AML";
	char text[4000], got[100] = "";
	struct diag d = { .text = "" };
	struct ptx_module *m;
	const struct ptx_func *f;
	struct cfg cfg;

	snprintf(text, sizeof(text), "%s%s%s%s%s", HEAD,
		 ".visible .entry k(.param .u64 a, .param .u32 n) {\n", REGS,
		 body, "\nret;\n}\n");
	cfg_defaults(&cfg);
	cfg.sm.compiled = true;
	EQ(ERR_OK, ptx_parse(&m, "t", text, strlen(text), &d));
	STREQ("", d.text);
	EQ(ERR_OK, ptx_schedule(m, &cfg, &d));
	f = ptx_find_func(m, "k");
	OK(f->inst_count < sizeof(got));
	for (uint32_t i = 0; i + 1 < f->inst_count; i++)
		got[f->place[i]] = letters[f->fold[i]];
	STREQ(want, got);
	ptx_module_free(m);
}

TEST(fold, parameters_constants_and_copies_are_operands)
{
	check_folds("ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd2, %rd1;"
		    "mov.u32 %r1, 5; mov.u32 %r2, %r1; mov.u32 %r3, %tid.x;"
		    "mov.b64 %rd3, {%r1, %r2}; mov.b64 {%r4, %r5}, %rd3;",
		    "AAAA-AA");
	/* A register that is written twice has to be set. */
	check_folds("mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1;"
		    "setp.lt.u32 %p1, %r1, 9; @%p1 bra L;",
		    "----");
	/* So has one with a guard. */
	check_folds("@%p1 mov.u32 %r1, %r2;", "-");
}

TEST(fold, a_multiplication_disappears_in_the_addition_that_reads_it)
{
	check_folds("mul.lo.s32 %r1, %r2, %r3; add.s32 %r4, %r1, %r5;", "AM");
	check_folds("mul.wide.s32 %rd1, %r2, 4; add.s64 %rd2, %rd3, %rd1;",
		    "AM");
	check_folds("mul.f32 %f1, %f2, %f3; sub.f32 %f4, %f1, %f5;", "A-");
	/* It is computed for each sum that reads it. */
	check_folds("mul.wide.s32 %rd1, %r2, 4; add.s64 %rd2, %rd3, %rd1;"
		    "add.s64 %rd4, %rd5, %rd1;",
		    "AMM");
	/* a rounding mode; another reader; another block; a guard */
	check_folds("mul.rn.f32 %f1, %f2, %f3; sub.f32 %f4, %f1, %f5;", "--");
	check_folds("mul.lo.s32 %r1, %r2, %r3; add.s32 %r4, %r1, %r5;"
		    "xor.b32 %r6, %r1, %r5;",
		    "---");
	check_folds("mul.lo.s32 %r1, %r2, %r3; @%p1 bra L; L:"
		    "add.s32 %r4, %r1, %r5;",
		    "---");
	check_folds("mul.lo.s32 %r1, %r2, %r3; @%p1 add.s32 %r4, %r1, %r5;",
		    "--");
}

TEST(fold, an_instruction_takes_one_other)
{
	check_folds("mul.lo.s32 %r1, %r2, %r3; mul.lo.s32 %r4, %r2, %r2;"
		    "add.s32 %r5, %r1, %r4;",
		    "A-M");
	check_folds("add.s32 %r1, %r2, %r3; add.s32 %r4, %r1, %r5;"
		    "add.s32 %r6, %r4, %r5;",
		    "A--");
	check_folds("shl.b32 %r1, %r2, 2; add.s32 %r4, %r1, %r5;", "A-");
	check_folds("shl.b32 %r1, %r2, %r3; add.s32 %r4, %r1, %r5;", "--");
	check_folds("and.b32 %r1, %r2, %r3; xor.b32 %r4, %r1, %r5;"
		    "or.b32 %r6, %r4, %r5;",
		    "A--");
	check_folds("neg.f32 %f1, %f2; add.f32 %f4, %f1, %f5;", "A-");
}

TEST(fold, a_constant_is_part_of_the_address)
{
	check_folds("add.s64 %rd2, %rd1, 64; ld.global.f32 %f1, [%rd2];"
		    "st.global.f32 [%rd2+4], %f1;",
		    "A--");
	/* The sum is also stored; not a constant; written again. */
	check_folds("add.s64 %rd2, %rd1, 64; ld.global.f32 %f1, [%rd2];"
		    "st.global.u64 [%rd1], %rd2;",
		    "---");
	check_folds("add.s64 %rd2, %rd1, %rd3; ld.global.f32 %f1, [%rd2];",
		    "--");
	check_folds("L: ld.global.f32 %f1, [%rd2]; add.s64 %rd2, %rd2, 4;"
		    "@%p1 bra L;",
		    "---");
}

TEST(fold, conversions_of_width)
{
	check_folds("cvt.u64.u32 %rd1, %r1; cvt.u32.u64 %r2, %rd2;"
		    "cvt.s64.s32 %rd3, %r3; cvt.u32.u16 %r4, %h1;",
		    "AALL");
	check_folds("cvt.sat.u8.u32 %r1, %r2; cvt.rn.f32.u32 %f1, %r2;", "--");
}

TEST(fold, predicates_are_combined_by_comparisons)
{
	check_folds("setp.lt.s32 %p1, %r1, %r2; setp.lt.s32 %p2, %r3, %r4;"
		    "and.pred %p3, %p1, %p2; not.pred %p4, %p3;"
		    "@%p4 bra L; L:",
		    "--AA-");
	check_folds("and.pred %p3, %p1, %p2; @%p3 bra L; L:", "--");
}

/* ---- time ---- */

/* The cycles and the issued instructions of a kernel of one warp. */
static void run_one(const char *body, const char *set, uint64_t *cycles,
		    uint64_t *issued)
{
	char text[4000];
	struct heddle_device_options o = { 0 };
	struct heddle_timing_options timing = { 0 };
	struct heddle_result result;
	struct heddle_config *c;
	struct heddle_device *dev;
	struct heddle_module *mod;
	struct heddle_error err;
	struct heddle_stat stat;
	uint64_t params[2] = { 0, 1 };
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 1, 1, 1 },
				   .block = { 32, 1, 1 },
				   .params = params,
				   .param_bytes = 12,
				   .timing = &timing };

	snprintf(text, sizeof(text), "%s%s%s%s%s", HEAD,
		 ".visible .entry k(.param .u64 a, .param .u32 n) {\n", REGS,
		 body, "\nret;\n}\n");
	EQ(0,
	   heddle_config_load(&c, HEDDLE_SOURCE_DIR "/configs/h200.cfg", &err));
	EQ(0, heddle_config_set(c, set, &err));
	o.config = c;
	EQ(0, heddle_device_new(&dev, &o, &err));
	heddle_config_free(c);
	EQ(0, heddle_module_load(dev, &mod, "t", text, strlen(text), &err));
	STREQ("", err.text);
	EQ(0, heddle_alloc(dev, 4096, &params[0], NULL));
	EQ(0, heddle_launch(dev, mod, &l, &result, &err));
	STREQ("", err.text);
	*cycles = result.cycles;
	EQ(0, heddle_stats_find(heddle_timing_stats(heddle_device_timing(dev)),
				"sm.instructions", &stat, &err));
	*issued = (uint64_t)stat.value;
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
}

#define START "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n];"
#define END "st.global.u32 [%rd1], %r2;"

TEST(fold, what_is_folded_takes_no_time)
{
	uint64_t cycles, issued, with, more;

	run_one(START "mad.lo.u32 %r2, %r1, %r1, %r1;" END, "sm.compiled=yes",
		&cycles, &issued);
	run_one(START "mov.u32 %r3, %r1; mul.lo.u32 %r4, %r3, %r1;"
		      "add.u32 %r2, %r4, %r3;" END,
		"sm.compiled=yes", &with, &more);
	EQ(issued, more);
	EQ(3, issued);          /* mad, st, ret */
	OK(with <= cycles + 1); /* the instruction cache */
	run_one(START "mov.u32 %r3, %r1; mul.lo.u32 %r4, %r3, %r1;"
		      "add.u32 %r2, %r4, %r3;" END,
		"sm.compiled=no", &with, &more);
	EQ(7, more);
}

/* A folded instruction whose operand is still to be loaded waits for it. */
TEST(fold, what_reads_a_load_waits_for_it)
{
	uint64_t quick, plain, issued, with, more;

	run_one(START "add.u32 %r2, %r1, 1;" END, "sm.compiled=yes", &quick,
		&issued);
	run_one(START "ld.global.u32 %r3, [%rd1]; add.u32 %r2, %r3, 1;" END,
		"sm.compiled=yes", &plain, &issued);
	run_one(START "ld.global.u32 %r3, [%rd1]; mov.u32 %r4, %r3;"
		      "add.u32 %r2, %r4, 1;" END,
		"sm.compiled=yes", &with, &more);
	OK(plain > quick + 200 && with >= plain && with <= plain + 4);
	OK(more <= issued + 1);
}

/* The result of a call is there only when the call has ended. */
TEST(fold, only_a_kernels_own_parameters_are_operands)
{
	check_folds(".param .b64 q; ld.param.u64 %rd1, [a];"
		    "ld.param.u64 %rd2, [q]; add.u64 %rd3, %rd1, %rd2;"
		    "st.global.u64 [%rd3], %rd3;",
		    "A---");
}
