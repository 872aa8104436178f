/*
 * The SIMD: 32 lanes that execute an instruction word. Registers and predicates come
 * with the word and leave as what is to be written; memory and control
 * instructions leave nothing.
 *
 * While `ready`, `start` takes an instruction in each cycle. Its result is there,
 * with `valid`, seven cycles later. What lanes share takes longer, and the SIMD is not
 * ready for some cycles after it:
 *
 *   mufu            10 cycles; not ready for  3
 *   f2f, f2i, shfl  11                        4
 *   DIV             38                       36
 *
 * Results leave in order.
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
	input  logic [4:0]    owner,   /* comes back with the result */
	output logic [31:0]   executes, /* at once: lanes in which the guard holds */
	output logic          slow,    /* at once: it is one of those above */

	output logic          valid,
	output logic [4:0]    done_owner,
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

	logic [1023:0] b_lanes, b_next;
	logic [31:0]   place;

	assign b_lanes = imm ? {32{b_field}} : rb;

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
			default: b_next[32*l +: 32] = b_lanes[32*l +: 32];
			endcase
		end
	end

	/* ---- the stage before the lanes ---------------------------------------- */

	logic [6:0]    s0_code;
	logic [4:0]    s0_mod;
	logic [1023:0] s0_a, s0_b, s0_c, early_d;
	logic [31:0]   s0_p, s0_r, s0_lanes, early, early_p;
	logic          s0_shared, is_sfu, is_early, take;

	always_comb begin
		is_sfu = fl_pkg::unit_of(code) == fl_pkg::UNIT_SFU;
		is_early = code == fl_pkg::OP_SHFL || code == fl_pkg::OP_F2F ||
			   code == fl_pkg::OP_F2I;
		slow = is_div || is_sfu || is_early;
		take = start && ready;
	end

	always_ff @(posedge clk) begin
		s0_shared <= take && slow && !reset;
		if (take) begin
			{s0_code, s0_mod} <= {code, mod};
			{s0_a, s0_c} <= {ra, rc};
			s0_r <= pa_lanes;
			s0_lanes <= executes;
		end
	end

	/* For shfl: a lane that does not execute it has 0. */
	logic [1023:0] s0_all;

	always_comb
		for (int l = 0; l < 32; l++)
			s0_all[32*l +: 32] = s0_a[32*l +: 32] &
					     {32{s0_lanes[l]}};

	/* An early result goes through the lane as its b. */
	for (genvar l = 0; l < 32; l++) begin : operand
		always_ff @(posedge clk) begin
			if (take)
				s0_b[32*l +: 32] <= b_next[32*l +: 32];
			else if (early[l])
				s0_b[32*l +: 32] <= early_d[32*l +: 32];
			if (take)
				s0_p[l] <= pc_lanes[l];
			else if (early[l])
				s0_p[l] <= early_p[l];
		end
	end

	/* ---- what is written, beside the pipeline --------------------------------- */

	/* That of an instruction of the quads is held, and follows so many cycles
	 * later as its result; `passed` counts them. */
	localparam int TAG_BITS = 78;
	logic [TAG_BITS-1:0] tag, held, follows;
	logic [7*TAG_BITS-1:0] tags;
	logic [6:0]    valids;
	logic [5:0]    passed, due, last;
	logic          busy, shared;

	assign tag = {is_div || is_sfu, owner, executes & {32{writes_reg}}, rd_field,
		      executes & {32{writes_pred}}, pred};
	assign ready = !busy;
	assign follows = busy ? held : tag;

	always_ff @(posedge clk) begin
		valids <= {valids[5:0], busy ? passed == due :
					       take && is_simd && !slow};
		tags <= {tags[6*TAG_BITS-1:0], follows};
		passed <= passed + 6'd1;
		if (take) begin
			busy <= slow;
			held <= tag;
			passed <= 6'd1;
			due <= is_div ? 6'd31 : is_sfu ? 6'd3 : 6'd4;
			last <= is_div ? 6'd36 : is_sfu ? 6'd3 : 6'd4;
		end else if (passed == last)
			busy <= 1'b0;
		if (reset) begin
			valids <= 7'b0;
			busy <= 1'b0;
		end
	end

	/* ---- lanes ------------------------------------------------------------- */

	logic [1023:0] lane_d, quad_d;
	logic [31:0]   lane_t;

	for (genvar l = 0; l < 32; l++) begin : lane
		fl_lane units (
			.clk, .code(s0_code), .mod(s0_mod), .a(s0_a[32*l +: 32]),
			.b(s0_b[32*l +: 32]), .c(s0_c[32*l +: 32]), .p(s0_p[l]),
			.r(s0_r[l]), .d(lane_d[32*l +: 32]), .t(lane_t[l])
		);
	end

	for (genvar q = 0; q < 8; q++) begin : quad
		logic [31:0] one_d;
		logic        one_p;

		fl_quad units (
			.clk, .reset, .start(s0_shared), .code(s0_code),
			.mod(s0_mod), .number(3'(q)), .a(s0_a[128*q +: 128]),
			.b(s0_b[128*q +: 128]), .c(s0_c[128*q +: 128]),
			.all(s0_all), .early(early[4*q +: 4]), .early_d(one_d),
			.early_p(one_p), .d(quad_d[128*q +: 128])
		);
		assign early_d[128*q +: 128] = {4{one_d}};
		assign early_p[4*q +: 4] = {4{one_p}};
	end

	always_comb begin
		valid = valids[6];
		{shared, done_owner, d_lanes, d_reg, p_lanes, p_reg} =
			tags[6*TAG_BITS +: TAG_BITS] & {TAG_BITS{valid}};
		d = shared ? quad_d : lane_d;
		p = lane_t;
	end
endmodule
