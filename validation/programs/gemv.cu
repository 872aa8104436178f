/*
 * Matrix times vector, y = A x, in four shapes: a warp for each row with float4
 * loads, a block for each long row, a thread for each row of the transposed
 * matrix, and that in parts added by atomics.
 *
 * SIZE: rows and columns of the largest matrix, a multiple of 128. Elements are
 * multiples of 1/64: sums are exact.
 */
#include "common.h"

static struct workload self = { "gemv", "rows and columns", 1024, 128, 4096 };

__device__ static float warp_sum(float v)
{
	for (int d = WARP / 2; d > 0; d /= 2)
		v += __shfl_xor_sync(ALL, v, d);
	return v;
}

__global__ void row_warp(int rows, int columns, const float4 *a,
			 const float4 *x, float *y)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
	int lane = threadIdx.x % WARP;
	float sum = 0;

	if (row >= rows)
		return;
	for (int i = lane; i < columns / 4; i += WARP) {
		float4 v = a[row * (columns / 4) + i], w = x[i];

		sum += v.x * w.x + v.y * w.y + v.z * w.z + v.w * w.w;
	}
	sum = warp_sum(sum);
	if (lane == 0)
		y[row] = sum;
}

__global__ void row_block(int columns, const float *a, const float *x, float *y)
{
	__shared__ float part[8];
	float sum = 0;

	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		sum += a[(size_t)blockIdx.x * columns + i] * x[i];
	sum = warp_sum(sum);
	if (threadIdx.x % WARP == 0)
		part[threadIdx.x / WARP] = sum;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int w = 1; w < 8; w++)
			sum += part[w];
		y[blockIdx.x] = sum;
	}
}

/* y = A^T x: a thread for each column, the rows in gridDim.y parts. */
__global__ void column_thread(int rows, int columns, const float *a,
			      const float *x, float *y)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	int part = (rows + gridDim.y - 1) / gridDim.y;
	int first = blockIdx.y * part;
	float sum = 0;

	if (c >= columns)
		return;
	for (int r = first; r < min(first + part, rows); r++)
		sum += a[(size_t)r * columns + c] * x[r];
	if (gridDim.y == 1)
		y[c] = sum;
	else
		atomicAdd(&y[c], sum);
}

static void run(int rows, int columns)
{
	array<float> a((size_t)rows * columns), x(columns), y(rows), want(rows);
	array<float> xt(rows), yt(columns), want_t(columns);

	random_exact(a, rows + columns);
	random_exact(x, 1);
	random_exact(xt, 2);
	for (int r = 0; r < rows; r++)
		for (int c = 0; c < columns; c++) {
			float v = a[(size_t)r * columns + c];

			want[r] += v * x[c];
			want_t[c] += v * xt[r];
		}
	a.upload();
	x.upload();
	xt.upload();
	row_warp<<<blocks_of(rows, 4), 4 * WARP>>>(rows, columns,
						   (const float4 *)a.device,
						   (const float4 *)x.device,
						   y.device);
	CHECK_LAUNCH();
	y.download();
	check_exact(&self, y.host, want.host, rows, "warps");
	row_block<<<rows, 256>>>(columns, a.device, x.device, y.device);
	CHECK_LAUNCH();
	y.download();
	check_exact(&self, y.host, want.host, rows, "blocks");
	for (int parts = 1; parts <= 16; parts *= 16) {
		yt.fill(0);
		column_thread<<<dim3(blocks_of(columns, 128), parts), 128>>>(
			rows, columns, a.device, xt.device, yt.device);
		CHECK_LAUNCH();
		yt.download();
		check_exact(&self, yt.host, want_t.host, columns, "columns");
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % 128)
		bad_size(&self, "a multiple of 128");
	run(48, 128);
	run(n, n);
	run(4 * n, 128);
	return report(&self);
}
