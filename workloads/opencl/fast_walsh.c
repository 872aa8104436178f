/* The fast Walsh transform. Small integers: every sum is exact. */
#include "common.h"

int main(int argc, char **argv)
{
	int log = read_size(argc, argv, "fast_walsh", 10, 7, 16, 1);
	int n = 1 << log;
	float *in = allocate((size_t)n * 4), *got = allocate((size_t)n * 4);
	float *want = allocate((size_t)n * 4);
	cl_kernel k;
	cl_mem m;

	for (int i = 0; i < n; i++)
		in[i] = (float)(int)(random_bits() % 17) - 8;
	open_device("");
	m = buffer((size_t)n * 4, in);
	k = find_kernel("fast_walsh");
	for (int step = 1; step < n; step *= 2) {
		set_args(k, "mi", m, step);
		run_1d(k, n / 2, 64);
	}
	read_back(m, (size_t)n * 4, got);
	/* By definition: the sign is the parity of the common bits. */
	for (int i = 0; i < n; i++)
		for (int x = 0; x < n; x++)
			want[i] += __builtin_parity((unsigned)(i & x)) ?
					   -in[x] :
					   in[x];
	return compare_floats(got, want, n, 0);
}
