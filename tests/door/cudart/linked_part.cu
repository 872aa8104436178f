template <int N> __device__ __noinline__ int plus(int x)
{
	return x + N;
}

__device__ int shared = 100;
static __device__ int own = 7;

__device__ int twice(int x)
{
	return 2 * plus<3>(x) + own - 13;
}
