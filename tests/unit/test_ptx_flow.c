/* Basic blocks and where branches reconverge: graphs made by hand, and random
 * ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ptx/flow.h"
#include "test.h"

/* A kernel, its flow, and the arena that holds it. */
struct rig {
	struct ptx_module *m;
	struct ptx_func *f;
	struct arena a;
	struct ptx_flow flow;
};

/* In the body, `p` is a predicate, `r` a register, `nop;` an instruction. */
static void setup(struct rig *r, const char *body)
{
	char text[3000], *s = text;
	struct diag d = { .text = "" };
	enum err e;

	memset(r, 0, sizeof(*r));
	s += sprintf(s, ".version 8.0\n.target sm_90\n.address_size 64\n"
			".func stop() .noreturn; .func go();\n"
			".entry k() { .reg .pred p; .reg .u32 r;\n");
	while (*body) {
		bool nop = !strncmp(body, "nop;", 4);

		s += sprintf(s, nop ? "mov.u32 r, 1;" : "%c", *body);
		body += nop ? 4 : 1;
	}
	sprintf(s, "\n}");
	e = ptx_parse(&r->m, "t", text, strlen(text), &d);
	STREQ("", d.text);
	EQ(ERR_OK, e);
	r->f = ptx_find_func(r->m, "k");
	EQ(ERR_OK, ptx_flow(&r->flow, r->f, &r->a, &d));
}

static void teardown(struct rig *r)
{
	arena_free(&r->a);
	ptx_module_free(r->m);
}

/* Where the paths of instruction i reconverge; -1: at the end. */
static int64_t join(const struct rig *r, int i)
{
	uint32_t j = r->flow.join[i];

	return j == PTX_NO_JOIN ? -1 : (int64_t)j;
}

TEST(ptx_flow, a_function_without_branches_is_one_block)
{
	struct rig r;

	setup(&r, "nop; nop; ret;");
	EQ(1, r.flow.block_count);
	EQ(0, r.flow.starts[0]);
	EQ(PTX_NO_JOIN, r.flow.ipdom[0]);
	EQ(-1, join(&r, 0));
	teardown(&r);
}

TEST(ptx_flow, an_empty_function_has_no_blocks)
{
	struct rig r;

	setup(&r, "");
	EQ(0, r.flow.block_count);
	teardown(&r);
	setup(&r, "end:");
	EQ(0, r.flow.block_count);
	teardown(&r);
}

TEST(ptx_flow, a_label_that_nothing_jumps_to_begins_no_block)
{
	struct rig r;

	setup(&r, "nop; tmp0: nop; tmp1: nop; ret;");
	EQ(1, r.flow.block_count);
	teardown(&r);
	setup(&r, "tmp0: @p bra end; tmp1: nop; tmp2: nop; end: tmp3: ret;");
	EQ(3, r.flow.block_count);
	EQ(1, r.flow.starts[1]);
	EQ(3, r.flow.starts[2]);
	EQ(3, join(&r, 0));
	teardown(&r);
}

TEST(ptx_flow, an_if_meets_after_it)
{
	struct rig r;

	setup(&r, "@p bra skip; nop; skip: nop; ret;");
	EQ(2, join(&r, 0));
	EQ(3, r.flow.block_count);
	EQ(1, r.flow.starts[1]);
	EQ(2, r.flow.starts[2]);
	EQ(2, r.flow.ipdom[0]);
	teardown(&r);
}

TEST(ptx_flow, a_diamond_meets_at_its_end)
{
	struct rig r;

	setup(&r, "@p bra else; nop; bra end; else: nop; end: ret;");
	EQ(4, join(&r, 0));
	EQ(4, join(&r, 2));
	teardown(&r);
}

TEST(ptx_flow, diamonds_inside_each_other_meet_inside_out)
{
	struct rig r;

	setup(&r, "@p bra b; @p bra a1; nop; bra a2; a1: nop; a2: bra end;"
		  "b: nop; end: ret;");
	EQ(7, join(&r, 0));
	EQ(5, join(&r, 1));
	teardown(&r);
}

TEST(ptx_flow, a_loop_meets_after_it)
{
	struct rig r;

	setup(&r, "nop; top: nop; @p bra top; nop; ret;");
	EQ(3, join(&r, 2));
	teardown(&r);
}

