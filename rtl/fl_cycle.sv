/*
 * The steps of a target cycle, docs/fastlanes.md: blocks are taken, a warp issues, a warp
 * fetches. It drives the front end of multiprocessor `sm` (fl_fronts) and owns `now`, the
 * target cycle.
 *
 * `refill` takes one block, if there is one and a place for it, and answers with `done`,
 * and `took`. `go` simulates cycles `from` to `to` - 1, or less if `halt` or a fault ends them;
 * `done` follows when nothing is under way any more. While nothing can happen, `now` jumps.
 *
 * A target cycle in which a warp issues takes three cycles, a completed
 * result that is not alone one more: in PICK the warp issues, and `now` goes on; in FETCH the next
 * instruction of a warp is asked for, while a result of the next cycle arrives; in PUT the instruction
 * is there. A branch takes a cycle more, or two and those of the stack.
 *
 * The warp is the contract's, whatever the circuit does: `now` waits while the warp's
 * last instruction is in a pipeline, while the pipeline that it needs is not ready,
 * and while a memory instruction that could matter is not resolved.
 */
module fl_cycle (
	input  logic         clk,
	input  logic         reset,
	input  logic         clear,     /* a launch begins */
	input  logic [5:0]   cfg_places,
	input  logic [5:0]   cfg_block_warps,
	input  logic [31:0]  cfg_last_lanes,
	input  logic [14:0]  cfg_block_shared,
	input  logic [16:0]  cfg_count,
	input  logic [95:0]  cfg_grid,
	input  logic [95:0]  cfg_block,

	/* fl_turns */
	input  logic [3:0]   sm,
	input  logic         refill,
	input  logic         go,
	input  logic [39:0]  from,
	input  logic [39:0]  to,
	input  logic         halt,
	output logic         done,
	output logic         took,
	output logic         faulted,   /* until the next launch */
	output logic         trapped,   /* it is a trap, else of memory */
	output logic [1:0]   fault_memory,
	output logic [95:0]  fault_block,
	output logic [4:0]   fault_warp,
	output logic [4:0]   fault_lane,
	output logic [15:0]  fault_pc,
	output logic [31:0]  fault_address,

	/* fl_blocks */
	input  logic         b_left,
	input  logic [31:0]  b_placed,
	output logic         b_take,
	output logic         b_frees,
	output logic [4:0]   b_place,
	input  logic [4:0]   b_place_first,
	input  logic [31:0]  b_place_warps,
	input  logic [14:0]  b_place_shared,
	output logic [4:0]   b_warp,
	input  logic [4:0]   b_warp_place,
	input  logic [4:0]   b_warp_index,
	input  logic [95:0]  b_id,
	input  logic [5:0]   b_live,
	input  logic [5:0]   b_waiting,
	output logic         b_counts,
	output logic [5:0]   b_new_live,
	output logic [5:0]   b_new_waiting,

	/* fl_fronts */
	input  logic [31:0]  f_ready,
	input  logic [31:0]  f_fetches,
	input  logic [31:0]  f_live,
	output logic [4:0]   f_fetch_warp,
	input  logic [15:0]  f_fetch_pc,
	output logic [4:0]   f_warp,
	input  logic [63:0]  f_word,
	input  logic [15:0]  f_pc,
	input  logic [31:0]  f_lanes,
	input  logic         f_at_join,
	input  logic         f_meets,
	input  logic         f_no_r0,
	output logic         f_begins,
	output logic [31:0]  f_begin_lanes,
	output logic         f_completes,
	output logic         f_issues,
	output logic         f_puts,
	output logic         f_put_last,
	output logic         f_settles,
	output logic         f_settle_live,
	output logic         f_settle_flush,
	output logic         f_settle_last,
	output logic [15:0]  f_settle_pc,
	output logic         f_waits,
	output logic         f_writes_r0,
	output logic         f_releases,
	output logic         f_stack_start,
	output logic         f_stack_diverges,
	output logic [31:0]  f_stack_which,
	output logic [15:0]  f_stack_target,
	output logic [15:0]  f_stack_reconv,
	input  logic         f_stack_done,
	input  logic         f_stack_live,
	input  logic [15:0]  f_stack_pc,

	/* fl_code */
	output logic [15:0]  code_pc,

	/* fl_exec */
	input  logic         e_ready,
	output logic         e_start,
	output logic [4:0]   e_warp,
	output logic [63:0]  e_word,
	output logic [31:0]  e_lanes,
	output logic [287:0] e_places,
	output logic [4:0]   e_index,
	input  logic [31:0]  e_executes,
	input  logic         e_done,
	input  logic [4:0]   e_done_warp,
	output logic         x_start,   /* of r0, all lanes */
	input  logic         x_ready,
	output logic [4:0]   x_warp,

	/* fl_lsu */
	output logic         zero,
	input  logic         l_ready,
	output logic [3:0]   l_sm,
	output logic [14:0]  l_shared_base,
	input  logic         l_done,
	input  logic [4:0]   l_done_warp,
	input  logic         l_fault_valid,
	input  logic [1:0]   l_fault_kind,
	input  logic [4:0]   l_fault_lane,
	input  logic [31:0]  l_fault_address,

	/* fl_time */
	output logic [39:0]  now,
	output logic         new_warp,
	output logic [4:0]   new_warp_id,
	output logic         put,
	output logic [2:0]   put_unit,
	output logic [4:0]   put_warp,
	output logic         put_reg_valid,
	output logic [4:0]   put_reg,
	output logic         put_pred_valid,
	output logic [2:0]   put_pred,
	output logic         put_mem,
	output logic         put_load,
	output logic         put_shared,
	input  logic         resolved,
	input  logic [39:0]  hold_at,
	input  logic [39:0]  next_event,
	input  logic         comp_valid,
	output logic         comp_take,
	input  logic [4:0]   comp_warp,
	input  logic         comp_none,

	output logic [47:0]  stat_cycles,
	output logic [47:0]  stat_blocks,
	output logic [47:0]  stat_instructions,
	output logic [47:0]  stat_lane_instructions,
	output logic [47:0]  stat_stalled,
	output logic [47:0]  stat_branches,
	output logic [47:0]  stat_divergent,
	output logic [47:0]  stat_barriers,

	output logic         ev_valid,
	output logic [39:0]  ev_cycle,
	output logic [3:0]   ev_sm,
	output logic [4:0]   ev_warp,
	output logic [15:0]  ev_pc,
	output logic [31:0]  ev_lanes
);
	localparam logic [3:0] IDLE = 4'd0;
	localparam logic [3:0] REFILL = 4'd1;  /* is there a block, and a place? */
	localparam logic [3:0] TAKE = 4'd2;
	localparam logic [3:0] BEGIN = 4'd3;   /* a warp of the block */
	localparam logic [3:0] ZERO = 4'd4;    /* its shared memory */
	localparam logic [3:0] PICK = 4'd5;
	localparam logic [3:0] ROW = 4'd6;     /* of r0, is read */
	localparam logic [3:0] WRITE = 4'd7;   /* and written */
	localparam logic [3:0] FLOW = 4'd8;    /* where does the warp go on? */
	localparam logic [3:0] STACK = 4'd9;
	localparam logic [3:0] SETTLE = 4'd10;
	localparam logic [3:0] COUNT = 4'd11;  /* the warps of the block */
	localparam logic [3:0] FETCH = 4'd12;
	localparam logic [3:0] PUT = 4'd13;
	localparam logic [3:0] DRAIN = 4'd14;

	/* The lowest one. */
	function automatic logic [4:0] lowest(input logic [31:0] set);
		lowest = 5'd0;
		for (int i = 31; i >= 0; i--)
			if (set[i])
				lowest = 5'(i);
	endfunction

	/* The first one after `last`, around the end. */
	function automatic logic [4:0] first_after(input logic [31:0] set,
						   input logic [4:0] last);
		logic [31:0] behind;

		behind = set & (32'hfffffffe << last);
		first_after = lowest(behind != 32'b0 ? behind : set);
	endfunction

	logic [3:0]  state;
	logic        check;     /* whether there is room for a block */
	logic        only_one;  /* block to take: before the first cycle */

	/* ---- the instruction that was picked -------------------------------------- */

	logic        s_valid;   /* it has not started */
	logic        started;   /* it has, in the last cycle: e_executes is its own */
	logic        s_ctrl, s_mem, s_bra, s_exit, s_bar, s_trap, s_moves;
	logic [4:0]  s_warp;
	logic [63:0] s_word;
	logic [31:0] s_lanes, x_held, x_lanes;
	logic [15:0] s_pc, s_next;
	logic [39:0] s_time;

	assign s_next = s_pc + 16'd1;
	assign x_lanes = started ? e_executes : x_held;

	/* ---- pick -------------------------------------------------------------------- */

	logic [31:0] in_flight;
	logic        mem_busy;
	logic        may_pick, any_ready, any_fetches, can_issue, issue, jump;
	logic [4:0]  pick, last_issued, last_fetched, fetch_warp;
	logic [6:0]  code;
	logic [2:0]  unit;
	logic        is_mem, is_ctrl, is_trap, over;
	logic [39:0] jump_to;

	assign over = now == to || halt || faulted;
	assign may_pick = state == PICK && !over && !check && comp_none &&
			  !s_valid && (resolved || now < hold_at);
	assign any_ready = f_ready != 32'b0;
	assign any_fetches = f_fetches != 32'b0;
	assign pick = first_after(f_ready, last_issued);

	always_comb begin
		code = f_word[6:0];
		unit = fl_pkg::unit_of(code);
		is_mem = unit == fl_pkg::UNIT_MEM;
		is_ctrl = unit == fl_pkg::UNIT_CTRL;
		is_trap = code == fl_pkg::OP_TRAP;
		can_issue = !in_flight[pick] && !f_no_r0 &&
			    (!is_mem || (l_ready && !mem_busy)) &&
			    (!is_trap || !mem_busy);
		issue = may_pick && any_ready && can_issue;
		jump = may_pick && !any_ready && !any_fetches;
		jump_to = next_event < to ? next_event : to;
	end

	/* What it writes, for fl_time. */
	logic [fl_pkg::HAS_BITS-1:0] has;

	always_comb begin
		has = fl_pkg::operands_of(code);
		put = issue && !is_mem && !is_ctrl;
		put_mem = issue && is_mem;
		put_unit = unit;
		put_warp = pick;
		put_load = has[fl_pkg::HAS_D];
		put_shared = code == fl_pkg::OP_LDS || code == fl_pkg::OP_STS;
		put_reg_valid = has[fl_pkg::HAS_D];
		put_reg = f_word[15:11];
		put_pred = f_word[23:21];
		if (has[fl_pkg::HAS_P])
			put_pred = f_word[13:11];
		if (has[fl_pkg::HAS_K])
			put_pred = f_word[30:28];
		put_pred_valid = put_pred != fl_pkg::PT &&
				 (has[fl_pkg::HAS_P] || has[fl_pkg::HAS_K] ||
				  (has[fl_pkg::HAS_Y] &&
				   (|(f_word[30:26] & fl_pkg::MOD_CARRY_CO))));
	end

	always_ff @(posedge clk) begin
		if (e_start && e_ready)
			s_valid <= 1'b0;
		started <= e_start && e_ready;
		if (started)
			x_held <= e_executes;
		if (may_pick && any_ready)
			s_warp <= pick;
		if (issue) begin
			s_valid <= 1'b1;
			{s_word, s_lanes, s_pc, s_time} <=
				{f_word, f_lanes, f_pc, now};
			s_mem <= is_mem;
			s_ctrl <= is_ctrl;
			s_trap <= is_trap;
			s_bra <= code == fl_pkg::OP_BRA;
			s_exit <= code == fl_pkg::OP_EXIT;
			s_bar <= code == fl_pkg::OP_BAR;
		end
		if (reset || clear) begin
			s_valid <= 1'b0;
			started <= 1'b0;
		end
	end

	/* A warp has at most one instruction in the pipelines. */
	always_ff @(posedge clk) begin
		if (e_done)
			in_flight[e_done_warp] <= 1'b0;
		if (l_done)
			in_flight[l_done_warp] <= 1'b0;
		if (issue && !is_ctrl)
			in_flight[pick] <= 1'b1;
		if (l_done || l_fault_valid)
			mem_busy <= 1'b0;
		if (put_mem)
			mem_busy <= 1'b1;
		if (reset || clear) begin
			in_flight <= 32'b0;
			mem_busy <= 1'b0;
		end
	end

	assign e_start = s_valid;
	assign e_warp = s_warp;
	assign e_word = s_word;
	assign e_lanes = s_lanes;
	assign e_places = {cfg_grid, cfg_block, b_id};
	assign e_index = b_warp_index;
	assign x_start = state == WRITE;
	assign x_warp = s_warp;

	/* ---- where the warp goes on -------------------------------------------------- */

	logic        known, diverges, leaves, branches, needs_stack, traps;
	logic        new_pc_differs, k_live;
	logic [15:0] go_on, k_pc;

	/* Other instructions come here only if their lanes reconverge. */
	assign known = state == FLOW && (!s_ctrl || started);
	assign branches = s_bra && x_lanes == s_lanes;
	assign diverges = s_bra && !branches && x_lanes != 32'b0;
	assign leaves = s_exit && x_lanes != 32'b0;
	assign traps = known && s_trap && x_lanes != 32'b0;
	assign go_on = branches ? s_word[47:32] : s_next;
	assign needs_stack = diverges || leaves || f_meets;
	assign new_pc_differs = s_bra || !k_live || k_pc != s_next;

	assign f_stack_start = known && needs_stack && !traps;
	assign f_stack_diverges = diverges;
	assign f_stack_which = s_exit ? x_lanes : diverges ? x_lanes : 32'b0;
	assign f_stack_target = s_word[47:32];
	assign f_stack_reconv = s_word[63:48];
	assign f_settles = (known && !needs_stack && !traps) || state == SETTLE;
	assign f_settle_live = state != SETTLE || k_live;
	assign f_settle_flush = state == SETTLE ? new_pc_differs : s_bra;
	assign f_settle_pc = state == SETTLE ? k_pc : go_on;
	assign f_settle_last = {1'b0, f_settle_pc} >= cfg_count;

	/* ---- warps of the block: ends and barriers ------------------------------------ */

	logic ends, releases;

	always_comb begin
		ends = !k_live;
		b_new_live = b_live - {5'b0, ends};
		b_new_waiting = b_waiting + {5'b0, !ends};
		releases = state == COUNT && b_new_live != 6'd0 &&
			   b_new_waiting != 6'd0 && b_new_waiting >= b_new_live;
		if (releases)
			b_new_waiting = 6'd0;
		b_counts = state == COUNT;
		b_frees = state == COUNT && b_new_live == 6'd0;
		f_releases = releases;
		f_waits = state == COUNT && !ends && !releases;
	end

	/* ---- blocks -------------------------------------------------------------------- */

	logic [31:0] free;
	logic [4:0]  k_place, k_warp, k_index;
	logic        is_last_warp;

	assign free = ~b_placed & ~(32'hffffffff << cfg_places);
	assign is_last_warp = {1'b0, k_index} + 6'd1 == cfg_block_warps;
	assign b_take = state == TAKE;
	assign f_begins = state == BEGIN;
	assign f_begin_lanes = is_last_warp ? cfg_last_lanes : 32'hffffffff;
	assign new_warp = f_begins;
	assign new_warp_id = k_warp;
	assign l_sm = sm;
	assign b_warp = state == PICK && !s_valid ? pick : s_warp;
	assign b_place = state == TAKE || state == BEGIN || state == ZERO ?
			 k_place : b_warp_place;

	/* ---- fetch, and the bus to the front end ------------------------------------- */

	logic [31:0] may_fetch;
	logic [16:0] fetched_next;

	assign may_fetch = f_fetches & ~(s_moves ? 32'd1 << s_warp : 32'b0);
	assign f_fetch_warp = first_after(may_fetch, last_fetched);
	assign code_pc = f_fetch_pc;
	assign f_issues = issue;
	assign f_puts = state == PUT;
	assign f_put_last = fetched_next >= cfg_count;
	assign f_writes_r0 = x_start && x_ready;
	assign comp_take = comp_valid && (state == FETCH ||
			   (state == PICK && !over && !check));
	assign f_completes = comp_take;

	always_comb
		case (state)
		PICK: f_warp = comp_valid ? comp_warp : pick;
		FETCH: f_warp = comp_warp;
		PUT: f_warp = fetch_warp;
		BEGIN: f_warp = k_warp;
		default: f_warp = s_warp;
		endcase

	/* ---- steps ---------------------------------------------------------------------- */

	logic zeroes, quiet;

	assign zeroes = state == ZERO && l_ready && !mem_busy;
	assign quiet = in_flight == 32'b0 && !mem_busy && l_ready && resolved &&
		       !s_valid;

	always_ff @(posedge clk) begin
		done <= 1'b0;
		zero <= 1'b0;
		case (state)
		IDLE: begin
			took <= 1'b0;
			only_one <= refill;
			if (go)
				now <= from;
			check <= 1'b0;
			if (go || refill)
				state <= REFILL;
		end
		REFILL: begin
			k_place <= lowest(free);
			check <= 1'b0;
			if (b_left && free != 32'b0 && !took)
				state <= TAKE;
			else if (only_one || f_live == 32'b0)
				state <= DRAIN;
			else
				state <= PICK;
		end
		TAKE: begin
			k_warp <= b_place_first;
			k_index <= 5'd0;
			state <= BEGIN;
			took <= only_one;
		end
		BEGIN: begin
			k_warp <= k_warp + 5'd1;
			k_index <= k_index + 5'd1;
			/* A launch begins with zeros. */
			if (is_last_warp)
				state <= cfg_block_shared == 15'd0 || only_one ?
					 REFILL : ZERO;
		end
		ZERO: if (zeroes) begin
			zero <= 1'b1;
			state <= REFILL;
		end
		PICK: begin
			if (over)
				state <= DRAIN;
			else if (check)
				state <= REFILL;
			else if (issue) begin
				now <= now + 40'd1;
				state <= is_ctrl || f_at_join ? FLOW : FETCH;
			end else if (may_pick && any_ready && f_no_r0)
				state <= ROW;
			else if (jump)
				now <= jump_to;
			else if (may_pick && !any_ready) begin
				now <= now + 40'd1;
				state <= FETCH;
			end
		end
		ROW: state <= WRITE;
		WRITE: if (x_ready)
			state <= PICK;
		FLOW: if (traps)
			state <= DRAIN;
		else if (known)
			state <= needs_stack ? STACK : s_bar ? COUNT : FETCH;
		STACK: if (f_stack_done)
			state <= SETTLE;
		SETTLE: state <= !k_live || s_bar ? COUNT : FETCH;
		COUNT: begin
			state <= FETCH;
			if (b_frees)
				check <= 1'b1;
		end
		FETCH: state <= may_fetch != 32'b0 ? PUT : PICK;
		PUT: state <= PICK;
		default: if (quiet || faulted) begin
			done <= 1'b1;
			state <= IDLE;
		end
		endcase
		if (reset)
			state <= IDLE;
	end

	always_ff @(posedge clk) begin
		if (known && !needs_stack)
			{k_live, k_pc} <= {1'b1, go_on};
		if (state == STACK)
			{k_live, k_pc} <= {f_stack_live, f_stack_pc};
		if (state == PICK)
			s_moves <= 1'b0;
		if (f_settles)
			s_moves <= f_settle_flush;
		if (state == FETCH)
			fetch_warp <= f_fetch_warp;
		fetched_next <= {1'b0, f_fetch_pc} + 17'd1;
		if (zeroes || (s_valid && s_mem))
			l_shared_base <= b_place_shared;
	end

	/* Whose turn it was, as each multiprocessor has left it. */
	logic [9:0]  last_of [0:15];
	logic [15:0] seen;

	always_ff @(posedge clk) begin
		if (issue)
			last_issued <= pick;
		if (state == FETCH && may_fetch != 32'b0)
			last_fetched <= f_fetch_warp;
		if (state == IDLE)
			{last_issued, last_fetched} <=
				seen[sm] ? last_of[sm] : 10'h3ff;
		if (state == DRAIN)
			last_of[sm] <= {last_issued, last_fetched};
		if (state == DRAIN)
			seen[sm] <= 1'b1;
		if (clear)
			seen <= 16'b0;
	end

	/* ---- faults ---------------------------------------------------------------------- */

	always_ff @(posedge clk) begin
		if (s_valid && (s_mem || s_trap)) begin
			fault_block <= b_id;
			fault_warp <= b_warp_index;
			fault_pc <= s_pc;
		end
		if (l_fault_valid || traps) begin
			faulted <= 1'b1;
			trapped <= traps;
			fault_memory <= l_fault_kind;
			fault_lane <= traps ? lowest(x_lanes) : l_fault_lane;
			fault_address <= traps ? 32'b0 : l_fault_address;
		end
		if (reset || clear)
			faulted <= 1'b0;
	end

	/* ---- statistics and events --------------------------------------------------------- */

	function automatic logic [5:0] ones(input logic [31:0] set);
		ones = 6'd0;
		for (int i = 0; i < 32; i++)
			ones += {5'b0, set[i]};
	endfunction

	logic [47:0] ends_at;

	assign ends_at = {8'b0, s_time} + 48'd1;

	always_ff @(posedge clk) begin
		if (b_frees && ends_at > stat_cycles)
			stat_cycles <= ends_at;
		stat_blocks <= stat_blocks + 48'(b_take);
		stat_instructions <= stat_instructions + 48'(issue);
		if (started)
			stat_lane_instructions <= stat_lane_instructions +
						  48'(ones(e_executes));
		if (jump)
			stat_stalled <= stat_stalled + {8'b0, jump_to - now};
		else if (may_pick && !any_ready)
			stat_stalled <= stat_stalled + 48'd1;
		stat_branches <= stat_branches + 48'(known && s_bra);
		stat_divergent <= stat_divergent + 48'(known && diverges);
		stat_barriers <= stat_barriers + 48'(known && s_bar);
		if (reset || clear) begin
			stat_cycles <= 48'd0;
			stat_blocks <= 48'd0;
			stat_instructions <= 48'd0;
			stat_lane_instructions <= 48'd0;
			stat_stalled <= 48'd0;
			stat_branches <= 48'd0;
			stat_divergent <= 48'd0;
			stat_barriers <= 48'd0;
		end
	end

	assign ev_valid = started;
	assign ev_cycle = s_time;
	assign ev_sm = sm;
	assign ev_warp = s_warp;
	assign ev_pc = s_pc;
	assign ev_lanes = e_executes;
endmodule
