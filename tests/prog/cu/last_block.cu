/* The block that finishes last adds up what all have written. */
__device__ unsigned finished;

extern "C" __global__ void last_block(const float *in, volatile float *part,
				      float *out)
{
	__shared__ bool last;
	__shared__ float box[128];
	int t = threadIdx.x;

	box[t] = in[blockIdx.x * blockDim.x + t];
	__syncthreads();
	for (int d = blockDim.x / 2; d > 0; d /= 2) {
		if (t < d)
			box[t] += box[t + d];
		__syncthreads();
	}
	if (t == 0) {
		part[blockIdx.x] = box[0];
		__threadfence();
		last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && t == 0) {
		float sum = 0;
		for (int b = 0; b < gridDim.x; b++)
			sum += part[b];
		*out = sum;
	}
}
