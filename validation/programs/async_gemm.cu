/*
 * C = A B in fp32 with tiles that are copied to shared memory asynchronously
 * (cp.async, 16 bytes each) two and three steps ahead of their use.
 *
 * SIZE: rows and columns of the largest matrices, a multiple of 64.
 */
#include "common.h"

#include <cuda_pipeline.h>

#define TILE 64
#define DEPTH 16 /* of a tile along k */
#define THREADS 256

static struct workload self = { "async_gemm", "rows and columns", 256, 64,
				2048 };

template <int STAGES>
__global__ void multiply(int n, const float *a, const float *b, float *c)
{
	alignas(16) __shared__ float as[STAGES][TILE][DEPTH];
	alignas(16) __shared__ float bs[STAGES][DEPTH][TILE];
	int t = threadIdx.x, tx = t % 16, ty = t / 16;
	int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
	int steps = n / DEPTH;
	float sum[4][4] = {};

	/* Each thread copies 16 bytes of A's tile and of B's. */
	auto copy = [&](int step) {
		int k = step * DEPTH, stage = step % STAGES;

		if (step < steps) {
			__pipeline_memcpy_async(
				&as[stage][t / 4][t % 4 * 4],
				&a[(row + t / 4) * n + k + t % 4 * 4], 16);
			__pipeline_memcpy_async(
				&bs[stage][t / 16][t % 16 * 4],
				&b[(k + t / 16) * n + column + t % 16 * 4], 16);
		}
		__pipeline_commit();
	};
	for (int s = 0; s < STAGES - 1; s++)
		copy(s);
	for (int step = 0; step < steps; step++) {
		int stage = step % STAGES;

		__pipeline_wait_prior(STAGES - 2);
		__syncthreads();
		copy(step + STAGES - 1);
#pragma unroll
		for (int k = 0; k < DEPTH; k++) {
			float u[4], v[4];

#pragma unroll
			for (int i = 0; i < 4; i++) {
				u[i] = as[stage][ty * 4 + i][k];
				v[i] = bs[stage][k][tx * 4 + i];
			}
#pragma unroll
			for (int i = 0; i < 16; i++)
				sum[i / 4][i % 4] += u[i / 4] * v[i % 4];
		}
	}
	for (int i = 0; i < 16; i++)
		c[(row + ty * 4 + i / 4) * n + column + tx * 4 + i % 4] =
			sum[i / 4][i % 4];
}

static void run(int n)
{
	array<float> a(n * n), b(n * n), c(n * n), want(n * n);
	dim3 blocks(n / TILE, n / TILE);

	random_exact(a, n);
	random_exact(b, n + 1);
	a.upload();
	b.upload();
	for (int y = 0; y < n; y++)
		for (int k = 0; k < n; k++)
			for (int x = 0; x < n; x++)
				want[y * n + x] += a[y * n + k] * b[k * n + x];
	multiply<2><<<blocks, THREADS>>>(n, a.device, b.device, c.device);
	CHECK_LAUNCH();
	c.download();
	check_exact(&self, c.host, want.host, c.n, "two stages");
	multiply<3><<<blocks, THREADS>>>(n, a.device, b.device, c.device);
	CHECK_LAUNCH();
	c.download();
	check_exact(&self, c.host, want.host, c.n, "three stages");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % TILE)
		bad_size(&self, "a multiple of 64");
	for (int m = TILE; m <= n; m *= 2)
		run(m);
	return report(&self);
}
