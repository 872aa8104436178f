/*
 * shfl of one lane: a of the lane that its b and c choose; in_range says whether that
 * is in its segment. Combinational.
 */
module fl_shuffle (
	input  logic [4:0]    mod,
	input  logic [4:0]    me,
	input  logic [1023:0] a, /* of all lanes */
	input  logic [4:0]    b,
	input  logic [12:0]   c,
	output logic [31:0]   d,
	output logic          in_range
);
	logic [4:0]  segment, last, from;
	logic [6:0]  other; /* two's complement */

	always_comb begin
		segment = c[12:8];
		last = (me & segment) | (c[4:0] & ~segment);
		case ({3'b0, mod[1:0]})
		fl_pkg::MOD_SHFL_UP: other = {2'b0, me} - {2'b0, b};
		fl_pkg::MOD_SHFL_DOWN: other = {2'b0, me} + {2'b0, b};
		fl_pkg::MOD_SHFL_BFLY: other = {2'b0, me ^ b};
		default: other = {2'b0, (me & segment) | (b & ~segment)};
		endcase
		if ({3'b0, mod[1:0]} == fl_pkg::MOD_SHFL_UP)
			in_range = !other[6] && other[5:0] >= {1'b0, last};
		else
			in_range = other[5:0] <= {1'b0, last};
		from = in_range ? other[4:0] : me;
	end

	assign d = a[{from, 5'b0} +: 32];
endmodule
