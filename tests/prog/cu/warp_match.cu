/* Lanes with equal values find each other; whole-warp reductions. */
extern "C" __global__ void warp_match(const int *in, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int v = in[i], all;
	unsigned *mine = out + 9 * i;

	mine[0] = __match_any_sync(0xffffffffu, v);
	mine[1] = __match_any_sync(0xffffffffu, (long long)v << 33);
	mine[2] = __match_all_sync(0xffffffffu, v / 64, &all);
	mine[2] += all;
	mine[3] = __reduce_add_sync(0xffffffffu, (unsigned)v);
	mine[4] = __reduce_min_sync(0xffffffffu, v - 8);
	mine[5] = __reduce_max_sync(0xffffffffu, v - 8);
	mine[6] = __reduce_and_sync(0xffffffffu, (unsigned)v | 16);
	mine[7] = __reduce_or_sync(0xffffffffu, (unsigned)v);
	mine[8] = __reduce_xor_sync(0xffffffffu, (unsigned)v * 77);
}
