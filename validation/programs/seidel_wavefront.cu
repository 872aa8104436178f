/*
 * Gauss-Seidel sweeps over a grid in double precision: a cell uses the new values
 * of its neighbours above and on the left, so that only the cells of an
 * antidiagonal are independent. A launch for each antidiagonal of a small grid; of a
 * larger one a single block, whose threads meet after each.
 *
 * SIZE: rows and columns of the larger grid.
 */
#include "common.h"

#define FEW 17 /* rows and columns of the grid with many launches */

static struct workload self = { "seidel_wavefront", "rows and columns", 130,
				FEW, 1026 };

__host__ __device__ static inline void relax(int n, double *u, int i, int j)
{
	u[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[i * n + j - 1] +
			       u[i * n + j + 1] + u[(i + 1) * n + j]);
}

/* The inner cells with i + j == d. */
__global__ void diagonal(int n, double *u, int d)
{
	int i = 1 + threadIdx.x;
	int j = d - i;

	if (i < n - 1 && j >= 1 && j < n - 1)
		relax(n, u, i, j);
}

__global__ void sweep(int n, double *u)
{
	for (int d = 2; d <= 2 * (n - 2); d++) {
		for (int i = 1 + threadIdx.x; i < n - 1; i += blockDim.x)
			if (d - i >= 1 && d - i < n - 1)
				relax(n, u, i, d - i);
		__syncthreads();
	}
}

static void smooth(int n, bool launches)
{
	array<double> u((size_t)n * n), want(u.n);
	uint64_t seed = n;

	for (size_t i = 0; i < u.n; i++)
		want[i] = u[i] = random_float(&seed);
	u.upload();
	if (launches)
		for (int d = 2; d <= 2 * (n - 2); d++)
			diagonal<<<1, 32>>>(n, u.device, d);
	else
		sweep<<<1, min(n, 1024)>>>(n, u.device);
	CHECK_LAUNCH();
	for (int i = 1; i < n - 1; i++)
		for (int j = 1; j < n - 1; j++)
			relax(n, want.host, i, j);
	u.download();
	check_close(&self, u.host, want.host, u.n, 1e-13);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	smooth(n, false);
	smooth(FEW, true);
	return report(&self);
}
