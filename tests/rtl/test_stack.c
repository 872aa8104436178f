/*
 * The SIMT stacks against those of the model: random branches, with and without
 * divergence, and lanes that end, of 32 warps.
 */
#include <stdio.h>

#include "random.h"
#include "stack.h"
#include "test.h"

enum { WARPS = 32 };

enum step_kind { STEP_BEGIN, STEP_NEXT, STEP_BRANCH };

/* What an instruction does: its lanes end, or branch. */
struct step {
	enum step_kind kind;
	uint32_t lanes;
	uint16_t target, join;
};

struct tally {
	unsigned divergent, ended, deepest;
};

/* Near enough to meet again, and sometimes at an end that none reaches. */
static uint16_t random_pc(uint32_t pc)
{
	uint32_t v = random_bits();

	return v % 16 == 0 ? FL_NO_JOIN : (uint16_t)(pc + v / 16 % 6);
}

/* A target around pc, within a kernel: a pc does not wrap. */
static uint16_t random_target(uint32_t pc)
{
	uint32_t back = random_bits() % 9;

	return (uint16_t)(pc > 5000 || pc < back ? back : pc + 6 - back);
}

static struct step random_step(const struct fl_warp *w)
{
	struct step in = { .kind = STEP_NEXT };
	uint32_t lanes, pc;

	if (!w->depth) {
		in.kind = STEP_BEGIN;
		in.lanes = random_bits() % 8 ? ~0u : random_bits();
		return in;
	}
	lanes = fl_stack_lanes(w);
	pc = fl_stack_pc(w);
	if (random_bits() % 2) {
		in.kind = STEP_BRANCH;
		in.target = random_target(pc);
		in.join = random_bits() % 3 ? random_pc(pc + 1) :
					      w->stack[w->depth - 1].join;
		in.lanes = lanes & (random_bits() % 4 ? random_bits() :
				    random_bits() % 2 ? ~0u :
							0);
	} else if (random_bits() % 4 == 0) {
		in.lanes = lanes &
			   (random_bits() % 4 ? random_bits() & random_bits() :
						~0u);
	}
	return in;
}

/* The step on the model's stack. Returns how many entries it pops. */
static int model_step(struct fl_warp *w, const struct step *in, struct tally *t)
{
	struct fl_inst bra = { .op = FL_BRA,
			       .b = in->target | (uint32_t)in->join << 16 };
	uint32_t depth;

	if (in->kind == STEP_BEGIN) {
		fl_stack_start(w, in->lanes);
	} else if (in->kind == STEP_BRANCH) {
		t->divergent += fl_stack_branch(w, &bra, in->lanes);
	} else {
		w->ended |= in->lanes;
		w->stack[w->depth - 1].pc++;
	}
	depth = w->depth;
	if (depth > t->deepest)
		t->deepest = depth;
	t->ended += !fl_stack_settle(w);
	return (int)(depth - w->depth);
}

/* The step on the circuit's, as fl_cycle does it. `pops`: of the model. */
static void circuit_step(unsigned warp, struct stack_top *top,
			 const struct step *in, int pops)
{
	bool all = in->kind == STEP_BRANCH && in->lanes == top->lanes;
	struct stack_in op = { .op = STACK_LEAVE,
			       .warp = (uint8_t)warp,
			       .target = in->target,
			       .join = in->join };

	if (in->kind == STEP_BEGIN) {
		*top = (struct stack_top){ true, in->lanes, 0, FL_NO_JOIN };
		op.op = STACK_BEGIN;
		op.top = *top;
		EQ(1, stack_run(&op, top));
		return;
	}
	top->pc = all ? in->target : (uint16_t)(top->pc + 1);
	op.top = *top;
	if (in->kind == STEP_BRANCH && in->lanes && !all) {
		bool none = top->pc == in->join && in->target == in->join;

		op.op = STACK_DIVERGE;
		op.which = in->lanes;
		EQ(none && in->join == op.top.join ? 2 + pops : 1,
		   stack_run(&op, top));
		return;
	}
	op.which = in->kind == STEP_NEXT ? in->lanes : 0;
	if (op.which || top->pc == top->join)
		EQ(pops ? pops : 1, stack_run(&op, top));
}

TEST(rtl_stack, branches_as_the_model_does)
{
	static struct fl_warp warp[WARPS];
	static struct stack_top top[WARPS];
	struct tally t = { 0 };

	stack_reset();
	for (uint64_t i = 0; i < 50 * random_words(); i++) {
		/* All begin first: memory has no state before. */
		unsigned n = i < WARPS ? (unsigned)i : random_bits() % WARPS;
		struct step in = random_step(&warp[n]);
		int pops = model_step(&warp[n], &in, &t);

		circuit_step(n, &top[n], &in, pops);
		EQ(warp[n].depth > 0, top[n].live);
		if (!warp[n].depth)
			continue;
		EQ(fl_stack_lanes(&warp[n]), top[n].lanes);
		EQ(fl_stack_pc(&warp[n]), (uint32_t)top[n].pc);
	}
	printf("  %u divergent branches, %u warps that ended, at most %u "
	       "entries\n",
	       t.divergent, t.ended, t.deepest);
	OK(t.divergent > 10000 && t.ended > 500 && t.deepest > 10);
}
