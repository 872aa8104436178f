/*
 * Connected components: every node starts with its own number as label, edges
 * hook the larger of two labels' roots to the smaller by atomic minima, and a
 * second kernel makes paths short by jumping over parents.
 *
 * SIZE: nodes. Labels end as the smallest number in a component, whatever the
 * order of atomics; the host uses union by the smaller root.
 */
#include "common.h"

#define THREADS 256

static struct workload self = { "components", "nodes", 16384, 64, 1 << 20 };

__global__ void own_label(int n, int *label)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		label[i] = i;
}

__global__ void hook(int edges, const int2 *edge, int *label)
{
	int e = blockIdx.x * blockDim.x + threadIdx.x;

	if (e >= edges)
		return;
	int a = label[edge[e].x], b = label[edge[e].y];
	if (a != b)
		atomicMin(&label[max(a, b)], min(a, b));
}

__global__ void jump(int n, int *label)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	int at = label[i];
	while (label[at] < at)
		at = label[at];
	label[i] = at;
}

static int root(const int *parent, int i)
{
	while (parent[i] != i)
		i = parent[i];
	return i;
}

static void label_graph(int n, int edges, int rounds, uint64_t random)
{
	array<int2> edge(edges);
	array<int> label(n), want(n);
	int blocks = blocks_of(n, THREADS);

	for (int i = 0; i < n; i++)
		want[i] = i;
	for (int e = 0; e < edges; e++) {
		edge[e].x = random_below(&random, n);
		edge[e].y = random_below(&random, n);
		int a = root(want.host, edge[e].x);
		int b = root(want.host, edge[e].y);
		want[a < b ? b : a] = a < b ? a : b;
	}
	for (int i = 0; i < n; i++)
		want[i] = root(want.host, i);
	edge.upload();
	own_label<<<blocks, THREADS>>>(n, label.device);
	for (int r = 0; r < rounds; r++) {
		hook<<<blocks_of(edges, THREADS), THREADS>>>(edges, edge.device,
							     label.device);
		jump<<<blocks, THREADS>>>(n, label.device);
	}
	CHECK_LAUNCH();
	label.download();
	check_exact(&self, label.host, want.host, n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	label_graph(n / 16, n / 32, 6, 1); /* many small components */
	label_graph(n, n * 2, 6, 2);       /* one large one */
	return report(&self);
}
