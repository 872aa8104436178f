/*
 * idiv, irem, fdiv and fsqrt of four lanes: one bit of each result in each cycle. What
 * comes before and after the bits, unpacking and rounding, the lanes share and take
 * in turns.
 *
 * `load` takes the operands of lane `turn`, which has its 32 bits when `step` has
 * been 1 for it in 32 cycles; `mark` has then been at bit 31 in the first of them, and
 * one lower in each next. The result of lane `turn` is d. code and mod stay.
 */
module fl_div (
	input  logic         clk,
	input  logic [6:0]   code,
	input  logic [4:0]   mod,
	input  logic [1:0]   turn,
	input  logic         load,
	input  logic [31:0]  a,
	input  logic [31:0]  b,
	input  logic [3:0]   step,
	input  logic [127:0] mark,
	output logic [31:0]  d
);
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

	logic        is_int, is_root, is_rem, ftz, is_signed;
	logic [31:0] x, y;
	logic [23:0] x_m, y_m;
	logic signed [9:0] x_e, y_e, unbiased;
	logic        x_nan, y_nan, x_inf, y_inf, x_zero, y_zero;

	always_comb begin
		is_rem = code == fl_pkg::OP_IREM;
		is_int = code == fl_pkg::OP_IDIV || is_rem;
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

	/* Results that need no division. */
	localparam logic [2:0] DIVIDED = 3'd0;
	localparam logic [2:0] IS_NAN = 3'd1;
	localparam logic [2:0] IS_INF = 3'd2;
	localparam logic [2:0] IS_ZERO = 3'd3;
	localparam logic [2:0] IS_ONES = 3'd4;
	logic [2:0]  kind;
	logic        sign;

	always_comb begin
		kind = DIVIDED;
		sign = a[31] ^ b[31];
		if (is_int) begin
			sign = is_signed && (is_rem ? a[31] : a[31] ^ b[31]);
			if (b == 32'b0)
				kind = IS_ONES;
		end else if (is_root) begin
			sign = x_zero && x[31];
			if (x_zero)
				kind = IS_ZERO;
			else if (x[31] || x_nan)
				kind = IS_NAN;
			else if (x_inf)
				kind = IS_INF;
		end else if (x_nan || y_nan || (x_inf && y_inf) ||
			     (x_zero && y_zero))
			kind = IS_NAN;
		else if (x_inf || y_zero)
			kind = IS_INF;
		else if (x_zero || y_inf)
			kind = IS_ZERO;
	end

	/* A quotient begins with the dividend's bits in `low`, from which they
	 * leave for the rest as the quotient's come. A root begins with half of the
	 * radicand, from 1 to below 4, in the rest. */
	logic [33:0] rest0;
	logic [31:0] low0, divisor0;
	logic signed [10:0] e0;

	always_comb begin
		rest0 = 34'b0;
		if (is_int) begin
			low0 = is_signed && a[31] ? -a : a;
			divisor0 = is_signed && b[31] ? -b : b;
			e0 = 11'sd0;
		end else if (is_root) begin
			rest0 = unbiased[0] ? {2'b0, x_m, 8'b0} :
					      {3'b0, x_m, 7'b0};
			low0 = 32'b0;
			divisor0 = 32'b0;
			e0 = {{2{unbiased[9]}}, unbiased[9:1]} + 11'sd127;
		end else begin
			rest0 = {11'b0, x_m[23:1]};
			low0 = {x_m[0], 31'b0};
			divisor0 = {8'b0, y_m};
			e0 = 11'(x_e) - 11'(y_e) + 11'sd127;
		end
	end

	/* ---- shift and subtract ---------------------------------------------- */

	/* A root subtracts twice the root so far, which gathers in `divisor`, plus
	 * the bit that is tried: the mark. */
	logic [33:0] rest [0:3];
	logic [31:0] low [0:3];
	logic [14:0] known [0:3]; /* kind, sign, exponent */

	for (genvar l = 0; l < 4; l++) begin : lane
		logic [32:0] divisor;
		logic [31:0] tried;
		logic [34:0] grown;
		logic [35:0] less;
		logic        begins, fits;

		always_comb begin
			begins = load && turn == 2'(l);
			tried = mark[32*l +: 32] & {32{is_root}};
			grown = {rest[l], low[l][31]};
			less = {1'b0, grown} - {3'b0, divisor | {1'b0, tried}};
			fits = !less[35];
		end

		always_ff @(posedge clk) begin
			if (begins) begin
				rest[l] <= rest0;
				low[l] <= low0;
				divisor <= {1'b0, divisor0};
				known[l] <= {kind, sign, e0};
			end else if (step[l]) begin
				rest[l] <= fits ? less[33:0] : grown[33:0];
				low[l] <= {low[l][30:0], fits};
				divisor <= divisor |
					   ({tried, 1'b0} & {33{fits}});
			end
		end
	end

	/* ---- the result ---------------------------------------------------------- */

	/* A quotient is between 1/2 and 2, a root from 1 on. */
	logic [33:0] rest_is;
	logic [31:0] quotient, normal, rounded, whole;
	logic [2:0]  kind_is;
	logic        sign_is;
	logic signed [10:0] e_is, e;

	always_comb begin
		rest_is = rest[turn];
		quotient = low[turn];
		{kind_is, sign_is, e_is} = known[turn];
		normal = quotient[31] ? quotient : quotient << 1;
		e = quotient[31] ? e_is : e_is - 11'sd1;
		whole = is_rem ? rest_is[31:0] : quotient;
	end

	fl_round round (
		.sign(sign_is), .e, .m(normal[31:8]), .g(normal[7]),
		.s((|normal[6:0]) || rest_is != 34'b0), .mode(mod[1:0]), .ftz,
		.result(rounded)
	);

	always_comb begin
		case (kind_is)
		IS_NAN: d = NAN;
		IS_INF: d = {sign_is, INF};
		IS_ZERO: d = {sign_is, 31'b0};
		IS_ONES: d = 32'hffffffff;
		default: d = rounded;
		endcase
		if (kind_is == DIVIDED && is_int)
			d = sign_is ? -whole : whole;
	end
endmodule
