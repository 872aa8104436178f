/*
 * Convolutions of a quantized network: bytes in groups of four channels, weights
 * in shared memory, dp4a, and requantization with a scale for each channel; with
 * a stride, padding and a dilation as arguments of a template. A 1 x 1 form joins
 * eight pixels per thread.
 *
 * SIZE: rows and columns of the larger image.
 */
#include "common.h"

static struct workload self = { "dp4a_conv", "rows", 56, 8, 512 };

/* NHWC with C / 4 words; grid: pixels, channels out / OUT. */
template <int KERNEL, int STRIDE, int DILATION, int OUT>
__global__ void conv(int size, int result, int words, const int *in,
		     const int *weights, const float *scale, signed char *out)
{
	extern __shared__ int shared[];
	int taps = KERNEL * KERNEL * words, first = blockIdx.y * OUT;
	int pixel = blockIdx.x * blockDim.x + threadIdx.x;
	int channels = gridDim.y * OUT, sum[OUT] = {};

	for (int i = threadIdx.x; i < OUT * taps; i += blockDim.x)
		shared[i] = weights[first * taps + i];
	__syncthreads();
	if (pixel >= result * result)
		return;
	int y0 = pixel / result * STRIDE - KERNEL / 2 * DILATION;
	int x0 = pixel % result * STRIDE - KERNEL / 2 * DILATION;
#pragma unroll
	for (int dy = 0; dy < KERNEL; dy++)
#pragma unroll
		for (int dx = 0; dx < KERNEL; dx++) {
			int y = y0 + dy * DILATION, x = x0 + dx * DILATION;

			if (y < 0 || y >= size || x < 0 || x >= size)
				continue;
			const int *from = in + (y * size + x) * words;
			const int *w = shared + (dy * KERNEL + dx) * words;
			for (int c = 0; c < words; c++)
#pragma unroll
				for (int o = 0; o < OUT; o++)
					sum[o] = __dp4a(from[c],
							w[o * taps + c],
							sum[o]);
		}
#pragma unroll
	for (int o = 0; o < OUT; o++) {
		int v = __float2int_rn(sum[o] * scale[first + o]);

		out[pixel * channels + first + o] =
			(signed char)max(-128, min(127, v));
	}
}

/* A block has 32 channels and eight rows of eight pixels. */
__global__ void pointwise(int pixels, int words, const int *in,
			  const int *weights, int *out)
{
	__shared__ int tile[64][33];
	int o = blockIdx.y * 32 + threadIdx.x, sum[8] = {};

	for (int c0 = 0; c0 < words; c0 += 32) {
		for (int r = threadIdx.y; r < 64; r += 8) {
			int p = blockIdx.x * 64 + r, c = c0 + threadIdx.x;

			tile[r][threadIdx.x] =
				p < pixels && c < words ? in[p * words + c] : 0;
		}
		__syncthreads();
		for (int c = 0; c < 32 && c0 + c < words; c++) {
			int w = weights[(c0 + c) * gridDim.y * 32 + o];

#pragma unroll
			for (int i = 0; i < 8; i++)
				sum[i] = __dp4a(tile[threadIdx.y * 8 + i][c], w,
						sum[i]);
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < 8; i++) {
		int p = blockIdx.x * 64 + threadIdx.y * 8 + i;

		if (p < pixels)
			out[p * gridDim.y * 32 + o] = max(sum[i], 0);
	}
}

static void random_bytes(array<int> &x, uint64_t seed)
{
	for (size_t i = 0; i < x.n; i++)
		x[i] = (int)random_bits(&seed);
	x.upload();
}

static int products(int a, int b)
{
	int sum = 0;

	for (int k = 0; k < 32; k += 8)
		sum += (signed char)(a >> k) * (signed char)(b >> k);
	return sum;
}

template <int KERNEL, int STRIDE, int DILATION>
static void layer(int size, int words, int channels)
{
	const int OUT = 4;
	int result = (size + STRIDE - 1) / STRIDE, pixels = result * result;
	int taps = KERNEL * KERNEL * words;
	array<int> in(size * size * words), weights(channels * taps);
	array<float> scale(channels);
	array<signed char> out(pixels * channels), want(out.n);

	random_bytes(in, size);
	random_bytes(weights, words);
	for (int c = 0; c < channels; c++)
		scale[c] = 1.0f / (1024 << c % 4);
	scale.upload();
	for (int p = 0; p < pixels; p++)
		for (int o = 0; o < channels; o++) {
			int sum = 0;

			for (int t = 0; t < KERNEL * KERNEL; t++) {
				int y = p / result * STRIDE +
					(t / KERNEL - KERNEL / 2) * DILATION;
				int x = p % result * STRIDE +
					(t % KERNEL - KERNEL / 2) * DILATION;

				if (y < 0 || y >= size || x < 0 || x >= size)
					continue;
				for (int c = 0; c < words; c++)
					sum += products(
						in[(y * size + x) * words + c],
						weights[o * taps + t * words +
							c]);
			}
			long v = lrintf(sum * scale[o]);
			want[p * channels + o] = (signed char)(v < -128 ? -128 :
							       v > 127  ? 127 :
									  v);
		}
	conv<KERNEL, STRIDE, DILATION, OUT>
		<<<dim3(blocks_of(pixels, 96), channels / OUT), 96,
		   OUT * taps * sizeof(int)>>>(size, result, words, in.device,
					       weights.device, scale.device,
					       out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, (unsigned char *)out.host,
		    (unsigned char *)want.host, out.n, "convolution");
}

static void points(int pixels, int words, int channels)
{
	array<int> in(pixels * words), weights(words * channels);
	array<int> out(pixels * channels), want(out.n);

	random_bytes(in, pixels);
	random_bytes(weights, words);
	for (int p = 0; p < pixels; p++)
		for (int o = 0; o < channels; o++) {
			int sum = 0;

			for (int c = 0; c < words; c++)
				sum += products(in[p * words + c],
						weights[c * channels + o]);
			want[p * channels + o] = sum > 0 ? sum : 0;
		}
	pointwise<<<dim3(blocks_of(pixels, 64), channels / 32), dim3(32, 8)>>>(
		pixels, words, in.device, weights.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, out.n, "pointwise");
}

int main(int argc, char **argv)
{
	int size = size_arg(&self, argc, argv);

	layer<3, 1, 1>(size / 4, 16, 64);
	layer<3, 1, 1>(size, 4, 32);
	layer<5, 2, 1>(size, 2, 16);
	layer<3, 1, 3>(size - 3, 8, 8);
	points(100, 96, 64);
	points(size * size, 12, 128);
	return report(&self);
}
