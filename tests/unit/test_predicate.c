/*
 * Branches that sm.compiled replaces by guards (isa/ptx/predicate.h): which ones,
 * and what stands in their place. test_schedule.c runs them.
 */
#include <stdio.h>
#include <string.h>

#include "isa/ptx/predicate.h"
#include "isa/ptx/schedule.h"
#include "test.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"
#define REGS                                                         \
	".reg .pred %%p<9>; .reg .b32 %%r<99>; .reg .b64 %%rd<19>; " \
	".reg .f32 %%f<99>;\n"

static struct ptx_module *predicate(const char *body)
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

/* Checks the instructions that stood behind a branch, in the order of execution:
 * "!p1 ld" for @!%p1 ld. */
static void check_guards(const char *body, const char *want)
{
	struct ptx_module *m = predicate(body);
	const struct ptx_func *f = ptx_find_func(m, "k");
	char got[400] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < f->inst_count; i++) {
		const struct ptx_inst *in = &f->insts[i];

		if (in->apart)
			n += (size_t)snprintf(got + n, sizeof(got) - n,
					      "%s%s%s %.*s", n ? ", " : "",
					      in->guard_negated ? "!" : "",
					      f->regs[in->guard].name + 1,
					      (int)strcspn(in->op->text, "."),
					      in->op->text);
	}
	STREQ(want, got);
	ptx_module_free(m);
}

#define TEST1 "setp.eq.s32 %p1, %r1, %r2; "
#define LOAD "ld.global.f32 %f1, [%rd1]; "
#define STORE "st.global.f32 [%rd2], %f1; "

TEST(predicate, a_short_branch_becomes_the_guard_of_what_it_passes_by)
{
	check_guards(TEST1 "@%p1 bra L; " LOAD "L: " STORE, "!p1 ld");
	check_guards(TEST1 "@!%p1 bra L; " LOAD STORE "L: ", "p1 ld, p1 st");
}

TEST(predicate, two_paths_have_opposite_guards)
{
	check_guards(TEST1 "@%p1 bra L; " LOAD "bra M; "
			   "L: ld.global.f32 %f1, [%rd3]; M: " STORE,
		     "!p1 ld, !p1 mov, p1 ld");
	/* In the order in which some compilers leave them. */
	check_guards(TEST1 "@%p1 bra L; bra.uni K; L: " LOAD "bra.uni M; "
			   "K: ld.global.f32 %f1, [%rd3]; M: " STORE,
		     "p1 ld, !p1 mov, p1 mov, !p1 ld");
}

TEST(predicate, a_guard_may_be_combined_of_comparisons)
{
	check_guards(TEST1 "setp.eq.s32 %p2, %r1, %r3; or.pred %p3, %p1, %p2; "
			   "@%p3 bra L; " LOAD "L: " STORE,
		     "!p3 ld");
	check_guards(TEST1 "not.pred %p3, %p1; @%p3 bra L; " LOAD "L: " STORE,
		     "!p3 ld");
}

TEST(predicate, a_loop_whose_branches_are_guards_is_unrolled)
{
	struct ptx_module *m = predicate(
		"L: setp.eq.s32 %p2, %r1, %r3; mov.f32 %f1, 0f00000000; "
		"@%p2 bra M; " LOAD "M: add.f32 %f2, %f2, %f1; "
		"add.s64 %rd1, %rd1, 4; add.s32 %r1, %r1, 1; "
		"setp.lt.s32 %p1, %r1, %r2; @%p1 bra L; "
		"st.global.f32 [%rd2], %f2;");
	const struct ptx_func *f = ptx_find_func(m, "k");
	uint32_t first = 0, loads = 0;

	EQ(2, f->unroll_count);
	EQ(8, f->unrolls[0].copies);
	/* All loads come before the first sum. */
	for (uint32_t i = f->unrolls[0].first; i < f->unrolls[0].next; i++) {
		loads += f->insts[i].op->op == PTX_OP_LD && !first;
		if (f->insts[i].op->op == PTX_OP_ADD_F32 && !first)
			first = i;
	}
	EQ(8, loads);
	ptx_module_free(m);
}

TEST(predicate, what_must_not_be_executed_keeps_its_branch)
{
	static const char *const body[] = {
		"bar.sync 0; ",
		"atom.global.add.u32 %r4, [%rd1], 1; ",
		"ld.volatile.global.f32 %f1, [%rd1]; ",
		"@%p2 ld.global.f32 %f1, [%rd1]; ",
		"div.rn.f32 %f1, %f1, %f2; ",
		"shfl.sync.bfly.b32 %r4, %r5, 1, 31, -1; ",
		"add.cc.u32 %r4, %r5, %r6; ",
		"mov.u32 %r4, %clock; ",
		"setp.eq.s32 %p1, %r1, %r5; ",
		"ret; ",
	};
	char text[200];

	for (size_t i = 0; i < sizeof(body) / sizeof(body[0]); i++) {
		snprintf(text, sizeof(text), "%s@%%p1 bra L; %s%sL: %s", TEST1,
			 LOAD, body[i], STORE);
		check_guards(text, "");
	}
}

TEST(predicate, a_long_or_nested_path_keeps_its_branch)
{
	char text[2000] = TEST1 "@%p1 bra L; ";

	for (unsigned i = 0; i <= PREDICATE_ISSUED; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "mul.lo.s32 %%r%u, %%r1, %%r2; ", 10 + i);
	strcat(text, "L: " STORE);
	check_guards(text, "");
	check_guards(TEST1 "setp.eq.s32 %p2, %r1, %r3; @%p1 bra L; "
			   "@%p2 bra K; " LOAD "K: " STORE "L: add.s32 %r9, "
			   "%r9, 1; st.global.u32 [%rd1], %r9;",
		     "!p2 ld");
}

TEST(predicate, a_path_that_others_enter_keeps_its_branch)
{
	check_guards("setp.eq.s32 %p2, %r1, %r3; @%p2 bra K; " TEST1
		     "@%p1 bra L; " LOAD "K: " STORE "L: "
		     "st.global.u32 [%rd1], %r9;",
		     "");
}

TEST(predicate, a_predicate_that_is_set_twice_is_no_guard)
{
	check_guards("setp.eq.s32 %p1, %r1, %r3; st.global.u32 [%rd2], %r1; "
		     "selp.b32 %r5, 1, 2, %p1; " TEST1 "@%p1 bra L; " LOAD
		     "L: " STORE "st.global.u32 [%rd2], %r5;",
		     "");
}
