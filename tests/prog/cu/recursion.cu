/* Recursion to different depths by the lanes of one warp. */
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n)
{
	if (m == 0)
		return n + 1;
	if (n == 0)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ unsigned fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ unsigned is_odd(unsigned n);
__device__ __noinline__ unsigned is_even(unsigned n)
{
	return n == 0 ? 1 : is_odd(n - 1);
}
__device__ __noinline__ unsigned is_odd(unsigned n)
{
	return n == 0 ? 0 : is_even(n - 1);
}

extern "C" __global__ void recursion(unsigned *out)
{
	unsigned t = threadIdx.x;
	out[3 * t] = ackermann(t % 3, t % 5);
	out[3 * t + 1] = fibonacci(t % 11);
	out[3 * t + 2] = is_even(t);
}
