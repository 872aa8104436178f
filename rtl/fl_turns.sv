/*
 * Whose turn it is: the paper's time-multiplexed simulation controller. Multiprocessors
 * are simulated one after the other, a slice of target cycles each, by fl_cycle.
 *
 * `run` starts a launch: tables are built, memories cleared, the first blocks given out.
 * Then the turns; a multiprocessor that has no warp while no block is left is passed over.
 * `finished` is 1 from the end on, fault_* say why, until the next launch. `halt`
 * ends a launch at the next target cycle. A launch that ends waits for the exchange of
 * registers that is under way: the next one may have another number of them.
 *
 * A turn needs the registers of its multiprocessor in the active one of two files. While
 * it lasts, the other file is prepared for the next turn (fl_switch): the registers of
 * the turn before are saved, and those of the next loaded; of warps that have not ended.
 * With two multiprocessors or one the files keep what they hold.
 */
module fl_turns (
	input  logic        clk,
	input  logic        reset,
	input  logic [4:0]  cfg_sms,
	input  logic [31:0] cfg_slice,
	input  logic [39:0] cfg_max_cycles,

	input  logic        run,
	input  logic        halt,
	output logic        busy,
	output logic        finished,
	output logic [2:0]  fault_kind,

	output logic        clear,      /* of everything, for a launch */
	input  logic        cleared,
	input  logic        left,       /* blocks that nobody has taken */

	output logic [3:0]  sm,
	output logic        file,
	output logic        load_sm,
	input  logic        loaded,
	output logic        refill,
	output logic        go,
	output logic [39:0] from,
	output logic [39:0] to,
	output logic        halts,
	input  logic        done,
	input  logic        took,
	input  logic        faulted,
	input  logic        trapped,
	input  logic [1:0]  fault_memory,
	input  logic [31:0] live,       /* warps of `sm` */

	output logic        sw_start,
	output logic        sw_save,
	output logic [3:0]  sw_save_sm,
	output logic [31:0] sw_save_warps,
	output logic        sw_load,
	output logic [3:0]  sw_load_sm,
	output logic [31:0] sw_load_warps,
	input  logic        sw_busy,

	output logic [47:0] count_turns,
	output logic [47:0] count_simulating,
	output logic [47:0] count_wait_switch
);
	localparam logic [3:0] IDLE = 4'd0;
	localparam logic [3:0] CLEAR = 4'd1;
	localparam logic [3:0] GIVE = 4'd2;    /* a first block to `sm` */
	localparam logic [3:0] GIVEN = 4'd3;
	localparam logic [3:0] ROUND = 4'd4;   /* everyone's turn begins */
	localparam logic [3:0] FIND = 4'd5;    /* its registers */
	localparam logic [3:0] LOAD = 4'd6;    /* its times */
	localparam logic [3:0] TURN = 4'd7;
	localparam logic [3:0] AFTER = 4'd8;   /* who is next? */
	localparam logic [3:0] LAST = 4'd9;    /* the last exchange ends */

	logic [3:0]  state;
	logic        gave, clear_was;

	/* The lowest one. */
	function automatic logic [3:0] lowest(input logic [15:0] set);
		lowest = 4'd0;
		for (int i = 15; i >= 0; i--)
			if (set[i])
				lowest = 4'(i);
	endfunction

	/* ---- who has work --------------------------------------------------------- */

	logic [15:0] alive;     /* it has warps */
	logic [15:0] exists, work, later, others;
	logic [3:0]  after_sm;

	always_comb begin
		exists = ~(16'hffff << cfg_sms);
		work = left ? exists : alive;
		later = work & (16'hfffe << sm);
		/* After this turn; it may turn out to be another one. */
		others = work & ~(16'd1 << sm);
		after_sm = lowest(later != 16'b0 ? later : others);
	end

	/* ---- whose registers are where ----------------------------------------------- */

	logic [31:0] kept_of [0:15]; /* warps with registers, at the end of a turn */
	logic [15:0] ran;            /* it has had a turn */
	logic [1:0]  owned, changed; /* by file */
	logic [3:0]  owner [0:1];
	logic [3:0]  old_sm, want_sm;
	logic [31:0] old_warps, want_warps;
	logic        old_saves, here, there, prefetch, exchange;
	logic        asked;          /* for the next one, in this turn */

	always_comb begin
		here = owned[file] && owner[file] == sm;
		there = owned[!file] && owner[!file] == sm;
		/* When a turn begins, for the one after it; or at once. */
		prefetch = state == TURN && !sw_busy && !sw_start &&
			   others != 16'b0 && !asked;
		exchange = state == FIND && !sw_busy && !sw_start && !here &&
			   !there;
		want_sm = state == TURN ? after_sm : sm;
		old_sm = owner[!file];
		want_warps = ran[want_sm] ? kept_of[want_sm] : 32'b0;
		old_warps = ran[old_sm] ? kept_of[old_sm] : 32'b0;
		old_saves = owned[!file] && changed[!file];
	end

	always_ff @(posedge clk) begin
		sw_start <= 1'b0;
		if ((exchange || prefetch) &&
		    !(owned[!file] && old_sm == want_sm)) begin
			sw_save <= old_saves && old_warps != 32'b0;
			sw_save_sm <= old_sm;
			sw_save_warps <= old_warps;
			sw_load <= want_warps != 32'b0;
			sw_load_sm <= want_sm;
			sw_load_warps <= want_warps;
			sw_start <= (old_saves && old_warps != 32'b0) ||
				    want_warps != 32'b0;
			owned[!file] <= 1'b1;
			owner[!file] <= want_sm;
			changed[!file] <= 1'b0;
		end
		if (state == TURN)
			changed[file] <= 1'b1;
		if (prefetch)
			asked <= 1'b1;
		if (state == FIND)
			asked <= 1'b0;
		if (state == FIND && !here && there && !sw_busy && !sw_start)
			file <= !file;
		if (state == TURN && done)
			kept_of[sm] <= live;
		if (reset || clear) begin
			owned <= 2'b0;
			changed <= 2'b0;
			sw_start <= 1'b0;
			file <= 1'b0;
		end
	end

	/* ---- steps ---------------------------------------------------------------------- */

	logic        limited, halting;
	logic [39:0] rest;

	assign limited = cfg_max_cycles != 40'd0;
	assign rest = cfg_max_cycles - from;
	assign busy = state != IDLE;
	assign halts = halting;
	assign refill = state == GIVE;
	assign clear = state == CLEAR && !clear_was;

	always_ff @(posedge clk) begin
		clear_was <= state == CLEAR;
		load_sm <= 1'b0;
		go <= 1'b0;
		if (halt)
			halting <= 1'b1;
		case (state)
		IDLE: if (run) begin
			state <= CLEAR;
			finished <= 1'b0;
			halting <= 1'b0;
			fault_kind <= fl_pkg::FAULT_NONE;
			sm <= 4'd0;
			alive <= 16'b0;
			ran <= 16'b0;
			from <= 40'd0;
			gave <= 1'b0;
		end
		CLEAR: if (clear_was && cleared)
			state <= GIVE;
		GIVE: state <= GIVEN;
		/* Until nobody has got one. */
		GIVEN: if (done) begin
			state <= GIVE;
			sm <= sm + 4'd1;
			gave <= gave || took;
			if (took)
				alive[sm] <= 1'b1;
			if ({1'b0, sm} + 5'd1 == cfg_sms) begin
				sm <= 4'd0;
				gave <= 1'b0;
				if (!left || !(gave || took))
					state <= ROUND;
			end
		end
		ROUND: begin
			sm <= lowest(work);
			to <= limited && rest < {8'b0, cfg_slice} ?
			      cfg_max_cycles : from + {8'b0, cfg_slice};
			state <= FIND;
			if (work == 16'b0 || halting ||
			    (limited && from == cfg_max_cycles)) begin
				state <= LAST;
				if (work != 16'b0)
					fault_kind <= halting ?
						      fl_pkg::FAULT_STOPPED :
						      fl_pkg::FAULT_LIMIT;
			end
		end
		FIND: if (here) begin
			load_sm <= 1'b1;
			state <= LOAD;
		end
		LOAD: if (!load_sm && loaded) begin
			go <= 1'b1;
			state <= TURN;
		end
		TURN: if (done) begin
			ran[sm] <= 1'b1;
			alive[sm] <= live != 32'b0;
			state <= AFTER;
			if (faulted) begin
				state <= LAST;
				fault_kind <= trapped ? fl_pkg::FAULT_TRAP :
					      {1'b0, fault_memory};
			end
		end
		AFTER: begin
			state <= FIND;
			sm <= lowest(later);
			if (later == 16'b0 || halting) begin
				from <= to;
				state <= ROUND;
			end
		end
		LAST: if (!sw_busy && !sw_start) begin
			state <= IDLE;
			finished <= 1'b1;
		end
		default: state <= IDLE;
		endcase
		if (reset) begin
			state <= IDLE;
			finished <= 1'b0;
		end
	end

	always_ff @(posedge clk) begin
		count_turns <= count_turns + 48'(go);
		count_simulating <= count_simulating + 48'(state == TURN);
		count_wait_switch <= count_wait_switch +
				     48'(state == FIND && !here);
		if (reset || clear) begin
			count_turns <= 48'd0;
			count_simulating <= 48'd0;
			count_wait_switch <= 48'd0;
		end
	end
endmodule
