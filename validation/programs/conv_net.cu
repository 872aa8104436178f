/*
 * Layers of a small convolutional network: 3 x 3 convolutions over channels
 * (weights in shared memory), a depthwise convolution, maxima of 2 x 2, and the
 * mean of each channel.
 *
 * SIZE: rows and columns of the larger image, a multiple of 4. Integers.
 */
#include "common.h"

#define IN 8
#define OUT 16

static struct workload self = { "conv_net", "rows and columns", 64, 8, 1024 };

/* blockIdx.z is the output channel. */
__global__ void convolve(int n, const int *in, const int *weight, int *out)
{
	__shared__ int w[IN * 9];
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y, sum = 0;

	for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < IN * 9;
	     i += blockDim.x * blockDim.y)
		w[i] = weight[blockIdx.z * IN * 9 + i];
	__syncthreads();
	if (x >= n || y >= n)
		return;
	for (int c = 0; c < IN; c++)
		for (int k = 0; k < 9; k++) {
			int cx = x + k % 3 - 1, cy = y + k / 3 - 1;

			if (cx >= 0 && cy >= 0 && cx < n && cy < n)
				sum += w[c * 9 + k] * in[(c * n + cy) * n + cx];
		}
	out[(blockIdx.z * n + y) * n + x] = max(sum, 0);
}

__global__ void depthwise(int n, const int *in, const int *weight, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int x = i % n, y = i / n % n, c = i / (n * n), sum = 0;

	if (c >= OUT)
		return;
	for (int k = 0; k < 9; k++) {
		int cx = min(max(x + k % 3 - 1, 0), n - 1);
		int cy = min(max(y + k / 3 - 1, 0), n - 1);

		sum += weight[c * 9 + k] * in[(c * n + cy) * n + cx];
	}
	out[i] = sum >> 4;
}

__global__ void pool(int n, const int2 *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, m = n / 2;
	int x = i % m, y = i / m % m, c = i / (m * m);

	if (c >= OUT)
		return;
	int2 a = in[(c * n + 2 * y) * m + x],
	     b = in[(c * n + 2 * y + 1) * m + x];
	out[i] = max(max(a.x, a.y), max(b.x, b.y));
}

__global__ void mean(int pixels, const int *in, int *out)
{
	__shared__ int part[8];
	int sum = 0;

	for (int i = threadIdx.x; i < pixels; i += blockDim.x)
		sum += in[blockIdx.x * pixels + i];
	sum = __reduce_add_sync(ALL, sum);
	if (threadIdx.x % WARP == 0)
		part[threadIdx.x / WARP] = sum;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int w = 1; w < 8; w++)
			sum += part[w];
		out[blockIdx.x] = sum / pixels;
	}
}

static void convolve_expected(int n, const int *in, const int *w, int *out)
{
	for (int i = 0; i < OUT * n * n; i++) {
		int x = i % n, y = i / n % n, o = i / (n * n), sum = 0;

		for (int c = 0; c < IN; c++)
			for (int k = 0; k < 9; k++) {
				int cx = x + k % 3 - 1, cy = y + k / 3 - 1;

				if (cx >= 0 && cy >= 0 && cx < n && cy < n)
					sum += w[(o * IN + c) * 9 + k] *
					       in[(c * n + cy) * n + cx];
			}
		out[i] = sum > 0 ? sum : 0;
	}
}

static int clamp(int v, int n)
{
	return v < 0 ? 0 : v >= n ? n - 1 : v;
}

static void rest_expected(int n, const int *in, const int *w, int *mid,
			  int *out)
{
	int m = n / 2;

	for (int i = 0; i < OUT * n * n; i++) {
		int x = i % n, y = i / n % n, c = i / (n * n), sum = 0;

		for (int k = 0; k < 9; k++)
			sum += w[c * 9 + k] *
			       in[(c * n + clamp(y + k / 3 - 1, n)) * n +
				  clamp(x + k % 3 - 1, n)];
		mid[i] = sum >> 4;
	}
	for (int c = 0; c < OUT; c++) {
		int sum = 0;

		for (int i = 0; i < m * m; i++) {
			int most = INT_MIN;

			for (int k = 0; k < 4; k++) {
				int v = mid[(c * n + 2 * (i / m) + k / 2) * n +
					    2 * (i % m) + k % 2];

				most = v > most ? v : most;
			}
			sum += most;
		}
		out[c] = sum / (m * m);
	}
}

static void run(int n)
{
	array<int> in(IN * n * n), weight(OUT * IN * 9), a(OUT * n * n);
	array<int> b(OUT * n * n), c(OUT * n * n), out(OUT), want(OUT);

	random_ints(in, 256, n);
	random_ints(weight, 15, 2);
	for (size_t i = 0; i < weight.n; i++)
		weight[i] -= 7;
	in.upload();
	weight.upload();
	convolve<<<dim3(blocks_of(n, 16), blocks_of(n, 8), OUT), dim3(16, 8)>>>(
		n, in.device, weight.device, a.device);
	depthwise<<<blocks_of(OUT * n * n, 256), 256>>>(
		n, a.device, weight.device, b.device);
	pool<<<blocks_of(OUT * n * n / 4, 256), 256>>>(
		n, (const int2 *)b.device, c.device);
	mean<<<OUT, 256>>>(n * n / 4, c.device, out.device);
	CHECK_LAUNCH();
	convolve_expected(n, in.host, weight.host, b.host);
	a.download();
	check_exact(&self, a.host, b.host, a.n, "convolution");
	rest_expected(n, b.host, weight.host, a.host, want.host);
	out.download();
	check_exact(&self, out.host, want.host, OUT, "means");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % 4)
		bad_size(&self, "a multiple of 4");
	run(8);
	run(n / 2 / 4 * 4);
	run(n);
	return report(&self);
}
