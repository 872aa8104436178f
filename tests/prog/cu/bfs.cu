/* One level of a breadth-first search over a frontier queue. */
extern "C" __global__ void bfs_level(const int *first, const int *to, int *level,
				     const int *frontier, int size, int *next,
				     int *next_size, int depth)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= size)
		return;
	int v = frontier[i];
	for (int k = first[v]; k < first[v + 1]; k++)
		if (atomicCAS(&level[to[k]], -1, depth) == -1)
			next[atomicAdd(next_size, 1)] = to[k];
}
