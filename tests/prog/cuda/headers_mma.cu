/* mma.h: every type and shape of nvcuda::wmma. */
#include <mma.h>

using namespace nvcuda;
typedef wmma::row_major R;
typedef wmma::col_major C;

template <class T, int M, int N, int K, class A, class LA, class LB>
__device__ void multiply(T *c, const A *a, const A *b)
{
	wmma::fragment<wmma::matrix_a, M, N, K, A, LA> fa;
	wmma::fragment<wmma::matrix_b, M, N, K, A, LB> fb;
	wmma::fragment<wmma::accumulator, M, N, K, T> fc;
	wmma::fill_fragment(fc, T(0));
	wmma::load_matrix_sync(fa, a, 16);
	wmma::load_matrix_sync(fb, b, 16);
	wmma::mma_sync(fc, fa, fb, fc);
	for (int i = 0; i < fc.num_elements; i++)
		fc.x[i] = fc.x[i] * T(2);
	wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
	wmma::load_matrix_sync(fc, c, 16, wmma::mem_col_major);
	wmma::store_matrix_sync(c, fc, 16, wmma::mem_col_major);
}

template <class T, class A> __device__ void shapes(T *c, const A *a, const A *b)
{
	multiply<T, 16, 16, 16, A, R, C>(c, a, b);
	multiply<T, 32, 8, 16, A, C, R>(c, a, b);
	multiply<T, 8, 32, 16, A, R, R>(c, a, b);
	multiply<T, 16, 16, 16, A, C, C>(c, a, b);
}

__global__ void f16_f32(float *c, half *a, half *b)
{
	shapes(c, a, b);
}

__global__ void f16_f16(half *c, half *a, half *b)
{
	shapes(c, a, b);
}

__global__ void s8(int *c, signed char *a, signed char *b)
{
	shapes(c, a, b);
}

__global__ void u8(int *c, unsigned char *a, unsigned char *b)
{
	shapes(c, a, b);
}

__global__ void bf16(float *c, __nv_bfloat16 *a, __nv_bfloat16 *b)
{
	shapes(c, a, b);
}

__global__ void f64(double *c, double *a, double *b)
{
	multiply<double, 8, 8, 4, double, R, C>(c, a, b);
	multiply<double, 8, 8, 4, double, C, R>(c, a, b);
}

__global__ void tf32(float *c, float *a, float *b)
{
	wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, R> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, C> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
	wmma::fill_fragment(fc, 0.0f);
	wmma::load_matrix_sync(fa, a, 8);
	wmma::load_matrix_sync(fb, b, 8);
	for (int i = 0; i < fa.num_elements; i++)
		fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
	wmma::mma_sync(fc, fa, fb, fc);
	wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
