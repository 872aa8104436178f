/*
 * The convolution of workloads/convolution_2d.cu with the pixels of a block, and
 * the rim around them, in shared memory: SArcs' Figure 1 (d) is of such a kernel.
 *
 * SIZE: rows and columns of the image, any.
 * Check: the same sum in double precision on the CPU.
 */
#include "../programs/common.h"

#define RADIUS 2
#define SIDE (2 * RADIUS + 1)
#define TILE 16
#define EDGE (TILE + 2 * RADIUS)

static struct workload self = { "convolution_shared", "rows and columns", 256,
				1, 8192 };

__constant__ float filter[SIDE * SIDE];

__global__ void convolve(const float *image, float *out, int n)
{
	__shared__ float tile[EDGE][EDGE];
	int column = blockIdx.x * TILE + threadIdx.x;
	int row = blockIdx.y * TILE + threadIdx.y;
	float sum = 0;

	for (int i = threadIdx.y * TILE + threadIdx.x; i < EDGE * EDGE;
	     i += TILE * TILE) {
		int y = blockIdx.y * TILE + i / EDGE - RADIUS;
		int x = blockIdx.x * TILE + i % EDGE - RADIUS;
		bool inside = y >= 0 && y < n && x >= 0 && x < n;

		tile[i / EDGE][i % EDGE] = inside ? image[y * n + x] : 0;
	}
	__syncthreads();
	if (row >= n || column >= n)
		return;
	for (int dy = 0; dy < SIDE; dy++)
		for (int dx = 0; dx < SIDE; dx++)
			sum += filter[dy * SIDE + dx] *
			       tile[threadIdx.y + dy][threadIdx.x + dx];
	out[row * n + column] = sum;
}

static double convolved(const float *weight, const array<float> &image,
			int row, int column, int n)
{
	double sum = 0;

	for (int dy = 0; dy < SIDE; dy++)
		for (int dx = 0; dx < SIDE; dx++) {
			int y = row + dy - RADIUS, x = column + dx - RADIUS;

			if (y >= 0 && y < n && x >= 0 && x < n)
				sum += (double)weight[dy * SIDE + dx] *
				       image[(size_t)y * n + x];
		}
	return sum;
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	size_t pixels = (size_t)n * n;
	float weight[SIDE * SIDE];
	array<float> image(pixels), got(pixels), want(pixels);
	dim3 grid(blocks_of(n, TILE), blocks_of(n, TILE));

	random_floats(weight, SIDE * SIDE, -1, 1, 1);
	random_floats(image.host, pixels, 0, 1, 2);
	image.upload();
	CHECK(cudaMemcpyToSymbol(filter, weight, sizeof weight));
	convolve<<<grid, dim3(TILE, TILE)>>>(image.device, got.device, n);
	CHECK_LAUNCH();
	got.download();
	for (int row = 0; row < n; row++)
		for (int column = 0; column < n; column++)
			want[(size_t)row * n + column] = (float)convolved(
				weight, image, row, column, n);
	/* 25 terms below 1 in size: an error of a few 2^-24 each. */
	check_close(&self, got.host, want.host, pixels, 0, 1e-5);
	return report(&self);
}
