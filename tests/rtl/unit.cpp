#include "unit.h"

#include "Vfl_lane.h"
#include "Vfl_quad.h"
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

static void tick(Vfl_quad *quad)
{
	quad->clk = 0;
	quad->eval();
	quad->clk = 1;
	quad->eval();
}

/* Operands of DIV leave after four cycles, code and mod after 36. */
static void spoil(Vfl_quad *quad, int cycle)
{
	if (cycle > 3)
		for (int l = 0; l < UNIT_QUAD; l++)
			quad->a[l] = quad->b[l] = 0x5a5a5a5a;
	if (cycle > 36)
		quad->code ^= 0x3f, quad->mod ^= 7;
}

void unit_quad(const struct unit_in in[UNIT_QUAD],
	       struct unit_out out[UNIT_QUAD])
{
	static Vfl_quad *quad = new Vfl_quad;
	unsigned early = 0;

	quad->code = in[0].code;
	quad->mod = in[0].mod;
	for (int l = 0; l < UNIT_QUAD; l++) {
		quad->a[l] = in[l].a;
		quad->b[l] = in[l].b;
		quad->c[l] = in[l].c;
	}
	quad->start = 1;
	for (int cycle = 0; cycle < 38; cycle++) {
		spoil(quad, cycle);
		quad->clk = 0;
		quad->eval();
		early |= quad->early;
		for (int l = 0; l < UNIT_QUAD; l++)
			if (quad->early >> l & 1)
				out[l].d = quad->early_d;
		tick(quad);
		quad->start = 0;
		if (early == 15)
			return;
	}
	for (int l = 0; l < UNIT_QUAD; l++)
		out[l].d = quad->d[l];
}
