/* D = A * B + C for a 32x32 matrix of 16x16 tiles, one warp per tile. */
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void wmma_product(const __half *a, const __half *b,
					const float *c, float *d, int n)
{
	int row = blockIdx.y * 16, col = blockIdx.x * 16;
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;

	wmma::load_matrix_sync(acc, c + row * n + col, n, wmma::mem_row_major);
	for (int k = 0; k < n; k += 16) {
		wmma::load_matrix_sync(fa, a + row * n + k, n);
		wmma::load_matrix_sync(fb, b + col * n + k, n);
		wmma::mma_sync(acc, fa, fb, acc);
	}
	for (int i = 0; i < acc.num_elements; i++)
		acc.x[i] *= 2.0f;
	wmma::store_matrix_sync(d + row * n + col, acc, n, wmma::mem_row_major);
}
