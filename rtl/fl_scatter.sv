/*
 * From six lanes to the 32 words of a line, or banks of shared memory. Combinational.
 *
 * A word takes the value of the lane that is `enable`d for it, with the bytes that the lane
 * writes, and the row that it accesses. There must be only one, or several of the same row whose
 * value does not matter: the lowest one is taken. Words that no lane accesses are
 * zero, and have the row `other`.
 */
module fl_scatter (
	input  logic [5:0]    enable,
	input  logic [29:0]   bank,
	input  logic [41:0]   row,
	input  logic [191:0]  data,
	input  logic [23:0]   bytes,
	input  logic [6:0]    other,
	output logic [31:0]   taken,
	output logic [223:0]  rows,
	output logic [1023:0] line,
	output logic [127:0]  line_bytes
);
	logic [257:0] values;

	always_comb
		for (int i = 0; i < 6; i++)
			values[43*i +: 43] = {row[7*i +: 7], bytes[4*i +: 4],
					      data[32*i +: 32]};

	for (genvar w = 0; w < 32; w++) begin : word
		logic [5:0] match;
		logic [2:0] from;

		always_comb begin
			from = 3'd7;
			for (int i = 5; i >= 0; i--) begin
				match[i] = enable[i] && bank[5*i +: 5] == 5'(w);
				if (match[i])
					from = 3'(i);
			end
			taken[w] = match != 6'b0;
		end
		fl_pick pick (
			.from, .values, .other,
			.value({rows[7*w +: 7], line_bytes[4*w +: 4],
				line[32*w +: 32]})
		);
	end
endmodule
