/*
 * Loops that sm.compiled unrolls (isa/ptx/unroll.h): which ones, how often, and
 * what the copies are made of. test_schedule.c runs them.
 */
#include <stdio.h>
#include <string.h>

#include "isa/ptx/fold.h"
#include "isa/ptx/schedule.h"
#include "isa/ptx/unroll.h"
#include "test.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"
#define REGS                                                         \
	".reg .pred %%p<9>; .reg .b32 %%r<99>; .reg .b64 %%rd<19>; " \
	".reg .f32 %%f<99>;\n"

static struct ptx_module *compile(const char *body)
{
	char text[4000];
	struct diag d = { .text = "" };
	struct ptx_module *m;
	struct cfg cfg;

	snprintf(text, sizeof(text),
		 HEAD ".visible .entry k(.param .u64 a) {\n" REGS
		      "%s\nret;\n}\n",
		 body);
	cfg_defaults(&cfg);
	cfg.sm.compiled = true;
	EQ(ERR_OK, ptx_parse(&m, "t", text, strlen(text), &d));
	STREQ("", d.text);
	EQ(ERR_OK, ptx_schedule(m, &cfg, &d));
	return m;
}

/* Checks how often the loops of a body are unrolled: "16 4" for copies of 16 and
 * of 4 iterations. */
static void check_copies(const char *body, const char *want)
{
	struct ptx_module *m = compile(body);
	const struct ptx_func *f = ptx_find_func(m, "k");
	char got[100] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < f->unroll_count; i++)
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%u",
				      n ? " " : "", f->unrolls[i].copies);
	STREQ(want, got);
	ptx_module_free(m);
}

#define LOOP(before, test)                      \
	"L: ld.global.f32 %f1, [%rd1]; " before \
	"add.f32 %f2, %f2, %f1; add.s64 %rd1, %rd1, 4; " test " @%p1 bra L;"
#define TEST_UP "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r2;"

TEST(unroll, a_small_loop_with_a_load_is_sixteen_and_four_iterations)
{
	check_copies(LOOP("", TEST_UP), "16 4");
}

TEST(unroll, counters_may_go_down_be_copied_or_be_tested_first)
{
	check_copies(LOOP("", "sub.u32 %r1, %r1, 2; setp.ne.s32 %p1, %r1, 0;"),
		     "16 4");
	check_copies(LOOP("", "add.s32 %r3, %r1, 32; "
			      "setp.lt.s32 %p1, %r3, %r2; mov.u32 %r1, %r3;"),
		     "16 4");
	check_copies(LOOP("", "setp.gt.s32 %p1, %r2, %r1; "
			      "add.s32 %r1, %r1, 7;"),
		     "16 4");
	check_copies(LOOP("", "add.s32 %r3, %r1, 1; setp.lt.s32 %p1, %r1, 99; "
			      "mov.u32 %r1, %r3;"),
		     "16 4");
	check_copies(LOOP("", "add.s64 %rd2, %rd2, -1; "
			      "setp.ne.s64 %p1, %rd2, 0;"),
		     "16 4");
}

TEST(unroll, a_branch_may_go_back_if_the_predicate_is_false)
{
	check_copies("L: ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f2, %f1;"
		     "add.s32 %r1, %r1, 1; setp.ge.s32 %p1, %r1, %r2;"
		     "@!%p1 bra L;",
		     "16 4");
}

TEST(unroll, longer_loops_have_fewer_copies)
{
	/* More than 12 instructions are issued in an iteration. */
	check_copies(
		LOOP("ld.global.f32 %f3, [%rd2]; ld.global.f32 %f4, [%rd3];"
		     "ld.global.f32 %f5, [%rd4]; add.f32 %f6, %f3, %f4;"
		     "mul.f32 %f7, %f6, %f6; mul.f32 %f2, %f7, %f5;"
		     "sqrt.approx.f32 %f2, %f2; mul.f32 %f2, %f2, %f3; "
		     "sqrt.approx.f32 %f2, %f2; ",
		     TEST_UP),
		"4");
	/* without loads */
	check_copies("L: mul.lo.s32 %r3, %r3, %r4; add.s32 %r1, %r1, 1;"
		     "setp.lt.s32 %p1, %r1, %r2; @%p1 bra L;",
		     "4");
}

