/*
 * The knapsack problem by dynamic programming: a launch for each item over all
 * capacities when these are many, and a single block that keeps the whole row in
 * shared memory when they are few.
 *
 * SIZE: capacity of the larger problem.
 */
#include "common.h"

#include <utility>

#define ITEMS 12
#define SMALL 2048

static struct workload self = { "knapsack", "capacity", 1 << 18, 4096,
				1 << 24 };

__constant__ int2 item_table[64]; /* weight, value */

__global__ void add_item(int capacity, int weight, int value, const int *in,
			 int *out)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x;

	if (c > capacity)
		return;
	int best = in[c];
	if (c >= weight)
		best = max(best, in[c - weight] + value);
	out[c] = best;
}

__global__ void all_items(int items, int *out)
{
	__shared__ int best[SMALL];
	int t = threadIdx.x;

	for (int c = t; c < SMALL; c += blockDim.x)
		best[c] = 0;
	__syncthreads();
	for (int i = 0; i < items; i++) {
		int2 item = item_table[i];
		int next[SMALL / 512];

		for (int k = 0; k < SMALL / 512; k++) {
			int c = t + k * 512;

			next[k] = best[c];
			if (c >= item.x)
				next[k] =
					max(next[k], best[c - item.x] + item.y);
		}
		__syncthreads();
		for (int k = 0; k < SMALL / 512; k++)
			best[t + k * 512] = next[k];
		__syncthreads();
	}
	for (int c = t; c < SMALL; c += blockDim.x)
		out[c] = best[c];
}

static void expected(int capacity, int items, const int2 *item, int *best)
{
	for (int i = 0; i < items; i++)
		for (int c = capacity; c >= item[i].x; c--) {
			int with = best[c - item[i].x] + item[i].y;

			if (with > best[c])
				best[c] = with;
		}
}

int main(int argc, char **argv)
{
	int capacity = size_arg(&self, argc, argv);
	array<int> a(capacity + 1), b(capacity + 1), want(capacity + 1);
	array<int> row(SMALL), want_row(SMALL);
	uint64_t random = 1;
	int2 item[64];

	for (int i = 0; i < 64; i++) {
		int scale = i < ITEMS ? capacity / 8 : 200;

		item[i].x = 1 + random_below(&random, scale);
		item[i].y = 1 + random_below(&random, 1000);
	}
	a.fill(0);
	int *from = a.device, *to = b.device;
	for (int i = 0; i < ITEMS; i++) {
		add_item<<<blocks_of(capacity + 1, 256), 256>>>(
			capacity, item[i].x, item[i].y, from, to);
		std::swap(from, to);
	}
	CHECK_LAUNCH();
	from_device(a.host, from, a.n);
	expected(capacity, ITEMS, item, want.host);
	check_exact(&self, a.host, want.host, a.n);

	CHECK(cudaMemcpyToSymbol(item_table, item, sizeof item));
	for (int items = 16; items <= 64; items *= 2) {
		all_items<<<1, 512>>>(items, row.device);
		CHECK_LAUNCH();
		row.download();
		memset(want_row.host, 0, SMALL * sizeof(int));
		expected(SMALL - 1, items, item, want_row.host);
		check_exact(&self, row.host, want_row.host, SMALL, "small");
	}
	return report(&self);
}
