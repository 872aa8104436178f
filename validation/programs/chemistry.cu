/*
 * Rates of chemical reactions in many cells, after SHOC's S3D: a thread for each
 * cell holds the concentrations of all species in registers, computes the speeds of
 * reactions forward and backward with exponentials and logarithms, and adds them
 * up. Long straight code with many registers.
 *
 * SIZE: cells.
 */
#include "common.h"

#define SPECIES 22
#define REACTIONS 40
#define THREADS 128

static struct workload self = { "chemistry", "cells", 8192, 32, 1 << 20 };

/* What reacts to what is made of numbers: two species to two others. */
__host__ __device__ constexpr int species_of(int reaction, int which)
{
	return (reaction * 7 + which * 5 + reaction / 11 * which) % SPECIES;
}

__host__ __device__ static inline float fast_exp(float x)
{
#ifdef __CUDA_ARCH__
	return __expf(x);
#else
	return expf(x);
#endif
}

__host__ __device__ static inline void rates(int n, int i, const float *heat,
					     const float *c, float *out)
{
	float y[SPECIES], sum[SPECIES], t = heat[i];
	float inverse = 1 / t, logarithm = logf(t);

#pragma unroll
	for (int s = 0; s < SPECIES; s++) {
		y[s] = c[s * n + i];
		sum[s] = 0;
	}
#pragma unroll
	for (int r = 0; r < REACTIONS; r++) {
		int a = species_of(r, 0), b = species_of(r, 1);
		int p = species_of(r, 2), q = species_of(r, 3);
		float forward = fast_exp(2 + 0.05f * r -
					 (0.5f + 0.01f * r) * logarithm -
					 (3 + 0.1f * r) * inverse);
		float balance = fast_exp((0.2f * (r % 5) - 0.5f) * inverse +
					 0.1f * logarithm);
		float speed = forward * (y[a] * y[b] - y[p] * y[q] / balance);

		if (r % 8 == 0) {
			/* A third body takes part: pressure slows it down. */
			float low = y[0] + y[1] + 0.5f * y[2];
			float reduced = forward * low;

			speed *= reduced / (1 + reduced);
		}
		sum[a] -= speed;
		sum[b] -= speed;
		sum[p] += speed;
		sum[q] += speed;
	}
#pragma unroll
	for (int s = 0; s < SPECIES; s++)
		out[s * n + i] = sum[s];
}

__global__ void react(int n, const float *heat, const float *c, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		rates(n, i, heat, c, out);
}

static void cells(int n)
{
	array<float> heat(n), c((size_t)SPECIES * n), out(c.n), want(c.n);

	random_floats(heat, 1, 3, n);
	random_floats(c, 0, 1, n + 1);
	heat.upload();
	c.upload();
	react<<<blocks_of(n, THREADS), THREADS>>>(n, heat.device, c.device,
						  out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		rates(n, i, heat.host, c.host, want.host);
	out.download();
	check_close(&self, out.host, want.host, out.n, 1e-3, 1e-3);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	cells(n / 64);
	cells(n);
	cells(8 * n);
	return report(&self);
}
