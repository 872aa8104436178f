/* The sum of an array, twice: to one number a group, then to one. */
#include "common.h"

enum { GROUP = 128, GROUPS = 16 };

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "reduction", 20000, 1, 1 << 22, 1);
	uint32_t *in = allocate((size_t)n * 4), got, want = 0;
	cl_kernel k;
	cl_mem mi, mp, mo;

	for (int i = 0; i < n; i++) {
		in[i] = random_bits();
		want += in[i];
	}
	open_device("");
	mi = buffer((size_t)n * 4, in);
	mp = buffer(GROUPS * 4, NULL);
	mo = buffer(4, NULL);
	k = find_kernel("reduction");
	set_args(k, "miml", mi, n, mp, (size_t)GROUP * 4);
	run_1d(k, GROUPS * GROUP, GROUP);
	set_args(k, "miml", mp, GROUPS, mo, (size_t)GROUP * 4);
	run_1d(k, GROUP, GROUP);
	read_back(mo, 4, &got);
	return compare_ints((int *)&got, (int *)&want, 1);
}
