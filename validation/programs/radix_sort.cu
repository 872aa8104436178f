/*
 * Keys sorted by their digits of four bits, the lowest first: blocks count their
 * digits, one block turns the counts into places, blocks move their keys. The
 * order of equal digits inside a block comes from ballots of its warps.
 *
 * SIZE: keys of the largest of three arrays. The keys have 12 bits: three passes
 * of three launches each. The result must be that of the host's sort.
 */
#include "common.h"

#include <algorithm>

#define THREADS 256
#define WARPS (THREADS / WARP)
#define DIGITS 16

static struct workload self = { "radix_sort", "keys", 32768, 1024, 1 << 20 };

/* counts[digit][block] */
__global__ void count_digits(const unsigned *keys, int n, int shift,
			     unsigned *counts)
{
	__shared__ unsigned count[DIGITS];
	int i = blockIdx.x * THREADS + threadIdx.x;

	if (threadIdx.x < DIGITS)
		count[threadIdx.x] = 0;
	__syncthreads();
	if (i < n)
		atomicAdd(&count[(keys[i] >> shift) % DIGITS], 1);
	__syncthreads();
	if (threadIdx.x < DIGITS)
		counts[threadIdx.x * gridDim.x + blockIdx.x] =
			count[threadIdx.x];
}

/* Exclusive prefix sums, by one block that passes over the array. */
__global__ void scan_counts(unsigned *counts, int n)
{
	__shared__ unsigned sums[WARPS];
	unsigned before = 0;
	int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

	for (int first = 0; first < n; first += THREADS) {
		int i = first + threadIdx.x;
		unsigned own = i < n ? counts[i] : 0, sum = own;

		for (int d = 1; d < WARP; d *= 2) {
			unsigned other = __shfl_up_sync(ALL, sum, d);

			if (lane >= d)
				sum += other;
		}
		if (lane == WARP - 1)
			sums[warp] = sum;
		__syncthreads();
		unsigned all = 0;
		for (int w = 0; w < WARPS; w++) {
			if (w == warp)
				sum += all;
			all += sums[w];
		}
		if (i < n)
			counts[i] = before + sum - own;
		before += all;
		__syncthreads();
	}
}

__global__ void move_keys(const unsigned *from, unsigned *to, int n, int shift,
			  const unsigned *places)
{
	__shared__ unsigned count[WARPS][DIGITS];
	int i = blockIdx.x * THREADS + threadIdx.x;
	int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	unsigned key = i < n ? from[i] : 0;
	unsigned digit = i < n ? (key >> shift) % DIGITS : DIGITS;
	unsigned rank = 0;

	for (unsigned d = 0; d < DIGITS; d++) {
		unsigned same = __ballot_sync(ALL, digit == d);

		if (digit == d)
			rank = __popc(same & ((1u << lane) - 1));
		if (lane == 0)
			count[warp][d] = __popc(same);
	}
	__syncthreads();
	if (i >= n)
		return;
	for (int w = 0; w < warp; w++)
		rank += count[w][digit];
	to[places[digit * gridDim.x + blockIdx.x] + rank] = key;
}

static void sort(int n, uint64_t seed)
{
	int blocks = blocks_of(n, THREADS);
	array<unsigned> keys(n), other(n), counts(DIGITS * blocks);

	random_ints(keys, 4096, seed);
	keys.upload();
	unsigned *from = keys.device, *to = other.device;
	for (int shift = 0; shift < 12; shift += 4) {
		count_digits<<<blocks, THREADS>>>(from, n, shift,
						  counts.device);
		scan_counts<<<1, THREADS>>>(counts.device, DIGITS * blocks);
		move_keys<<<blocks, THREADS>>>(from, to, n, shift,
					       counts.device);
		CHECK_LAUNCH();
		std::swap(from, to);
	}
	from_device(other.host, from, n);
	std::sort(keys.host, keys.host + n);
	check_exact(&self, other.host, keys.host, n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	sort(n / 32, 1);
	sort(n / 4, 2);
	sort(n, 3);
	return report(&self);
}
