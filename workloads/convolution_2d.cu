/*
 * An image convolved with a filter of 5 x 5 weights, as SArcs' kernel
 * "2D-convolution": one thread for each pixel, the weights in constant memory,
 * no shared memory, so that only the caches reuse pixels. Outside the image,
 * all pixels are zero.
 *
 * SIZE: rows and columns of the image, any.
 * Check: the same sum in double precision on the CPU, by scattering each
 * pixel to the results it contributes to.
 */
#include "common.h"

#define RADIUS 2
#define SIDE (2 * RADIUS + 1)
#define TILE 16

static struct workload self = { "convolution_2d", "rows and columns", 256, 1,
				8192 };

__constant__ float filter[SIDE * SIDE];

__global__ void convolve(const float *image, float *out, int n)
{
	int column = blockIdx.x * TILE + threadIdx.x;
	int row = blockIdx.y * TILE + threadIdx.y;
	float sum = 0;

	if (row >= n || column >= n)
		return;
	for (int dy = -RADIUS; dy <= RADIUS; dy++) {
		for (int dx = -RADIUS; dx <= RADIUS; dx++) {
			int y = row - dy, x = column - dx;
			int weight = (dy + RADIUS) * SIDE + dx + RADIUS;

			if (y >= 0 && y < n && x >= 0 && x < n)
				sum += filter[weight] * image[y * n + x];
		}
	}
	out[row * n + column] = sum;
}

/* Adds weight * pixel to every result that the pixel contributes to. */
static void scatter(const float *weight, float pixel, int row, int column,
		    double *out, int n)
{
	for (int dy = -RADIUS; dy <= RADIUS; dy++) {
		for (int dx = -RADIUS; dx <= RADIUS; dx++) {
			int y = row + dy, x = column + dx;

			if (y < 0 || y >= n || x < 0 || x >= n)
				continue;
			out[(size_t)y * n + x] +=
				(double)pixel *
				weight[(dy + RADIUS) * SIDE + dx + RADIUS];
		}
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	size_t pixels = (size_t)n * n;
	float weight[SIDE * SIDE];
	float *image = host_alloc<float>(pixels);
	float *got = host_alloc<float>(pixels);
	double *sum = host_alloc<double>(pixels);
	float *want = host_alloc<float>(pixels);

	random_floats(weight, SIDE * SIDE, -1, 1, 1);
	random_floats(image, pixels, 0, 1, 2);

	CHECK(cudaMemcpyToSymbol(filter, weight, sizeof weight));
	float *in = device_copy(image, pixels);
	float *out = device_alloc<float>(pixels);
	dim3 grid(blocks_of(n, TILE), blocks_of(n, TILE));
	convolve<<<grid, dim3(TILE, TILE)>>>(in, out, n);
	CHECK_LAUNCH();
	from_device(got, out, pixels);
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));

	for (int row = 0; row < n; row++)
		for (int column = 0; column < n; column++)
			scatter(weight, image[(size_t)row * n + column], row,
				column, sum, n);
	for (size_t i = 0; i < pixels; i++)
		want[i] = (float)sum[i];
	/* 25 terms below 1 in size: an error of a few 2^-24 each. */
	check_close(&self, got, want, pixels, 0, 1e-5);
	free(image);
	free(got);
	free(sum);
	free(want);
	return report(&self);
}
