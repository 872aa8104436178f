/*
 * What four lanes share: special functions, division, conversions of floats and
 * shuffles. The lanes take turns.
 *
 * `start` comes in the first cycle in which code, mod and the operands are there; they
 * stay as long as the instruction needs them. In that cycle n is 0, and then:
 *
 *   shfl, f2f, f2i  the result of lane n is early_d and early_p in cycle n
 *   mufu            operands until n is 3; d is there from 9 on
 *   DIV             code and mod until n is 36; d is there from 37 on
 *
 * A start before that begins anew, but results of mufu that are under way still come.
 */
module fl_quad (
	input  logic          clk,
	input  logic          reset,
	input  logic          start,
	input  logic [6:0]    code,
	input  logic [4:0]    mod,
	input  logic [2:0]    number,  /* of the quad */
	input  logic [127:0]  a,
	input  logic [127:0]  b,
	input  logic [127:0]  c,
	input  logic [1023:0] all,     /* a of all lanes, for shfl; 0 of idle ones */
	output logic [3:0]    early,   /* the lane whose early result it is */
	output logic [31:0]   early_d,
	output logic          early_p, /* of shfl */
	output logic [127:0]  d
);
	/* verilator hier_block */
	localparam logic [5:0] LAST = 6'd36;

	logic [5:0]  after, n;
	logic [1:0]  turn;
	logic        is_div, is_sfu, first, round;

	assign n = start ? 6'd0 : after;

	always_ff @(posedge clk) begin
		after <= n + 6'd1;
		if (reset || (n == 6'd63 && !start))
			after <= 6'd63;
	end

	/* Lanes 0 to 3 have their turns in cycles 0 to 3, and to be rounded in 33
	 * to 36. */
	always_comb begin
		is_div = fl_pkg::unit_of(code) == fl_pkg::UNIT_DIV;
		is_sfu = fl_pkg::unit_of(code) == fl_pkg::UNIT_SFU;
		first = n[5:2] == 4'd0;
		round = is_div && n >= LAST - 6'd3 && n <= LAST;
		turn = n[1:0] - {1'b0, n[5]};
		early = first && !is_div && !is_sfu ? 4'b1 << turn : 4'b0;
	end

	/* ---- the operands of the lane whose turn it is ------------------------- */

	logic [31:0] x, y;
	logic [12:0] z;

	always_comb begin
		x = a[{turn, 5'b0} +: 32];
		y = b[{turn, 5'b0} +: 32];
		z = c[{turn, 5'b0} +: 13];
	end

	/* ---- early results ------------------------------------------------------- */

	logic [31:0] cvt_d, shuffle_d;

	fl_cvt cvt (.code, .mod, .a(x), .d(cvt_d));
	fl_shuffle shuffle (
		.mod, .me({number, turn}), .a(all), .b(y[4:0]), .c(z),
		.d(shuffle_d), .in_range(early_p)
	);
	assign early_d = code == fl_pkg::OP_SHFL ? shuffle_d : cvt_d;

	/* ---- division: lane l has its bits in cycles 1 + l to 32 + l -------------- */

	logic [3:0]   step;
	logic [34:0]  mark;
	logic [127:0] marks;
	logic [31:0]  div_d;

	always_ff @(posedge clk)
		mark <= start ? {1'b1, 34'b0} : mark >> 1;

	always_comb
		for (int l = 0; l < 4; l++) begin
			marks[32*l +: 32] = mark[3-l +: 32];
			step[l] = n > 6'(l) && n <= 6'(32 + l);
		end

	fl_div div (
		.clk, .code, .mod, .turn, .load(first), .a(x), .b(y), .step,
		.mark(marks), .d(div_d)
	);

	/* ---- special functions ----------------------------------------------------- */

	logic [31:0] sfu_d;
	logic [19:0] sfu_turns; /* in the five cycles before */

	fl_sfu sfu (.clk, .fn(mod[2:0]), .a(x), .d(sfu_d));

	always_ff @(posedge clk) begin
		sfu_turns <= {sfu_turns[15:0], 4'b0};
		if (first && is_sfu)
			sfu_turns[3:0] <= 4'b1 << turn;
		if (reset)
			sfu_turns <= 20'b0;
	end

	/* ---- results of both ---------------------------------------------------------- */

	for (genvar l = 0; l < 4; l++) begin : lane
		always_ff @(posedge clk)
			if (sfu_turns[16 + l])
				d[32*l +: 32] <= sfu_d;
			else if (round && turn == 2'(l))
				d[32*l +: 32] <= div_d;
	end
endmodule
