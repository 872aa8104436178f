/*
 * The blocks of the grid, and the places for blocks of all multiprocessors.
 *
 * `start` begins a launch: 1024 cycles later, when `ready`, there are the tables of
 * what is the same for all blocks. Which place a warp belongs to and which of its
 * block's warps it is, the place's first warp, its warps as a mask and the start of its shared
 * memory; and r0 of all threads of a block. All of these are counted, not divided.
 *
 * `left`: there are blocks that no multiprocessor has taken. `take` gives the next one to
 * a place, `frees` ends it. `placed` are the places of `sm` that are taken. What is known
 * of the place and block of `warp` (id, live and waiting warps) is there in the next
 * cycle; `counts` writes the numbers of warps of the place that was read.
 */
module fl_blocks (
	input  logic          clk,
	input  logic          reset,
	input  logic [5:0]    cfg_block_warps,
	input  logic [95:0]   cfg_grid,         /* x lowest */
	input  logic [95:0]   cfg_block,
	input  logic [47:0]   cfg_blocks,
	input  logic [14:0]   cfg_block_shared, /* bytes */

	input  logic          start,
	output logic          ready,

	input  logic [3:0]    sm,
	output logic          left,
	output logic [31:0]   placed,
	input  logic          take,
	input  logic          frees,
	input  logic [4:0]    place,            /* to take, or to look at */
	output logic [4:0]    place_first,      /* its first warp */
	output logic [31:0]   place_warps,
	output logic [14:0]   place_shared,

	input  logic [4:0]    warp,
	output logic [4:0]    warp_place,
	output logic [4:0]    warp_index,       /* in its block */
	output logic [95:0]   id,               /* in the next cycle */
	output logic [5:0]    live,             /* in the next cycle: warps not ended */
	output logic [5:0]    waiting,          /* in the next cycle: at the barrier */
	input  logic          counts,
	input  logic [5:0]    new_live,
	input  logic [5:0]    new_waiting,

	output logic [1023:0] r0                /* of warp_index, in the next cycle */
);
	/* ---- blocks in the order of their numbers ------------------------------------ */

	logic [95:0] next;
	logic [47:0] number;
	logic        x_ends, y_ends;

	always_comb begin
		x_ends = next[31:0] + 32'd1 == cfg_grid[31:0];
		y_ends = next[63:32] + 32'd1 == cfg_grid[63:32];
		left = number != cfg_blocks;
	end

	always_ff @(posedge clk) begin
		if (take) begin
			number <= number + 48'd1;
			next[31:0] <= x_ends ? 32'd0 : next[31:0] + 32'd1;
			if (x_ends)
				next[63:32] <= y_ends ? 32'd0 :
							next[63:32] + 32'd1;
			if (x_ends && y_ends)
				next[95:64] <= next[95:64] + 32'd1;
		end
		if (start) begin
			number <= 48'd0;
			next <= 96'd0;
		end
	end

	/* ---- tables ---------------------------------------------------------------- */

	logic        building, new_place;
	logic [9:0]  thread;    /* of a block; at first also a warp's place */
	logic [25:0] tid;       /* z, y, x: as r0 has it */
	logic        x_last, y_last;
	logic [4:0]  at_place, at_index, at_first;
	logic [31:0] at_warps, at_warp;
	logic [14:0] at_shared;

	logic [9:0]  of_warp [0:31];
	logic [4:0]  first_of [0:31];
	logic [31:0] warps_of [0:31];
	logic [14:0] shared_of [0:31];

	assign ready = !building && !start;
	assign x_last = {22'b0, tid[9:0]} + 32'd1 == cfg_block[31:0];
	assign y_last = {22'b0, tid[19:10]} + 32'd1 == cfg_block[63:32];
	assign new_place = {1'b0, at_index} + 6'd1 == cfg_block_warps;
	assign at_warp = 32'd1 << thread[4:0];

	always_ff @(posedge clk) begin
		if (building) begin
			thread <= thread + 10'd1;
			building <= thread != 10'd1023;
			tid[9:0] <= x_last ? 10'd0 : tid[9:0] + 10'd1;
			if (x_last)
				tid[19:10] <= y_last ? 10'd0 : tid[19:10] + 10'd1;
			if (x_last && y_last)
				tid[25:20] <= tid[25:20] + 6'd1;
			at_index <= new_place ? 5'd0 : at_index + 5'd1;
			at_warps <= new_place ? 32'b0 : at_warps | at_warp;
			if (new_place) begin
				at_place <= at_place + 5'd1;
				at_first <= thread[4:0] + 5'd1;
				at_shared <= at_shared +
					     ((cfg_block_shared + 15'd3) & ~15'd3);
			end
		end
		if (start) begin
			building <= 1'b1;
			thread <= 10'd0;
			tid <= 26'd0;
			{at_place, at_index, at_first} <= 15'd0;
			at_warps <= 32'b0;
			at_shared <= 15'd0;
		end
		if (reset)
			building <= 1'b0;
	end

	always_ff @(posedge clk) begin
		if (building && thread < 10'd32) begin
			of_warp[thread[4:0]] <= {at_place, at_index};
			first_of[at_place] <= at_first;
			warps_of[at_place] <= at_warps | at_warp;
			shared_of[at_place] <= at_shared;
		end
	end

	assign {warp_place, warp_index} = of_warp[warp];
	assign place_first = first_of[place];
	assign place_warps = warps_of[place];
	assign place_shared = shared_of[place];

	for (genvar l = 0; l < 32; l++) begin : lane
		logic [25:0] tids [0:31];
		logic [25:0] row;

		always_ff @(posedge clk) begin
			if (building && thread[4:0] == 5'(l))
				tids[thread[9:5]] <= tid;
			row <= tids[warp_index];
		end
		assign r0[32*l +: 32] = {6'b0, row};
	end

	/* ---- places ----------------------------------------------------------------- */

	logic [31:0] placed_of [0:15];
	logic [95:0] id_of [0:511];
	logic [11:0] count_of [0:511];
	logic [8:0]  at;

	assign placed = placed_of[sm];
	assign at = {sm, take ? place : warp_place};

	always_ff @(posedge clk) begin
		if (take || frees || building)
			placed_of[building ? thread[3:0] : sm] <=
				building ? 32'b0 :
				take     ? placed | 32'd1 << place :
					   placed & ~(32'd1 << place);
		if (take)
			id_of[at] <= next;
		id <= id_of[at];
		if (take || counts)
			count_of[at] <= take ? {cfg_block_warps, 6'd0} :
					       {new_live, new_waiting};
		{live, waiting} <= count_of[at];
	end
endmodule
