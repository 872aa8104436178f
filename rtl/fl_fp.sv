/*
 * fadd, fmul, ffma and i2f of one lane: a new one in each cycle, the result six
 * cycles later.
 *
 * A sum is a * 1 + b, a product a * b plus a zero of its own sign. Subnormal
 * operands keep their leading zeros: their product still has 24 bits above its
 * last place, and the sum is normalised once, behind the adder.
 *
 * The sum is formed in a window of 79 bits, the product at bits 50 to 3:
 *
 *   78     77        54  53  51 50        3 2  0
 *   carry  addend if it is far greater      addend below the product: sticky
 */
module fl_fp (
	input  logic        clk,
	input  logic [6:0]  code,
	input  logic [4:0]  mod,
	input  logic [31:0] a,
	input  logic [31:0] b,
	input  logic [31:0] c,
	output logic [31:0] d
);
	localparam logic [31:0] NAN = 32'h7fffffff;
	localparam logic [31:0] ONE = 32'h3f800000;

	function automatic logic [31:0] flush(input logic [31:0] v,
					      input logic ftz);
		flush = ftz && v[30:23] == 8'd0 ? {v[31], 31'b0} : v;
	endfunction

	/* ---- 1: operands ------------------------------------------------ */

	logic        ftz, is_int;
	logic [31:0] x, y, z;
	logic        x_inf, y_inf, z_inf, x_nan, y_nan, z_nan, x_zero, y_zero;
	logic        p_inf;

	always_comb begin
		is_int = code == fl_pkg::OP_I2F;
		ftz = |(mod & fl_pkg::MOD_FLOAT_FTZ);
		x = flush(a, ftz);
		y = flush(b, ftz);
		z = flush(c, ftz);
		if (code == fl_pkg::OP_FADD) begin
			z = {y[31] ^ (|(mod & fl_pkg::MOD_ADD_NEG)), y[30:0]};
			y = ONE;
		end
		if (code == fl_pkg::OP_FMUL)
			z = {x[31] ^ y[31], 31'b0};
	end

	always_comb begin
		x_inf = x[30:0] == 31'h7f800000;
		y_inf = y[30:0] == 31'h7f800000;
		z_inf = z[30:0] == 31'h7f800000;
		x_nan = x[30:0] > 31'h7f800000;
		y_nan = y[30:0] > 31'h7f800000;
		z_nan = z[30:0] > 31'h7f800000;
		x_zero = x[30:0] == 31'b0;
		y_zero = y[30:0] == 31'b0;
		p_inf = x_inf || y_inf;
	end

	logic        s1_int, s1_ftz, s1_sat, s1_nan, s1_inf, s1_inf_sign;
	logic        s1_p_sign, s1_z_sign, s1_p_zero, s1_z_zero;
	logic [1:0]  s1_mode;
	logic [23:0] s1_x, s1_y, s1_z;
	logic [8:0]  s1_pe;
	logic [7:0]  s1_ze;
	logic [31:0] s1_i;
	logic        s1_i_sign;

	always_ff @(posedge clk) begin
		s1_int <= is_int;
		s1_mode <= mod[1:0];
		s1_ftz <= ftz && !is_int;
		s1_sat <= (|(mod & fl_pkg::MOD_FLOAT_SAT)) && !is_int;
		s1_x <= {x[30:23] != 8'd0, x[22:0]};
		s1_y <= {y[30:23] != 8'd0, y[22:0]};
		s1_z <= {z[30:23] != 8'd0, z[22:0]};
		s1_pe <= {1'b0, x[30:23]} + {8'b0, x[30:23] == 8'd0} +
			 {1'b0, y[30:23]} + {8'b0, y[30:23] == 8'd0};
		s1_ze <= z[30:23] | {7'b0, z[30:23] == 8'd0};
		s1_p_sign <= x[31] ^ y[31];
		s1_z_sign <= z[31];
		s1_p_zero <= x_zero || y_zero;
		s1_z_zero <= z[30:0] == 31'b0;
		s1_nan <= !is_int &&
			  (x_nan || y_nan || z_nan || (x_inf && y_zero) ||
			   (y_inf && x_zero) ||
			   (p_inf && z_inf && (x[31] ^ y[31]) != z[31]));
		s1_inf <= !is_int && (p_inf || z_inf);
		s1_inf_sign <= p_inf ? x[31] ^ y[31] : z[31];
		s1_i_sign <= (|(mod & fl_pkg::MOD_I2F_S)) && a[31];
		s1_i <= (|(mod & fl_pkg::MOD_I2F_S)) && a[31] ? -a : a;
	end

	/* ---- 2: product, alignment ---------------------------------------- */

	logic signed [10:0] shift;
	logic        from_z;
	logic [77:0] z_wide, z_lost;

	always_comb begin
		shift = $signed({2'b0, s1_pe}) - $signed({3'b0, s1_ze}) -
			11'sd99;
		from_z = s1_p_zero || (shift < 11'sd0 && !s1_z_zero);
		if (from_z)
			shift = 11'sd0;
		z_lost = ~({78{1'b1}} << shift[6:0]);
		if (shift > 11'sd77) begin
			z_wide = {77'b0, !s1_z_zero};
			z_lost = 78'b0;
		end else begin
			z_wide = {s1_z, 54'b0} >> shift[6:0];
			z_wide[0] = z_wide[0] | (|({s1_z, 54'b0} & z_lost));
		end
	end

	logic        s2_int, s2_ftz, s2_sat, s2_nan, s2_inf, s2_inf_sign;
	logic        s2_p_sign, s2_z_sign;
	logic [1:0]  s2_mode;
	logic [47:0] s2_p;
	logic [77:0] s2_z;
	logic signed [10:0] s2_top; /* exponent of bit 78 */
	logic [31:0] s2_i;
	logic        s2_i_sign;

	always_ff @(posedge clk) begin
		{s2_int, s2_mode, s2_ftz, s2_sat} <=
			{s1_int, s1_mode, s1_ftz, s1_sat};
		{s2_nan, s2_inf, s2_inf_sign} <= {s1_nan, s1_inf, s1_inf_sign};
		{s2_p_sign, s2_z_sign} <= {s1_p_sign, s1_z_sign};
		{s2_i, s2_i_sign} <= {s1_i, s1_i_sign};
		s2_p <= s1_x * s1_y;
		s2_z <= z_wide;
		s2_top <= from_z ? $signed({3'b0, s1_ze}) + 11'sd1 :
				   $signed({2'b0, s1_pe}) - 11'sd98;
	end

	/* ---- 3: sum -------------------------------------------------------- */

	/* One adder, in which the lowest place is for the carry in, and one that
	 * negates. */
	logic        minus, less;
	logic [79:0] addend;
	logic [80:0] total;
	logic [78:0] sum;

	always_comb begin
		minus = s2_p_sign ^ s2_z_sign;
		addend = {1'b0, s2_z, 1'b0} ^ {80{minus}};
		total = {29'b0, s2_p, 3'b0, 1'b1} + {minus, addend};
		less = minus && total[80];
		sum = (total[79:1] ^ {79{less}}) + {78'b0, less};
	end

	logic        s3_ftz, s3_sat, s3_nan, s3_inf, s3_sign, s3_zero;
	logic [1:0]  s3_mode;
	logic [78:0] s3_sum;
	logic signed [10:0] s3_top;

	always_ff @(posedge clk) begin
		{s3_mode, s3_ftz, s3_sat} <= {s2_mode, s2_ftz, s2_sat};
		{s3_nan, s3_inf} <= {s2_nan, s2_inf};
		s3_sum <= s2_int ? {s2_i, 47'b0} : sum;
		s3_zero <= s2_int ? s2_i == 32'b0 : sum == 79'b0;
		s3_top <= s2_int ? 11'sd158 : s2_top;
		if (s2_int)
			s3_sign <= s2_i_sign;
		else if (s2_inf)
			s3_sign <= s2_inf_sign;
		else if (minus && sum == 79'b0)
			s3_sign <= s2_mode == fl_pkg::MOD_FLOAT_RM[1:0];
		else
			s3_sign <= minus && less ? s2_z_sign : s2_p_sign;
	end

	/* ---- 4: normalisation ----------------------------------------------- */

	logic [6:0]  zeros;
	logic [78:0] normal;

	always_comb begin
		zeros = 7'd0;
		normal = s3_sum;
		for (int i = 6; i >= 0; i--)
			if ((normal >> (79 - (1 << i))) == 79'b0) begin
				zeros[i] = 1'b1;
				normal = normal << (1 << i);
			end
	end

	logic        s4_ftz, s4_sat, s4_nan, s4_inf, s4_sign, s4_zero, s4_s;
	logic [1:0]  s4_mode;
	logic [24:0] s4_m;
	logic signed [10:0] s4_e;

	always_ff @(posedge clk) begin
		{s4_mode, s4_ftz, s4_sat} <= {s3_mode, s3_ftz, s3_sat};
		{s4_nan, s4_inf, s4_sign} <= {s3_nan, s3_inf, s3_sign};
		s4_zero <= s3_zero;
		s4_m <= normal[78:54];
		s4_s <= |normal[53:0];
		s4_e <= s3_top - $signed({4'b0, zeros});
	end

	/* ---- 5: rounding ---------------------------------------------------- */

	logic [31:0] rounded;

	fl_round round (
		.sign(s4_sign), .e(s4_e), .m(s4_m[24:1]), .g(s4_m[0]), .s(s4_s),
		.mode(s4_mode), .ftz(s4_ftz), .result(rounded)
	);

	logic        s5_sat;
	logic [31:0] s5_d;

	always_ff @(posedge clk) begin
		s5_sat <= s4_sat;
		if (s4_nan)
			s5_d <= NAN;
		else if (s4_inf)
			s5_d <= {s4_sign, 31'h7f800000};
		else if (s4_zero)
			s5_d <= {s4_sign, 31'b0};
		else
			s5_d <= rounded;
	end

	/* ---- 6: saturation --------------------------------------------------- */

	always_ff @(posedge clk) begin
		if (!s5_sat)
			d <= s5_d;
		else if (s5_d[31] || s5_d == NAN)
			d <= 32'b0;
		else
			d <= s5_d > ONE ? ONE : s5_d;
	end
endmodule
