/*
 * f2f and f2i of one lane. Combinational.
 */
module fl_cvt (
	input  logic [6:0]  code,
	input  logic [4:0]  mod,
	input  logic [31:0] a,
	output logic [31:0] d
);
	localparam logic [31:0] NAN = 32'h7fffffff;
	localparam logic [31:0] ONE = 32'h3f800000;

	logic        ftz, nan, sign, far, up;
	logic [31:0] x;
	logic [7:0]  e;
	logic [7:0]  places;

	always_comb begin
		ftz = |(mod & fl_pkg::MOD_F2F_FTZ);
		x = ftz && a[30:23] == 8'd0 ? {a[31], 31'b0} : a;
		nan = x[30:0] > 31'h7f800000;
		sign = x[31];
		e = x[30:23];
	end

	/* |x| with 33 bits before and 24 bits behind the point; far: from 2^32 on. */
	logic [56:0] fixed;
	logic        guard, sticky;
	logic [32:0] whole;

	always_comb begin
		far = e > 8'd158;
		places = e - 8'd126;
		if (e < 8'd126)
			fixed = {56'b0, x[30:0] != 31'b0};
		else
			fixed = {33'b0, 1'b1, x[22:0]} << places[5:0];
		guard = fixed[23];
		sticky = |fixed[22:0];
		case (mod[1:0])
		fl_pkg::MOD_F2F_RN[1:0]: up = guard & (sticky | fixed[24]);
		fl_pkg::MOD_F2F_RZ[1:0]: up = 1'b0;
		fl_pkg::MOD_F2F_RM[1:0]: up = sign & (guard | sticky);
		default: up = !sign & (guard | sticky);
		endcase
		whole = fixed[56:24] + {32'b0, up};
	end

	/* To an integer: what does not fit becomes the nearest that does. */
	logic [31:0] as_int;

	always_comb begin
		if (nan)
			as_int = 32'b0;
		else if (!(|(mod & fl_pkg::MOD_F2I_S))) begin
			if (sign)
				as_int = 32'b0;
			else
				as_int = far || whole[32] ? 32'hffffffff :
							    whole[31:0];
		end else if (sign)
			as_int = far || whole > 33'h080000000 ? 32'h80000000 :
								-whole[31:0];
		else
			as_int = far || whole > 33'h07fffffff ? 32'h7fffffff :
								whole[31:0];
	end

	/* To an integral float: bits behind the point go, a carry is the next
	 * exponent. */
	logic [22:0] behind;
	logic [30:0] integral;

	always_comb begin
		behind = 23'h7fffff >> (e - 8'd127);
		if (e < 8'd127)
			integral = up ? ONE[30:0] : 31'b0;
		else if (e > 8'd149)
			integral = x[30:0];
		else
			integral = (x[30:0] & ~{8'b0, behind}) +
				   (up ? {8'b0, behind} + 31'd1 : 31'b0);
	end

	logic [31:0] as_float;
	logic        whole_float;

	always_comb begin
		whole_float = |(mod & fl_pkg::MOD_F2F_INT);
		if (mod == 5'b0)
			as_float = a; /* a copy: a NaN keeps its bits */
		else if (nan)
			as_float = NAN;
		else
			as_float = whole_float ? {sign, integral} : x;
		if (|(mod & fl_pkg::MOD_F2F_SAT)) begin
			if (nan || sign)
				as_float = 32'b0;
			else if (as_float > ONE)
				as_float = ONE;
		end
	end

	assign d = code == fl_pkg::OP_F2I ? as_int : as_float;
endmodule
