/*
 * Jacobi's iteration for Poisson's equation: tiles of 32 x 32 in shared memory
 * that make several sweeps before they are written back, so that a launch does
 * the work of four; and the largest change of a launch, found by a reduction in
 * each block.
 *
 * SIZE: rows and columns of the largest grid.
 */
#include "common.h"

#include <utility>

#define TILE 32
#define SWEEPS 4
#define INNER (TILE - 2 * SWEEPS) /* of a tile, right after all sweeps */

static struct workload self = { "jacobi_tiled", "rows and columns", 480, 48,
				8192 };

/* Outside of the grid, all is 0. */
__global__ void sweeps(int n, const float *in, const float *source, float *out,
		       float *change)
{
	__shared__ float s[2][TILE][TILE];
	__shared__ float largest[TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x = blockIdx.x * INNER + tx - SWEEPS;
	int y = blockIdx.y * INNER + ty - SWEEPS;
	bool inside = x >= 0 && y >= 0 && x < n && y < n;
	float f = inside ? source[y * n + x] : 0;
	float first = inside ? in[y * n + x] : 0, last = first;

	s[0][ty][tx] = first;
	for (int k = 0; k < SWEEPS; k++) {
		__syncthreads();
		const float(*from)[TILE] = s[k % 2];

		last = 0;
		if (inside && tx > 0 && ty > 0 && tx < TILE - 1 &&
		    ty < TILE - 1)
			last = 0.25f *
			       (from[ty - 1][tx] + from[ty + 1][tx] +
				from[ty][tx - 1] + from[ty][tx + 1] + f);
		s[(k + 1) % 2][ty][tx] = last;
	}
	bool own = inside && tx >= SWEEPS && ty >= SWEEPS &&
		   tx < SWEEPS + INNER && ty < SWEEPS + INNER;
	if (own)
		out[y * n + x] = last;
	float d = own ? fabsf(last - first) : 0;
	for (int k = WARP / 2; k > 0; k /= 2)
		d = fmaxf(d, __shfl_xor_sync(ALL, d, k));
	if (tx == 0)
		largest[ty] = d;
	__syncthreads();
	if (ty > 0)
		return;
	d = largest[tx];
	for (int k = WARP / 2; k > 0; k /= 2)
		d = fmaxf(d, __shfl_xor_sync(ALL, d, k));
	if (tx == 0)
		change[blockIdx.y * gridDim.x + blockIdx.x] = d;
}

static void expected(int n, float *a, float *b, const float *source)
{
	for (int k = 0; k < SWEEPS; k++) {
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++) {
				int i = y * n + x;
				float up = y ? a[i - n] : 0;
				float down = y < n - 1 ? a[i + n] : 0;
				float left = x ? a[i - 1] : 0;
				float right = x < n - 1 ? a[i + 1] : 0;

				b[i] = 0.25f *
				       (up + down + left + right + source[i]);
			}
		std::swap(a, b);
	}
}

static void solve(int n, int launches)
{
	int blocks = blocks_of(n, INNER);
	array<float> a(n * n), b(n * n), source(n * n), change(blocks * blocks);
	float *before = host_alloc<float>(a.n), most = 0, seen = 0;

	random_floats(source, 0, 1, n);
	source.upload();
	a.fill(0);
	float *from = a.device, *to = b.device;
	for (int i = 0; i < launches; i++) {
		sweeps<<<dim3(blocks, blocks), dim3(TILE, TILE)>>>(
			n, from, source.device, to, change.device);
		CHECK_LAUNCH();
		memcpy(before, a.host, a.n * sizeof(float));
		expected(n, a.host, b.host, source.host);
		std::swap(from, to);
	}
	for (size_t i = 0; i < a.n; i++)
		most = fmaxf(most, fabsf(a[i] - before[i]));
	change.download();
	for (size_t i = 0; i < change.n; i++)
		seen = fmaxf(seen, change[i]);
	from_device(b.host, from, b.n);
	check_close(&self, b.host, a.host, a.n, 1e-5);
	check_close(&self, &seen, &most, 1, 1e-4, 0, "change");
	free(before);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	solve(n / 10, 3);
	solve(n / 2, 2);
	solve(n, 1);
	return report(&self);
}
