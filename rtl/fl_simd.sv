/*
 * The SIMD: 32 lanes that execute an instruction word. Registers and predicates come
 * with the word and leave as what is to be written; memory and control
 * instructions leave nothing.
 *
 * While `ready`, `start` takes an instruction in each cycle. Its result is there,
 * with `valid`, seven cycles later, of a division 35 cycles later; after a division
 * the SIMD is not ready until its result is there. Results leave in order.
 */
module fl_simd (
	input  logic          clk,
	input  logic          reset,
	output logic          ready,
	input  logic          start,
	input  logic [63:0]   word,
	input  logic [31:0]   lanes,   /* that are active */
	input  logic [1023:0] ra,      /* the registers a, b, c of all lanes */
	input  logic [1023:0] rb,
	input  logic [1023:0] rc,
	input  logic [255:0]  preds,   /* p0 to p6; the last is not looked at */
	input  logic [31:0]   param,   /* the word that ldp reads */
	input  logic [287:0]  places,  /* ctaid, ntid, nctaid: x lowest */
	input  logic [4:0]    warp,    /* in its block */
	output logic [31:0]   executes, /* at once: lanes in which the guard holds */

	output logic          valid,
	output logic [31:0]   d_lanes, /* that write register d */
	output logic [4:0]    d_reg,
	output logic [1023:0] d,
	output logic [31:0]   p_lanes, /* that write a predicate */
	output logic [2:0]    p_reg,
	output logic [31:0]   p
);
	/* verilator hier_block */
	/* ---- decoding -------------------------------------------------------- */

	logic [6:0]  code;
	logic [4:0]  mod, rd_field, ra_field, rc_field;
	logic [2:0]  guard, pred;
	logic        guard_not, imm, is_simd, is_div, writes_reg, writes_pred;
	logic [31:0] b_field;

	fl_decode decode (
		.word, .code, .mod, .guard, .guard_not, .d(rd_field),
		.a(ra_field), .c(rc_field), .imm, .b(b_field), .is_simd, .is_div,
		.writes_reg, .writes_pred, .pred
	);

	/* A predicate of all lanes, or its negation; pt holds always. */
	function automatic logic [31:0] pick(input logic [255:0] all,
					     input logic [2:0] which,
					     input logic inverted);
		pick = which == fl_pkg::PT ? 32'hffffffff :
					     all[{which, 5'b0} +: 32];
		if (inverted)
			pick = ~pick;
	endfunction

	logic [31:0] pc_lanes, pa_lanes;

	always_comb begin
		executes = lanes & pick(preds, guard, guard_not);
		pc_lanes = pick(preds, rc_field[2:0], rc_field[3]);
		pa_lanes = pick(preds, ra_field[2:0], ra_field[3]);
	end

	/* ---- operands -------------------------------------------------------- */

	logic [1023:0] moved, b_lanes, b_next;
	logic [31:0]   in_range, place;

	assign b_lanes = imm ? {32{b_field}} : rb;

	fl_shuffle shuffle (.mod, .a(ra), .b(b_lanes), .c(rc), .d(moved), .in_range);

	/* Special registers that are the same in all lanes. */
	always_comb begin
		place = {27'b0, warp};
		if (b_field[3:0] < fl_pkg::SREG_LANEID)
			place = places[{b_field[3:0], 5'b0} +: 32];
	end

	for (genvar l = 0; l < 32; l++) begin : special
		logic [31:0] own, bit_of;

		always_comb begin
			bit_of = 32'b1 << l;
			case (b_field[3:0])
			fl_pkg::SREG_LANEID: own = 32'(l);
			fl_pkg::SREG_LANEMASK_EQ: own = bit_of;
			fl_pkg::SREG_LANEMASK_LT: own = bit_of - 32'b1;
			fl_pkg::SREG_LANEMASK_LE: own = bit_of | (bit_of - 32'b1);
			fl_pkg::SREG_LANEMASK_GT:
				own = ~(bit_of | (bit_of - 32'b1));
			fl_pkg::SREG_LANEMASK_GE: own = ~(bit_of - 32'b1);
			default: own = place;
			endcase
			case (code)
			fl_pkg::OP_S2R: b_next[32*l +: 32] = own;
			fl_pkg::OP_LDP: b_next[32*l +: 32] = param;
			fl_pkg::OP_BALLOT:
				b_next[32*l +: 32] = pc_lanes & executes;
			fl_pkg::OP_SHFL:
				b_next[32*l +: 32] = moved[32*l +: 32];
			default: b_next[32*l +: 32] = b_lanes[32*l +: 32];
			endcase
		end
	end

	/* ---- the stage before the lanes ---------------------------------------- */

	logic [6:0]    s0_code;
	logic [4:0]    s0_mod;
	logic [1023:0] s0_a, s0_b, s0_c;
	logic [31:0]   s0_p, s0_r;
	logic          s0_div;

	always_ff @(posedge clk) begin
		s0_code <= code;
		s0_mod <= mod;
		s0_a <= ra;
		s0_b <= b_next;
		s0_c <= rc;
		s0_p <= code == fl_pkg::OP_SHFL ? in_range : pc_lanes;
		s0_r <= pa_lanes;
		s0_div <= start && ready && is_div && !reset;
	end

	/* What is written, beside the pipeline; that of a division waits for it. */
	localparam int TAG_BITS = 72;
	logic [TAG_BITS-1:0] tag, held;
	logic [7*TAG_BITS-1:0] tags;
	logic [6:0]    valids;
	logic          busy, div_done;

	assign tag = {executes & {32{writes_reg}}, rd_field,
		      executes & {32{writes_pred}}, pred};
	assign ready = !busy || div_done;

	always_ff @(posedge clk) begin
		valids <= {valids[5:0], start && ready && is_simd && !is_div};
		tags <= {tags[6*TAG_BITS-1:0], tag};
		if (start && ready && is_div) begin
			busy <= 1'b1;
			held <= tag;
		end else if (div_done)
			busy <= 1'b0;
		if (reset) begin
			valids <= 7'b0;
			busy <= 1'b0;
		end
	end

	/* ---- lanes ------------------------------------------------------------- */

	logic [1023:0] lane_d, div_d;
	logic [31:0]   lane_t, div_dones;

	for (genvar l = 0; l < 32; l++) begin : lane
		fl_lane units (
			.clk, .code(s0_code), .mod(s0_mod), .a(s0_a[32*l +: 32]),
			.b(s0_b[32*l +: 32]), .c(s0_c[32*l +: 32]), .p(s0_p[l]),
			.r(s0_r[l]), .d(lane_d[32*l +: 32]), .t(lane_t[l])
		);
		fl_div divider (
			.clk, .reset, .start(s0_div), .code(s0_code),
			.mod(s0_mod), .a(s0_a[32*l +: 32]),
			.b(s0_b[32*l +: 32]), .done(div_dones[l]),
			.d(div_d[32*l +: 32])
		);
	end

	assign div_done = div_dones[0]; /* they are all done at once */

	always_comb begin
		valid = valids[6] || div_done;
		d = div_done ? div_d : lane_d;
		p = lane_t;
		{d_lanes, d_reg, p_lanes, p_reg} =
			(div_done ? held : tags[6*TAG_BITS +: TAG_BITS]) &
			{TAG_BITS{valid}};
	end
endmodule
