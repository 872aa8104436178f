/* Surfaces are read and written by byte position; outside is zero or dropped. */
extern "C" __global__ void surface_copy(cudaSurfaceObject_t from,
					cudaSurfaceObject_t to, int *edge)
{
	int x = threadIdx.x, y = blockIdx.x;
	int v = surf2Dread<int>(from, x * 4, y);
	int right = surf2Dread<int>(from, (x + 1) * 4, y, cudaBoundaryModeZero);

	surf2Dwrite(v * 10 + right, to, x * 4, gridDim.x - 1 - y);
	if (x == 0)
		edge[y] = surf2Dread<int>(from, -4, y, cudaBoundaryModeClamp);
	surf2Dwrite(99, to, x * 4, y + gridDim.x, cudaBoundaryModeZero);
}
