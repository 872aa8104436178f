/*
 * The front end of a multiprocessor: of 32 warps the instruction buffers, the scoreboard
 * and the SIMT stacks. fl_cycle says what happens, when it is the multiprocessor's turn.
 *
 * Each event is about one warp, `warp`, and takes a cycle; one happens in a cycle.
 * What is known of all warps at once are a few bits of each: an event computes them
 * anew for its warp, so that the rest can be in RAM. `ready` are the warps that can issue,
 * `fetches` those with room in the buffer.
 *
 *   begins     the warp starts with `begin_lanes`
 *   completes  the results comp_* are due
 *   issues     its first instruction leaves the buffer; what it writes is not there yet
 *   puts       put_word enters the buffer; put_last: there is nothing behind it
 *   settles    its next pc is settle_pc, with settle_flush an empty buffer
 *              (settle_last: there is nothing to fetch); settle_live = 0: it has ended
 *   waits      at a barrier
 *   writes_r0  it has its r0
 * `releases` ends the waiting of the warps `released`, whatever `warp` is.
 *
 * word, pc, lanes, ... are those of `warp` before the event, in the same cycle. The
 * stack takes more cycles (fl_stack); it writes the lanes itself, pc by `settles`.
 */
module fl_front (
	input  logic        clk,
	input  logic        reset,
	input  logic        simd_is_free,
	input  logic        lsu_is_free,
	input  logic        pool_has_room,
	output logic [31:0] ready,
	output logic [31:0] fetches,
	output logic [31:0] live,

	input  logic [4:0]  fetch_warp,
	output logic [15:0] fetch_pc,    /* its next one */

	input  logic [4:0]  warp,
	output logic [63:0] word,
	output logic [15:0] pc,
	output logic [31:0] lanes,
	output logic        at_join,     /* the next pc is where its lanes reconverge */
	output logic        meets,       /* settle_pc is */
	output logic        no_r0,       /* its r0 is not written yet */

	input  logic        begins,
	input  logic [31:0] begin_lanes,
	input  logic        completes,
	input  logic        comp_reg_valid,
	input  logic [4:0]  comp_reg,
	input  logic        comp_pred_valid,
	input  logic [2:0]  comp_pred,
	input  logic        issues,
	input  logic        puts,
	input  logic [63:0] put_word,
	input  logic        put_last,
	input  logic        settles,
	input  logic        settle_live,
	input  logic        settle_flush,
	input  logic        settle_last,
	input  logic [15:0] settle_pc,
	input  logic        waits,
	input  logic        writes_r0,
	input  logic        releases,
	input  logic [31:0] released,

	input  logic        stack_start,
	input  logic        stack_diverges, /* else lanes end, or reconverge */
	input  logic [31:0] stack_which,
	input  logic [15:0] stack_target,
	input  logic [15:0] stack_reconv,
	output logic        stack_done,
	output logic        stack_live,
	output logic [15:0] stack_pc
);
	/* verilator no_inline_module */
	localparam logic [1:0] CTRL = 2'd0;
	localparam logic [1:0] SIMD = 2'd1;
	localparam logic [1:0] STORE = 2'd2;
	localparam logic [1:0] LOAD = 2'd3;

	/* ---- all warps ----------------------------------------------------------- */

	logic [31:0] waiting, some, full, blocked, last, kind_0, kind_1;

	always_comb
		for (int w = 0; w < 32; w++) begin
			ready[w] = live[w] && !waiting[w] && some[w] && !blocked[w];
			case ({kind_1[w], kind_0[w]})
			CTRL: ;
			SIMD: ready[w] &= simd_is_free;
			STORE: ready[w] &= lsu_is_free;
			default: ready[w] &= lsu_is_free && pool_has_room;
			endcase
		end

	assign fetches = live & ~full & ~last;

	/* ---- RAM ------------------------------------------------------------------- */

	logic [63:0] first_of [0:31];
	logic [63:0] second_of [0:31];
	logic [31:0] lanes_of [0:31];
	logic [15:0] join_of [0:31];
	logic [15:0] pc_of [0:31];
	logic        no_r0_of [0:31];
	logic [38:0] pending_of [0:31]; /* registers, then predicates */

	logic [63:0] second;
	logic [15:0] joins, next_pc, fetch_from;
	logic [38:0] pending;
	logic        has_one, has_two;

	assign word = first_of[warp];
	assign second = second_of[warp];
	assign lanes = lanes_of[warp];
	assign joins = join_of[warp];
	assign pc = pc_of[warp];
	assign no_r0 = no_r0_of[warp];
	assign pending = pending_of[warp];
	assign has_one = some[warp];
	assign has_two = full[warp];
	assign next_pc = pc + 16'd1;
	assign at_join = next_pc == joins;
	assign meets = settle_pc == joins;
	assign fetch_from = pc_of[fetch_warp];
	/* There is room, so it has one or none. */
	assign fetch_pc = fetch_from + {15'b0, some[fetch_warp]};

	/* ---- what the instruction writes --------------------------------------------- */

	logic [fl_pkg::HAS_BITS-1:0] has;
	logic        writes_reg, writes_pred;
	logic [2:0]  written_pred;

	always_comb begin
		has = fl_pkg::operands_of(word[6:0]);
		writes_reg = has[fl_pkg::HAS_D];
		writes_pred = has[fl_pkg::HAS_P] || has[fl_pkg::HAS_K] ||
			      (has[fl_pkg::HAS_Y] &&
			       (|(word[30:26] & fl_pkg::MOD_CARRY_CO)));
		written_pred = word[23:21];
		if (has[fl_pkg::HAS_P])
			written_pred = word[13:11];
		if (has[fl_pkg::HAS_K])
			written_pred = word[30:28];
	end

	/* ---- the scoreboard -------------------------------------------------------- */

	logic        mark_reg, mark_pred;
	logic [4:0]  marked_reg;
	logic [2:0]  marked_pred;
	logic [38:0] pends;

	always_comb begin
		mark_reg = issues ? writes_reg : completes && comp_reg_valid;
		marked_reg = issues ? word[15:11] : comp_reg;
		mark_pred = issues ? writes_pred : completes && comp_pred_valid;
		marked_pred = issues ? written_pred : comp_pred;
		pends = pending;
		for (int i = 0; i < 32; i++)
			if (mark_reg && marked_reg == 5'(i))
				pends[i] = issues;
		for (int i = 0; i < 7; i++)
			if (mark_pred && marked_pred == 3'(i))
				pends[32 + i] = issues;
		if (begins)
			pends = 39'b0;
	end

	/* Is the instruction that is first after the event free to issue? */
	logic [63:0] head;
	logic [fl_pkg::HAS_BITS-1:0] uses;
	logic [7:0]  pends_pred;
	logic        reads_a, reads_b, reads_c, is_blocked, comes_first;
	logic [2:0]  unit;
	logic [1:0]  kind;

	assign comes_first = puts && !has_one;

	always_comb begin
		head = word;
		if (issues)
			head = second;
		if (comes_first)
			head = put_word;
		uses = fl_pkg::operands_of(head[6:0]);
		pends_pred = {1'b0, pends[38:32]};
		reads_a = uses[fl_pkg::HAS_A] ||
			  (uses[fl_pkg::HAS_M] &&
			   !(|(head[30:26] & fl_pkg::MOD_MEM_ABS)));
		reads_b = uses[fl_pkg::HAS_B] && !head[31];
		reads_c = uses[fl_pkg::HAS_C];
		is_blocked = pends_pred[head[9:7]] ||
			     (uses[fl_pkg::HAS_D] && pends[{1'b0, head[15:11]}]) ||
			     (reads_a && pends[{1'b0, head[20:16]}]) ||
			     (reads_b && pends[{1'b0, head[36:32]}]) ||
			     (reads_c && pends[{1'b0, head[25:21]}]) ||
			     (uses[fl_pkg::HAS_P] && pends_pred[head[13:11]]) ||
			     (uses[fl_pkg::HAS_R] && pends_pred[head[18:16]]) ||
			     ((uses[fl_pkg::HAS_Q] || (uses[fl_pkg::HAS_Y] &&
				head[27:26] != 2'b0)) && pends_pred[head[23:21]]) ||
			     (uses[fl_pkg::HAS_K] && pends_pred[head[30:28]]);
		unit = fl_pkg::unit_of(head[6:0]);
		kind = SIMD;
		if (unit == fl_pkg::UNIT_CTRL)
			kind = CTRL;
		if (unit == fl_pkg::UNIT_MEM)
			kind = uses[fl_pkg::HAS_D] ? LOAD : STORE;
	end

	/* ---- events -------------------------------------------------------------- */

	logic flushes, changes;

	assign flushes = begins || (settles && settle_flush);
	assign changes = begins || completes || issues || puts || settles;

	always_ff @(posedge clk) begin
		if (changes) begin
			blocked[warp] <= is_blocked;
			kind_1[warp] <= kind[1];
			kind_0[warp] <= kind[0];
			some[warp] <= !flushes && (puts || (issues ? has_two :
								     has_one));
			full[warp] <= !flushes && !issues &&
				      (puts ? has_one : has_two);
		end
		if (puts)
			last[warp] <= put_last;
		if (flushes)
			last[warp] <= !begins && settle_last;
		if (begins || settles)
			live[warp] <= begins || settle_live;
		if (begins || waits)
			waiting[warp] <= !begins;
		if (releases)
			waiting <= waiting & ~released;
		if (reset) begin
			live <= 32'b0;
			waiting <= 32'b0;
		end
	end

	always_ff @(posedge clk) begin
		if (issues || comes_first)
			first_of[warp] <= head;
		if (puts)
			second_of[warp] <= put_word;
		if (begins || completes || issues)
			pending_of[warp] <= pends;
		if (begins || issues || settles)
			pc_of[warp] <= begins ? 16'd0 :
				       issues ? next_pc : settle_pc;
		if (begins || writes_r0)
			no_r0_of[warp] <= begins;
	end

	/* ---- the stack ----------------------------------------------------------- */

	logic        stack_ready; /* always, when it is started */
	logic [31:0] new_lanes;
	logic [15:0] new_join;

	fl_stack stack (
		.clk, .reset, .ready(stack_ready), .start(begins || stack_start),
		.op(begins ? 2'd0 : stack_diverges ? 2'd2 : 2'd1), .warp,
		.lanes(begins ? begin_lanes : lanes), .join_at(joins),
		.which(stack_which), .pc(settle_pc), .target(stack_target),
		.reconv(stack_reconv), .done(stack_done), .live(stack_live),
		.new_lanes, .new_pc(stack_pc), .new_join
	);

	always_ff @(posedge clk)
		if (begins || stack_done) begin
			lanes_of[warp] <= begins ? begin_lanes : new_lanes;
			join_of[warp] <= begins ? 16'hffff : new_join;
		end
endmodule
