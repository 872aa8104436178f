/*
 * Pi by throwing darts at a square: xorshift generators of one state per thread,
 * hits counted by ballots and added by one atomic for each block.
 *
 * SIZE: threads of the largest launch. The host throws the same darts.
 */
#include "common.h"

#define THREADS 256
#define DARTS 64

static struct workload self = { "dart_pi", "threads", 65536, 256, 1 << 20 };

__host__ __device__ static inline unsigned next(unsigned *state)
{
	unsigned x = *state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *state = x;
}

__host__ __device__ static inline int hit(unsigned *state)
{
	float x = (next(state) >> 8) * (1.0f / 16777216);
	float y = (next(state) >> 8) * (1.0f / 16777216);

#ifdef __CUDA_ARCH__
	/* No fused multiply-add, as on the host. */
	return __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) < 1;
#else
	float xx = x * x, yy = y * y;

	return xx + yy < 1;
#endif
}

__global__ void throw_darts(unsigned seed, unsigned *hits)
{
	__shared__ unsigned block_hits;
	unsigned state = (blockIdx.x * THREADS + threadIdx.x) * 2654435761u ^
			 seed;
	unsigned count = 0;

	if (state == 0)
		state = 1;
	if (threadIdx.x == 0)
		block_hits = 0;
	__syncthreads();
	for (int i = 0; i < DARTS; i++)
		count += __popc(__ballot_sync(ALL, hit(&state)));
	if (threadIdx.x % WARP == 0)
		atomicAdd(&block_hits, count);
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(hits, block_hits);
}

static void run(int threads, unsigned seed)
{
	array<unsigned> hits(1);
	unsigned want = 0;

	threads = blocks_of(threads, THREADS) * THREADS;
	hits.fill(0);
	throw_darts<<<threads / THREADS, THREADS>>>(seed, hits.device);
	CHECK_LAUNCH();
	for (int t = 0; t < threads; t++) {
		unsigned state = t * 2654435761u ^ seed;

		if (state == 0)
			state = 1;
		for (int i = 0; i < DARTS; i++)
			want += hit(&state);
	}
	hits.download();
	check_exact(&self, hits.host, &want, 1);
}

int main(int argc, char **argv)
{
	int threads = size_arg(&self, argc, argv);

	run(1, 12345);
	run(threads / 32, 23456);
	run(threads / 4, 34567);
	run(threads, 45678);
	return report(&self);
}
