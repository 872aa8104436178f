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
	/* ---- addition ---------------------------------------------------- */

	logic        minus, carry_in;
	logic [33:0] sum; /* its lowest place is for the carry in */

	always_comb begin
		minus = code == fl_pkg::OP_ISUB;
		carry_in = |(mod & fl_pkg::MOD_CARRY_CI) ? p : minus;
		sum = {1'b0, a, 1'b1} + {1'b0, b ^ {32{minus}}, carry_in};
	end

	/* ---- comparison ------------------------------------------------------ */

	/* One comparator of magnitudes for integers and floats: x and y are a and
	 * b, but for subnormal floats that are flushed. Of negative floats the
	 * greater magnitude is less; integers of two's complement need only their
	 * signs looked at. */
	logic        is_float, is_signed, ftz, x_nan, y_nan, unordered;
	logic        less_magnitude, same_magnitude, both_zero, less, same, holds;
	logic [31:0] x, y;
	logic [2:0]  relation;

	always_comb begin
		is_float = code[6:3] == fl_pkg::OP_FADD[6:3] ||
			   code == fl_pkg::OP_FSETP;
		is_signed = code == fl_pkg::OP_ISETP ?
				    |(mod & fl_pkg::MOD_ICMP_S) :
				    |(mod & fl_pkg::MOD_SIGN_S);
		ftz = code == fl_pkg::OP_FSETP ?
			      |(mod & fl_pkg::MOD_FCMP_FTZ) :
			      is_float && (|(mod & fl_pkg::MOD_FTZ_FTZ));
		x = {a[31:23], a[22:0] & ~{23{ftz && a[30:23] == 8'd0}}};
		y = {b[31:23], b[22:0] & ~{23{ftz && b[30:23] == 8'd0}}};
		x_nan = x[30:23] == 8'hff && x[22:0] != 23'b0;
		y_nan = y[30:23] == 8'hff && y[22:0] != 23'b0;
		unordered = is_float && (x_nan || y_nan);
	end

	always_comb begin
		less_magnitude = x[30:0] < y[30:0];
		same_magnitude = x[30:0] == y[30:0];
		both_zero = is_float && same_magnitude && x[30:0] == 31'b0;
		same = same_magnitude && x[31] == y[31];
		if (x[31] != y[31])
			less = is_float || is_signed ? x[31] : y[31];
		else if (is_float && x[31])
			less = !less_magnitude && !same_magnitude;
		else
			less = less_magnitude;
	end

	/* The relations of floats are those of integers, and again for operands
	 * that may be unordered. */
	always_comb begin
		relation = mod[2:0];
		if (is_float && mod[3:0] >= fl_pkg::MOD_FCMP_EQU[3:0])
			relation = 3'(mod[3:0] - fl_pkg::MOD_FCMP_EQU[3:0]);
		case ({2'b0, relation})
		fl_pkg::MOD_ICMP_EQ: holds = same || both_zero;
		fl_pkg::MOD_ICMP_NE: holds = !same && !both_zero;
		fl_pkg::MOD_ICMP_LT: holds = less && !both_zero;
		fl_pkg::MOD_ICMP_LE: holds = less || same || both_zero;
		fl_pkg::MOD_ICMP_GT: holds = !less && !same && !both_zero;
		default: holds = !less || both_zero;
		endcase
		if (unordered)
			holds = mod[3:0] >= fl_pkg::MOD_FCMP_EQU[3:0];
		if (is_float && mod[3:0] == fl_pkg::MOD_FCMP_NUM[3:0])
			holds = !unordered;
		if (is_float && mod[3:0] == fl_pkg::MOD_FCMP_NAN[3:0])
			holds = unordered;
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

	/* Of a field of bits; beyond its length is its own highest bit, or zero.
	 * Shifts are fields of all bits. */
	logic        top;

	always_comb begin
		length = b[15:8];
		ones = code != fl_pkg::OP_BFE || length > 8'd31 ?
			       32'hffffffff :
			       ~(32'hffffffff << length[4:0]);
		top = (|(mod & fl_pkg::MOD_SIGN_S)) && code == fl_pkg::OP_BFE &&
		      (shifted & ones & ~(ones >> 1)) != 32'b0;
		field = (shifted & ones) | (~ones & {32{top}});
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

	/* ---- of two operands, bit by bit ------------------------------------------ */

	localparam logic [2:0] IS_Y = 3'd0;
	localparam logic [2:0] IS_X = 3'd1;
	localparam logic [2:0] IS_AND = 3'd2;
	localparam logic [2:0] IS_OR = 3'd3;
	localparam logic [2:0] IS_XOR = 3'd4;
	localparam logic [2:0] IS_ONES = 3'd5;
	logic        keep_nan, least;
	logic [2:0]  choice;
	logic [31:0] bitwise;

	/* Which operand a minimum or maximum is: a NaN gives way to the other, or
	 * wins. A NaN that is a result is 0x7fffffff. */
	always_comb begin
		keep_nan = |(mod & fl_pkg::MOD_FMNMX_NAN);
		least = code == fl_pkg::OP_IMIN || code == fl_pkg::OP_FMIN;
		choice = IS_Y;
		case (code)
		fl_pkg::OP_SEL: choice = p ? IS_X : IS_Y;
		fl_pkg::OP_AND: choice = IS_AND;
		fl_pkg::OP_OR: choice = IS_OR;
		fl_pkg::OP_XOR: choice = IS_XOR;
		fl_pkg::OP_IMIN, fl_pkg::OP_IMAX, fl_pkg::OP_FMIN,
		fl_pkg::OP_FMAX:
			if (!unordered)
				choice = less == least ? IS_X : IS_Y;
			else if (keep_nan || (x_nan && y_nan))
				choice = IS_ONES;
			else
				choice = x_nan ? IS_Y : IS_X;
		fl_pkg::OP_FNEG, fl_pkg::OP_FABS:
			choice = x_nan ? IS_ONES : IS_X;
		default: ;
		endcase
		case (choice)
		IS_X: bitwise = x;
		IS_AND: bitwise = x & y;
		IS_OR: bitwise = x | y;
		IS_XOR: bitwise = x ^ y;
		IS_ONES: bitwise = 32'hffffffff;
		default: bitwise = y;
		endcase
		if (choice == IS_ONES || code == fl_pkg::OP_FABS)
			bitwise[31] = 1'b0;
		else if (code == fl_pkg::OP_FNEG)
			bitwise[31] = !x[31];
	end

	/* ---- results ------------------------------------------------------------- */

	logic [31:0] odd;

	always_comb begin
		case (code)
		fl_pkg::OP_POPC: odd = {26'b0, count};
		fl_pkg::OP_CLZ: odd = {26'b0, leading};
		fl_pkg::OP_BREV: odd = reversed;
		default: odd = permuted;
		endcase
		case (code)
		fl_pkg::OP_IADD, fl_pkg::OP_ISUB: d = sum[32:1];
		fl_pkg::OP_SHL, fl_pkg::OP_SHR, fl_pkg::OP_SHF, fl_pkg::OP_BFE:
			d = field;
		fl_pkg::OP_POPC, fl_pkg::OP_CLZ, fl_pkg::OP_BREV, fl_pkg::OP_PRMT:
			d = odd;
		default: d = bitwise;
		endcase
	end

	always_comb begin
		t = p;
		case (code)
		fl_pkg::OP_IADD, fl_pkg::OP_ISUB: t = sum[33];
		fl_pkg::OP_ISETP, fl_pkg::OP_FSETP: t = holds;
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
