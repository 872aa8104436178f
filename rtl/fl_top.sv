/*
 * FastLanes: a GPU of up to 16 multiprocessors that take turns on one SIMD. Two ports:
 * the host's, with the map of src/fastlanes/circuit.def, and that of external memory.
 *
 * External memory has lines of 128 bytes; lines from CONTEXT on hold registers. A request
 * is taken in the cycle in which `mem_valid` and `mem_ready` meet. Answers to reads,
 * with `mem_resp_valid`, come in the order of the requests, at any time; they are always
 * accepted. A read sees all writes before it.
 *
 * ev_* shows each instruction that is issued; a board leaves it unconnected.
 */
module fl_top (
	input  logic          clk,
	input  logic          reset,

	input  logic          h_valid,
	output logic          h_ready,
	input  logic          h_write,
	input  logic [17:0]   h_at,
	input  logic [31:0]   h_data,
	output logic [31:0]   h_result,  /* in the next cycle */
	output logic          busy,      /* a launch is under way */

	output logic          mem_valid,
	input  logic          mem_ready,
	output logic          mem_write,
	output logic [22:0]   mem_line,
	output logic [127:0]  mem_bytes, /* that are written */
	output logic [1023:0] mem_data,
	input  logic          mem_resp_valid,
	input  logic [1023:0] mem_resp_data,

	output logic          ev_valid,
	output logic [39:0]   ev_cycle,
	output logic [3:0]    ev_sm,
	output logic [4:0]    ev_warp,
	output logic [15:0]   ev_pc,
	output logic [31:0]   ev_lanes
);
	/* ---- the host ---------------------------------------------------------- */

	logic        run, halt, finished;
	logic [2:0]  fault_kind;
	logic [95:0] fault_block;
	logic [4:0]  fault_warp, fault_lane;
	logic [15:0] fault_pc;
	logic [31:0] fault_address;
	logic [48*fl_pkg::STATS-1:0]    stats;
	logic [48*fl_pkg::COUNTERS-1:0] counters;

	logic        code_we, p_we;
	logic [15:0] code_at;
	logic [63:0] code_data;
	logic [9:0]  p_at;
	logic [31:0] p_data;

	logic [4:0]  cfg_sms;
	logic [5:0]  cfg_warps, cfg_places, cfg_block_warps, cfg_regs;
	logic [31:0] cfg_last_lanes, cfg_slice;
	logic [95:0] cfg_grid, cfg_block;
	logic [47:0] cfg_blocks;
	logic [14:0] cfg_block_shared;
	logic [16:0] cfg_count;
	logic [39:0] cfg_max_cycles, cfg_latency, cfg_interval;
	logic [28:0] cfg_local_base;
	logic [15:0] cfg_local_words;
	logic [5:0]  cfg_lsu_cycles;
	logic [63:0] cfg_way_latency;
	logic [3:0]  cfg_l1_sets_log2, cfg_l2_sets_log2, cfg_l2_ways;
	logic [2:0]  cfg_l1_ways;

	/* Requests to external memory: LD/ST units, exchange of registers, host. */
	logic          ls_valid, ls_ready, ls_write, ls_resp_valid;
	logic          sw_valid, sw_ready, sw_write, sw_resp_valid;
	logic          ho_valid, ho_ready, ho_write, ho_resp_valid;
	logic [22:0]   ls_line, sw_line, ho_line;
	logic [127:0]  ls_bytes, sw_bytes, ho_bytes;
	logic [1023:0] ls_data, sw_data, ho_data;

	fl_host host (
		.clk, .reset, .h_valid, .h_ready, .h_write, .h_at, .h_data,
		.h_result, .run, .halt, .busy, .finished,
		.fault({fault_address, 16'b0, fault_pc, 27'b0, fault_lane,
			27'b0, fault_warp, fault_block, 29'b0, fault_kind}),
		.stats, .counters, .code_we, .code_at, .code_data, .p_we, .p_at,
		.p_data, .req_valid(ho_valid), .req_ready(ho_ready),
		.req_write(ho_write), .req_line(ho_line),
		.req_bytes(ho_bytes),
		.req_data(ho_data), .resp_valid(ho_resp_valid),
		.resp_data(mem_resp_data), .cfg_sms, .cfg_warps, .cfg_places,
		.cfg_block_warps, .cfg_last_lanes, .cfg_grid, .cfg_block,
		.cfg_blocks, .cfg_block_shared, .cfg_count, .cfg_slice,
		.cfg_max_cycles, .cfg_regs, .cfg_local_base, .cfg_local_words,
		.cfg_lsu_cycles, .cfg_latency, .cfg_interval, .cfg_way_latency,
		.cfg_l1_sets_log2, .cfg_l1_ways, .cfg_l2_sets_log2, .cfg_l2_ways
	);

	/* ---- turns, fetch and issue ---------------------------------------------- */

	logic          clear, cleared, time_cleared;
	logic          file, e_ready, e_start, e_done, l_ready, l_done, zero;
	logic [4:0]    e_warp, e_index, e_done_warp, l_done_warp;
	logic [63:0]   e_word;
	logic [31:0]   e_lanes, e_executes;
	logic [287:0]  e_places;
	logic          r0_start, r0_ready;
	logic [4:0]    r0_warp;
	logic [1023:0] r0_data;
	logic [3:0]    l_sm;
	logic [14:0]   l_shared_base;
	logic          l_fault_valid;
	logic [1:0]    l_fault_kind;
	logic [4:0]    l_fault_lane;
	logic [31:0]   l_fault_address;
	logic [3:0]    sm;
	logic [39:0]   now, hold_at, next_event;
	logic          load_sm, loaded, new_warp, simd_is_free, lsu_is_free;
	logic          pool_has_room, resolved;
	logic [4:0]    new_warp_id, put_warp, put_reg, comp_warp, comp_reg;
	logic          put, put_reg_valid, put_pred_valid, put_mem, put_load;
	logic          put_shared, comp_valid, comp_take, comp_reg_valid;
	logic          comp_pred_valid, comp_none;
	logic [2:0]    put_unit, put_pred, comp_pred;
	logic          sw_start, sw_save, sw_load, sw_busy;
	logic [3:0]    sw_save_sm, sw_load_sm;
	logic [31:0]   sw_save_warps, sw_load_warps;

	assign cleared = time_cleared && l_ready;

	fl_issue issue (
		.clk, .reset, .cfg_sms, .cfg_places, .cfg_block_warps,
		.cfg_last_lanes, .cfg_grid, .cfg_block, .cfg_blocks,
		.cfg_block_shared, .cfg_count, .cfg_slice, .cfg_max_cycles,
		.run, .halt, .busy, .finished, .fault_kind, .fault_block,
		.fault_warp, .fault_lane, .fault_pc, .fault_address, .code_we,
		.code_at, .code_data, .clear, .cleared, .file, .e_ready,
		.e_start, .e_warp, .e_word, .e_lanes, .e_places, .e_index,
		.e_executes, .e_done, .e_done_warp, .x_start(r0_start),
		.x_ready(r0_ready), .x_warp(r0_warp), .x_data(r0_data), .zero,
		.l_ready, .l_sm, .l_shared_base, .l_done, .l_done_warp,
		.l_fault_valid, .l_fault_kind, .l_fault_lane, .l_fault_address,
		.sm, .load_sm, .loaded, .now, .new_warp, .new_warp_id, .put,
		.put_unit, .put_warp, .put_reg_valid, .put_reg, .put_pred_valid,
		.put_pred, .put_mem, .put_load, .put_shared, .simd_is_free,
		.lsu_is_free, .pool_has_room, .resolved, .hold_at, .next_event,
		.comp_valid, .comp_take, .comp_warp, .comp_reg_valid, .comp_reg,
		.comp_pred_valid, .comp_pred, .comp_none, .sw_start, .sw_save,
		.sw_save_sm, .sw_save_warps, .sw_load, .sw_load_sm,
		.sw_load_warps, .sw_busy,
		.stat_cycles(stats[48*fl_pkg::STAT_CYCLES +: 48]),
		.stat_blocks(stats[48*fl_pkg::STAT_BLOCKS +: 48]),
		.stat_instructions(stats[48*fl_pkg::STAT_INSTRUCTIONS +: 48]),
		.stat_lane_instructions(
			stats[48*fl_pkg::STAT_LANE_INSTRUCTIONS +: 48]),
		.stat_stalled(stats[48*fl_pkg::STAT_STALLED +: 48]),
		.stat_branches(stats[48*fl_pkg::STAT_BRANCHES +: 48]),
		.stat_divergent(stats[48*fl_pkg::STAT_DIVERGENT +: 48]),
		.stat_barriers(stats[48*fl_pkg::STAT_BARRIERS +: 48]),
		.count_turns(counters[48*fl_pkg::COUNT_TURNS +: 48]),
		.count_simulating(counters[48*fl_pkg::COUNT_SIMULATING +: 48]),
		.count_wait_switch(
			counters[48*fl_pkg::COUNT_WAIT_SWITCH +: 48]),
		.ev_valid, .ev_cycle, .ev_sm, .ev_warp, .ev_pc, .ev_lanes
	);

	/* ---- the SIMD and its registers --------------------------------------------- */

	logic          m_start, l_x_start, l_x_ready, x_start, x_ready;
	logic [4:0]    m_warp, l_x_warp, l_x_reg;
	logic [63:0]   m_word;
	logic [31:0]   m_lanes, l_x_lanes;
	logic [1023:0] m_a, m_c, l_x_data, x_result, y_data, y_result;
	logic          y_start, y_write, y_pred;
	logic [4:0]    y_warp, y_reg;

	assign x_start = l_x_start || r0_start;
	assign l_x_ready = x_ready;
	assign r0_ready = x_ready && !l_x_start;

	fl_exec exec (
		.clk, .reset, .file, .ready(e_ready), .start(e_start),
		.warp(e_warp), .word(e_word), .lanes(e_lanes),
		.places(e_places), .index(e_index), .done(e_done),
		.done_warp(e_done_warp), .executes(e_executes), .m_start,
		.m_warp, .m_word, .m_lanes, .m_a, .m_c, .x_start, .x_ready,
		.x_warp(l_x_start ? l_x_warp : r0_warp), .x_pred(1'b0),
		.x_reg(l_x_start ? l_x_reg : 5'd0),
		.x_lanes(l_x_start ? l_x_lanes : {32{1'b1}}),
		.x_data(l_x_start ? l_x_data : r0_data), .x_result, .y_start,
		.y_write, .y_warp, .y_pred, .y_reg, .y_data, .y_result, .p_we,
		.p_at, .p_data
	);

	fl_switch exchange (
		.clk, .reset, .cfg_regs, .start(sw_start), .save(sw_save),
		.save_sm(sw_save_sm), .save_warps(sw_save_warps),
		.load(sw_load), .load_sm(sw_load_sm),
		.load_warps(sw_load_warps), .busy(sw_busy), .y_start, .y_write,
		.y_warp, .y_pred, .y_reg, .y_data, .y_result,
		.req_valid(sw_valid), .req_ready(sw_ready),
		.req_write(sw_write), .req_line(sw_line),
		.req_bytes(sw_bytes),
		.req_data(sw_data), .resp_valid(sw_resp_valid),
		.resp_data(mem_resp_data)
	);

	/* ---- memory and its time ------------------------------------------------------ */

	logic        seg_valid, seg_ready, seg_end;
	logic [21:0] seg_line;
	logic [5:0]  seg_shared_count;

	fl_lsu lsu (
		.clk, .reset, .cfg_warps, .cfg_block_shared, .cfg_local_base,
		.cfg_local_words, .clear, .zero, .l_ready, .l_sm,
		.l_shared_base, .m_start, .m_warp, .m_word, .m_lanes, .m_a,
		.m_c, .done(l_done), .done_warp(l_done_warp),
		.fault_valid(l_fault_valid), .fault_kind(l_fault_kind),
		.fault_lane(l_fault_lane), .fault_address(l_fault_address),
		.seg_valid, .seg_ready, .seg_line, .seg_end, .seg_shared_count,
		.req_valid(ls_valid), .req_ready(ls_ready),
		.req_write(ls_write), .req_line(ls_line),
		.req_bytes(ls_bytes), .req_data(ls_data),
		.resp_valid(ls_resp_valid), .resp_data(mem_resp_data),
		.x_start(l_x_start), .x_ready(l_x_ready), .x_warp(l_x_warp),
		.x_reg(l_x_reg), .x_lanes(l_x_lanes), .x_data(l_x_data)
	);

	fl_time timing (
		.clk, .reset, .cfg_lsu_cycles, .cfg_latency, .cfg_interval,
		.cfg_way_latency, .cfg_l1_sets_log2, .cfg_l1_ways,
		.cfg_l2_sets_log2, .cfg_l2_ways, .clear, .cleared(time_cleared),
		.sm, .load_sm, .loaded, .now, .new_warp, .new_warp_id, .put,
		.put_unit, .put_warp, .put_reg_valid, .put_reg, .put_pred_valid,
		.put_pred, .put_mem, .put_load, .put_shared, .seg_valid,
		.seg_ready, .seg_line, .seg_end, .seg_shared_count,
		.simd_is_free, .lsu_is_free, .pool_has_room, .resolved,
		.hold_at, .next_event, .comp_valid, .comp_take, .comp_warp,
		.comp_reg_valid, .comp_reg, .comp_pred_valid, .comp_pred,
		.comp_none, .stat_loads(stats[48*fl_pkg::STAT_LOADS +: 48]),
		.stat_stores(stats[48*fl_pkg::STAT_STORES +: 48]),
		.stat_segments(stats[48*fl_pkg::STAT_SEGMENTS +: 48]),
		.stat_shared_accesses(
			stats[48*fl_pkg::STAT_SHARED_ACCESSES +: 48]),
		.stat_shared_segments(
			stats[48*fl_pkg::STAT_SHARED_SEGMENTS +: 48]),
		.stat_l1_hits(stats[48*fl_pkg::STAT_L1_HITS +: 48]),
		.stat_l1_misses(stats[48*fl_pkg::STAT_L1_MISSES +: 48]),
		.stat_l2_hits(stats[48*fl_pkg::STAT_L2_HITS +: 48]),
		.stat_l2_misses(stats[48*fl_pkg::STAT_L2_MISSES +: 48])
	);

	/* ---- external memory ------------------------------------------------------------ */

	logic took_ls, took_switch;

	fl_port port (
		.clk, .reset, .ls_valid, .ls_ready, .ls_write, .ls_line,
		.ls_bytes, .ls_data, .ls_resp_valid, .sw_valid, .sw_ready,
		.sw_write, .sw_line, .sw_bytes, .sw_data, .sw_resp_valid,
		.ho_valid, .ho_ready, .ho_write, .ho_line, .ho_bytes, .ho_data,
		.ho_resp_valid, .mem_valid, .mem_ready, .mem_write, .mem_line,
		.mem_bytes, .mem_data, .mem_resp_valid, .took_ls, .took_switch
	);

	/* ---- what the circuit did --------------------------------------------------------- */

	logic [47:0] host_cycles, switch_busy, port_ls, port_switch;

	always_ff @(posedge clk) begin
		if (run) begin
			host_cycles <= 48'b0;
			switch_busy <= 48'b0;
			port_ls <= 48'b0;
			port_switch <= 48'b0;
		end else begin
			host_cycles <= host_cycles + {47'b0, busy};
			switch_busy <= switch_busy + {47'b0, sw_busy};
			port_ls <= port_ls + {47'b0, took_ls};
			port_switch <= port_switch + {47'b0, took_switch};
		end
	end

	assign counters[48*fl_pkg::COUNT_HOST_CYCLES +: 48] = host_cycles;
	assign counters[48*fl_pkg::COUNT_SWITCH_BUSY +: 48] = switch_busy;
	assign counters[48*fl_pkg::COUNT_PORT_LS +: 48] = port_ls;
	assign counters[48*fl_pkg::COUNT_PORT_SWITCH +: 48] = port_switch;
endmodule
