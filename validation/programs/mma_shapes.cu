/*
 * Products on tensor cores by mma.sync in PTX: half with fp32 sums in m16n8k16
 * (operands by ldmatrix), tf32 in m16n8k8, bytes with integer sums in m16n8k32. A
 * warp computes 16 x 32 elements of C over all of K; no shared memory but for
 * the halves.
 *
 * SIZE: rows and columns of the largest matrices, a multiple of 64. B is stored
 * by columns. Everything is exact.
 */
#include "common.h"

#include <cuda_fp16.h>

#define TILES 4 /* of 8 columns, for a warp */

static struct workload self = { "mma_shapes", "rows and columns", 256, 64,
				2048 };

struct position {
	int row, column; /* of the warp's part of C */
	int group, pair; /* of the lane: row, and column / 2, in a fragment */
};

__device__ static struct position position(void)
{
	int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	struct position p;

	p.row = (blockIdx.y * 4 + warp) * 16;
	p.column = blockIdx.x * 8 * TILES;
	p.group = lane / 4;
	p.pair = lane % 4;
	return p;
}

template <class T>
__device__ static void store(struct position p, int n, const T sum[TILES][4],
			     T *c)
{
	for (int t = 0; t < TILES; t++)
		for (int i = 0; i < 4; i++)
			c[(p.row + p.group + i / 2 * 8) * n + p.column + t * 8 +
			  p.pair * 2 + i % 2] = sum[t][i];
}

__global__ void halves(int n, const half *a, const half *b, float *c)
{
	__shared__ half tile[4][16][24];
	struct position p = position();
	int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	float sum[TILES][4] = {};

	for (int k = 0; k < n; k += 16) {
		unsigned f[4];
		/* A row of 16 halves is two loads of 16 bytes. */
		*(uint4 *)&tile[warp][lane / 2][lane % 2 * 8] =
			*(const uint4 *)&a[(p.row + lane / 2) * n + k +
					   lane % 2 * 8];
		__syncwarp();
		unsigned at = (unsigned)__cvta_generic_to_shared(
			&tile[warp][lane % 16][lane / 16 * 8]);
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
			     "{%0, %1, %2, %3}, [%4];"
			     : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
			     : "r"(at));
		for (int t = 0; t < TILES; t++) {
			const half *column =
				b + (p.column + t * 8 + p.group) * n + k;
			unsigned g0 = *(const unsigned *)&column[p.pair * 2];
			unsigned g1 =
				*(const unsigned *)&column[p.pair * 2 + 8];

			asm volatile("mma.sync.aligned.m16n8k16.row.col.f32."
				     "f16.f16.f32 {%0, %1, %2, %3}, "
				     "{%4, %5, %6, %7}, {%8, %9}, "
				     "{%0, %1, %2, %3};"
				     : "+f"(sum[t][0]), "+f"(sum[t][1]),
				       "+f"(sum[t][2]), "+f"(sum[t][3])
				     : "r"(f[0]), "r"(f[1]), "r"(f[2]),
				       "r"(f[3]), "r"(g0), "r"(g1));
		}
		__syncwarp();
	}
	store(p, n, sum, c);
}

__global__ void tf32(int n, const float *a, const float *b, float *c)
{
	struct position p = position();
	float sum[TILES][4] = {};

	for (int k = 0; k < n; k += 8) {
		unsigned f[4];

		for (int i = 0; i < 4; i++)
			f[i] = __float_as_uint(
				a[(p.row + p.group + i % 2 * 8) * n + k +
				  p.pair + i / 2 * 4]);
		for (int t = 0; t < TILES; t++) {
			const float *column =
				b + (p.column + t * 8 + p.group) * n + k;
			unsigned g0 = __float_as_uint(column[p.pair]);
			unsigned g1 = __float_as_uint(column[p.pair + 4]);

			asm volatile("mma.sync.aligned.m16n8k8.row.col.f32."
				     "tf32.tf32.f32 {%0, %1, %2, %3}, "
				     "{%4, %5, %6, %7}, {%8, %9}, "
				     "{%0, %1, %2, %3};"
				     : "+f"(sum[t][0]), "+f"(sum[t][1]),
				       "+f"(sum[t][2]), "+f"(sum[t][3])
				     : "r"(f[0]), "r"(f[1]), "r"(f[2]),
				       "r"(f[3]), "r"(g0), "r"(g1));
		}
	}
	store(p, n, sum, c);
}

__global__ void bytes(int n, const signed char *a, const signed char *b, int *c)
{
	struct position p = position();
	int sum[TILES][4] = {};

	for (int k = 0; k < n; k += 32) {
		unsigned f[4];

		for (int i = 0; i < 4; i++)
			f[i] = *(
				const unsigned
					*)&a[(p.row + p.group + i % 2 * 8) * n +
					     k + p.pair * 4 + i / 2 * 16];
		for (int t = 0; t < TILES; t++) {
			const signed char *column =
				b + (p.column + t * 8 + p.group) * n + k;
			unsigned g0 = *(const unsigned *)&column[p.pair * 4];
			unsigned g1 =
				*(const unsigned *)&column[p.pair * 4 + 16];

			asm volatile("mma.sync.aligned.m16n8k32.row.col.s32."
				     "s8.s8.s32 {%0, %1, %2, %3}, "
				     "{%4, %5, %6, %7}, {%8, %9}, "
				     "{%0, %1, %2, %3};"
				     : "+r"(sum[t][0]), "+r"(sum[t][1]),
				       "+r"(sum[t][2]), "+r"(sum[t][3])
				     : "r"(f[0]), "r"(f[1]), "r"(f[2]),
				       "r"(f[3]), "r"(g0), "r"(g1));
		}
	}
	store(p, n, sum, c);
}

template <class T, class S>
static void run(int n, void (*kernel)(int, const T *, const T *, S *),
		const char *part)
{
	array<T> a(n * n), b(n * n);
	array<S> c(n * n), want(n * n);
	array<float> fa(n * n), fb(n * n);
	uint64_t random = n;
	/* Fractions for floats, integers for bytes. */
	float unit = sizeof(T) == 1 ? 1 : 1.0f / 64;

	for (int i = 0; i < n * n; i++) {
		fa[i] = ((int)random_below(&random, 129) - 64) * unit;
		fb[i] = ((int)random_below(&random, 129) - 64) * unit;
		a[i] = (T)fa[i];
		b[i] = (T)fb[i];
	}
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++)
			for (int k = 0; k < n; k++)
				want[y * n + x] +=
					(S)(fa[y * n + k] * fb[x * n + k]);
	a.upload();
	b.upload();
	kernel<<<dim3(n / (8 * TILES), n / 64), 4 * WARP>>>(n, a.device,
							    b.device, c.device);
	CHECK_LAUNCH();
	c.download();
	check_exact(&self, c.host, want.host, c.n, part);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % 64)
		bad_size(&self, "a multiple of 64");
	for (int m = 64; m <= n; m *= 2) {
		run(m, halves, "halves");
		run(m, tf32, "tf32");
		run(m, bytes, "bytes");
	}
	return report(&self);
}
