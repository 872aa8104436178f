/*
 * C = alpha A B + beta C in single precision with two levels of tiling: a
 * block of 16 x 16 threads computes 64 x 64 elements from tiles in shared
 * memory, a thread 4 x 4 of them in registers, so that eight loads from shared
 * memory feed sixteen multiply-adds (the scheme of Volkov and Demmel's study
 * and of the libraries after it).
 *
 * SIZE: rows and columns of all three matrices. The result is compared with a
 * sum in double precision. SIZE terms of either sign, each below 1: float
 * rounds a partial sum of about sqrt(SIZE) / 3 SIZE times, 6e-9 SIZE in all as
 * errors add up at random; the tolerance is 1e-7 SIZE.
 */
#include "common.h"

#define TILE 64 /* of C, for a block */
#define DEPTH 16
#define SIDE 16            /* threads of a block in x and in y */
#define EACH (TILE / SIDE) /* elements of a thread in x and in y */

static struct workload self = { "sgemm", "rows and columns", 192, 1, 8192 };

/* TILE rows of A, DEPTH columns of it, stored by columns; 0 outside. */
__device__ void load_a(float (*tile)[TILE + 4], const float *a, int n, int row,
		       int k)
{
	for (int y = threadIdx.y; y < TILE; y += SIDE) {
		int r = row + y, c = k + threadIdx.x;
		bool inside = r < n && c < n;

		tile[threadIdx.x][y] = inside ? a[(size_t)r * n + c] : 0;
	}
}

__device__ void load_b(float (*tile)[TILE], const float *b, int n, int k,
		       int column)
{
	for (int x = threadIdx.x; x < TILE; x += SIDE) {
		int r = k + threadIdx.y, c = column + x;
		bool inside = r < n && c < n;

		tile[threadIdx.y][x] = inside ? b[(size_t)r * n + c] : 0;
	}
}

/* A thread's elements are SIDE apart: its warp reads neighbouring words. */
__global__ void sgemm(int n, float alpha, const float *a, const float *b,
		      float beta, float *c)
{
	__shared__ float ta[DEPTH][TILE + 4];
	__shared__ float tb[DEPTH][TILE];
	int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
	float sum[EACH][EACH] = {};

	for (int k0 = 0; k0 < n; k0 += DEPTH) {
		load_a(ta, a, n, row, k0);
		load_b(tb, b, n, k0, column);
		__syncthreads();
#pragma unroll
		for (int k = 0; k < DEPTH; k++) {
			float x[EACH], y[EACH];

#pragma unroll
			for (int i = 0; i < EACH; i++) {
				y[i] = ta[k][threadIdx.y + i * SIDE];
				x[i] = tb[k][threadIdx.x + i * SIDE];
			}
#pragma unroll
			for (int i = 0; i < EACH; i++)
#pragma unroll
				for (int j = 0; j < EACH; j++)
					sum[i][j] += y[i] * x[j];
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < EACH; i++)
#pragma unroll
		for (int j = 0; j < EACH; j++) {
			int r = row + threadIdx.y + i * SIDE;
			int col = column + threadIdx.x + j * SIDE;

			if (r < n && col < n) {
				float *at = &c[(size_t)r * n + col];

				*at = alpha * sum[i][j] + beta * *at;
			}
		}
}

static void expected(int n, float alpha, const float *a, const float *b,
		     float beta, const float *c, float *want)
{
	double *sum = host_alloc<double>(n);

	for (int r = 0; r < n; r++) {
		for (int x = 0; x < n; x++)
			sum[x] = 0;
		for (int k = 0; k < n; k++)
			for (int x = 0; x < n; x++)
				sum[x] += (double)a[(size_t)r * n + k] *
					  b[(size_t)k * n + x];
		for (int x = 0; x < n; x++)
			want[(size_t)r * n + x] =
				(float)(alpha * sum[x] +
					(double)beta * c[(size_t)r * n + x]);
	}
	free(sum);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), tiles = blocks_of(n, TILE);
	size_t all = (size_t)n * n;
	float *a = host_alloc<float>(all), *b = host_alloc<float>(all);
	float *c = host_alloc<float>(all), *want = host_alloc<float>(all);
	float alpha = 0.75f, beta = -0.5f;

	random_floats(a, all, -1, 1, 1);
	random_floats(b, all, -1, 1, 2);
	random_floats(c, all, -1, 1, 3);
	expected(n, alpha, a, b, beta, c, want);

	float *da = device_copy(a, all), *db = device_copy(b, all);
	float *dc = device_copy(c, all);

	sgemm<<<dim3(tiles, tiles), dim3(SIDE, SIDE)>>>(n, alpha, da, db, beta,
							dc);
	CHECK_LAUNCH();
	from_device(c, dc, all);
	check_close(&self, c, want, all, 1e-6, 1e-7 * n);

	cudaFree(da);
	cudaFree(db);
	cudaFree(dc);
	free(a);
	free(b);
	free(c);
	free(want);
	return report(&self);
}
