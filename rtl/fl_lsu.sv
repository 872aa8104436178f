/*
 * Loads and stores: six LD/ST units, coalescing, bank conflicts, the shared memory of all
 * multiprocessors, and the way to external memory.
 *
 * While `l_ready`, a memory instruction may start in fl_exec; in a cycle after that, `m_start`
 * brings it with the registers a and c of its 32 lanes. l_sm and l_shared_base, where the block's
 * shared memory begins (a multiple of 4), are those of m_start. Lanes go through the units in
 * groups of six; a group without lanes is left out. Then
 *
 *   in global and local memory, one line of 128 bytes a cycle goes to fl_time, in the order of
 *       the lowest lane of each, and that of a load to external memory, without waiting for
 *       those before it. What comes back, or is written, goes through the units again:
 *       for each line, the groups that have lanes in it. While lines of up to four loads are
 *       awaited, other instructions can start; the lines of a load are taken when the units
 *       are not busy with shared memory or a store.
 *   in shared memory, a group accesses the banks in the cycle after its addresses, and again for
 *       lanes whose bank had to do something else; of stores to the same word, one after
 *       the other. Without conflicts their number is known then; with any, the different
 *       words are counted: for each row of 128 bytes, the groups that have lanes in it.
 *
 * `seg_end` follows the last segment, at least a cycle later. In shared memory, seg_shared_count
 * is 1 from the cycle after m_start on if there are lanes, and the true number at the end. `done` tells that the
 * registers are written, or the memory. If all lanes execute and nothing has to wait, that is
 * 10 cycles after m_start for a load from shared memory, and 9 for a store; 17 for a store to
 * one line of global memory, and 19 and the time of external memory for a load.
 *
 * A lane whose address is outside of its space or misaligned is a fault: the lowest lane of
 * them is told, and nothing else happens.
 *
 * `clear` zeroes all shared memory, `zero` that of the block at l_sm and l_shared_base, a
 * row of 128 bytes a cycle; l_ready is 0 meanwhile.
 */
