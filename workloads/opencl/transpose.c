/* Transposition through local memory whose rows are one element longer. */
#include "common.h"

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "transpose", 128, 16, 4096, 16);
	int height = 2 * n;
	size_t count = (size_t)n * height, bytes = count * sizeof(float);
	float *a = allocate(bytes), *b = allocate(bytes);
	float *want = allocate(bytes);
	cl_mem from, to;
	cl_kernel k;

	for (size_t i = 0; i < count; i++)
		a[i] = random_float(0, 1000);
	open_device("");
	from = buffer(bytes, a);
	to = buffer(bytes, NULL);
	k = find_kernel("transpose");
	set_args(k, "mmiil", from, to, n, height, 16 * 17 * sizeof(float));
	run_2d(k, n, height, 16, 16);
	read_back(to, bytes, b);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < n; x++)
			want[(size_t)x * height + y] = a[(size_t)y * n + x];
	return compare_floats(b, want, count, 0);
}
