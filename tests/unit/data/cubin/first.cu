extern __device__ int rest(int);
extern "C" __global__ void one(int *p)
{
	p[threadIdx.x] = rest(p[threadIdx.x]);
}
extern "C" __global__ void two(int *p)
{
	p[threadIdx.x] = rest(p[threadIdx.x]) * 2;
}
