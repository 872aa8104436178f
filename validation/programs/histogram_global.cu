/*
 * Histograms by atomics in global memory, from few bins (every lane of a warp
 * hits the same few addresses) to many, of uniform and of skewed values; with
 * results of the atomics unused and used (ranks inside of bins).
 *
 * SIZE: values of the largest launch.
 */
#include "common.h"

#define THREADS 256

static struct workload self = { "histogram_global", "values", 1 << 18, 1024,
				1 << 23 };

__global__ void count(int n, const unsigned *in, unsigned *bins)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomicAdd(&bins[in[i]], 1);
}

/* Lanes with the same value agree on one of them, which adds for all. */
__global__ void count_matched(int n, const unsigned *in, unsigned *bins)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x,
	    lane = threadIdx.x % WARP;
	unsigned active = __ballot_sync(ALL, i < n);

	if (i >= n)
		return;
	unsigned v = in[i], same = __match_any_sync(active, v);
	if (lane == __ffs(same) - 1)
		atomicAdd(&bins[v], __popc(same));
}

/* Adds up the ranks, which do not depend on the order as a sum. */
__global__ void count_ranks(int n, const unsigned *in, unsigned *bins,
			    unsigned long long *sum)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned rank = i < n ? atomicAdd(&bins[in[i]], 1) : 0;

	rank = __reduce_add_sync(ALL, rank);
	if (threadIdx.x % WARP == 0)
		atomicAdd(sum, rank);
}

static void run(int n, int bins, bool skewed)
{
	array<unsigned> in(n), got(bins), want(bins);
	array<unsigned long long> sum(1);
	unsigned long long ranks = 0;
	uint64_t random = n + bins;

	for (int i = 0; i < n; i++) {
		float u = random_float(&random);

		in[i] = (unsigned)((skewed ? u * u * u * u : u) * bins);
		ranks += want[in[i]]++;
	}
	in.upload();
	sum.fill(0);
	for (int way = 0; way < 3; way++) {
		got.fill(0);
		if (way == 0)
			count<<<blocks_of(n, THREADS), THREADS>>>(n, in.device,
								  got.device);
		else if (way == 1)
			count_matched<<<blocks_of(n, THREADS), THREADS>>>(
				n, in.device, got.device);
		else
			count_ranks<<<blocks_of(n, THREADS), THREADS>>>(
				n, in.device, got.device, sum.device);
		CHECK_LAUNCH();
		got.download();
		check_exact(&self, got.host, want.host, bins);
	}
	sum.download();
	check_exact(&self, sum.host, &ranks, 1, "ranks");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 128, 16, false);
	run(n / 16, 1000, true);
	run(n, 65536, false);
	return report(&self);
}
