/* All four shuffles, with widths, for 32-bit, 64-bit and floating values. */
extern "C" __global__ void shuffle(const unsigned *in, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned v = in[i];
	unsigned *mine = out + 8 * i;

	mine[0] = __shfl_sync(0xffffffffu, v, v % 32);
	mine[1] = __shfl_sync(0xffffffffu, v, 3, 8);
	mine[2] = __shfl_up_sync(0xffffffffu, v, 5);
	mine[3] = __shfl_up_sync(0xffffffffu, v, 3, 16);
	mine[4] = __shfl_down_sync(0xffffffffu, v, 9, 16);
	mine[5] = __shfl_xor_sync(0xffffffffu, v, 21);
	long long wide = ((long long)v << 32) | i;
	wide = __shfl_xor_sync(0xffffffffu, wide, 1);
	mine[6] = (unsigned)(wide >> 32) + (unsigned)wide;
	double d = v * 0.5;
	for (int s = 16; s > 0; s /= 2)
		d += __shfl_xor_sync(0xffffffffu, d, s);
	mine[7] = (unsigned)(long long)(d * 2);
}
