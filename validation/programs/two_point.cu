/*
 * Angles between galaxies, after Parboil's tpacf: each pair's dot product is looked
 * up among limits in constant memory by bisection and counted in one of the warp's
 * own bins in shared memory; the block adds them up at the end.
 *
 * SIZE: galaxies.
 */
#include "common.h"

#define BINS 20
#define WARPS 8
#define THREADS (WARPS * WARP)

static struct workload self = { "two_point", "galaxies", 1024, THREADS, 16384 };

__constant__ float limits[BINS + 1];

__host__ __device__ static inline int bin_of(const float *of, float dot)
{
	int low = 0, high = BINS;

	while (high > low + 1) {
		int middle = (low + high) / 2;

		if (dot >= of[middle])
			high = middle;
		else
			low = middle;
	}
	return low;
}

__global__ void angles(int n, const float3 *a, const float3 *b, bool same,
		       unsigned *histogram)
{
	__shared__ unsigned bins[BINS * WARPS];
	__shared__ float3 part[THREADS];
	int t = threadIdx.x, i = blockIdx.x * THREADS + t;
	unsigned *mine = bins + t / WARP * BINS;

	for (int k = t; k < BINS * WARPS; k += THREADS)
		bins[k] = 0;
	for (int from = 0; from < n; from += THREADS) {
		__syncthreads();
		if (from + t < n)
			part[t] = b[from + t];
		__syncthreads();
		if (i >= n)
			continue;
		float3 p = a[i];
		int count = min(THREADS, n - from);
		for (int k = same ? max(0, i + 1 - from) : 0; k < count; k++) {
			float dot = p.x * part[k].x + p.y * part[k].y +
				    p.z * part[k].z;

			atomicAdd(&mine[bin_of(limits, dot)], 1);
		}
	}
	__syncthreads();
	if (t < BINS) {
		unsigned sum = 0;

		for (int w = 0; w < WARPS; w++)
			sum += bins[w * BINS + t];
		atomicAdd(&histogram[t], sum);
	}
}

/* Multiples of 1/64: dot products are exact. */
static void scatter(array<float3> &to, uint64_t seed)
{
	for (size_t i = 0; i < to.n; i++)
		to[i] = { ((int)random_below(&seed, 129) - 64) / 64.0f,
			  ((int)random_below(&seed, 129) - 64) / 64.0f,
			  ((int)random_below(&seed, 129) - 64) / 64.0f };
	to.upload();
}

static void count(int n)
{
	array<float3> data(n), chance(n);
	array<unsigned> got(2 * BINS), want(2 * BINS);
	float bounds[BINS + 1];
	int blocks = blocks_of(n, THREADS);

	for (int k = 0; k <= BINS; k++)
		bounds[k] = 3 * cosf(k * 3.14159265f / BINS);
	scatter(data, n);
	scatter(chance, n + 1);
	got.fill(0);
	CHECK(cudaMemcpyToSymbol(limits, bounds, sizeof bounds));
	angles<<<blocks, THREADS>>>(n, data.device, data.device, true,
				    got.device);
	angles<<<blocks, THREADS>>>(n, data.device, chance.device, false,
				    got.device + BINS);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++) {
			float3 p = data[i], q = data[k], r = chance[k];

			if (k > i)
				want[bin_of(bounds, p.x * q.x + p.y * q.y +
							    p.z * q.z)]++;
			want[BINS + bin_of(bounds, p.x * r.x + p.y * r.y +
							   p.z * r.z)]++;
		}
	got.download();
	check_exact(&self, got.host, want.host, got.n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	count(n / 4);
	count(n);
	return report(&self);
}
