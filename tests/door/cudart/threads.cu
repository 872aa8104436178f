/* Compiled with a default stream for each thread: other symbols are called. */
#include <cstdio>

__global__ void count(int *p)
{
	atomicAdd(p, 1);
}

int main()
{
	int *p, n = 0, grid, block;
	cudaEvent_t e;
	cudaStream_t s;
	unsigned flags;

	cudaMalloc(&p, sizeof(n));
	cudaMemset(p, 0, sizeof(n));
	count<<<3, 32>>>(p);
	cudaMemcpyAsync(&n, p, sizeof(n), cudaMemcpyDeviceToHost);
	cudaStreamSynchronize(0);
	cudaEventCreate(&e);
	cudaEventRecord(e);
	cudaStreamCreate(&s);
	cudaStreamWaitEvent(s, e, 0);
	cudaStreamGetFlags(0, &flags);
	cudaOccupancyMaxPotentialBlockSize(&grid, &block, count);
	printf("%d, flags %u, block %d: %s\n", n, flags, block,
	       cudaGetErrorName(cudaGetLastError()));
	return 0;
}
