/*
 * What surrounds the matrices of a language model: rotary embedding of queries
 * and keys (pairs half a head apart, angles from a table or computed), a residual
 * added and normalized by its root mean square in one pass over bf16, and group
 * normalization of images with groups of odd sizes.
 *
 * SIZE: tokens of the largest launch.
 */
#include "common.h"

#include <cuda_bf16.h>

#define HEAD 128
#define THREADS 192

typedef __nv_bfloat16 bf16;

static struct workload self = { "rotary_norm", "tokens", 600, 8, 1 << 16 };

__global__ void rotate_table(float *x, const float2 *turn, int heads)
{
	float *row = x + (size_t)blockIdx.x * heads * HEAD;

	for (int i = threadIdx.x; i < heads * HEAD / 2; i += blockDim.x) {
		int h = i / (HEAD / 2), d = i % (HEAD / 2);
		float2 t = __ldg(&turn[blockIdx.x * (HEAD / 2) + d]);
		float *p = row + h * HEAD + d;
		float a = p[0], b = p[HEAD / 2];

		p[0] = a * t.x - b * t.y;
		p[HEAD / 2] = a * t.y + b * t.x;
	}
}

/* Angles computed; even and odd elements are a pair. */
__global__ void rotate_sincos(int n, float2 *x, int heads)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float s, c;

	if (i >= n)
		return;
	int d = i % (HEAD / 2), token = i / (HEAD / 2) / heads;
	sincosf(token * exp2f(d * (-13.2877f / (HEAD / 2))), &s, &c);
	float2 v = x[i];
	x[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

__device__ static float block_sum(float v)
{
	__shared__ float part[WARP];
	int warps = blockDim.x / WARP;

	for (int d = WARP / 2; d > 0; d /= 2)
		v += __shfl_down_sync(ALL, v, d);
	__syncthreads();
	if (threadIdx.x % WARP == 0)
		part[threadIdx.x / WARP] = v;
	__syncthreads();
	if (threadIdx.x < WARP) {
		v = threadIdx.x < warps ? part[threadIdx.x] : 0;
		for (int d = WARP / 2; d > 0; d /= 2)
			v += __shfl_xor_sync(ALL, v, d);
		part[threadIdx.x] = v;
	}
	__syncthreads();
	return part[0];
}

/* residual += x; out = residual / rms * gain */
__global__ void add_norm(int n, const bf16 *x, bf16 *residual, const bf16 *gain,
			 bf16 *out)
{
	size_t row = (size_t)blockIdx.x * n;
	float sum = 0;

	for (int i = threadIdx.x * 2; i < n; i += blockDim.x * 2) {
		__nv_bfloat162 *r = (__nv_bfloat162 *)&residual[row + i];
		__nv_bfloat162 v =
			__hadd2(*r, *(const __nv_bfloat162 *)&x[row + i]);
		float2 f = __bfloat1622float2(v);

		*r = v;
		sum += f.x * f.x + f.y * f.y;
	}
	float scale = rsqrtf(block_sum(sum) / n + 1e-5f);
	for (int i = threadIdx.x * 2; i < n; i += blockDim.x * 2) {
		float2 f = __bfloat1622float2(
			*(__nv_bfloat162 *)&residual[row + i]);
		float2 g =
			__bfloat1622float2(*(const __nv_bfloat162 *)&gain[i]);

		*(__nv_bfloat162 *)&out[row + i] = __floats2bfloat162_rn(
			f.x * scale * g.x, f.y * scale * g.y);
	}
}

/* A block for each group of `size` contiguous values, of planes of `plane`. */
__global__ void group_norm(int size, int plane, int groups, const float *in,
			   const float *gain, float *out)
{
	const float *from = in + (size_t)blockIdx.x * size;
	float *to = out + (size_t)blockIdx.x * size;
	int channel = blockIdx.x % groups * (size / plane);
	float sum = 0, square = 0;

	for (int i = threadIdx.x; i < size; i += blockDim.x) {
		sum += from[i];
		square += from[i] * from[i];
	}
	float mean = block_sum(sum) / size;
	float scale = rsqrtf(block_sum(square) / size - mean * mean + 1e-5f);
	for (int i = threadIdx.x; i < size; i += blockDim.x)
		to[i] = (from[i] - mean) * scale * gain[channel + i / plane];
}

static void rotations(int tokens, int heads)
{
	int n = tokens * heads * HEAD / 2;
	array<float> x(2 * n), y(2 * n), want(2 * n), pairs(2 * n);
	array<float2> turn(tokens * HEAD / 2);

	random_floats(x, -1, 1, tokens);
	for (int t = 0; t < tokens; t++)
		for (int d = 0; d < HEAD / 2; d++) {
			double angle = t * exp2(d * (-13.2877 / (HEAD / 2)));

			turn[t * (HEAD / 2) + d] =
				make_float2(cos(angle), sin(angle));
		}
	for (int i = 0; i < n; i++) {
		int d = i % (HEAD / 2), h = i / (HEAD / 2);
		float2 t = turn[h / heads * (HEAD / 2) + d];
		int p = h * HEAD + d, q = p + HEAD / 2;

		want[p] = x[p] * t.x - x[q] * t.y;
		want[q] = x[p] * t.y + x[q] * t.x;
		pairs[2 * i] = x[2 * i] * t.x - x[2 * i + 1] * t.y;
		pairs[2 * i + 1] = x[2 * i] * t.y + x[2 * i + 1] * t.x;
	}
	turn.upload();
	x.upload();
	to_device(y.device, x.host, x.n);
	rotate_table<<<tokens, 256>>>(x.device, turn.device, heads);
	rotate_sincos<<<blocks_of(n, 256), 256>>>(n, (float2 *)y.device, heads);
	CHECK_LAUNCH();
	x.download();
	y.download();
	check_close(&self, x.host, want.host, x.n, 0, 1e-5, "table");
	check_close(&self, y.host, pairs.host, y.n, 0, 1e-3, "sincos");
}

static void residuals(int tokens, int n)
{
	array<bf16> x((size_t)tokens * n), r(x.n), gain(n), out(x.n);
	array<float> got(x.n), want(x.n);
	uint64_t seed = n;

	for (size_t i = 0; i < x.n; i++) { /* sums are exact in bf16 */
		x[i] = __float2bfloat16((int)random_below(&seed, 65) / 32.0f -
					1);
		r[i] = __float2bfloat16((int)random_below(&seed, 65) / 32.0f -
					1);
	}
	for (int i = 0; i < n; i++)
		gain[i] = __float2bfloat16(0.5f + i % 8 / 8.0f);
	x.upload();
	r.upload();
	gain.upload();
	for (int t = 0; t < tokens; t++) {
		double sum = 0;

		for (int i = 0; i < n; i++) {
			size_t at = (size_t)t * n + i;

			want[at] = __bfloat162float(x[at]) +
				   __bfloat162float(r[at]);
			sum += want[at] * want[at];
		}
		for (int i = 0; i < n; i++)
			want[(size_t)t * n + i] *= __bfloat162float(gain[i]) /
						   sqrt(sum / n + 1e-5);
	}
	add_norm<<<tokens, THREADS>>>(n, x.device, r.device, gain.device,
				      out.device);
	CHECK_LAUNCH();
	out.download();
	for (size_t i = 0; i < x.n; i++)
		got[i] = __bfloat162float(out[i]);
	check_close(&self, got.host, want.host, x.n, 5e-3, 1e-6, "residual");
}

static void groups(int images, int groups, int channels, int plane)
{
	int size = channels * plane, all = images * groups;
	array<float> in((size_t)all * size), out(in.n), want(in.n);
	array<float> gain(groups * channels);

	random_floats(in, -1, 2, size);
	random_floats(gain, 0.5f, 1.5f, size + 1);
	in.upload();
	gain.upload();
	for (int g = 0; g < all; g++) {
		const float *from = in.host + (size_t)g * size;
		double sum = 0, square = 0;

		for (int i = 0; i < size; i++) {
			sum += from[i];
			square += (double)from[i] * from[i];
		}
		double mean = sum / size;
		double scale = 1 / sqrt(square / size - mean * mean + 1e-5);
		for (int i = 0; i < size; i++)
			want[(size_t)g * size + i] =
				(from[i] - mean) * scale *
				gain[g % groups * channels + i / plane];
	}
	group_norm<<<all, 512>>>(size, plane, groups, in.device, gain.device,
				 out.device);
	CHECK_LAUNCH();
	out.download();
	check_close(&self, out.host, want.host, in.n, 1e-4, 1e-4, "groups");
}

int main(int argc, char **argv)
{
	int tokens = size_arg(&self, argc, argv);

	rotations(tokens / 8, 5);
	rotations(tokens, 8);
	residuals(1, 4096);
	residuals(tokens / 4, 2816);
	groups(2, 8, 3, 49);
	groups(9, 32, 5, 169);
	return report(&self);
}
