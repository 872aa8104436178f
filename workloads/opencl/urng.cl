/* Noise on an image: a generator for each pixel (Park and Miller, by Schrage). */
uint next(uint seed)
{
	int high = seed / 127773, low = seed % 127773;
	int v = 16807 * low - 2836 * high;

	return v < 0 ? v + 2147483647 : v;
}

kernel void urng(global const uchar4 *in, global uchar4 *out, int rounds,
		 int factor)
{
	int i = get_global_id(0);
	int4 pixel = convert_int4(in[i]);
	uint seed = i + 1;

	for (int k = 0; k < rounds; k++)
		seed = next(seed);
	pixel += (int4)((int)(seed % 256) - 128) * factor / 256;
	out[i] = convert_uchar4_sat(pixel);
}
