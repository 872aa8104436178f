/*
 * When results are due: the timing model of memory and of the units, as docs/fastlanes.md
 * states it under "Cycles".
 *
 * A multiprocessor has a FIFO of results for each unit of the SIMD, and for its loads one for
 * each way of a request (L1, L2, shared, global) and one for loads without segments. All
 * that enters a FIFO stays for the same latency, so its entries are due in order. A load
 * enters the FIFO of the way on which its last segment comes back. The pool of loads is
 * their number.
 *
 * `put` and `put_mem` tell of an instruction that issues in the target cycle `now`; what they
 * change is seen in the next host cycle. A memory instruction is `resolved` when its
 * segments, which fl_lsu finds, are looked up: until then `now` must stay before `hold_at`.
 * The outputs about `now`, the completions among them, depend on it without
 * a register. Completions come one each host cycle; `comp_none` says that nothing that is due
 * is left. `now` must not pass `next_event` while the multiprocessor has warps: of due times, the
 * FIFOs keep the lowest 10 or 18 bits.
 *
 * A warp that ends may have results under way, which the next warp in its place must
 * not see: `new_warp` counts a warp's number on, and a completion of another number comes
 * without register and predicate. 2^8 and 2^16 numbers are more than the warps that can
 * start in a place while a result or a load is under way.
 *
 * A segment takes a host cycle, two if its set is that of the segment before. `load_sm`
 * exchanges the state of one multiprocessor for that of another in three cycles, `clear` empties
 * everything in 2048.
 */
