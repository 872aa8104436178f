#include "warp.h"

#include "test.h"
#include "unit.h"

bool warp_has(const struct fl_inst *in)
{
	switch (in->op) {
	case FL_S2R:
	case FL_LDP:
	case FL_SHFL:
	case FL_BALLOT:
		return false;
	default:
		return fl_ops[in->op].unit < FL_UNIT_MEM;
	}
}

bool warp_quad(int op)
{
	return op == FL_F2F || op == FL_F2I || op == FL_SHFL ||
	       fl_ops[op].unit == FL_UNIT_SFU || fl_ops[op].unit == FL_UNIT_DIV;
}

unsigned warp_cycles(int op)
{
	if (!warp_quad(op))
		return 7;
	return fl_ops[op].unit == FL_UNIT_DIV ? 38 :
	       fl_ops[op].unit == FL_UNIT_SFU ? 10 :
						11;
}

unsigned warp_waits(int op)
{
	if (!warp_quad(op))
		return 0;
	return fl_ops[op].unit == FL_UNIT_DIV ? 36 :
	       fl_ops[op].unit == FL_UNIT_SFU ? 3 :
						4;
}

static uint8_t predicate(const struct fl_warp *w, unsigned p, unsigned lane)
{
	return (w->pred[p & 7] >> lane & 1) ^ (p & FL_PRED_NOT ? 1 : 0);
}

static struct unit_in operands(const struct fl_warp *w,
			       const struct fl_inst *in, unsigned lane)
{
	return (struct unit_in){
		.code = fl_ops[in->op].code,
		.mod = in->mod,
		.p = predicate(w, in->c, lane),
		.r = predicate(w, in->a, lane),
		.a = w->reg[in->a][lane],
		.b = in->imm ? in->b : w->reg[in->b][lane],
		.c = w->reg[in->c][lane],
	};
}

static void compute_quads(const struct fl_warp *w, const struct fl_inst *in,
			  struct unit_out out[FL_LANES])
{
	struct unit_in x[UNIT_QUAD];

	for (unsigned l = 0; l < FL_LANES; l += UNIT_QUAD) {
		for (unsigned i = 0; i < UNIT_QUAD; i++)
			x[i] = operands(w, in, l + i);
		unit_quad(x, &out[l]);
	}
}

static void compute(const struct fl_warp *w, const struct fl_inst *in,
		    struct unit_out out[FL_LANES])
{
	struct unit_in x;
	struct unit_out early;

	if (warp_quad(in->op)) {
		compute_quads(w, in, out);
		return;
	}
	for (unsigned l = 0; l < FL_LANES + UNIT_LATENCY - 1; l++) {
		x = operands(w, in, l % FL_LANES);
		/* What follows must not change what is under way. */
		if (l >= FL_LANES)
			x.code ^= 0x3f, x.mod ^= 7, x.a = ~x.a;
		unit_lane_cycle(&x, l + 1 < UNIT_LATENCY ?
					    &early :
					    &out[l + 1 - UNIT_LATENCY]);
	}
}

void warp_execute(struct fl_warp *w, const struct fl_inst *in, uint32_t lanes)
{
	struct unit_out out[FL_LANES];
	unsigned p = fl_has(in, 'p') ? in->d : in->c;
	bool sets = fl_has(in, 'p') || (fl_has(in, 'y') && in->mod & FL_MOD_CO);

	compute(w, in, out);
	for (unsigned l = 0; l < FL_LANES; l++) {
		if (!(lanes >> l & 1))
			continue;
		if (fl_has(in, 'd'))
			w->reg[in->d][l] = out[l].d;
		if (sets && p != FL_PT)
			w->pred[p] = (w->pred[p] & ~(1u << l)) |
				     (uint32_t)out[l].t << l;
	}
}
