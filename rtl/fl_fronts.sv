/*
 * The front ends of the 16 multiprocessors. What happens, happens to that of `sm`, and
 * what comes out is of it.
 */
module fl_fronts (
	input  logic [3:0]  sm,
	input  logic        clk,
	input  logic        reset,
	input  logic        simd_is_free,
	input  logic        lsu_is_free,
	input  logic        pool_has_room,
	output logic [31:0] ready,
	output logic [31:0] fetches,
	output logic [31:0] live,

	input  logic [4:0]  fetch_warp,
	output logic [15:0] fetch_pc,

	input  logic [4:0]  warp,
	output logic [63:0] word,
	output logic [15:0] pc,
	output logic [31:0] lanes,
	output logic        at_join,
	output logic        meets,
	output logic        no_r0,

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
	input  logic        stack_diverges,
	input  logic [31:0] stack_which,
	input  logic [15:0] stack_target,
	input  logic [15:0] stack_reconv,
	output logic        stack_done,
	output logic        stack_live,
	output logic [15:0] stack_pc
);
	localparam int SMS = 16;

	logic [31:0] ready_of [0:SMS-1];
	logic [31:0] fetches_of [0:SMS-1];
	logic [31:0] live_of [0:SMS-1];
	logic [15:0] fetch_pc_of [0:SMS-1];
	logic [63:0] word_of [0:SMS-1];
	logic [15:0] pc_of [0:SMS-1];
	logic [31:0] lanes_of [0:SMS-1];
	logic [SMS-1:0] at_join_of;
	logic [SMS-1:0] meets_of;
	logic [SMS-1:0] no_r0_of;
	logic [SMS-1:0] stack_done_of;
	logic [SMS-1:0] stack_live_of;
	logic [15:0] stack_pc_of [0:SMS-1];

	for (genvar s = 0; s < SMS; s++) begin : each
		logic turn;

		assign turn = sm == 4'(s);

		fl_front front (
			.clk, .reset, .simd_is_free, .lsu_is_free, .pool_has_room,
			.fetch_warp, .warp, .begins(begins && turn), .begin_lanes,
			.completes(completes && turn), .comp_reg_valid, .comp_reg,
			.comp_pred_valid, .comp_pred, .issues(issues && turn),
			.puts(puts && turn), .put_word, .put_last,
			.settles(settles && turn), .settle_live, .settle_flush,
			.settle_last, .settle_pc, .waits(waits && turn),
			.writes_r0(writes_r0 && turn), .releases(releases && turn),
			.released, .stack_start(stack_start && turn), .stack_diverges,
			.stack_which, .stack_target, .stack_reconv, .ready(ready_of[s]),
			.fetches(fetches_of[s]), .live(live_of[s]),
			.fetch_pc(fetch_pc_of[s]), .word(word_of[s]), .pc(pc_of[s]),
			.lanes(lanes_of[s]), .at_join(at_join_of[s]), .meets(meets_of[s]),
			.no_r0(no_r0_of[s]), .stack_done(stack_done_of[s]),
			.stack_live(stack_live_of[s]), .stack_pc(stack_pc_of[s])
		);
	end

	assign ready = ready_of[sm];
	assign fetches = fetches_of[sm];
	assign live = live_of[sm];
	assign fetch_pc = fetch_pc_of[sm];
	assign word = word_of[sm];
	assign pc = pc_of[sm];
	assign lanes = lanes_of[sm];
	assign at_join = at_join_of[sm];
	assign meets = meets_of[sm];
	assign no_r0 = no_r0_of[sm];
	assign stack_done = stack_done_of[sm];
	assign stack_live = stack_live_of[sm];
	assign stack_pc = stack_pc_of[sm];
endmodule
