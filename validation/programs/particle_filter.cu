/*
 * A particle filter follows a target through a picture: likelihood of each particle
 * from the pixels around it, sum of the weights in a block, division, running sum
 * by a single thread, and a search for the particle that each new one copies
 * (Rodinia's particlefilter).
 *
 * SIZE: particles.
 */
#include "common.h"

#define POINTS 37 /* of the disk around a particle */
#define THREADS 128
#define SIDE 128 /* of the picture */

static struct workload self = { "particle_filter", "particles", 2000, 128,
				1 << 16 };

__constant__ signed char disk[POINTS][2];

__host__ __device__ static inline float
rate(const unsigned char *picture, int x, int y, const signed char (*points)[2])
{
	int sum = 0;

	for (int k = 0; k < POINTS; k++) {
		int px = x + points[k][0], py = y + points[k][1];

		if (px < 0 || py < 0 || px >= SIDE || py >= SIDE)
			continue;
		int dark = picture[py * SIDE + px] - 100;
		int bright = picture[py * SIDE + px] - 228;
		sum += (dark * dark - bright * bright) / 50;
	}
	return (float)(1 + max(sum, 0) / 256);
}

__global__ void likelihood(int n, const unsigned char *picture,
			   const short2 *at, float *weight)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		weight[i] = rate(picture, at[i].x, at[i].y, disk);
}

__global__ void total(int n, const float *weight, float *sum)
{
	__shared__ float part[THREADS];
	int t = threadIdx.x;

	part[t] = 0;
	for (int i = t; i < n; i += THREADS)
		part[t] += weight[i];
	__syncthreads();
	for (int half = THREADS / 2; half > 0; half /= 2) {
		if (t < half)
			part[t] += part[t + half];
		__syncthreads();
	}
	if (t == 0)
		*sum = part[0];
}

__global__ void running(int n, const float *weight, float *cdf)
{
	float sum = 0;

	for (int i = 0; i < n; i++) {
		sum += weight[i];
		cdf[i] = sum;
	}
}

__global__ void choose(int n, const float *cdf, const float *sum, int *index)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float u = floorf((i + 0.5f) * *sum / n);
	int k = 0;
	while (k < n - 1 && cdf[k] < u)
		k++;
	index[i] = k;
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), blocks = blocks_of(n, THREADS);
	array<unsigned char> picture(SIDE * SIDE);
	array<short2> at(n);
	array<float> weight(n), want(n), cdf(n), sum(1);
	array<int> index(n), chosen(n);
	signed char points[POINTS][2];
	uint64_t seed = n;
	int count = 0;

	for (int y = -3; y <= 3; y++)
		for (int x = -3; x <= 3; x++)
			if (x * x + y * y <= 11 && count < POINTS) {
				points[count][0] = x;
				points[count++][1] = y;
			}
	for (; count < POINTS; count++)
		points[count][0] = points[count][1] = 0;
	random_ints(picture, 256, n);
	for (int i = 0; i < n; i++) {
		at[i].x = random_below(&seed, SIDE);
		at[i].y = random_below(&seed, SIDE);
	}
	picture.upload();
	at.upload();
	CHECK(cudaMemcpyToSymbol(disk, points, sizeof points));
	likelihood<<<blocks, THREADS>>>(n, picture.device, at.device,
					weight.device);
	total<<<1, THREADS>>>(n, weight.device, sum.device);
	running<<<1, 1>>>(n, weight.device, cdf.device);
	choose<<<blocks, THREADS>>>(n, cdf.device, sum.device, index.device);
	CHECK_LAUNCH();

	/* Weights are integers, so that their sums are exact. */
	float all = 0;
	for (int i = 0; i < n; i++) {
		want[i] = rate(picture.host, at[i].x, at[i].y, points);
		cdf[i] = all += want[i];
	}
	for (int i = 0; i < n; i++) {
		float u = floorf((i + 0.5f) * all / n);

		while (chosen[i] < n - 1 && cdf[chosen[i]] < u)
			chosen[i]++;
	}
	weight.download();
	sum.download();
	index.download();
	check_exact(&self, weight.host, want.host, n, "weights");
	check_exact(&self, sum.host, &all, 1, "sum");
	check_exact(&self, index.host, chosen.host, n, "index");
	return report(&self);
}
