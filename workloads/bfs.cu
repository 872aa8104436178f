/*
 * Breadth-first search from node 0 of a random directed graph, level by level
 * with a frontier of flags, after Harish and Narayanan: a thread for each node;
 * those in the frontier visit their neighbours, and a second kernel makes the
 * new neighbours the next frontier. The host launches until there are none.
 *
 * Degrees are uneven (a few nodes have sixteen times the edges), so that
 * warps diverge and loads do not coalesce.
 *
 * SIZE: nodes, any.
 * Check: the levels from a queue on the CPU, exactly.
 */
#include "common.h"

#define THREADS 256
#define DEGREE 4

static struct workload self = { "bfs", "nodes", 8192, 1, 1 << 24 };

/* The neighbours of node v are target[first[v]] to target[first[v + 1] - 1]. */
struct graph {
	int nodes;
	int *first, *target;
};

__global__ void expand(struct graph g, const char *frontier, char *found,
		       const int *level)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= g.nodes || !frontier[v])
		return;
	for (int e = g.first[v]; e < g.first[v + 1]; e++) {
		int u = g.target[e];

		/* Several threads may find it: all write the same value. */
		if (level[u] < 0)
			found[u] = 1;
	}
}

__global__ void advance(int nodes, char *frontier, char *found, int *level,
			int depth, int *any)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= nodes)
		return;
	frontier[v] = found[v];
	if (found[v]) {
		found[v] = 0;
		level[v] = depth;
		*any = 1;
	}
}

/* Every node has DEGREE edges or, one of sixteen, sixteen times as many. */
static struct graph random_graph(int nodes)
{
	struct graph g = { nodes, host_alloc<int>(nodes + 1), NULL };
	uint64_t seed = 1;

	for (int v = 0; v < nodes; v++)
		g.first[v + 1] =
			g.first[v] +
			(random_below(&seed, 16) ? DEGREE : 16 * DEGREE);
	g.target = host_alloc<int>(g.first[nodes]);
	for (int e = 0; e < g.first[nodes]; e++)
		g.target[e] = random_below(&seed, nodes);
	return g;
}

static void search(struct graph host, int *level)
{
	int n = host.nodes, blocks = blocks_of(n, THREADS), found_any = 1;
	struct graph g = { n, device_copy(host.first, n + 1),
			   device_copy(host.target, host.first[n]) };
	char *frontier = device_alloc<char>(n), *found = device_alloc<char>(n);
	int *any = device_alloc<int>(1);
	int *levels = device_copy(level, n);

	CHECK(cudaMemset(frontier, 0, n));
	CHECK(cudaMemset(found, 0, n));
	CHECK(cudaMemset(frontier, 1, 1)); /* node 0 */
	for (int depth = 1; found_any; depth++) {
		CHECK(cudaMemset(any, 0, sizeof *any));
		expand<<<blocks, THREADS>>>(g, frontier, found, levels);
		CHECK_LAUNCH();
		advance<<<blocks, THREADS>>>(n, frontier, found, levels, depth,
					     any);
		CHECK_LAUNCH();
		from_device(&found_any, any, 1);
	}
	from_device(level, levels, n);
	CHECK(cudaFree(g.first));
	CHECK(cudaFree(g.target));
	CHECK(cudaFree(frontier));
	CHECK(cudaFree(found));
	CHECK(cudaFree(any));
	CHECK(cudaFree(levels));
}

static void search_cpu(struct graph g, int *level)
{
	int *queue = host_alloc<int>(g.nodes);
	int head = 0, tail = 0;

	queue[tail++] = 0;
	while (head < tail) {
		int v = queue[head++];

		for (int e = g.first[v]; e < g.first[v + 1]; e++) {
			int u = g.target[e];

			if (level[u] >= 0)
				continue;
			level[u] = level[v] + 1;
			queue[tail++] = u;
		}
	}
	free(queue);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	struct graph g = random_graph(n);
	int *got = host_alloc<int>(n), *want = host_alloc<int>(n);

	/* -1: not reached; some nodes never are. */
	for (int v = 0; v < n; v++)
		got[v] = want[v] = v ? -1 : 0;
	search(g, got);
	search_cpu(g, want);
	check_exact(&self, got, want, n);
	free(g.first);
	free(g.target);
	free(got);
	free(want);
	return report(&self);
}
