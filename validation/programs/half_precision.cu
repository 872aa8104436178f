/*
 * Half precision without tensor cores: y += a x in half2, eight halves per thread
 * in one 16-byte access, conversions between fp32, half and bf16, and sums of
 * halves in fp32.
 *
 * SIZE: elements of the largest arrays, a multiple of 8.
 */
#include "common.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define THREADS 256

static struct workload self = { "half_precision", "elements", 1 << 21, 2048,
				1 << 24 };

__global__ void axpy_2(int n, half2 a, const half2 *x, half2 *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void axpy_8(int n, half2 a, const uint4 *x, uint4 *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	uint4 v = x[i], w = y[i];
	half2 *p = (half2 *)&v, *q = (half2 *)&w;
#pragma unroll
	for (int k = 0; k < 4; k++)
		q[k] = __hfma2(a, p[k], q[k]);
	y[i] = w;
}

__global__ void to_bf16(int n, const half *in, __nv_bfloat16 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = __float2bfloat16(__half2float(in[i]));
}

__global__ void row_sums(int n, const __nv_bfloat162 *in, float *out)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
	float sum = 0;

	if (row >= n)
		return;
	for (int k = 0; k < 2; k++) {
		float2 v = __bfloat1622float2(
			in[row * 2 * WARP + k * WARP + threadIdx.x % WARP]);

		sum += v.x + v.y;
	}
	for (int d = WARP / 2; d > 0; d /= 2)
		sum += __shfl_xor_sync(ALL, sum, d);
	if (threadIdx.x % WARP == 0)
		out[row] = sum;
}

/* x and y are multiples of 1/8 below 2, y + x / 2 twice stays a multiple of
 * 1/16 below 8: exact in both formats with 8 and 11 bits. */
static void run(int n)
{
	array<half> x(n), y(n);
	array<__nv_bfloat16> b(n);
	array<float> sums(n / 128), want(n), want_sums(n / 128), got(n);
	uint64_t random = n;
	half2 a = __float2half2_rn(0.5f);

	for (int i = 0; i < n; i++) {
		float fx = random_below(&random, 16) / 8.0f;
		float fy = random_below(&random, 16) / 8.0f;

		x[i] = __float2half(fx);
		y[i] = __float2half(fy);
		want[i] = fy + fx;
		if (i / 128 < n / 128)
			want_sums[i / 128] += want[i];
	}
	x.upload();
	y.upload();
	axpy_2<<<blocks_of(n / 2, THREADS), THREADS>>>(
		n / 2, a, (const half2 *)x.device, (half2 *)y.device);
	axpy_8<<<blocks_of(n / 8, THREADS), THREADS>>>(
		n / 8, a, (const uint4 *)x.device, (uint4 *)y.device);
	to_bf16<<<blocks_of(n, THREADS), THREADS>>>(n, y.device, b.device);
	row_sums<<<blocks_of(n / 128, THREADS / WARP), THREADS>>>(
		n / 128, (const __nv_bfloat162 *)b.device, sums.device);
	CHECK_LAUNCH();
	y.download();
	sums.download();
	for (int i = 0; i < n; i++)
		got[i] = __half2float(y[i]);
	check_exact(&self, got.host, want.host, n);
	check_exact(&self, sums.host, want_sums.host, n / 128, "sums");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv) / 128 * 128;

	run(2048);
	run(n / 16 / 128 * 128);
	run(n);
	return report(&self);
}
