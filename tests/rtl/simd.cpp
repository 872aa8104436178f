#include "simd.h"

#include <string.h>

#include "Vfl_simd.h"

template <typename Wide>
static void put(Wide &to, const uint32_t *from)
{
	memcpy(&to, from, sizeof(to));
}

void simd_cycle(const struct simd_in *in, struct simd_out *out)
{
	static Vfl_simd *simd = new Vfl_simd;

	simd->reset = in->reset;
	simd->start = in->start;
	simd->word = in->word;
	simd->lanes = in->lanes;
	put(simd->ra, in->a);
	put(simd->rb, in->b);
	put(simd->rc, in->c);
	put(simd->preds, in->preds);
	simd->param = in->param;
	put(simd->places, in->places);
	simd->warp = in->warp;
	simd->owner = in->owner;
	simd->clk = 0;
	simd->eval();
	out->ready = simd->ready;
	out->executes = simd->executes;
	out->slow = simd->slow;
	simd->clk = 1;
	simd->eval();
	out->valid = simd->valid;
	out->done_owner = simd->done_owner;
	out->d_lanes = simd->d_lanes;
	out->p_lanes = simd->p_lanes;
	out->d_reg = simd->d_reg;
	out->p_reg = simd->p_reg;
	memcpy(out->d, &simd->d, sizeof(out->d));
	out->p = simd->p;
}
