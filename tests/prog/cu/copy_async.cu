/* A pipeline of copies to shared memory: the next tile travels while this one
 * is summed. */
#include <cuda_pipeline.h>

extern "C" __global__ void copy_async(const int4 *in, int tiles, int *out)
{
	__shared__ int4 box[2][64];
	int t = threadIdx.x, sum = 0;

	__pipeline_memcpy_async(&box[0][t], &in[t], 16);
	__pipeline_commit();
	for (int k = 0; k < tiles; k++) {
		if (k + 1 < tiles)
			__pipeline_memcpy_async(&box[(k + 1) % 2][t],
						&in[(k + 1) * 64 + t], 16);
		__pipeline_commit();
		__pipeline_wait_prior(1);
		__syncthreads();
		int4 v = box[k % 2][(t + 17) % 64];
		sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
		__syncthreads();
	}
	out[t] = sum;
}
