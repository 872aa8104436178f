/*
 * Flow in a channel with obstacles by the lattice Boltzmann method in three
 * dimensions with 19 directions (Parboil's lbm): a thread for each cell reads its
 * 19 values, lets them collide, and writes them to its neighbours. A row of cells is
 * a block.
 *
 * SIZE: cells on the long side.
 */
#include "common.h"

#define Q 19
#define OMEGA 1.85f

static struct workload self = { "lattice_boltzmann", "cells", 120, 32, 512 };

struct grid {
	int nx, ny, nz;
};

__host__ __device__ static inline int wrap(int i, int n)
{
	return i < 0 ? i + n : i >= n ? i - n : i;
}

/* Moves what cell (x, y, z) has from `in` to `out`; both are [Q][cells]. */
__host__ __device__ static inline void collide(grid g, const char *solid,
					       const float *in, float *out,
					       int x, int y, int z)
{
	const int cx[Q] = { 0,  0, 0, 1, -1, 0, 0,  1, -1, 1,
			    -1, 0, 0, 0, 0,  1, -1, 1, -1 };
	const int cy[Q] = { 0,  1, -1, 0,  0,  0, 0, 1, 1, -1,
			    -1, 1, 1,  -1, -1, 0, 0, 0, 0 };
	const int cz[Q] = { 0, 0, 0,  0, 0,  1, -1, 0,  0, 0,
			    0, 1, -1, 1, -1, 1, 1,  -1, -1 };
	const int opposite[Q] = { 0, 2,  1,  4,  3,  6,  5,  10, 9, 8,
				  7, 14, 13, 12, 11, 18, 17, 16, 15 };
	int cells = g.nx * g.ny * g.nz, at = (z * g.ny + y) * g.nx + x;
	float f[Q], rho = 0, ux = 0, uy = 0, uz = 0;

#pragma unroll
	for (int q = 0; q < Q; q++) {
		f[q] = in[q * cells + at];
		rho += f[q];
		ux += cx[q] * f[q];
		uy += cy[q] * f[q];
		uz += cz[q] * f[q];
	}
	bool wall = solid[at];
	ux = ux / rho + 0.0005f;
	uy /= rho;
	uz /= rho;
	float square = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
	for (int q = 0; q < Q; q++) {
		int to =
			(wrap(z + cz[q], g.nz) * g.ny + wrap(y + cy[q], g.ny)) *
				g.nx +
			wrap(x + cx[q], g.nx);
		float c = cx[q] * ux + cy[q] * uy + cz[q] * uz;
		float weight = q == 0 ? 1.0f / 3 :
			       q < 7  ? 1.0f / 18 :
					1.0f / 36;
		float rest = weight * rho * (1 + 3 * c + 4.5f * c * c - square);

		out[q * cells + to] = wall ? f[opposite[q]] :
					     f[q] + OMEGA * (rest - f[q]);
	}
}

__global__ void step(grid g, const char *solid, const float *in, float *out)
{
	collide(g, solid, in, out, threadIdx.x, blockIdx.x, blockIdx.y);
}

static void flow(grid g, int steps)
{
	int cells = g.nx * g.ny * g.nz;
	array<char> solid(cells);
	array<float> a((size_t)Q * cells), b(a.n), got(a.n);
	uint64_t seed = cells;

	for (int i = 0; i < cells; i++)
		solid[i] = random_below(&seed, 20) == 0;
	for (size_t i = 0; i < a.n; i++)
		a[i] = ((int)i < cells     ? 1.0f / 3 :
			(int)i < 7 * cells ? 1.0f / 18 :
					     1.0f / 36) *
		       (0.95f + 0.1f * random_float(&seed));
	solid.upload();
	a.upload();
	float *in = a.device, *out = b.device, *hin = a.host, *hout = b.host;
	for (int s = 0; s < steps; s++) {
		step<<<dim3(g.ny, g.nz), g.nx>>>(g, solid.device, in, out);
		CHECK_LAUNCH();
		for (int i = 0; i < cells; i++)
			collide(g, solid.host, hin, hout, i % g.nx,
				i / g.nx % g.ny, i / g.nx / g.ny);
		float *d = in, *h = hin;
		in = out;
		out = d;
		hin = hout;
		hout = h;
	}
	from_device(got.host, in, a.n);
	check_close(&self, got.host, hin, a.n, 1e-4, 1e-5);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	flow({ 32, 4, 4 }, 3);
	flow({ n, n / 4, n / 10 }, 2);
	return report(&self);
}
