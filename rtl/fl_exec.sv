/*
 * The SIMD with the registers of the 32 warps of a multiprocessor.
 *
 * While `ready`, `start` takes an instruction of a warp in each cycle. It must not need
 * a register or predicate that one before it has still to write: the scoreboard's
 * duty. A result can be read by instructions that start nine cycles later, that of
 * a division 37 cycles later; in the cycle before, `done` shows its warp.
 *
 * The port x reads and writes registers and predicates from outside: it is served when
 * `x_ready`, in cycles in which no instruction starts and none has a result.
 */
module fl_exec (
	input  logic          clk,
	input  logic          reset,
	output logic          ready,
	input  logic          start,
	input  logic [4:0]    warp,
	input  logic [63:0]   word,
	input  logic [31:0]   lanes,
	input  logic [31:0]   param,
	input  logic [287:0]  places,
	input  logic [4:0]    index,    /* of the warp in its block */
	output logic          done,     /* an instruction's result is written */
	output logic [4:0]    done_warp,
	output logic [31:0]   executes, /* in the next cycle */

	input  logic          x_start,
	output logic          x_ready,
	input  logic [4:0]    x_warp,
	input  logic          x_pred,   /* a predicate, in the lowest word */
	input  logic [4:0]    x_reg,
	input  logic [31:0]   x_lanes,  /* that are written */
	input  logic [1023:0] x_data,
	output logic [1023:0] x_result  /* in the next cycle: as it was */
);
	/* ---- reading ----------------------------------------------------------- */

	logic          s_start, s_div, x_pred_was;
	logic [4:0]    s_warp, s_index;
	logic [63:0]   s_word;
	logic [31:0]   s_lanes, s_param;
	logic [287:0]  s_places;
	logic [2:0]    x_reg_was;
	logic          simd_ready, take;

	assign ready = simd_ready && !(s_start && s_div);
	assign take = start && ready;

	always_ff @(posedge clk) begin
		s_start <= take && !reset;
		s_div <= fl_pkg::unit_of(word[6:0]) == fl_pkg::UNIT_DIV;
		{s_warp, s_index, s_word, s_lanes} <= {warp, index, word, lanes};
		{s_param, s_places} <= {param, places};
		{x_pred_was, x_reg_was} <= {x_pred, x_reg[2:0]};
	end

	logic [1023:0] ra, rb, rc, d, d_in;
	logic [223:0]  preds;
	logic          valid, x_take;
	logic [31:0]   d_lanes, p_lanes, p;
	logic [4:0]    d_reg;
	logic [2:0]    p_reg;

	assign x_ready = !start && !valid;
	assign x_take = x_start && x_ready;
	assign d_in = x_take ? x_data : d;

	fl_regs regs (
		.clk, .warp(x_take ? x_warp : warp),
		.a(x_take ? x_reg : word[20:16]), .b(word[36:32]),
		.c(word[25:21]), .ra, .rb, .rc, .preds,
		.d_warp(x_take ? x_warp : done_warp),
		.d_reg(x_take ? x_reg : d_reg),
		.d_lanes(x_take ? x_lanes & {32{!x_pred}} : d_lanes), .d(d_in),
		.p_warp(x_take ? x_warp : done_warp),
		.p_reg(x_take ? x_reg[2:0] : p_reg),
		.p_lanes(x_take ? x_lanes & {32{x_pred}} : p_lanes),
		.p(x_take ? x_data[31:0] : p)
	);

	always_comb begin
		x_result = ra;
		if (x_pred_was)
			x_result = {992'b0, preds[{x_reg_was, 5'b0} +: 32]};
	end

	/* ---- executing ----------------------------------------------------------- */

	fl_simd simd (
		.clk, .reset, .ready(simd_ready), .start(s_start), .word(s_word),
		.lanes(s_lanes), .ra, .rb, .rc, .preds({32'b0, preds}),
		.param(s_param), .places(s_places), .warp(s_index), .executes,
		.valid, .d_lanes, .d_reg, .d, .p_lanes, .p_reg, .p
	);

	/* Whose result it is; a division's waits for it. */
	logic [34:0] warps;
	logic [4:0]  div_warp;
	logic        div_under_way;

	always_ff @(posedge clk) begin
		warps <= {warps[29:0], s_warp};
		if (s_start && s_div)
			{div_warp, div_under_way} <= {s_warp, 1'b1};
		else if (div_under_way && simd_ready)
			div_under_way <= 1'b0;
		if (reset)
			div_under_way <= 1'b0;
	end

	assign done = valid;
	assign done_warp = div_under_way && simd_ready ? div_warp :
							 warps[34:30];
endmodule
