/*
 * The SIMT stacks against those of the model: random branches, with and without
 * divergence, and lanes that end, of 32 warps.
 */
#include <stdio.h>

#include "random.h"
#include "stack.h"
#include "test.h"

enum { WARPS = 32 };

struct tally {
	unsigned divergent, ended, deepest;
	int cycles; /* of the last step */
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

static struct stack_in random_step(struct fl_warp *w, unsigned number)
{
	struct stack_in in = { .op = STACK_NEXT, .warp = (uint8_t)number };
	uint32_t lanes, pc;

	if (!w->depth) {
		in.op = STACK_BEGIN;
		in.lanes = random_bits() % 8 ? ~0u : random_bits();
		return in;
	}
	lanes = fl_stack_lanes(w);
	pc = fl_stack_pc(w);
	if (random_bits() % 2) {
		in.op = STACK_BRANCH;
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

/* The same step on the model's stack. */
static bool model_step(struct fl_warp *w, const struct stack_in *in,
		       struct tally *t)
{
	struct fl_inst bra = { .op = FL_BRA,
			       .b = in->target | (uint32_t)in->join << 16 };

	bool diverges = false, live;
	uint32_t depth;

	if (in->op == STACK_BEGIN) {
		fl_stack_start(w, in->lanes);
	} else if (in->op == STACK_BRANCH) {
		diverges = fl_stack_branch(w, &bra, in->lanes);
		t->divergent += diverges;
	} else {
		w->ended |= in->lanes;
		w->stack[w->depth - 1].pc++;
	}
	depth = w->depth;
	if (depth > t->deepest)
		t->deepest = depth;
	live = fl_stack_settle(w);
	t->cycles = 3 + 2 * diverges + 2 * (int)(depth - w->depth);
	return live;
}

TEST(rtl_stack, branches_as_the_model_does)
{
	static struct fl_warp warp[WARPS];
	struct tally t = { 0 };

	stack_reset();
	for (uint64_t i = 0; i < 50 * random_words(); i++) {
		/* All begin first: memory has no state before. */
		unsigned n = i < WARPS ? (unsigned)i : random_bits() % WARPS;
		struct stack_in in = random_step(&warp[n], n);
		struct stack_out out;
		bool live = model_step(&warp[n], &in, &t);

		EQ(t.cycles, stack_run(&in, &out));
		EQ(live, out.live);
		t.ended += !live;
		if (!live)
			continue;
		EQ(fl_stack_lanes(&warp[n]), out.active);
		EQ(fl_stack_pc(&warp[n]), (uint32_t)out.pc);
	}
	printf("  %u divergent branches, %u warps that ended, at most %u "
	       "entries\n",
	       t.divergent, t.ended, t.deepest);
	OK(t.divergent > 10000 && t.ended > 500 && t.deepest > 10);
}
