/* Sums: a tree in shared memory per block, then shuffles in the last warp. */
extern "C" __global__ void reduce_shared(const int *in, int n, int *out)
{
	__shared__ int part[256];
	int t = threadIdx.x, sum = 0;

	for (int i = blockIdx.x * blockDim.x + t; i < n;
	     i += gridDim.x * blockDim.x)
		sum += in[i];
	part[t] = sum;
	__syncthreads();
	for (int half = blockDim.x / 2; half >= 32; half /= 2) {
		if (t < half)
			part[t] += part[t + half];
		__syncthreads();
	}
	if (t < 32) {
		sum = part[t];
		for (int d = 16; d > 0; d /= 2)
			sum += __shfl_down_sync(0xffffffffu, sum, d);
		if (t == 0)
			out[blockIdx.x] = sum;
	}
}
