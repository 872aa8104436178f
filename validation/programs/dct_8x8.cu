/*
 * Cosine transforms of 8 x 8 blocks of an image, as JPEG does: by eight threads
 * for each block with a butterfly in registers, rows then columns through shared
 * memory; and quantized as integers.
 *
 * SIZE: columns of the largest image, a multiple of 64.
 */
#include "common.h"

#define PARTS 8 /* 8 x 8 blocks that a thread block transforms */

static struct workload self = { "dct_8x8", "columns", 1024, 64, 8192 };

__constant__ float basis[8][8];
__constant__ int step[8][8];

/* Even and odd half of the transform of eight values. */
__device__ static void dct_8(float v[8])
{
	float e[4], o[4];

#pragma unroll
	for (int i = 0; i < 4; i++) {
		e[i] = v[i] + v[7 - i];
		o[i] = v[i] - v[7 - i];
	}
#pragma unroll
	for (int k = 0; k < 8; k++) {
		v[k] = 0;
#pragma unroll
		for (int i = 0; i < 4; i++)
			v[k] += basis[k][i] * (k % 2 ? o[i] : e[i]);
	}
}

__global__ void transform(int columns, const float *image, float *out,
			  int *quantized)
{
	__shared__ float s[PARTS][8][9];
	int part = threadIdx.y, t = threadIdx.x;
	int x = (blockIdx.x * PARTS + part) * 8, y = blockIdx.y * 8;
	float v[8];

	for (int i = 0; i < 8; i++)
		v[i] = image[(y + t) * columns + x + i];
	dct_8(v);
	for (int i = 0; i < 8; i++)
		s[part][t][i] = v[i];
	__syncthreads();
	for (int i = 0; i < 8; i++)
		v[i] = s[part][i][t];
	dct_8(v);
	for (int i = 0; i < 8; i++) {
		int at = (y + i) * columns + x + t;

		out[at] = v[i];
		quantized[at] =
			(int)(v[i] + (v[i] < 0 ? -0.5f : 0.5f)) / step[i][t];
	}
}

static void run(int columns, int rows, const float table[8][8],
		const int steps[8][8])
{
	array<float> image(columns * rows), out(image.n), want(image.n);
	array<int> quantized(image.n), level(image.n);

	random_floats(image, -128, 127, columns);
	image.upload();
	transform<<<dim3(columns / 8 / PARTS, rows / 8), dim3(8, PARTS)>>>(
		columns, image.device, out.device, quantized.device);
	CHECK_LAUNCH();
	out.download();
	quantized.download();
	for (int i = 0; i < columns * rows; i++) {
		int x = i % columns, y = i / columns, x0 = x & ~7, y0 = y & ~7;
		double sum = 0;

		for (int j = 0; j < 64; j++)
			sum += (double)table[x % 8][j % 8] *
			       table[y % 8][j / 8] *
			       image[(y0 + j / 8) * columns + x0 + j % 8];
		want[i] = sum;
		level[i] = (int)(out[i] + (out[i] < 0 ? -0.5f : 0.5f)) /
			   steps[y % 8][x % 8];
	}
	check_close(&self, out.host, want.host, out.n, 1e-4, 1e-3);
	check_exact(&self, quantized.host, level.host, out.n, "levels");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), steps[8][8];
	float table[8][8];

	if (n % 64)
		bad_size(&self, "a multiple of 64");
	for (int k = 0; k < 8; k++)
		for (int i = 0; i < 8; i++) {
			table[k][i] = (k ? 0.5 : sqrt(0.125)) *
				      cos((2 * i + 1) * k *
					  3.14159265358979323846 / 16);
			steps[k][i] = 8 + 3 * (k + i);
		}
	CHECK(cudaMemcpyToSymbol(basis, table, sizeof table));
	CHECK(cudaMemcpyToSymbol(step, steps, sizeof steps));
	run(64, 8, table, steps);
	run(n / 4 / 64 * 64 + 64, 64, table, steps);
	run(n, 256, table, steps);
	return report(&self);
}
