/*
 * The registers and predicates of the 32 warps of a multiprocessor, all 32 lanes wide.
 *
 * Three registers and all predicates of a warp are read in each cycle: they are there
 * in the next one. Writing takes lanes one by one, and any of a warp's predicates at
 * once; what is written at the end of a cycle is read from the next one on. Each port
 * for reading has its own copy of the registers, in block RAM; predicates are in
 * distributed RAM.
 */
module fl_regs (
	input  logic          clk,
	input  logic [4:0]    warp,
	input  logic [4:0]    a,
	input  logic [4:0]    b,
	input  logic [4:0]    c,
	output logic [1023:0] ra,
	output logic [1023:0] rb,
	output logic [1023:0] rc,
	output logic [223:0]  preds,

	input  logic [4:0]    d_warp,
	input  logic [4:0]    d_reg,
	input  logic [31:0]   d_lanes,
	input  logic [1023:0] d,
	input  logic [4:0]    p_warp,
	input  logic [6:0]    p_regs,   /* that are written */
	input  logic [31:0]   p_lanes,
	input  logic [223:0]  p
);
	for (genvar l = 0; l < 32; l++) begin : lane
		logic [31:0] copy_a [0:1023];
		logic [31:0] copy_b [0:1023];
		logic [31:0] copy_c [0:1023];

		always_ff @(posedge clk) begin
			if (d_lanes[l]) begin
				copy_a[{d_warp, d_reg}] <= d[32*l +: 32];
				copy_b[{d_warp, d_reg}] <= d[32*l +: 32];
				copy_c[{d_warp, d_reg}] <= d[32*l +: 32];
			end
			ra[32*l +: 32] <= copy_a[{warp, a}];
			rb[32*l +: 32] <= copy_b[{warp, b}];
			rc[32*l +: 32] <= copy_c[{warp, c}];
		end
	end

	for (genvar i = 0; i < 7; i++) begin : pred
		for (genvar l = 0; l < 32; l++) begin : lane
			logic kept [0:31];

			always_ff @(posedge clk) begin
				if (p_lanes[l] && p_regs[i])
					kept[p_warp] <= p[32*i + l];
				preds[32*i + l] <= kept[warp];
			end
		end
	end
endmodule
