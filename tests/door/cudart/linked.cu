/* Compiled apart from linked_part.cu (-rdc=true) and linked with it. */
#include <cstdio>

template <int N> __device__ __noinline__ int plus(int x)
{
	return x + N;
}

extern __device__ int twice(int x);
extern __device__ int shared;
static __device__ int own = 5;

__global__ void run(int *p)
{
	p[threadIdx.x] = plus<3>(twice(threadIdx.x)) + shared + own;
}

int main()
{
	int *p, host[4];

	cudaMalloc(&p, sizeof(host));
	run<<<1, 4>>>(p);
	cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
	printf("%d %d %d %d: %s\n", host[0], host[1], host[2], host[3],
	       cudaGetErrorName(cudaGetLastError()));
	return 0;
}