module fl_time (
	input  logic        clk,
	input  logic        reset,

	input  logic [5:0]  cfg_lsu_cycles,
	input  logic [39:0] cfg_latency,      /* 8 bits for each unit */
	input  logic [39:0] cfg_interval,
	input  logic [63:0] cfg_way_latency,  /* 16 bits for each way */
	input  logic [3:0]  cfg_l1_sets_log2,
	input  logic [2:0]  cfg_l1_ways,
	input  logic [3:0]  cfg_l2_sets_log2,
	input  logic [3:0]  cfg_l2_ways,

	input  logic        clear,
	output logic        cleared,
	input  logic [3:0]  sm,
	input  logic        load_sm,
	output logic        loaded,
	input  logic [39:0] now,
	input  logic        new_warp,         /* not together with a put */
	input  logic [4:0]  new_warp_id,

	input  logic        put,
	input  logic [2:0]  put_unit,
	input  logic [4:0]  put_warp,
	input  logic        put_reg_valid,
	input  logic [4:0]  put_reg,
	input  logic        put_pred_valid,
	input  logic [2:0]  put_pred,
	input  logic        put_mem,
	input  logic        put_load,
	input  logic        put_shared,

	input  logic        seg_valid,
	output logic        seg_ready,
	input  logic [21:0] seg_line,
	input  logic        seg_end,          /* after the last segment */
	input  logic [5:0]  seg_shared_count,

	output logic        simd_is_free,
	output logic        lsu_is_free,
	output logic        pool_has_room,
	output logic        resolved,
	output logic [39:0] hold_at,
	output logic [39:0] next_event,       /* all ones: none */

	output logic        comp_valid,
	input  logic        comp_take,
	output logic [4:0]  comp_warp,
	output logic        comp_reg_valid,
	output logic [4:0]  comp_reg,
	output logic        comp_pred_valid,
	output logic [2:0]  comp_pred,
	output logic        comp_none,

	output logic [47:0] stat_loads,
	output logic [47:0] stat_stores,
	output logic [47:0] stat_segments,
	output logic [47:0] stat_shared_accesses,
	output logic [47:0] stat_shared_segments,
	output logic [47:0] stat_l1_hits,
	output logic [47:0] stat_l1_misses,
	output logic [47:0] stat_l2_hits,
	output logic [47:0] stat_l2_misses
);
	localparam int UNITS = 5;
	localparam int WAYS = 5;          /* the last one: without segments */
	localparam int FIFOS = UNITS + WAYS;
	localparam logic [2:0] WAY_L1 = 3'd0;
	localparam logic [2:0] WAY_L2 = 3'd1;
	localparam logic [2:0] WAY_SHARED = 3'd2;
	localparam logic [2:0] WAY_GLOBAL = 3'd3;
	localparam logic [2:0] WAY_NONE = 3'd4;
	localparam logic [6:0] POOL = 7'd64;

	localparam int UNIT_BITS = 8;     /* of places in a FIFO */
	localparam int WAY_BITS = 6;
	localparam int UNIT_DUE = 10;     /* bits of a due time */
	localparam int WAY_DUE = 18;
	localparam int RESULT = 15;       /* bits: warp, register, predicate */
	localparam int UNIT_ENTRY = UNIT_DUE + 8 + RESULT;
	localparam int WAY_ENTRY = WAY_DUE + 16 + 10;
	localparam int UNIT_PLACES = 2 * UNIT_BITS + 2;
	localparam int WAY_PLACES = 2 * WAY_BITS + 2;
	localparam int PLACES = UNITS * UNIT_PLACES + WAYS * WAY_PLACES;

	/* ---- the state of a multiprocessor ----------------------------------------- */

	logic [39:0] simd_free, lsu_free, segments_free;
	logic [6:0]  pool; /* loads under way */
	logic [PLACES-1:0] places, kept_places;

	localparam int STATE = 3 * 40 + 7 + PLACES;

	logic [STATE-1:0] kept [0:15];
	logic [STATE-1:0] from;
	logic [3:0]       active;
	logic             loading, reading, clearing;
	logic [10:0]      clear_at;

	assign from = kept[active];
	assign kept_places = clearing ? '0 : from[PLACES-1:0];
	assign loaded = !load_sm && !loading && !reading;
	assign cleared = !clear && !clearing;

	always_ff @(posedge clk) begin
		if (clearing)
			kept[clear_at[3:0]] <= '0;
		else if (load_sm)
			kept[active] <= {simd_free, lsu_free, segments_free,
					 pool, places};
		loading <= load_sm;
		reading <= loading;
		if (load_sm)
			active <= sm;
		if (clear)
			{clearing, clear_at} <= {1'b1, 11'd0};
		else if (clearing)
			{clearing, clear_at} <= {clear_at != 11'h7ff,
						 clear_at + 11'd1};
		if (reset)
			{loading, reading, clearing, active} <= '0;
	end

	/* ---- numbers of warps ------------------------------------------------------- */

	logic [15:0] number_of [0:511];
	logic [15:0] put_number, comp_number;
	logic [8:0]  put_place;

	assign put_place = {active, new_warp ? new_warp_id : put_warp};
	assign put_number = number_of[put_place];
	assign comp_number = number_of[{active, comp_warp}];

	always_ff @(posedge clk)
		if (new_warp)
			number_of[put_place] <= put_number + 16'd1;

	/* ---- a memory instruction ---------------------------------------------------- */

	logic [39:0] addressed, first;   /* of the new one; of that under way */
	logic        is_load, is_shared, first_is_best, ends;
	logic [5:0]  index, last, shared_count, count;
	logic [16:0] best, back;         /* after `first`: when all are back */
	logic [2:0]  best_way, way;
	logic [25:0] loads_to;           /* number, warp, register */

	always_comb begin
		addressed = now + 40'(cfg_lsu_cycles);
		if (addressed < segments_free)
			addressed = segments_free;
		count = is_shared ? shared_count : index;
	end

	assign hold_at = first;

	/* ---- tags ---------------------------------------------------------------------- */

	logic        looks;
	logic [21:0] line;
	logic        l1_hit, l2_hit, looks_l2, same_set;
	logic [6:0]  l1_mask, l1_set, l1_next;
	logic [9:0]  l2_mask, l2_set, l2_next;

	always_comb begin
		l1_mask = ~(7'h7f << cfg_l1_sets_log2);
		l2_mask = ~(10'h3ff << cfg_l2_sets_log2);
		l1_next = seg_line[6:0] & l1_mask;
		l2_next = seg_line[9:0] & l2_mask;
		l1_set = line[6:0] & l1_mask;
		l2_set = line[9:0] & l2_mask;
		same_set = l1_next == l1_set || l2_next == l2_set;
		seg_ready = !(looks && same_set);
		looks_l2 = !(is_load && l1_hit);
		way = !looks_l2 ? WAY_L1 : l2_hit ? WAY_L2 : WAY_GLOBAL;
		if (is_shared)
			way = WAY_SHARED;
		last = is_shared ? shared_count - 6'd1 : index;
		back = 17'(cfg_way_latency[{way[1:0], 4'b0} +: 16]) + 17'(last);
	end

	fl_tags #(.WAYS(4), .BITS(11)) l1 (
		.clk, .ways({1'b0, cfg_l1_ways}), .clear(clearing),
		.read_at({active, l1_next}), .touch(looks), .fill(is_load),
		.at(clearing ? clear_at : {active, l1_set}), .line,
		.hit(l1_hit)
	);
	fl_tags #(.WAYS(8), .BITS(10)) l2 (
		.clk, .ways(cfg_l2_ways), .clear(clearing), .read_at(l2_next),
		.touch(looks && looks_l2), .fill(1'b1),
		.at(clearing ? clear_at[9:0] : l2_set), .line, .hit(l2_hit)
	);

	always_ff @(posedge clk) begin
		looks <= seg_valid && seg_ready && !reset;
		if (seg_valid && seg_ready)
			line <= seg_line;
		ends <= seg_end && !reset;
		shared_count <= seg_shared_count;
		if (put_mem) begin
			first <= addressed;
			{is_load, is_shared} <= {put_load, put_shared};
			loads_to <= {put_number, put_warp, put_reg};
			{index, best, best_way, resolved} <= '0;
			first_is_best <= 1'b1;
		end
		if (looks) begin
			index <= index + 6'd1;
			first_is_best <= 1'b0;
			if (first_is_best || back > best)
				{best, best_way} <= {back, way};
		end
		if (ends)
			resolved <= 1'b1;
		if (reset || clear)
			resolved <= 1'b1;
	end

	/* ---- FIFOs ----------------------------------------------------------------------- */

	logic [UNITS*UNIT_ENTRY-1:0] unit_heads;
	logic [WAYS*WAY_ENTRY-1:0]   way_heads;
	logic [FIFOS-1:0]            valid, due, first_due;
	logic [UNIT_ENTRY-1:0]       unit_entry;
	logic [WAY_ENTRY-1:0]        way_entry;
	logic [2:0]                  load_way;
	logic [16:0]                 load_back;

	always_comb begin
		unit_entry = {now[UNIT_DUE-1:0] +
			      UNIT_DUE'(cfg_latency[{put_unit, 3'b0} +: 8]),
			      put_number[7:0], put_warp, put_reg_valid, put_reg,
			      put_pred_valid, put_pred};
		load_way = best_way;
		load_back = best;
		if (is_shared)
			{load_way, load_back} = {WAY_SHARED, back};
		if (count == 6'd0)
			{load_way, load_back} = {WAY_NONE, 17'd0};
		way_entry = {first[WAY_DUE-1:0] + WAY_DUE'(load_back), loads_to};
	end

	for (genvar i = 0; i < UNITS; i++) begin : unit
		fl_fifo #(.BITS(UNIT_BITS), .WIDTH(UNIT_ENTRY)) fifo (
			.clk, .sm(active), .load(loading || clearing),
			.load_places(kept_places[i*UNIT_PLACES +: UNIT_PLACES]),
			.places(places[i*UNIT_PLACES +: UNIT_PLACES]),
			.push(put && put_unit == 3'(i) &&
			      (put_reg_valid || put_pred_valid)),
			.entry(unit_entry), .valid(valid[i]),
			.head(unit_heads[i*UNIT_ENTRY +: UNIT_ENTRY]),
			.pop(comp_take && first_due[i])
		);
	end
	for (genvar i = 0; i < WAYS; i++) begin : load
		localparam int AT = UNITS * UNIT_PLACES + i * WAY_PLACES;

		fl_fifo #(.BITS(WAY_BITS), .WIDTH(WAY_ENTRY)) fifo (
			.clk, .sm(active), .load(loading || clearing),
			.load_places(kept_places[AT +: WAY_PLACES]),
			.places(places[AT +: WAY_PLACES]),
			.push(ends && is_load && load_way == 3'(i)),
			.entry(way_entry), .valid(valid[UNITS + i]),
			.head(way_heads[i*WAY_ENTRY +: WAY_ENTRY]),
			.pop(comp_take && first_due[UNITS + i])
		);
	end

	/* ---- what is due ----------------------------------------------------------------- */

	logic [UNITS*UNIT_DUE-1:0] unit_left; /* cycles until it is due */
	logic [WAYS*WAY_DUE-1:0]   way_left;

	always_comb begin
		for (int i = 0; i < UNITS; i++) begin
			unit_left[i*UNIT_DUE +: UNIT_DUE] =
				unit_heads[i*UNIT_ENTRY + UNIT_ENTRY - UNIT_DUE +:
					   UNIT_DUE] - now[UNIT_DUE-1:0];
			due[i] = valid[i] &&
				 (unit_left[i*UNIT_DUE +: UNIT_DUE] == '0 ||
				  unit_left[i*UNIT_DUE + UNIT_DUE - 1]);
		end
		for (int i = 0; i < WAYS; i++) begin
			way_left[i*WAY_DUE +: WAY_DUE] =
				way_heads[i*WAY_ENTRY + WAY_ENTRY - WAY_DUE +:
					  WAY_DUE] - now[WAY_DUE-1:0];
			due[UNITS + i] = valid[UNITS + i] &&
				(way_left[i*WAY_DUE +: WAY_DUE] == '0 ||
				 way_left[i*WAY_DUE + WAY_DUE - 1]);
		end
		first_due = due & (~due + FIFOS'(1));
		comp_valid = due != '0;
		comp_none = !comp_valid;
	end

	logic [15:0] number;
	logic        of_unit;
	logic [RESULT-1:0] result;

	always_comb begin
		{number, result} = '0;
		for (int i = 0; i < UNITS; i++)
			{number, result} = {number, result} |
				({8'b0, unit_heads[i*UNIT_ENTRY +: 8 + RESULT]} &
				 {(16 + RESULT){first_due[i]}});
		for (int i = 0; i < WAYS; i++)
			{number, result} = {number, result} |
				({way_heads[i*WAY_ENTRY + 5 +: 16 + 5], 1'b1,
				  way_heads[i*WAY_ENTRY +: 5], 4'b0} &
				 {(16 + RESULT){first_due[UNITS + i]}});
		of_unit = first_due[UNITS-1:0] != '0;
		comp_warp = result[RESULT-1 -: 5];
		comp_reg = result[8:4];
		comp_pred = result[2:0];
	end

	logic        same_warp;

	always_comb begin
		same_warp = number[7:0] == comp_number[7:0] &&
			    (of_unit || number[15:8] == comp_number[15:8]);
		comp_reg_valid = comp_valid && same_warp && result[9];
		comp_pred_valid = comp_valid && same_warp && result[3];
	end

	/* ---- the next event ---------------------------------------------------------------- */

	logic [WAY_DUE-1:0] soonest, simd_left, lsu_left;

	function automatic logic [WAY_DUE-1:0] sooner(
		input logic [WAY_DUE-1:0] a, input logic holds,
		input logic [WAY_DUE-1:0] b);
		sooner = holds && b < a ? b : a;
	endfunction

	always_comb begin
		simd_is_free = simd_free <= now;
		lsu_is_free = lsu_free <= now;
		pool_has_room = pool != POOL;
		simd_left = simd_free[WAY_DUE-1:0] - now[WAY_DUE-1:0];
		lsu_left = lsu_free[WAY_DUE-1:0] - now[WAY_DUE-1:0];
		soonest = '1;
		for (int i = 0; i < UNITS; i++)
			soonest = sooner(soonest, valid[i] && !due[i],
				WAY_DUE'(unit_left[i*UNIT_DUE +: UNIT_DUE]));
		for (int i = 0; i < WAYS; i++)
			soonest = sooner(soonest, valid[UNITS + i] && !due[UNITS + i],
					 way_left[i*WAY_DUE +: WAY_DUE]);
		soonest = sooner(soonest, !simd_is_free, simd_left);
		soonest = sooner(soonest, !lsu_is_free, lsu_left);
		next_event = soonest == '1 ? '1 : now + 40'(soonest);
	end

	always_ff @(posedge clk) begin
		if (put)
			simd_free <= now +
				     40'(cfg_interval[{put_unit, 3'b0} +: 8]);
		if (put_mem)
			lsu_free <= addressed;
		if (ends)
			segments_free <= first + 40'(count);
		pool <= pool + 7'(put_mem && put_load) -
			7'(comp_take && comp_valid && !of_unit);
		if (loading)
			{simd_free, lsu_free, segments_free, pool} <=
				from[STATE-1:PLACES];
		if (clearing)
			{simd_free, lsu_free, segments_free, pool} <= '0;
	end

	/* ---- statistics ---------------------------------------------------------------------- */

	always_ff @(posedge clk) begin
		if (ends && is_shared) begin
			stat_shared_accesses <= stat_shared_accesses + 48'd1;
			stat_shared_segments <= stat_shared_segments +
						48'(count);
		end
		if (ends && !is_shared) begin
			stat_loads <= stat_loads + 48'(is_load);
			stat_stores <= stat_stores + 48'(!is_load);
			stat_segments <= stat_segments + 48'(count);
		end
		if (looks && is_load) begin
			stat_l1_hits <= stat_l1_hits + 48'(l1_hit);
			stat_l1_misses <= stat_l1_misses + 48'(!l1_hit);
		end
		if (looks && looks_l2) begin
			stat_l2_hits <= stat_l2_hits + 48'(l2_hit);
			stat_l2_misses <= stat_l2_misses + 48'(!l2_hit);
		end
		if (clearing) begin
			stat_loads <= '0;
			stat_stores <= '0;
			stat_segments <= '0;
			stat_shared_accesses <= '0;
			stat_shared_segments <= '0;
			stat_l1_hits <= '0;
			stat_l1_misses <= '0;
			stat_l2_hits <= '0;
			stat_l2_misses <= '0;
		end
	end
endmodule
