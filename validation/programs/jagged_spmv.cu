/*
 * A sparse matrix times a vector in jagged diagonals (Parboil's spmv): rows are
 * sorted by their length, the first entries of all rows lie together, then the
 * second ones; lengths are kept for each warp, starts of diagonals in constant
 * memory. And the same in double precision with rows padded to the longest.
 *
 * SIZE: rows of the larger matrix.
 */
#include <algorithm>

#include "common.h"

#define LONGEST 48
#define THREADS 192

static struct workload self = { "jagged_spmv", "rows", 20000, 64, 1 << 20 };

__constant__ int diagonals[LONGEST + 1];

__global__ void jagged(int n, const float *data, const int *column,
		       const int *length, const int *row, const float *x,
		       float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		float sum = 0;
		int count = length[i];

		for (int k = 0; k < count; k++) {
			int at = diagonals[k] + i;

			sum += data[at] * __ldg(&x[column[at]]);
		}
		y[row[i]] = sum;
	}
}

__global__ void padded(int n, int width, const double *data, const int *column,
		       const double *x, double *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	double sum = 0;

	if (i >= n)
		return;
	for (int k = 0; k < width; k++)
		if (column[k * n + i] >= 0)
			sum += data[k * n + i] * x[column[k * n + i]];
	y[i] = sum;
}

static void multiply(int n)
{
	array<int> length(n), row(n), columns((size_t)n * LONGEST);
	array<int> jagged_column(columns.n), of(n);
	array<float> x(n), y(n), data(columns.n), want(n);
	array<double> wide(columns.n), dx(n), dy(n), dwant(n);
	int start[LONGEST + 1] = { 0 };
	uint64_t seed = n;

	for (int i = 0; i < n; i++) {
		row[i] = i;
		of[i] = 1 + random_below(&seed, 1 + random_below(&seed, 12));
		if (random_below(&seed, 100) == 0)
			of[i] = LONGEST;
	}
	std::stable_sort(row.host, row.host + n,
			 [&of](int a, int b) { return of[a] > of[b]; });
	for (int k = 0; k < LONGEST; k++) {
		int rows = 0;

		while (rows < n && of[row[rows]] > k)
			rows++;
		start[k + 1] = start[k] + rows;
	}
	random_floats(x, -1, 1, n + 1);
	for (int i = 0; i < n; i++)
		dx[i] = x[i];
	for (size_t i = 0; i < columns.n; i++)
		columns[i] = -1;
	for (int i = 0; i < n; i++) {
		int r = row[i];

		length[i] = of[r];
		for (int k = 0; k < of[r]; k++) {
			int c = random_below(&seed, n), at = start[k] + i;
			float value = random_float(&seed);

			jagged_column[at] = columns[k * n + r] = c;
			data[at] = value;
			wide[k * n + r] = value;
			dwant[r] += (double)value * x[c];
		}
		want[r] = (float)dwant[r];
	}
	length.upload();
	row.upload();
	columns.upload();
	jagged_column.upload();
	x.upload();
	dx.upload();
	data.upload();
	wide.upload();
	CHECK(cudaMemcpyToSymbol(diagonals, start, sizeof start));
	int blocks = blocks_of(n, THREADS);
	jagged<<<blocks, THREADS>>>(n, data.device, jagged_column.device,
				    length.device, row.device, x.device,
				    y.device);
	padded<<<blocks, THREADS>>>(n, LONGEST, wide.device, columns.device,
				    dx.device, dy.device);
	CHECK_LAUNCH();
	y.download();
	dy.download();
	check_close(&self, y.host, want.host, n, 1e-4, 1e-5, "jagged");
	check_close(&self, dy.host, dwant.host, n, 1e-12, 1e-12, "padded");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	multiply(n / 40);
	multiply(n);
	return report(&self);
}
