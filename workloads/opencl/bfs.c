/* Breadth-first search, level by level, until a level changes nothing. */
#include "common.h"

static int *first, *edges;

static void make_graph(int n, int degree)
{
	first = allocate(((size_t)n + 1) * 4);
	edges = allocate((size_t)n * degree * 4);
	for (int i = 0; i < n; i++) {
		int count = 1 + (int)(random_bits() % (unsigned)(degree - 1));

		first[i + 1] = first[i] + count;
		for (int e = first[i]; e < first[i + 1]; e++)
			edges[e] = (int)(random_bits() % (unsigned)n);
	}
}

static void reference(int *distance, int n)
{
	int *queue = allocate((size_t)n * 4), head = 0, tail = 1;

	memset(distance, 0xff, (size_t)n * 4);
	distance[0] = 0;
	while (head < tail) {
		int node = queue[head++];

		for (int e = first[node]; e < first[node + 1]; e++)
			if (distance[edges[e]] < 0) {
				distance[edges[e]] = distance[node] + 1;
				queue[tail++] = edges[e];
			}
	}
	free(queue);
}

int main(int argc, char **argv)
{
	int n = read_choices(argc, argv, "bfs", 3000, 1, 1 << 20, 1), again = 1;
	int *got = allocate((size_t)n * 4), *want = allocate((size_t)n * 4);
	cl_mem mf, me, md, mc;
	const int *changed, *found;
	cl_kernel k;

	make_graph(n, 8);
	memset(got, 0xff, (size_t)n * 4);
	got[0] = 0;
	open_device("");
	mf = buffer(((size_t)n + 1) * 4, first);
	me = buffer((size_t)n * 8 * 4, edges);
	md = buffer((size_t)n * 4, got);
	mc = buffer(4, NULL);
	k = find_kernel("expand");
	for (int level = 0; again; level++) {
		again = 0;
		put(mc, 4, &again);
		set_args(k, "mmmiim", mf, me, md, level, n, mc);
		run_1d(k, ((size_t)n + 127) / 128 * 128, 128);
		changed = results(mc, 4, &again);
		again = *changed;
		give_buffer(mc, changed);
	}
	found = results(md, (size_t)n * 4, got);
	reference(want, n);
	return compare_ints(found, want, n);
}
