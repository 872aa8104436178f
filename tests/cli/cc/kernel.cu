/* Kernels, variables of the device and host code with the C++ library. */
#include <vector>

#include "shared.h"

__constant__ float factors[4];
__device__ unsigned done;
static __device__ unsigned hidden;

template <class T> static __global__ void scale(T *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	x[i] *= factors[i & 3];
	atomicAdd(&done, 1u);
	atomicAdd(&hidden, 2u);
}

int scale_on_device(float *x, int n)
{
	const std::vector<float> f = {1, 2, 3, 4};
	unsigned counts[2] = {0, 0};
	float *d;

	if (cudaMalloc(&d, n * sizeof(*d)) ||
	    cudaMemcpyToSymbol(factors, f.data(), f.size() * sizeof(f[0])) ||
	    cudaMemcpy(d, x, n * sizeof(*d), cudaMemcpyHostToDevice))
		return -1;
	scale<<<(n + 127) / 128, 128>>>(d, n);
	if (cudaGetLastError() ||
	    cudaMemcpy(x, d, n * sizeof(*d), cudaMemcpyDeviceToHost) ||
	    cudaMemcpyFromSymbol(&counts[0], done, sizeof(done)) ||
	    cudaMemcpyFromSymbol(&counts[1], hidden, sizeof(hidden)) ||
	    cudaFree(d))
		return -1;
	return counts[1] == 2 * counts[0] ? (int)counts[0] : -1;
}
