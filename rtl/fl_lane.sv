/*
 * The arithmetic of one lane, without division (fl_div.sv): an instruction in
 * each cycle, its result d and predicate t six cycles later, whatever unit it
 * has. fl_alu.sv says what the operands are.
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
	logic [31:0] alu_d, cvt_d, mul_d, fp_d, sfu_d;
	logic        alu_t;
	logic        is_cvt, is_mul, is_fp, is_sfu;

	always_comb begin
		is_cvt = code == fl_pkg::OP_F2F || code == fl_pkg::OP_F2I;
		is_mul = fl_pkg::unit_of(code) == fl_pkg::UNIT_MUL;
		is_fp = fl_pkg::unit_of(code) == fl_pkg::UNIT_FP && !is_cvt;
		is_sfu = fl_pkg::unit_of(code) == fl_pkg::UNIT_SFU;
	end

	fl_alu alu (.code, .mod, .a, .b, .c, .p, .r, .d(alu_d), .t(alu_t));
	fl_cvt cvt (.code, .mod, .a, .d(cvt_d));
	fl_mul mul (.clk, .code, .mod, .a, .b, .c, .d(mul_d));
	fl_fp  fp  (.clk, .code, .mod, .a, .b, .c, .d(fp_d));
	fl_sfu sfu (.clk, .fn(mod[2:0]), .a, .d(sfu_d));

	/* Short results wait for the longest. */
	logic [31:0] d1, d2, d3, d4, d5, d6;
	logic [5:0]  ts;
	logic [2:0]  muls;
	logic [5:0]  fps, sfus;

	always_ff @(posedge clk) begin
		d1 <= is_cvt ? cvt_d : alu_d;
		d2 <= d1;
		d3 <= d2;
		d4 <= muls[2] ? mul_d : d3;
		d5 <= d4;
		d6 <= d5;
		ts <= {ts[4:0], alu_t};
		muls <= {muls[1:0], is_mul};
		fps <= {fps[4:0], is_fp};
		sfus <= {sfus[4:0], is_sfu};
	end

	assign d = fps[5] ? fp_d : sfus[5] ? sfu_d : d6;
	assign t = ts[5];
endmodule
