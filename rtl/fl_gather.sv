/*
 * The value that one lane loads from a line of 128 bytes: a word, or a part of it with
 * its sign or zeros in front. Combinational.
 */
module fl_gather (
	input  logic [1023:0] line,
	input  logic [4:0]    word,
	input  logic [1:0]    byte_at,
	input  logic [2:0]    width,
	output logic [31:0]   value
);
	logic [31:0] whole;
	logic [15:0] half;
	logic [7:0]  low;

	always_comb begin
		whole = line[{word, 5'b0} +: 32];
		half = byte_at[1] ? whole[31:16] : whole[15:0];
		low = byte_at[0] ? half[15:8] : half[7:0];
		case ({2'b0, width})
		fl_pkg::MOD_MEM_U8: value = {24'b0, low};
		fl_pkg::MOD_MEM_S8: value = {{24{low[7]}}, low};
		fl_pkg::MOD_MEM_U16: value = {16'b0, half};
		fl_pkg::MOD_MEM_S16: value = {{16{half[15]}}, half};
		default: value = whole;
		endcase
	end
endmodule
