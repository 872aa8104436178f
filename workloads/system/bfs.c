/* Breadth-first search, level by level, until a level changes nothing. */
#include "common.h"

enum { DEGREE = 8, UNSEEN = -1 };

struct graph {
	int n;
	int *first, *edges;
};

static struct graph make_graph(int n)
{
	struct graph g = { n, allocate(((size_t)n + 1) * sizeof(int)),
			   allocate((size_t)n * DEGREE * sizeof(int)) };

	for (int i = 0; i < n; i++) {
		int count = 1 + (int)(random_bits() % (DEGREE - 1));

		g.first[i + 1] = g.first[i] + count;
		for (int e = g.first[i]; e < g.first[i + 1]; e++)
			g.edges[e] =
				(int)((uint64_t)random_bits() * (unsigned)n >>
				      32);
	}
	return g;
}

/* Two threads may reach a node: both write the same. */
static int load(const int *from)
{
	return __atomic_load_n(from, __ATOMIC_RELAXED);
}

static void store(int *to, int v)
{
	__atomic_store_n(to, v, __ATOMIC_RELAXED);
}

static int expand(const struct graph *g, int *distance, int node, int level)
{
	int changed = 0;

	for (int e = g->first[node]; e < g->first[node + 1]; e++) {
		int *to = &distance[g->edges[e]];

		if (load(to) == UNSEEN) {
			store(to, level + 1);
			changed = 1;
		}
	}
	return changed;
}

static int next_level(const struct graph *g, int *distance, int level)
{
	int changed = 0;

#pragma omp parallel for reduction(| : changed)
	for (int node = 0; node < g->n; node++)
		if (load(&distance[node]) == level)
			changed |= expand(g, distance, node, level);
	return changed;
}

/* With a queue, by one thread. */
static void reference(const struct graph *g, int *distance, int *queue)
{
	int head = 0, tail = 1;

	distance[0] = 0;
	while (head < tail) {
		int node = queue[head++];

		for (int e = g->first[node]; e < g->first[node + 1]; e++) {
			int to = g->edges[e];

			if (distance[to] != UNSEEN)
				continue;
			distance[to] = distance[node] + 1;
			queue[tail++] = to;
		}
	}
}

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "bfs", 32768, 1, 1 << 22, 1);
	struct graph g = make_graph(n);
	int *distance = allocate((size_t)n * sizeof(int));
	int *want = allocate((size_t)n * sizeof(int));
	int *queue = allocate((size_t)n * sizeof(int));

	for (int i = 0; i < n; i++)
		distance[i] = want[i] = UNSEEN;
	distance[0] = 0;
	section_begin();
	for (int level = 0; next_level(&g, distance, level); level++)
		;
	section_end();
	reference(&g, want, queue);
	return compare_ints(distance, want, (size_t)n);
}
