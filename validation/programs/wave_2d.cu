/*
 * A wave on a membrane: leapfrog steps in fp32 with three arrays, the fourth
 * order in space (13 points), in blocks of 64 x 4.
 *
 * SIZE: rows and columns of the largest grid.
 */
#include "common.h"

static struct workload self = { "wave_2d", "rows and columns", 768, 64, 8192 };

#define COURANT 0.2f

__host__ __device__ static inline float step_at(const float *p, float old,
						int pitch)
{
	float cross = 16 * (p[-1] + p[1] + p[-pitch] + p[pitch]) -
		      (p[-2] + p[2] + p[-2 * pitch] + p[2 * pitch]) - 60 * p[0];

	return 2 * p[0] - old + COURANT / 12 * cross;
}

/* `old` becomes the next state. */
__global__ void leap(int n, const float *now, float *old)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x + 2;
	int y = blockIdx.y * blockDim.y + threadIdx.y + 2;

	if (x < n - 2 && y < n - 2)
		old[y * n + x] = step_at(now + y * n + x, old[y * n + x], n);
}

static void simulate(int n, int steps)
{
	array<float> a((size_t)n * n), b(a.n);
	float *got = host_alloc<float>(a.n);

	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			float dx = x - n / 2, dy = y - n / 3;

			a[y * n + x] = b[y * n + x] =
				expf(-(dx * dx + dy * dy) / 50.0f);
		}
	a.upload();
	b.upload();
	float *now = a.device, *old = b.device, *hnow = a.host, *hold = b.host;
	dim3 blocks(blocks_of(n - 4, 64), blocks_of(n - 4, 4));
	for (int s = 0; s < steps; s++) {
		leap<<<blocks, dim3(64, 4)>>>(n, now, old);
		CHECK_LAUNCH();
		for (int y = 2; y < n - 2; y++)
			for (int x = 2; x < n - 2; x++)
				hold[y * n + x] = step_at(hnow + y * n + x,
							  hold[y * n + x], n);
		float *d = now, *h = hnow;
		now = old;
		old = d;
		hnow = hold;
		hold = h;
	}
	from_device(got, now, a.n);
	check_close(&self, got, hnow, a.n, 1e-4, 1e-5);
	free(got);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	simulate(n / 8, 4);
	simulate(n / 3, 3);
	simulate(n, 2);
	return report(&self);
}
