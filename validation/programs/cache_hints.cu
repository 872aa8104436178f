/*
 * Loads and stores that say how they want to be cached: streaming, last use, at
 * the L2 only, read-only, volatile; prefetches, vectors that stay in the L2 by a
 * policy; a ring of flags between two blocks with acquire and release; assertions
 * that hold, and a message that nobody has to print.
 *
 * SIZE: elements of the larger arrays, a multiple of 256.
 */
#include "common.h"

#include <assert.h>

static struct workload self = { "cache_hints", "elements", 1 << 17, 1 << 12,
				1 << 24 };

enum hint { PLAIN, STREAMING, AT_L2, LAST, READ_ONLY, VOLATILE, HINTS };

template <int HINT> __device__ static unsigned load(const unsigned *p)
{
	switch (HINT) {
	case STREAMING:
		return __ldcs(p);
	case AT_L2:
		return __ldcg(p);
	case LAST:
		return __ldlu(p);
	case READ_ONLY:
		return __ldg(p);
	case VOLATILE:
		return *(const volatile unsigned *)p;
	default:
		return *p;
	}
}

template <int HINT> __device__ static void store(unsigned *p, unsigned v)
{
	switch (HINT) {
	case STREAMING:
		__stcs(p, v);
		break;
	case AT_L2:
		__stcg(p, v);
		break;
	case LAST:
		__stwt(p, v);
		break;
	case VOLATILE:
		*(volatile unsigned *)p = v;
		break;
	default:
		*p = v;
	}
}

/* Each element is read three times, by neighbours. */
template <int HINT>
__global__ void sweep(int n, const unsigned *in, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	assert(blockDim.x == 256);
	if (i < n) {
		unsigned left = load<HINT>(&in[i ? i - 1 : n - 1]);
		unsigned right = load<HINT>(&in[i + 1 < n ? i + 1 : 0]);

		store<HINT>(&out[i], left + 2 * load<HINT>(&in[i]) + right);
	}
}

__global__ void prefetched(int n, int passes, const unsigned *in, unsigned *out)
{
	unsigned sum = 0, i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned stride = gridDim.x * blockDim.x;
	unsigned long long policy;

	asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;"
	    : "=l"(policy));
	for (int pass = 0; pass < passes; pass++)
		for (unsigned k = i; k < n; k += stride) {
			unsigned v;

			if (k + stride < n)
				asm volatile("prefetch.global.L2 [%0];" ::"l"(
					&in[k + stride]));
			asm volatile(
				"ld.global.L2::cache_hint.u32 %0, [%1], %2;"
				: "=r"(v)
				: "l"(&in[k]), "l"(policy));
			sum = sum * 5 + v;
		}
	out[i] = sum;
}

/* Two blocks hand numbers to each other over a ring of eight slots. */
__global__ void pass_on(int n, unsigned *slots, unsigned *flags, unsigned *out)
{
	for (int i = 0; i < n; i++) {
		unsigned *flag = &flags[i % 8], wanted = 2 * (i / 8), seen;
		unsigned *slot = &slots[i % 8 * 64 + threadIdx.x];

		wanted += blockIdx.x;
		if (threadIdx.x == 0)
			do
				asm volatile(
					"ld.acquire.gpu.global.u32 %0, [%1];"
					: "=r"(seen)
					: "l"(flag)
					: "memory");
			while (seen != wanted);
		__syncthreads();
		if (blockIdx.x == 0)
			*slot = i * 64 + threadIdx.x;
		else
			out[i * 64 + threadIdx.x] = *(volatile unsigned *)slot;
		__threadfence();
		__syncthreads();
		if (threadIdx.x == 0)
			asm volatile(
				"st.release.gpu.global.u32 [%0], %1;" ::"l"(
					flag),
				"r"(wanted + 1)
				: "memory");
	}
}

__global__ void check_order(int n, const unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n && out[i] != i)
		printf("block %u, thread %u: %u\n", blockIdx.x, threadIdx.x,
		       out[i]);
}

template <int HINT>
static void sweeps(int n, array<unsigned> &in, const array<unsigned> &want)
{
	array<unsigned> out(n);

	sweep<HINT><<<blocks_of(n, 256), 256>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n, "sweep");
}

static void run(int n)
{
	array<unsigned> in(n), want(n), out(64 * 128), sums(out.n);

	random_ints(in, 1000, n);
	in.upload();
	for (int i = 0; i < n; i++)
		want[i] = in[i ? i - 1 : n - 1] + 2 * in[i] +
			  in[i + 1 < n ? i + 1 : 0];
	sweeps<PLAIN>(n, in, want);
	sweeps<STREAMING>(n, in, want);
	sweeps<AT_L2>(n, in, want);
	sweeps<LAST>(n, in, want);
	sweeps<READ_ONLY>(n, in, want);
	sweeps<VOLATILE>(n, in, want);
	prefetched<<<64, 128>>>(n, 2, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	for (unsigned i = 0; i < sums.n; i++)
		for (int pass = 0; pass < 2; pass++)
			for (int k = i; k < n; k += sums.n)
				sums[i] = sums[i] * 5 + in[k];
	check_exact(&self, out.host, sums.host, sums.n, "prefetched");
}

static void ring(int n)
{
	array<unsigned> slots(8 * 64), flags(8), out(n * 64), want(n * 64);

	flags.fill(0);
	pass_on<<<2, 64>>>(n, slots.device, flags.device, out.device);
	CHECK_LAUNCH();
	out.download();
	for (int i = 0; i < n * 64; i++)
		want[i] = i;
	check_exact(&self, out.host, want.host, n * 64, "ring");
	check_order<<<blocks_of(n * 64, 128), 128>>>(n * 64, out.device);
	CHECK_LAUNCH();
	CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 32);
	run(n);
	ring(50);
	return report(&self);
}
