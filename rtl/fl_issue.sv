/*
 * All that issues instructions: turns, blocks, the front ends, the code, and the steps of
 * a target cycle. Registers and arithmetic, memory, and time are outside: fl_exec, fl_lsu,
 * fl_time; and fl_switch, which moves registers.
 *
 * `clear`, at the start of a launch, empties what fl_time and fl_lsu have; `cleared`
 * comes back when that is done. r0 of a warp that starts is written through x_*, all
 * lanes of x_warp. A memory instruction is announced to fl_time (put_mem) in the cycle
 * before `e_start`.
 */
module fl_issue (
	input  logic          clk,
	input  logic          reset,

	input  logic [4:0]    cfg_sms,
	input  logic [5:0]    cfg_places,
	input  logic [5:0]    cfg_block_warps,
	input  logic [31:0]   cfg_last_lanes,
	input  logic [95:0]   cfg_grid,
	input  logic [95:0]   cfg_block,
	input  logic [47:0]   cfg_blocks,
	input  logic [14:0]   cfg_block_shared,
	input  logic [16:0]   cfg_count,
	input  logic [31:0]   cfg_slice,
	input  logic [39:0]   cfg_max_cycles,

	input  logic          run,
	input  logic          halt,
	output logic          busy,
	output logic          finished,
	output logic [2:0]    fault_kind,
	output logic [95:0]   fault_block,
	output logic [4:0]    fault_warp,
	output logic [4:0]    fault_lane,
	output logic [15:0]   fault_pc,
	output logic [31:0]   fault_address,

	input  logic          code_we,
	input  logic [15:0]   code_at,
	input  logic [63:0]   code_data,
	output logic          clear,
	input  logic          cleared,

	/* fl_exec */
	output logic          file,
	input  logic          e_ready,
	output logic          e_start,
	output logic [4:0]    e_warp,
	output logic [63:0]   e_word,
	output logic [31:0]   e_lanes,
	output logic [287:0]  e_places,
	output logic [4:0]    e_index,
	input  logic [31:0]   e_executes,
	input  logic          e_done,
	input  logic [4:0]    e_done_warp,
	output logic          x_start,
	input  logic          x_ready,
	output logic [4:0]    x_warp,
	output logic [1023:0] x_data,

	/* fl_lsu */
	output logic          zero,
	input  logic          l_ready,
	output logic [3:0]    l_sm,
	output logic [14:0]   l_shared_base,
	input  logic          l_done,
	input  logic [4:0]    l_done_warp,
	input  logic          l_fault_valid,
	input  logic [1:0]    l_fault_kind,
	input  logic [4:0]    l_fault_lane,
	input  logic [31:0]   l_fault_address,

	/* fl_time */
	output logic [3:0]    sm,
	output logic          load_sm,
	input  logic          loaded,
	output logic [39:0]   now,
	output logic          new_warp,
	output logic [4:0]    new_warp_id,
	output logic          put,
	output logic [2:0]    put_unit,
	output logic [4:0]    put_warp,
	output logic          put_reg_valid,
	output logic [4:0]    put_reg,
	output logic          put_pred_valid,
	output logic [2:0]    put_pred,
	output logic          put_mem,
	output logic          put_load,
	output logic          put_shared,
	input  logic          simd_is_free,
	input  logic          lsu_is_free,
	input  logic          pool_has_room,
	input  logic          resolved,
	input  logic [39:0]   hold_at,
	input  logic [39:0]   next_event,
	input  logic          comp_valid,
	output logic          comp_take,
	input  logic [4:0]    comp_warp,
	input  logic          comp_reg_valid,
	input  logic [4:0]    comp_reg,
	input  logic          comp_pred_valid,
	input  logic [2:0]    comp_pred,
	input  logic          comp_none,

	/* fl_switch */
	output logic          sw_start,
	output logic          sw_save,
	output logic [3:0]    sw_save_sm,
	output logic [31:0]   sw_save_warps,
	output logic          sw_load,
	output logic [3:0]    sw_load_sm,
	output logic [31:0]   sw_load_warps,
	input  logic          sw_busy,

	output logic [47:0]   stat_cycles,
	output logic [47:0]   stat_blocks,
	output logic [47:0]   stat_instructions,
	output logic [47:0]   stat_lane_instructions,
	output logic [47:0]   stat_stalled,
	output logic [47:0]   stat_branches,
	output logic [47:0]   stat_divergent,
	output logic [47:0]   stat_barriers,
	output logic [47:0]   count_turns,
	output logic [47:0]   count_simulating,
	output logic [47:0]   count_wait_switch,

	output logic          ev_valid,
	output logic [39:0]   ev_cycle,
	output logic [3:0]    ev_sm,
	output logic [4:0]    ev_warp,
	output logic [15:0]   ev_pc,
	output logic [31:0]   ev_lanes
);
	logic          b_left, refill, go, halts, done, took, faulted, trapped, b_ready,
		       b_take, b_frees, b_counts, f_at_join, f_meets, f_no_r0, f_begins,
		       f_completes, f_issues, f_puts, f_put_last, f_settles, f_settle_live,
		       f_settle_flush, f_settle_last, f_waits, f_writes_r0, f_releases,
		       f_stack_start, f_stack_diverges, f_stack_done, f_stack_live;
	logic [1:0]    fault_memory;
	logic [4:0]    b_place, b_place_first, b_warp, b_warp_place, b_warp_index,
		       f_fetch_warp, f_warp;
	logic [5:0]    b_live, b_waiting, b_new_live, b_new_waiting;
	logic [14:0]   b_place_shared;
	logic [15:0]   f_fetch_pc, f_pc, f_settle_pc, f_stack_target, f_stack_reconv,
		       f_stack_pc, code_pc;
	logic [31:0]   f_live, b_placed, b_place_warps, f_ready, f_fetches, f_lanes,
		       f_begin_lanes, f_stack_which;
	logic [39:0]   from, to;
	logic [63:0]   f_word, code_word;
	logic [95:0]   b_id;

	fl_turns turns (
		.clk, .reset, .cfg_sms, .cfg_slice, .cfg_max_cycles, .run, .halt, .busy,
		.finished, .fault_kind, .clear, .cleared(cleared && b_ready),
		.left(b_left), .sm, .file, .load_sm, .loaded, .refill, .go, .from, .to,
		.halts, .done, .took, .faulted, .trapped, .fault_memory, .live(f_live),
		.sw_start, .sw_save, .sw_save_sm, .sw_save_warps, .sw_load, .sw_load_sm,
		.sw_load_warps, .sw_busy, .count_turns, .count_simulating,
		.count_wait_switch
	);

	fl_blocks blocks (
		.clk, .reset, .cfg_block_warps, .cfg_grid, .cfg_block, .cfg_blocks,
		.cfg_block_shared, .start(clear), .ready(b_ready), .sm, .left(b_left),
		.placed(b_placed), .take(b_take), .frees(b_frees), .place(b_place),
		.place_first(b_place_first), .place_warps(b_place_warps),
		.place_shared(b_place_shared), .warp(b_warp), .warp_place(b_warp_place),
		.warp_index(b_warp_index), .id(b_id), .live(b_live), .waiting(b_waiting),
		.counts(b_counts), .new_live(b_new_live), .new_waiting(b_new_waiting),
		.r0(x_data)
	);

	fl_fronts fronts (
		.sm, .clk, .reset(reset || clear), .simd_is_free, .lsu_is_free,
		.pool_has_room, .ready(f_ready), .fetches(f_fetches), .live(f_live),
		.fetch_warp(f_fetch_warp), .fetch_pc(f_fetch_pc), .warp(f_warp),
		.word(f_word), .pc(f_pc), .lanes(f_lanes), .at_join(f_at_join),
		.meets(f_meets), .no_r0(f_no_r0), .begins(f_begins),
		.begin_lanes(f_begin_lanes), .completes(f_completes), .comp_reg_valid,
		.comp_reg, .comp_pred_valid, .comp_pred, .issues(f_issues), .puts(f_puts),
		.put_word(code_word), .put_last(f_put_last), .settles(f_settles),
		.settle_live(f_settle_live), .settle_flush(f_settle_flush),
		.settle_last(f_settle_last), .settle_pc(f_settle_pc), .waits(f_waits),
		.writes_r0(f_writes_r0), .releases(f_releases), .released(b_place_warps),
		.stack_start(f_stack_start), .stack_diverges(f_stack_diverges),
		.stack_which(f_stack_which), .stack_target(f_stack_target),
		.stack_reconv(f_stack_reconv), .stack_done(f_stack_done),
		.stack_live(f_stack_live), .stack_pc(f_stack_pc)
	);

	fl_cycle cycle (
		.clk, .reset, .clear, .cfg_places, .cfg_block_warps, .cfg_last_lanes,
		.cfg_block_shared, .cfg_count, .cfg_grid, .cfg_block, .sm, .refill, .go,
		.from, .to, .halt(halts), .done, .took, .faulted, .trapped, .fault_memory,
		.fault_block, .fault_warp, .fault_lane, .fault_pc, .fault_address,
		.b_left, .b_placed, .b_take, .b_frees, .b_place, .b_place_first,
		.b_place_warps, .b_place_shared, .b_warp, .b_warp_place, .b_warp_index,
		.b_id, .b_live, .b_waiting, .b_counts, .b_new_live, .b_new_waiting,
		.f_ready, .f_fetches, .f_live, .f_fetch_warp, .f_fetch_pc, .f_warp,
		.f_word, .f_pc, .f_lanes, .f_at_join, .f_meets, .f_no_r0, .f_begins,
		.f_begin_lanes, .f_completes, .f_issues, .f_puts, .f_put_last, .f_settles,
		.f_settle_live, .f_settle_flush, .f_settle_last, .f_settle_pc, .f_waits,
		.f_writes_r0, .f_releases, .f_stack_start, .f_stack_diverges,
		.f_stack_which, .f_stack_target, .f_stack_reconv, .f_stack_done,
		.f_stack_live, .f_stack_pc, .code_pc, .e_ready, .e_start, .e_warp,
		.e_word, .e_lanes, .e_places, .e_index, .e_executes, .e_done,
		.e_done_warp, .x_start, .x_ready, .x_warp, .zero, .l_ready, .l_sm,
		.l_shared_base, .l_done, .l_done_warp, .l_fault_valid, .l_fault_kind,
		.l_fault_lane, .l_fault_address, .now, .new_warp, .new_warp_id, .put,
		.put_unit, .put_warp, .put_reg_valid, .put_reg, .put_pred_valid,
		.put_pred, .put_mem, .put_load, .put_shared, .resolved, .hold_at,
		.next_event, .comp_valid, .comp_take, .comp_warp, .comp_none,
		.stat_cycles, .stat_blocks, .stat_instructions, .stat_lane_instructions,
		.stat_stalled, .stat_branches, .stat_divergent, .stat_barriers, .ev_valid,
		.ev_cycle, .ev_sm, .ev_warp, .ev_pc, .ev_lanes
	);

	fl_code code (
		.clk, .code_we, .code_at, .code_data, .pc(code_pc), .word(code_word)
	);
endmodule