TEST(ptx_flow, loops_inside_each_other_meet_each_after_itself)
{
	struct rig r;

	setup(&r, "outer: nop; inner: nop; @p bra inner; nop; @p bra outer;"
		  "nop; ret;");
	EQ(3, join(&r, 2));
	EQ(5, join(&r, 4));
	teardown(&r);
}

TEST(ptx_flow, a_break_meets_after_the_loop)
{
	struct rig r;

	setup(&r, "top: nop; @p bra out; nop; @p bra next; nop; next: nop;"
		  "bra top; out: ret;");
	EQ(7, join(&r, 1));
	EQ(5, join(&r, 3));
	EQ(0, join(&r, 6));
	teardown(&r);
}

TEST(ptx_flow, a_branch_to_a_return_meets_only_at_the_end)
{
	struct rig r;

	setup(&r, "@p bra other; nop; ret; other: nop; ret;");
	EQ(-1, join(&r, 0));
	teardown(&r);
}

TEST(ptx_flow, a_guarded_exit_also_falls_through)
{
	struct rig r;

	setup(&r, "@p bra a; nop; @p exit; nop; a: nop; ret;");
	EQ(-1, join(&r, 0));
	EQ(4, r.flow.block_count);
	teardown(&r);
	setup(&r, "@p bra a; nop; nop; a: @p ret; nop; ret;");
	EQ(3, join(&r, 0));
	teardown(&r);
}

TEST(ptx_flow, a_trap_and_a_call_that_never_returns_end_a_path)
{
	struct rig r;

	setup(&r, "@p bra a; trap; a: nop; ret;");
	EQ(-1, join(&r, 0));
	teardown(&r);
	setup(&r, "@p bra a; call stop; a: nop; ret;");
	EQ(-1, join(&r, 0));
	EQ(3, r.flow.block_count);
	teardown(&r);
	setup(&r, "@p bra a; call go; a: nop; ret;");
	EQ(2, join(&r, 0));
	teardown(&r);
}

TEST(ptx_flow, an_indexed_branch_meets_where_all_targets_do)
{
	struct rig r;

	setup(&r, "ts: .branchtargets a, b, c; brx.idx r, ts; a: nop; bra end;"
		  "b: nop; bra end; c: nop; end: ret;");
	EQ(6, join(&r, 0));
	EQ(5, r.flow.block_count);
	teardown(&r);
}

TEST(ptx_flow, an_irreducible_loop_meets_after_it)
{
	struct rig r;

	setup(&r, "@p bra b; a: nop; @p bra out; b: nop; @p bra a; out: ret;");
	EQ(5, join(&r, 0));
	EQ(5, join(&r, 2));
	EQ(5, join(&r, 4));
	teardown(&r);
}

TEST(ptx_flow, branches_inside_an_endless_loop_still_meet)
{
	struct rig r;

	setup(&r, "top: @p bra skip; nop; skip: nop; bra top;");
	EQ(2, join(&r, 0));
	EQ(-1, join(&r, 3));
	teardown(&r);
}

TEST(ptx_flow, an_endless_loop_beside_a_way_out_has_no_join)
{
	struct rig r;

	setup(&r, "@p bra out; top: nop; bra top; out: ret;");
	EQ(-1, join(&r, 0));
	teardown(&r);
}

TEST(ptx_flow, code_that_is_never_reached_is_harmless)
{
	struct rig r;

	setup(&r, "bra a; dead: nop; bra a; a: @p bra b; nop; b: ret;");
	EQ(5, join(&r, 3));
	teardown(&r);
}

TEST(ptx_flow, a_branch_to_the_closing_brace_meets_only_there)
{
	struct rig r;

	setup(&r, "@p bra end; nop; end:");
	EQ(-1, join(&r, 0));
	teardown(&r);
}

/* Marks what `from` reaches in the graph without the node `without`; the end is
 * the node after the last instruction. */
