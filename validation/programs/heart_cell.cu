/*
 * A model of a heart muscle cell, after Rodinia's myocyte: four coupled ordinary
 * differential equations with exponentials and divisions, by Runge and Kutta, a
 * thread for each cell. Few threads, long chains.
 *
 * SIZE: cells of the larger launch.
 */
#include "common.h"

#define EQUATIONS 4

static struct workload self = { "heart_cell", "cells", 256, 1, 1 << 16 };

/* Hodgkin and Huxley's membrane: potential and three gates. */
__host__ __device__ static inline float opening(float v, float at, float width)
{
	float x = (at - v) / width;

	return fabsf(x) < 1e-3f ? 1 + x / 2 : x / (expf(x) - 1);
}

__host__ __device__ static inline void slopes(const float *y, float current,
					      float *out)
{
	float v = y[0], m = y[1], h = y[2], n = y[3];
	float sodium = 120 * m * m * m * h * (v - 50);
	float potassium = 36 * n * n * n * n * (v + 77);
	float leak = 0.3f * (v + 54.4f);

	out[0] = current - sodium - potassium - leak;
	out[1] = opening(v, -40, 10) * (1 - m) - 4 * expf(-(v + 65) / 18) * m;
	out[2] = 0.07f * expf(-(v + 65) / 20) * (1 - h) -
		 h / (1 + expf(-(v + 35) / 10));
	out[3] = 0.1f * opening(v, -55, 10) * (1 - n) -
		 0.125f * expf(-(v + 65) / 80) * n;
}

__host__ __device__ static inline void beat(float *y, float current, int steps,
					    float dt)
{
	float k[EQUATIONS], at[EQUATIONS], sum[EQUATIONS];

	for (int s = 0; s < steps; s++) {
		for (int e = 0; e < EQUATIONS; e++) {
			at[e] = y[e];
			sum[e] = 0;
		}
		for (int part = 0; part < 4; part++) {
			float weight = part == 1 || part == 2 ? 2.0f : 1.0f;
			float ahead = part == 2 ? 1.0f : 0.5f;

			slopes(at, current, k);
			for (int e = 0; e < EQUATIONS; e++) {
				sum[e] += weight * k[e];
				at[e] = y[e] + dt * ahead * k[e];
			}
		}
		for (int e = 0; e < EQUATIONS; e++)
			y[e] += dt / 6 * sum[e];
	}
}

__global__ void beats(int cells, int steps, float dt, const float *current,
		      float *state)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float y[EQUATIONS];

	if (i >= cells)
		return;
	for (int e = 0; e < EQUATIONS; e++)
		y[e] = state[i * EQUATIONS + e];
	beat(y, current[i], steps, dt);
	for (int e = 0; e < EQUATIONS; e++)
		state[i * EQUATIONS + e] = y[e];
}

static void simulate(int cells, int threads, int steps)
{
	const float rest[EQUATIONS] = { -65, 0.053f, 0.596f, 0.317f };
	array<float> current(cells), state((size_t)EQUATIONS * cells);
	array<float> want(state.n);

	random_floats(current, 0, 5, cells);
	for (size_t i = 0; i < state.n; i++)
		want[i] = state[i] = rest[i % EQUATIONS];
	current.upload();
	state.upload();
	beats<<<blocks_of(cells, threads), threads>>>(
		cells, steps, 0.01f, current.device, state.device);
	CHECK_LAUNCH();
	for (int i = 0; i < cells; i++)
		beat(want.host + i * EQUATIONS, current[i], steps, 0.01f);
	state.download();
	check_close(&self, state.host, want.host, state.n, 1e-3, 1e-3);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	simulate(1, 32, 60);
	simulate(32, 32, 60);
	simulate(n, 128, 40);
	simulate(64 * n, 128, 5);
	return report(&self);
}
