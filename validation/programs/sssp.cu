/*
 * Shortest paths from one node of a weighted graph: all edges are relaxed, again
 * and again, until no distance changes. Edges are a list (a thread for each) for
 * one graph, and sorted by their start (a warp for each node) for another.
 *
 * SIZE: nodes. The host uses Bellman and Ford's algorithm, too, in order.
 */
#include "common.h"

#define THREADS 256
#define DEGREE 8
#define FAR 0x3fffffff

static struct workload self = { "sssp", "nodes", 4096, 64, 1 << 18 };

struct edges {
	array<int> from, to, length;

	explicit edges(int n) : from(n), to(n), length(n)
	{
	}
};

__global__ void relax_edges(int n, const int *from, const int *to,
			    const int *length, int *distance, int *changed)
{
	int e = blockIdx.x * blockDim.x + threadIdx.x;

	if (e >= n)
		return;
	int start = distance[from[e]];
	if (start == FAR)
		return;
	int way = start + length[e];
	if (way < distance[to[e]] && way < atomicMin(&distance[to[e]], way))
		*changed = 1;
}

__global__ void relax_nodes(int nodes, const int *to, const int *length,
			    int *distance, int *changed)
{
	int node = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
	int lane = threadIdx.x % WARP;

	if (node >= nodes || distance[node] == FAR || lane >= DEGREE)
		return;
	int e = node * DEGREE + lane, way = distance[node] + length[e];
	if (way < atomicMin(&distance[to[e]], way))
		*changed = 1;
}

/* Half of the edges lead to a near node, so that paths are long. */
static void make_graph(struct edges &g, int nodes, uint64_t random)
{
	for (size_t e = 0; e < g.from.n; e++) {
		int node = e / DEGREE, far = random_below(&random, nodes);

		g.from[e] = node;
		g.to[e] = e % 8 ? (node + 1 + far % 1024) % nodes : far;
		g.length[e] = 1 + random_below(&random, 100);
	}
	g.from.upload();
	g.to.upload();
	g.length.upload();
}

/* Returns the rounds until nothing changes if no round sees what it changed
 * itself; a GPU, where it may, needs no more. */
static int expected(const struct edges &g, array<int> &distance)
{
	int *before = host_alloc<int>(distance.n), rounds = 0;

	for (bool changed = true; changed; rounds++) {
		changed = false;
		memcpy(before, distance.host, distance.n * sizeof(int));
		for (size_t e = 0; e < g.from.n; e++) {
			int way = before[g.from[e]] + g.length[e];

			if (way < distance[g.to[e]]) {
				distance[g.to[e]] = way;
				changed = true;
			}
		}
	}
	free(before);
	return rounds;
}

static void search(int nodes, bool by_node, uint64_t seed)
{
	int n = nodes * DEGREE;
	struct edges g(n);
	array<int> distance(nodes), want(nodes), changed(1);

	make_graph(g, nodes, seed);
	for (int i = 0; i < nodes; i++)
		distance[i] = want[i] = i ? FAR : 0;
	distance.upload();
	for (int round = expected(g, want); round > 0; round--) {
		changed.fill(0);
		if (by_node)
			relax_nodes<<<blocks_of(nodes, THREADS / WARP), THREADS>>>(
				nodes, g.to.device, g.length.device,
				distance.device, changed.device);
		else
			relax_edges<<<blocks_of(n, THREADS), THREADS>>>(
				n, g.from.device, g.to.device, g.length.device,
				distance.device, changed.device);
		CHECK_LAUNCH();
	}
	changed.download();
	if (changed[0])
		note_wrong(&self, 0, changed[0], 0, "the last round");
	distance.download();
	check_exact(&self, distance.host, want.host, nodes);
}

int main(int argc, char **argv)
{
	int nodes = size_arg(&self, argc, argv);

	search(nodes, false, 1);
	search(nodes / 2, true, 2);
	return report(&self);
}
