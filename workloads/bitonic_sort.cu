/*
 * Batcher's bitonic sorting network on 32-bit keys. The network for n keys has
 * stages of runs 2, 4, ..., n; a stage merges by compare-and-swap at distances
 * run / 2, ..., 2, 1. Distances that fit into a block's shared memory are done
 * there, all in one launch; longer ones each take a launch over global memory.
 *
 * SIZE: keys. The network needs a power of two: the rest is filled with the
 * largest key. The result is compared exactly with the host's qsort().
 */
#include "common.h"

#define TILE 1024 /* keys in shared memory; a block has half as many threads */

static struct workload self = { "bitonic_sort", "keys", 8192, 1, 1 << 28 };

/* Position of the first element of the i-th pair at a distance. */
__device__ int first_of_pair(int i, int distance)
{
	return 2 * i - (i & (distance - 1));
}

/* Runs alternate between ascending and descending. */
__device__ void order(unsigned *a, unsigned *b, bool ascending)
{
	unsigned x = *a, y = *b;

	if ((x > y) == ascending) {
		*a = y;
		*b = x;
	}
}

/* Stages of runs first..last, each from a distance of TILE / 2 at most. */
__global__ void sort_in_tile(unsigned *keys, int first, int last)
{
	__shared__ unsigned tile[TILE];
	int base = blockIdx.x * TILE, t = threadIdx.x;

	tile[t] = keys[base + t];
	tile[t + TILE / 2] = keys[base + t + TILE / 2];
	for (int run = first; run <= last; run *= 2) {
		for (int d = min(run, TILE) / 2; d > 0; d /= 2) {
			int i = first_of_pair(t, d);

			__syncthreads();
			order(&tile[i], &tile[i + d], ((base + i) & run) == 0);
		}
	}
	__syncthreads();
	keys[base + t] = tile[t];
	keys[base + t + TILE / 2] = tile[t + TILE / 2];
}

__global__ void merge_step(unsigned *keys, int run, int distance)
{
	int i = first_of_pair(blockIdx.x * blockDim.x + threadIdx.x, distance);

	order(&keys[i], &keys[i + distance], (i & run) == 0);
}

/* count: a power of two, at least TILE. */
static void sort(unsigned *keys, int count)
{
	int blocks = count / TILE;

	sort_in_tile<<<blocks, TILE / 2>>>(keys, 2, TILE);
	CHECK_LAUNCH();
	for (int run = 2 * TILE; run <= count; run *= 2) {
		for (int d = run / 2; d >= TILE; d /= 2) {
			merge_step<<<blocks, TILE / 2>>>(keys, run, d);
			CHECK_LAUNCH();
		}
		sort_in_tile<<<blocks, TILE / 2>>>(keys, run, run);
		CHECK_LAUNCH();
	}
}

static int compare(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), count = TILE;
	uint64_t random = 1;

	while (count < n)
		count *= 2;
	unsigned *keys = host_alloc<unsigned>(count);
	unsigned *want = host_alloc<unsigned>(n);
	for (int i = 0; i < n; i++)
		want[i] = keys[i] = (unsigned)random_bits(&random);
	for (int i = n; i < count; i++)
		keys[i] = UINT_MAX;
	qsort(want, n, sizeof *want, compare);

	unsigned *dkeys = device_copy(keys, count);

	sort(dkeys, count);
	from_device(keys, dkeys, count);
	check_exact(&self, keys, want, n);

	cudaFree(dkeys);
	free(keys);
	free(want);
	return report(&self);
}
