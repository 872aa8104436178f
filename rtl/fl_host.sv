/*
 * The host port: words of 32 bits at the addresses of src/fastlanes/circuit.def.
 *
 * An access is taken in the cycle in which `h_valid` and `h_ready` meet; a read has its
 * word in h_result in the next one. Only an access while a line of external memory
 * moves to or from the window has to wait. Settings, code and parameters must not change
 * during a launch. A counter runs on while its two words are read: its launch should
 * have ended.
 */
module fl_host (
	input  logic          clk,
	input  logic          reset,

	input  logic          h_valid,
	output logic          h_ready,
	input  logic          h_write,
	input  logic [17:0]   h_at,
	input  logic [31:0]   h_data,
	output logic [31:0]   h_result,

	output logic          run,
	output logic          halt,
	input  logic          busy,
	input  logic          finished,
	input  logic [32*fl_pkg::FAULT_WORDS-1:0] fault,
	input  logic [48*fl_pkg::STATS-1:0]       stats,
	input  logic [48*fl_pkg::COUNTERS-1:0]    counters,

	output logic          code_we,
	output logic [15:0]   code_at,
	output logic [63:0]   code_data,
	output logic          p_we,
	output logic [9:0]    p_at,
	output logic [31:0]   p_data,

	output logic          req_valid,
	input  logic          req_ready,
	output logic          req_write,
	output logic [22:0]   req_line,
	output logic [127:0]  req_bytes,
	output logic [1023:0] req_data,
	input  logic          resp_valid,
	input  logic [1023:0] resp_data,

	output logic [4:0]    cfg_sms,
	output logic [5:0]    cfg_warps,
	output logic [5:0]    cfg_places,
	output logic [5:0]    cfg_block_warps,
	output logic [31:0]   cfg_last_lanes,
	output logic [95:0]   cfg_grid,
	output logic [95:0]   cfg_block,
	output logic [47:0]   cfg_blocks,
	output logic [14:0]   cfg_block_shared,
	output logic [16:0]   cfg_count,
	output logic [31:0]   cfg_slice,
	output logic [39:0]   cfg_max_cycles,
	output logic [5:0]    cfg_regs,
	output logic [28:0]   cfg_local_base,
	output logic [15:0]   cfg_local_words,
	output logic [5:0]    cfg_lsu_cycles,
	output logic [39:0]   cfg_latency,
	output logic [39:0]   cfg_interval,
	output logic [63:0]   cfg_way_latency,
	output logic [3:0]    cfg_l1_sets_log2,
	output logic [2:0]    cfg_l1_ways,
	output logic [3:0]    cfg_l2_sets_log2,
	output logic [3:0]    cfg_l2_ways
);
	/* ---- which part of the map ----------------------------------------------- */

	logic       take, write, is_register, is_setting, is_window;
	logic [7:0] at;

	always_comb begin
		take = h_valid && h_ready;
		write = take && h_write;
		at = h_at[7:0];
		is_register = h_at[17:8] == 10'b0;
		is_setting = is_register && at >= 8'(fl_pkg::HOST_SETTING) &&
			     at < 8'(fl_pkg::HOST_COUNTED);
		is_window = is_register && at >= 8'(fl_pkg::HOST_WINDOW);
	end

	function automatic logic writes(input int control);
		writes = write && is_register && at == 8'(control);
	endfunction

	assign run = writes(fl_pkg::HOST_START);
	assign halt = writes(fl_pkg::HOST_STOP);

	/* ---- settings ---------------------------------------------------------------- */

	logic [32*fl_pkg::SETTING_WORDS-1:0] settings;

	always_ff @(posedge clk)
		for (int i = 0; i < fl_pkg::SETTING_WORDS; i++)
			if (write && is_setting && at[5:0] == 6'(i))
				settings[32*i +: 32] <= h_data;

	assign cfg_sms = settings[32*fl_pkg::SET_SMS +: 5];
	assign cfg_warps = settings[32*fl_pkg::SET_WARPS +: 6];
	assign cfg_places = settings[32*fl_pkg::SET_PLACES +: 6];
	assign cfg_block_warps = settings[32*fl_pkg::SET_BLOCK_WARPS +: 6];
	assign cfg_last_lanes = settings[32*fl_pkg::SET_LAST_LANES +: 32];
	assign cfg_grid = settings[32*fl_pkg::SET_GRID +: 96];
	assign cfg_block = settings[32*fl_pkg::SET_BLOCK +: 96];
	assign cfg_blocks = settings[32*fl_pkg::SET_BLOCKS +: 48];
	assign cfg_block_shared = settings[32*fl_pkg::SET_BLOCK_SHARED +: 15];
	assign cfg_count = settings[32*fl_pkg::SET_COUNT +: 17];
	assign cfg_slice = settings[32*fl_pkg::SET_SLICE +: 32];
	assign cfg_max_cycles = settings[32*fl_pkg::SET_MAX_CYCLES +: 40];
	assign cfg_regs = settings[32*fl_pkg::SET_REGS +: 6];
	assign cfg_local_base = settings[32*fl_pkg::SET_LOCAL_BASE +: 29];
	assign cfg_local_words = settings[32*fl_pkg::SET_LOCAL_WORDS +: 16];
	assign cfg_lsu_cycles = settings[32*fl_pkg::SET_LSU_CYCLES +: 6];
	assign cfg_latency = settings[32*fl_pkg::SET_LATENCY +: 40];
	assign cfg_interval = settings[32*fl_pkg::SET_INTERVAL +: 40];
	assign cfg_way_latency = settings[32*fl_pkg::SET_WAY_LATENCY +: 64];
	assign cfg_l1_sets_log2 = settings[32*fl_pkg::SET_L1_SETS_LOG2 +: 4];
	assign cfg_l1_ways = settings[32*fl_pkg::SET_L1_WAYS +: 3];
	assign cfg_l2_sets_log2 = settings[32*fl_pkg::SET_L2_SETS_LOG2 +: 4];
	assign cfg_l2_ways = settings[32*fl_pkg::SET_L2_WAYS +: 4];

	/* ---- code and parameters ------------------------------------------------------- */

	logic [31:0] low; /* of the instruction whose upper half comes next */

	always_ff @(posedge clk)
		if (write && h_at[17] && !h_at[0])
			low <= h_data;

	assign code_we = write && h_at[17] && h_at[0];
	assign code_at = h_at[16:1];
	assign code_data = {h_data, low};
	assign p_we = write && h_at[17:10] == 8'b1;
	assign p_at = h_at[9:0];
	assign p_data = h_data;

	/* ---- the window to external memory ------------------------------------------------ */

	logic [1023:0] window;
	logic [22:0]   line;
	logic [31:0]   words;  /* that are stored */
	logic          loads, stores, asked;

	assign h_ready = !loads && !stores;
	assign req_valid = stores || (loads && !asked);
	assign req_write = stores;
	assign req_line = line;
	assign req_data = window;

	for (genvar w = 0; w < 32; w++) begin : enable
		assign req_bytes[4*w +: 4] = {4{words[w]}};
	end

	always_ff @(posedge clk) begin
		for (int i = 0; i < 32; i++)
			if (write && is_window && at[4:0] == 5'(i))
				window[32*i +: 32] <= h_data;
		if (writes(fl_pkg::HOST_LINE))
			line <= h_data[22:0];
		if (writes(fl_pkg::HOST_LOAD))
			{loads, asked} <= 2'b10;
		if (writes(fl_pkg::HOST_STORE))
			{stores, words} <= {1'b1, h_data};
		if (req_valid && req_ready) begin
			line <= line + 23'd1;
			stores <= 1'b0;
			asked <= loads;
		end
		if (loads && resp_valid) begin
			window <= resp_data;
			loads <= 1'b0;
		end
		if (reset)
			{loads, stores, asked} <= 3'b0;
	end

	/* ---- reading ------------------------------------------------------------------------ */

	logic [31:0] control, setting, fault_word, window_word, stat, counter;
	logic [5:0]  stat_at;
	logic [4:0]  counter_at;

	always_comb begin
		case (at)
		8'(fl_pkg::HOST_IDENTITY): control = fl_pkg::IDENTITY;
		8'(fl_pkg::HOST_STATUS): control = {30'b0, finished, busy};
		8'(fl_pkg::HOST_LINE): control = {9'b0, line};
		default: control = 32'b0;
		endcase
	end

	/* Values of 48 bits: the lower 32, then the upper 16. */
	function automatic logic [31:0] half(input logic [47:0] value,
					     input logic upper);
		half = upper ? {16'b0, value[47:32]} : value[31:0];
	endfunction

	always_comb begin
		stat_at = at[5:0];
		counter_at = at[4:0];
		setting = 32'b0;
		for (int i = 0; i < fl_pkg::SETTING_WORDS; i++)
			if (at[5:0] == 6'(i))
				setting = settings[32*i +: 32];
		fault_word = 32'b0;
		for (int i = 0; i < fl_pkg::FAULT_WORDS; i++)
			if (at[4:0] == 5'(i))
				fault_word = fault[32*i +: 32];
		window_word = 32'b0;
		for (int i = 0; i < 32; i++)
			if (at[4:0] == 5'(i))
				window_word = window[32*i +: 32];
		stat = 32'b0;
		for (int i = 0; i < fl_pkg::STATS; i++)
			if (stat_at[5:1] == 5'(i))
				stat = half(stats[48*i +: 48], at[0]);
		counter = 32'b0;
		for (int i = 0; i < fl_pkg::COUNTERS; i++)
			if (counter_at[4:1] == 4'(i))
				counter = half(counters[48*i +: 48], at[0]);
	end

	always_ff @(posedge clk) begin
		h_result <= 32'b0;
		if (is_window)
			h_result <= window_word;
		else if (is_register)
			case (at[7:5])
			3'd0: h_result <= control;
			3'd1: h_result <= fault_word;
			3'd2, 3'd3: h_result <= setting;
			3'd4, 3'd5: h_result <= stat;
			default: h_result <= counter;
			endcase
	end
endmodule
