/* Matrix multiplication with tiles in local memory. */
#include "common.h"

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "matrix_mul", 64, 16, 2048, 16);
	size_t bytes = (size_t)n * n * sizeof(float);
	float *a = allocate(bytes), *b = allocate(bytes), *c = allocate(bytes);
	float *want = allocate(bytes);
	cl_mem ma, mb, mc;
	cl_kernel k;

	for (int i = 0; i < n * n; i++) {
		a[i] = random_float(-1, 1);
		b[i] = random_float(-1, 1);
	}
	open_device("");
	ma = buffer(bytes, a);
	mb = buffer(bytes, b);
	mc = buffer(bytes, NULL);
	k = find_kernel("matrix_mul");
	set_args(k, "mmmi", ma, mb, mc, n);
	run_2d(k, n, n, 16, 16);
	read_back(mc, bytes, c);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double sum = 0;

			for (int x = 0; x < n; x++)
				sum += (double)a[i * n + x] * b[x * n + j];
			want[i * n + j] = (float)sum;
		}
	return compare_floats(c, want, (size_t)n * n, 1e-4);
}
