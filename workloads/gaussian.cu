/*
 * A * x = b by Gaussian elimination, without pivoting: for each column one
 * kernel computes the factors of the rows below the pivot, a second one
 * subtracts multiples of the pivot's row from the rest of the matrix and from
 * b: two launches for each column, smaller and smaller. The host solves the
 * triangular system that is left.
 *
 * The matrix is dominated by its diagonal, so that no pivots are needed.
 *
 * SIZE: unknowns, any.
 * Check: the system solved in double precision on the CPU, by elimination with
 * partial pivoting of the whole (Gauss and Jordan).
 */
#include "common.h"

#define THREADS 64
#define TILE 16

static struct workload self = { "gaussian", "unknowns", 96, 1, 2048 };

/* factor[i] for the rows i below row k */
__global__ void factors(const float *a, float *factor, int n, int k)
{
	int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		factor[i] = a[(size_t)i * n + k] / a[(size_t)k * n + k];
}

/* The columns from k + 1 on; elements below the pivot are never read. */
__global__ void subtract(float *a, float *b, const float *factor, int n, int k)
{
	int j = k + 1 + blockIdx.x * TILE + threadIdx.x;
	int i = k + 1 + blockIdx.y * TILE + threadIdx.y;

	if (i >= n)
		return;
	if (j < n)
		a[(size_t)i * n + j] -= factor[i] * a[(size_t)k * n + j];
	if (j == k + 1)
		b[i] -= factor[i] * b[k];
}

static void eliminate(float *host_a, float *host_b, int n)
{
	size_t count = (size_t)n * n;
	float *a = device_copy(host_a, count), *b = device_copy(host_b, n);
	float *factor = device_alloc<float>(n);

	for (int k = 0; k < n - 1; k++) {
		int rest = n - k - 1, tiles = blocks_of(rest, TILE);

		factors<<<blocks_of(rest, THREADS), THREADS>>>(a, factor, n, k);
		CHECK_LAUNCH();
		subtract<<<dim3(tiles, tiles), dim3(TILE, TILE)>>>(a, b, factor,
								   n, k);
		CHECK_LAUNCH();
	}
	from_device(host_a, a, count);
	from_device(host_b, b, n);
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	CHECK(cudaFree(factor));
}

/* Upwards from the last row; x takes the place of b. */
static void substitute(const float *a, float *b, int n)
{
	for (int i = n - 1; i >= 0; i--) {
		for (int j = i + 1; j < n; j++)
			b[i] -= a[(size_t)i * n + j] * b[j];
		b[i] /= a[(size_t)i * n + i];
	}
}

static void swap_rows(double *a, double *b, int n, int i, int k)
{
	double t = b[i];

	b[i] = b[k];
	b[k] = t;
	for (int j = 0; j < n; j++) {
		t = a[(size_t)i * n + j];
		a[(size_t)i * n + j] = a[(size_t)k * n + j];
		a[(size_t)k * n + j] = t;
	}
}

/* a becomes diagonal, b the solution. */
static void solve_cpu(double *a, double *b, int n)
{
	for (int k = 0; k < n; k++) {
		int pivot = k;

		for (int i = k + 1; i < n; i++)
			if (fabs(a[(size_t)i * n + k]) >
			    fabs(a[(size_t)pivot * n + k]))
				pivot = i;
		swap_rows(a, b, n, pivot, k);
		for (int i = 0; i < n; i++) {
			double f = a[(size_t)i * n + k] / a[(size_t)k * n + k];

			if (i == k)
				continue;
			for (int j = k; j < n; j++)
				a[(size_t)i * n + j] -=
					f * a[(size_t)k * n + j];
			b[i] -= f * b[k];
		}
	}
	for (int k = 0; k < n; k++)
		b[k] /= a[(size_t)k * n + k];
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	size_t count = (size_t)n * n;
	float *a = host_alloc<float>(count), *b = host_alloc<float>(n);
	double *cpu_a = host_alloc<double>(count);
	double *cpu_b = host_alloc<double>(n);
	float *want = host_alloc<float>(n);

	random_floats(a, count, -1, 1, 1);
	random_floats(b, n, -n, n, 2);
	for (int i = 0; i < n; i++)
		a[(size_t)i * n + i] += n;
	for (size_t i = 0; i < count; i++)
		cpu_a[i] = a[i];
	for (int i = 0; i < n; i++)
		cpu_b[i] = b[i];

	eliminate(a, b, n);
	substitute(a, b, n);
	solve_cpu(cpu_a, cpu_b, n);
	for (int i = 0; i < n; i++)
		want[i] = (float)cpu_b[i];
	check_close(&self, b, want, n, 1e-4, 1e-5);
	free(a);
	free(b);
	free(cpu_a);
	free(cpu_b);
	free(want);
	return report(&self);
}
