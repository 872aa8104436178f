/*
 * Matrices of few bits times a vector, as inference of one token needs them:
 * weights of 4 bits in groups of 64 with a scale and an offset in half precision,
 * unpacked by logic and multiplied in half2; weights of 8 bits times activations
 * of 8 bits by dp4a; and the quantization of the activations.
 *
 * SIZE: columns of the larger matrix, a multiple of 512.
 */
#include "common.h"

#include <cuda_fp16.h>

#define GROUP 64

static struct workload self = { "quantized_gemv", "columns", 2048, 512, 16384 };

/* A warp for each row; a lane takes 32 weights of 16 bytes at a time. */
__global__ void gemv_int4(int rows, int n, const uint4 *weights,
			  const __half2 *scale, const __half *x, float *y)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
	int lane = threadIdx.x % WARP;
	float sum = 0;

	if (row >= rows)
		return;
	for (int i = lane; i < n / 32; i += WARP) {
		uint4 packed = __ldcs(&weights[(size_t)row * (n / 32) + i]);
		__half2 s = scale[row * (n / GROUP) + i * 32 / GROUP];
		__half2 by = __low2half2(s), plus = __high2half2(s);
		unsigned word[4] = { packed.x, packed.y, packed.z, packed.w };

#pragma unroll
		for (int w = 0; w < 4; w++) {
			const __half2 *v = (const __half2 *)&x[i * 32 + w * 8];
			__half2 part = __float2half2_rn(0);

#pragma unroll
			for (int k = 0; k < 4; k++) {
				/* 1024 + nibble, in both halves */
				unsigned bits =
					(word[w] >> (4 * k) & 0x000f000f) |
					0x64006400;
				__half2 q = __hsub2(*(__half2 *)&bits,
						    __float2half2_rn(1024));

				part = __hfma2(__hfma2(q, by, plus), v[k],
					       part);
			}
			float2 f = __half22float2(part);
			sum += f.x + f.y;
		}
	}
	for (int d = WARP / 2; d > 0; d /= 2)
		sum += __shfl_down_sync(ALL, sum, d);
	if (lane == 0)
		y[row] = sum;
}

/* Each of the warps of a block takes every fourth row of 64 bytes and more. */
__global__ void gemv_int8(int rows, int n, const int4 *weights, const int4 *x,
			  int *y)
{
	extern __shared__ int4 vector[];
	int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

	for (int i = threadIdx.x; i < n / 16; i += blockDim.x)
		vector[i] = x[i];
	__syncthreads();
	for (int row = blockIdx.x * (blockDim.x / WARP) + warp; row < rows;
	     row += gridDim.x * (blockDim.x / WARP)) {
		int sum = 0;

#pragma unroll 2
		for (int i = lane; i < n / 16; i += WARP) {
			int4 a = weights[(size_t)row * (n / 16) + i];
			int4 b = vector[i];

			sum = __dp4a(a.x, b.x, sum);
			sum = __dp4a(a.y, b.y, sum);
			sum = __dp4a(a.z, b.z, sum);
			sum = __dp4a(a.w, b.w, sum);
		}
		sum = __reduce_add_sync(ALL, sum);
		if (lane == 0)
			y[row] = sum;
	}
}

__global__ void quantize(int n, const float4 *in, char4 *out, float *scale)
{
	__shared__ int most;
	float top = 0;

	if (threadIdx.x == 0)
		most = 0;
	__syncthreads();
	for (int i = threadIdx.x; i < n / 4; i += blockDim.x) {
		float4 v = in[i];

		top = fmaxf(top, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)),
				       fmaxf(fabsf(v.z), fabsf(v.w))));
	}
	atomicMax(&most, __float_as_int(top));
	__syncthreads();
	float by = 127 / __int_as_float(most);
	for (int i = threadIdx.x; i < n / 4; i += blockDim.x) {
		float4 v = in[i];

		out[i] = make_char4(__float2int_rn(v.x * by),
				    __float2int_rn(v.y * by),
				    __float2int_rn(v.z * by),
				    __float2int_rn(v.w * by));
	}
	if (threadIdx.x == 0)
		*scale = 1 / by;
}

static void int4_rows(int rows, int n)
{
	array<unsigned> weights((size_t)rows * n / 8);
	array<__half2> scale(rows * n / GROUP);
	array<__half> x(n);
	array<float> y(rows), want(rows);
	uint64_t seed = rows;

	for (size_t i = 0; i < weights.n; i++)
		weights[i] = (unsigned)random_bits(&seed);
	for (size_t i = 0; i < scale.n; i++)
		scale[i] = __halves2half2(
			__float2half((1 + random_below(&seed, 4)) / 64.0f),
			__float2half(-(int)random_below(&seed, 16) / 32.0f));
	for (int i = 0; i < n; i++)
		x[i] = __float2half(((int)random_below(&seed, 65) - 32) /
				    32.0f);
	weights.upload();
	scale.upload();
	x.upload();
	for (int r = 0; r < rows; r++) {
		double sum = 0;

		for (int i = 0; i < n; i++) {
			/* Of eight in a word, even ones are in the low half. */
			unsigned word = weights[((size_t)r * n + i) / 8];
			int k = i % 8 / 2,
			    q = word >> (4 * k + i % 2 * 16) & 15;
			__half2 s = scale[(r * n + i) / GROUP];

			sum += (q * (double)__low2float(s) + __high2float(s)) *
			       __half2float(x[i]);
		}
		want[r] = sum;
	}
	gemv_int4<<<blocks_of(rows, 4), 4 * WARP>>>(
		rows, n, (const uint4 *)weights.device, scale.device, x.device,
		y.device);
	CHECK_LAUNCH();
	y.download();
	check_close(&self, y.host, want.host, rows, 1e-2, 5e-2, "4 bits");
}

static void int8_rows(int rows, int n, int blocks)
{
	array<signed char> weights((size_t)rows * n), x(n), wanted(n);
	array<float> in(n), scale(1);
	array<int> y(rows), want(rows);

	random_floats(in, -3, 3, n);
	in.upload();
	uint64_t seed = n + rows;
	for (size_t i = 0; i < weights.n; i++)
		weights[i] = (signed char)(random_below(&seed, 255) - 127);
	weights.upload();
	quantize<<<1, 512>>>(n, (const float4 *)in.device, (char4 *)x.device,
			     scale.device);
	gemv_int8<<<blocks, 128, n>>>(rows, n, (const int4 *)weights.device,
				      (const int4 *)x.device, y.device);
	CHECK_LAUNCH();
	x.download();
	y.download();
	float most = 0;
	for (int i = 0; i < n; i++)
		most = fmaxf(most, fabsf(in[i]));
	for (int i = 0; i < n; i++)
		wanted[i] = (signed char)lrintf(in[i] * (127 / most));
	for (int r = 0; r < rows; r++)
		for (int i = 0; i < n; i++)
			want[r] += weights[(size_t)r * n + i] * x[i];
	check_exact(&self, y.host, want.host, rows, "8 bits");
	array<int> a(n), b(n);
	for (int i = 0; i < n; i++) {
		a[i] = x[i];
		b[i] = wanted[i];
	}
	check_close(&self, a.host, b.host, n, 0, 1, "quantized");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % 512)
		bad_size(&self, "a multiple of 512");
	int4_rows(100, n / 4);
	int4_rows(n, n);
	int4_rows(3 * n, n / 2);
	int8_rows(64, n / 2, 16);
	int8_rows(n / 2, n, 132);
	int8_rows(n, n * 2, 264);
	return report(&self);
}
