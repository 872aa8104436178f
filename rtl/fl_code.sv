/*
 * The code of a kernel: 65536 words in block RAM. The word at `pc` is there in the next
 * cycle. The host writes the kernel's first word to 0.
 */
module fl_code (
	input  logic        clk,
	input  logic        code_we,
	input  logic [15:0] code_at,
	input  logic [63:0] code_data,
	input  logic [15:0] pc,
	output logic [63:0] word
);
	logic [63:0] words [0:65535];

	always_ff @(posedge clk) begin
		if (code_we)
			words[code_at] <= code_data;
		word <= words[pc];
	end
endmodule
