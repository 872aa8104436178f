/*
 * y = a * A * x + b * B * x, a thread for each row, as GMV of Jain et al. (gesummv of
 * PolyBench): the lanes of a warp read 32 rows, of which the next iterations read
 * the next words. That is locality within a warp, which an L1 keeps as long as few
 * warps share it.
 *
 * SIZE: rows; there are 256 columns. Compared with double precision.
 */
#include "../../workloads/common.h"

static struct workload self = { "gmv", "rows", 8192, 1, 1 << 14 };

__global__ void gmv(int rows, int columns, float alpha, float beta,
		    const float *a, const float *b, const float *x, float *y)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float first = 0, second = 0;

	if (row >= rows)
		return;
	for (int i = 0; i < columns; i++) {
		first += a[(size_t)row * columns + i] * x[i];
		second += b[(size_t)row * columns + i] * x[i];
	}
	y[row] = alpha * first + beta * second;
}

int main(int argc, char **argv)
{
	const float alpha = 1.5f, beta = 0.5f;
	int n = size_arg(&self, argc, argv), columns = 256;
	size_t cells = (size_t)n * columns;
	float *a = host_alloc<float>(cells), *b = host_alloc<float>(cells);
	float *x = host_alloc<float>(columns), *got = host_alloc<float>(n);
	float *want = host_alloc<float>(n);

	random_floats(a, cells, -1, 1, 1);
	random_floats(b, cells, -1, 1, 2);
	random_floats(x, columns, -1, 1, 3);
	for (int row = 0; row < n; row++) {
		double first = 0, second = 0;

		for (int i = 0; i < columns; i++) {
			first += (double)a[(size_t)row * columns + i] * x[i];
			second += (double)b[(size_t)row * columns + i] * x[i];
		}
		want[row] = (float)(alpha * first + beta * second);
	}

	float *da = device_copy(a, cells), *db = device_copy(b, cells);
	float *dx = device_copy(x, columns), *dy = device_alloc<float>(n);

	gmv<<<blocks_of(n, 256), 256>>>(n, columns, alpha, beta, da, db, dx, dy);
	CHECK_LAUNCH();
	from_device(got, dy, n);
	check_close(&self, got, want, n, 1e-4, 1e-4);

	cudaFree(da);
	cudaFree(db);
	cudaFree(dx);
	cudaFree(dy);
	free(a);
	free(b);
	free(x);
	free(got);
	free(want);
	return report(&self);
}
