/*
 * Prefix sums that begin again at flags, as databases and sparse formats need
 * them: inside a warp by shuffles, inside a block over the warps' ends, between
 * blocks with the parts of those before, in one launch (each block waits for the
 * state of its neighbour) and in three.
 *
 * SIZE: elements of the largest array. Integers.
 */
#include "common.h"

#define THREADS 512
#define WARPS (THREADS / WARP)

static struct workload self = { "segmented_scan", "elements", 200000, 1000,
				1 << 22 };

struct part {
	int sum, flag; /* flag: a segment begins inside */
};

__device__ static struct part joined(struct part a, struct part b)
{
	struct part c = { b.flag ? b.sum : a.sum + b.sum, a.flag | b.flag };

	return c;
}

__device__ static struct part warp_scan(struct part v)
{
	int lane = threadIdx.x % WARP;

#pragma unroll
	for (int d = 1; d < WARP; d *= 2) {
		struct part low = { __shfl_up_sync(ALL, v.sum, d),
				    __shfl_up_sync(ALL, v.flag, d) };
		if (lane >= d)
			v = joined(low, v);
	}
	return v;
}

/* Inclusive; `before` is the part of all that is left of the block. */
__device__ static struct part block_scan(struct part v, struct part *all)
{
	__shared__ struct part ends[WARPS];
	int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

	v = warp_scan(v);
	if (lane == WARP - 1)
		ends[warp] = v;
	__syncthreads();
	if (warp == 0) {
		struct part none = { 0, 0 };
		struct part end = warp_scan(lane < WARPS ? ends[lane] : none);

		if (lane < WARPS)
			ends[lane] = end;
	}
	__syncthreads();
	if (warp > 0)
		v = joined(ends[warp - 1], v);
	*all = ends[WARPS - 1];
	return v;
}

__global__ void scan_blocks(int n, const int *in, const unsigned char *flag,
			    int *out, struct part *parts)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	struct part v = { 0, 0 }, all;

	if (i < n) {
		v.sum = in[i];
		v.flag = flag[i];
	}
	v = block_scan(v, &all);
	if (i < n)
		out[i] = v.sum;
	if (threadIdx.x == 0)
		parts[blockIdx.x] = all;
}

__global__ void scan_parts(int n, struct part *parts)
{
	struct part before = { 0, 0 }, all;

	for (int first = 0; first < n; first += THREADS) {
		int i = first + threadIdx.x;
		struct part none = { 0, 0 };
		struct part v = block_scan(i < n ? parts[i] : none, &all);

		if (i < n)
			parts[i] = joined(before, v);
		before = joined(before, all);
		__syncthreads();
	}
}

__global__ void add_parts(int n, const unsigned char *flag, int *out,
			  const struct part *parts)
{
	__shared__ int first_flag;
	int i = (blockIdx.x + 1) * THREADS + threadIdx.x;

	if (threadIdx.x == 0)
		first_flag = THREADS;
	__syncthreads();
	if (i < n && flag[i])
		atomicMin(&first_flag, threadIdx.x);
	__syncthreads();
	if (i < n && threadIdx.x < first_flag)
		out[i] += parts[blockIdx.x].sum;
}

/* state: 0 not known, else the sum and flag with bit 32 set. */
__global__ void scan_chained(int n, const int *in, const unsigned char *flag,
			     int *out, volatile unsigned long long *state,
			     unsigned *ticket)
{
	__shared__ unsigned block;
	__shared__ struct part before;
	struct part v = { 0, 0 }, all;

	if (threadIdx.x == 0)
		block = atomicAdd(ticket, 1);
	__syncthreads();
	int i = block * THREADS + threadIdx.x;
	if (i < n) {
		v.sum = in[i];
		v.flag = flag[i];
	}
	v = block_scan(v, &all);
	if (threadIdx.x == 0) {
		unsigned long long s = 1ull << 32;

		while (block > 0 && !((s = state[block - 1]) >> 32))
			;
		before.sum = (int)(unsigned)s;
		before.flag = 0;
		all = joined(before, all);
		state[block] = 1ull << 32 | (unsigned)all.sum;
	}
	__syncthreads();
	if (i < n)
		out[i] = joined(before, v).sum;
}

static void run(int n)
{
	int blocks = blocks_of(n, THREADS);
	uint64_t seed = n;
	array<int> in(n), out(n), want(n);
	array<unsigned char> flag(n);
	array<struct part> parts(blocks);
	array<unsigned long long> state(blocks + 1);

	for (int i = 0, sum = 0; i < n; i++) {
		in[i] = random_below(&seed, 2001) - 1000;
		flag[i] = random_below(&seed, 700) == 0;
		sum = flag[i] ? in[i] : sum + in[i];
		want[i] = sum;
	}
	in.upload();
	flag.upload();
	scan_blocks<<<blocks, THREADS>>>(n, in.device, flag.device, out.device,
					 parts.device);
	scan_parts<<<1, THREADS>>>(blocks, parts.device);
	if (blocks > 1)
		add_parts<<<blocks - 1, THREADS>>>(n, flag.device, out.device,
						   parts.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n, "three launches");
	state.fill(0);
	scan_chained<<<blocks, THREADS>>>(n, in.device, flag.device, out.device,
					  state.device,
					  (unsigned *)(state.device + blocks));
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n, "one launch");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 400 + 1);
	run(n / 8 + 3);
	run(n);
	return report(&self);
}
