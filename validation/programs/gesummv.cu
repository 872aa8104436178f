/*
 * y = alpha A x + beta B x with two matrices in double precision, a thread for
 * each row; then x1 += A y1 and x2 += A^T y2 (PolyBench's gesummv and mvt).
 *
 * SIZE: rows and columns.
 */
#include "common.h"

static struct workload self = { "gesummv", "rows and columns", 512, 32, 8192 };

#define ALPHA 1.5
#define BETA 1.25

__global__ void sum_of_products(int n, const double *a, const double *b,
				const double *x, double *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	double first = 0, second = 0;

	if (i >= n)
		return;
	for (int k = 0; k < n; k++) {
		first += a[i * n + k] * x[k];
		second += b[i * n + k] * x[k];
	}
	y[i] = ALPHA * first + BETA * second;
}

__global__ void add_rows(int n, const double *a, const double *y, double *x)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		for (int k = 0; k < n; k++)
			x[i] += a[i * n + k] * y[k];
}

__global__ void add_columns(int n, const double *a, const double *y, double *x)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		for (int k = 0; k < n; k++)
			x[i] += a[k * n + i] * y[k];
}

static void solve(int n, int threads)
{
	array<double> a((size_t)n * n), b(a.n), x(n), y(n), x1(n), x2(n);
	array<double> want(n), rows(n), columns(n);
	uint64_t seed = n;

	for (size_t i = 0; i < a.n; i++) {
		a[i] = random_float(&seed);
		b[i] = random_float(&seed);
	}
	for (int i = 0; i < n; i++)
		x[i] = x1[i] = x2[i] = random_float(&seed);
	a.upload();
	b.upload();
	x.upload();
	x1.upload();
	x2.upload();
	int blocks = blocks_of(n, threads);
	sum_of_products<<<blocks, threads>>>(n, a.device, b.device, x.device,
					     y.device);
	add_rows<<<blocks, threads>>>(n, a.device, x.device, x1.device);
	add_columns<<<blocks, threads>>>(n, a.device, x.device, x2.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++) {
		rows[i] = columns[i] = x[i];
		for (int k = 0; k < n; k++) {
			want[i] +=
				(ALPHA * a[i * n + k] + BETA * b[i * n + k]) *
				x[k];
			rows[i] += a[i * n + k] * x[k];
			columns[i] += a[k * n + i] * x[k];
		}
	}
	y.download();
	x1.download();
	x2.download();
	check_close(&self, y.host, want.host, n, 1e-12, 0, "sum");
	check_close(&self, x1.host, rows.host, n, 1e-12, 0, "rows");
	check_close(&self, x2.host, columns.host, n, 1e-12, 0, "columns");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	solve(n / 4, 32);
	solve(n, 256);
	return report(&self);
}
