/* Functions that call functions, five deep, from diverged lanes. */
__device__ __noinline__ unsigned mix(unsigned a, unsigned b)
{
	return (a ^ b) * 0x9e3779b1u;
}

__device__ __noinline__ unsigned twice(unsigned a)
{
	return mix(a, mix(a, 1));
}

__device__ __noinline__ void spread(unsigned a, unsigned *lo, unsigned *hi)
{
	unsigned m = twice(a);
	*lo = m & 0xffff;
	*hi = m >> 16;
}

__device__ __noinline__ unsigned long long wide(unsigned a, float f, char c)
{
	unsigned lo, hi;
	spread(a, &lo, &hi);
	return (unsigned long long)hi << 40 | (unsigned long long)c << 32 |
	       (lo + (unsigned)f);
}

__device__ __noinline__ unsigned long long choose(int i)
{
	if (i % 3 == 0)
		return wide(i, i * 0.5f, (char)(i % 50));
	unsigned long long sum = 0;
	for (int k = 0; k < i % 5; k++)
		sum += wide(i + k, 2.0f, 1);
	return sum;
}

extern "C" __global__ void calls_nested(unsigned long long *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned long long v = choose(i);
	if (i & 1)
		v += twice((unsigned)v);
	out[i] = v;
}
