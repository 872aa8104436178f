/*
 * An image smoothed without its edges: weights of 7 x 7 neighbours fall with
 * their distance (a table in constant memory) and with the difference of their
 * values (an exponential). Directly, and from a tile in shared memory.
 *
 * SIZE: rows and columns of the larger image.
 */
#include "common.h"

#define RADIUS 3
#define W 32
#define H 8

static struct workload self = { "bilateral_filter", "rows and columns", 320, 32,
				4096 };

__constant__ float near_weight[2 * RADIUS + 1][2 * RADIUS + 1];

__device__ static inline void add(float v, float centre, float weight,
				  float *sum, float *weights)
{
	float d = v - centre;
	float w = weight * __expf(-d * d * 20.0f);

	*sum += w * v;
	*weights += w;
}

__global__ void direct(int n, const float *in, float *out)
{
	int x = blockIdx.x * W + threadIdx.x, y = blockIdx.y * H + threadIdx.y;
	float sum = 0, weights = 0;

	if (x >= n || y >= n)
		return;
	float centre = in[y * n + x];
	for (int dy = -RADIUS; dy <= RADIUS; dy++)
		for (int dx = -RADIUS; dx <= RADIUS; dx++) {
			int cx = min(max(x + dx, 0), n - 1);
			int cy = min(max(y + dy, 0), n - 1);

			add(in[cy * n + cx], centre,
			    near_weight[dy + RADIUS][dx + RADIUS], &sum,
			    &weights);
		}
	out[y * n + x] = sum / weights;
}

__global__ void tiled(int n, const float *in, float *out)
{
	__shared__ float s[H + 2 * RADIUS][W + 2 * RADIUS];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x = blockIdx.x * W + tx, y = blockIdx.y * H + ty;

	for (int j = ty; j < H + 2 * RADIUS; j += H)
		for (int i = tx; i < W + 2 * RADIUS; i += W) {
			int cx = blockIdx.x * W + i - RADIUS;
			int cy = blockIdx.y * H + j - RADIUS;

			s[j][i] = in[min(max(cy, 0), n - 1) * n +
				     min(max(cx, 0), n - 1)];
		}
	__syncthreads();
	if (x >= n || y >= n)
		return;
	float centre = s[ty + RADIUS][tx + RADIUS], sum = 0, weights = 0;
#pragma unroll
	for (int dy = 0; dy <= 2 * RADIUS; dy++)
#pragma unroll
		for (int dx = 0; dx <= 2 * RADIUS; dx++)
			add(s[ty + dy][tx + dx], centre, near_weight[dy][dx],
			    &sum, &weights);
	out[y * n + x] = sum / weights;
}

static void expected(int n, const float *in,
		     const float weight[2 * RADIUS + 1][2 * RADIUS + 1],
		     float *out)
{
	for (int i = 0; i < n * n; i++) {
		double sum = 0, weights = 0;

		for (int dy = -RADIUS; dy <= RADIUS; dy++)
			for (int dx = -RADIUS; dx <= RADIUS; dx++) {
				int cx = i % n + dx, cy = i / n + dy;

				cx = cx < 0 ? 0 : cx >= n ? n - 1 : cx;
				cy = cy < 0 ? 0 : cy >= n ? n - 1 : cy;
				double v = in[cy * n + cx], d = v - in[i];
				double w = weight[dy + RADIUS][dx + RADIUS] *
					   exp(-d * d * 20);
				sum += w * v;
				weights += w;
			}
		out[i] = sum / weights;
	}
}

static void run(int n, const float weight[2 * RADIUS + 1][2 * RADIUS + 1])
{
	array<float> in(n * n), out(n * n), want(n * n);
	dim3 blocks(blocks_of(n, W), blocks_of(n, H)), threads(W, H);

	random_floats(in, 0, 1, n);
	in.upload();
	expected(n, in.host, weight, want.host);
	direct<<<blocks, threads>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_close(&self, out.host, want.host, out.n, 1e-4, 0, "direct");
	tiled<<<blocks, threads>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_close(&self, out.host, want.host, out.n, 1e-4, 0, "tiled");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	float weight[2 * RADIUS + 1][2 * RADIUS + 1];

	for (int y = -RADIUS; y <= RADIUS; y++)
		for (int x = -RADIUS; x <= RADIUS; x++)
			weight[y + RADIUS][x + RADIUS] =
				expf(-(x * x + y * y) / 8.0f);
	CHECK(cudaMemcpyToSymbol(near_weight, weight, sizeof weight));
	run(n / 8, weight);
	run(n / 2, weight);
	run(n, weight);
	return report(&self);
}
