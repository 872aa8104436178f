/*
 * The parts of an instruction word that the SIMD needs. Combinational, and the same
 * for all instructions but for what is written.
 */
module fl_decode (
	input  logic [63:0] word,
	output logic [6:0]  code,
	output logic [4:0]  mod,
	output logic [2:0]  guard,
	output logic        guard_not,
	output logic [4:0]  d,
	output logic [4:0]  a,
	output logic [4:0]  c,
	output logic        imm,
	output logic [31:0] b,
	output logic        is_simd,      /* an instruction of the SIMD */
	output logic        is_div,
	output logic        writes_reg,   /* register d */
	output logic        writes_pred,  /* predicate pred */
	output logic [2:0]  pred
);
	logic [fl_pkg::HAS_BITS-1:0] has;
	logic [2:0] unit;

	assign {b, imm, mod, c, a, d, guard_not, guard, code} = word;

	always_comb begin
		has = fl_pkg::operands_of(code);
		unit = fl_pkg::unit_of(code);
		is_simd = unit != fl_pkg::UNIT_MEM && unit != fl_pkg::UNIT_CTRL;
		is_div = unit == fl_pkg::UNIT_DIV;
		writes_reg = is_simd && has[fl_pkg::HAS_D];
		pred = c[2:0];
		if (has[fl_pkg::HAS_P])
			pred = d[2:0];
		if (has[fl_pkg::HAS_K])
			pred = mod[4:2];
		writes_pred = pred != fl_pkg::PT &&
			      (has[fl_pkg::HAS_P] || has[fl_pkg::HAS_K] ||
			       (has[fl_pkg::HAS_Y] &&
				(|(mod & fl_pkg::MOD_CARRY_CO))));
	end
endmodule
