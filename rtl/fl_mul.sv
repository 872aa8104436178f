/*
 * imul, imulh and imad of one lane: a new one in each cycle, the result three
 * cycles later.
 */
module fl_mul (
	input  logic        clk,
	input  logic [6:0]  code,
	input  logic [4:0]  mod,
	input  logic [31:0] a,
	input  logic [31:0] b,
	input  logic [31:0] c,
	output logic [31:0] d
);
	logic        is_signed;
	logic        s1_high, s2_high;
	logic signed [32:0] s1_a, s1_b;
	logic [31:0] s1_c, s2_c;
	logic signed [65:0] s2_p;

	assign is_signed = |(mod & fl_pkg::MOD_SIGN_S);

	always_ff @(posedge clk) begin
		s1_a <= {is_signed & a[31], a};
		s1_b <= {is_signed & b[31], b};
		s1_c <= code == fl_pkg::OP_IMAD ? c : 32'b0;
		s1_high <= code == fl_pkg::OP_IMULH;
	end

	always_ff @(posedge clk) begin
		s2_p <= s1_a * s1_b;
		s2_c <= s1_c;
		s2_high <= s1_high;
	end

	always_ff @(posedge clk)
		d <= s2_high ? s2_p[63:32] : s2_p[31:0] + s2_c;
endmodule
