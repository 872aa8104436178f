/*
 * Exchanges the registers of the file that is not simulated with external memory: saves
 * those of one multiprocessor, then loads those of another one. Either can be left out.
 *
 * `start`, while not `busy`, takes what is to be done: the multiprocessors and which of
 * their warps count. Of each such warp the first `cfg_regs` registers and the
 * predicates move, a line each. That is a line in every cycle in which the port takes
 * one, from the third cycle on.
 */
module fl_switch (
	input  logic          clk,
	input  logic          reset,
	input  logic [5:0]    cfg_regs,

	input  logic          start,
	input  logic          save,
	input  logic [3:0]    save_sm,
	input  logic [31:0]   save_warps,
	input  logic          load,
	input  logic [3:0]    load_sm,
	input  logic [31:0]   load_warps,
	output logic          busy,

	output logic          y_start,
	output logic          y_write,
	output logic [4:0]    y_warp,
	output logic          y_pred,
	output logic [4:0]    y_reg,
	output logic [1023:0] y_data,
	input  logic [1023:0] y_result,

	output logic          req_valid,
	input  logic          req_ready,
	output logic          req_write,
	output logic [22:0]   req_line,
	output logic [127:0]  req_bytes,
	output logic [1023:0] req_data,
	input  logic          resp_valid,
	input  logic [1023:0] resp_data
);
	localparam logic [1:0] IDLE = 2'd0;
	localparam logic [1:0] SAVE = 2'd1;
	localparam logic [1:0] LOAD = 2'd2;
	localparam logic [5:0] PREDS = 6'd32; /* their row */

	/* The lowest warp of a set. */
	function automatic logic [4:0] lowest(input logic [31:0] set);
		lowest = 5'd0;
		for (int i = 31; i >= 0; i--)
			if (set[i])
				lowest = 5'(i);
	endfunction

	logic [1:0]  state;
	logic        h_load;
	logic [3:0]  h_save_sm, h_load_sm;
	logic [31:0] h_load_warps;

	/* ---- rows to ask for: of the file while saving, of memory while loading -------- */

	logic [31:0] left;  /* warps that have rows left */
	logic [5:0]  row, next_row;
	logic [4:0]  warp;
	logic        step, last_row;

	always_comb begin
		warp = lowest(left);
		last_row = row == PREDS;
		next_row = row + 6'd1 == cfg_regs ? PREDS : row + 6'd1;
	end

	/* ---- rows that come back while loading: the same, in the same order ------------- */

	logic [31:0] back;
	logic [5:0]  back_row;

	/* ---- saving: rows wait for the port, at most two --------------------------------- */

	logic          reads, read_was;       /* a row is asked for; is there */
	logic [22:0]   line_was;
	logic [1:0]    held;                  /* rows that wait */
	logic [1023:0] data0, data1;
	logic [22:0]   line0, line1;
	logic          sent;

	assign sent = req_valid && req_ready;
	assign reads = state == SAVE && left != 32'b0 &&
		       held + {1'b0, read_was} < 2'd2 + {1'b0, sent};
	assign step = reads || (state == LOAD && left != 32'b0 && req_ready);

	always_ff @(posedge clk) begin
		read_was <= reads && !reset;
		line_was <= {2'b10, 6'b0, h_save_sm, warp, row};
		if (state == SAVE) begin
			if (sent)
				{data0, line0} <= {data1, line1};
			if (read_was) begin
				if (held == {1'b0, sent})
					{data0, line0} <= {y_result, line_was};
				else
					{data1, line1} <= {y_result, line_was};
			end
		end
		held <= state == SAVE ?
				held + {1'b0, read_was} - {1'b0, sent} :
				2'd0;
		if (reset)
			held <= 2'd0;
	end

	/* ---- the ports ---------------------------------------------------------------------- */

	always_comb begin
		req_write = state == SAVE;
		req_valid = state == SAVE ? held != 2'd0 :
					    state == LOAD && left != 32'b0;
		req_line = state == SAVE ?
				   line0 :
				   {2'b10, 6'b0, h_load_sm, warp, row};
		req_bytes = {128{1'b1}};
		req_data = data0;

		y_write = state == LOAD;
		y_start = reads || (state == LOAD && resp_valid);
		y_warp = y_write ? lowest(back) : warp;
		y_pred = (y_write ? back_row : row) == PREDS;
		y_reg = y_write ? back_row[4:0] : row[4:0];
		y_data = resp_data;
		busy = state != IDLE;
	end

	/* ---- steps ----------------------------------------------------------------------------- */

	logic [5:0] first_row;
	logic       saved, loaded;

	assign first_row = cfg_regs == 6'd0 ? PREDS : 6'd0;
	assign saved = left == 32'b0 && !read_was && held == 2'd0;
	assign loaded = left == 32'b0 && back == 32'b0;

	always_ff @(posedge clk) begin
		if (step) begin
			row <= last_row ? first_row : next_row;
			if (last_row)
				left[warp] <= 1'b0;
		end
		if (state == LOAD && resp_valid) begin
			back_row <= back_row == PREDS ? first_row :
				    back_row + 6'd1 == cfg_regs ? PREDS :
				    back_row + 6'd1;
			if (back_row == PREDS)
				back[lowest(back)] <= 1'b0;
		end
		case (state)
		IDLE: if (start) begin
			h_load <= load;
			{h_save_sm, h_load_sm} <= {save_sm, load_sm};
			h_load_warps <= load_warps;
			left <= save ? save_warps : 32'b0;
			{row, back_row} <= {first_row, first_row};
			back <= 32'b0;
			state <= SAVE;
		end
		SAVE: if (saved) begin
			left <= h_load ? h_load_warps : 32'b0;
			back <= h_load ? h_load_warps : 32'b0;
			state <= LOAD;
		end
		default: if (loaded)
			state <= IDLE;
		endcase
		if (reset)
			state <= IDLE;
	end
endmodule
