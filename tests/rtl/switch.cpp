#include "switch.h"

#include <string.h>

#include "Vfl_switch.h"

static void set_inputs(Vfl_switch *sw, const struct switch_in *in)
{
	sw->reset = in->reset;
	sw->cfg_regs = in->regs;
	sw->start = in->start;
	sw->save = in->save;
	sw->save_sm = in->save_sm;
	sw->save_warps = in->save_warps;
	sw->load = in->load;
	sw->load_sm = in->load_sm;
	sw->load_warps = in->load_warps;
	memcpy(&sw->y_result, in->y_result, sizeof(in->y_result));
	sw->req_ready = in->req_ready;
	sw->resp_valid = in->resp_valid;
	memcpy(&sw->resp_data, in->resp_data, sizeof(in->resp_data));
}

static void get_outputs(Vfl_switch *sw, struct switch_out *out)
{
	out->busy = sw->busy;
	out->y_start = sw->y_start;
	out->y_write = sw->y_write;
	out->y_pred = sw->y_pred;
	out->y_warp = sw->y_warp;
	out->y_reg = sw->y_reg;
	memcpy(out->y_data, &sw->y_data, sizeof(out->y_data));
	out->req_valid = sw->req_valid;
	out->req_write = sw->req_write;
	out->req_whole = true;
	for (int i = 0; i < 4; i++)
		out->req_whole &= sw->req_bytes[i] == ~0u;
	out->req_line = sw->req_line;
	memcpy(out->req_data, &sw->req_data, sizeof(out->req_data));
}

void switch_cycle(const struct switch_in *in, struct switch_out *out)
{
	static Vfl_switch *sw = new Vfl_switch;

	set_inputs(sw, in);
	sw->clk = 0;
	sw->eval();
	get_outputs(sw, out);
	sw->clk = 1;
	sw->eval();
}
