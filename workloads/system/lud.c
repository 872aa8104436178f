/* LU decomposition without pivoting; L * (U * v) must be A * v. */
#include "common.h"

/* Column k of L, and with it the rest of the matrix: one step of elimination. */
static void eliminate(float *a, int n, int k)
{
	const float *pivot = a + k * n;

#pragma omp for
	for (int y = k + 1; y < n; y++) {
		float *row = a + y * n, l = row[k] / pivot[k];

		row[k] = l;
		for (int x = k + 1; x < n; x++)
			row[x] -= l * pivot[x];
	}
}

static void multiply(const float *a, const double *v, double *out, int n)
{
	for (int y = 0; y < n; y++) {
		double sum = 0;

		for (int x = 0; x < n; x++)
			sum += a[y * n + x] * v[x];
		out[y] = sum;
	}
}

static void multiply_lu(const float *lu, const double *v, double *out, int n)
{
	for (int y = 0; y < n; y++) {
		out[y] = 0;
		for (int x = y; x < n; x++)
			out[y] += lu[y * n + x] * v[x];
	}
	for (int y = n - 1; y >= 0; y--)
		for (int x = 0; x < y; x++)
			out[y] += lu[y * n + x] * out[x];
}

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "lud", 160, 2, 2048, 1);
	size_t bytes = (size_t)n * n * sizeof(float);
	double *v = allocate((size_t)n * sizeof(*v));
	double *got = allocate((size_t)n * sizeof(*got));
	double *want = allocate((size_t)n * sizeof(*want));
	float *a = allocate(bytes);

	for (int i = 0; i < n * n; i++)
		a[i] = random_float(-1, 1) +
		       (i % (n + 1) ? 0.0f : (float)n / 2); /* dominant */
	for (int i = 0; i < n; i++)
		v[i] = random_float(-1, 1);
	multiply(a, v, want, n);
	section_begin();
#pragma omp parallel
	for (int k = 0; k < n - 1; k++)
		eliminate(a, n, k);
	section_end();
	multiply_lu(a, v, got, n);
	for (int i = 0; i < n; i++)
		if (far(got[i], want[i], 1e-5))
			return wrong((size_t)i, got[i], want[i]);
	return finish();
}
