/*
 * A 9-point stencil on a grid in two dimensions, iterated by exchanging two
 * arrays; borders stay. Blocks of 32 x 8 and of 16 x 16, with and without a tile
 * in shared memory.
 *
 * SIZE: rows and columns of the largest grid.
 */
#include "common.h"

#include <utility>

static struct workload self = { "stencil_9point", "rows and columns", 1024, 64,
				8192 };

__host__ __device__ static inline float nine(float a, float b, float c, float d,
					     float e, float f, float g, float h,
					     float i)
{
	return 0.25f * e + 0.125f * (b + d + f + h) + 0.0625f * (a + c + g + i);
}

__global__ void direct(int n, const float *in, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= n || y >= n)
		return;
	const float *p = in + y * n + x;
	if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
		out[y * n + x] = *p;
	else
		out[y * n + x] = nine(p[-n - 1], p[-n], p[-n + 1], p[-1], p[0],
				      p[1], p[n - 1], p[n], p[n + 1]);
}

template <int W, int H>
__global__ void tiled(int n, const float *in, float *out)
{
	__shared__ float s[H + 2][W + 2];
	int x0 = blockIdx.x * W - 1, y0 = blockIdx.y * H - 1;

	for (int i = threadIdx.y * W + threadIdx.x; i < (W + 2) * (H + 2);
	     i += W * H) {
		int x = min(max(x0 + i % (W + 2), 0), n - 1);
		int y = min(max(y0 + i / (W + 2), 0), n - 1);

		s[i / (W + 2)][i % (W + 2)] = in[y * n + x];
	}
	__syncthreads();
	int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = x0 + tx,
	    y = y0 + ty;
	if (x >= n || y >= n)
		return;
	float v = s[ty][tx];
	if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
		v = nine(s[ty - 1][tx - 1], s[ty - 1][tx], s[ty - 1][tx + 1],
			 s[ty][tx - 1], v, s[ty][tx + 1], s[ty + 1][tx - 1],
			 s[ty + 1][tx], s[ty + 1][tx + 1]);
	out[y * n + x] = v;
}

static void expected(int n, const float *in, float *out)
{
	memcpy(out, in, (size_t)n * n * sizeof(float));
	for (int y = 1; y < n - 1; y++)
		for (int x = 1; x < n - 1; x++) {
			const float *p = in + y * n + x;

			out[y * n + x] = nine(p[-n - 1], p[-n], p[-n + 1],
					      p[-1], p[0], p[1], p[n - 1], p[n],
					      p[n + 1]);
		}
}

static void iterate(int n, int steps, int kind)
{
	array<float> a(n * n), b(n * n);

	random_floats(a, 0, 1, n + kind);
	a.upload();
	float *from = a.device, *to = b.device, *now = a.host, *next = b.host;
	for (int s = 0; s < steps; s++) {
		if (kind == 0)
			direct<<<dim3(blocks_of(n, 32), blocks_of(n, 8)),
				 dim3(32, 8)>>>(n, from, to);
		else if (kind == 1)
			tiled<32, 8><<<dim3(blocks_of(n, 32), blocks_of(n, 8)),
				       dim3(32, 8)>>>(n, from, to);
		else
			tiled<16, 16>
				<<<dim3(blocks_of(n, 16), blocks_of(n, 16)),
				   dim3(16, 16)>>>(n, from, to);
		CHECK_LAUNCH();
		expected(n, now, next);
		std::swap(from, to);
		std::swap(now, next);
	}
	from_device(next, from, (size_t)n * n);
	check_close(&self, next, now, (size_t)n * n, 1e-5);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	for (int kind = 0; kind < 3; kind++) {
		iterate(n / 16, 2, kind);
		iterate(n / 4 + 3, 2, kind);
		iterate(n, 1, kind);
	}
	return report(&self);
}
