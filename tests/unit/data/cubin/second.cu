__device__ int glob = 3;
__device__ int down(int x);
__device__ int (*pointer)(int) = down;
__device__ int rest(int x)
{
	return x > 5 ? pointer(x) : x + glob;
}
__device__ __noinline__ int down(int x)
{
	return x > 0 ? down(x - 1) * 3 : 1;
}
