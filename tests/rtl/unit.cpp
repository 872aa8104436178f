#include "unit.h"

#include "Vfl_div.h"
#include "Vfl_lane.h"
#include "verilated.h"

/* Verilated code asks for the simulated time; nothing here has one. */
double sc_time_stamp()
{
	return 0;
}

void unit_lane_cycle(const struct unit_in *in, struct unit_out *out)
{
	static Vfl_lane *lane = new Vfl_lane;

	lane->code = in->code;
	lane->mod = in->mod;
	lane->a = in->a;
	lane->b = in->b;
	lane->c = in->c;
	lane->p = in->p;
	lane->r = in->r;
	lane->clk = 0;
	lane->eval();
	lane->clk = 1;
	lane->eval();
	out->d = lane->d;
	out->t = lane->t;
}

static void tick(Vfl_div *div)
{
	div->clk = 0;
	div->eval();
	div->clk = 1;
	div->eval();
}

int unit_div(const struct unit_in *in, struct unit_out *out)
{
	static Vfl_div *div = new Vfl_div;
	int cycles = 1;

	div->code = in->code;
	div->mod = in->mod;
	div->a = in->a;
	div->b = in->b;
	div->start = 1;
	tick(div);
	div->start = 0;
	/* It has its own copy of the operands. */
	div->a = div->b = 0x5a5a5a5a;
	while (!div->done && cycles < 100) {
		tick(div);
		cycles++;
	}
	out->d = div->d;
	out->t = 0;
	return cycles;
}
