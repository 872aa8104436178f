/*
 * Electric and magnetic fields in a plane, by finite differences in time: three
 * kernels for each step, in blocks of 32 x 8 (PolyBench).
 *
 * SIZE: rows and columns of the largest grid.
 */
#include "common.h"

static struct workload self = { "fdtd_2d", "rows and columns", 640, 32, 4096 };

struct fields {
	float *ex, *ey, *hz;
};

__host__ __device__ static inline void step_y(int n, fields f, float source,
					      int i, int j)
{
	if (i == 0)
		f.ey[j] = source;
	else
		f.ey[i * n + j] -=
			0.5f * (f.hz[i * n + j] - f.hz[(i - 1) * n + j]);
}

__host__ __device__ static inline void step_x(int n, fields f, int i, int j)
{
	if (j > 0)
		f.ex[i * n + j] -=
			0.5f * (f.hz[i * n + j] - f.hz[i * n + j - 1]);
}

__host__ __device__ static inline void step_z(int n, fields f, int i, int j)
{
	if (i < n - 1 && j < n - 1)
		f.hz[i * n + j] -=
			0.7f * (f.ex[i * n + j + 1] - f.ex[i * n + j] +
				f.ey[(i + 1) * n + j] - f.ey[i * n + j]);
}

__global__ void electric_y(int n, fields f, float source)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;

	if (i < n && j < n)
		step_y(n, f, source, i, j);
}

__global__ void electric_x(int n, fields f)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;

	if (i < n && j < n)
		step_x(n, f, i, j);
}

__global__ void magnetic(int n, fields f)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;

	if (i < n && j < n)
		step_z(n, f, i, j);
}

static void simulate(int n, int steps)
{
	array<float> ex((size_t)n * n), ey(ex.n), hz(ex.n);
	array<float> got(ex.n);
	dim3 threads(32, 8), blocks(blocks_of(n, 32), blocks_of(n, 8));

	random_floats(ex, 0, 1, n);
	random_floats(ey, 0, 1, n + 1);
	random_floats(hz, 0, 1, n + 2);
	ex.upload();
	ey.upload();
	hz.upload();
	fields device = { ex.device, ey.device, hz.device };
	fields host = { ex.host, ey.host, hz.host };
	for (int s = 0; s < steps; s++) {
		electric_y<<<blocks, threads>>>(n, device, (float)s);
		electric_x<<<blocks, threads>>>(n, device);
		magnetic<<<blocks, threads>>>(n, device);
		CHECK_LAUNCH();
		for (int i = 0; i < n * n; i++)
			step_y(n, host, (float)s, i / n, i % n);
		for (int i = 0; i < n * n; i++)
			step_x(n, host, i / n, i % n);
		for (int i = 0; i < n * n; i++)
			step_z(n, host, i / n, i % n);
	}
	from_device(got.host, hz.device, hz.n);
	check_close(&self, got.host, hz.host, hz.n, 1e-4, 1e-4);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	simulate(n / 8, 4);
	simulate(n / 2, 2);
	simulate(n, 2);
	return report(&self);
}
