/*
 * Matrix multiplication by tiles in shared memory, one element of the product
 * for each thread: the first example of most courses, and `matrixmul` of Lee
 * and Ro's paper on parallel GPU simulation.
 *
 * SIZE: K, for a matrix of 5K x 3K times one of 3K x 4K; the paper's
 * (160 x 96) . (96 x 128) is 32, the default. Compared with a sum in double
 * precision: all terms are positive, so that float's relative error is below
 * 2^-24 for each of the 3K terms.
 */
#include "common.h"

#define TILE 16

static struct workload self = { "matrix_mul", "K: (5K x 3K) . (3K x 4K)", 32, 1,
				2048 };

__global__ void multiply(const float *a, const float *b, float *c, int height,
			 int inner, int width)
{
	__shared__ float ta[TILE][TILE];
	__shared__ float tb[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
	float sum = 0;

	for (int k = 0; k < inner; k += TILE) {
		bool in_a = y < height && k + tx < inner;
		bool in_b = k + ty < inner && x < width;

		ta[ty][tx] = in_a ? a[y * inner + k + tx] : 0;
		tb[ty][tx] = in_b ? b[(k + ty) * width + x] : 0;
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += ta[ty][i] * tb[i][tx];
		__syncthreads();
	}
	if (y < height && x < width)
		c[y * width + x] = sum;
}

static void expected(const float *a, const float *b, float *c, int height,
		     int inner, int width)
{
	double *sum = host_alloc<double>(width);

	for (int y = 0; y < height; y++) {
		for (int x = 0; x < width; x++)
			sum[x] = 0;
		for (int k = 0; k < inner; k++)
			for (int x = 0; x < width; x++)
				sum[x] += (double)a[y * inner + k] *
					  b[k * width + x];
		for (int x = 0; x < width; x++)
			c[y * width + x] = (float)sum[x];
	}
	free(sum);
}

int main(int argc, char **argv)
{
	int k = size_arg(&self, argc, argv);
	int height = 5 * k, inner = 3 * k, width = 4 * k;
	int count = height * width;
	float *a = host_alloc<float>(height * inner);
	float *b = host_alloc<float>(inner * width);
	float *c = host_alloc<float>(count), *want = host_alloc<float>(count);
	dim3 grid(blocks_of(width, TILE), blocks_of(height, TILE));

	random_floats(a, height * inner, 0, 1, 1);
	random_floats(b, inner * width, 0, 1, 2);
	expected(a, b, want, height, inner, width);

	float *da = device_copy(a, height * inner);
	float *db = device_copy(b, inner * width);
	float *dc = device_alloc<float>(count);

	multiply<<<grid, dim3(TILE, TILE)>>>(da, db, dc, height, inner, width);
	CHECK_LAUNCH();
	from_device(c, dc, count);
	check_close(&self, c, want, count, 1e-7 * inner);

	cudaFree(da);
	cudaFree(db);
	cudaFree(dc);
	free(a);
	free(b);
	free(c);
	free(want);
	return report(&self);
}
