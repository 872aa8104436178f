/*
 * Whether two keys are the same. Combinational; a module of its own, so that synthesis does
 * not take the comparisons of 32 lanes apart.
 */
module fl_same (
	input  logic [21:0] a,
	input  logic [21:0] b,
	output logic        same
);
	assign same = a == b;
endmodule
