/*
 * C = A B on tensor cores as libraries write it: bf16 tiles of 64 x 64 x 32 pass
 * through two or three buffers of shared memory by asynchronous copies, fragments
 * come by ldmatrix, rows are padded against conflicts; with a bias and a SiLU at
 * the end, and with the sum over K split between blocks.
 *
 * SIZE: rows and columns of the largest matrices, a multiple of 64.
 */
#include "common.h"

#include <cuda_bf16.h>
#include <cuda_pipeline.h>

#define TILE 64
#define DEEP 32
#define PAD 8

typedef __nv_bfloat16 bf16;

static struct workload self = { "mma_pipeline", "rows", 384, 64, 2048 };

__device__ static void load4(unsigned *r, const bf16 *p)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, "
		     "[%4];"
		     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
		     : "r"((unsigned)__cvta_generic_to_shared(p)));
}

__device__ static void load4_turned(unsigned *r, const bf16 *p)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
		     "{%0,%1,%2,%3}, [%4];"
		     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
		     : "r"((unsigned)__cvta_generic_to_shared(p)));
}

__device__ static void mma(float *c, const unsigned *a, const unsigned *b)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
		     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
		       "r"(b[1]));
}

/* C has as many planes as gridDim.z, which the sum is split into. */
template <int STAGES, bool ACTIVE>
__global__ void __launch_bounds__(128)
	gemm(int n, int k, const bf16 *a, const bf16 *b, const float *bias,
	     float *c)
{
	__shared__ __align__(16) bf16 as[STAGES][TILE][DEEP + PAD];
	__shared__ __align__(16) bf16 bs[STAGES][DEEP][TILE + PAD];
	int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
	int part = k / gridDim.z, from = blockIdx.z * part;
	int wr = warp / 2 * 32, wc = warp % 2 * 32;
	float sum[2][4][4] = {};

	auto fetch = [&](int step) {
		int at = from + step * DEEP, s = step % STAGES;

		for (int i = threadIdx.x; i < TILE * DEEP / 8; i += 128) {
			int r = i / (DEEP / 8), x = i % (DEEP / 8) * 8;
			int d = i / (TILE / 8), y = i % (TILE / 8) * 8;

			__pipeline_memcpy_async(
				&as[s][r][x],
				&a[(size_t)(row + r) * k + at + x], 16);
			__pipeline_memcpy_async(
				&bs[s][d][y],
				&b[(size_t)(at + d) * n + column + y], 16);
		}
	};
	int steps = part / DEEP;
	for (int s = 0; s < STAGES - 1; s++) {
		if (s < steps)
			fetch(s);
		__pipeline_commit();
	}
	for (int step = 0; step < steps; step++) {
		__pipeline_wait_prior(STAGES - 2);
		__syncthreads();
		if (step + STAGES - 1 < steps)
			fetch(step + STAGES - 1);
		__pipeline_commit();
		int s = step % STAGES;
#pragma unroll
		for (int d = 0; d < DEEP; d += 16) {
			unsigned fa[2][4], fb[2][4];

#pragma unroll
			for (int i = 0; i < 2; i++) {
				load4(fa[i], &as[s][wr + i * 16 + lane % 16]
						[d + lane / 16 * 8]);
				load4_turned(fb[i],
					     &bs[s][d + lane % 16]
						[wc + i * 16 + lane / 16 * 8]);
			}
#pragma unroll
			for (int i = 0; i < 2; i++)
#pragma unroll
				for (int j = 0; j < 4; j++)
					mma(sum[i][j], fa[i],
					    &fb[j / 2][j % 2 * 2]);
		}
	}
	c += (size_t)blockIdx.z * gridDim.y * TILE * n;
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 4; j++)
			for (int e = 0; e < 4; e += 2) {
				int r = row + wr + i * 16 + lane / 4 + e * 4;
				int x = column + wc + j * 8 + lane % 4 * 2;
				float2 v = { sum[i][j][e], sum[i][j][e + 1] };

				if (ACTIVE) {
					v.x += bias[x];
					v.y += bias[x + 1];
					v.x /= 1 + __expf(-v.x);
					v.y /= 1 + __expf(-v.y);
				}
				*(float2 *)&c[(size_t)r * n + x] = v;
			}
}

__global__ void add_planes(int n, int planes, const float *in, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 sum = make_float4(0, 0, 0, 0);

	if (i >= n / 4)
		return;
	for (int p = 0; p < planes; p++) {
		float4 v = ((const float4 *)(in + (size_t)p * n))[i];

		sum.x += v.x;
		sum.y += v.y;
		sum.z += v.z;
		sum.w += v.w;
	}
	((float4 *)out)[i] = sum;
}

static void run(int m, int n, int k, int planes)
{
	array<bf16> a((size_t)m * k), b((size_t)k * n);
	array<float> fa(a.n), fb(b.n), bias(n), want((size_t)m * n),
		out(want.n), active(want.n), parts(want.n * planes);

	random_exact(fa, m + k);
	random_exact(fb, n);
	random_exact(bias, k);
	for (size_t i = 0; i < a.n; i++)
		a[i] = __float2bfloat16(fa[i]);
	for (size_t i = 0; i < b.n; i++)
		b[i] = __float2bfloat16(fb[i]);
	a.upload();
	b.upload();
	bias.upload();
	for (int i = 0; i < m; i++)
		for (int d = 0; d < k; d++)
			for (int j = 0; j < n; j++)
				want[(size_t)i * n + j] +=
					fa[(size_t)i * k + d] *
					fb[(size_t)d * n + j];
	dim3 grid(n / TILE, m / TILE);
	gemm<2, false>
		<<<grid, 128>>>(n, k, a.device, b.device, NULL, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, want.n, "two stages");
	grid.z = planes;
	gemm<3, false>
		<<<grid, 128>>>(n, k, a.device, b.device, NULL, parts.device);
	add_planes<<<blocks_of(want.n / 4, 256), 256>>>(
		want.n, planes, parts.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, want.n, "split");
	grid.z = 1;
	gemm<3, true><<<grid, 128>>>(n, k, a.device, b.device, bias.device,
				     active.device);
	CHECK_LAUNCH();
	active.download();
	for (size_t i = 0; i < want.n; i++) {
		double v = want[i] + bias[i % n];

		want[i] = v / (1 + exp(-v));
	}
	check_close(&self, active.host, want.host, want.n, 1e-5, 1e-6, "SiLU");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % TILE)
		bad_size(&self, "a multiple of 64");
	run(64, 64, 256, 4);
	run(64, n * 2, n, 3);
	run(n, n, n, 2);
	return report(&self);
}
