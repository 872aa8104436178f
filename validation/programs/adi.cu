/*
 * Diffusion on a square by alternating directions: in each half step a thread
 * solves the tridiagonal system of one column, then one of one row, with a
 * forward and a backward walk. Walks over columns read neighbours, walks over
 * rows read lines apart.
 *
 * SIZE: rows and columns.
 */
#include "common.h"

#define SIDE 0.3f /* of a system, beside 1 + 2 SIDE on its diagonal */

static struct workload self = { "adi", "rows and columns", 256, 16, 4096 };

/* Solves n equations of unknowns that are `step` apart; p is scratch. */
__host__ __device__ static inline void solve(int n, int step, float *u,
					     float *p)
{
	float factor = 0, value = 0;

	for (int i = 0; i < n; i++) {
		float below = 1 / (1 + 2 * SIDE - SIDE * factor);

		value = (u[i * step] + SIDE * value) * below;
		factor = SIDE * below;
		p[i * step] = factor;
		u[i * step] = value;
	}
	for (int i = n - 2; i >= 0; i--) {
		value = u[i * step] + p[i * step] * value;
		u[i * step] = value;
	}
}

__global__ void columns(int n, float *u, float *p)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;

	if (j < n)
		solve(n, n, u + j, p + j);
}

__global__ void rows(int n, float *u, float *p)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		solve(n, 1, u + i * n, p + i * n);
}

static void diffuse(int n, int steps, int threads)
{
	array<float> u((size_t)n * n), p(u.n), want(u.n);
	int blocks = blocks_of(n, threads);

	random_floats(u, 0, 100, n);
	u.upload();
	memcpy(want.host, u.host, u.n * sizeof(float));
	for (int s = 0; s < steps; s++) {
		columns<<<blocks, threads>>>(n, u.device, p.device);
		rows<<<blocks, threads>>>(n, u.device, p.device);
		CHECK_LAUNCH();
		for (int j = 0; j < n; j++)
			solve(n, n, want.host + j, p.host + j);
		for (int i = 0; i < n; i++)
			solve(n, 1, want.host + i * n, p.host + i * n);
	}
	u.download();
	check_close(&self, u.host, want.host, u.n, 1e-4, 1e-3);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	diffuse(n / 4, 2, 32);
	diffuse(n, 1, 64);
	diffuse(n, 1, 256);
	return report(&self);
}
