/*
 * The SIMT stacks of the 32 warps of a multiprocessor, in block RAM: docs/fastlanes.md
 * has the rules of branches.
 *
 * While `ready`, `start` takes an operation on a warp's stack. `done` is 1 for a cycle
 * when the stack is settled; then `live` says whether the warp has not ended, and
 * `active` and `pc` which lanes execute next, and where. That takes three cycles, two
 * more if lanes diverge, and two more for each entry that is popped.
 *
 *   BEGIN    the warp starts with these lanes
 *   NEXT     it goes on to the next instruction; `lanes` end
 *   BRANCH   `lanes` branch to target; the lanes reconverge at reconv
 */
module fl_stack (
	input  logic        clk,
	input  logic        reset,
	output logic        ready,
	input  logic        start,
	input  logic [1:0]  op,
	input  logic [4:0]  warp,
	input  logic [31:0] lanes,
	input  logic [15:0] target,
	input  logic [15:0] reconv,
	output logic        done,
	output logic        live,
	output logic [31:0] active,
	output logic [15:0] pc
);
	localparam logic [1:0] BEGIN = 2'd0;
	localparam logic [1:0] NEXT = 2'd1;
	localparam logic [15:0] NO_JOIN = 16'hffff;

	localparam logic [2:0] IDLE = 3'd0;
	localparam logic [2:0] APPLY = 3'd1;   /* the operation to the top */
	localparam logic [2:0] OTHERS = 3'd2;  /* push lanes that do not branch */
	localparam logic [2:0] TAKEN = 3'd3;   /* push those that do */
	localparam logic [2:0] READ = 3'd4;    /* the top entry */
	localparam logic [2:0] SETTLE = 3'd5;

	logic [63:0] entries [0:2047];  /* lanes, pc, reconvergence point */
	logic [31:0] ended_of [0:31];
	logic [6:0]  depth_of [0:31];

	logic [2:0]  state;
	logic [1:0]  h_op;
	logic [4:0]  h_warp;
	logic [31:0] h_lanes, ended, others;
	logic [15:0] h_target, h_join, after;
	logic [6:0]  depth;
	logic [63:0] top;

	logic [31:0] top_lanes;
	logic [15:0] top_pc, top_join;
	logic        diverges, settled;

	always_comb begin
		{top_lanes, top_pc, top_join} = top;
		active = top_lanes & ~ended;
		pc = top_pc;
		diverges = h_lanes != 32'b0 && h_lanes != active;
		settled = depth == 7'd0 ||
			  (active != 32'b0 && top_pc != top_join);
		ready = state == IDLE;
		done = state == SETTLE && settled;
		live = depth != 7'd0;
	end

	/* ---- the block RAM --------------------------------------------------- */

	logic        write;
	logic [6:0]  place; /* that is written or read, plus one */
	logic [63:0] entry;

	always_comb begin
		write = 1'b0;
		place = depth;
		entry = {top_lanes, top_pc + 16'd1, top_join};
		case (state)
		IDLE: place = depth_of[warp];
		APPLY: begin
			write = 1'b1;
			if (h_op == BEGIN) begin
				place = 7'd1;
				entry = {h_lanes, 16'd0, NO_JOIN};
			end else if (h_op != NEXT && diverges)
				entry[31:16] = h_join;
			else if (h_op != NEXT && h_lanes != 32'b0)
				entry[31:16] = h_target;
		end
		OTHERS: begin
			write = after != h_join;
			place = depth + 7'd1;
			entry = {others, after, h_join};
		end
		TAKEN: begin
			write = h_target != h_join;
			place = depth + 7'd1;
			entry = {h_lanes, h_target, h_join};
		end
		default: ;
		endcase
	end

	logic [6:0]  from_one;

	assign from_one = place - 7'd1;

	always_ff @(posedge clk) begin
		if (write)
			entries[{state == IDLE ? warp : h_warp, from_one[5:0]}] <=
				entry;
		top <= entries[{state == IDLE ? warp : h_warp, from_one[5:0]}];
	end

	/* ---- steps -------------------------------------------------------------- */

	always_ff @(posedge clk) begin
		case (state)
		IDLE: if (start) begin
			{h_op, h_warp, h_lanes} <= {op, warp, lanes};
			{h_target, h_join} <= {target, reconv};
			ended <= ended_of[warp];
			depth <= depth_of[warp];
			state <= APPLY;
		end
		APPLY: begin
			state <= READ;
			others <= active & ~h_lanes;
			after <= top_pc + 16'd1;
			if (h_op == BEGIN) begin
				depth <= 7'd1;
				ended <= ~h_lanes;
			end else if (h_op == NEXT)
				ended <= ended | h_lanes;
			else if (diverges) begin
				state <= OTHERS;
				/* The entry has nothing else to do. */
				if (h_join == top_join)
					depth <= depth - 7'd1;
			end
		end
		OTHERS: begin
			if (write)
				depth <= depth + 7'd1;
			state <= TAKEN;
		end
		TAKEN: begin
			if (write)
				depth <= depth + 7'd1;
			state <= READ;
		end
		READ: state <= SETTLE;
		SETTLE: if (settled) begin
			state <= IDLE;
		end else begin
			depth <= depth - 7'd1;
			state <= READ;
		end
		default: state <= IDLE;
		endcase
		if (done) begin
			ended_of[h_warp] <= ended;
			depth_of[h_warp] <= depth;
		end
		if (reset)
			state <= IDLE;
	end
endmodule