module fl_lsu (
	input  logic          clk,
	input  logic          reset,

	input  logic [5:0]    cfg_warps,
	input  logic [14:0]   cfg_block_shared,
	input  logic [28:0]   cfg_local_base,
	input  logic [15:0]   cfg_local_words,

	input  logic          clear,
	input  logic          zero,
	output logic          l_ready,
	input  logic [3:0]    l_sm,
	input  logic [14:0]   l_shared_base,

	input  logic          m_start,
	input  logic [4:0]    m_warp,
	input  logic [63:0]   m_word,
	input  logic [31:0]   m_lanes,
	input  logic [1023:0] m_a,
	input  logic [1023:0] m_c,

	output logic          done,
	output logic [4:0]    done_warp,
	output logic          fault_valid,
	output logic [1:0]    fault_kind,    /* 1: outside, 2: misaligned */
	output logic [4:0]    fault_lane,
	output logic [31:0]   fault_address,

	output logic          seg_valid,
	input  logic          seg_ready,
	output logic [21:0]   seg_line,
	output logic          seg_end,
	output logic [5:0]    seg_shared_count,

	output logic          req_valid,
	input  logic          req_ready,
	output logic          req_write,
	output logic [22:0]   req_line,
	output logic [127:0]  req_bytes,
	output logic [1023:0] req_data,
	input  logic          resp_valid,
	input  logic [1023:0] resp_data,

	output logic          x_start,
	input  logic          x_ready,
	output logic [4:0]    x_warp,
	output logic [4:0]    x_reg,
	output logic [31:0]   x_lanes,
	output logic [1023:0] x_data
);
	localparam int N = 6; /* LD/ST units */

	/* ---- the instruction ------------------------------------------------------- */

	logic          busy;       /* all of it is not done yet */
	logic [63:0]   word;
	logic [31:0]   lanes;
	logic [1023:0] a, c;
	logic [4:0]    warp;
	logic [3:0]    sm;
	logic [11:0]   shared_word;
	logic [8:0]    slot;
	logic [21:0]   local_line;

	logic          is_load, is_shared, is_local;
	logic [2:0]    width;

	always_comb begin
		case (word[6:0])
		fl_pkg::OP_LDG: {is_load, is_shared, is_local} = 3'b100;
		fl_pkg::OP_LDS: {is_load, is_shared, is_local} = 3'b110;
		fl_pkg::OP_STS: {is_load, is_shared, is_local} = 3'b010;
		fl_pkg::OP_LDL: {is_load, is_shared, is_local} = 3'b101;
		fl_pkg::OP_STL: {is_load, is_shared, is_local} = 3'b001;
		default: {is_load, is_shared, is_local} = 3'b000;
		endcase
		width = word[28:26];
	end

	always_ff @(posedge clk) begin
		if (m_start) begin
			{word, lanes, warp, sm} <= {m_word, m_lanes, m_warp, l_sm};
			{a, c} <= {m_a, m_c};
			slot <= 9'(l_sm) * 9'(cfg_warps) + 9'(m_warp);
			shared_word <= l_shared_base[13:2];
		end
		local_line <= cfg_local_base[28:7] + 22'(slot) * 22'(cfg_local_words);
	end

	/* ---- zeroing ------------------------------------------------------------------ */

	logic        zeroes, zeroes_all;
	logic [10:0] zero_row, zero_last;
	logic [12:0] zero_first, zero_end; /* words of the multiprocessor */
	logic [31:0] zero_words;

	always_ff @(posedge clk) begin
		if (clear || zero) begin
			{zeroes, zeroes_all} <= {1'b1, clear};
			zero_first <= l_shared_base[14:2];
			zero_end <= l_shared_base[14:2] +
				    13'((cfg_block_shared + 15'd3) >> 2);
			zero_row <= clear ? 11'd0 : {l_sm, l_shared_base[13:7]};
			zero_last <= clear ? 11'h7ff : {l_sm, 7'h7f};
		end else if (zeroes) begin
			zero_row <= zero_row + 11'd1;
			if (zero_row == zero_last ||
			    (!zeroes_all && {1'b0, zero_row[6:0], 5'd31} >= zero_end))
				zeroes <= 1'b0;
		end
		if (reset)
			zeroes <= 1'b0;
	end

	always_comb
		for (int w = 0; w < 32; w++)
			zero_words[w] = zeroes && (zeroes_all ||
				({1'b0, zero_row[6:0], 5'(w)} >= zero_first &&
				 {1'b0, zero_row[6:0], 5'(w)} < zero_end));

	/* ---- groups -------------------------------------------------------------------- */

	/* The first group that has lanes of these, and the lanes of a group. */
	function automatic logic [2:0] first_group(input logic [31:0] of);
		first_group = 3'd5;
		for (int g = 4; g >= 0; g--)
			if (of[6*g +: 6] != 6'b0)
				first_group = 3'(g);
	endfunction

	function automatic logic [31:0] lanes_of(input logic [2:0] group);
		for (int l = 0; l < 32; l++)
			lanes_of[l] = group == 3'(l / 6);
	endfunction

	function automatic logic [5:0] six(input logic [31:0] of,
					   input logic [2:0] group);
		six = 6'b0;
		for (int g = 0; g < 6; g++)
			if (group == 3'(g))
				six = 6'(36'(of) >> (6 * g));
	endfunction

	/* ---- addresses ------------------------------------------------------------------- */

	logic         addresses, prepares, ad_go, ad_last;
	logic [31:0]  ad_left;        /* lanes without an address yet */
	logic [2:0]   ad_group;
	logic [5:0]   ad_valid, outside, misaligned, faults;
	logic [191:0] ats;
	logic [131:0] keys;
	logic [29:0]  banks;
	logic [11:0]  byte_ats;
	logic [31:0]  size, limit;
	logic [2:0]   bytes;
	logic         none_inside;

	always_comb begin
		case ({2'b0, width})
		fl_pkg::MOD_MEM_U8, fl_pkg::MOD_MEM_S8: bytes = 3'd1;
		fl_pkg::MOD_MEM_U16, fl_pkg::MOD_MEM_S16: bytes = 3'd2;
		default: bytes = 3'd4;
		endcase
		size = 32'h20000000;
		if (is_local)
			size = {14'b0, cfg_local_words, 2'b0};
		if (is_shared)
			size = 32'(cfg_block_shared);
		limit = size - 32'(bytes);
		none_inside = size < 32'(bytes);
		ad_group = first_group(ad_left);
		ad_valid = six(ad_left, ad_group);
		ad_last = (ad_left & ~lanes_of(ad_group)) == 32'b0;
	end

	assign faults = ad_valid & (outside | misaligned);

	for (genvar i = 0; i < N; i++) begin : unit
		logic [31:0] own;

		always_comb begin
			case (ad_group)
			3'd0: own = a[32*i +: 32];
			3'd1: own = a[32*(i + 6) +: 32];
			3'd2: own = a[32*(i + 12) +: 32];
			3'd3: own = a[32*(i + 18) +: 32];
			3'd4: own = a[32*(i + 24) +: 32];
			default: own = a[32*(i % 2 + 30) +: 32];
			endcase
		end
		fl_address address (
			.a(own), .b(word[63:32]), .absolute(word[30]),
			.shared(is_shared), .local_space(is_local), .limit,
			.none_inside, .align(2'(bytes - 3'd1)), .local_line,
			.shared_word, .lane(5'(ad_group) * 5'd6 + 5'(i)),
			.at(ats[32*i +: 32]), .outside(outside[i]),
			.misaligned(misaligned[i]), .key(keys[22*i +: 22]),
			.bank(banks[5*i +: 5]), .byte_at(byte_ats[2*i +: 2])
		);
	end

	/* Of shared memory, a group goes on only if the one before it is through. */
	logic        u_room, returns;

	assign ad_go = addresses && !prepares && (!is_shared || u_room) &&
		       (!returns || (is_load && !is_shared));

	always_ff @(posedge clk) begin
		prepares <= 1'b0;
		if (m_start) begin
			addresses <= m_lanes != 32'b0;
			/* The place of local memory takes a cycle more. */
			prepares <= m_word[6:0] == fl_pkg::OP_LDL ||
				    m_word[6:0] == fl_pkg::OP_STL;
			ad_left <= m_lanes;
		end else if (ad_go) begin
			ad_left <= ad_left & ~lanes_of(ad_group);
			if (ad_last || faults != 6'b0)
				addresses <= 1'b0;
		end
		if (reset || clear)
			addresses <= 1'b0;
	end

	/* ---- faults ------------------------------------------------------------------------ */

	always_ff @(posedge clk) begin
		fault_valid <= ad_go && faults != 6'b0 && !reset;
		for (int i = N - 1; i >= 0; i--)
			if (faults[i]) begin
				fault_kind <= outside[i] ? 2'd1 : 2'd2;
				fault_lane <= 5'(ad_group) * 5'd6 + 5'(i);
				fault_address <= ats[32*i +: 32];
			end
	end

	/* ---- segments ------------------------------------------------------------------------ */

	logic        co_start, co_valid, co_last, co_step, conflict;
	logic [21:0] co_key;
	logic [31:0] co_members;

	fl_segments segments (
		.clk, .reset(reset || clear), .write(ad_go), .group(ad_group),
		.keys, .start(co_start), .lanes, .valid(co_valid),
		.last(co_last), .key(co_key), .members(co_members),
		.step(co_step)
	);

	logic        u_empty, counted, counts;
	logic        asks;          /* for a line of global memory */
	logic        lines_room;

	always_comb begin
		co_start = ad_go && ad_last && faults == 6'b0 && !is_shared;
		if (counts && conflict)
			co_start = finished;
		asks = co_valid && !is_shared && (!is_load || lines_room);
		seg_line = co_key;
		seg_valid = asks && (!is_load || req_ready);
		co_step = is_shared ? da_go && da_last :
			  asks && seg_ready && (!is_load || req_ready);
	end

	/* Lines that are stored, and the lanes that are in them. */
	logic [53:0] lines [0:31];
	logic [5:0]  lines_end;

	always_ff @(posedge clk) begin
		if (asks && co_step)
			lines[lines_end[4:0]] <= {co_key, co_members};
		if (m_start || clear)
			lines_end <= 6'd0;
		else if (asks && co_step && !is_load)
			lines_end <= lines_end + 6'd1;
	end

	/* Without conflicts, shared memory is known when the last group is through; else,
	 * when the data is moved, rows are counted as lines are: a bank that is taken in a
	 * row has one more word. */
	logic         ended_co, finished;
	logic [31:0]  taken, in_row, adds, full;
	logic [191:0] words_of;
	logic [5:0]   most;
	logic         u_counts, u_first, last_count;

	always_comb begin
		counts = busy && is_shared && !addresses && u_empty &&
			 !counted && !co_valid && !last_count;
		ended_co = co_valid && co_last && co_step;
		adds = taken & ~(u_first ? 32'b0 : in_row);
		for (int b = 0; b < 32; b++)
			full[b] = words_of[6*b +: 6] == most;
	end

	always_ff @(posedge clk) begin
		seg_end <= 1'b0;
		last_count <= ended_co && is_shared;
		if (u_counts) begin
			in_row <= adds | (u_first ? 32'b0 : in_row);
			most <= most + 6'((adds & full) != 32'b0);
			for (int b = 0; b < 32; b++)
				words_of[6*b +: 6] <= words_of[6*b +: 6] +
						      6'(adds[b]);
		end
		if (seg_end)
			seg_shared_count <= 6'd0;
		if ((ended_co && !is_shared) || last_count ||
		    (counts && !conflict)) begin
			{seg_end, counted} <= 2'b11;
			if (last_count)
				seg_shared_count <= most +
					6'((adds & full) != 32'b0);
		end
		if (m_start) begin
			words_of <= '0;
			most <= '0;
			counted <= m_lanes == 32'b0;
			seg_end <= m_lanes == 32'b0;
			/* At least one, but for the end. */
			seg_shared_count <= 6'(m_lanes != 32'b0 &&
				(m_word[6:0] == fl_pkg::OP_LDS ||
				 m_word[6:0] == fl_pkg::OP_STS));
		end
		if (reset || clear)
			{seg_end, last_count} <= '0;
	end

	/* ---- loads that wait for lines ------------------------------------------------------ */

	/* Lines of loads: the lanes that are in them, and what came back. */
	logic [31:0]   asked [0:63];
	(* ram_style = "block" *) logic [1023:0] back [0:63];
	logic [1023:0] back_line, shared_line, line;
	logic [6:0]    asked_end, back_end, back_at;
	logic          forgets;
	logic [5:0]    u_line;

	assign lines_room = asked_end - back_at != 7'd64;

	always_ff @(posedge clk) begin
		if (asks && co_step)
			asked[asked_end[5:0]] <= co_members;
		if (resp_valid)
			back[back_end[5:0]] <= resp_data;
		back_line <= back[u_line];
		asked_end <= asked_end + 7'(asks && co_step && is_load);
		back_end <= back_end + 7'(resp_valid);
		/* After a fault, lines may still come. */
		if (clear)
			forgets <= 1'b1;
		else if (asked_end == back_end)
			forgets <= 1'b0;
		if (reset)
			{asked_end, back_end, forgets} <= '0;
	end

	/* The loads: width, register, warp, lanes; and where their lines end, which is
	 * known later. */
	logic [44:0] loads [0:3];
	logic [6:0]  ends_of [0:3];
	logic [2:0]  loads_end, loads_at, known_end;
	logic [6:0]  r_end;
	logic        r_known;
	logic [2:0]  r_width;
	logic [4:0]  r_reg, r_warp;
	logic [31:0] r_lanes;
	logic        r_ends, r_starts;

	always_comb begin
		r_starts = !returns && loads_at != loads_end &&
			   back_at != back_end &&
			   !(busy && (is_shared || !is_load));
		{r_width, r_reg, r_warp, r_lanes} = loads[loads_at[1:0]];
		r_end = ends_of[loads_at[1:0]];
		r_known = loads_at != known_end;
	end

	always_ff @(posedge clk) begin
		if (co_start && is_load && !is_shared) begin
			loads[loads_end[1:0]] <= {width, word[15:11], warp,
						  lanes};
			loads_end <= loads_end + 3'd1;
		end
		if (ended_co && is_load && !is_shared) begin
			ends_of[known_end[1:0]] <= asked_end + 7'd1;
			known_end <= known_end + 3'd1;
		end
		if (r_starts)
			returns <= 1'b1;
		if (r_ends) begin
			returns <= 1'b0;
			loads_at <= loads_at + 3'd1;
		end
		if (reset || clear)
			{returns, loads_end, loads_at, known_end} <= '0;
	end

	/* ---- the next group ------------------------------------------------------------------- */

	logic        da_go, da_first, da_last;
	logic [31:0] da_left, da_kept, da_rest;
	logic [21:0] da_line;
	logic [2:0]  da_group;
	logic [5:0]  da_valid, data_at;
	logic [41:0] offsets [0:31]; /* by load and group: banks and bytes */
	logic [41:0] offset;

	always_comb begin
		{da_line, da_left} = lines[data_at[4:0]];
		if (is_shared)
			da_left = co_members;
		if (returns)
			da_left = asked[back_at[5:0]];
		if (!da_first)
			da_left = da_kept;
		da_group = first_group(da_left);
		da_valid = six(da_left, da_group);
		da_rest = da_left & ~lanes_of(da_group);
		da_last = da_rest == 32'b0;
		da_go = u_room && data_at != lines_end;
		if (is_shared)
			da_go = co_valid;
		if (returns)
			da_go = u_room && back_at != back_end &&
				!(r_known && back_at == r_end);
		offset = offsets[{returns ? loads_at[1:0] : loads_end[1:0],
				  da_group}];
	end

	always_ff @(posedge clk) begin
		if (ad_go)
			offsets[{loads_end[1:0], ad_group}] <= {banks, byte_ats};
		if (da_go) begin
			da_kept <= da_rest;
			da_first <= da_last;
			if (returns)
				back_at <= back_at + 7'(da_last);
			else if (!is_shared)
				data_at <= data_at + 6'(da_last);
		end
		if (m_start || clear)
			data_at <= 6'd0;
		if (forgets)
			back_at <= asked_end;
		if (reset || clear)
			da_first <= 1'b1;
		if (reset)
			back_at <= 7'd0;
	end

	/* ---- the banks ---------------------------------------------------------------------- */

	logic [5:0]  u_valid, u_served, u_blocked, differ;
	logic [2:0]  u_group;
	logic [29:0] u_bank;
	logic [41:0] u_row;
	logic [11:0] u_byte;
	logic [21:0] u_number;       /* of the line */
	logic        u_last, u_go, u_loads, u_shared, w_valid;

	/* A lane waits for a lower one of its bank that accesses another row, and when it
	 * stores, for any: the highest lane's value stays. */
	always_comb begin
		u_loads = returns || is_load || u_counts;
		u_shared = !returns && is_shared && !u_counts;
		u_blocked = 6'b0;
		differ = 6'b0;
		for (int j = 1; j < N; j++)
			for (int i = 0; i < j; i++)
				if (u_valid[i] && u_valid[j] &&
				    u_bank[5*i +: 5] == u_bank[5*j +: 5]) begin
					if (!u_loads)
						u_blocked[j] = 1'b1;
					if (u_shared && u_row[7*i +: 7] !=
							 u_row[7*j +: 7]) begin
						u_blocked[j] = 1'b1;
						differ[j] = 1'b1;
					end
				end
		u_go = u_loads || u_shared || !w_valid || req_ready;
		u_served = u_go ? u_valid & ~u_blocked : 6'b0;
		u_empty = u_valid == 6'b0;
		u_room = (u_valid & ~u_served) == 6'b0;
	end

	always_ff @(posedge clk) begin
		u_valid <= u_valid & ~u_served;
		u_counts <= 1'b0;
		if (u_served != 6'b0)
			u_first <= 1'b0;
		if (ad_go && is_shared && faults == 6'b0) begin
			{u_valid, u_group} <= {ad_valid, ad_group};
			{u_bank, u_byte} <= {banks, byte_ats};
		end else if (da_go) begin
			{u_valid, u_group} <= {da_valid, da_group};
			{u_bank, u_byte} <= offset;
			{u_first, u_last, u_counts} <=
				{da_first, da_last, is_shared && !returns};
			{u_line, u_number} <= {back_at[5:0], da_line};
		end
		for (int i = 0; i < N; i++)
			if (ad_go)
				u_row[7*i +: 7] <= keys[22*i +: 7];
		if (reset || clear)
			u_valid <= 6'b0;
	end

	/* ---- stores --------------------------------------------------------------------------- */

	logic [191:0]  u_data;
	logic [23:0]   u_bytes;
	logic [223:0]  rows;
	logic [1023:0] put_line;
	logic [127:0]  put_bytes, shared_write;

	for (genvar i = 0; i < N; i++) begin : store
		logic [31:0] own;

		always_comb begin
			case (u_group)
			3'd0: own = c[32*i +: 32];
			3'd1: own = c[32*(i + 6) +: 32];
			3'd2: own = c[32*(i + 12) +: 32];
			3'd3: own = c[32*(i + 18) +: 32];
			3'd4: own = c[32*(i + 24) +: 32];
			default: own = c[32*(i % 2 + 30) +: 32];
			endcase
			case (bytes)
			3'd1: begin
				u_data[32*i +: 32] = {4{own[7:0]}};
				u_bytes[4*i +: 4] = 4'b1 << u_byte[2*i +: 2];
			end
			3'd2: begin
				u_data[32*i +: 32] = {2{own[15:0]}};
				u_bytes[4*i +: 4] = 4'b11 << u_byte[2*i +: 2];
			end
			default: begin
				u_data[32*i +: 32] = own;
				u_bytes[4*i +: 4] = 4'b1111;
			end
			endcase
		end
	end

	fl_scatter scatter (
		.enable(u_served & ~{N{returns}}), .bank(u_bank), .row(u_row), .data(u_data),
		.bytes(u_bytes), .other(zero_row[6:0]), .taken, .rows,
		.line(put_line), .line_bytes(put_bytes)
	);

	always_comb begin
		shared_write = is_shared && !is_load && !u_counts ? put_bytes :
								    128'b0;
		for (int w = 0; w < 32; w++)
			if (zero_words[w])
				shared_write[4*w +: 4] = 4'b1111;
	end

	fl_shared shared (
		.clk, .sm(zeroes ? zero_row[10:7] : sm), .rows,
		.write(shared_write), .data(put_line), .line(shared_line)
	);

	/* A line of global memory is put together, then written. */
	logic [21:0] w_line;

	always_ff @(posedge clk) begin
		for (int i = 0; i < 128; i++)
			if (put_bytes[i])
				req_data[8*i +: 8] <= put_line[8*i +: 8];
		if (u_served != 6'b0 && !returns) begin
			req_bytes <= (u_first ? 128'b0 : req_bytes) | put_bytes;
			w_line <= u_number;
		end
		if (req_ready)
			w_valid <= 1'b0;
		if (!u_loads && !u_shared && u_served != 6'b0 && u_room &&
		    u_last)
			w_valid <= 1'b1;
		if (reset || clear)
			w_valid <= 1'b0;
	end

	always_comb begin
		req_write = !is_load;
		req_valid = is_load ? asks && seg_ready : w_valid;
		req_line = {1'b0, is_load ? co_key : w_line};
	end

	/* A bank with words of two rows: conflicts are counted. */
	logic [223:0] bank_row;
	logic [31:0]  bank_used;

	always_ff @(posedge clk) begin
		if (u_served != 6'b0 && !u_counts)
			for (int b = 0; b < 32; b++)
				if (taken[b]) begin
					bank_row[7*b +: 7] <= rows[7*b +: 7];
					bank_used[b] <= 1'b1;
					if (bank_used[b] && bank_row[7*b +: 7] !=
							    rows[7*b +: 7])
						conflict <= 1'b1;
				end
		if (differ != 6'b0)
			conflict <= 1'b1;
		if (m_start)
			{conflict, bank_used} <= '0;
	end

	/* ---- loads ---------------------------------------------------------------------------- */

	logic [5:0]    g_valid;
	logic [2:0]    g_group;
	logic [29:0]   g_bank;
	logic [11:0]   g_byte;
	logic [191:0]  values;

	assign line = returns ? back_line : shared_line;

	always_ff @(posedge clk) begin
		g_valid <= u_loads && !u_counts && !reset && !clear ? u_served :
								      6'b0;
		{g_group, g_bank, g_byte} <= {u_group, u_bank, u_byte};
	end

	for (genvar i = 0; i < N; i++) begin : load
		fl_gather gather (
			.line, .word(g_bank[5*i +: 5]), .byte_at(g_byte[2*i +: 2]),
			.width(returns ? r_width : width),
			.value(values[32*i +: 32])
		);
	end
	for (genvar l = 0; l < 32; l++) begin : lane
		always_ff @(posedge clk)
			if (g_valid[l % 6] && g_group == 3'(l / 6))
				x_data[32*l +: 32] <= values[32*(l % 6) +: 32];
	end

	/* ---- the end ----------------------------------------------------------------------------- */

	logic        moved;      /* all data is; `finished`: that is told */
	logic        ends, ends_now, waits, faulted;

	always_comb begin
		moved = !addresses && u_empty && g_valid == 6'b0 &&
			(is_shared || (!co_valid && data_at == lines_end &&
				       !w_valid));
		waits = is_load && !is_shared && lanes != 32'b0;
		ends_now = !returns && busy && !finished && !waits && moved;
		{x_warp, x_reg, x_lanes} = {warp, word[15:11], lanes};
		x_start = ends_now && is_load && lanes != 32'b0;
		if (returns) begin
			{x_warp, x_reg, x_lanes} = {r_warp, r_reg, r_lanes};
			x_start = u_empty && g_valid == 6'b0 && r_known &&
				  back_at == r_end;
		end
		l_ready = !busy && !m_start && !zeroes && !zero && !clear &&
			  !fault_valid && !forgets &&
			  loads_end - loads_at < 3'd4;
	end

	assign ends = ends_now && (!x_start || x_ready);
	assign r_ends = returns && x_start && x_ready;
	assign faulted = ad_go && faults != 6'b0;

	always_ff @(posedge clk) begin
		done <= (ends || r_ends) && !reset && !clear;
		done_warp <= x_warp;
		if (ends)
			finished <= 1'b1;
		if (busy && (finished || ends || waits) &&
		    (counted || (ended_co && !is_shared)))
			busy <= 1'b0;
		if (m_start)
			{busy, finished} <= 2'b10;
		if (reset || clear || faulted)
			busy <= 1'b0;
	end
endmodule
