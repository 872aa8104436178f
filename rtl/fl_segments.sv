/*
 * Coalescing: the different keys of 32 lanes, in the order of the lowest lane of each.
 *
 * Keys are written six at a time. `start` takes the lanes; from the next cycle on, while
 * `valid`, `key` is that of the lowest lane that is left and `members` are all lanes that have
 * it; `step` drops them. `last` says that no others are left.
 */
module fl_segments (
	input  logic         clk,
	input  logic         reset,
	input  logic         write,
	input  logic [2:0]   group,       /* lanes from 6 * group on */
	input  logic [131:0] keys,
	input  logic         start,
	input  logic [31:0]  lanes,
	output logic         valid,
	output logic         last,
	output logic [21:0]  key,
	output logic [31:0]  members,
	input  logic         step
);
	logic [32*22-1:0] kept;
	logic [31:0]      left, same;

	for (genvar l = 0; l < 32; l++) begin : lane
		always_ff @(posedge clk)
			if (write && group == 3'(l / 6))
				kept[22*l +: 22] <= keys[22*(l % 6) +: 22];
		fl_same with_key (
			.a(kept[22*l +: 22]), .b(key), .same(same[l])
		);
	end

	fl_leader lowest (.left, .keys(kept), .key);

	always_comb begin
		members = left & same;
		valid = left != 32'b0;
		last = (left & ~same) == 32'b0;
	end

	always_ff @(posedge clk) begin
		if (start)
			left <= lanes;
		else if (step)
			left <= left & ~same;
		if (reset)
			left <= 32'b0;
	end
endmodule
