/* Maximum and product of floats by compare and swap. */
__device__ float atomic_max(float *at, float v)
{
	int *bits = (int *)at, old = *bits, seen;
	do {
		seen = old;
		if (__int_as_float(seen) >= v)
			break;
		old = atomicCAS(bits, seen, __float_as_int(v));
	} while (old != seen);
	return __int_as_float(old);
}

__device__ void atomic_mul(unsigned long long *at, double v)
{
	unsigned long long old = *at, seen;
	do {
		seen = old;
		old = atomicCAS(at, seen,
				(unsigned long long)__double_as_longlong(
					v * __longlong_as_double(seen)));
	} while (old != seen);
}

extern "C" __global__ void float_max(const float *in, int n, float *top,
				     unsigned long long *product)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	atomic_max(top, in[i]);
	atomic_max(top + 1, -in[i]);
	if (i % 16 == 0)
		atomic_mul(product, i % 32 ? 2.0 : -2.0);
}
