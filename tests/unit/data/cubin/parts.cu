#include <cstdio>

__constant__ float weights[4] = { 1, 2, 3, 4 };
__device__ int counter = 7;
__device__ int *where = &counter;
__device__ float scratch[100];

__device__ __noinline__ float slow(float x, int n)
{
	for (int i = 0; i < n; i++)
		x = x * weights[i & 3] + 1;
	return x;
}

__device__ __forceinline__ float square(float x)
{
	return x * x;
}

__device__ __forceinline__ float twice(float x)
{
	float y = square(x);
	return y + y;
}

extern "C" __global__ void __launch_bounds__(128)
smooth(float *x, int n, double d)
{
	__shared__ float s[128];
	int i = threadIdx.x;

	s[i] = x[i];
	__syncthreads();
	x[i] = twice(s[127 - i]) +
	       slow(s[i], n) + d + scratch[i];
}

extern "C" __global__ void choose(int *p, char c)
{
	switch (p[0]) {
	case 0: p[1] = c; break;
	case 1: p[2] += 5; break;
	case 2: p[3] *= 7; break;
	case 3: p[4] -= 9; break;
	case 4: p[5] ^= 11; break;
	case 5: p[6] |= 13; break;
	}
	printf("%d\n", *where);
}
