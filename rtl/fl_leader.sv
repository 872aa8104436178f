/*
 * The key of the lowest of the lanes that are left. Combinational.
 */
module fl_leader (
	input  logic [31:0]  left,
	input  logic [703:0] keys,
	output logic [21:0]  key
);
	logic [31:0] leader;

	always_comb begin
		leader = left & (~left + 32'd1);
		key = 22'b0;
		for (int l = 0; l < 32; l++)
			key = key | (keys[22*l +: 22] & {22{leader[l]}});
	end
endmodule
