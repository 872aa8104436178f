/*
 * A Bloom filter: four bits for each key, set by atomics in a table of bits, and
 * queries that stop at the first bit that is not set; and a blocked one whose
 * bits of a key are in one 32-byte sector.
 *
 * SIZE: bits of the larger filter, a power of two.
 */
#include "common.h"

#define THREADS 256

static struct workload self = { "bloom_filter", "bits", 1 << 22, 65536,
				1 << 28 };

__host__ __device__ static inline unsigned mix(unsigned k, unsigned salt)
{
	k = (k ^ salt) * 0x9e3779b1u;
	k ^= k >> 15;
	k *= 0x85ebca77u;
	return k ^ k >> 13;
}

/* Bit number h of a key. */
__host__ __device__ static inline unsigned place(unsigned key, int h,
						 unsigned bits, bool blocked)
{
	if (!blocked)
		return mix(key, 0x1234567u * h) & (bits - 1);
	return (mix(key, 99) & (bits / 256 - 1)) * 256 +
	       (mix(key, 7) >> h * 8 & 255);
}

__global__ void add(int n, const unsigned *key, unsigned bits, bool blocked,
		    unsigned *table)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	for (int h = 0; h < 4; h++) {
		unsigned at = place(key[i], h, bits, blocked);

		atomicOr(&table[at / 32], 1u << at % 32);
	}
}

__global__ void query(int n, const unsigned *key, unsigned bits, bool blocked,
		      const unsigned *table, unsigned char *found)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	bool all = true;
	for (int h = 0; h < 4 && all; h++) {
		unsigned at = place(key[i], h, bits, blocked);

		all = table[at / 32] >> at % 32 & 1;
	}
	found[i] = all;
}

static void run(unsigned bits, int n, bool blocked)
{
	array<unsigned> key(n), asked(n), table(bits / 32);
	array<unsigned char> found(n), want(n);
	unsigned *expected = host_alloc<unsigned>(bits / 32);

	random_ints(key, 1u << 31, n);
	random_ints(asked, 1u << 31, n + 1);
	for (int i = 0; i < n; i += 4)
		asked[i] = key[n - 1 - i];
	for (int i = 0; i < n; i++)
		for (int h = 0; h < 4; h++) {
			unsigned at = place(key[i], h, bits, blocked);

			expected[at / 32] |= 1u << at % 32;
		}
	for (int i = 0; i < n; i++) {
		want[i] = 1;
		for (int h = 0; h < 4; h++) {
			unsigned at = place(asked[i], h, bits, blocked);

			want[i] &= expected[at / 32] >> at % 32 & 1;
		}
	}
	key.upload();
	asked.upload();
	table.fill(0);
	add<<<blocks_of(n, THREADS), THREADS>>>(n, key.device, bits, blocked,
						table.device);
	query<<<blocks_of(n, THREADS), THREADS>>>(
		n, asked.device, bits, blocked, table.device, found.device);
	CHECK_LAUNCH();
	table.download();
	found.download();
	check_exact(&self, table.host, expected, table.n, "table");
	check_exact(&self, found.host, want.host, n);
	free(expected);
}

int main(int argc, char **argv)
{
	int bits = size_arg(&self, argc, argv);

	if (bits & (bits - 1))
		bad_size(&self, "a power of two");
	for (int blocked = 0; blocked < 2; blocked++) {
		run(bits / 64, bits / 1024, blocked);
		run(bits, bits / 64, blocked);
	}
	return report(&self);
}
