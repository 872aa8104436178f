/*
 * Sparse matrix times vector, y = A x, the matrix in compressed sparse rows:
 * once with a thread for each row ("scalar"), once with a warp for each row
 * ("vector"), the two classic kernels of Bell and Garland's study. Most rows
 * are short and one in sixteen is long, so that the first suffers from
 * divergence and uncoalesced loads, and the second from idle lanes.
 *
 * SIZE: rows and columns of the matrix. Both results are compared with a sum
 * in double precision. All terms are positive, so the error of a row of L
 * terms is below L * 2^-24 of the sum: 256 terms, 1.6e-5.
 */
#include "common.h"

#define THREADS 128
#define WARP 32
#define LONGEST 256

static struct workload self = { "spmv", "rows and columns", 2048, 1, 1 << 22 };

struct csr {
	int *start; /* rows + 1 */
	int *column;
	float *value;
};

__global__ void spmv_scalar(int rows, const int *start, const int *column,
			    const float *value, const float *x, float *y)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;

	if (row >= rows)
		return;
	float sum = 0;
	for (int i = start[row]; i < start[row + 1]; i++)
		sum += value[i] * x[column[i]];
	y[row] = sum;
}

__global__ void spmv_vector(int rows, const int *start, const int *column,
			    const float *value, const float *x, float *y)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
	int lane = threadIdx.x % WARP;

	if (row >= rows)
		return;
	float sum = 0;
	for (int i = start[row] + lane; i < start[row + 1]; i += WARP)
		sum += value[i] * x[column[i]];
	for (int d = WARP / 2; d > 0; d /= 2)
		sum += __shfl_down_sync(0xffffffff, sum, d);
	if (lane == 0)
		y[row] = sum;
}

/* 4 to 19 entries in most rows, up to LONGEST in some. */
static int row_length(int columns, uint64_t *random)
{
	int length = 4 + random_below(random, 16);

	if (random_below(random, 16) == 0)
		length = 64 + random_below(random, LONGEST - 63);
	return length < columns ? length : columns;
}

/* The columns of a row ascend: one from each of equal intervals. */
static struct csr make_matrix(int n)
{
	uint64_t random = 1;
	struct csr m;

	m.start = host_alloc<int>(n + 1);
	for (int r = 0; r < n; r++)
		m.start[r + 1] = m.start[r] + row_length(n, &random);
	m.column = host_alloc<int>(m.start[n]);
	m.value = host_alloc<float>(m.start[n]);
	for (int r = 0; r < n; r++) {
		int first = m.start[r], length = m.start[r + 1] - first;
		int step = n / length;

		for (int i = 0; i < length; i++)
			m.column[first + i] =
				i * step + random_below(&random, step);
	}
	random_floats(m.value, m.start[n], 0, 1, 2);
	return m;
}

static void expected(int rows, const struct csr *m, const float *x, float *y)
{
	for (int r = 0; r < rows; r++) {
		double sum = 0;

		for (int i = m->start[r]; i < m->start[r + 1]; i++)
			sum += (double)m->value[i] * x[m->column[i]];
		y[r] = (float)sum;
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	struct csr m = make_matrix(n);
	float *x = host_alloc<float>(n), *y = host_alloc<float>(n);
	float *want = host_alloc<float>(n);

	random_floats(x, n, 0, 1, 3);
	expected(n, &m, x, want);

	int *start = device_copy(m.start, n + 1);
	int *column = device_copy(m.column, m.start[n]);
	float *value = device_copy(m.value, m.start[n]);
	float *dx = device_copy(x, n), *dy = device_alloc<float>(n);

	spmv_scalar<<<blocks_of(n, THREADS), THREADS>>>(n, start, column, value,
							dx, dy);
	CHECK_LAUNCH();
	from_device(y, dy, n);
	check_close(&self, y, want, n, 2e-5, 0, "scalar");

	CHECK(cudaMemset(dy, 0, n * sizeof(float)));
	spmv_vector<<<blocks_of(n, THREADS / WARP), THREADS>>>(n, start, column,
							       value, dx, dy);
	CHECK_LAUNCH();
	from_device(y, dy, n);
	check_close(&self, y, want, n, 2e-5, 0, "vector");

	cudaFree(start);
	cudaFree(column);
	cudaFree(value);
	cudaFree(dx);
	cudaFree(dy);
	free(m.start);
	free(m.column);
	free(m.value);
	free(x);
	free(y);
	free(want);
	return report(&self);
}
