/*
 * C = A * B for square matrices, as SArcs' kernel "matrix multiplication": one
 * thread for each element of C, a row of A and a column of B straight from
 * global memory, no shared memory. Only L1 and L2 reuse elements.
 *
 * SIZE: rows and columns of the matrices, any.
 * Check: the product in double precision on the CPU, in the order of loops
 * that walks along rows.
 */
#include "common.h"

#define TILE 16

static struct workload self = { "matmul_naive", "rows and columns", 128, 1,
				4096 };

__global__ void matmul(const float *A, const float *B, float *C, int n)
{
	int column = blockIdx.x * TILE + threadIdx.x;
	int row = blockIdx.y * TILE + threadIdx.y;
	float sum = 0;

	if (row >= n || column >= n)
		return;
	for (int k = 0; k < n; k++)
		sum += A[row * n + k] * B[k * n + column];
	C[row * n + column] = sum;
}

static void matmul_cpu(const float *A, const float *B, double *C, int n)
{
	for (size_t row = 0; row < (size_t)n; row++)
		for (size_t k = 0; k < (size_t)n; k++)
			for (size_t column = 0; column < (size_t)n; column++)
				C[row * n + column] += (double)A[row * n + k] *
						       B[k * n + column];
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	size_t count = (size_t)n * n;
	float *A = host_alloc<float>(count), *B = host_alloc<float>(count);
	float *C = host_alloc<float>(count), *want = host_alloc<float>(count);
	double *sum = host_alloc<double>(count);

	random_floats(A, count, -1, 1, 1);
	random_floats(B, count, -1, 1, 2);

	float *a = device_copy(A, count), *b = device_copy(B, count);
	float *c = device_alloc<float>(count);
	dim3 grid(blocks_of(n, TILE), blocks_of(n, TILE));
	matmul<<<grid, dim3(TILE, TILE)>>>(a, b, c, n);
	CHECK_LAUNCH();
	from_device(C, c, count);
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	CHECK(cudaFree(c));

	matmul_cpu(A, B, sum, n);
	for (size_t i = 0; i < count; i++)
		want[i] = (float)sum[i];
	/* n roundings of partial sums that grow like the root of n */
	check_close(&self, C, want, count, 1e-5, 1e-6 * n);
	free(A);
	free(B);
	free(C);
	free(want);
	free(sum);
	return report(&self);
}
