#include "lsu.h"

#include <string.h>

#include "Vfl_lsu.h"

static void set_inputs(Vfl_lsu *lsu, const struct lsu_in *in)
{
	lsu->reset = in->reset;
	lsu->clear = in->clear;
	lsu->zero = in->zero;
	lsu->cfg_warps = in->cfg_warps;
	lsu->cfg_block_shared = in->cfg_block_shared;
	lsu->cfg_local_words = in->cfg_local_words;
	lsu->cfg_local_base = in->cfg_local_base;
	lsu->l_sm = in->sm;
	lsu->l_shared_base = in->shared_base;
	lsu->m_start = in->start;
	lsu->m_warp = in->warp;
	lsu->m_word = in->word;
	lsu->m_lanes = in->lanes;
	memcpy(&lsu->m_a, in->a, sizeof(in->a));
	memcpy(&lsu->m_c, in->c, sizeof(in->c));
	lsu->seg_ready = in->seg_ready;
	lsu->req_ready = in->req_ready;
	lsu->x_ready = in->x_ready;
	lsu->resp_valid = in->resp_valid;
	memcpy(&lsu->resp_data, in->resp_data, sizeof(in->resp_data));
}

static void get_outputs(Vfl_lsu *lsu, struct lsu_out *out)
{
	out->ready = lsu->l_ready;
	out->done = lsu->done;
	out->done_warp = lsu->done_warp;
	out->fault_valid = lsu->fault_valid;
	out->fault_kind = lsu->fault_kind;
	out->fault_lane = lsu->fault_lane;
	out->fault_address = lsu->fault_address;
	out->seg_valid = lsu->seg_valid;
	out->seg_end = lsu->seg_end;
	out->seg_line = lsu->seg_line;
	out->seg_shared_count = lsu->seg_shared_count;
	out->req_valid = lsu->req_valid;
	out->req_write = lsu->req_write;
	out->req_line = lsu->req_line;
	memcpy(out->req_bytes, &lsu->req_bytes, sizeof(out->req_bytes));
	memcpy(out->req_data, &lsu->req_data, sizeof(out->req_data));
	out->x_start = lsu->x_start;
	out->x_warp = lsu->x_warp;
	out->x_reg = lsu->x_reg;
	out->x_lanes = lsu->x_lanes;
	memcpy(out->x_data, &lsu->x_data, sizeof(out->x_data));
}

void lsu_cycle(const struct lsu_in *in, struct lsu_out *out)
{
	static Vfl_lsu *lsu = new Vfl_lsu;

	set_inputs(lsu, in);
	lsu->clk = 0;
	lsu->eval();
	get_outputs(lsu, out);
	lsu->clk = 1;
	lsu->eval();
}
