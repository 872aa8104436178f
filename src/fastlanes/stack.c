#include "base/diag.h"
#include "fastlanes/machine.h"

void fl_stack_start(struct fl_warp *w, uint32_t lanes)
{
	w->ended = ~lanes;
	w->depth = 1;
	w->stack[0] = (struct fl_entry){ lanes, 0, FL_NO_JOIN };
}

static struct fl_entry *fl_stack_top(struct fl_warp *w)
{
	return &w->stack[w->depth - 1];
}

bool fl_stack_settle(struct fl_warp *w)
{
	while (w->depth) {
		const struct fl_entry *top = fl_stack_top(w);

		if (top->lanes & ~w->ended && top->pc != top->join)
			return true;
		w->depth--;
	}
	return false;
}

uint32_t fl_stack_lanes(const struct fl_warp *w)
{
	return w->stack[w->depth - 1].lanes & ~w->ended;
}

uint32_t fl_stack_pc(const struct fl_warp *w)
{
	return w->stack[w->depth - 1].pc;
}

static void fl_stack_push(struct fl_warp *w, uint32_t lanes, uint32_t pc,
			  uint32_t join)
{
	if (pc == join)
		return;
	CHECK(w->depth < FL_STACK);
	w->stack[w->depth++] =
		(struct fl_entry){ lanes, (uint16_t)pc, (uint16_t)join };
}

bool fl_stack_branch(struct fl_warp *w, const struct fl_inst *in,
		     uint32_t taken)
{
	struct fl_entry *top = fl_stack_top(w);
	uint32_t lanes = fl_stack_lanes(w), next = top->pc + 1u;
	uint32_t join = fl_join(in);

	if (!taken || taken == lanes) {
		top->pc = (uint16_t)(taken ? fl_target(in) : next);
		return false;
	}
	if (join == top->join)
		w->depth--;
	else
		top->pc = (uint16_t)join;
	fl_stack_push(w, lanes & ~taken, next, join);
	fl_stack_push(w, taken, fl_target(in), join);
	return true;
}
