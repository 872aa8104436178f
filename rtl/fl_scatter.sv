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
			case (from)
			3'd0: begin
				line[32*w +: 32] = data[0 +: 32];
				line_bytes[4*w +: 4] = bytes[0 +: 4];
				rows[7*w +: 7] = row[0 +: 7];
			end
			3'd1: begin
				line[32*w +: 32] = data[32 +: 32];
				line_bytes[4*w +: 4] = bytes[4 +: 4];
				rows[7*w +: 7] = row[7 +: 7];
			end
			3'd2: begin
				line[32*w +: 32] = data[64 +: 32];
				line_bytes[4*w +: 4] = bytes[8 +: 4];
				rows[7*w +: 7] = row[14 +: 7];
			end
			3'd3: begin
				line[32*w +: 32] = data[96 +: 32];
				line_bytes[4*w +: 4] = bytes[12 +: 4];
				rows[7*w +: 7] = row[21 +: 7];
			end
			3'd4: begin
				line[32*w +: 32] = data[128 +: 32];
				line_bytes[4*w +: 4] = bytes[16 +: 4];
				rows[7*w +: 7] = row[28 +: 7];
			end
			3'd5: begin
				line[32*w +: 32] = data[160 +: 32];
				line_bytes[4*w +: 4] = bytes[20 +: 4];
				rows[7*w +: 7] = row[35 +: 7];
			end
			default: begin
				line[32*w +: 32] = 32'b0;
				line_bytes[4*w +: 4] = 4'b0;
				rows[7*w +: 7] = other;
			end
			endcase
		end
	end
endmodule
