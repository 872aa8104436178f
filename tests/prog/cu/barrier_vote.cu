/* Barriers that count and vote. */
extern "C" __global__ void barrier_vote(const int *in, int *out)
{
	int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
	int v = in[i];
	int positive = __syncthreads_count(v > 0);
	int all = __syncthreads_and(v > -90);
	int any = __syncthreads_or(v > 95);
	int *mine = out + 3 * i;
	mine[0] = positive;
	mine[1] = all != 0;
	mine[2] = any != 0;
}
