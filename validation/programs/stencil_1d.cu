/*
 * Weighted sums of neighbours in one dimension: radius 1 directly from global
 * memory, radius 3 from shared memory, radius 8 with a register window that
 * slides along sixteen outputs of a thread.
 *
 * SIZE: elements of the largest launches. Elements and weights are multiples of
 * 1/64: sums are exact.
 */
#include "common.h"

#define THREADS 256
#define LARGEST 8
#define EACH 16

static struct workload self = { "stencil_1d", "elements", 1 << 20, 4096,
				1 << 24 };

__constant__ float weight[2 * LARGEST + 1];

__global__ void direct(int n, const float *in, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = weight[0] * in[i] + weight[1] * in[i + 1] +
			 weight[2] * in[i + 2];
}

__global__ void shared(int n, const float *in, float *out)
{
	const int radius = 3;
	__shared__ float s[THREADS + 2 * radius];
	int first = blockIdx.x * THREADS, t = threadIdx.x;

	for (int i = t; i < THREADS + 2 * radius; i += THREADS)
		s[i] = first + i < n + 2 * radius ? in[first + i] : 0;
	__syncthreads();
	float sum = 0;
	for (int r = 0; r <= 2 * radius; r++)
		sum += weight[r] * s[t + r];
	if (first + t < n)
		out[first + t] = sum;
}

__global__ void sliding(int n, const float *in, float *out)
{
	const int width = 2 * LARGEST + 1;
	int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
	float window[width + EACH - 1];

	if (first + EACH > n)
		return;
#pragma unroll
	for (int i = 0; i < width + EACH - 1; i++)
		window[i] = in[first + i];
#pragma unroll
	for (int e = 0; e < EACH; e++) {
		float sum = 0;

#pragma unroll
		for (int r = 0; r < width; r++)
			sum += weight[r] * window[e + r];
		out[first + e] = sum;
	}
}

static void expected(int n, int radius, const float *in, const float *w,
		     float *out)
{
	for (int i = 0; i < n; i++) {
		out[i] = 0;
		for (int r = 0; r <= 2 * radius; r++)
			out[i] += w[r] * in[i + r];
	}
}

static void run(int n, int radius, const array<float> &w)
{
	array<float> in(n + 2 * radius), out(n), want(n);

	random_exact(in, n + radius);
	in.upload();
	if (radius == 1)
		direct<<<blocks_of(n, THREADS), THREADS>>>(n, in.device,
							   out.device);
	else if (radius == 3)
		shared<<<blocks_of(n, THREADS), THREADS>>>(n, in.device,
							   out.device);
	else
		sliding<<<blocks_of(n, THREADS * EACH), THREADS>>>(n, in.device,
								   out.device);
	CHECK_LAUNCH();
	expected(n, radius, in.host, w.host, want.host);
	out.download();
	check_exact(&self, out.host, want.host, n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv) / EACH * EACH;
	array<float> w(2 * LARGEST + 1);

	random_exact(w, 1);
	CHECK(cudaMemcpyToSymbol(weight, w.host, w.n * sizeof(float)));
	for (int part = 256; part >= 1; part /= 16) {
		int m = n / part / EACH * EACH;

		run(m, 1, w);
		run(m, 3, w);
		run(m, LARGEST, w);
	}
	return report(&self);
}
