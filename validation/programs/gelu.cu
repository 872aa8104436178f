/*
 * Activations with a bias for each column: GELU by its tanh form, one value per
 * thread; SiLU with two arrays multiplied, four per thread; and ReLU with a mask
 * in bits, one word per warp.
 *
 * SIZE: values of the largest launch, a multiple of 1024.
 */
#include "common.h"

#define THREADS 256
#define COLUMNS 512

static struct workload self = { "gelu", "values", 1 << 20, 1024, 1 << 24 };

__global__ void gelu(int n, const float *in, const float *bias, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float x = in[i] + bias[i % COLUMNS];
	out[i] = 0.5f * x *
		 (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

__device__ static float silu(float x)
{
	return x / (1 + __expf(-x));
}

__global__ void gated(int n, const float4 *a, const float4 *b, float4 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float4 x = a[i], y = b[i];
	out[i] = make_float4(silu(x.x) * y.x, silu(x.y) * y.y, silu(x.z) * y.z,
			     silu(x.w) * y.w);
}

__global__ void relu(int n, const float *in, float *out, unsigned *mask)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = i < n ? in[i] : 0;
	unsigned positive = __ballot_sync(ALL, x > 0);

	if (i < n)
		out[i] = fmaxf(x, 0);
	if (i < n && i % WARP == 0)
		mask[i / WARP] = positive;
}

static void run(int n)
{
	array<float> a(n), b(n), out(n), want(n), bias(COLUMNS);
	array<unsigned> mask(n / WARP), want_mask(n / WARP);

	random_floats(a, -4, 4, n);
	random_floats(b, -1, 1, n + 1);
	random_floats(bias, -1, 1, 2);
	a.upload();
	b.upload();
	bias.upload();
	gelu<<<blocks_of(n, THREADS), THREADS>>>(n, a.device, bias.device,
						 out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++) {
		double x = (double)a[i] + bias[i % COLUMNS];

		want[i] = 0.5 * x *
			  (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
	}
	out.download();
	check_close(&self, out.host, want.host, n, 1e-4, 1e-5, "gelu");

	gated<<<blocks_of(n / 4, THREADS), THREADS>>>(n / 4,
						      (const float4 *)a.device,
						      (const float4 *)b.device,
						      (float4 *)out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		want[i] = a[i] / (1 + exp(-(double)a[i])) * b[i];
	out.download();
	check_close(&self, out.host, want.host, n, 1e-4, 1e-6, "silu");

	relu<<<blocks_of(n, THREADS), THREADS>>>(n, a.device, out.device,
						 mask.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++) {
		want[i] = a[i] > 0 ? a[i] : 0;
		want_mask[i / WARP] |= (unsigned)(a[i] > 0) << i % WARP;
	}
	out.download();
	mask.download();
	check_exact(&self, out.host, want.host, n, "relu");
	check_exact(&self, mask.host, want_mask.host, n / WARP, "mask");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv) / 1024 * 1024;

	run(1024);
	run(n / 16 / 1024 * 1024 + 1024);
	run(n);
	return report(&self);
}
