/*
 * shfl: each lane's value of a comes from the lane that its b and c choose; in_range
 * says whether that is in its segment. Combinational.
 */
module fl_shuffle (
	input  logic [4:0]    mod,
	input  logic [1023:0] a,
	input  logic [1023:0] b,
	input  logic [1023:0] c,
	output logic [1023:0] d,
	output logic [31:0]   in_range
);
	for (genvar l = 0; l < 32; l++) begin : lane
		localparam logic [4:0] ME = 5'(l);
		logic [4:0] distance, segment, clamp, last;
		logic [6:0] other; /* two's complement */
		logic [4:0] from;

		always_comb begin
			distance = b[32*l +: 5];
			segment = c[32*l+8 +: 5];
			clamp = c[32*l +: 5];
			last = (ME & segment) | (clamp & ~segment);
			case ({3'b0, mod[1:0]})
			fl_pkg::MOD_SHFL_UP: other = {2'b0, ME} - {2'b0, distance};
			fl_pkg::MOD_SHFL_DOWN:
				other = {2'b0, ME} + {2'b0, distance};
			fl_pkg::MOD_SHFL_BFLY: other = {2'b0, ME ^ distance};
			default:
				other = {2'b0, (ME & segment) |
					       (distance & ~segment)};
			endcase
			if ({3'b0, mod[1:0]} == fl_pkg::MOD_SHFL_UP)
				in_range[l] = !other[6] && other[5:0] >= {1'b0, last};
			else
				in_range[l] = other[5:0] <= {1'b0, last};
			from = in_range[l] ? other[4:0] : ME;
			d[32*l +: 32] = a[{from, 5'b0} +: 32];
		end
	end
endmodule
