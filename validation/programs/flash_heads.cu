/*
 * Attention of several heads by tensor cores: a warp has 16 queries, four warps
 * share tiles of 64 keys and values in bf16, scores stay in registers between the
 * two products, with running maxima and sums. Heads share keys in groups, masks
 * are causal, and the number of keys need not fill a tile.
 *
 * SIZE: tokens of the longest sequence.
 */
#include "common.h"

#include <cuda_bf16.h>
#include <vector>

#define D 64    /* of a head */
#define TILE 64 /* keys */
#define ROOM (D + 8)

typedef __nv_bfloat16 bf16;

static struct workload self = { "flash_heads", "tokens", 448, 64, 4096 };

__device__ static void mma(float *c, const unsigned *a, unsigned b0,
			   unsigned b1)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
		     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0),
		       "r"(b1));
}

__device__ static unsigned pack(float low, float high)
{
	__nv_bfloat162 v = __floats2bfloat162_rn(low, high);

	return *(unsigned *)&v;
}

/* Tokens x heads x D; grid: tiles of queries, heads. */
__global__ void __launch_bounds__(128)
	flash(int n, int groups, const bf16 *q, const bf16 *k, const bf16 *v,
	      float *out)
{
	__shared__ __align__(16) bf16 ks[TILE][ROOM], vs[TILE][ROOM];
	int heads = gridDim.y, head = blockIdx.y, shared = head / groups;
	int lane = threadIdx.x % WARP, g = lane / 4, t = lane % 4;
	int row = blockIdx.x * 64 + threadIdx.x / WARP * 16 + g;
	int kv = heads / groups;
	unsigned qa[D / 16][4];
	float o[D / 8][4] = {}, most[2] = { -1e30f, -1e30f }, sum[2] = {};
	const float scale = 0.125f * 1.44269504f;

	for (int i = 0; i < D / 16; i++)
		for (int j = 0; j < 4; j++) {
			int r = min(row + j % 2 * 8, n - 1);
			int c = i * 16 + t * 2 + j / 2 * 8;

			qa[i][j] = *(
				const unsigned *)&q[(r * heads + head) * D + c];
		}
	int last = min(n, (int)blockIdx.x * 64 + 64);
	for (int first = 0; first < last; first += TILE) {
		__syncthreads();
		for (int i = threadIdx.x; i < TILE * D / 8; i += 128) {
			int r = i / (D / 8), c = i % (D / 8) * 8;
			int at = (min(first + r, n - 1) * kv + shared) * D + c;

			*(uint4 *)&ks[r][c] = *(const uint4 *)&k[at];
			*(uint4 *)&vs[r][c] = *(const uint4 *)&v[at];
		}
		__syncthreads();
		float s[TILE / 8][4] = {}, top[2] = { most[0], most[1] };
#pragma unroll
		for (int j = 0; j < TILE / 8; j++) {
#pragma unroll
			for (int i = 0; i < D / 16; i++) {
				const unsigned *b =
					(const unsigned *)&ks[j * 8 + g]
							     [i * 16 + t * 2];

				mma(s[j], qa[i], b[0], b[4]);
			}
#pragma unroll
			for (int e = 0; e < 4; e++) {
				int key = first + j * 8 + t * 2 + e % 2;

				s[j][e] = key <= row + e / 2 * 8 && key < n ?
						  s[j][e] * scale :
						  -1e30f;
				top[e / 2] = fmaxf(top[e / 2], s[j][e]);
			}
		}
#pragma unroll
		for (int h = 0; h < 2; h++) {
			top[h] = fmaxf(top[h], __shfl_xor_sync(ALL, top[h], 1));
			top[h] = fmaxf(top[h], __shfl_xor_sync(ALL, top[h], 2));
			float factor = exp2f(most[h] - top[h]);
			most[h] = top[h];
			sum[h] *= factor;
			for (int j = 0; j < D / 8; j++) {
				o[j][h * 2] *= factor;
				o[j][h * 2 + 1] *= factor;
			}
		}
#pragma unroll
		for (int j = 0; j < TILE / 8; j++)
#pragma unroll
			for (int e = 0; e < 4; e++) {
				s[j][e] = exp2f(s[j][e] - most[e / 2]);
				sum[e / 2] += s[j][e];
			}
#pragma unroll
		for (int i = 0; i < TILE / 16; i++) {
			unsigned pa[4] = {
				pack(s[2 * i][0], s[2 * i][1]),
				pack(s[2 * i][2], s[2 * i][3]),
				pack(s[2 * i + 1][0], s[2 * i + 1][1]),
				pack(s[2 * i + 1][2], s[2 * i + 1][3])
			};
#pragma unroll
			for (int j = 0; j < D / 8; j++) {
				unsigned b0, b1,
					at = __cvta_generic_to_shared(
						&vs[i * 16 + lane % 16][j * 8]);

				asm volatile("ldmatrix.sync.aligned.m8n8.x2."
					     "trans.shared.b16 {%0,%1}, [%2];"
					     : "=r"(b0), "=r"(b1)
					     : "r"(at));
				mma(o[j], pa, b0, b1);
			}
		}
	}
#pragma unroll
	for (int h = 0; h < 2; h++) {
		sum[h] += __shfl_xor_sync(ALL, sum[h], 1);
		sum[h] += __shfl_xor_sync(ALL, sum[h], 2);
		if (row + h * 8 >= n)
			continue;
		float *to = out + ((row + h * 8) * heads + head) * D + t * 2;
		for (int j = 0; j < D / 8; j++)
			*(float2 *)&to[j * 8] = make_float2(
				o[j][h * 2] / sum[h], o[j][h * 2 + 1] / sum[h]);
	}
}

static void attend(int n, int heads, int groups, const float *q, const float *k,
		   const float *v, float *out)
{
	std::vector<double> p(n);
	int kv = heads / groups;

	for (int h = 0; h < heads; h++)
		for (int i = 0; i < n; i++) {
			double sum = 0, o[D] = {};

			for (int j = 0; j <= i; j++) {
				double s = 0;

				for (int d = 0; d < D; d++)
					s += q[(i * heads + h) * D + d] *
					     k[(j * kv + h / groups) * D + d];
				p[j] = exp(s / 8);
				sum += p[j];
				for (int d = 0; d < D; d++)
					o[d] += p[j] *
						v[(j * kv + h / groups) * D + d];
			}
			for (int d = 0; d < D; d++)
				out[(i * heads + h) * D + d] = o[d] / sum;
		}
}

static void random_bf16(array<bf16> &x, array<float> &same, uint64_t seed)
{
	random_floats(same, -1, 1, seed);
	for (size_t i = 0; i < x.n; i++) {
		x[i] = __float2bfloat16(same[i]);
		same[i] = __bfloat162float(x[i]);
	}
	x.upload();
}

static void run(int n, int heads, int groups)
{
	size_t all = (size_t)n * heads * D;
	array<bf16> q(all), k(all / groups), v(all / groups);
	array<float> fq(all), fk(all / groups), fv(all / groups), out(all),
		want(all);

	random_bf16(q, fq, n);
	random_bf16(k, fk, n + 1);
	random_bf16(v, fv, n + 2);
	flash<<<dim3(blocks_of(n, 64), heads), 128>>>(
		n, groups, q.device, k.device, v.device, out.device);
	CHECK_LAUNCH();
	out.download();
	attend(n, heads, groups, fq.host, fk.host, fv.host, want.host);
	check_close(&self, out.host, want.host, all, 0, 1e-2);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(50, 1, 1);
	run(n / 4, 4, 2);
	run(n - 5, 8, 4);
	return report(&self);
}
