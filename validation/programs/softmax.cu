/*
 * Softmax of rows: a warp for each short row that stays in registers, a block
 * for each long row in three passes, and a block with the online form of one
 * pass for maximum and sum.
 *
 * SIZE: rows of the launches with many.
 */
#include "common.h"

#define SHORT 128
#define THREADS 256

static struct workload self = { "softmax", "rows", 8192, 16, 1 << 18 };

__device__ static float warp_max(float v)
{
	for (int d = WARP / 2; d > 0; d /= 2)
		v = fmaxf(v, __shfl_xor_sync(ALL, v, d));
	return v;
}

__device__ static float warp_sum(float v)
{
	for (int d = WARP / 2; d > 0; d /= 2)
		v += __shfl_xor_sync(ALL, v, d);
	return v;
}

__global__ void row_warp(int rows, const float *in, float *out)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
	int lane = threadIdx.x % WARP;
	float v[SHORT / WARP], most = -INFINITY, sum = 0;

	if (row >= rows)
		return;
#pragma unroll
	for (int i = 0; i < SHORT / WARP; i++) {
		v[i] = in[row * SHORT + i * WARP + lane];
		most = fmaxf(most, v[i]);
	}
	most = warp_max(most);
#pragma unroll
	for (int i = 0; i < SHORT / WARP; i++) {
		v[i] = expf(v[i] - most);
		sum += v[i];
	}
	sum = warp_sum(sum);
#pragma unroll
	for (int i = 0; i < SHORT / WARP; i++)
		out[row * SHORT + i * WARP + lane] = v[i] / sum;
}

__device__ static float block_max(float v, float *s)
{
	v = warp_max(v);
	__syncthreads();
	if (threadIdx.x % WARP == 0)
		s[threadIdx.x / WARP] = v;
	__syncthreads();
	v = s[0];
	for (int w = 1; w < THREADS / WARP; w++)
		v = fmaxf(v, s[w]);
	return v;
}

__device__ static float block_sum(float v, float *s)
{
	v = warp_sum(v);
	__syncthreads();
	if (threadIdx.x % WARP == 0)
		s[threadIdx.x / WARP] = v;
	__syncthreads();
	v = s[0];
	for (int w = 1; w < THREADS / WARP; w++)
		v += s[w];
	return v;
}

__global__ void row_block(int n, const float *in, float *out)
{
	__shared__ float s[THREADS / WARP];
	const float *row = in + (size_t)blockIdx.x * n;
	float *to = out + (size_t)blockIdx.x * n, most = -INFINITY, sum = 0;

	for (int i = threadIdx.x; i < n; i += THREADS)
		most = fmaxf(most, row[i]);
	most = block_max(most, s);
	for (int i = threadIdx.x; i < n; i += THREADS)
		sum += expf(row[i] - most);
	sum = block_sum(sum, s);
	for (int i = threadIdx.x; i < n; i += THREADS)
		to[i] = expf(row[i] - most) / sum;
}

__global__ void row_online(int n, const float *in, float *out)
{
	__shared__ float s[THREADS / WARP];
	const float *row = in + (size_t)blockIdx.x * n;
	float *to = out + (size_t)blockIdx.x * n, most = -INFINITY, sum = 0;

	for (int i = threadIdx.x; i < n; i += THREADS) {
		float v = row[i], larger = fmaxf(most, v);

		sum = sum * __expf(most - larger) + __expf(v - larger);
		most = larger;
	}
	float all = block_max(most, s);
	sum = block_sum(sum * __expf(most - all), s);
	float scale = 1 / sum;
	for (int i = threadIdx.x; i < n; i += THREADS)
		to[i] = __expf(row[i] - all) * scale;
}

static void run(int rows, int n)
{
	array<float> in((size_t)rows * n), out(in.n), want(in.n);

	random_floats(in, -5, 5, rows + n);
	in.upload();
	for (int r = 0; r < rows; r++) {
		double sum = 0;

		for (int i = 0; i < n; i++)
			sum += exp((double)in[(size_t)r * n + i]);
		for (int i = 0; i < n; i++)
			want[(size_t)r * n + i] =
				exp((double)in[(size_t)r * n + i]) / sum;
	}
	if (n == SHORT) {
		row_warp<<<blocks_of(rows, 4), 4 * WARP>>>(rows, in.device,
							   out.device);
		CHECK_LAUNCH();
		out.download();
		check_close(&self, out.host, want.host, in.n, 2e-5, 0, "warps");
		return;
	}
	row_block<<<rows, THREADS>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_close(&self, out.host, want.host, in.n, 2e-5, 0, "blocks");
	row_online<<<rows, THREADS>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_close(&self, out.host, want.host, in.n, 5e-5, 0, "online");
}

int main(int argc, char **argv)
{
	int rows = size_arg(&self, argc, argv);

	run(rows / 128, SHORT);
	run(rows, SHORT);
	run(1, 4096);
	run(64, 1000);
	run(rows / 16, 1000);
	return report(&self);
}
