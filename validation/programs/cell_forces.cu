/*
 * Particles in boxes, after Rodinia's lavaMD: a block for each box, which takes its
 * particles and, one neighbouring box after the other, those of up to 27 boxes into
 * shared memory, and adds the forces of each pair, with an exponential, in double
 * precision.
 *
 * SIZE: boxes on a side of the cube.
 */
#include "common.h"

#define EACH 24 /* particles of a box */
#define THREADS 32
#define ALPHA 0.5

static struct workload self = { "cell_forces", "boxes on a side", 4, 1, 16 };

struct particle {
	double x, y, z, charge;
};

struct force {
	double potential, x, y, z;
};

__host__ __device__ static inline void add(force *f, const particle &a,
					   const particle &b)
{
	double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
	double e = exp(-2 * ALPHA * ALPHA * (x * x + y * y + z * z));
	double scale = 2 * e * b.charge;

	f->potential += b.charge * e;
	f->x += scale * x;
	f->y += scale * y;
	f->z += scale * z;
}

__global__ void forces(int side, const particle *all, force *out)
{
	__shared__ particle mine[EACH], other[EACH];
	int t = threadIdx.x, bx = blockIdx.x, by = blockIdx.y, bz = blockIdx.z;
	int box = (bz * side + by) * side + bx;
	force sum = { 0, 0, 0, 0 };

	if (t < EACH)
		mine[t] = all[box * EACH + t];
	for (int k = 0; k < 27; k++) {
		int x = bx + k % 3 - 1, y = by + k / 3 % 3 - 1,
		    z = bz + k / 9 - 1;

		if (x < 0 || y < 0 || z < 0 || x >= side || y >= side ||
		    z >= side)
			continue;
		if (t < EACH)
			other[t] = all[((z * side + y) * side + x) * EACH + t];
		__syncthreads();
		if (t < EACH)
			for (int j = 0; j < EACH; j++)
				add(&sum, mine[t], other[j]);
		__syncthreads();
	}
	if (t < EACH)
		out[box * EACH + t] = sum;
}

static void cube(int side)
{
	array<particle> p((size_t)side * side * side * EACH);
	array<force> f(p.n), want(p.n);
	uint64_t seed = side;

	for (size_t i = 0; i < p.n; i++) {
		int box = (int)(i / EACH);

		p[i].x = box % side + random_float(&seed);
		p[i].y = box / side % side + random_float(&seed);
		p[i].z = box / side / side + random_float(&seed);
		p[i].charge = random_float(&seed);
	}
	p.upload();
	forces<<<dim3(side, side, side), THREADS>>>(side, p.device, f.device);
	CHECK_LAUNCH();
	for (size_t i = 0; i < p.n; i++)
		for (size_t j = 0; j < p.n; j++) {
			int a = (int)(i / EACH), b = (int)(j / EACH);

			if (abs(a % side - b % side) <= 1 &&
			    abs(a / side % side - b / side % side) <= 1 &&
			    abs(a / side / side - b / side / side) <= 1)
				add(&want[i], p[i], p[j]);
		}
	f.download();
	check_close(&self, &f.host->potential, &want.host->potential, 4 * f.n,
		    1e-10, 1e-12);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	cube(1);
	cube((n + 1) / 2);
	cube(n);
	return report(&self);
}
