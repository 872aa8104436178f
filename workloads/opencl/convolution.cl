#define RADIUS 2

constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE |
			  CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void convolution(read_only image2d_t in, write_only image2d_t out,
			constant float *mask)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	float4 sum = 0;
	int k = 0;

	for (int y = -RADIUS; y <= RADIUS; y++)
		for (int x = -RADIUS; x <= RADIUS; x++)
			sum += mask[k++] *
			       read_imagef(in, edge, at + (int2)(x, y));
	write_imagef(out, at, sum);
}
