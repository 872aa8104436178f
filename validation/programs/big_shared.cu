/*
 * Blocks that use all of an SM: sorting by a bitonic network in up to 128 KiB of
 * dynamic shared memory with 1024 threads, a transform of a whole row of 8192
 * numbers, histograms with a copy for each warp, and kernels with 1024 threads
 * held to 32 registers that spill.
 *
 * SIZE: blocks of the largest launch.
 */
#include "common.h"

#include <algorithm>

#define THREADS 1024

static struct workload self = { "big_shared", "blocks", 20, 1, 1024 };

__global__ void __launch_bounds__(THREADS)
	sort_block(unsigned long long *data, int n)
{
	extern __shared__ unsigned long long keys[];

	data += (size_t)blockIdx.x * n;
	for (int i = threadIdx.x; i < n; i += THREADS)
		keys[i] = data[i];
	for (int size = 2; size <= n; size *= 2)
		for (int d = size / 2; d > 0; d /= 2) {
			__syncthreads();
			for (int k = threadIdx.x; k < n / 2; k += THREADS) {
				int i = 2 * k - (k & (d - 1)), j = i + d;
				unsigned long long a = keys[i], b = keys[j];

				if ((a > b) == !(i & size)) {
					keys[i] = b;
					keys[j] = a;
				}
			}
		}
	__syncthreads();
	for (int i = threadIdx.x; i < n; i += THREADS)
		data[i] = keys[i];
}

/* Walsh and Hadamard's transform of a row. */
__global__ void __launch_bounds__(THREADS) transform_row(float *data, int n)
{
	extern __shared__ float row[];

	data += (size_t)blockIdx.x * n;
	for (int i = threadIdx.x; i < n / 4; i += THREADS)
		((float4 *)row)[i] = ((float4 *)data)[i];
	for (int d = 1; d < n; d *= 2) {
		__syncthreads();
		for (int k = threadIdx.x; k < n / 2; k += THREADS) {
			int i = 2 * k - (k & (d - 1));
			float a = row[i], b = row[i + d];

			row[i] = a + b;
			row[i + d] = a - b;
		}
	}
	__syncthreads();
	for (int i = threadIdx.x; i < n / 4; i += THREADS)
		((float4 *)data)[i] = ((float4 *)row)[i];
}

/* 32 copies of 1024 bins: 128 KiB. */
__global__ void __launch_bounds__(THREADS)
	count_warps(const unsigned *in, int n, unsigned *counts)
{
	extern __shared__ unsigned bins[];
	unsigned *own = bins + threadIdx.x / WARP * 1024;

	for (int i = threadIdx.x; i < 32 * 1024; i += THREADS)
		bins[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n;
	     i += gridDim.x * THREADS)
		atomicAdd(&own[in[i] % 1024], 1);
	__syncthreads();
	unsigned sum = 0;
	for (int w = 0; w < 32; w++)
		sum += bins[w * 1024 + threadIdx.x];
	atomicAdd(&counts[threadIdx.x], sum);
}

/* Sixteen recurrences at once, in 32 registers. */
__global__ void __launch_bounds__(THREADS, 2) recurrences(int n, unsigned *out)
{
	unsigned v[24], i = blockIdx.x * THREADS + threadIdx.x;

#pragma unroll
	for (int k = 0; k < 24; k++)
		v[k] = i * (2 * k + 1) + k;
	for (int step = 0; step < n; step++) {
#pragma unroll
		for (int k = 0; k < 24; k++)
			v[k] = v[k] * 1664525 + v[(k + 7) % 24];
	}
	unsigned all = 0;
#pragma unroll
	for (int k = 0; k < 24; k++)
		all ^= v[k] >> k;
	out[i] = all;
}

template <class KERNEL> static void allow(KERNEL *kernel, size_t bytes)
{
	CHECK(cudaFuncSetAttribute(kernel,
				   cudaFuncAttributeMaxDynamicSharedMemorySize,
				   (int)bytes));
}

static void sorts(int blocks, int n)
{
	array<unsigned long long> keys((size_t)blocks * n);
	uint64_t seed = n;

	for (size_t i = 0; i < keys.n; i++)
		keys[i] = random_bits(&seed);
	keys.upload();
	allow(sort_block, n * 8);
	sort_block<<<blocks, THREADS, n * 8>>>(keys.device, n);
	CHECK_LAUNCH();
	array<unsigned long long> got(keys.n);
	from_device(got.host, keys.device, keys.n);
	for (int b = 0; b < blocks; b++)
		std::sort(keys.host + b * n, keys.host + (b + 1) * n);
	check_exact(&self, got.host, keys.host, keys.n, "sorted");
}

static void transforms(int rows, int n)
{
	array<float> data((size_t)rows * n), want(data.n);

	for (size_t i = 0; i < data.n; i++)
		want[i] = data[i] = (float)(i * 2654435761u % 17) - 8;
	data.upload();
	allow(transform_row, n * 4);
	transform_row<<<rows, THREADS, n * 4>>>(data.device, n);
	CHECK_LAUNCH();
	data.download();
	for (int r = 0; r < rows; r++)
		for (int d = 1; d < n; d *= 2)
			for (int k = 0; k < n / 2; k++) {
				int i = 2 * k - (k & (d - 1));
				float *p = want.host + (size_t)r * n + i;
				float a = p[0], b = p[d];

				p[0] = a + b;
				p[d] = a - b;
			}
	check_exact(&self, data.host, want.host, data.n, "transformed");
}

static void counts(int blocks, int n)
{
	array<unsigned> in(n), counts(1024), want(1024);

	random_ints(in, 1 << 30, n);
	in.upload();
	counts.fill(0);
	for (int i = 0; i < n; i++)
		want[in[i] % 1024]++;
	allow(count_warps, 128 * 1024);
	count_warps<<<blocks, THREADS, 128 * 1024>>>(in.device, n,
						     counts.device);
	CHECK_LAUNCH();
	counts.download();
	check_exact(&self, counts.host, want.host, 1024, "counted");
}

static void recur(int blocks, int n)
{
	array<unsigned> out(blocks * THREADS), want(out.n);

	recurrences<<<blocks, THREADS>>>(n, out.device);
	CHECK_LAUNCH();
	out.download();
	for (unsigned i = 0; i < out.n; i++) {
		unsigned v[24];

		for (int k = 0; k < 24; k++)
			v[k] = i * (2 * k + 1) + k;
		for (int step = 0; step < n; step++)
			for (int k = 0; k < 24; k++)
				v[k] = v[k] * 1664525 + v[(k + 7) % 24];
		for (int k = 0; k < 24; k++)
			want[i] ^= v[k] >> k;
	}
	check_exact(&self, out.host, want.host, out.n, "recurrences");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	sorts(1, 16384);
	sorts(n, 2048);
	transforms(n / 5 + 1, 8192);
	transforms(n * 8, 1024);
	counts(3, 30000);
	counts(132, 400000);
	recur(1, 40);
	recur(n * 16, 10);
	return report(&self);
}
