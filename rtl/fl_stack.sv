/*
 * The SIMT stacks of the 32 warps of a multiprocessor: docs/fastlanes.md has the rules of
 * branches. The top entry is the front end's; those below it are here, in block RAM. So
 * only what changes entries comes here: most branches and all other instructions do not.
 *
 * While `ready`, `start` begins an operation on a warp's stack, whose top entry has the
 * lanes `lanes` that have not ended and the reconvergence point `join_at`. All inputs stay
 * as they are until `done`, which is 1 for a cycle; then `live` says whether the warp has
 * not ended, and new_* is its top entry. Without a pop that is the next cycle; each pop
 * takes one more, the first one only if lanes diverge.
 *
 *   BEGIN    the warp starts with these lanes, and no entry below; at once, no `done`
 *   LEAVE    `which` end, the others go on at pc, which may be their reconvergence point
 *   DIVERGE  `which`, some but not all, branch to target, the others go on at pc;
 *            they reconverge at `reconv`
 */
module fl_stack (
	input  logic        clk,
	input  logic        reset,
	output logic        ready,
	input  logic        start,
	input  logic [1:0]  op,
	input  logic [4:0]  warp,
	input  logic [31:0] lanes,
	input  logic [15:0] join_at,
	input  logic [31:0] which,
	input  logic [15:0] pc,
	input  logic [15:0] target,
	input  logic [15:0] reconv,
	output logic        done,
	output logic        live,
	output logic [31:0] new_lanes,
	output logic [15:0] new_pc,
	output logic [15:0] new_join
);
	localparam logic [1:0] BEGIN = 2'd0;
	localparam logic [1:0] LEAVE = 2'd1;
	localparam logic [1:0] DIVERGE = 2'd2;

	localparam logic [1:0] IDLE = 2'd0;    /* the first entry is written */
	localparam logic [1:0] SECOND = 2'd1;  /* the second one */
	localparam logic [1:0] POP = 2'd2;     /* the entry below is there */

	logic [63:0] entries [0:2047];  /* lanes, pc, reconvergence point */
	logic [31:0] ended_of [0:31];
	logic [5:0]  depth_of [0:31];   /* entries below the top */

	logic [1:0]  state;
	logic [31:0] ended, stay, top_lanes, popped;
	logic [15:0] top_pc, top_join;
	logic [5:0]  depth;
	logic [63:0] top;
	logic        is_leave, keeps, both, others_run, taken_run, settled;

	always_comb begin
		ended = ended_of[warp];
		depth = depth_of[warp];
		{top_lanes, top_pc, top_join} = top;
		is_leave = op == LEAVE;
		stay = lanes & ~which;
		/* The top entry goes on, or waits at another point than its own. */
		keeps = is_leave ? stay != 32'b0 && pc != join_at :
				   reconv != join_at;
		others_run = pc != reconv;
		taken_run = target != reconv;
		both = others_run && taken_run;
		popped = top_lanes & ~ended;
		settled = popped != 32'b0 && top_pc != top_join;
		ready = state == IDLE;
	end

	/* ---- what comes out -------------------------------------------------- */

	always_comb begin
		done = state == SECOND && (is_leave || others_run || taken_run ||
					   keeps);
		live = 1'b1;
		{new_lanes, new_pc, new_join} = {lanes, reconv, join_at};
		if (taken_run)
			{new_lanes, new_pc, new_join} = {which, target, reconv};
		else if (others_run)
			{new_lanes, new_pc, new_join} = {stay, pc, reconv};
		if (is_leave)
			{new_lanes, new_pc, new_join} = {stay, pc, join_at};
		if (state == POP) begin
			done = depth == 6'd0 || settled;
			live = depth != 6'd0;
			{new_lanes, new_pc, new_join} =
				{popped, top_pc, top_join};
		end
	end

	/* ---- the block RAM: one entry is written or read -------------------------- */

	logic        write;
	logic [5:0]  place;
	logic [63:0] entry;

	always_comb begin
		write = 1'b0;
		place = depth - 6'd1;
		entry = {lanes, reconv, join_at};
		case (state)
		IDLE: if (start && op == DIVERGE) begin
			write = keeps && (others_run || taken_run);
			place = depth - {5'b0, !write};
		end
		SECOND: if (op == DIVERGE && both) begin
			write = 1'b1;
			place = depth;
			entry = {stay, pc, reconv};
		end
		default: place = depth - 6'd2;
		endcase
	end

	always_ff @(posedge clk) begin
		if (write)
			entries[{warp, place}] <= entry;
		top <= entries[{warp, place}];
	end

	/* ---- steps -------------------------------------------------------------- */

	logic       changes;  /* the number of entries */
	logic [5:0] changed;

	always_comb begin
		changes = write;
		changed = depth + 6'd1;
		if (state == POP) begin
			changes = depth != 6'd0;
			changed = depth - 6'd1;
		end
		if (state == IDLE && start && op == BEGIN) begin
			changes = 1'b1;
			changed = 6'd0;
		end
	end

	always_ff @(posedge clk) begin
		if (changes)
			depth_of[warp] <= changed;
		if (state == IDLE && start && op != DIVERGE)
			ended_of[warp] <= op == BEGIN ? ~lanes : ended | which;
		case (state)
		IDLE: if (start && op != BEGIN)
			state <= is_leave && !keeps ? POP : SECOND;
		SECOND: state <= done ? IDLE : POP;
		default: if (done)
			state <= IDLE;
		endcase
		if (reset)
			state <= IDLE;
	end
endmodule
