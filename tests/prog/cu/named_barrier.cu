/* Two producer warps hand rounds of data to two consumer warps: each buffer
 * has a barrier "full" and a barrier "empty" of 128 threads. */
__device__ __forceinline__ void arrive(int id)
{
	asm volatile("bar.arrive %0, 128;" : : "r"(id) : "memory");
}

__device__ __forceinline__ void wait(int id)
{
	asm volatile("bar.sync %0, 128;" : : "r"(id) : "memory");
}

extern "C" __global__ void named_barrier(const int *in, int *out, int rounds)
{
	__shared__ int box[2][64];
	int t = threadIdx.x % 64;

	if (threadIdx.x < 64) {
		for (int r = 0; r < rounds; r++) {
			if (r >= 2)
				wait(3 + r % 2);
			box[r % 2][t] = in[64 * r + t] * 3;
			__threadfence_block();
			arrive(1 + r % 2);
		}
	} else {
		for (int r = 0; r < rounds; r++) {
			wait(1 + r % 2);
			out[64 * r + t] = box[r % 2][63 - t] + r;
			if (r + 2 < rounds)
				arrive(3 + r % 2);
		}
	}
}
