/* The discrete cosine transform of an image, block by block. */
#include "common.h"

static double coefficient(int row, int column)
{
	const double pi = 3.14159265358979323846;

	return (row ? sqrt(0.25) : sqrt(0.125)) *
	       cos((2 * column + 1) * row * pi / 16);
}

static float reference(const float *in, int n, int x, int y)
{
	const float *block = in + (y / 8 * 8) * n + x / 8 * 8;
	double sum = 0;

	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			sum += coefficient(y % 8, i) * coefficient(x % 8, j) *
			       block[i * n + j];
	return (float)sum;
}

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "dct", 64, 8, 2048, 8);
	size_t bytes = (size_t)n * n * 4;
	float *in = allocate(bytes), *got = allocate(bytes);
	float *want = allocate(bytes), t[64];
	cl_mem mi, mo, mt;
	cl_kernel k;

	for (int i = 0; i < 64; i++)
		t[i] = (float)coefficient(i / 8, i % 8);
	for (int i = 0; i < n * n; i++)
		in[i] = random_float(-128, 127);
	open_device("");
	mi = buffer(bytes, in);
	mo = buffer(bytes, NULL);
	mt = buffer(sizeof(t), t);
	k = find_kernel("dct");
	set_args(k, "mmmi", mi, mo, mt, n);
	run_2d(k, n, n, 8, 8);
	read_back(mo, bytes, got);
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++)
			want[y * n + x] = reference(in, n, x, y);
	return compare_floats(got, want, (size_t)n * n, 1e-4);
}
