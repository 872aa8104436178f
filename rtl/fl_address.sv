/*
 * The address of one lane: what a LD/ST unit computes. Combinational.
 *
 * `key` is the number of the line of 128 bytes in global and local memory, and of the
 * row of the multiprocessor's shared memory; `bank` and `byte_at` are the word in the line,
 * or the bank, and the byte in the word.
 */
module fl_address (
	input  logic [31:0] a,
	input  logic [31:0] b,
	input  logic        absolute,
	input  logic        shared,
	input  logic        local_space,
	input  logic [31:0] limit,        /* the last address inside */
	input  logic        none_inside,
	input  logic [1:0]  align,        /* bits that must be 0 */
	input  logic [21:0] local_line,   /* of word 0 of the warp */
	input  logic [11:0] shared_word,  /* of word 0 of the block */
	input  logic [4:0]  lane,
	output logic [31:0] at,
	output logic        outside,
	output logic        misaligned,
	output logic [21:0] key,
	output logic [4:0]  bank,
	output logic [1:0]  byte_at
);
	localparam logic [31:0] DATA_BASE = 32'h10000;

	always_comb begin
		at = b + (a & ~{32{absolute}});
		outside = none_inside || at > limit ||
			  (!shared && !local_space && at < DATA_BASE);
		misaligned = (at[1:0] & align) != 2'b0;
		byte_at = at[1:0];
		key = at[28:7];
		bank = at[6:2];
		if (local_space) begin
			key = local_line + at[23:2];
			bank = lane;
		end
		if (shared) begin
			{key, bank} = {15'b0, shared_word + at[13:2]};
		end
	end
endmodule
