/*
 * Mandelbrot's set: iterations until the value escapes, in fp32 and in fp64, and
 * with an integer of 32 bits in fixed point; pieces with much and with little
 * divergence.
 *
 * SIZE: rows and columns of the largest picture.
 */
#include "common.h"

#define LIMIT 128

static struct workload self = { "mandelbrot", "rows and columns", 192, 16,
				4096 };

/* Products are rounded before they are added, as on the host. */
__device__ static inline float times(float a, float b)
{
	return __fmul_rn(a, b);
}

__device__ static inline double times(double a, double b)
{
	return __dmul_rn(a, b);
}

template <class T>
__global__ void escape(int n, T left, T top, T size, int *out)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x;
	int py = blockIdx.y * blockDim.y + threadIdx.y;

	if (px >= n || py >= n)
		return;
	T cx = left + times(size, (T)px), cy = top + times(size, (T)py);
	T x = 0, y = 0;
	int i = 0;
	for (; i < LIMIT; i++) {
		T xx = times(x, x), yy = times(y, y);

		if (xx + yy > 4)
			break;
		y = 2 * times(x, y) + cy;
		x = xx - yy + cx;
	}
	out[py * n + px] = i;
}

/* Fixed point with 24 bits after the point. */
__host__ __device__ static inline int escape_fixed_at(int cx, int cy)
{
	int x = 0, y = 0, i = 0;

	for (; i < LIMIT; i++) {
		long long xx = (long long)x * x, yy = (long long)y * y;

		if (xx + yy > 4ll << 48)
			break;
		y = (int)(((long long)x * y) >> 23) + cy;
		x = (int)((xx - yy) >> 24) + cx;
	}
	return i;
}

__global__ void escape_fixed(int n, int left, int top, int size, int *out)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x;
	int py = blockIdx.y * blockDim.y + threadIdx.y;

	if (px < n && py < n)
		out[py * n + px] =
			escape_fixed_at(left + px * size, top + py * size);
}

template <class T> static void expected(int n, T left, T top, T size, int *out)
{
	for (int p = 0; p < n * n; p++) {
		volatile T stepx = size * (T)(p % n), stepy = size * (T)(p / n);
		T cx = left + stepx, cy = top + stepy, x = 0, y = 0;
		int i = 0;

		for (; i < LIMIT; i++) {
			volatile T xx = x * x, yy = y * y, xy = x * y;

			if (xx + yy > 4)
				break;
			y = 2 * xy + cy;
			x = xx - yy + cx;
		}
		out[p] = i;
	}
}

static void run(int n, float left, float top, float width)
{
	array<int> out(n * n), want(n * n);
	dim3 blocks(blocks_of(n, 16), blocks_of(n, 8)), threads(16, 8);
	float size = width / n;
	int one = 1 << 24;

	escape<float><<<blocks, threads>>>(n, left, top, size, out.device);
	CHECK_LAUNCH();
	expected<float>(n, left, top, size, want.host);
	out.download();
	check_exact(&self, out.host, want.host, out.n, "fp32");
	escape<double><<<blocks, threads>>>(n, left, top, size, out.device);
	CHECK_LAUNCH();
	expected<double>(n, left, top, size, want.host);
	out.download();
	check_exact(&self, out.host, want.host, out.n, "fp64");
	escape_fixed<<<blocks, threads>>>(n, left * one, top * one, size * one,
					  out.device);
	CHECK_LAUNCH();
	for (int p = 0; p < n * n; p++)
		want[p] = escape_fixed_at(
			(int)(left * one) + p % n * (int)(size * one),
			(int)(top * one) + p / n * (int)(size * one));
	out.download();
	check_exact(&self, out.host, want.host, out.n, "fixed point");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 12, -2, -1.25f, 2.5f);
	run(n / 2, -0.8f, 0.05f, 0.1f);
	run(n, -2, -1.25f, 2.5f);
	return report(&self);
}
