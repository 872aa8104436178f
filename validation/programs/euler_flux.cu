/*
 * Euler's equations on an unstructured mesh, after Rodinia's cfd: each element sums
 * the fluxes over its four faces from its neighbours, which an index finds, or from
 * the far field behind -1, and makes a step. Five variables in arrays of their own.
 *
 * SIZE: elements.
 */
#include "common.h"

#define FACES 4
#define VARIABLES 5
#define THREADS 192
#define GAMMA 1.4f

static struct workload self = { "euler_flux", "elements", 24576, 192, 1 << 20 };

__constant__ float far_field[VARIABLES];

struct state {
	float density, x, y, z, energy;
};

__host__ __device__ static inline state load(const float *v, int n, int i)
{
	state s = { v[i], v[n + i], v[2 * n + i], v[3 * n + i], v[4 * n + i] };

	return s;
}

__host__ __device__ static inline float pressure(state s)
{
	return (GAMMA - 1) *
	       (s.energy -
		0.5f * (s.x * s.x + s.y * s.y + s.z * s.z) / s.density);
}

/* What flows through a face with that normal, added to sum. */
__host__ __device__ static inline void flux(state s, const float *normal,
					    float area, float *sum)
{
	float p = pressure(s), inverse = 1 / s.density;
	float u =
		(s.x * normal[0] + s.y * normal[1] + s.z * normal[2]) * inverse;
	float sound = sqrtf(GAMMA * p * inverse);
	float scale = 0.5f * area * (fabsf(u) + sound) * 0.2f;

	sum[0] += area * s.density * u - scale * s.density;
	sum[1] += area * (s.x * u + p * normal[0]) - scale * s.x;
	sum[2] += area * (s.y * u + p * normal[1]) - scale * s.y;
	sum[3] += area * (s.z * u + p * normal[2]) - scale * s.z;
	sum[4] += area * u * (s.energy + p) - scale * s.energy;
}

__host__ __device__ static inline void step(int n, int i, const int *neighbour,
					    const float *normals,
					    const float *v, const float *beyond,
					    float *out)
{
	float sum[VARIABLES] = { 0, 0, 0, 0, 0 };
	state mine = load(v, n, i);

	for (int f = 0; f < FACES; f++) {
		int other = neighbour[f * n + i];
		float normal[3] = { normals[(f * 3 + 0) * n + i],
				    normals[(f * 3 + 1) * n + i],
				    normals[(f * 3 + 2) * n + i] };
		float back[3] = { -normal[0], -normal[1], -normal[2] };
		state s = other >= 0 ? load(v, n, other) : load(beyond, 1, 0);

		flux(s, back, 0.01f, sum);
		flux(mine, normal, 0.01f, sum);
	}
	for (int k = 0; k < VARIABLES; k++)
		out[k * n + i] = v[k * n + i] - 0.05f * sum[k];
}

__global__ void advance(int n, const int *neighbour, const float *normals,
			const float *v, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		step(n, i, neighbour, normals, v, far_field, out);
}

static void mesh(int n)
{
	array<int> neighbour((size_t)FACES * n);
	array<float> normals((size_t)3 * FACES * n), v((size_t)VARIABLES * n),
		out(v.n), want(v.n);
	const float beyond[VARIABLES] = { 1.4f, 1.2f, 0, 0, 3.5f };
	uint64_t seed = n;

	for (int i = 0; i < n; i++) {
		for (int f = 0; f < FACES; f++) {
			int near = i + (int)random_below(&seed, 400) - 200;

			neighbour[f * n + i] = near < 0 || near >= n ? -1 :
								       near;
		}
		for (int k = 0; k < 3 * FACES; k++)
			normals[k * n + i] = 2 * random_float(&seed) - 1;
		for (int k = 0; k < VARIABLES; k++)
			v[k * n + i] = beyond[k] + 0.2f * random_float(&seed);
	}
	neighbour.upload();
	normals.upload();
	v.upload();
	CHECK(cudaMemcpyToSymbol(far_field, beyond, sizeof beyond));
	advance<<<blocks_of(n, THREADS), THREADS>>>(
		n, neighbour.device, normals.device, v.device, out.device);
	advance<<<blocks_of(n, THREADS), THREADS>>>(
		n, neighbour.device, normals.device, out.device, v.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		step(n, i, neighbour.host, normals.host, v.host, beyond,
		     out.host);
	for (int i = 0; i < n; i++)
		step(n, i, neighbour.host, normals.host, out.host, beyond,
		     want.host);
	v.download();
	check_close(&self, v.host, want.host, v.n, 1e-4, 1e-5);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	mesh(n / 32);
	mesh(n);
	mesh(4 * n);
	return report(&self);
}
