/*
 * What one word of a line takes: a row, bytes and a value of one of six lanes, or, from 6 and
 * 7, another row and zeros. Combinational; a module of its own, so that synthesis needs
 * two lookup tables for a bit.
 */
module fl_pick (
	input  logic [2:0]   from,
	input  logic [257:0] values,
	input  logic [6:0]   other,
	output logic [42:0]  value
);
	logic [42:0] low;

	always_comb begin
		low = from[1] ? (from[0] ? values[43*3 +: 43] :
					   values[43*2 +: 43]) :
				(from[0] ? values[43 +: 43] : values[0 +: 43]);
		value = from[2] ? (from[1] ? {other, 36'b0} :
				   from[0] ? values[43*5 +: 43] :
					     values[43*4 +: 43]) :
				  low;
	end
endmodule
