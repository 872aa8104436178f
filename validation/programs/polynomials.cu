/*
 * Polynomials of degree 32 by Horner's rule, where arithmetic is all there is:
 * four at a time in fp32, in fp64, in pairs of halves, and modulo 2^32; with as
 * many warps as fit, and with one warp on each SM.
 *
 * SIZE: threads of the larger launches.
 */
#include "common.h"

#include <cuda_fp16.h>

#define THREADS 256
#define DEGREE 32
#define CHAINS 4

static struct workload self = { "polynomials", "threads", 1 << 18, 1024,
				1 << 22 };

/* Coefficients 1, 1/2, 0 and so on; x is below 1, so that values stay small. */
template <class T> __host__ __device__ static inline T coefficient(int k)
{
	return (T)((k * 5 % 3) * 0.5f);
}

template <class T> __global__ void real(int n, const T *x, T *out, int repeats)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	T v[CHAINS], sum = 0;

	if (i >= n)
		return;
	for (int c = 0; c < CHAINS; c++)
		v[c] = x[i] * (T)(1.0f / (c + 1));
	for (int r = 0; r < repeats; r++) {
		T p[CHAINS] = { 0, 0, 0, 0 };

#pragma unroll
		for (int k = 0; k < DEGREE; k++)
#pragma unroll
			for (int c = 0; c < CHAINS; c++)
				p[c] = p[c] * v[c] + coefficient<T>(k);
		for (int c = 0; c < CHAINS; c++) {
			sum += p[c];
			v[c] *= (T)0.5f;
		}
	}
	out[i] = sum;
}

__global__ void halves(int n, const float *x, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	half2 v[CHAINS], p[CHAINS];

	if (i >= n)
		return;
	for (int c = 0; c < CHAINS; c++) {
		v[c] = __float2half2_rn(x[i] / (2 * c + 2));
		p[c] = __float2half2_rn(0);
	}
#pragma unroll
	for (int k = 0; k < DEGREE; k++)
#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			p[c] = __hfma2(p[c], v[c],
				       __float2half2_rn(coefficient<float>(k)));
	float sum = 0;
	for (int c = 0; c < CHAINS; c++)
		sum += __low2float(p[c]) + __high2float(p[c]);
	out[i] = sum;
}

__host__ __device__ static inline unsigned modular_at(unsigned x)
{
	unsigned p[CHAINS] = { 1, 2, 3, 4 }, sum = 0;

	for (int k = 0; k < DEGREE; k++)
		for (int c = 0; c < CHAINS; c++)
			p[c] = p[c] * (x + c) + (k ^ x >> c);
	for (int c = 0; c < CHAINS; c++)
		sum ^= p[c];
	return sum;
}

__global__ void modular(int n, unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = modular_at(i);
}

template <class T>
static void run_real(int n, int threads, int repeats, double limit)
{
	array<T> x(n), out(n), want(n);
	uint64_t random = n;

	for (int i = 0; i < n; i++)
		x[i] = random_float(&random);
	x.upload();
	real<T><<<blocks_of(n, threads), threads>>>(n, x.device, out.device,
						    repeats);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++) {
		double sum = 0;

		for (int c = 0; c < CHAINS; c++) {
			double v = (double)x[i] * (T)(1.0f / (c + 1));

			for (int r = 0; r < repeats; r++, v *= 0.5) {
				double p = 0;

				for (int k = 0; k < DEGREE; k++)
					p = p * v + coefficient<double>(k);
				sum += p;
			}
		}
		want[i] = sum;
	}
	out.download();
	check_close(&self, out.host, want.host, n, limit, 0);
}

static void run_halves(int n)
{
	array<float> x(n), out(n), want(n);

	random_floats(x, 0, 1, n);
	x.upload();
	halves<<<blocks_of(n, THREADS), THREADS>>>(n, x.device, out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		for (int c = 0; c < CHAINS; c++) {
			double v = x[i] / (2 * c + 2), p = 0;

			for (int k = 0; k < DEGREE; k++)
				p = p * v + coefficient<double>(k);
			want[i] += 2 * p;
		}
	out.download();
	check_close(&self, out.host, want.host, n, 0.02, 0.02, "halves");
}

static void run_modular(int n)
{
	array<unsigned> out(n), want(n);

	modular<<<blocks_of(n, THREADS), THREADS>>>(n, out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		want[i] = modular_at(i);
	out.download();
	check_exact(&self, out.host, want.host, n, "integers");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run_real<float>(132 * 32, 32, 4, 1e-4);
	run_real<double>(132 * 32, 32, 4, 1e-12);
	run_real<float>(n, THREADS, 2, 1e-4);
	run_real<double>(n / 2, THREADS, 1, 1e-12);
	run_halves(n);
	run_modular(n);
	return report(&self);
}
