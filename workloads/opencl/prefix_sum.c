/* Exclusive prefix sums: within groups by a tree, then across groups. */
#include "common.h"

enum { GROUP = 64 };

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "prefix_sum", 4096, 128, 1 << 17, 128);
	size_t bytes = (size_t)n * 4;
	int *in = allocate(bytes), *got = allocate(bytes);
	int *want = allocate(bytes);
	cl_kernel scan, add;
	cl_mem mi, mo, mt;

	for (int i = 0; i < n; i++) {
		in[i] = (int)(random_bits() % 100);
		want[i] = i ? want[i - 1] + in[i - 1] : 0;
	}
	open_device("");
	mi = buffer(bytes, in);
	mo = buffer(bytes, NULL);
	mt = buffer(bytes / (2 * GROUP), NULL);
	scan = find_kernel("scan_groups");
	set_args(scan, "mmml", mi, mo, mt, (size_t)2 * GROUP * 4);
	run_1d(scan, n / 2, GROUP);
	add = find_kernel("add_totals");
	set_args(add, "mm", mo, mt);
	run_1d(add, n, 2 * GROUP);
	read_back(mo, bytes, got);
	return compare_ints(got, want, n);
}
