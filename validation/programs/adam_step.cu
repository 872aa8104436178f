/*
 * A step of training: the norm of all gradients for clipping, Adam with decoupled
 * weight decay over several tensors of different sizes in one launch (a table of
 * pieces in a parameter), weights copied to bf16; and dropout with ten rounds of
 * Philox that gives four numbers a thread, forward and back.
 *
 * SIZE: weights of the largest tensor.
 */
#include "common.h"

#include <cuda_bf16.h>

#define THREADS 256
#define PIECE 2048
#define TENSORS 6

static struct workload self = { "adam_step", "weights", 100000, 5000, 1 << 22 };

struct tensors {
	int count, first[TENSORS + 1]; /* pieces */
	int size[TENSORS];
	float *w[TENSORS], *g[TENSORS], *m[TENSORS], *v[TENSORS];
	__nv_bfloat16 *copy[TENSORS];
};

__device__ static int tensor_of(const struct tensors &all, int piece)
{
	int t = 0;

	while (piece >= all.first[t + 1])
		t++;
	return t;
}

__global__ void squares(const struct tensors all, float *parts)
{
	__shared__ float sums[THREADS / WARP];
	int t = tensor_of(all, blockIdx.x);
	int from = (blockIdx.x - all.first[t]) * PIECE;
	int to = min(from + PIECE, all.size[t]);
	float sum = 0;

	for (int i = from + threadIdx.x; i < to; i += THREADS)
		sum += all.g[t][i] * all.g[t][i];
	for (int d = WARP / 2; d > 0; d /= 2)
		sum += __shfl_xor_sync(ALL, sum, d);
	if (threadIdx.x % WARP == 0)
		sums[threadIdx.x / WARP] = sum;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int w = 1; w < THREADS / WARP; w++)
			sum += sums[w];
		parts[blockIdx.x] = sum;
	}
}

__global__ void clip_factor(int n, const float *parts, float most,
			    float *factor)
{
	double sum = 0;

	for (int i = threadIdx.x; i < n; i += WARP)
		sum += parts[i];
	for (int d = WARP / 2; d > 0; d /= 2)
		sum += __shfl_xor_sync(ALL, sum, d);
	if (threadIdx.x == 0)
		*factor = min(1.0, most / (sqrt(sum) + 1e-6));
}

__global__ void adam(const struct tensors all, const float *factor, float rate,
		     float correct1, float correct2)
{
	int t = tensor_of(all, blockIdx.x);
	int from = (blockIdx.x - all.first[t]) * PIECE;
	int to = min(from + PIECE, all.size[t]);
	float by = *factor;

	for (int i = from + threadIdx.x; i < to; i += THREADS) {
		float g = all.g[t][i] * by, w = all.w[t][i];
		float m = 0.9f * all.m[t][i] + 0.1f * g;
		float v = 0.999f * all.v[t][i] + 0.001f * g * g;

		w -= rate *
		     (m * correct1 / (sqrtf(v * correct2) + 1e-8f) + 0.01f * w);
		all.m[t][i] = m;
		all.v[t][i] = v;
		all.w[t][i] = w;
		all.copy[t][i] = __float2bfloat16(w);
	}
}

__host__ __device__ static void philox(uint32_t *c, uint32_t k0, uint32_t k1)
{
#pragma unroll
	for (int round = 0; round < 10; round++) {
		uint64_t a = (uint64_t)0xd2511f53 * c[0];
		uint64_t b = (uint64_t)0xcd9e8d57 * c[2];

		c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0;
		c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1;
		c[1] = (uint32_t)b;
		c[3] = (uint32_t)a;
		k0 += 0x9e3779b9;
		k1 += 0xbb67ae85;
	}
}

/* The mask is not stored: going back makes it again. */
__global__ void dropout(int n, const float4 *in, float4 *out, uint32_t keep,
			float scale, uint32_t seed)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4;
	     i += gridDim.x * blockDim.x) {
		uint32_t c[4] = { (uint32_t)i, 0, 7, 11 };
		float4 v = in[i];

		philox(c, seed, 0x1234);
		v.x = c[0] < keep ? v.x * scale : 0;
		v.y = c[1] < keep ? v.y * scale : 0;
		v.z = c[2] < keep ? v.z * scale : 0;
		v.w = c[3] < keep ? v.w * scale : 0;
		out[i] = v;
	}
}

