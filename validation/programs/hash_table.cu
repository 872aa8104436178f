/*
 * A hash table with open addressing in global memory: keys inserted by compare
 * and swap, values added by atomics, lookups of keys of which half are missing.
 * Tables that are a quarter and four fifths full.
 *
 * SIZE: slots of the larger table, a power of two.
 */
#include "common.h"

#define THREADS 256
#define EMPTY 0xffffffffu

static struct workload self = { "hash_table", "slots", 1 << 17, 4096, 1 << 22 };

__host__ __device__ static inline unsigned hash(unsigned k)
{
	k ^= k >> 16;
	k *= 0x85ebca6bu;
	k ^= k >> 13;
	k *= 0xc2b2ae35u;
	return k ^ k >> 16;
}

__global__ void insert(int n, const unsigned *key, unsigned mask,
		       unsigned *slots, unsigned *count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	unsigned k = key[i], at = hash(k) & mask;
	for (;; at = (at + 1) & mask) {
		unsigned old = atomicCAS(&slots[at], EMPTY, k);

		if (old == EMPTY || old == k)
			break;
	}
	atomicAdd(&count[at], 1);
}

/* How often the key was inserted. */
__global__ void look_up(int n, const unsigned *key, unsigned mask,
			const unsigned *slots, const unsigned *count,
			unsigned *found)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	unsigned k = key[i], at = hash(k) & mask, result = 0;
	while (slots[at] != EMPTY) {
		if (slots[at] == k) {
			result = count[at];
			break;
		}
		at = (at + 1) & mask;
	}
	found[i] = result;
}

/* Keys are below 2 * n: most occur once or never. */
static void run(int slots, int n)
{
	array<unsigned> key(n), query(n), table(slots), count(slots), found(n);
	unsigned *times = host_alloc<unsigned>(2 * n);
	unsigned *want = host_alloc<unsigned>(n);

	random_ints(key, 2 * n, n);
	random_ints(query, 2 * n, n + 1);
	for (int i = 0; i < n; i++)
		times[key[i]]++;
	for (int i = 0; i < n; i++)
		want[i] = times[query[i]];
	key.upload();
	query.upload();
	table.fill(0xff);
	count.fill(0);
	insert<<<blocks_of(n, THREADS), THREADS>>>(n, key.device, slots - 1,
						   table.device, count.device);
	look_up<<<blocks_of(n, THREADS), THREADS>>>(n, query.device, slots - 1,
						    table.device, count.device,
						    found.device);
	CHECK_LAUNCH();
	found.download();
	check_exact(&self, found.host, want, n);
	free(times);
	free(want);
}

int main(int argc, char **argv)
{
	int slots = size_arg(&self, argc, argv);

	if (slots & (slots - 1))
		bad_size(&self, "a power of two");
	run(slots / 64, slots / 256);
	run(slots / 4, slots / 4);
	run(slots, slots / 4);
	run(slots, slots / 8 * 7);
	return report(&self);
}