TEST(unroll, a_pragma_leaves_its_loop_alone)
{
	check_copies("L: .pragma \"nounroll\"; ld.global.f32 %f1, [%rd1]; "
		     "add.f32 %f2, %f2, %f1; " TEST_UP " @%p1 bra L; "
		     "M: ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f2, %f1; "
		     "add.s32 %r1, %r1, 1; setp.lt.s32 %p2, %r1, %r3; "
		     "@%p2 bra M;",
		     "16 4");
	check_copies(".pragma \"other\"; " LOOP("", TEST_UP), "16 4");
}

TEST(unroll, what_does_not_count_is_left_alone)
{
	/* the limit changes */
	check_copies(LOOP("", "add.s32 %r1, %r1, 1; add.s32 %r2, %r2, 1;"
			      "setp.lt.s32 %p1, %r1, %r2;"),
		     "");
	/* the step is not known, or changes */
	check_copies(LOOP("", "add.s32 %r1, %r1, %r9; "
			      "setp.lt.s32 %p1, %r1, %r2;"),
		     "");
	check_copies(LOOP("", "add.s32 %r1, %r1, %r3; add.s32 %r3, %r3, 1;"
			      "setp.lt.s32 %p1, %r1, %r2;"),
		     "");
	/* a pointer is chased, a value is compared */
	check_copies("L: ld.global.u64 %rd1, [%rd1]; setp.ne.s64 %p1, %rd1, 0;"
		     "@%p1 bra L;",
		     "");
	check_copies(LOOP("",
			  "add.s32 %r1, %r1, 1; setp.lt.f32 %p1, %f1, %f3;"),
		     "");
	/* the test has more than one part, or a guard */
	check_copies(LOOP("", "add.s32 %r1, %r1, 1; "
			      "setp.lt.and.s32 %p1, %r1, %r2, %p2;"),
		     "");
	check_copies(LOOP("", "add.s32 %r1, %r1, 1; "
			      "@%p2 setp.lt.s32 %p1, %r1, %r2;"),
		     "");
	check_copies(LOOP("", "@%p2 add.s32 %r1, %r1, 1; "
			      "setp.lt.s32 %p1, %r1, %r2;"),
		     "");
}

TEST(unroll, what_must_keep_its_order_is_left_alone)
{
	check_copies(LOOP("atom.global.add.u32 %r5, [%rd2], 1; ", TEST_UP), "");
	check_copies(LOOP("bar.sync 0; ", TEST_UP), "");
	check_copies(LOOP("ld.volatile.global.f32 %f3, [%rd2]; ", TEST_UP), "");
	check_copies(LOOP("@%p2 ld.global.f32 %f3, [%rd2]; ", TEST_UP), "");
	check_copies(LOOP("shfl.sync.bfly.b32 %r5, %r6, 1, 31, -1; ", TEST_UP),
		     "");
	check_copies(LOOP("mov.u32 %r5, %clock; ", TEST_UP), "");
	check_copies(LOOP("add.cc.u32 %r5, %r6, 1; addc.u32 %r6, %r7, 0; ",
			  TEST_UP),
		     "");
}

/* In the copies, what counts takes no time but in the last one, all loads come
 * before all sums, and registers of one iteration have a name in each. */
TEST(unroll, copies_count_once_and_load_together)
{
	struct ptx_module *m = compile(LOOP("", TEST_UP));
	const struct ptx_func *f = ptx_find_func(m, "k");
	const struct ptx_unroll *u = &f->unrolls[1];
	uint32_t issued = 0, loads = 0, sums = 0, tests = 0, result[4];

	EQ(4u, u->copies);
	for (uint32_t i = u->first; i < u->next; i++) {
		unsigned op = f->insts[i].op->op;

		OK(f->copy[i] >= 1);
		tests += op == PTX_OP_SETP_S32;
		if (f->fold[i] == FOLD_AWAY)
			continue;
		issued++;
		sums += op == PTX_OP_ADD_F32;
		if (op == PTX_OP_LD) {
			EQ(0u, sums);
			result[loads++] = f->insts[i].opnds[0].reg;
		}
	}
	EQ(4u, tests);
	EQ(4u, loads);
	EQ(4u, sums);
	/* Two sums for counters, a comparison, two branches. */
	EQ(4u + 4 + 2 + 1 + 2, issued);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < i; k++)
			OK(result[i] != result[k]);
	ptx_module_free(m);
}
