/*
 * y = A^T (A x), and the two products s = A^T r, q = A p of a biconjugate
 * gradient step, as PolyBench has them: a thread for each row, whose neighbours
 * read whole lines apart, and a thread for each column, whose neighbours read
 * neighbours.
 *
 * SIZE: rows of the largest matrix; it has half as many columns.
 */
#include "common.h"

static struct workload self = { "atax", "rows", 1536, 64, 16384 };

__global__ void product(int rows, int columns, const float *a, const float *x,
			float *out)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;

	if (row < rows) {
		float sum = 0;

		for (int k = 0; k < columns; k++)
			sum += a[row * columns + k] * x[k];
		out[row] = sum;
	}
}

__global__ void transposed(int rows, int columns, const float *a,
			   const float *x, float *out)
{
	int column = blockIdx.x * blockDim.x + threadIdx.x;

	if (column < columns) {
		out[column] = 0;
		for (int k = 0; k < rows; k++)
			out[column] += a[k * columns + column] * x[k];
	}
}

/* Row or column sums of what A and x make, on the host. */
static void expect(const array<float> &a, int rows, int columns, const float *x,
		   float *out, bool turned)
{
	for (int i = 0; i < (turned ? columns : rows); i++) {
		double sum = 0;

		for (int k = 0; k < (turned ? rows : columns); k++)
			sum += (double)a[turned ? k * columns + i :
						  i * columns + k] *
			       x[k];
		out[i] = (float)sum;
	}
}

static void solve(int rows, int columns, int threads)
{
	array<float> a((size_t)rows * columns), x(columns), r(rows), t(rows),
		y(columns), s(columns), want(rows + columns);

	random_floats(a, 0, 1, rows);
	random_floats(x, 0, 1, rows + 1);
	random_floats(r, 0, 1, rows + 2);
	a.upload();
	x.upload();
	r.upload();
	product<<<blocks_of(rows, threads), threads>>>(rows, columns, a.device,
						       x.device, t.device);
	transposed<<<blocks_of(columns, threads), threads>>>(
		rows, columns, a.device, t.device, y.device);
	transposed<<<blocks_of(columns, threads), threads>>>(
		rows, columns, a.device, r.device, s.device);
	CHECK_LAUNCH();

	expect(a, rows, columns, x.host, want.host, false);
	t.download();
	check_close(&self, t.host, want.host, rows, 1e-4, 0, "A x");
	expect(a, rows, columns, t.host, want.host, true);
	y.download();
	check_close(&self, y.host, want.host, columns, 1e-4, 0, "A^T A x");
	expect(a, rows, columns, r.host, want.host, true);
	s.download();
	check_close(&self, s.host, want.host, columns, 1e-4, 0, "A^T r");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	solve(n / 8, n / 16, 256);
	solve(n / 2, n / 4, 64);
	solve(n, n / 2, 256);
	return report(&self);
}
