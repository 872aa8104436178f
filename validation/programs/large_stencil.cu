/*
 * Stencils on grids that do not fit the caches: five points in two dimensions, a
 * row of eight points for each thread, and seven points in three dimensions.
 *
 * SIZE: columns and rows of the plane, a multiple of 64; the cube has about a
 * third as many points.
 */
#include "common.h"

static struct workload self = { "large_stencil", "rows and columns", 2048, 64,
				16384 };

__global__ void plane(int n, const float *in, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;

	if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
		out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] +
						  in[i - n] + in[i + n]);
}

/* Eight rows for each thread, the last three values of its column in registers. */
__global__ void plane_rows(int n, const float *in, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int first = blockIdx.y * 8;

	if (x == 0 || x >= n - 1)
		return;
	float up = first ? in[(first - 1) * n + x] : 0,
	      here = in[first * n + x];
	for (int y = first; y < first + 8 && y < n - 1; y++) {
		float down = in[(y + 1) * n + x];

		if (y > 0)
			out[y * n + x] =
				0.5f * here +
				0.125f * (in[y * n + x - 1] +
					  in[y * n + x + 1] + up + down);
		up = here;
		here = down;
	}
}

__global__ void cube(int n, const float *in, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
	int i = (z * n + y) * n + x;

	if (x > 0 && y > 0 && z > 0 && x < n - 1 && y < n - 1 && z < n - 1)
		out[i] = 0.25f * in[i] +
			 0.125f * (in[i - 1] + in[i + 1] + in[i - n] +
				   in[i + n] + in[i - n * n] + in[i + n * n]);
}

static void run_plane(int n)
{
	array<float> in((size_t)n * n), out(in.n), want(in.n);
	dim3 blocks(n / 64, n / 4), threads(64, 4);

	random_exact(in, n);
	in.upload();
	for (int y = 1; y < n - 1; y++)
		for (int x = 1; x < n - 1; x++) {
			int i = y * n + x;

			want[i] =
				0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] +
							 in[i - n] + in[i + n]);
		}
	for (int rows = 0; rows < 2; rows++) {
		out.fill(0);
		if (rows)
			plane_rows<<<dim3(n / 64, n / 8), 64>>>(n, in.device,
								out.device);
		else
			plane<<<blocks, threads>>>(n, in.device, out.device);
		CHECK_LAUNCH();
		out.download();
		check_exact(&self, out.host, want.host, in.n, "plane");
	}
}

static void run_cube(int n)
{
	array<float> in((size_t)n * n * n), out(in.n), want(in.n);

	random_exact(in, n);
	in.upload();
	out.fill(0);
	cube<<<dim3(n / 32, n / 8, n), dim3(32, 8)>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	for (int z = 1; z < n - 1; z++)
		for (int y = 1; y < n - 1; y++)
			for (int x = 1; x < n - 1; x++) {
				int i = (z * n + y) * n + x;

				want[i] = 0.25f * in[i] +
					  0.125f * (in[i - 1] + in[i + 1] +
						    in[i - n] + in[i + n] +
						    in[i - n * n] +
						    in[i + n * n]);
			}
	out.download();
	check_exact(&self, out.host, want.host, in.n, "cube");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), edge = 32;

	if (n % 64)
		bad_size(&self, "a multiple of 64");
	while ((edge + 32) * (edge + 32) * (edge + 32) <= n * n)
		edge += 32;
	run_plane(n);
	run_cube(edge);
	return report(&self);
}
