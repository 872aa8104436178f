/*
 * The tags of a cache with true LRU, in block RAM: a word has the lines of a set, the most
 * recently used one first. The number of ways, at most WAYS, is an input.
 *
 * A set that is read in one cycle can be touched in the next one: `hit` says whether the
 * line is there, and `touch` makes it the most recently used one; if it is not there,
 * `fill` lets it replace the least recently used one. What is touched in a cycle must
 * not be read in it: the set would be the old one.
 */
module fl_tags #(
	parameter int WAYS = 4,
	parameter int BITS = 11     /* of the number of a set */
) (
	input  logic            clk,
	input  logic [3:0]      ways,
	input  logic            clear,    /* the set `at`, in place of a touch */
	input  logic [BITS-1:0] read_at,

	input  logic            touch,
	input  logic            fill,
	input  logic [BITS-1:0] at,
	input  logic [21:0]     line,
	output logic            hit
);
	localparam int W = 23; /* of a way: valid, line */

	logic [W*WAYS-1:0] sets [0:(1 << BITS)-1];
	logic [W*WAYS-1:0] set, next;
	logic [WAYS-1:0]   match;

	always_comb begin
		for (int i = 0; i < WAYS; i++)
			match[i] = set[W*i +: W] == {1'b1, line};
		hit = match != '0;
		next = set;
		next[W-1:0] = {1'b1, line};
		/* Those before the line, or all if it is new, move up. */
		for (int i = 1; i < WAYS; i++)
			if (4'(i) < ways && (match & WAYS'((1 << i) - 1)) == '0)
				next[W*i +: W] = set[W*(i-1) +: W];
		if (clear)
			next = '0;
	end

	always_ff @(posedge clk) begin
		if (clear || (touch && (hit || fill)))
			sets[at] <= next;
		set <= sets[read_at];
	end
endmodule
