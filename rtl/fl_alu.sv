/*
 * The instructions of one lane that the unit ALU has: copies, integers, bits,
 * comparisons, and those of floats that need no arithmetic. Combinational.
 *
 * p is the predicate that the instruction reads in the place of c (the carry of
 * iadd, the condition of sel), r the one in the place of a, both with their
 * negation. Instructions that read something other than registers (s2r, ldp,
 * ballot, shfl) get it as b, and their predicate as p.
 */
module fl_alu (
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
	localparam logic [31:0] NAN = 32'h7fffffff;

	/* ---- addition ---------------------------------------------------- */

	logic        minus, carry_in;
	logic [32:0] sum;

	always_comb begin
		minus = code == fl_pkg::OP_ISUB;
		carry_in = |(mod & fl_pkg::MOD_CARRY_CI) ? p : minus;
		sum = {1'b0, a} + {1'b0, b ^ {32{minus}}} + {32'b0, carry_in};
	end

	/* ---- comparison of integers ---------------------------------------- */

	logic        is_signed, int_less, int_same, int_holds;

	always_comb begin
		is_signed = code == fl_pkg::OP_ISETP ?
				    |(mod & fl_pkg::MOD_ICMP_S) :
				    |(mod & fl_pkg::MOD_SIGN_S);
		int_less = {a[31] ^ is_signed, a[30:0]} <
			   {b[31] ^ is_signed, b[30:0]};
		int_same = a == b;
		case ({2'b0, mod[2:0]})
		fl_pkg::MOD_ICMP_EQ: int_holds = int_same;
		fl_pkg::MOD_ICMP_NE: int_holds = !int_same;
		fl_pkg::MOD_ICMP_LT: int_holds = int_less;
		fl_pkg::MOD_ICMP_LE: int_holds = int_less || int_same;
		fl_pkg::MOD_ICMP_GT: int_holds = !int_less && !int_same;
		default: int_holds = !int_less;
		endcase
	end

	/* ---- shifts ---------------------------------------------------------- */

	logic        left, fill, shift_out;
	logic [63:0] funnel;
	logic [4:0]  amount;
	logic [31:0] shifted, ones, field;
	logic [7:0]  length;

	/* All are a funnel to the right; to the left by n is one place, and then
	 * 31 - n more. */
	always_comb begin
		left = code == fl_pkg::OP_SHL ||
		       (code == fl_pkg::OP_SHF && !(|(mod & fl_pkg::MOD_DIR_R)));
		fill = a[31] && (|(mod & fl_pkg::MOD_SIGN_S));
		case (code)
		fl_pkg::OP_SHL: funnel = {1'b0, a, 31'b0};
		fl_pkg::OP_SHF: funnel = left ? {1'b0, c, a[31:1]} : {c, a};
		default: funnel = {{32{fill}}, a};
		endcase
		amount = b[4:0] ^ {5{left}};
		case (code)
		fl_pkg::OP_SHF: shift_out = 1'b0;
		fl_pkg::OP_BFE: shift_out = b[7:5] != 3'b0;
		default: shift_out = b[31:5] != 27'b0;
		endcase
		shifted = 32'(funnel >> amount);
		if (shift_out)
			shifted = {32{fill && code != fl_pkg::OP_SHL}};
	end

	/* Of a field of bits; beyond its length is its own highest bit, or zero. */
	always_comb begin
		length = b[15:8];
		ones = length > 8'd31 ? 32'hffffffff :
					~(32'hffffffff << length[4:0]);
		field = shifted & ones;
		if ((|(mod & fl_pkg::MOD_SIGN_S)) &&
		    (shifted & ones & ~(ones >> 1)) != 32'b0)
			field = shifted | ~ones;
	end

	/* ---- bits -------------------------------------------------------------- */

	logic [5:0]  count, leading;
	logic [31:0] reversed;

	always_comb begin
		count = 6'd0;
		leading = 6'd32;
		for (int i = 0; i < 32; i++) begin
			count = count + {5'b0, a[i]};
			if (a[i])
				leading = 6'(31 - i);
			reversed[i] = a[31 - i];
		end
	end

	/* Four bytes of the eight of c:a, each as it is or its sign. */
	logic [31:0] permuted;
	logic [7:0]  chosen;

	always_comb begin
		permuted = 32'b0;
		chosen = 8'b0;
		for (int i = 0; i < 4; i++) begin
			chosen = 8'({c, a} >> {b[4*i +: 3], 3'b0});
			permuted[8*i +: 8] = b[4*i + 3] ? {8{chosen[7]}} :
							  chosen;
		end
	end

	/* ---- floats -------------------------------------------------------------- */

	logic        ftz, x_nan, y_nan, unordered, both_zero, less, same;
	logic        float_holds, keep_nan, x_first, winner_nan;
	logic [31:0] x, y, m, n, winner;

	/* As numbers: of negative ones the greater magnitude is less. */
	function automatic logic below(input logic [31:0] u,
				       input logic [31:0] v);
		if (u[31] != v[31])
			below = u[31];
		else
			below = u[31] ? u[30:0] > v[30:0] : u[30:0] < v[30:0];
	endfunction

	always_comb begin
		ftz = code == fl_pkg::OP_FSETP ?
			      |(mod & fl_pkg::MOD_FCMP_FTZ) :
			      |(mod & fl_pkg::MOD_FTZ_FTZ);
		x = ftz && a[30:23] == 8'd0 ? {a[31], 31'b0} : a;
		y = ftz && b[30:23] == 8'd0 ? {b[31], 31'b0} : b;
		x_nan = x[30:0] > 31'h7f800000;
		y_nan = y[30:0] > 31'h7f800000;
	end

	logic [3:0]  relation;

	always_comb begin
		unordered = x_nan || y_nan;
		both_zero = x[30:0] == 31'b0 && y[30:0] == 31'b0;
		same = x == y || both_zero;
		less = below(x, y) && !both_zero;
		relation = mod[3:0] < fl_pkg::MOD_FCMP_EQU[3:0] ?
				   mod[3:0] :
				   mod[3:0] - fl_pkg::MOD_FCMP_EQU[3:0];
		case ({1'b0, relation})
		fl_pkg::MOD_FCMP_EQ: float_holds = same;
		fl_pkg::MOD_FCMP_NE: float_holds = !same;
		fl_pkg::MOD_FCMP_LT: float_holds = less;
		fl_pkg::MOD_FCMP_LE: float_holds = less || same;
		fl_pkg::MOD_FCMP_GT: float_holds = !less && !same;
		default: float_holds = !less;
		endcase
		if (unordered)
			float_holds = mod[3:0] >= fl_pkg::MOD_FCMP_EQU[3:0];
		if (mod[3:0] == fl_pkg::MOD_FCMP_NUM[3:0])
			float_holds = !unordered;
		if (mod[3:0] == fl_pkg::MOD_FCMP_NAN[3:0])
			float_holds = unordered;
	end

	/* A NaN gives way to the other operand, or wins. */
	always_comb begin
		keep_nan = |(mod & fl_pkg::MOD_FMNMX_NAN);
		m = !keep_nan && x_nan ? y : x;
		n = !keep_nan && y_nan ? x : y;
		x_first = code == fl_pkg::OP_FMIN ? below(m, n) : below(n, m);
		winner = x_first ? m : n;
		winner_nan = keep_nan ? x_nan || y_nan : x_nan && y_nan;
	end

	/* ---- results ------------------------------------------------------------- */

	always_comb begin
		d = b;
		case (code)
		fl_pkg::OP_SEL: d = p ? a : b;
		fl_pkg::OP_IADD, fl_pkg::OP_ISUB: d = sum[31:0];
		fl_pkg::OP_IMIN: d = int_less ? a : b;
		fl_pkg::OP_IMAX: d = int_less ? b : a;
		fl_pkg::OP_AND: d = a & b;
		fl_pkg::OP_OR: d = a | b;
		fl_pkg::OP_XOR: d = a ^ b;
		fl_pkg::OP_SHL, fl_pkg::OP_SHR, fl_pkg::OP_SHF: d = shifted;
		fl_pkg::OP_BFE: d = field;
		fl_pkg::OP_POPC: d = {26'b0, count};
		fl_pkg::OP_CLZ: d = {26'b0, leading};
		fl_pkg::OP_BREV: d = reversed;
		fl_pkg::OP_PRMT: d = permuted;
		fl_pkg::OP_FMIN, fl_pkg::OP_FMAX: d = winner_nan ? NAN : winner;
		fl_pkg::OP_FNEG: d = x_nan ? NAN : {!x[31], x[30:0]};
		fl_pkg::OP_FABS: d = x_nan ? NAN : {1'b0, x[30:0]};
		default: ;
		endcase
	end

	always_comb begin
		t = p;
		case (code)
		fl_pkg::OP_IADD, fl_pkg::OP_ISUB: t = sum[32];
		fl_pkg::OP_ISETP: t = int_holds;
		fl_pkg::OP_FSETP: t = float_holds;
		fl_pkg::OP_PLOP:
			case (mod)
			fl_pkg::MOD_BOOL_AND: t = r & p;
			fl_pkg::MOD_BOOL_OR: t = r | p;
			default: t = r ^ p;
			endcase
		default: ;
		endcase
	end
endmodule
