/*
 * The SIMD, two register files, each with the registers of the 32 warps of a
 * multiprocessor, and the kernel's parameters.
 *
 * `file` selects the register file of the multiprocessor that is simulated; it may
 * change when no instruction is under way. While `ready`, `start` takes an instruction
 * of a warp in each cycle. It must not need a register or predicate that one before it
 * has still to write. A result can be read by instructions that start two cycles after
 * fl_simd.sv has it; in the cycle before, `done` shows its warp.
 * A memory instruction leaves in the next cycle, with its operands, as m_*.
 *
 * The port x reads and writes registers and predicates of the same file from outside:
 * it is served when `x_ready`, in cycles in which no instruction has a result and, to
 * read, none starts; what is read while lanes are written means nothing. The port y reads and writes the other file, and is always served.
 */
module fl_exec (
	input  logic          clk,
	input  logic          reset,
	input  logic          file,
	output logic          ready,
	input  logic          start,
	input  logic [4:0]    warp,
	input  logic [63:0]   word,
	input  logic [31:0]   lanes,
	input  logic [287:0]  places,
	input  logic [4:0]    index,    /* of the warp in its block */
	output logic          done,     /* an instruction's result is written */
	output logic [4:0]    done_warp,
	output logic [31:0]   executes, /* in the next cycle */

	output logic          m_start,
	output logic [4:0]    m_warp,
	output logic [63:0]   m_word,
	output logic [31:0]   m_lanes,
	output logic [1023:0] m_a,
	output logic [1023:0] m_c,

	input  logic          x_start,
	output logic          x_ready,
	input  logic [4:0]    x_warp,
	input  logic          x_pred,   /* a predicate, in the lowest word */
	input  logic [4:0]    x_reg,
	input  logic [31:0]   x_lanes,  /* that are written */
	input  logic [1023:0] x_data,
	output logic [1023:0] x_result, /* in the next cycle */

	input  logic          y_start,
	input  logic          y_write,
	input  logic [4:0]    y_warp,
	input  logic          y_pred,   /* all predicates: p0 in the lowest word */
	input  logic [4:0]    y_reg,
	input  logic [1023:0] y_data,
	output logic [1023:0] y_result, /* in the next cycle: as it was */

	input  logic          p_we,     /* a word of the parameters */
	input  logic [9:0]    p_at,
	input  logic [31:0]   p_data
);
	/* ---- reading ----------------------------------------------------------- */

	logic          s_start, slow, s_mem, x_pred_was, y_pred_was;
	logic [4:0]    s_warp, s_index;
	logic [63:0]   s_word;
	logic [31:0]   s_lanes, s_param;
	logic [287:0]  s_places;
	logic [2:0]    x_reg_was;
	logic          simd_ready, take;

	assign ready = simd_ready && !(s_start && slow);
	assign take = start && ready;

	always_ff @(posedge clk) begin
		s_start <= take && !reset;
		s_mem <= fl_pkg::unit_of(word[6:0]) == fl_pkg::UNIT_MEM;
		{s_warp, s_index, s_word, s_lanes} <= {warp, index, word, lanes};
		s_places <= places;
		{x_pred_was, x_reg_was} <= {x_pred, x_reg[2:0]};
		y_pred_was <= y_pred;
	end

	logic [31:0]   params [0:1023];

	always_ff @(posedge clk) begin
		if (p_we)
			params[p_at] <= p_data;
		s_param <= params[word[43:34]];
	end

	/* ---- the files ----------------------------------------------------------- */

	logic [1023:0] ra, rb, rc, d;
	logic [223:0]  preds;
	logic          valid, x_take, y_take;
	logic [31:0]   d_lanes, p_lanes, p;
	logic [4:0]    d_reg;
	logic [2:0]    p_reg;

	assign x_ready = !valid && (x_lanes != 32'b0 || !start);
	assign x_take = x_start && x_ready;
	assign y_take = y_start && y_write;

	logic [1023:0] file_ra [0:1];
	logic [1023:0] file_rb [0:1];
	logic [1023:0] file_rc [0:1];
	logic [223:0]  file_preds [0:1];

	for (genvar f = 0; f < 2; f++) begin : files
		logic          own; /* it is the one that is simulated */
		logic [4:0]    to_warp, to_reg;
		logic [31:0]   to_lanes, to_preds;
		logic [6:0]    to_which;
		logic [1023:0] to;
		logic [223:0]  to_p;

		always_comb begin
			own = file == (f == 1);
			to_warp = done_warp;
			to_reg = d_reg;
			to_lanes = d_lanes;
			to = d;
			to_preds = p_lanes;
			to_which = 7'b1 << p_reg;
			to_p = {7{p}};
			if (!own) begin
				to_warp = y_warp;
				to_reg = y_reg;
				to_lanes = {32{y_take && !y_pred}};
				to = y_data;
				to_preds = {32{y_take && y_pred}};
				to_which = 7'h7f;
				to_p = y_data[223:0];
			end else if (x_take) begin
				to_warp = x_warp;
				to_reg = x_reg;
				to_lanes = x_lanes & {32{!x_pred}};
				to = x_data;
				to_preds = x_lanes & {32{x_pred}};
				to_which = 7'b1 << x_reg[2:0];
				to_p = {7{x_data[31:0]}};
			end
		end

		fl_regs regs (
			.clk, .warp(!own ? y_warp : start ? warp : x_warp),
			.a(!own ? y_reg : start ? word[20:16] : x_reg),
			.b(word[36:32]), .c(word[25:21]), .ra(file_ra[f]),
			.rb(file_rb[f]), .rc(file_rc[f]),
			.preds(file_preds[f]), .d_warp(to_warp),
			.d_reg(to_reg), .d_lanes(to_lanes), .d(to),
			.p_warp(to_warp), .p_regs(to_which),
			.p_lanes(to_preds), .p(to_p)
		);
	end

	assign ra = file_ra[file];
	assign rb = file_rb[file];
	assign rc = file_rc[file];
	assign preds = file_preds[file];

	always_comb begin
		x_result = ra;
		if (x_pred_was)
			x_result = {992'b0, preds[{x_reg_was, 5'b0} +: 32]};
		y_result = file_ra[!file];
		if (y_pred_was)
			y_result = {800'b0, file_preds[!file]};
	end

	/* ---- executing ----------------------------------------------------------- */

	fl_simd simd (
		.clk, .reset, .ready(simd_ready), .start(s_start), .word(s_word),
		.lanes(s_lanes), .ra, .rb, .rc, .preds({32'b0, preds}),
		.param(s_param), .places(s_places), .warp(s_index),
		.owner(s_warp), .executes, .slow, .valid,
		.done_owner(done_warp), .d_lanes, .d_reg, .d, .p_lanes, .p_reg, .p
	);

	assign m_start = s_start && s_mem;
	assign m_warp = s_warp;
	assign m_word = s_word;
	assign m_lanes = executes;
	assign m_a = ra;
	assign m_c = rc;

	assign done = valid;
endmodule