struct weights {
	array<float> w, g, m, v;
	array<__nv_bfloat16> copy;

	weights(int n, int seed) : w(n), g(n), m(n), v(n), copy(n)
	{
		random_floats(w, -1, 1, seed);
		random_floats(g, -0.1f, 0.1f, seed + 1);
		w.upload();
		g.upload();
		m.fill(0);
		v.fill(0);
	}
};

static void train(const int *sizes, int count, int steps)
{
	struct tensors all = { count };
	struct weights *set[TENSORS];
	double norm = 0;

	for (int t = 0; t < count; t++) {
		set[t] = new weights(sizes[t], t);
		all.size[t] = sizes[t];
		all.first[t + 1] = all.first[t] + blocks_of(sizes[t], PIECE);
		all.w[t] = set[t]->w.device;
		all.g[t] = set[t]->g.device;
		all.m[t] = set[t]->m.device;
		all.v[t] = set[t]->v.device;
		all.copy[t] = set[t]->copy.device;
		for (int i = 0; i < sizes[t]; i++)
			norm += (double)set[t]->g[i] * set[t]->g[i];
	}
	array<float> parts(all.first[count]), factor(1);
	double by = 1 / (sqrt(norm) + 1e-6) < 1 ? 1 / (sqrt(norm) + 1e-6) : 1;
	int pieces = all.first[count];
	for (int s = 1; s <= steps; s++) {
		float c1 = 1 / (1 - pow(0.9, s)), c2 = 1 / (1 - pow(0.999, s));

		squares<<<pieces, THREADS>>>(all, parts.device);
		clip_factor<<<1, WARP>>>(pieces, parts.device, 1,
					 factor.device);
		adam<<<pieces, THREADS>>>(all, factor.device, 1e-3f, c1, c2);
		CHECK_LAUNCH();
	}
	for (int t = 0; t < count; t++) {
		array<float> want(sizes[t]);
		array<float> copy(sizes[t]);

		for (int i = 0; i < sizes[t]; i++) {
			double g = set[t]->g[i] * by, m = 0, v = 0,
			       w = set[t]->w[i];

			for (int s = 1; s <= steps; s++) {
				m = 0.9 * m + 0.1 * g;
				v = 0.999 * v + 0.001 * g * g;
				w -= 1e-3 *
				     (m / (1 - pow(0.9, s)) /
					      (sqrt(v / (1 - pow(0.999, s))) +
					       1e-8) +
				      0.01 * w);
			}
			want[i] = w;
		}
		set[t]->w.download();
		set[t]->copy.download();
		for (int i = 0; i < sizes[t]; i++)
			copy[i] = __bfloat162float(set[t]->copy[i]);
		check_close(&self, set[t]->w.host, want.host, sizes[t], 1e-5,
			    1e-5, "weights");
		check_close(&self, copy.host, want.host, sizes[t], 1e-2, 1e-5,
			    "copy");
		delete set[t];
	}
}

static void drop(int n, int blocks)
{
	array<float> in(n), out(n), want(n);
	uint32_t keep = 0xc0000000;

	random_floats(in, -1, 1, n);
	in.upload();
	for (int i = 0; i < n; i += 4) {
		uint32_t c[4] = { (uint32_t)i / 4, 0, 7, 11 };

		philox(c, 42, 0x1234);
		for (int k = 0; k < 4; k++)
			want[i + k] = c[k] < keep ? in[i + k] * 1.25f : 0;
	}
	dropout<<<blocks, THREADS>>>(n, (const float4 *)in.device,
				     (float4 *)out.device, keep, 1.25f, 42);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n, "dropout");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	int small[] = { 10, 300 };
	int sizes[] = { n, n / 2, 777, 1, n / 8, 4096 };

	train(small, 2, 2);
	train(sizes, 6, 3);
	drop(1024, 1);
	drop(n / 4 * 4, 132);
	drop(n / 4 * 16, blocks_of(n * 4, 4 * THREADS));
	return report(&self);
}
