/* Generic addresses of parameters and of variables in constant memory. */
#ifdef __clang__
#define __grid_constant__
#endif
struct table {
	int value[40];
};
__constant__ int primes[8] = { 2, 3, 5, 7, 11, 13, 17, 19 };
__device__ int powers[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };

__device__ __noinline__ int sum_of(const int *from, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += from[i];
	return sum;
}

extern "C" __global__ void address_of(const __grid_constant__ table t, int *out,
				      const int **first)
{
	int i = threadIdx.x;
	const int *from = i & 1 ? primes : powers;
	out[i] = sum_of(from + i % 4, 4);
	out[32 + i] = sum_of(&t.value[i], 8);
	if (i == 0)
		*first = primes + 1;
}

/* A pointer that another launch has stored. */
extern "C" __global__ void address_of_next(int *out, const int **first)
{
	out[threadIdx.x] = (*first)[threadIdx.x % 7];
}
