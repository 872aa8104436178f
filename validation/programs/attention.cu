/*
 * Attention of one head, softmax(Q K^T / sqrt(d)) V, in one pass over the keys
 * with running maxima and sums: a warp has one query, a block of eight warps
 * shares tiles of 32 keys and values in shared memory; with a causal mask or
 * without.
 *
 * SIZE: queries and keys of the largest launch.
 */
#include "common.h"

#define D 64
#define KEYS 32
#define WARPS 8

static struct workload self = { "attention", "queries", 384, 16, 8192 };

__global__ void attend(int n, bool causal, const float *q, const float *k,
		       const float *v, float *out)
{
	__shared__ float ks[KEYS][D + 1], vs[KEYS][D], qs[WARPS][D];
	int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	int query = blockIdx.x * WARPS + warp;
	int last = causal ? min(n, (int)(blockIdx.x + 1) * WARPS) : n;
	float most = -INFINITY, sum = 0, o0 = 0, o1 = 0;

	if (query < n) {
		qs[warp][lane] = q[query * D + lane] * 0.125f;
		qs[warp][lane + 32] = q[query * D + lane + 32] * 0.125f;
	}
	for (int first = 0; first < last; first += KEYS) {
		__syncthreads();
		for (int i = threadIdx.x; i < KEYS * D; i += blockDim.x) {
			int key = first + i / D;

			ks[i / D][i % D] = key < n ? k[key * D + i % D] : 0;
			vs[i / D][i % D] = key < n ? v[key * D + i % D] : 0;
		}
		__syncthreads();
		if (query >= n)
			continue;
		int key = first + lane;
		float score = -INFINITY, new_most;

		if (key < n && (!causal || key <= query)) {
			score = 0;
			for (int i = 0; i < D; i++)
				score += qs[warp][i] * ks[lane][i];
		}
		new_most = score;
		for (int d = WARP / 2; d > 0; d /= 2)
			new_most = fmaxf(new_most,
					 __shfl_xor_sync(ALL, new_most, d));
		new_most = fmaxf(most, new_most);
		float scale = __expf(most - new_most);
		float p = __expf(score - new_most), total = p;

		for (int d = WARP / 2; d > 0; d /= 2)
			total += __shfl_xor_sync(ALL, total, d);
		sum = sum * scale + total;
		o0 *= scale;
		o1 *= scale;
		for (int i = 0; i < KEYS; i++) {
			float w = __shfl_sync(ALL, p, i);

			o0 += w * vs[i][lane];
			o1 += w * vs[i][lane + 32];
		}
		most = new_most;
	}
	if (query < n) {
		out[query * D + lane] = o0 / sum;
		out[query * D + lane + 32] = o1 / sum;
	}
}

static void expected(int n, bool causal, const float *q, const float *k,
		     const float *v, float *out)
{
	double *p = host_alloc<double>(n);

	for (int i = 0; i < n; i++) {
		int keys = causal ? i + 1 : n;
		double sum = 0, o[D] = { 0 };

		for (int j = 0; j < keys; j++) {
			double s = 0;

			for (int d = 0; d < D; d++)
				s += (double)q[i * D + d] * k[j * D + d];
			p[j] = exp(s / 8);
			sum += p[j];
			for (int d = 0; d < D; d++)
				o[d] += p[j] * v[j * D + d];
		}
		for (int d = 0; d < D; d++)
			out[i * D + d] = o[d] / sum;
	}
	free(p);
}

static void run(int n, bool causal)
{
	array<float> q(n * D), k(n * D), v(n * D), out(n * D), want(n * D);

	random_floats(q, -1, 1, n);
	random_floats(k, -1, 1, n + 1);
	random_floats(v, -1, 1, n + 2);
	q.upload();
	k.upload();
	v.upload();
	attend<<<blocks_of(n, WARPS), WARPS * WARP>>>(
		n, causal, q.device, k.device, v.device, out.device);
	CHECK_LAUNCH();
	expected(n, causal, q.host, k.host, v.host, want.host);
	out.download();
	check_close(&self, out.host, want.host, out.n, 1e-4, 1e-5);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(8, false);
	run(n / 4, false);
	run(n / 4, true);
	run(n, false);
	run(n, true);
	return report(&self);
}
