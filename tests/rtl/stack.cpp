#include "stack.h"

#include "Vfl_stack.h"

static Vfl_stack *stack;

static void tick(void)
{
	stack->clk = 0;
	stack->eval();
	stack->clk = 1;
	stack->eval();
}

void stack_reset(void)
{
	if (!stack)
		stack = new Vfl_stack;
	stack->reset = 1;
	tick();
	stack->reset = 0;
}

int stack_run(const struct stack_in *in, struct stack_out *out)
{
	int cycles = 1;

	stack->op = in->op;
	stack->warp = in->warp;
	stack->lanes = in->lanes;
	stack->target = in->target;
	stack->reconv = in->join;
	stack->start = 1;
	tick();
	stack->start = 0;
	/* It has its own copy of all of this. */
	stack->warp ^= 31;
	stack->lanes = ~in->lanes;
	stack->target = stack->reconv = 0;
	while (!stack->done && cycles < 1000) {
		tick();
		cycles++;
	}
	out->live = stack->live;
	out->active = stack->active;
	out->pc = stack->pc;
	tick();
	return cycles;
}
