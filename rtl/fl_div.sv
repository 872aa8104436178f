/*
 * idiv, irem, fdiv and fsqrt of one lane: one bit of the result in each cycle.
 *
 * `start` takes the operands; 34 cycles later `done` is 1 for a cycle, in which d
 * is the result. A start before that begins anew.
 */
module fl_div (
	input  logic        clk,
	input  logic        reset,
	input  logic        start,
	input  logic [6:0]  code,
	input  logic [4:0]  mod,
	input  logic [31:0] a,
	input  logic [31:0] b,
	output logic        done,
	output logic [31:0] d
);
	/* verilator hier_block */
	localparam logic [31:0] NAN = 32'h7fffffff;
	localparam logic [30:0] INF = 31'h7f800000;

	/* A mantissa with its leading one, and the exponent that goes with it. */
	function automatic logic [33:0] unpack(input logic [31:0] v);
		logic [23:0] m;
		logic signed [9:0] e;

		m = {v[30:23] != 8'd0, v[22:0]};
		e = $signed({2'b0, v[30:23] | {7'b0, v[30:23] == 8'd0}});
		for (int i = 4; i >= 0; i--)
			if ((m >> (24 - (1 << i))) == 24'b0) begin
				m = m << (1 << i);
				e = e - 10'(1 << i);
			end
		unpack = {e, m};
	endfunction

	/* ---- the operands ---------------------------------------------------- */

	logic        is_int, is_root, ftz, is_signed;
	logic [31:0] x, y;
	logic [23:0] x_m, y_m;
	logic signed [9:0] x_e, y_e, unbiased;
	logic        x_nan, y_nan, x_inf, y_inf, x_zero, y_zero;

	always_comb begin
		is_int = code == fl_pkg::OP_IDIV || code == fl_pkg::OP_IREM;
		is_root = code == fl_pkg::OP_FSQRT;
		is_signed = |(mod & fl_pkg::MOD_SIGN_S);
		ftz = |(mod & fl_pkg::MOD_FLOAT3_FTZ);
		x = ftz && a[30:23] == 8'd0 ? {a[31], 31'b0} : a;
		y = ftz && b[30:23] == 8'd0 ? {b[31], 31'b0} : b;
		{x_e, x_m} = unpack(x);
		{y_e, y_m} = unpack(y);
		unbiased = x_e - 10'sd127;
		x_nan = x[30:0] > INF;
		y_nan = y[30:0] > INF;
		x_inf = x[30:0] == INF;
		y_inf = y[30:0] == INF;
		x_zero = x[30:0] == 31'b0;
		y_zero = y[30:0] == 31'b0;
	end

	logic        known, sign;
	logic [31:0] result;

	always_comb begin
		known = 1'b0;
		result = NAN;
		sign = a[31] ^ b[31];
		if (is_int) begin
			sign = is_signed && a[31];
			if (code == fl_pkg::OP_IDIV)
				sign = is_signed && a[31] != b[31];
			known = b == 32'b0;
			result = 32'hffffffff;
		end else if (is_root) begin
			sign = 1'b0;
			if (x_zero || x[31] || x_inf || x_nan) begin
				known = 1'b1;
				if (x_zero || (x_inf && !x[31]))
					result = x;
			end
		end else if (x_nan || y_nan || (x_inf && y_inf) ||
			     (x_zero && y_zero)) begin
			known = 1'b1;
		end else if (x_inf || y_zero) begin
			known = 1'b1;
			result = {sign, INF};
		end else if (x_zero || y_inf) begin
			known = 1'b1;
			result = {sign, 31'b0};
		end
	end

	/* ---- shift and subtract ---------------------------------------------- */

	logic        h_int, h_root, h_rem, h_ftz, h_sign, h_known;
	logic [1:0]  h_mode;
	logic [31:0] h_result, divisor, next, quotient;
	logic signed [10:0] h_e;
	logic [33:0] rest;
	logic [5:0]  left; /* cycles until done */

	logic [35:0] grown, taken;
	logic        fits;

	/* A root takes two bits of the radicand and subtracts four times the root
	 * so far, plus one. */
	always_comb begin
		grown = h_root ? {rest, next[31:30]} : {1'b0, rest, next[31]};
		taken = h_root ? {2'b0, quotient, 2'b01} : {4'b0, divisor};
		fits = grown >= taken;
	end

	always_ff @(posedge clk) begin
		if (start) begin
			left <= 6'd33;
			{h_int, h_root, h_ftz} <= {is_int, is_root, ftz};
			h_rem <= code == fl_pkg::OP_IREM;
			h_mode <= mod[1:0];
			{h_sign, h_known, h_result} <= {sign, known, result};
			quotient <= 32'b0;
			if (is_int) begin
				rest <= 34'b0;
				next <= is_signed && a[31] ? -a : a;
				divisor <= is_signed && b[31] ? -b : b;
				h_e <= 11'sd0;
			end else if (is_root) begin
				rest <= 34'b0;
				next <= unbiased[0] ? {x_m, 8'b0} :
						      {1'b0, x_m, 7'b0};
				divisor <= 32'b0;
				h_e <= {{2{unbiased[9]}}, unbiased[9:1]} +
				       11'sd127;
			end else begin
				rest <= {11'b0, x_m[23:1]};
				next <= {x_m[0], 31'b0};
				divisor <= {8'b0, y_m};
				h_e <= 11'(x_e) - 11'(y_e) + 11'sd127;
			end
		end else if (left != 6'd0) begin
			left <= left - 6'd1;
		end
		if (!start && left > 6'd1) begin
			rest <= 34'(fits ? grown - taken : grown);
			quotient <= {quotient[30:0], fits};
			next <= h_root ? next << 2 : next << 1;
		end
		if (reset)
			left <= 6'd0;
	end

	/* ---- the result ---------------------------------------------------------- */

	/* A quotient is between 1/2 and 2, a root from 1 on. */
	logic [31:0] normal, rounded, whole;
	logic signed [10:0] e;

	always_comb begin
		normal = quotient[31] ? quotient : quotient << 1;
		e = quotient[31] ? h_e : h_e - 11'sd1;
		whole = h_rem ? rest[31:0] : quotient;
	end

	fl_round round (
		.sign(h_sign), .e, .m(normal[31:8]), .g(normal[7]),
		.s((|normal[6:0]) || rest != 34'b0), .mode(h_mode), .ftz(h_ftz),
		.result(rounded)
	);

	always_ff @(posedge clk) begin
		done <= left == 6'd1 && !start && !reset;
		if (h_known)
			d <= h_result;
		else if (h_int)
			d <= h_sign ? -whole : whole;
		else
			d <= rounded;
	end
endmodule
