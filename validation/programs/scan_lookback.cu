/*
 * Prefix sums in one launch: blocks publish their sums, and look back at those of
 * the blocks before them until one has published the sum of all up to it
 * (Merrill and Garland's decoupled look-back); blocks are numbered in the order
 * in which they start. Beside it, the usual three launches.
 *
 * SIZE: elements of the largest array.
 */
#include "common.h"

#define THREADS 256
#define EACH 4
#define PART (THREADS * EACH)

static struct workload self = { "scan_lookback", "elements", 1 << 19, 4096,
				1 << 23 };

/* Exclusive sums over a block; *all is the sum of its values. */
__device__ static unsigned scan_block(unsigned v, unsigned *all)
{
	__shared__ unsigned sums[THREADS / WARP];
	int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	unsigned sum = v, before = 0;

	for (int d = 1; d < WARP; d *= 2) {
		unsigned other = __shfl_up_sync(ALL, sum, d);

		if (lane >= d)
			sum += other;
	}
	if (lane == WARP - 1)
		sums[warp] = sum;
	__syncthreads();
	*all = 0;
	for (int w = 0; w < THREADS / WARP; w++) {
		if (w == warp)
			before = *all;
		*all += sums[w];
	}
	return before + sum - v;
}

#define PARTIAL (1ull << 62) /* the sum of one block */
#define TOTAL (2ull << 62)   /* of all blocks up to it */

__device__ static unsigned look_back(volatile unsigned long long *state,
				     int block)
{
	unsigned before = 0;

	for (int b = block - 1; b >= 0;) {
		unsigned long long s = state[b];

		if (!(s & (PARTIAL | TOTAL)))
			continue;
		before += (unsigned)s;
		if (s & TOTAL)
			break;
		b--;
	}
	return before;
}

__global__ void one_pass(int n, const uint4 *in, uint4 *out, unsigned *tickets,
			 volatile unsigned long long *state)
{
	__shared__ int block;
	__shared__ unsigned before;

	if (threadIdx.x == 0)
		block = atomicAdd(tickets, 1);
	__syncthreads();
	int i = block * THREADS + threadIdx.x;
	uint4 v = i < n / 4 ? in[i] : make_uint4(0, 0, 0, 0);
	unsigned all, mine = scan_block(v.x + v.y + v.z + v.w, &all);

	if (threadIdx.x == 0) {
		state[block] = (block ? PARTIAL : TOTAL) | all;
		before = look_back(state, block);
		if (block)
			state[block] = TOTAL | (before + all);
	}
	__syncthreads();
	mine += before;
	if (i < n / 4)
		out[i] = make_uint4(mine, mine + v.x, mine + v.x + v.y,
				    mine + v.x + v.y + v.z);
}

__global__ void scan_parts(int n, const unsigned *in, unsigned *out,
			   unsigned *sums)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	unsigned all, mine = scan_block(i < n ? in[i] : 0, &all);

	if (i < n)
		out[i] = mine;
	if (threadIdx.x == 0)
		sums[blockIdx.x] = all;
}

__global__ void scan_sums(int n, unsigned *sums)
{
	unsigned before = 0;

	for (int first = 0; first < n; first += THREADS) {
		int i = first + threadIdx.x;
		unsigned all, mine = scan_block(i < n ? sums[i] : 0, &all);

		if (i < n)
			sums[i] = before + mine;
		before += all;
		__syncthreads();
	}
}

__global__ void add_sums(int n, unsigned *out, const unsigned *sums)
{
	int i = blockIdx.x * THREADS + threadIdx.x;

	if (i < n)
		out[i] += sums[blockIdx.x];
}

static void run(int n)
{
	int parts = blocks_of(n, PART), blocks = blocks_of(n, THREADS);
	array<unsigned> in(n), out(n), want(n), tickets(1), sums(blocks);
	array<unsigned long long> state(parts);

	random_ints(in, 1000, n);
	for (int i = 1; i < n; i++)
		want[i] = want[i - 1] + in[i - 1];
	in.upload();
	tickets.fill(0);
	state.fill(0);
	one_pass<<<parts, THREADS>>>(n, (const uint4 *)in.device,
				     (uint4 *)out.device, tickets.device,
				     state.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n, "one pass");

	out.fill(0);
	scan_parts<<<blocks, THREADS>>>(n, in.device, out.device, sums.device);
	scan_sums<<<1, THREADS>>>(blocks, sums.device);
	add_sums<<<blocks, THREADS>>>(n, out.device, sums.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n, "three passes");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv) / 4 * 4;

	run(n / 256 / 4 * 4);
	run(n / 8 / 4 * 4);
	run(n);
	return report(&self);
}
