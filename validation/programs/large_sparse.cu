/*
 * A sparse matrix that does not fit the caches, times a vector: padded rows by
 * columns (ELL) with a band around the diagonal, the same with columns from
 * everywhere, and rows in sequence with eight threads for each (CSR).
 *
 * SIZE: rows, a multiple of 32. Elements are multiples of 1/64: sums are exact.
 */
#include "common.h"

#define WIDTH 8
#define THREADS 256

static struct workload self = { "large_sparse", "rows", 1 << 19, 1024,
				1 << 22 };

__global__ void ell(int rows, const int *column, const float *value,
		    const float *x, float *y)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (row >= rows)
		return;
	for (int i = 0; i < WIDTH; i++)
		sum += value[i * rows + row] * x[column[i * rows + row]];
	y[row] = sum;
}

__global__ void csr_8(int rows, const int *start, const int *column,
		      const float *value, const float *x, float *y)
{
	int thread = blockIdx.x * blockDim.x + threadIdx.x;
	int row = thread / 8, lane = thread % 8;
	float sum = 0;

	if (row >= rows)
		return;
	for (int i = start[row] + lane; i < start[row + 1]; i += 8)
		sum += value[i] * x[column[i]];
	for (int d = 4; d > 0; d /= 2)
		sum += __shfl_xor_sync(ALL, sum, d);
	if (lane == 0)
		y[row] = sum;
}

/* Columns lie within `band` of the diagonal, or anywhere. */
static void run(int rows, int band)
{
	array<int> column((size_t)rows * WIDTH), start(rows + 1);
	array<float> value(column.n), x(rows), y(rows), want(rows);
	uint64_t random = rows + band;

	random_exact(value, 1);
	random_exact(x, 2);
	for (int r = 0; r < rows; r++)
		for (int i = 0; i < WIDTH; i++) {
			int c = band ? r - band / 2 +
						(int)random_below(&random,
								  band) :
				       (int)random_below(&random, rows);

			column[i * rows + r] = (c + rows) % rows;
		}
	column.upload();
	value.upload();
	x.upload();
	for (int r = 0; r < rows; r++)
		for (int i = 0; i < WIDTH; i++)
			want[r] +=
				value[i * rows + r] * x[column[i * rows + r]];
	ell<<<blocks_of(rows, THREADS), THREADS>>>(
		rows, column.device, value.device, x.device, y.device);
	CHECK_LAUNCH();
	y.download();
	check_exact(&self, y.host, want.host, rows, "ELL");
	if (!band)
		return;

	/* The same numbers, taken as rows of 0 to 16 elements. */
	for (int r = 0; r < rows; r++) {
		int end = start[r] + random_below(&random, 2 * WIDTH + 1);

		start[r + 1] = end < (int)column.n ? end : (int)column.n;
		want[r] = 0;
		for (int i = start[r]; i < start[r + 1]; i++)
			want[r] += value[i] * x[column[i]];
	}
	start.upload();
	csr_8<<<blocks_of(rows * 8, THREADS), THREADS>>>(rows, start.device,
							 column.device,
							 value.device, x.device,
							 y.device);
	CHECK_LAUNCH();
	y.download();
	check_exact(&self, y.host, want.host, rows, "CSR");
}

int main(int argc, char **argv)
{
	int rows = size_arg(&self, argc, argv) / 32 * 32;

	run(rows, 512);
	run(rows / 4 / 32 * 32, 0);
	return report(&self);
}
