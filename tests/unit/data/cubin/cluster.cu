struct big { char b[9000]; };
extern "C" __global__ void __cluster_dims__(2, 1, 1)
pair(const __grid_constant__ big x, int *p, short s)
{
	*p = x.b[threadIdx.x] + s;
}
