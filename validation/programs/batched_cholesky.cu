/*
 * Cholesky decomposition of many symmetric matrices, and the solution of one
 * system each: a warp for a 16 x 16 matrix whose lane keeps a row in registers
 * (columns by shuffles), and a block for a 64 x 64 matrix in shared memory.
 *
 * SIZE: matrices of the largest launch. Checked by the residual A x - b.
 */
#include "common.h"

#define SMALL 16
#define LARGE 64

static struct workload self = { "batched_cholesky", "matrices", 2048, 64,
				1 << 16 };

/* Two matrices in a warp. */
__global__ void solve_warp(int count, const float *a, const float *b, float *x)
{
	int thread = blockIdx.x * blockDim.x + threadIdx.x;
	int matrix = thread / SMALL, row = thread % SMALL;
	float l[SMALL];

	if (matrix >= count)
		return;
#pragma unroll
	for (int c = 0; c < SMALL; c++)
		l[c] = a[(matrix * SMALL + row) * SMALL + c];
	float y = b[matrix * SMALL + row];
#pragma unroll
	for (int k = 0; k < SMALL; k++) {
		float diagonal = sqrtf(__shfl_sync(ALL, l[k], k, SMALL));

		l[k] = row == k ? diagonal : l[k] / diagonal;
#pragma unroll
		for (int c = k + 1; c < SMALL; c++) {
			float factor = __shfl_sync(ALL, l[k], c, SMALL);

			if (row >= c)
				l[c] -= l[k] * factor;
		}
	}
#pragma unroll
	for (int k = 0; k < SMALL; k++) {
		if (row == k)
			y /= l[k];
		float known = __shfl_sync(ALL, y, k, SMALL);

		if (row > k)
			y -= l[k] * known;
	}
#pragma unroll
	for (int k = SMALL - 1; k >= 0; k--) {
		if (row == k)
			y /= l[k];
		float known = __shfl_sync(ALL, y, k, SMALL);
#pragma unroll
		for (int c = 0; c < k; c++) {
			float factor = __shfl_sync(ALL, l[c], k, SMALL);

			if (row == c)
				y -= factor * known;
		}
	}
	x[matrix * SMALL + row] = y;
}

__global__ void solve_block(const float *a, const float *b, float *x)
{
	__shared__ float l[LARGE][LARGE + 1], y[LARGE];
	int t = threadIdx.x;
	const float *own = a + blockIdx.x * LARGE * LARGE;

	for (int r = 0; r < LARGE; r++)
		l[r][t] = own[r * LARGE + t];
	y[t] = b[blockIdx.x * LARGE + t];
	for (int k = 0; k < LARGE; k++) {
		__syncthreads();
		if (t == k)
			l[k][k] = sqrtf(l[k][k]);
		__syncthreads();
		if (t > k)
			l[t][k] /= l[k][k];
		__syncthreads();
		for (int c = k + 1; c <= t; c++)
			l[t][c] -= l[t][k] * l[c][k];
	}
	for (int k = 0; k < LARGE; k++) {
		__syncthreads();
		if (t == k)
			y[k] /= l[k][k];
		__syncthreads();
		if (t > k)
			y[t] -= l[t][k] * y[k];
	}
	for (int k = LARGE - 1; k >= 0; k--) {
		__syncthreads();
		if (t == k)
			y[k] /= l[k][k];
		__syncthreads();
		if (t < k)
			y[t] -= l[k][t] * y[k];
	}
	__syncthreads();
	x[blockIdx.x * LARGE + t] = y[t];
}

static void run(int count, int n)
{
	array<float> a(count * n * n), b(count * n), x(count * n);
	float *left = host_alloc<float>(b.n);

	random_floats(a, -1, 1, n + count);
	for (int i = 0; i < count; i++)
		for (int r = 0; r < n; r++)
			for (int c = 0; c <= r; c++) {
				float *m = a.host + i * n * n;

				m[r * n + c] = m[c * n + r];
				if (r == c)
					m[r * n + c] = n + 1;
			}
	random_floats(b, -1, 1, count);
	a.upload();
	b.upload();
	if (n == SMALL)
		solve_warp<<<blocks_of(count, 8), 8 * SMALL>>>(
			count, a.device, b.device, x.device);
	else
		solve_block<<<count, LARGE>>>(a.device, b.device, x.device);
	CHECK_LAUNCH();
	x.download();
	for (int i = 0; i < count * n; i++) {
		double sum = 0;

		for (int c = 0; c < n; c++)
			sum += (double)a[(size_t)i * n + c] * x[i / n * n + c];
		left[i] = sum;
	}
	check_close(&self, left, b.host, b.n, 1e-4, 1e-5);
	note_bits(&self, x.host, x.n * sizeof(float));
	free(left);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv) / 8 * 8;

	run(8, SMALL);
	run(n / 4 / 8 * 8, SMALL);
	run(n, SMALL);
	run(1, LARGE);
	run(n / 32, LARGE);
	return report(&self);
}
