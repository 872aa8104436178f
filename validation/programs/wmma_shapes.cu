/*
 * Products on tensor cores by wmma in other shapes: 32 x 8 x 16 and 8 x 32 x 16
 * in half with sums in half and fp32, 16 x 16 x 16 in bf16, and in double
 * precision 8 x 8 x 4. One warp for each tile of C, straight from global memory.
 *
 * SIZE: rows and columns of the largest matrices, a multiple of 64. Exact.
 */
#include "common.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

static struct workload self = { "wmma_shapes", "rows and columns", 192, 64,
				1024 };

template <class T, class S, int M, int N, int K>
__global__ void multiply(int n, const T *a, const T *b, S *c)
{
	int tile = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
	int row = tile / (n / N) * M, column = tile % (n / N) * N;
	wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, M, N, K, S> sum;

	if (row >= n)
		return;
	wmma::fill_fragment(sum, (S)0.0f);
	for (int k = 0; k < n; k += K) {
		wmma::load_matrix_sync(fa, a + row * n + k, n);
		wmma::load_matrix_sync(fb, b + column * n + k, n);
		wmma::mma_sync(sum, fa, fb, sum);
	}
	wmma::store_matrix_sync(c + row * n + column, sum, n,
				wmma::mem_row_major);
}

/* Elements are 0, 1/2 and 1: sums of up to 512 products are exact in a half. */
template <class T, class S, int M, int N, int K> static void run(int n)
{
	array<T> a(n * n), b(n * n);
	array<S> c(n * n);
	array<float> fa(n * n), fb(n * n), got(n * n), want(n * n);
	int tiles = n / M * (n / N);

	random_ints(fa, 3, n + M);
	random_ints(fb, 3, n + N);
	for (int i = 0; i < n * n; i++) {
		a[i] = (T)(fa[i] /= 2);
		b[i] = (T)(fb[i] /= 2);
	}
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++)
			for (int k = 0; k < n; k++)
				want[y * n + x] +=
					fa[y * n + k] * fb[x * n + k];
	a.upload();
	b.upload();
	multiply<T, S, M, N, K><<<blocks_of(tiles, 4), 4 * WARP>>>(
		n, a.device, b.device, c.device);
	CHECK_LAUNCH();
	c.download();
	for (int i = 0; i < n * n; i++)
		got[i] = (float)c[i];
	check_exact(&self, got.host, want.host, got.n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % 64)
		bad_size(&self, "a multiple of 64");
	for (int m = 64; m <= n; m += 128) {
		run<half, float, 32, 8, 16>(m);
		run<half, half, 8, 32, 16>(m);
		run<__nv_bfloat16, float, 16, 16, 16>(m);
		run<double, double, 8, 8, 4>(m);
	}
	return report(&self);
}
