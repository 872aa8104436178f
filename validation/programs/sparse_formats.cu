/*
 * Sparse matrix times vector in two formats: padded rows stored by columns (ELL,
 * a thread for each row) and a list of coordinates (COO, a thread for each
 * element, summed by atomics).
 *
 * SIZE: rows and columns of the largest matrix. Elements are multiples of 1/64:
 * nothing is rounded, and the order of atomics does not matter.
 */
#include "common.h"

#define THREADS 256
#define WIDTH 12 /* of padded rows */

static struct workload self = { "sparse_formats", "rows", 65536, 256, 1 << 20 };

__global__ void ell(int rows, const int *column, const float *value,
		    const float *x, float *y)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;

	if (row >= rows)
		return;
	float sum = 0;
	for (int i = 0; i < WIDTH; i++) {
		int c = column[i * rows + row];

		if (c >= 0)
			sum += value[i * rows + row] * x[c];
	}
	y[row] = sum;
}

__global__ void coo(int n, const int *row, const int *column,
		    const float *value, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomicAdd(&y[row[i]], value[i] * x[column[i]]);
}

static void multiply(int rows, uint64_t random)
{
	array<int> padded(rows * WIDTH), row(rows * WIDTH);
	array<int> column(rows * WIDTH);
	array<float> padded_value(rows * WIDTH), value(rows * WIDTH);
	array<float> x(rows), y(rows), want(rows);
	int n = 0;

	random_exact(x, random);
	for (int r = 0; r < rows; r++) {
		int length = 4 + random_below(&random, WIDTH - 3);

		for (int i = 0; i < WIDTH; i++) {
			int at = i * rows + r;

			padded[at] = -1;
			if (i >= length)
				continue;
			column[n] = padded[at] = random_below(&random, rows);
			value[n] = padded_value[at] =
				((int)random_below(&random, 129) - 64) / 64.0f;
			row[n] = r;
			want[r] += value[n] * x[column[n]];
			n++;
		}
	}
	padded.upload();
	padded_value.upload();
	row.upload();
	column.upload();
	value.upload();
	x.upload();

	ell<<<blocks_of(rows, THREADS), THREADS>>>(
		rows, padded.device, padded_value.device, x.device, y.device);
	CHECK_LAUNCH();
	y.download();
	check_exact(&self, y.host, want.host, rows, "ELL");

	y.fill(0);
	coo<<<blocks_of(n, THREADS), THREADS>>>(
		n, row.device, column.device, value.device, x.device, y.device);
	CHECK_LAUNCH();
	y.download();
	check_exact(&self, y.host, want.host, rows, "COO");
}

int main(int argc, char **argv)
{
	int rows = size_arg(&self, argc, argv);

	multiply(rows / 64, 1);
	multiply(rows / 8, 2);
	multiply(rows, 3);
	return report(&self);
}
