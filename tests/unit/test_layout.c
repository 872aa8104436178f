/*
 * The order of basic blocks that sm.compiled makes (isa/ptx/layout.h): which
 * instruction of the text stands where. test_schedule.c runs such programs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ptx/flow.h"
#include "isa/ptx/layout.h"
#include "isa/ptx/print.h"
#include "isa/ptx/schedule.h"
#include "test.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"
#define REGS                                                         \
	".reg .pred %%p<9>; .reg .b32 %%r<99>; .reg .b64 %%rd<19>; " \
	".reg .f32 %%f<99>;\n"

static struct ptx_module *parse(const char *body)
{
	char text[4000];
	struct diag d = { .text = "" };
	struct ptx_module *m;

	snprintf(text, sizeof(text),
		 HEAD ".visible .entry k(.param .u64 a) {\n" REGS
		      "%s\nret;\n}\n",
		 body);
	EQ(ERR_OK, ptx_parse(&m, "t", text, strlen(text), &d));
	STREQ("", d.text);
	return m;
}

/* One instruction: its place in the text, with the guard and the label of a
 * branch, "-" for what counts as a jump, "+" for a jump that is added. */
static size_t put(char *to, size_t room, const struct ptx_func *f, uint32_t i)
{
	const struct ptx_inst *in = &f->insts[i];
	bool jumped = f->text[f->place[i]].op->op == PTX_OP_BRA;

	if (in->op->op != PTX_OP_BRA)
		return (size_t)snprintf(to, room, "%s%u%s", i ? " " : "",
					f->place[i], jumped ? "-" : "");
	return (size_t)snprintf(
		to, room, " %u%s%s%s>%s", f->place[i], f->copy[i] ? "+" : "",
		in->guard == PTX_NO_REG ? "" :
		in->guard_negated       ? "!" :
					  "@",
		in->guard == PTX_NO_REG ? "" : f->regs[in->guard].name + 1,
		f->labels[in->opnds[0].label].name);
}

/* Checks the order of a body; "": it stays as it is. */
static void check_layout(const char *body, const char *want)
{
	struct ptx_module *m = parse(body);
	struct ptx_func *f = ptx_find_func(m, "k");
	struct arena scratch = { 0 };
	struct diag d = { .text = "" };
	struct ptx_flow flow;
	char got[400] = "";
	bool changed;
	size_t n = 0;

	EQ(ERR_OK, ptx_flow(&flow, f, &scratch, &d));
	EQ(ERR_OK, layout_blocks(m, f, &flow, &changed, &scratch, &d));
	for (uint32_t i = 0; changed && i + 1 < f->inst_count; i++)
		n += put(got + n, sizeof(got) - n, f, i);
	STREQ(want, got);
	EQ(strlen(want) > 0, changed);
	arena_free(&scratch);
	ptx_module_free(m);
}

TEST(layout, a_loop_that_was_rotated_stands_as_it_is_executed)
{
	/* its end falls into its beginning */
	check_layout("bra H; R: add.s32 %r1, %r1, 1; "
		     "setp.eq.s32 %p1, %r1, %r2; @%p1 bra E; "
		     "H: add.s32 %r3, %r3, %r1; bra R; E:",
		     "0- 4 5- 1 2 3!p1>H");
	/* or jumps back to it, and elsewhere */
	check_layout("bra H; R: setp.eq.s32 %p1, %r1, %r2; @%p1 bra H; bra E; "
		     "H: add.s32 %r3, %r3, %r1; bra R; E:",
		     "0- 4 5- 1 2@p1>H 3-");
}

TEST(layout, rotated_loops_may_be_in_each_other)
{
	check_layout("bra H; R: setp.eq.s32 %p1, %r1, %r2; @%p1 bra E; "
		     "H: bra K; S: setp.eq.s32 %p2, %r1, %r3; @%p2 bra R; "
		     "K: add.s32 %r1, %r1, 1; bra S; E:",
		     "0- 3- 6 7- 4 5!p2>K 1 2!p1>H");
}

TEST(layout, a_branch_out_of_a_loop_and_a_jump_back_are_a_branch_back)
{
	check_layout("L: add.s32 %r1, %r1, 1; setp.eq.s32 %p1, %r1, %r2; "
		     "@%p1 bra E; bra.uni L; E:",
		     "0 1 3- 2!p1>L");
	check_layout("L: add.s32 %r1, %r1, 1; setp.eq.s32 %p1, %r1, %r2; "
		     "@!%p1 bra E; bra.uni L; E:",
		     "0 1 3- 2@p1>L");
}

TEST(layout, a_loop_is_left_by_a_jump_if_something_else_is_behind_it)
{
	check_layout("setp.eq.s32 %p2, %r1, 0; @%p2 bra F; "
		     "L: add.s32 %r1, %r1, 1; setp.eq.s32 %p1, %r1, %r2; "
		     "@%p1 bra E; bra.uni L; F: add.s32 %r3, %r3, 1; E:",
		     "0 1@p2>F 2 3 5- 4!p1>L 4+>E 6");
}

TEST(layout, a_jump_to_what_is_next_takes_no_time)
{
	check_layout("setp.eq.s32 %p1, %r1, %r2; @!%p1 bra E; bra.uni A; "
		     "A: add.s32 %r1, %r1, 1; E:",
		     "0 1!p1>E 2- 3");
}

TEST(layout, what_is_in_order_stays)
{
	check_layout("L: add.s32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, %r2; "
		     "@%p1 bra L;",
		     "");
	/* a test at the end, and a jump to it */
	check_layout("bra T; L: add.s32 %r1, %r1, 1; "
		     "T: setp.ne.s32 %p1, %r1, %r2; @%p1 bra L;",
		     "");
	/* a branch out of the loop to where only some lanes go: they go first */
	check_layout("L: setp.eq.s32 %p2, %r3, %r2; @%p2 bra E; "
		     "setp.eq.s32 %p1, %r1, %r2; @%p1 bra F; bra L; "
		     "F: add.s32 %r3, %r3, 1; E:",
		     "");
}

TEST(layout, the_text_is_printed_in_its_own_order)
{
	const char *body = "bra.uni H;\nR:\nadd.s32 %r1, %r1, 1;\n"
			   "setp.eq.s32 %p1, %r1, %r2;\n@%p1 bra E;\n"
			   "H:\nadd.s32 %r3, %r3, %r1;\nbra.uni R;\nE:\n";
	struct ptx_module *m = parse(body), *moved = parse(body);
	char *before = ptx_print(m), *after, *executed;
	struct diag d = { .text = "" };
	struct cfg cfg;

	cfg_defaults(&cfg);
	cfg.sm.compiled = true;
	EQ(ERR_OK, ptx_schedule(moved, &cfg, &d));
	after = ptx_print(moved);
	executed = ptx_print_executed(moved);
	STREQ(strstr(before, "bra.uni H"), strstr(after, "bra.uni H"));
	OK(strstr(executed, "H:\n") < strstr(executed, "bra H"));
	OK(!strstr(executed, "R:\n"));
	free(before);
	free(after);
	free(executed);
	ptx_module_free(m);
	ptx_module_free(moved);
}
