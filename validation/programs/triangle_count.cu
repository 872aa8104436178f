/*
 * Triangles of a graph: for each edge, the sorted neighbours of its two nodes are
 * intersected, by a merge in one thread, and by binary searches of a warp.
 *
 * SIZE: nodes.
 */
#include "common.h"

#include <algorithm>

#define THREADS 128

static struct workload self = { "triangle_count", "nodes", 512, 16, 16384 };

/* Common elements of two ascending lists. */
__host__ __device__ static int common(const int *a, int na, const int *b,
				      int nb)
{
	int i = 0, j = 0, found = 0;

	while (i < na && j < nb) {
		found += a[i] == b[j];
		int step = a[i] <= b[j];
		j += a[i] >= b[j];
		i += step;
	}
	return found;
}

__global__ void count_merge(int edges, const int2 *edge, const int *start,
			    const int *list, int *found)
{
	int e = blockIdx.x * blockDim.x + threadIdx.x;

	if (e >= edges)
		return;
	int a = edge[e].x, b = edge[e].y;
	found[e] = common(list + start[a], start[a + 1] - start[a],
			  list + start[b], start[b + 1] - start[b]);
}

__global__ void count_search(int edges, const int2 *edge, const int *start,
			     const int *list, int *found)
{
	int e = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
	int lane = threadIdx.x % WARP, sum = 0;

	if (e >= edges)
		return;
	int a = edge[e].x, b = edge[e].y;
	for (int i = start[a] + lane; i < start[a + 1]; i += WARP) {
		int low = start[b], high = start[b + 1], key = list[i];

		while (low < high) {
			int middle = (low + high) / 2;

			if (list[middle] < key)
				low = middle + 1;
			else
				high = middle;
		}
		sum += low < start[b + 1] && list[low] == key;
	}
	sum = __reduce_add_sync(ALL, sum);
	if (lane == 0)
		found[e] = sum;
}

/* Upper neighbours of each node, ascending; 4 to 35 of them, fewer at the end. */
static int make_lists(int nodes, int *start, int *list, int2 *edge)
{
	uint64_t random = 1;
	int n = 0;

	for (int a = 0; a < nodes; a++) {
		int wanted = 4 + random_below(&random, 32);

		start[a] = n;
		for (int b = a + 1; b < nodes; b++) {
			if ((int)random_below(&random, nodes / 4) >= wanted)
				continue;
			edge[n].x = a;
			edge[n].y = b;
			list[n++] = b;
		}
	}
	start[nodes] = n;
	return n;
}

int main(int argc, char **argv)
{
	int nodes = size_arg(&self, argc, argv);
	array<int> start(nodes + 1), list(nodes * nodes / 2);
	array<int2> edge(nodes * nodes / 2);
	int edges = make_lists(nodes, start.host, list.host, edge.host);
	array<int> found(edges), want(edges);

	start.upload();
	list.upload();
	edge.upload();
	for (int e = 0; e < edges; e++) {
		int a = edge[e].x, b = edge[e].y;

		want[e] = common(&list[start[a]], start[a + 1] - start[a],
				 &list[start[b]], start[b + 1] - start[b]);
	}
	for (int part = 16; part >= 1; part /= 4) {
		int n = edges / part;

		count_merge<<<blocks_of(n, THREADS), THREADS>>>(n, edge.device,
								start.device,
								list.device,
								found.device);
		CHECK_LAUNCH();
		found.download();
		check_exact(&self, found.host, want.host, n, "merge");
		found.fill(0);
		count_search<<<blocks_of(n, THREADS / WARP), THREADS>>>(
			n, edge.device, start.device, list.device,
			found.device);
		CHECK_LAUNCH();
		found.download();
		check_exact(&self, found.host, want.host, n, "search");
	}
	return report(&self);
}
