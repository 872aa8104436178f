/* Inclusive scan: shuffles inside a warp, shared memory between warps, a second
 * kernel that adds the sums of the blocks before. */
extern "C" __global__ void scan_block(const unsigned *in, unsigned *out,
				      unsigned *total)
{
	__shared__ unsigned sums[32];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	unsigned v = in[i];

	for (int d = 1; d < 32; d *= 2) {
		unsigned u = __shfl_up_sync(0xffffffffu, v, d);
		if (lane >= d)
			v += u;
	}
	if (lane == 31)
		sums[warp] = v;
	__syncthreads();
	if (warp == 0) {
		unsigned s = lane < blockDim.x / 32 ? sums[lane] : 0;
		for (int d = 1; d < 32; d *= 2) {
			unsigned u = __shfl_up_sync(0xffffffffu, s, d);
			if (lane >= d)
				s += u;
		}
		sums[lane] = s;
	}
	__syncthreads();
	if (warp > 0)
		v += sums[warp - 1];
	out[i] = v;
	if (threadIdx.x == blockDim.x - 1)
		total[blockIdx.x] = v;
}

extern "C" __global__ void scan_add(unsigned *out, const unsigned *total)
{
	unsigned before = 0;
	for (int b = 0; b < blockIdx.x; b++)
		before += total[b];
	out[blockIdx.x * blockDim.x + threadIdx.x] += before;
}
