/*
 * A star-shaped stencil on a cube, two time steps: every point becomes a
 * weighted sum of itself and its neighbours along the three axes. With radius
 * 1 this is the 7-point Jacobi step of heat conduction; radius 4, with 8 + 9 +
 * 8 points, is that of SArcs' kernel "3D-stencil".
 *
 * A block marches through the cube along z: the current plane, with a rim, is
 * in shared memory, the neighbours along z are in registers that shift by one
 * for each plane. Points less than a radius from a face keep their value.
 *
 * SIZE: points along an edge, more than twice the radius. OPTION: the radius.
 * Check: the same sums in double precision on the CPU.
 */
#include "common.h"

#define WIDTH 32
#define HEIGHT 8
#define STEPS 2
#define MOST_RADIUS 4

static struct workload self = {
	"stencil_3d", "points along an edge", 64, 3, 512,
	"radius", 1, 1, MOST_RADIUS
};

/* weight[0] is the point's own, weight[d] that of the six at distance d. */
__constant__ float weight[MOST_RADIUS + 1];

template <int R>
__device__ float star(const float plane[][WIDTH + 2 * R], const float *line,
		      int x, int y)
{
	float sum = weight[0] * line[R];

#pragma unroll
	for (int d = 1; d <= R; d++)
		sum += weight[d] *
		       (plane[y][x - d] + plane[y][x + d] + plane[y - d][x] +
			plane[y + d][x] + line[R - d] + line[R + d]);
	return sum;
}

/* The plane z of the block's tile and its rim, clipped to the cube. */
template <int R>
__device__ void load_plane(float plane[][WIDTH + 2 * R], const float *in,
			   int left, int top, int n)
{
	for (int v = threadIdx.y; v < HEIGHT + 2 * R; v += HEIGHT)
		for (int u = threadIdx.x; u < WIDTH + 2 * R; u += WIDTH) {
			int x = left + u, y = top + v;

			if (x >= 0 && x < n && y >= 0 && y < n)
				plane[v][u] = in[y * n + x];
		}
}

template <int R> __global__ void stencil(const float *in, float *out, int n)
{
	__shared__ float plane[HEIGHT + 2 * R][WIDTH + 2 * R];
	int left = blockIdx.x * WIDTH - R, top = blockIdx.y * HEIGHT - R;
	int x = left + R + threadIdx.x, y = top + R + threadIdx.y;
	size_t area = (size_t)n * n, here = (size_t)y * n + x;
	bool in_cube = x < n && y < n;
	bool inside = x >= R && x < n - R && y >= R && y < n - R;
	float line[2 * R + 1]; /* the points from z - R to z + R */

	for (int i = 0; i < 2 * R; i++)
		line[i + 1] = in_cube ? in[i * area + here] : 0;
	for (int z = R; z < n - R; z++) {
#pragma unroll
		for (int i = 0; i < 2 * R; i++)
			line[i] = line[i + 1];
		line[2 * R] = in_cube ? in[(z + R) * area + here] : 0;
		load_plane<R>(plane, in + z * area, left, top, n);
		__syncthreads();
		if (inside)
			out[z * area + here] = star<R>(
				plane, line, threadIdx.x + R, threadIdx.y + R);
		__syncthreads();
	}
}

static void step(const float *in, float *out, int n, int radius)
{
	dim3 grid(blocks_of(n, WIDTH), blocks_of(n, HEIGHT));
	dim3 block(WIDTH, HEIGHT);

	switch (radius) {
	case 1:
		stencil<1><<<grid, block>>>(in, out, n);
		break;
	case 2:
		stencil<2><<<grid, block>>>(in, out, n);
		break;
	case 3:
		stencil<3><<<grid, block>>>(in, out, n);
		break;
	case 4:
		stencil<4><<<grid, block>>>(in, out, n);
		break;
	}
	CHECK_LAUNCH();
}

static double star_cpu(const double *at, const ptrdiff_t *stride,
		       const float *w, int radius)
{
	double sum = w[0] * at[0];

	for (int axis = 0; axis < 3; axis++)
		for (int d = 1; d <= radius; d++)
			sum += w[d] *
			       (at[-d * stride[axis]] + at[d * stride[axis]]);
	return sum;
}

static void step_cpu(const double *in, double *out, const float *w, int n,
		     int radius)
{
	const ptrdiff_t stride[3] = { 1, n, (ptrdiff_t)n * n };

	for (int z = radius; z < n - radius; z++)
		for (int y = radius; y < n - radius; y++)
			for (int x = radius; x < n - radius; x++) {
				ptrdiff_t i = z * stride[2] + y * stride[1] + x;

				out[i] = star_cpu(in + i, stride, w, radius);
			}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), radius = self.choice;
	size_t points = (size_t)n * n * n;
	float w[MOST_RADIUS + 1];
	float *x = host_alloc<float>(points), *want = host_alloc<float>(points);
	double *cpu[2] = { host_alloc<double>(points),
			   host_alloc<double>(points) };
	float *gpu[2];

	if (n <= 2 * radius)
		bad_size(&self, "more than twice the radius");
	/* The weights add up to one, so that values stay in their range. */
	w[0] = 0.4f;
	for (int d = 1; d <= MOST_RADIUS; d++)
		w[d] = d <= radius ? 0.1f / radius : 0;
	random_floats(x, points, 0, 1, 1);
	for (size_t i = 0; i < points; i++)
		cpu[0][i] = cpu[1][i] = x[i];
	CHECK(cudaMemcpyToSymbol(weight, w, sizeof w));
	gpu[0] = device_copy(x, points);
	gpu[1] = device_copy(x, points);

	for (int s = 0; s < STEPS; s++) {
		step(gpu[s % 2], gpu[(s + 1) % 2], n, radius);
		step_cpu(cpu[s % 2], cpu[(s + 1) % 2], w, n, radius);
	}
	from_device(x, gpu[STEPS % 2], points);
	for (size_t i = 0; i < points; i++)
		want[i] = (float)cpu[STEPS % 2][i];
	check_close(&self, x, want, points, 1e-5);
	CHECK(cudaFree(gpu[0]));
	CHECK(cudaFree(gpu[1]));
	free(x);
	free(want);
	free(cpu[0]);
	free(cpu[1]);
	return report(&self);
}
