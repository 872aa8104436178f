/*
 * A FIFO for each of 16 multiprocessors, in one block RAM; one of them is used at a time.
 *
 * While `valid`, `head` is the oldest entry of the one in use; `pop` drops it. An entry that
 * `push` adds is there in the next cycle. The FIFO must not be full: the user knows how many
 * entries there may be. `load` takes the FIFO of multiprocessor `sm` into use, whose
 * places the user has kept; it is valid two cycles later.
 */
module fl_fifo #(
	parameter int BITS = 6,   /* 2^BITS entries */
	parameter int WIDTH = 32
) (
	input  logic             clk,
	input  logic [3:0]       sm,
	input  logic             load,
	input  logic [2*BITS+1:0] load_places,
	output logic [2*BITS+1:0] places,  /* of the first entry and behind the last */

	input  logic             push,
	input  logic [WIDTH-1:0] entry,
	output logic             valid,
	output logic [WIDTH-1:0] head,
	input  logic             pop
);
	logic [WIDTH-1:0] entries [0:(16 << BITS)-1];
	logic [WIDTH-1:0] read, passed;
	logic             is_passed, is_read;
	logic [BITS:0]    first, last, next;

	assign places = {first, last};
	assign valid = is_read && first != last;
	assign head = is_passed ? passed : read;
	assign next = first + (BITS+1)'(pop);

	/* An entry that becomes the first one at once is not read yet. */
	always_ff @(posedge clk) begin
		if (push)
			entries[{sm, last[BITS-1:0]}] <= entry;
		read <= entries[{sm, next[BITS-1:0]}];
		passed <= entry;
		is_passed <= push && last == next;
		is_read <= !load;
		if (load) begin
			{first, last} <= load_places;
		end else begin
			first <= next;
			last <= last + (BITS+1)'(push);
		end
	end
endmodule
