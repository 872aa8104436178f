/* A store to nowhere by one thread. */
extern "C" __global__ void wild_store(int *out, long long where)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i == 37)
		out += where;
	out[i] = i;
}
