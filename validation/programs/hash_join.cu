/*
 * Two tables of a data base joined by a key: the smaller one is put into chains
 * of a hash table in global memory, the larger one looks its keys up; rows that
 * match are written at places that the active lanes of a warp draw together. And
 * a join whose parts fit into shared memory, a block for each part.
 *
 * SIZE: rows of the larger table.
 */
#include "common.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <vector>

namespace cg = cooperative_groups;

#define THREADS 256
#define SLOTS 2048 /* of a part's table in shared memory */

static struct workload self = { "hash_join", "rows", 60000, 1000, 1 << 22 };

__host__ __device__ static unsigned hashed(unsigned key)
{
	key ^= key >> 16;
	key *= 0x85ebca6b;
	key ^= key >> 13;
	key *= 0xc2b2ae35;
	return key ^ key >> 16;
}

__global__ void build_chains(int n, const unsigned *keys, int *heads, int *next,
			     unsigned mask)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		next[i] = atomicExch(&heads[hashed(keys[i]) & mask], i);
}

__device__ static unsigned draw(unsigned *counter)
{
	cg::coalesced_group active = cg::coalesced_threads();
	unsigned first = 0;

	if (active.thread_rank() == 0)
		first = atomicAdd(counter, active.size());
	return active.shfl(first, 0) + active.thread_rank();
}

__global__ void probe_chains(int n, const unsigned *keys, const unsigned *built,
			     const int *heads, const int *next, unsigned mask,
			     int2 *pairs, unsigned *count)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
	     i += gridDim.x * blockDim.x) {
		unsigned key = keys[i];

		for (int j = heads[hashed(key) & mask]; j >= 0; j = next[j])
			if (built[j] == key)
				pairs[draw(count)] = make_int2(i, j);
	}
}

/* Parts of both tables are contiguous; keys of the built one are unique. */
__global__ void join_parts(const unsigned *large, const int *large_at,
			   const unsigned *small, const int *small_at,
			   unsigned long long *sums)
{
	extern __shared__ unsigned table[];
	__shared__ unsigned long long sum;
	int part = blockIdx.x;
	unsigned *place = table + SLOTS;

	for (int i = threadIdx.x; i < SLOTS; i += blockDim.x)
		table[i] = ~0u;
	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	for (int i = small_at[part] + threadIdx.x; i < small_at[part + 1];
	     i += blockDim.x) {
		unsigned slot = hashed(small[i]) % SLOTS;

		while (atomicCAS(&table[slot], ~0u, small[i]) != ~0u)
			slot = (slot + 1) % SLOTS;
		place[slot] = i;
	}
	__syncthreads();
	unsigned long long own = 0;
	for (int i = large_at[part] + threadIdx.x; i < large_at[part + 1];
	     i += blockDim.x) {
		unsigned slot = hashed(large[i]) % SLOTS;

		while (table[slot] != ~0u && table[slot] != large[i])
			slot = (slot + 1) % SLOTS;
		if (table[slot] == large[i])
			own += (unsigned long long)i * place[slot] + 1;
	}
	atomicAdd(&sum, own);
	__syncthreads();
	if (threadIdx.x == 0)
		sums[part] = sum;
}

static void chains(int n, int small)
{
	unsigned mask = 1;
	while (mask < (unsigned)small)
		mask = mask * 2 + 1;
	array<unsigned> keys(n), built(small), count(1);
	array<int> heads(mask + 1), next(small);
	array<int2> pairs(8 * n);
	std::vector<std::pair<int, int>> got, want;
	std::vector<std::vector<int>> of(2 * small);

	random_ints(keys, 2 * small, n);
	random_ints(built, 2 * small, small);
	keys.upload();
	built.upload();
	heads.fill(0xff);
	count.fill(0);
	build_chains<<<blocks_of(small, THREADS), THREADS>>>(
		small, built.device, heads.device, next.device, mask);
	probe_chains<<<std::min(blocks_of(n, THREADS), 132), THREADS>>>(
		n, keys.device, built.device, heads.device, next.device, mask,
		pairs.device, count.device);
	CHECK_LAUNCH();
	count.download();
	pairs.download();
	for (int j = 0; j < small; j++)
		of[built[j]].push_back(j);
	for (int i = 0; i < n; i++)
		for (int j : of[keys[i]])
			want.push_back(std::make_pair(i, j));
	for (unsigned i = 0; i < count[0] && i < pairs.n; i++)
		got.push_back(std::make_pair(pairs[i].x, pairs[i].y));
	std::sort(got.begin(), got.end());
	unsigned size = want.size();
	check_exact(&self, count.host, &size, 1, "pairs");
	int same = got == want, yes = 1;
	check_exact(&self, &same, &yes, 1, "chains");
}

static void in_parts(int n, int parts)
{
	int each = SLOTS / 2, per = n / parts;
	array<unsigned> large(parts * per), small(parts * each);
	array<int> large_at(parts + 1), small_at(parts + 1);
	array<unsigned long long> sums(parts), want(parts);
	uint64_t seed = parts;

	for (int p = 0; p < parts; p++) {
		large_at[p + 1] = (p + 1) * per;
		small_at[p + 1] = (p + 1) * each;
		for (int i = 0; i < each; i++) /* unique, scattered */
			small[p * each + i] =
				(i * 2654435761u & 0xffffff) * 64 + p;
		for (int i = 0; i < per; i++) {
			int j = random_below(&seed, 2 * each);

			large[p * per + i] =
				(j * 2654435761u & 0xffffff) * 64 + p;
			if (j < each)
				want[p] += (unsigned long long)(p * per + i) *
						   (p * each + j) +
					   1;
		}
	}
	large.upload();
	small.upload();
	large_at.upload();
	small_at.upload();
	join_parts<<<parts, THREADS, 2 * SLOTS * sizeof(int)>>>(
		large.device, large_at.device, small.device, small_at.device,
		sums.device);
	CHECK_LAUNCH();
	sums.download();
	check_exact(&self, sums.host, want.host, parts, "parts");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	chains(n / 20, n / 100);
	chains(n, n / 3);
	in_parts(n, 1);
	in_parts(n * 2, 48);
	return report(&self);
}
