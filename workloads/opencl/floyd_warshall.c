/* All shortest paths of a graph, and over which node each goes. */
#include "common.h"

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "floyd_warshall", 32, 16, 512, 16);
	size_t count = (size_t)n * n, bytes = count * 4;
	uint32_t *d = allocate(bytes), *via = allocate(bytes);
	uint32_t *got = allocate(bytes);
	cl_mem md, mv;
	cl_kernel k;

	for (size_t i = 0; i < count; i++) {
		d[i] = i % ((size_t)n + 1) ? random_bits() % 200 + 1 : 0;
		via[i] = (uint32_t)(i / (size_t)n);
	}
	open_device("");
	md = buffer(bytes, d);
	mv = buffer(bytes, via);
	k = find_kernel("floyd_warshall");
	for (int t = 0; t < n; t++) {
		set_args(k, "mmii", md, mv, n, t);
		run_2d(k, n, n, 16, 16);
	}
	read_back(md, bytes, got);
	for (int t = 0; t < n; t++)
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++)
				if (d[y * n + t] + d[t * n + x] < d[y * n + x])
					d[y * n + x] =
						d[y * n + t] + d[t * n + x];
	return compare_ints((int *)got, (int *)d, count);
}
