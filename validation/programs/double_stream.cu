/*
 * Double precision where memory is the limit: y += a x, a triad of three arrays
 * with two elements per thread, a scalar product, and sweeps of Jacobi's method
 * in two dimensions.
 *
 * SIZE: elements of the largest arrays, even.
 */
#include "common.h"

#include <utility>

#define THREADS 256

static struct workload self = { "double_stream", "elements", 1 << 20, 4096,
				1 << 24 };

__global__ void axpy(int n, double a, const double *x, double *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] += a * x[i];
}

__global__ void triad(int n, double a, const double2 *b, const double2 *c,
		      double2 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		double2 v = b[i], w = c[i];

		out[i] = make_double2(v.x + a * w.x, v.y + a * w.y);
	}
}

__global__ void dot(int n, const double *x, const double *y, double *sum)
{
	double v = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
	     i += gridDim.x * blockDim.x)
		v += x[i] * y[i];
	for (int d = WARP / 2; d > 0; d /= 2)
		v += __shfl_down_sync(ALL, v, d);
	if (threadIdx.x % WARP == 0)
		atomicAdd(sum, v);
}

__global__ void jacobi(int n, const double *in, double *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;

	if (x >= n || y >= n)
		return;
	if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
		out[i] = in[i];
	else
		out[i] = 0.25 * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

static void vectors(int n)
{
	array<double> x(n), y(n), z(n), want(n), sum(1);
	double want_sum = 0;

	random_exact(x, n);
	random_exact(y, n + 1);
	x.upload();
	y.upload();
	sum.fill(0);
	axpy<<<blocks_of(n, THREADS), THREADS>>>(n, 0.5, x.device, y.device);
	triad<<<blocks_of(n / 2, THREADS), THREADS>>>(n / 2, 0.25,
						      (const double2 *)x.device,
						      (const double2 *)y.device,
						      (double2 *)z.device);
	dot<<<264, THREADS>>>(n, x.device, z.device, sum.device);
	CHECK_LAUNCH();
	z.download();
	sum.download();
	for (int i = 0; i < n; i++) {
		want[i] = x[i] + 0.25 * (y[i] + 0.5 * x[i]);
		want_sum += x[i] * want[i];
	}
	check_exact(&self, z.host, want.host, n);
	check_exact(&self, sum.host, &want_sum, 1, "sum");
}

static void grid(int n, int steps)
{
	array<double> a(n * n), b(n * n);
	double *got = host_alloc<double>(a.n);

	random_exact(a, n);
	a.upload();
	double *from = a.device, *to = b.device, *now = a.host, *next = b.host;
	for (int s = 0; s < steps; s++) {
		jacobi<<<dim3(blocks_of(n, 32), blocks_of(n, 8)), dim3(32, 8)>>>(
			n, from, to);
		CHECK_LAUNCH();
		memcpy(next, now, a.n * sizeof(double));
		for (int y = 1; y < n - 1; y++)
			for (int x = 1; x < n - 1; x++) {
				int i = y * n + x;

				next[i] = 0.25 * (now[i - 1] + now[i + 1] +
						  now[i - n] + now[i + n]);
			}
		std::swap(from, to);
		std::swap(now, next);
	}
	from_device(got, from, a.n);
	check_exact(&self, got, now, a.n, "grid");
	free(got);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv) / 2 * 2;

	vectors(4096);
	vectors(n / 8);
	vectors(n);
	grid(64, 2);
	grid(768, 2);
	return report(&self);
}
