/*
 * C = A B in double precision: 16 x 16 tiles with one element per thread, and
 * 32 x 32 tiles with 2 x 2 elements per thread in registers.
 *
 * SIZE: rows and columns of the largest matrices, a multiple of 32.
 */
#include "common.h"

static struct workload self = { "dgemm", "rows and columns", 192, 32, 2048 };

__global__ void tiles_16(int n, const double *a, const double *b, double *c)
{
	__shared__ double as[16][16], bs[16][16];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
	double sum = 0;

	for (int k = 0; k < n; k += 16) {
		as[ty][tx] = a[y * n + k + tx];
		bs[ty][tx] = b[(k + ty) * n + x];
		__syncthreads();
		for (int i = 0; i < 16; i++)
			sum += as[ty][i] * bs[i][tx];
		__syncthreads();
	}
	c[y * n + x] = sum;
}

__global__ void tiles_32(int n, const double *a, const double *b, double *c)
{
	__shared__ double as[32][17], bs[16][32];
	int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
	int x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
	double sum[2][2] = { { 0, 0 }, { 0, 0 } };

	for (int k = 0; k < n; k += 16) {
		for (int i = t; i < 512; i += 256) {
			as[i / 16][i % 16] =
				a[(blockIdx.y * 32 + i / 16) * n + k + i % 16];
			bs[i / 32][i % 32] =
				b[(k + i / 32) * n + blockIdx.x * 32 + i % 32];
		}
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 16; i++) {
			double a0 = as[ty][i], a1 = as[ty + 16][i];
			double b0 = bs[i][tx], b1 = bs[i][tx + 16];

			sum[0][0] += a0 * b0;
			sum[0][1] += a0 * b1;
			sum[1][0] += a1 * b0;
			sum[1][1] += a1 * b1;
		}
		__syncthreads();
	}
	c[y * n + x] = sum[0][0];
	c[y * n + x + 16] = sum[0][1];
	c[(y + 16) * n + x] = sum[1][0];
	c[(y + 16) * n + x + 16] = sum[1][1];
}

static void run(int n)
{
	array<double> a(n * n), b(n * n), c(n * n), want(n * n);

	random_exact(a, n);
	random_exact(b, n + 1);
	a.upload();
	b.upload();
	for (int y = 0; y < n; y++)
		for (int k = 0; k < n; k++)
			for (int x = 0; x < n; x++)
				want[y * n + x] += a[y * n + k] * b[k * n + x];
	tiles_16<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, a.device, b.device,
							 c.device);
	CHECK_LAUNCH();
	c.download();
	check_exact(&self, c.host, want.host, c.n, "16");
	tiles_32<<<dim3(n / 32, n / 32), dim3(16, 16)>>>(n, a.device, b.device,
							 c.device);
	CHECK_LAUNCH();
	c.download();
	check_exact(&self, c.host, want.host, c.n, "32");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % 32)
		bad_size(&self, "a multiple of 32");
	run(32);
	run(n / 2 / 32 * 32 + 32);
	run(n);
	run(2 * n);
	return report(&self);
}
