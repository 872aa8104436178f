/*
 * C = A B on tensor cores: matrices in half precision, sums in single, through
 * nvcuda::wmma. A block of four warps computes 64 x 64 elements of C, a warp
 * 32 x 32 of them in four fragments of 16 x 16; tiles of A and B pass through
 * shared memory, as does the result, so that any size works.
 *
 * SIZE: rows and columns of all three matrices. The elements of A and B are
 * multiples of 1/64 from -1 to 1, exact in half precision; their products are
 * multiples of 2^-12 and sums of up to 4096 of them fit into the 24 bits of a
 * float. So nothing is rounded, in any order of summation, and the result must
 * be exactly the host's.
 */
#include "common.h"

#include <cuda_fp16.h>
#include <mma.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "no tensor cores before sm_70: compile with -arch=sm_70 or later"
#endif

using namespace nvcuda;

#define TILE 64 /* of C, for a block */
#define PART 32 /* of C, for a warp */
#define FRAG 16
#define WARPS 4
#define THREADS (32 * WARPS)

static struct workload self = { "hgemm_wmma", "rows and columns", 192, 1,
				4096 };

/* Rows are longer than their data, so that they start in different banks;
 * wmma needs pointers aligned to 32 bytes. */
struct tiles {
	half a[TILE][FRAG + 8];
	half b[FRAG][TILE + 8];
	float c[TILE][TILE + 4];
};

__global__ void to_half(const float *from, half *to, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] = __float2half(from[i]);
}

/* TILE rows of A and TILE columns of B from k on; 0 outside the matrices. */
__device__ void load_tiles(struct tiles *t, const half *a, const half *b, int n,
			   int row, int column, int k)
{
	half zero = __float2half(0.0f);

	for (int i = threadIdx.x; i < TILE * FRAG; i += THREADS) {
		int y = i / FRAG, x = i % FRAG;
		bool inside = row + y < n && k + x < n;

		t->a[y][x] = inside ? a[(row + y) * n + k + x] : zero;
	}
	for (int i = threadIdx.x; i < FRAG * TILE; i += THREADS) {
		int y = i / TILE, x = i % TILE;
		bool inside = k + y < n && column + x < n;

		t->b[y][x] = inside ? b[(k + y) * n + column + x] : zero;
	}
}

__global__ void hgemm(int n, const half *a, const half *b, float *c)
{
	alignas(32) __shared__ char space[sizeof(struct tiles)];
	struct tiles *t = (struct tiles *)space;
	int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
	int warp = threadIdx.x / 32;
	int y = warp / 2 * PART, x = warp % 2 * PART;
	wmma::fragment<wmma::matrix_a, FRAG, FRAG, FRAG, half, wmma::row_major>
		fa[2];
	wmma::fragment<wmma::matrix_b, FRAG, FRAG, FRAG, half, wmma::row_major>
		fb[2];
	wmma::fragment<wmma::accumulator, FRAG, FRAG, FRAG, float> sum[2][2];

	for (int i = 0; i < 4; i++)
		wmma::fill_fragment(sum[i / 2][i % 2], 0.0f);
	for (int k = 0; k < n; k += FRAG) {
		load_tiles(t, a, b, n, row, column, k);
		__syncthreads();
		for (int i = 0; i < 2; i++) {
			wmma::load_matrix_sync(fa[i], &t->a[y + i * FRAG][0],
					       FRAG + 8);
			wmma::load_matrix_sync(fb[i], &t->b[0][x + i * FRAG],
					       TILE + 8);
		}
		for (int i = 0; i < 4; i++)
			wmma::mma_sync(sum[i / 2][i % 2], fa[i / 2], fb[i % 2],
				       sum[i / 2][i % 2]);
		__syncthreads();
	}
	for (int i = 0; i < 4; i++)
		wmma::store_matrix_sync(
			&t->c[y + i / 2 * FRAG][x + i % 2 * FRAG],
			sum[i / 2][i % 2], TILE + 4, wmma::mem_row_major);
	__syncthreads();
	for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
		int r = row + i / TILE, col = column + i % TILE;

		if (r < n && col < n)
			c[r * n + col] = t->c[i / TILE][i % TILE];
	}
}

static void make_input(float *m, int n, uint64_t random)
{
	for (int i = 0; i < n; i++)
		m[i] = ((int)random_below(&random, 129) - 64) / 64.0f;
}

static void expected(int n, const float *a, const float *b, float *c)
{
	for (int y = 0; y < n; y++)
		for (int k = 0; k < n; k++)
			for (int x = 0; x < n; x++)
				c[y * n + x] += a[y * n + k] * b[k * n + x];
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), all = n * n;
	int tiles = blocks_of(n, TILE), blocks = blocks_of(all, 256);
	float *a = host_alloc<float>(all), *b = host_alloc<float>(all);
	float *c = host_alloc<float>(all), *want = host_alloc<float>(all);

	make_input(a, all, 1);
	make_input(b, all, 2);
	expected(n, a, b, want);

	float *da = device_copy(a, all), *db = device_copy(b, all);
	half *ha = device_alloc<half>(all), *hb = device_alloc<half>(all);
	float *dc = device_alloc<float>(all);

	to_half<<<blocks, 256>>>(da, ha, all);
	to_half<<<blocks, 256>>>(db, hb, all);
	hgemm<<<dim3(tiles, tiles), THREADS>>>(n, ha, hb, dc);
	CHECK_LAUNCH();
	from_device(c, dc, all);
	check_exact(&self, c, want, all);

	cudaFree(da);
	cudaFree(db);
	cudaFree(dc);
	cudaFree(ha);
	cudaFree(hb);
	free(a);
	free(b);
	free(c);
	free(want);
	return report(&self);
}
