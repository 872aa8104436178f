/*
 * Conjugate gradients in one cooperative launch: a five-point Laplace operator
 * plus a diagonal, scalar products by cooperative groups (tiles of a block, then
 * all blocks' parts in order), barriers of the whole grid between the steps.
 *
 * SIZE: rows and columns of the larger grid.
 */
#include "common.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

#define THREADS 256

static struct workload self = { "conjugate_gradient", "rows", 192, 16, 1024 };

struct system_2d {
	int rows, steps;
	float *x, *r, *p, *q;
	double *parts;
};

__device__ static double product(cg::grid_group grid, int n, const float *a,
				 const float *b, double *parts)
{
	__shared__ double warps[THREADS / WARP];
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<WARP> tile = cg::tiled_partition<WARP>(block);
	double sum = 0;

	for (int i = grid.thread_rank(); i < n; i += grid.size())
		sum += (double)a[i] * b[i];
	sum = cg::reduce(tile, sum, cg::plus<double>());
	if (tile.thread_rank() == 0)
		warps[tile.meta_group_rank()] = sum;
	block.sync();
	if (block.thread_rank() == 0) {
		for (int w = 1; w < THREADS / WARP; w++)
			sum += warps[w];
		parts[blockIdx.x] = sum;
	}
	grid.sync();
	sum = 0;
	for (int b = tile.thread_rank(); b < gridDim.x; b += WARP)
		sum += parts[b];
	sum = cg::reduce(tile, sum, cg::plus<double>());
	grid.sync();
	return sum;
}

__device__ static float laplace(const float *v, int rows, int i)
{
	int x = i % rows, y = i / rows;
	float sum = 8 * v[i];

	if (x > 0)
		sum -= v[i - 1];
	if (x < rows - 1)
		sum -= v[i + 1];
	if (y > 0)
		sum -= v[i - rows];
	if (y < rows - 1)
		sum -= v[i + rows];
	return sum;
}

/* x = 0 and r = p = b when it begins. */
__global__ void solve(struct system_2d s)
{
	cg::grid_group grid = cg::this_grid();
	int n = s.rows * s.rows, first = grid.thread_rank();
	double rr = product(grid, n, s.r, s.r, s.parts);

	for (int step = 0; step < s.steps; step++) {
		for (int i = first; i < n; i += grid.size())
			s.q[i] = laplace(s.p, s.rows, i);
		grid.sync();
		float alpha = rr / product(grid, n, s.p, s.q, s.parts);
		for (int i = first; i < n; i += grid.size()) {
			s.x[i] += alpha * s.p[i];
			s.r[i] -= alpha * s.q[i];
		}
		grid.sync();
		double next = product(grid, n, s.r, s.r, s.parts);
		float beta = next / rr;
		for (int i = first; i < n; i += grid.size())
			s.p[i] = s.r[i] + beta * s.p[i];
		rr = next;
		grid.sync();
	}
}

static void run(int rows, int blocks, int steps)
{
	int n = rows * rows;
	array<float> b(n), x(n), r(n), p(n), q(n), back(n);
	array<double> parts(blocks);
	struct system_2d s = { rows,     steps,    x.device,    r.device,
			       p.device, q.device, parts.device };
	void *arguments[] = { &s };

	random_floats(b, -1, 1, rows);
	x.fill(0);
	to_device(r.device, b.host, n);
	to_device(p.device, b.host, n);
	CHECK(cudaLaunchCooperativeKernel((void *)solve, dim3(blocks),
					  dim3(THREADS), arguments, 0, 0));
	x.download();
	for (int i = 0; i < n; i++) {
		int c = i % rows, d = i / rows;

		back[i] = 8 * x[i] - (c ? x[i - 1] : 0) -
			  (c < rows - 1 ? x[i + 1] : 0) -
			  (d ? x[i - rows] : 0) -
			  (d < rows - 1 ? x[i + rows] : 0);
	}
	check_close(&self, back.host, b.host, n, 0, 1e-2, "A x");
}

int main(int argc, char **argv)
{
	int rows = size_arg(&self, argc, argv);

	run(rows / 8, 1, 8);
	run(rows / 2, 16, 8);
	run(rows, 132, 5);
	run(rows, 264, 5);
	return report(&self);
}
