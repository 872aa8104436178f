/* Each block waits for the one after it: they must be resident together. */
extern "C" __global__ void block_flag(volatile int *flag, volatile int *value)
{
	int b = blockIdx.x, t = threadIdx.x, before = 0;

	if (b + 1 < gridDim.x) {
		if (t == 0)
			while (flag[b + 1] == 0)
				;
		__syncthreads();
		__threadfence();
		before = value[(b + 1) * blockDim.x + t];
	}
	value[b * blockDim.x + t] = before * 2 + t + 1;
	__threadfence();
	__syncthreads();
	if (t == 0)
		flag[b] = 1;
}
