/*
 * Median of 3 x 3 pixels by a network of minima and maxima in registers, and of
 * 5 x 5 by selection in a local array, on images of bytes.
 *
 * SIZE: rows and columns of the larger image.
 */
#include "common.h"

#include <algorithm>

static struct workload self = { "median_filter", "rows and columns", 512, 32,
				8192 };

typedef unsigned char pixel;

__device__ static void order(int *a, int *b)
{
	int low = min(*a, *b);

	*b = max(*a, *b);
	*a = low;
}

/* Clamped to the image. */
__device__ static int at(const pixel *in, int n, int x, int y)
{
	return in[min(max(y, 0), n - 1) * n + min(max(x, 0), n - 1)];
}

__global__ void median_3(int n, const pixel *in, pixel *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int v[9];

	if (x >= n || y >= n)
		return;
#pragma unroll
	for (int i = 0; i < 9; i++)
		v[i] = at(in, n, x + i % 3 - 1, y + i / 3 - 1);
		/* Columns in order, then the largest of the low ones, the middle of the
	 * middle ones, the smallest of the high ones, and the middle of these. */
#pragma unroll
	for (int i = 0; i < 3; i++) {
		order(&v[i], &v[i + 3]);
		order(&v[i + 3], &v[i + 6]);
		order(&v[i], &v[i + 3]);
	}
	int low = max(max(v[0], v[1]), v[2]);
	int high = min(min(v[6], v[7]), v[8]);
	int middle = max(min(v[3], v[4]), min(max(v[3], v[4]), v[5]));
	order(&low, &middle);
	order(&middle, &high);
	order(&low, &middle);
	out[y * n + x] = middle;
}

__global__ void median_5(int n, const pixel *in, pixel *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	pixel v[25];

	if (x >= n || y >= n)
		return;
	for (int i = 0; i < 25; i++)
		v[i] = at(in, n, x + i % 5 - 2, y + i / 5 - 2);
	for (int i = 0; i <= 12; i++) {
		int best = i;

		for (int j = i + 1; j < 25; j++)
			if (v[j] < v[best])
				best = j;
		pixel other = v[i];
		v[i] = v[best];
		v[best] = other;
	}
	out[y * n + x] = v[12];
}

static void run(int n, int width)
{
	array<pixel> in(n * n), out(n * n), want(n * n);
	dim3 blocks(blocks_of(n, 32), blocks_of(n, 4));
	int r = width / 2;

	random_ints(in, 256, n);
	in.upload();
	if (width == 3)
		median_3<<<blocks, dim3(32, 4)>>>(n, in.device, out.device);
	else
		median_5<<<blocks, dim3(32, 4)>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n * n; i++) {
		pixel v[25];
		int k = 0;

		for (int y = i / n - r; y <= i / n + r; y++)
			for (int x = i % n - r; x <= i % n + r; x++) {
				int cy = std::min(std::max(y, 0), n - 1);
				int cx = std::min(std::max(x, 0), n - 1);

				v[k++] = in[cy * n + cx];
			}
		std::nth_element(v, v + k / 2, v + k);
		want[i] = v[k / 2];
	}
	out.download();
	check_exact(&self, out.host, want.host, out.n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 8, 3);
	run(n, 3);
	run(n * 2 + 5, 3);
	run(n / 8, 5);
	run(n / 4, 5);
	return report(&self);
}
