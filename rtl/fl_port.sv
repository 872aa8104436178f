/*
 * The arbiter of external memory: loads and stores first, then the exchange of registers,
 * then the host. A request is taken in the cycle in which `req_valid` and `req_ready`
 * meet, and passed on in the same; answers to reads come back in the order of the
 * requests, and go to who asked. At most 64 reads are under way.
 *
 * Ports of the three are side by side: loads and stores lowest.
 */
module fl_port (
	input  logic          clk,
	input  logic          reset,

	input  logic [2:0]    req_valid,
	output logic [2:0]    req_ready,
	input  logic [2:0]    req_write,
	input  logic [68:0]   req_line,
	input  logic [383:0]  req_bytes,
	input  logic [3071:0] req_data,
	output logic [2:0]    resp_valid,

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
	logic       room, may;

	always_comb begin
		who = req_valid[0] ? 2'd0 : req_valid[1] ? 2'd1 : 2'd2;
		mem_write = req_write[who];
		may = mem_write || room;
		mem_valid = |req_valid && may;
		req_ready = 3'b0;
		req_ready[who] = mem_ready && may;
		mem_line = req_line[23*who +: 23];
		mem_bytes = req_bytes[{who, 7'b0} +: 128];
		mem_data = req_data[{who, 10'b0} +: 1024];
		took_ls = mem_valid && mem_ready && who == 2'd0;
		took_switch = mem_valid && mem_ready && who == 2'd1;
	end

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

	always_comb begin
		resp_valid = 3'b0;
		resp_valid[asked[first[5:0]]] = mem_resp_valid;
	end
endmodule
