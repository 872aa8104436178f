/* Bitonic sort: a launch for each step. */
#include "common.h"

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	int log = read_size(argc, argv, "bitonic_sort", 11, 7, 20, 1);
	size_t n = (size_t)1 << log;
	uint32_t *data = allocate(n * 4), *got = allocate(n * 4);
	cl_kernel k;
	cl_mem m;

	for (size_t i = 0; i < n; i++)
		data[i] = random_bits();
	open_device("");
	m = buffer(n * 4, data);
	k = find_kernel("bitonic_step");
	for (int stage = 0; stage < log; stage++)
		for (int distance = 1 << stage; distance; distance /= 2) {
			set_args(k, "mii", m, stage, distance);
			run_1d(k, n / 2, 64);
		}
	read_back(m, n * 4, got);
	qsort(data, n, 4, ascending);
	return compare_ints((int *)got, (int *)data, n);
}
