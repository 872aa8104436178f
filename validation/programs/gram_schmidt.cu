/*
 * A = Q R by Gram and Schmidt, column by column, as PolyBench does it: a kernel of
 * one thread for the norm, one that divides the column, and one in which each
 * thread takes its part of the column from one of the columns behind it. Three small
 * launches for each column.
 *
 * SIZE: rows; there are as many columns as fit into 30 launches.
 */
#include "common.h"

#define COLUMNS 10
#define THREADS 256

static struct workload self = { "gram_schmidt", "rows", 192, 16, 4096 };

__global__ void norm_of(int rows, int columns, const double *a, double *r,
			int k)
{
	if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
		double sum = 0;

		for (int i = 0; i < rows; i++)
			sum += a[i * columns + k] * a[i * columns + k];
		r[k * columns + k] = sqrt(sum);
	}
}

__global__ void divide(int rows, int columns, const double *a, const double *r,
		       double *q, int k)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < rows)
		q[i * columns + k] = a[i * columns + k] / r[k * columns + k];
}

__global__ void subtract(int rows, int columns, double *a, double *r,
			 const double *q, int k)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;

	if (j > k && j < columns) {
		double sum = 0;

		for (int i = 0; i < rows; i++)
			sum += q[i * columns + k] * a[i * columns + j];
		r[k * columns + j] = sum;
		for (int i = 0; i < rows; i++)
			a[i * columns + j] -= q[i * columns + k] * sum;
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), columns = COLUMNS;
	array<double> a((size_t)n * columns), q(a.n), product(a.n);
	array<double> r((size_t)columns * columns), gram(r.n), unit(r.n);
	uint64_t seed = n;

	for (size_t i = 0; i < a.n; i++)
		a[i] = random_float(&seed) - 0.5;
	a.upload();
	r.fill(0);
	for (int k = 0; k < columns; k++) {
		norm_of<<<1, THREADS>>>(n, columns, a.device, r.device, k);
		divide<<<blocks_of(n, THREADS), THREADS>>>(
			n, columns, a.device, r.device, q.device, k);
		subtract<<<1, THREADS>>>(n, columns, a.device, r.device,
					 q.device, k);
		CHECK_LAUNCH();
	}
	q.download();
	r.download();
	for (int i = 0; i < n; i++)
		for (int j = 0; j < columns; j++)
			for (int k = 0; k < columns; k++)
				product[i * columns + j] +=
					q[i * columns + k] * r[k * columns + j];
	for (int j = 0; j < columns; j++)
		for (int k = 0; k < columns; k++)
			for (int i = 0; i < n; i++)
				gram[j * columns + k] +=
					q[i * columns + j] * q[i * columns + k];
	for (int k = 0; k < columns; k++)
		unit[k * columns + k] = 1;
	check_close(&self, product.host, a.host, a.n, 1e-10, 1e-12, "Q R");
	check_close(&self, gram.host, unit.host, gram.n, 1e-9, 1e-9, "Q^T Q");
	return report(&self);
}
