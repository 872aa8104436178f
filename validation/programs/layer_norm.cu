/*
 * Layer normalization (mean and variance by Welford's method, joined between
 * lanes) and RMS normalization of rows with a gain: a warp for each row of 256,
 * a block for each row of 2048 with float4 loads.
 *
 * SIZE: rows of the largest launch.
 */
#include "common.h"

#define SHORT 256
#define LONG 2048
#define THREADS 256

static struct workload self = { "layer_norm", "rows", 4096, 16, 1 << 17 };

struct moments {
	float count, mean, square; /* sum of squared differences */
};

__device__ static void join(struct moments *a, struct moments b)
{
	float n = a->count + b.count, d = b.mean - a->mean;

	if (n == 0)
		return;
	a->mean += d * (b.count / n);
	a->square += b.square + d * d * (a->count * b.count / n);
	a->count = n;
}

__device__ static struct moments join_warp(struct moments m)
{
	for (int d = WARP / 2; d > 0; d /= 2) {
		struct moments o;

		o.count = __shfl_xor_sync(ALL, m.count, d);
		o.mean = __shfl_xor_sync(ALL, m.mean, d);
		o.square = __shfl_xor_sync(ALL, m.square, d);
		join(&m, o);
	}
	return m;
}

__global__ void layer_warp(int rows, const float *in, const float *gain,
			   float *out)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
	int lane = threadIdx.x % WARP;
	struct moments m = { 0, 0, 0 };
	float v[SHORT / WARP];

	if (row >= rows)
		return;
#pragma unroll
	for (int i = 0; i < SHORT / WARP; i++) {
		v[i] = in[row * SHORT + i * WARP + lane];
		m.count += 1;
		float d = v[i] - m.mean;
		m.mean += d / m.count;
		m.square += d * (v[i] - m.mean);
	}
	m = join_warp(m);
	float scale = rsqrtf(m.square / SHORT + 1e-5f);
#pragma unroll
	for (int i = 0; i < SHORT / WARP; i++)
		out[row * SHORT + i * WARP + lane] =
			(v[i] - m.mean) * scale * gain[i * WARP + lane];
}

__global__ void rms_block(const float4 *in, const float4 *gain, float4 *out)
{
	__shared__ float part[THREADS / WARP];
	const float4 *row = in + blockIdx.x * (LONG / 4);
	float4 v[LONG / 4 / THREADS];
	float sum = 0;

#pragma unroll
	for (int i = 0; i < LONG / 4 / THREADS; i++) {
		v[i] = row[i * THREADS + threadIdx.x];
		sum += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z +
		       v[i].w * v[i].w;
	}
	for (int d = WARP / 2; d > 0; d /= 2)
		sum += __shfl_xor_sync(ALL, sum, d);
	if (threadIdx.x % WARP == 0)
		part[threadIdx.x / WARP] = sum;
	__syncthreads();
	sum = 0;
	for (int w = 0; w < THREADS / WARP; w++)
		sum += part[w];
	float scale = rsqrtf(sum / LONG + 1e-5f);
#pragma unroll
	for (int i = 0; i < LONG / 4 / THREADS; i++) {
		int at = i * THREADS + threadIdx.x;
		float4 g = gain[at];

		out[blockIdx.x * (LONG / 4) + at] =
			make_float4(v[i].x * scale * g.x, v[i].y * scale * g.y,
				    v[i].z * scale * g.z, v[i].w * scale * g.w);
	}
}

static void expected(int n, bool centre, const float *in, const float *gain,
		     float *out)
{
	double mean = 0, square = 0;

	for (int i = 0; i < n && centre; i++)
		mean += in[i] / (double)n;
	for (int i = 0; i < n; i++)
		square += (in[i] - mean) * (in[i] - mean) / n;
	for (int i = 0; i < n; i++)
		out[i] = (in[i] - mean) / sqrt(square + 1e-5) * gain[i];
}

static void run(int rows, int n)
{
	array<float> in((size_t)rows * n), out(in.n), want(in.n), gain(n);

	random_floats(in, -2, 3, rows + n);
	random_floats(gain, 0.5f, 2, 1);
	in.upload();
	gain.upload();
	if (n == SHORT)
		layer_warp<<<blocks_of(rows, 4), 4 * WARP>>>(
			rows, in.device, gain.device, out.device);
	else
		rms_block<<<rows, THREADS>>>((const float4 *)in.device,
					     (const float4 *)gain.device,
					     (float4 *)out.device);
	CHECK_LAUNCH();
	for (int r = 0; r < rows; r++)
		expected(n, n == SHORT, in.host + (size_t)r * n, gain.host,
			 want.host + (size_t)r * n);
	out.download();
	check_close(&self, out.host, want.host, in.n, 1e-4, 1e-5);
}

int main(int argc, char **argv)
{
	int rows = size_arg(&self, argc, argv);

	run(4, SHORT);
	run(rows / 8, SHORT);
	run(rows, SHORT);
	run(1, LONG);
	run(rows / 64, LONG);
	run(rows / 2, LONG);
	return report(&self);
}
