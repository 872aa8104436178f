/*
 * mufu of one lane: a special function in each cycle, its result at the end of the
 * fifth cycle after it.
 *
 * A parabola for each segment of the function, with the coefficients of
 * src/simt/lane_sfu.def in a table; src/simt/lane_sfu.c says how x and its square
 * are cut short.
 */
module fl_sfu (
	input  logic        clk,
	input  logic [2:0]  fn,
	input  logic [31:0] a,
	output logic [31:0] d
);
	localparam logic [31:0] NAN = 32'h7fffffff;
	localparam logic [30:0] ONE = 31'h3f800000;
	localparam logic [30:0] INF = 31'h7f800000;
	localparam logic [2:0] RCP = fl_pkg::MOD_FN_RCP[2:0];
	localparam logic [2:0] RSQ = fl_pkg::MOD_FN_RSQ[2:0];
	localparam logic [2:0] SQRT = fl_pkg::MOD_FN_SQRT[2:0];
	localparam logic [2:0] LG2 = fl_pkg::MOD_FN_LG2[2:0];
	localparam logic [2:0] EX2 = fl_pkg::MOD_FN_EX2[2:0];
	localparam logic [2:0] TANH = fl_pkg::MOD_FN_TANH[2:0];
	localparam logic [2:0] COS = fl_pkg::MOD_FN_COS[2:0];

	/* ---- 1: the operand; a subnormal one is zero ------------------------- */

	logic        zero, inf, nan;
	logic signed [8:0] e;

	always_comb begin
		zero = a[30:23] == 8'd0;
		inf = a[30:0] == INF;
		nan = a[30:0] > INF;
		e = $signed({1'b0, a[30:23]}) - 9'sd127;
	end

	/* |a| in fixed point: 23 bits behind the point for ex2, 25 for sin. */
	logic signed [8:0] places;
	logic [55:0] wide;
	logic [31:0] fixed;

	always_comb begin
		places = e + (fn == EX2 ? 9'sd24 : 9'sd26);
		wide = {32'b0, 1'b1, a[22:0]};
		if (zero || places < 9'sd0)
			fixed = 32'b0;
		else
			fixed = 32'((wide << places[5:0]) >> 24);
	end

	/* ex2: a negative number is its one's complement, unless it is integral. */
	logic [31:0] power;
	logic [24:0] phase;
	logic [22:0] angle;

	always_comb begin
		power = fixed;
		if (a[31])
			power = fixed[22:0] != 23'b0 ? ~fixed : -fixed;
		phase = e > 9'sd22 ? 25'b0 : fixed[24:0];
		if (fn == COS)
			phase = phase + 25'h0800000;
		angle = phase[23] ? ~phase[22:0] : phase[22:0];
	end

	logic [5:0]  tanh_place;
	logic [2:0]  halvings;
	logic [5:0]  first;
	logic [3:0]  piece;

	always_comb begin
		{halvings, first} = fl_pkg::tanh_power(4'(e + 9'sd8));
		case (halvings)
		3'd0: piece = 4'd0;
		3'd1: piece = {3'b0, a[22]};
		3'd2: piece = {2'b0, a[22:21]};
		3'd3: piece = {1'b0, a[22:20]};
		default: piece = a[22:19];
		endcase
		tanh_place = first + {2'b0, piece};
	end

	logic [9:0]  row;
	logic [16:0] x;
	logic        sign;
	logic signed [9:0] scale; /* the result is times two to this */

	always_comb begin
		row = fl_pkg::SFU_SIN + {4'b0, angle[22:17]};
		x = angle[16:0];
		sign = phase[24] ^ (fn != COS && a[31]);
		scale = 10'sd0;
		case (fn)
		RCP: begin
			row = fl_pkg::SFU_RCP + {3'b0, a[22:16]};
			x = {a[15:0], 1'b0};
			sign = a[31];
			scale = -{e[8], e};
		end
		RSQ, SQRT: begin
			row = (fn == RSQ ? fl_pkg::SFU_RSQ : fl_pkg::SFU_SQRT) +
			      {3'b0, e[0], a[22:17]};
			x = a[16:0];
			sign = 1'b0;
			scale = {{2{e[8]}}, e[8:1]};
			if (fn == RSQ)
				scale = -scale;
		end
		LG2: begin
			row = fl_pkg::SFU_LG2 + {4'b0, a[22:17]};
			x = a[16:0];
			sign = 1'b0;
		end
		EX2: begin
			row = fl_pkg::SFU_EX2 + {4'b0, power[22:17]};
			x = power[16:0];
			sign = 1'b0;
			scale = {power[31], power[31:23]};
		end
		TANH: begin
			row = fl_pkg::SFU_TANH + {4'b0, tanh_place};
			x = 17'(a[22:0] >> (3'd6 - halvings));
			sign = a[31];
		end
		default: ;
		endcase
	end

	/* Results that no parabola gives. */
	logic        known;
	logic [31:0] result;

	always_comb begin
		known = nan;
		result = NAN;
		case (fn)
		RCP: if (!nan && (zero || inf)) begin
			known = 1'b1;
			result = {a[31], zero ? INF : 31'b0};
		end
		RSQ: if (zero || a[31] || inf) begin
			known = 1'b1;
			if (zero)
				result = {a[31], INF};
			else
				result = a[31] ? NAN : 32'b0;
		end else if (!nan && a[22:0] == 23'b0 && !e[0]) begin
			/* of a power of four, which the parabola misses */
			known = 1'b1;
			result = {1'b0, 8'd127 - 8'(e >>> 1), 23'b0};
		end
		SQRT: if (zero || a[31] || inf) begin
			known = 1'b1;
			if (zero)
				result = {a[31], 31'b0};
			else
				result = a[31] ? NAN : a;
		end
		LG2: if (zero || a[31] || inf || a[30:0] == ONE) begin
			known = 1'b1;
			if (zero)
				result = {1'b1, INF};
			else if (a[31])
				result = NAN;
			else
				result = inf ? a : 32'b0;
		end
		EX2: if (!nan && e > 9'sd7) begin
			known = 1'b1;
			result = {1'b0, a[31] ? 31'b0 : INF};
		end
		TANH: if (!nan && (e < -9'sd8 || e > 9'sd2)) begin
			known = 1'b1;
			result = e > 9'sd2 ? {a[31], ONE} : a;
		end
		default: if (inf) begin
			known = 1'b1;
		end else if (!nan && phase[23] && phase[22:0] == 23'b0) begin
			known = 1'b1;
			result = {sign, ONE};
		end
		endcase
	end

	logic [2:0]  s1_fn;
	logic [9:0]  s1_row;
	logic [16:0] s1_x;
	logic        s1_sign, s1_known;
	logic signed [9:0] s1_scale;
	logic signed [8:0] s1_e;
	logic [31:0] s1_result;

	always_ff @(posedge clk) begin
		{s1_fn, s1_row, s1_x, s1_sign} <= {fn, row, x, sign};
		s1_scale <= scale;
		s1_e <= e;
		{s1_known, s1_result} <= {known, result};
	end

	/* ---- 2: coefficients and square --------------------------------------- */

	/* Of the partial products, those below the upper bits are never formed. */
	function automatic logic [15:0] square(input logic [16:0] v);
		logic [16:0] with_bit;
		logic [15:0] total;

		total = 16'b0;
		for (int i = 2; i < 17; i++) begin
			with_bit = v;
			for (int k = 0; k < 17; k++)
				if (k < i + 1 || k < 18 - i)
					with_bit[k] = 1'b0;
			with_bit = with_bit >> (18 - i);
			if (i >= 10)
				with_bit = with_bit + (17'b1 << (2 * i - 19));
			if (v[i])
				total = total + with_bit[15:0];
		end
		square = total;
	endfunction

	logic [fl_pkg::SFU_BITS-1:0] s2_row;
	logic [15:0] s2_square;
	logic [16:0] s2_x;
	logic [2:0]  s2_fn;
	logic        s2_sign, s2_known;
	logic signed [9:0] s2_scale;
	logic signed [8:0] s2_e;
	logic [31:0] s2_result;

	always_ff @(posedge clk)
		s2_row <= fl_pkg::sfu_row(s1_row);

	always_ff @(posedge clk) begin
		s2_square <= square(s1_x);
		{s2_fn, s2_x, s2_sign} <= {s1_fn, s1_x, s1_sign};
		s2_scale <= s1_scale;
		s2_e <= s1_e;
		{s2_known, s2_result} <= {s1_known, s1_result};
	end

	/* ---- 3: products -------------------------------------------------------- */

	logic signed [51:0] s3_c0, s3_p1, s3_p2;
	logic [2:0]  s3_fn;
	logic        s3_sign, s3_known;
	logic signed [9:0] s3_scale;
	logic signed [8:0] s3_e;
	logic [31:0] s3_result;

	logic signed [fl_pkg::SFU_C1_BITS-1:0] c1;
	logic signed [fl_pkg::SFU_C2_BITS-1:0] c2;
	logic [fl_pkg::SFU_C0_BITS-1:0] c0;

	assign {c0, c1, c2} = s2_row;

	logic signed [fl_pkg::SFU_C1_BITS+17:0] product1;
	logic signed [fl_pkg::SFU_C2_BITS+16:0] product2;

	assign product1 = c1 * $signed({1'b0, s2_x});
	assign product2 = c2 * $signed({1'b0, s2_square});

	always_ff @(posedge clk) begin
		s3_c0 <= 52'({c0, 17'b0});
		s3_p1 <= 52'(product1);
		s3_p2 <= 52'(product2) <<< 2;
		{s3_fn, s3_sign} <= {s2_fn, s2_sign};
		s3_scale <= s2_scale;
		s3_e <= s2_e;
		{s3_known, s3_result} <= {s2_known, s2_result};
	end

	/* ---- 4: sum, in units of 2^-43 -------------------------------------------- */

	logic signed [51:0] bias, sum;

	always_comb begin
		case (s3_fn)
		RCP: bias = 52'(fl_pkg::SFU_RCP_BIAS);
		RSQ: bias = 52'(fl_pkg::SFU_RSQ_BIAS);
		SQRT: bias = 52'(fl_pkg::SFU_SQRT_BIAS);
		LG2: bias = 52'(fl_pkg::SFU_LG2_BIAS);
		EX2: bias = 52'(fl_pkg::SFU_EX2_BIAS);
		default: bias = 52'sd0;
		endcase
		sum = s3_c0 + s3_p1 + s3_p2 + bias;
		/* lg2: it ends at 2^-36; a negative one becomes its complement. */
		if (s3_fn == LG2) begin
			sum[6:0] = 7'b0;
			sum = sum + {s3_e, 43'b0};
		end
	end

	logic [50:0] s4_sum;
	logic        s4_sign, s4_known;
	logic signed [9:0] s4_scale;
	logic [31:0] s4_result;

	always_ff @(posedge clk) begin
		s4_sum <= sum[50:0];
		s4_sign <= s3_sign;
		if (sum[51]) begin
			s4_sum <= {~sum[50:7], 7'b0};
			s4_sign <= 1'b1;
		end
		s4_scale <= s3_scale;
		{s4_known, s4_result} <= {s3_known, s3_result};
	end

	/* ---- 5: normalisation ------------------------------------------------------- */

	logic [5:0]  zeros;
	logic [50:0] normal;

	always_comb begin
		zeros = 6'd0;
		normal = s4_sum;
		for (int i = 5; i >= 0; i--)
			if ((normal >> (51 - (1 << i))) == 51'b0) begin
				zeros[i] = 1'b1;
				normal = normal << (1 << i);
			end
	end

	logic        s5_sign, s5_known, s5_zero;
	logic signed [10:0] s5_e;
	logic [22:0] s5_m;
	logic [31:0] s5_result;

	always_ff @(posedge clk) begin
		s5_sign <= s4_sign;
		s5_zero <= !normal[50];
		s5_m <= normal[49:27];
		s5_e <= 11'(s4_scale) + 11'sd134 - $signed({5'b0, zeros});
		{s5_known, s5_result} <= {s4_known, s4_result};
	end

	/* ---- 6: the result ------------------------------------------------------------ */

	always_comb begin
		if (s5_known)
			d = s5_result;
		else if (s5_zero || s5_e < 11'sd1)
			d = {s5_sign, 31'b0};
		else if (s5_e > 11'sd254)
			d = {s5_sign, INF};
		else
			d = {s5_sign, s5_e[7:0], s5_m};
	end
endmodule
