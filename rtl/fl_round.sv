/*
 * Rounds a number to single precision and packs it. Combinational.
 *
 * The number is (-1)^sign * 1.m * 2^(e - 127): m has its leading one, and behind
 * it come a guard bit g and the rest as one sticky bit s. e may be outside of the
 * range of the format. With ftz, a result that is below the normal numbers after
 * rounding with an unlimited exponent becomes zero; without, it is subnormal.
 */
module fl_round (
	input  logic        sign,
	input  logic signed [10:0] e,
	input  logic [23:0] m,
	input  logic        g,
	input  logic        s,
	input  logic [1:0]  mode,
	input  logic        ftz,
	output logic [31:0] result
);
	logic        low, up, away, over, under;
	logic [10:0] deficit;
	logic [50:0] window;
	logic [23:0] rm;
	logic        rg, rs;
	logic [30:0] packed_up;
	logic [30:0] limit;

	/* A subnormal number is shifted to the exponent of the least normal one. */
	always_comb begin
		low = e < 11'sd1 && !ftz;
		deficit = 11'd1 - e;
		if (!low)
			window = {m, g, 26'b0};
		else if (deficit > 11'd25)
			window = {50'b0, 1'b1};
		else
			window = {m, g, 26'b0} >> deficit[4:0];
		rm = window[50:27];
		rg = window[26];
		rs = s | (|window[25:0]);
	end

	always_comb begin
		away = sign ? mode == fl_pkg::MOD_FLOAT_RM[1:0] :
			      mode == fl_pkg::MOD_FLOAT_RP[1:0];
		up = mode == fl_pkg::MOD_FLOAT_RN[1:0] ?
			     rg & (rs | rm[0]) : away & (rg | rs);
		over = e > 11'sd254;
		/* A carry out of the mantissa is the next exponent. */
		packed_up = {low ? 8'd0 : e[7:0], rm[22:0]} + {30'b0, up};
		under = ftz && (e < 11'sd0 ||
				(e == 11'sd0 && packed_up[30:23] == 8'd0));
		limit = away || mode == fl_pkg::MOD_FLOAT_RN[1:0] ?
				31'h7f800000 : 31'h7f7fffff;
		if (over)
			result = {sign, limit};
		else if (under)
			result = {sign, 31'b0};
		else
			result = {sign, packed_up};
	end
endmodule
