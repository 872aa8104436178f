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

int stack_run(const struct stack_in *in, struct stack_top *top)
{
	int cycles = 1;

	stack->op = in->op;
	stack->warp = in->warp;
	stack->lanes = in->top.lanes;
	stack->pc = in->top.pc;
	stack->join_at = in->top.join;
	stack->which = in->which;
	stack->target = in->target;
	stack->reconv = in->join;
	stack->start = 1;
	tick();
	stack->start = 0;
	stack->eval();
	if (in->op == STACK_BEGIN)
		return stack->ready ? cycles : 0;
	while (!stack->done && cycles < 1000) {
		tick();
		cycles++;
	}
	top->live = stack->live;
	top->lanes = stack->new_lanes;
	top->pc = stack->new_pc;
	top->join = stack->new_join;
	tick();
	return cycles;
}
