/*
 * A 27-point stencil on a cube: each thread walks along z and keeps the sums of
 * three planes in registers, reading nine values of each new plane; and a second
 * kernel with one thread for each point.
 *
 * SIZE: points of an edge.
 */
#include "common.h"

static struct workload self = { "stencil_27point", "points of an edge", 96, 8,
				512 };

/* Sum of the nine points around p in its plane. */
__host__ __device__ static inline float plane(const float *p, int n)
{
	return p[-n - 1] + p[-n] + p[-n + 1] + p[-1] + p[0] + p[1] + p[n - 1] +
	       p[n] + p[n + 1];
}

__global__ void walk(int n, const float *in, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
	int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
	int size = n * n;

	if (x >= n - 1 || y >= n - 1)
		return;
	const float *p = in + y * n + x;
	float below = plane(p, n), here = plane(p + size, n);
	for (int z = 1; z < n - 1; z++) {
		float above = plane(p + (z + 1) * size, n);

		out[z * size + y * n + x] = (below + here + above) / 27.0f;
		below = here;
		here = above;
	}
}

__global__ void point(int n, const float *in, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
	int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
	int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
	int size = n * n;

	if (x >= n - 1 || y >= n - 1 || z >= n - 1)
		return;
	const float *p = in + z * size + y * n + x;
	out[z * size + y * n + x] =
		(plane(p - size, n) + plane(p, n) + plane(p + size, n)) / 27.0f;
}

static void expected(int n, const float *in, float *out)
{
	for (int z = 1; z < n - 1; z++)
		for (int y = 1; y < n - 1; y++)
			for (int x = 1; x < n - 1; x++) {
				int i = (z * n + y) * n + x;

				out[i] = (plane(in + i - n * n, n) +
					  plane(in + i, n) +
					  plane(in + i + n * n, n)) /
					 27.0f;
			}
}

static void run(int n)
{
	array<float> in((size_t)n * n * n), out(in.n), want(in.n);
	int inner = n - 2;

	random_floats(in, 0, 1, n);
	in.upload();
	out.fill(0);
	expected(n, in.host, want.host);
	walk<<<dim3(blocks_of(inner, 32), blocks_of(inner, 4)), dim3(32, 4)>>>(
		n, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_close(&self, out.host, want.host, in.n, 1e-5, 0, "walk");
	out.fill(0);
	point<<<dim3(blocks_of(inner, 16), blocks_of(inner, 4),
		     blocks_of(inner, 4)),
		dim3(16, 4, 4)>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_close(&self, out.host, want.host, in.n, 1e-5, 0, "point");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 4);
	run(n / 2);
	run(n);
	return report(&self);
}
