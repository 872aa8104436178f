/*
 * The arbiter of external memory: loads and stores first, then the exchange of registers,
 * then the host. A request is taken in the cycle in which `valid` and `ready`
 * meet, and passed on in the same; answers to reads come back in the order of the
 * requests, and go to who asked. At most 64 reads are under way.
 */
module fl_port (
	input  logic          clk,
	input  logic          reset,

	input  logic          ls_valid, /* loads and stores */
	output logic          ls_ready,
	input  logic          ls_write,
	input  logic [22:0]   ls_line,
	input  logic [127:0]  ls_bytes,
	input  logic [1023:0] ls_data,
	output logic          ls_resp_valid,

	input  logic          sw_valid, /* the exchange of registers */
	output logic          sw_ready,
	input  logic          sw_write,
	input  logic [22:0]   sw_line,
	input  logic [127:0]  sw_bytes,
	input  logic [1023:0] sw_data,
	output logic          sw_resp_valid,

	input  logic          ho_valid, /* the host */
	output logic          ho_ready,
	input  logic          ho_write,
	input  logic [22:0]   ho_line,
	input  logic [127:0]  ho_bytes,
	input  logic [1023:0] ho_data,
	output logic          ho_resp_valid,

	output logic          mem_valid,
	input  logic          mem_ready,
	output logic          mem_write,
	output logic [22:0]   mem_line,
	output logic [127:0]  mem_bytes,
	output logic [1023:0] mem_data,
	input  logic          mem_resp_valid,

	output logic          took_ls,
	output logic          took_switch
);
	/* ---- who is next ----------------------------------------------------------- */

	logic [1:0] who;
	logic       room; /* for the answer to a read */

	assign ls_ready = mem_ready && (ls_write || room);
	assign sw_ready = mem_ready && (sw_write || room) && !ls_valid;
	assign ho_ready = mem_ready && (ho_write || room) && !ls_valid &&
			  !sw_valid;

	always_comb begin
		who = ls_valid ? 2'd0 : sw_valid ? 2'd1 : 2'd2;
		case (who)
		2'd0: begin
			mem_write = ls_write;
			{mem_line, mem_bytes} = {ls_line, ls_bytes};
			mem_data = ls_data;
		end
		2'd1: begin
			mem_write = sw_write;
			{mem_line, mem_bytes} = {sw_line, sw_bytes};
			mem_data = sw_data;
		end
		default: begin
			mem_write = ho_write;
			{mem_line, mem_bytes} = {ho_line, ho_bytes};
			mem_data = ho_data;
		end
		endcase
		mem_valid = (ls_valid || sw_valid || ho_valid) &&
			    (mem_write || room);
	end

	assign took_ls = ls_valid && ls_ready;
	assign took_switch = sw_valid && sw_ready;

	/* ---- whose answer is next ---------------------------------------------------- */

	logic [1:0] asked [0:63];
	logic [6:0] first, last; /* the reads under way */
	logic       asks;

	assign asks = mem_valid && mem_ready && !mem_write;
	assign room = last - first != 7'd64;

	always_ff @(posedge clk) begin
		if (asks)
			asked[last[5:0]] <= who;
		last <= last + {6'b0, asks};
		first <= first + {6'b0, mem_resp_valid};
		if (reset)
			{first, last} <= 14'b0;
	end

	logic [1:0] whose;

	assign whose = asked[first[5:0]];
	assign ls_resp_valid = mem_resp_valid && whose == 2'd0;
	assign sw_resp_valid = mem_resp_valid && whose == 2'd1;
	assign ho_resp_valid = mem_resp_valid && whose == 2'd2;
endmodule
