/* LU decomposition without pivoting; L * U must give the matrix again. */
#include "common.h"

static size_t round_up(int v)
{
	return ((size_t)(v > 0 ? v : 1) + 15) / 16 * 16;
}

int main(int argc, char **argv)
{
	int n = read_choices(argc, argv, "lud", 32, 16, 512, 1);
	size_t count = (size_t)n * n, bytes = count * 4;
	float *a = allocate(bytes), *to = allocate(bytes), *want;
	const float *lu;
	float *product = allocate(bytes);
	cl_kernel column, eliminate;
	cl_mem m;

	for (int i = 0; i < n * n; i++)
		a[i] = random_float(-1, 1) +
		       (i % (n + 1) ? 0.0f : (float)n); /* dominant */
	want = keep(a, bytes);
	open_device("");
	m = buffer(bytes, a);
	column = find_kernel("column");
	eliminate = find_kernel("eliminate");
	for (int k = 0; k < n - 1; k++) {
		set_args(column, "mii", m, n, k);
		run_1d(column, round_up(n - 1 - k), 16);
		set_args(eliminate, "mii", m, n, k);
		run_2d(eliminate, round_up(n - 1 - k), round_up(n - 1 - k), 16,
		       16);
	}
	lu = results(m, bytes, to);
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			double sum = y <= x ? lu[y * n + x] : 0;

			for (int k = 0; k < y && k <= x; k++)
				sum += (double)lu[y * n + k] * lu[k * n + x];
			product[y * n + x] = (float)sum;
		}
	return compare_floats(product, want, count, 1e-4);
}
