/*
 * The electric potential of atoms on the points of a grid: all pairs, the atoms
 * in constant memory; a thread has one point, or four in a row; and the forces
 * between all pairs of bodies with tiles in shared memory.
 *
 * SIZE: points of an edge of the grid, a multiple of 32.
 */
#include "common.h"

#define ATOMS 128
#define TILE 128

static struct workload self = { "coulomb_grid", "points of an edge", 256, 32,
				2048 };

__constant__ float4 atoms[ATOMS]; /* place and charge */

__global__ void one_point(int n, float spacing, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	float px = x * spacing, py = y * spacing, sum = 0;

	for (int a = 0; a < ATOMS; a++) {
		float dx = px - atoms[a].x, dy = py - atoms[a].y;

		sum += atoms[a].w *
		       rsqrtf(dx * dx + dy * dy + atoms[a].z * atoms[a].z);
	}
	out[y * n + x] = sum;
}

__global__ void four_points(int n, float spacing, float *out)
{
	int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	float px = x * spacing, py = y * spacing, sum[4] = { 0, 0, 0, 0 };

	for (int a = 0; a < ATOMS; a++) {
		float4 v = atoms[a];
		float dx = px - v.x, dy = py - v.y;
		float rest = dy * dy + v.z * v.z;

#pragma unroll
		for (int k = 0; k < 4; k++)
			sum[k] += v.w * rsqrtf((dx + k * spacing) *
						       (dx + k * spacing) +
					       rest);
	}
	*(float4 *)&out[y * n + x] =
		make_float4(sum[0], sum[1], sum[2], sum[3]);
}

__global__ void pairs(int n, const float4 *body, float4 *out)
{
	__shared__ float4 s[TILE];
	float4 own = body[blockIdx.x * TILE + threadIdx.x];
	float fx = 0, fy = 0, fz = 0;

	for (int first = 0; first < n; first += TILE) {
		__syncthreads();
		s[threadIdx.x] = body[first + threadIdx.x];
		__syncthreads();
#pragma unroll 8
		for (int i = 0; i < TILE; i++) {
			float dx = s[i].x - own.x, dy = s[i].y - own.y;
			float dz = s[i].z - own.z;
			float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
			float f = s[i].w * r * r * r;

			fx += f * dx;
			fy += f * dy;
			fz += f * dz;
		}
	}
	out[blockIdx.x * TILE + threadIdx.x] = make_float4(fx, fy, fz, 0);
}

static void run_grid(int n, const float4 *atom)
{
	array<float> out(n * n), want(n * n);
	const float spacing = 0.1f;

	for (int i = 0; i < n * n; i++) {
		double sum = 0;

		for (int a = 0; a < ATOMS; a++) {
			double dx = i % n * (double)spacing - atom[a].x;
			double dy = i / n * (double)spacing - atom[a].y;

			sum += atom[a].w / sqrt(dx * dx + dy * dy +
						(double)atom[a].z * atom[a].z);
		}
		want[i] = sum;
	}
	one_point<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, spacing, out.device);
	CHECK_LAUNCH();
	out.download();
	check_close(&self, out.host, want.host, out.n, 1e-4, 1e-3, "one");
	four_points<<<dim3(n / 32, n / 16), dim3(8, 16)>>>(n, spacing,
							   out.device);
	CHECK_LAUNCH();
	out.download();
	check_close(&self, out.host, want.host, out.n, 1e-4, 1e-3, "four");
}

static void run_pairs(int n)
{
	array<float4> body(n), out(n), want(n);

	random_floats((float *)body.host, 4 * n, 0, 1, n);
	body.upload();
	pairs<<<n / TILE, TILE>>>(n, body.device, out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++) {
		double f[3] = { 0, 0, 0 };

		for (int j = 0; j < n; j++) {
			double dx = body[j].x - body[i].x;
			double dy = body[j].y - body[i].y;
			double dz = body[j].z - body[i].z;
			double r2 = dx * dx + dy * dy + dz * dz + 0.01;
			double scale = body[j].w / (r2 * sqrt(r2));

			f[0] += scale * dx;
			f[1] += scale * dy;
			f[2] += scale * dz;
		}
		want[i] = make_float4(f[0], f[1], f[2], 0);
	}
	out.download();
	check_close(&self, &out[0].x, &want[0].x, 4 * n, 1e-3, 1e-2, "pairs");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	float4 atom[ATOMS];
	uint64_t random = 1;

	if (n % 32)
		bad_size(&self, "a multiple of 32");
	for (int a = 0; a < ATOMS; a++) {
		atom[a].w = random_float(&random) - 0.5f;
		atom[a].z = 0.5f + random_float(&random);
		atom[a].y = random_float(&random) * 25;
		atom[a].x = random_float(&random) * 25;
	}
	CHECK(cudaMemcpyToSymbol(atoms, atom, sizeof atom));
	run_grid(n / 8 / 32 * 32 + 32, atom);
	run_grid(n, atom);
	run_grid(n / 2 * 3, atom);
	run_pairs(512);
	run_pairs(4096);
	return report(&self);
}
