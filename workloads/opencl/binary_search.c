/* A binary search by each work-item: divergence and scattered loads. */
#include "common.h"

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "binary_search", 4096, 64, 1 << 20, 64);
	size_t bytes = (size_t)n * 4;
	int *sorted = allocate(bytes), *keys = allocate(bytes);
	int *got = allocate(bytes), *want = allocate(bytes);
	cl_mem ms, mk, mf;
	cl_kernel k;

	for (int i = 0; i < n; i++) {
		sorted[i] = (i ? sorted[i - 1] : 0) + (int)(random_bits() % 5);
		keys[i] = (int)(random_bits() % (2 * (unsigned)n));
	}
	open_device("");
	ms = buffer(bytes, sorted);
	mk = buffer(bytes, keys);
	mf = buffer(bytes, NULL);
	k = find_kernel("binary_search");
	set_args(k, "mimm", ms, n, mk, mf);
	run_1d(k, n, 64);
	read_back(mf, bytes, got);
	/* The reference goes through all keys by their values. */
	for (int i = 0; i < n; i++) {
		int at = keys[i] / 2 < n ? keys[i] / 2 : n;

		while (at > 0 && sorted[at - 1] >= keys[i])
			at--;
		while (at < n && sorted[at] < keys[i])
			at++;
		want[i] = at;
	}
	return compare_ints(got, want, n);
}
