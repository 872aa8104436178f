/* Half of the warps and some lanes of the others leave before the barrier. */
extern "C" __global__ void early_exit(int *out)
{
	__shared__ int box[256];
	int t = threadIdx.x;

	box[t] = t * t;
	if ((t / 32) % 2 == 1)
		return;
	if (t % 32 > 20)
		return;
	__syncthreads();
	out[blockIdx.x * blockDim.x + t] = box[(t * 5 + 3) % 256] + 1;
}