static void mark(const struct ptx_func *f, uint32_t from, uint32_t without,
		 bool *seen)
{
	uint32_t *stack = calloc(2u * f->inst_count + 2, sizeof(*stack));
	uint32_t n = 0;

	memset(seen, 0, f->inst_count + 1u);
	stack[n++] = from;
	while (n) {
		uint32_t i = stack[--n];
		const struct ptx_inst *in = &f->insts[i];

		if (i == without || seen[i])
			continue;
		seen[i] = true;
		if (i == f->inst_count)
			continue;
		if (in->op->op == PTX_OP_BRA)
			stack[n++] = f->labels[in->opnds[0].label].inst;
		else if (in->op->op == PTX_OP_RET)
			stack[n++] = f->inst_count;
		if (in->guard != PTX_NO_REG ||
		    (in->op->op != PTX_OP_BRA && in->op->op != PTX_OP_RET))
			stack[n++] = i + 1;
	}
	free(stack);
}

enum { MOST = 32 };

static bool reaches(const struct ptx_func *f, uint32_t from, uint32_t without)
{
	bool seen[MOST + 1];

	mark(f, from, without, seen);
	return seen[f->inst_count];
}

/* Whether it reaches a node from which the end cannot be reached. */
static bool may_loop_for_ever(const struct ptx_func *f, uint32_t from)
{
	bool seen[MOST + 1];

	mark(f, from, PTX_NO_JOIN, seen);
	for (uint32_t i = 0; i < f->inst_count; i++)
		if (seen[i] && !reaches(f, i, PTX_NO_JOIN))
			return true;
	return false;
}

/* The nearest post-dominator of i by definition: of all nodes without which it
 * cannot reach the end, the one that the most others follow. */
static uint32_t nearest(const struct ptx_func *f, uint32_t i)
{
	uint32_t want = PTX_NO_JOIN, best = 0;

	for (uint32_t j = 0; j < f->inst_count; j++) {
		uint32_t after = 0;

		if (j == i || reaches(f, i, j))
			continue;
		for (uint32_t k = 0; k < f->inst_count; k++)
			after += k != i && k != j && !reaches(f, j, k);
		if (want == PTX_NO_JOIN || after > best) {
			want = j;
			best = after;
		}
	}
	return want;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* n instructions, a label before each, branches to anywhere. */
static void random_body(char *text, int n, uint32_t *seed)
{
	char *s = text;

	for (int i = 0; i < n; i++) {
		uint32_t to = next_random(seed) % (uint32_t)n;

		s += sprintf(s, "L%d: ", i);
		switch (next_random(seed) % 6) {
		case 0:
			s += sprintf(s, "bra L%u; ", to);
			break;
		case 1:
			s += sprintf(s, "@p ret; ");
			break;
		case 2:
			s += sprintf(s, "nop; ");
			break;
		default:
			s += sprintf(s, "@p bra L%u; ", to);
			break;
		}
	}
}

TEST(ptx_flow, joins_of_random_graphs_are_those_of_the_definition)
{
	uint32_t seed = 1;
	int checked = 0;

	for (int round = 0; round < 300; round++) {
		char body[1500];
		struct rig r;

		random_body(body, 4 + round % 20, &seed);
		setup(&r, body);
		for (uint32_t i = 0; i < r.f->inst_count; i++) {
			if (r.f->insts[i].op->op != PTX_OP_BRA ||
			    may_loop_for_ever(r.f, i))
				continue;
			EQ(nearest(r.f, i), r.flow.join[i]);
			checked++;
		}
		teardown(&r);
	}
	OK(checked > 500);
}

TEST(ptx_flow, long_ladders_take_no_time)
{
	enum { RUNGS = 30000 };
	char *text = malloc(RUNGS * 60 + 300), *s = text;
	struct diag d;
	struct rig r = { 0 };

	s += sprintf(s, ".version 8.0 .target sm_90 .entry k() "
			"{ .reg .pred p;\n");
	for (int i = 0; i < RUNGS; i++)
		s += sprintf(s, "L%d: @p bra L%d; @p bra L%d;\n", i,
			     RUNGS - 1 - i, i / 2);
	sprintf(s, "}");
	EQ(ERR_OK, ptx_parse(&r.m, "t", text, strlen(text), &d));
	EQ(ERR_OK, ptx_flow(&r.flow, r.m->funcs, &r.a, &d));
	EQ(2 * RUNGS, r.flow.block_count);
	teardown(&r);
	free(text);
}
