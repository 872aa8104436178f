/*
 * C = alpha (A B^T + B A^T) + beta C and C = alpha A A^T + beta C in double
 * precision, a thread for each element of the whole square, rows against rows
 * (PolyBench's syr2k and syrk).
 *
 * SIZE: rows of the larger matrix; it has half as many columns.
 */
#include "common.h"

static struct workload self = { "syr2k", "rows", 112, 16, 1024 };

#define ALPHA 0.75
#define BETA 0.5

__global__ void rank_two(int n, int m, const double *a, const double *b,
			 double *c)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;

	if (i >= n || j >= n)
		return;
	c[i * n + j] *= BETA;
	for (int k = 0; k < m; k++)
		c[i * n + j] += ALPHA * a[i * m + k] * b[j * m + k] +
				ALPHA * b[i * m + k] * a[j * m + k];
}

__global__ void rank_one(int n, int m, const double *a, double *c)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	double sum = 0;

	if (i >= n || j >= n)
		return;
	for (int k = 0; k < m; k++)
		sum += a[i * m + k] * a[j * m + k];
	c[i * n + j] = BETA * c[i * n + j] + ALPHA * sum;
}

static void update(int n)
{
	int m = n / 2;
	array<double> a((size_t)n * m), b(a.n), c((size_t)n * n), want(c.n);
	dim3 wide(32, 8), square(16, 16);
	uint64_t seed = n;

	for (size_t i = 0; i < a.n; i++) {
		a[i] = random_float(&seed);
		b[i] = random_float(&seed);
	}
	for (size_t i = 0; i < c.n; i++)
		c[i] = random_float(&seed);
	a.upload();
	b.upload();
	c.upload();
	rank_two<<<dim3(blocks_of(n, 32), blocks_of(n, 8)), wide>>>(
		n, m, a.device, b.device, c.device);
	rank_one<<<dim3(blocks_of(n, 16), blocks_of(n, 16)), square>>>(
		n, m, a.device, c.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double two = 0, one = 0;

			for (int k = 0; k < m; k++) {
				two += a[i * m + k] * b[j * m + k] +
				       b[i * m + k] * a[j * m + k];
				one += a[i * m + k] * a[j * m + k];
			}
			want[i * n + j] =
				BETA * (BETA * c[i * n + j] + ALPHA * two) +
				ALPHA * one;
		}
	c.download();
	check_close(&self, c.host, want.host, c.n, 1e-12);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	update(n / 2);
	update(n);
	return report(&self);
}
