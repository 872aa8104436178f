/*
 * The shared memory of 16 multiprocessors, 16 KiB each: 32 banks of 4 bytes in block
 * RAM. Every bank has its own row. What is read is there in the next cycle.
 */
module fl_shared (
	input  logic          clk,
	input  logic [3:0]    sm,
	input  logic [223:0]  rows,   /* 7 bits for each bank */
	input  logic [127:0]  write,  /* bytes */
	input  logic [1023:0] data,
	output logic [1023:0] line
);
	for (genvar b = 0; b < 32; b++) begin : bank
		logic [31:0] words [0:2047];
		logic [10:0] at;

		assign at = {sm, rows[7*b +: 7]};
		always_ff @(posedge clk) begin
			for (int i = 0; i < 4; i++)
				if (write[4*b + i])
					words[at][8*i +: 8] <=
						data[32*b + 8*i +: 8];
			line[32*b +: 32] <= words[at];
		end
	end
endmodule
