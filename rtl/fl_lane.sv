/*
 * The arithmetic of one lane, without what it shares with others (fl_quad.sv): an
 * instruction in each cycle, its result d and predicate t six cycles later, whatever
 * unit it has. fl_alu.sv says what the operands are.
 */
module fl_lane (
	input  logic        clk,
	input  logic [6:0]  code,
	input  logic [4:0]  mod,
	input  logic [31:0] a,
	input  logic [31:0] b,
	input  logic [31:0] c,
	input  logic        p,
	input  logic        r,
	output logic [31:0] d,
	output logic        t
);
	/* verilator hier_block */
	logic [31:0] alu_d, mul_d, fp_d;
	logic        alu_t;
	logic        is_mul, is_fp;

	/* f2f and f2i get their result as b, which the ALU copies. */
	always_comb begin
		is_mul = fl_pkg::unit_of(code) == fl_pkg::UNIT_MUL;
		is_fp = fl_pkg::unit_of(code) == fl_pkg::UNIT_FP &&
			code != fl_pkg::OP_F2F && code != fl_pkg::OP_F2I;
	end

	fl_alu alu (.code, .mod, .a, .b, .c, .p, .r, .d(alu_d), .t(alu_t));
	fl_mul mul (.clk, .code, .mod, .a, .b, .c, .d(mul_d));
	fl_fp  fp  (.clk, .code, .mod, .a, .b, .c, .d(fp_d));

	/* Short results wait for the longest. */
	logic [31:0] d1, d2, d3, d4, d5, d6;
	logic [5:0]  ts, fps;
	logic [2:0]  muls;

	always_ff @(posedge clk) begin
		d1 <= alu_d;
		d2 <= d1;
		d3 <= d2;
		d4 <= muls[2] ? mul_d : d3;
		d5 <= d4;
		d6 <= d5;
		ts <= {ts[4:0], alu_t};
		muls <= {muls[1:0], is_mul};
		fps <= {fps[4:0], is_fp};
	end

	assign d = fps[5] ? fp_d : d6;
	assign t = ts[5];
endmodule
