/* What kernels print comes in order with what the host prints. */
#include <cstdio>

__global__ void print(int n)
{
	printf("block %d thread %d of %d: %s %.2f\n", blockIdx.x, threadIdx.x,
	       n, "text", 1.5 * threadIdx.x);
}

int main()
{
	printf("before\n");
	print<<<2, 2>>>(4);
	cudaDeviceSynchronize();
	printf("after: %s\n", cudaGetErrorName(cudaGetLastError()));
	return 0;
}
