/*
 * Molecular dynamics: particles in a periodic box, sorted into cells as wide as
 * the range of the force (counted by atomics, at most 32 in a cell), forces of
 * Lennard and Jones from the 27 cells around, and a step of Verlet's method.
 *
 * SIZE: cells of an edge of the larger box. Places in a cell vary with the order
 * of atomics, so each cell is put in order before it is used.
 */
#include "common.h"

#define THREADS 128
#define ROOM 32
#define RANGE 2.5f

static struct workload self = { "lennard_jones", "cells of an edge", 8, 3, 32 };

__global__ void fill_cells(int n, const float4 *place, int side, int *count,
			   int *cell)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	int x = (int)(place[i].x / RANGE), y = (int)(place[i].y / RANGE);
	int z = (int)(place[i].z / RANGE);
	int c = (z * side + y) * side + x;
	int at = atomicAdd(&count[c], 1);

	if (at < ROOM)
		cell[c * ROOM + at] = i;
}

/* Insertion sort of each cell by one thread. */
__global__ void order_cells(int cells, const int *count, int *cell)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x;

	if (c >= cells)
		return;
	int *list = cell + c * ROOM;
	for (int i = 1; i < count[c]; i++) {
		int key = list[i], j = i;

		for (; j > 0 && list[j - 1] > key; j--)
			list[j] = list[j - 1];
		list[j] = key;
	}
}

__host__ __device__ static inline void add_force(float4 a, float4 b, float box,
						 float3 *f)
{
	float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;

	dx -= box * rintf(dx / box);
	dy -= box * rintf(dy / box);
	dz -= box * rintf(dz / box);
	float r2 = dx * dx + dy * dy + dz * dz;
	if (r2 >= RANGE * RANGE || r2 == 0)
		return;
	float inverse = 1 / r2, six = inverse * inverse * inverse;
	float scale = 24 * inverse * six * (2 * six - 1);
	f->x += scale * dx;
	f->y += scale * dy;
	f->z += scale * dz;
}

__global__ void forces(int n, const float4 *place, int side, const int *count,
		       const int *cell, float3 *force)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float4 own = place[i];
	float3 f = make_float3(0, 0, 0);
	int x = (int)(own.x / RANGE), y = (int)(own.y / RANGE);
	int z = (int)(own.z / RANGE);
	for (int d = 0; d < 27; d++) {
		int cx = (x + d % 3 + side - 1) % side;
		int cy = (y + d / 3 % 3 + side - 1) % side;
		int cz = (z + d / 9 + side - 1) % side;
		int c = (cz * side + cy) * side + cx;

		for (int k = 0; k < count[c]; k++)
			add_force(own, place[cell[c * ROOM + k]], side * RANGE,
				  &f);
	}
	force[i] = f;
}

__global__ void advance(int n, const float3 *force, float4 *speed,
			float4 *place, float box, float dt)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float4 v = speed[i], p = place[i];
	float3 f = force[i];
	v.x += dt * f.x;
	v.y += dt * f.y;
	v.z += dt * f.z;
	p.x += dt * v.x;
	p.y += dt * v.y;
	p.z += dt * v.z;
	p.x -= box * floorf(p.x / box);
	p.y -= box * floorf(p.y / box);
	p.z -= box * floorf(p.z / box);
	speed[i] = v;
	place[i] = p;
}

/* A lattice with 8 particles in a cell, shifted a little. */
static void make_places(array<float4> &place, int side)
{
	uint64_t random = side;
	int edge = 2 * side;

	for (size_t i = 0; i < place.n; i++) {
		float *p = &place[i].x;
		int at[3] = { (int)i % edge, (int)i / edge % edge,
			      (int)i / edge / edge };

		for (int k = 0; k < 3; k++)
			p[k] = (at[k] + 0.4f + 0.2f * random_float(&random)) *
			       RANGE / 2;
	}
}

static void simulate(int side)
{
	int n = 8 * side * side * side, cells = side * side * side;
	int blocks = blocks_of(n, THREADS);
	float box = side * RANGE;
	array<float4> place(n), speed(n);
	array<float3> force(n), want(n);
	array<int> count(cells), cell(cells * ROOM);

	make_places(place, side);
	place.upload();
	speed.fill(0);
	for (int step = 0; step < 2; step++) {
		count.fill(0);
		fill_cells<<<blocks, THREADS>>>(n, place.device, side,
						count.device, cell.device);
		order_cells<<<blocks_of(cells, THREADS), THREADS>>>(
			cells, count.device, cell.device);
		forces<<<blocks, THREADS>>>(n, place.device, side, count.device,
					    cell.device, force.device);
		if (step == 0)
			advance<<<blocks, THREADS>>>(n, force.device,
						     speed.device, place.device,
						     box, 1e-4f);
		CHECK_LAUNCH();
	}
	place.download(); /* where the last forces were computed */
	force.download();
	for (int i = 0; i < n; i += 7)
		for (int j = 0; j < n; j++)
			add_force(place[i], place[j], box, &want[i]);
	for (int i = 0; i < n; i++)
		if (i % 7)
			want[i] = force[i];
	check_close(&self, &force[0].x, &want[0].x, 3 * n, 2e-3, 2e-2);
}

int main(int argc, char **argv)
{
	int side = size_arg(&self, argc, argv);

	simulate(3);
	simulate(side);
	return report(&self);
}
