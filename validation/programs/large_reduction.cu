/*
 * Reductions of an array that does not fit the caches: a sum with 16 bytes for
 * each load, a scalar product with four loads in flight, minimum and maximum
 * together, and a histogram of 64 bins for each block.
 *
 * SIZE: elements, a multiple of 1024.
 */
#include "common.h"

#define THREADS 256

static struct workload self = { "large_reduction", "elements", 1 << 23, 65536,
				1 << 26 };

__device__ static void add_block(unsigned v, unsigned *sum)
{
	__shared__ unsigned part[THREADS / WARP];

	v = __reduce_add_sync(ALL, v);
	if (threadIdx.x % WARP == 0)
		part[threadIdx.x / WARP] = v;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int w = 1; w < THREADS / WARP; w++)
			v += part[w];
		atomicAdd(sum, v);
	}
}

__global__ void sum(int n, const uint4 *in, unsigned *out)
{
	unsigned v = 0;

	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n;
	     i += gridDim.x * THREADS) {
		uint4 w = in[i];

		v += w.x + w.y + w.z + w.w;
	}
	add_block(v, out);
}

/* A block has 4 * THREADS elements. */
__global__ void dot(const unsigned *a, const unsigned *b, unsigned *out)
{
	int first = blockIdx.x * 4 * THREADS + threadIdx.x;
	unsigned v = 0;

#pragma unroll
	for (int k = 0; k < 4; k++)
		v += a[first + k * THREADS] * b[first + k * THREADS];
	add_block(v, out);
}

__global__ void extremes(int n, const uint2 *in, unsigned *out)
{
	unsigned low = 0xffffffffu, high = 0;

	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n;
	     i += gridDim.x * THREADS) {
		uint2 w = in[i];

		low = min(low, min(w.x, w.y));
		high = max(high, max(w.x, w.y));
	}
	low = __reduce_min_sync(ALL, low);
	high = __reduce_max_sync(ALL, high);
	if (threadIdx.x % WARP == 0) {
		atomicMin(&out[0], low);
		atomicMax(&out[1], high);
	}
}

__global__ void histogram(int n, const uint4 *in, unsigned *bins)
{
	__shared__ unsigned s[64];

	if (threadIdx.x < 64)
		s[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n;
	     i += gridDim.x * THREADS) {
		uint4 w = in[i];

		atomicAdd(&s[w.x % 64], 1);
		atomicAdd(&s[w.y % 64], 1);
		atomicAdd(&s[w.z % 64], 1);
		atomicAdd(&s[w.w % 64], 1);
	}
	__syncthreads();
	if (threadIdx.x < 64)
		atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv) / 1024 * 1024;
	array<unsigned> a(n), b(n), out(4), bins(64), want_bins(64);
	unsigned want[4] = { 0, 0, 0xffffffffu, 0 };

	random_ints(a, 1u << 31, 1);
	random_ints(b, 1u << 31, 2);
	for (int i = 0; i < n; i++) {
		want[0] += a[i];
		want[1] += a[i] * b[i];
		want[2] = a[i] < want[2] ? a[i] : want[2];
		want[3] = a[i] > want[3] ? a[i] : want[3];
		want_bins[a[i] % 64] += i < n / 8;
	}
	a.upload();
	b.upload();
	out.host[2] = 0xffffffffu;
	out.upload();
	bins.fill(0);
	sum<<<1056, THREADS>>>(n / 4, (const uint4 *)a.device, out.device);
	dot<<<n / (4 * THREADS), THREADS>>>(a.device, b.device, out.device + 1);
	extremes<<<528, THREADS>>>(n / 2, (const uint2 *)a.device,
				   out.device + 2);
	histogram<<<264, THREADS>>>(n / 32, (const uint4 *)a.device,
				    bins.device);
	CHECK_LAUNCH();
	out.download();
	bins.download();
	check_exact(&self, out.host, want, 4);
	check_exact(&self, bins.host, want_bins.host, 64, "histogram");
	return report(&self);
}
