#include "exec.h"

#include <string.h>

#include "Vfl_exec.h"

void exec_cycle(const struct exec_in *in, struct exec_out *out)
{
	static Vfl_exec *exec = new Vfl_exec;

	exec->reset = in->reset;
	exec->start = in->start;
	exec->warp = in->warp;
	exec->index = in->index;
	exec->word = in->word;
	exec->lanes = in->lanes;
	exec->param = in->param;
	memcpy(&exec->places, in->places, sizeof(in->places));
	exec->x_start = in->x_start;
	exec->x_pred = in->x_pred;
	exec->x_warp = in->x_warp;
	exec->x_reg = in->x_reg;
	exec->x_lanes = in->x_lanes;
	memcpy(&exec->x_data, in->x_data, sizeof(in->x_data));
	exec->clk = 0;
	exec->eval();
	out->ready = exec->ready;
	out->x_ready = exec->x_ready;
	out->done = exec->done;
	out->done_warp = exec->done_warp;
	exec->clk = 1;
	exec->eval();
	out->executes = exec->executes;
	memcpy(out->x_result, &exec->x_result, sizeof(out->x_result));
}
