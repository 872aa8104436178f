#include "exec.h"

#include <string.h>

#include "Vfl_exec.h"

void exec_cycle(const struct exec_in *in, struct exec_out *out)
{
	static Vfl_exec *exec = new Vfl_exec;

	exec->reset = in->reset;
	exec->file = in->file;
	exec->start = in->start;
	exec->warp = in->warp;
	exec->index = in->index;
	exec->word = in->word;
	exec->lanes = in->lanes;
	memcpy(&exec->places, in->places, sizeof(in->places));
	exec->x_start = in->x_start;
	exec->x_pred = in->x_pred;
	exec->x_warp = in->x_warp;
	exec->x_reg = in->x_reg;
	exec->x_lanes = in->x_lanes;
	memcpy(&exec->x_data, in->x_data, sizeof(in->x_data));
	exec->y_start = in->y_start;
	exec->y_write = in->y_write;
	exec->y_pred = in->y_pred;
	exec->y_warp = in->y_warp;
	exec->y_reg = in->y_reg;
	memcpy(&exec->y_data, in->y_data, sizeof(in->y_data));
	exec->p_we = in->p_we;
	exec->p_at = in->p_at;
	exec->p_data = in->p_data;
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
	memcpy(out->y_result, &exec->y_result, sizeof(out->y_result));
	out->m_start = exec->m_start;
	out->m_warp = exec->m_warp;
	out->m_word = exec->m_word;
	out->m_lanes = exec->m_lanes;
	memcpy(out->m_a, &exec->m_a, sizeof(out->m_a));
	memcpy(out->m_c, &exec->m_c, sizeof(out->m_c));
}
