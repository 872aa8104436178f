/*
 * Many small tridiagonal systems, a block for each: by parallel cyclic reduction
 * in shared memory, and by a thread for each system that eliminates in order, with
 * the systems side by side.
 *
 * SIZE: systems of the larger launch.
 */
#include "common.h"

#define UNKNOWNS 128

static struct workload self = { "tridiagonal", "systems", 600, 32, 1 << 16 };

__global__ void reduce_all(const float4 *rows, float *x)
{
	__shared__ float a[UNKNOWNS], b[UNKNOWNS], c[UNKNOWNS], d[UNKNOWNS];
	int t = threadIdx.x;
	float4 row = rows[blockIdx.x * UNKNOWNS + t];

	a[t] = row.x;
	b[t] = row.y;
	c[t] = row.z;
	d[t] = row.w;
	__syncthreads();
	for (int step = 1; step < UNKNOWNS; step *= 2) {
		int above = max(t - step, 0),
		    below = min(t + step, UNKNOWNS - 1);
		float up = a[t] / b[above], down = c[t] / b[below];
		float na = t - step >= 0 ? -a[above] * up : 0;
		float nc = t + step < UNKNOWNS ? -c[below] * down : 0;
		float nb = b[t], nd = d[t];

		if (t - step >= 0) {
			nb -= c[above] * up;
			nd -= d[above] * up;
		}
		if (t + step < UNKNOWNS) {
			nb -= a[below] * down;
			nd -= d[below] * down;
		}
		__syncthreads();
		a[t] = na;
		b[t] = nb;
		c[t] = nc;
		d[t] = nd;
		__syncthreads();
	}
	x[blockIdx.x * UNKNOWNS + t] = d[t] / b[t];
}

/* Row i of system s is rows[i * systems + s]; factors is scratch. */
__global__ void eliminate(int systems, const float4 *rows, float *factors,
			  float *x)
{
	int s = blockIdx.x * blockDim.x + threadIdx.x;
	float factor = 0, value = 0;

	if (s >= systems)
		return;
	for (int i = 0; i < UNKNOWNS; i++) {
		float4 row = rows[i * systems + s];
		float divisor = 1 / (row.y - row.x * factor);

		factor = row.z * divisor;
		value = (row.w - row.x * value) * divisor;
		factors[i * systems + s] = factor;
		x[i * systems + s] = value;
	}
	for (int i = UNKNOWNS - 2; i >= 0; i--) {
		value = x[i * systems + s] - factors[i * systems + s] * value;
		x[i * systems + s] = value;
	}
}

static void solve(int systems)
{
	array<float4> together((size_t)systems * UNKNOWNS), apart(together.n);
	array<float> x(together.n), y(together.n), factors(together.n);
	array<float> want(together.n), turned(together.n);
	uint64_t seed = systems;

	random_floats(want, -1, 1, systems);
	for (int s = 0; s < systems; s++)
		for (int i = 0; i < UNKNOWNS; i++) {
			int at = s * UNKNOWNS + i;
			float4 row = { random_float(&seed), 0,
				       random_float(&seed), 0 };

			if (i == 0)
				row.x = 0;
			if (i == UNKNOWNS - 1)
				row.z = 0;
			row.y = 2.5f + row.x + row.z;
			row.w = row.y * want[at];
			if (i > 0)
				row.w += row.x * want[at - 1];
			if (i < UNKNOWNS - 1)
				row.w += row.z * want[at + 1];
			together[at] = row;
			apart[i * systems + s] = row;
			turned[i * systems + s] = want[at];
		}
	together.upload();
	apart.upload();
	reduce_all<<<systems, UNKNOWNS>>>(together.device, x.device);
	eliminate<<<blocks_of(systems, 64), 64>>>(systems, apart.device,
						  factors.device, y.device);
	CHECK_LAUNCH();
	x.download();
	y.download();
	check_close(&self, x.host, want.host, want.n, 1e-4, 1e-5, "reduction");
	check_close(&self, y.host, turned.host, want.n, 1e-4, 1e-5,
		    "elimination");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	solve(n / 20 + 1);
	solve(n);
	solve(5 * n);
	return report(&self);
}
