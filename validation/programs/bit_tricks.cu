/*
 * Integers bit by bit: linear feedback shift registers, counts of ones, leading
 * zeros and reversals, Gray codes and Morton codes (interleaved bits) with their
 * inverse, parity by folding, multiplication without carries.
 *
 * SIZE: threads of the largest launch.
 */
#include "common.h"

#define THREADS 256

static struct workload self = { "bit_tricks", "threads", 65536, 256, 1 << 21 };

__host__ __device__ static inline unsigned lfsr(unsigned s, int steps)
{
	for (int i = 0; i < steps; i++)
		s = s >> 1 ^ (0u - (s & 1) & 0xa3000000u);
	return s;
}

__host__ __device__ static inline unsigned spread(unsigned x)
{
	x &= 0xffff;
	x = (x | x << 8) & 0x00ff00ff;
	x = (x | x << 4) & 0x0f0f0f0f;
	x = (x | x << 2) & 0x33333333;
	return (x | x << 1) & 0x55555555;
}

__host__ __device__ static inline unsigned long long carryless(unsigned a,
							       unsigned b)
{
	unsigned long long r = 0;

	for (int i = 0; i < 32; i++)
		if (b >> i & 1)
			r ^= (unsigned long long)a << i;
	return r;
}

#ifdef __CUDA_ARCH__
#define ONES(x) __popc(x)
#define ZEROS(x) __clz(x)
#define REVERSED(x) __brev(x)
#else
#define ONES(x) __builtin_popcount(x)
#define ZEROS(x) ((x) ? __builtin_clz(x) : 32)
static inline unsigned REVERSED(unsigned x)
{
	unsigned r = 0;

	for (int i = 0; i < 32; i++)
		r |= (x >> i & 1) << (31 - i);
	return r;
}
#endif

struct registers {
	__host__ __device__ static unsigned at(unsigned i)
	{
		return lfsr(i * 2654435761u | 1, 96);
	}
};

struct counts {
	__host__ __device__ static unsigned at(unsigned i)
	{
		unsigned sum = 0, x = i * 2654435761u;

		for (int k = 0; k < 16; k++) {
			sum += ONES(x) + 3 * ZEROS(x >> k) +
			       (REVERSED(x) >> 20);
			x = x * 1664525u + 1013904223u;
		}
		return sum;
	}
};

struct codes {
	__host__ __device__ static unsigned at(unsigned i)
	{
		unsigned x = i * 747796405u, gray = x ^ x >> 1, back = gray;
		unsigned morton = spread(x) | spread(x >> 16) << 1;
		unsigned long long p = carryless(gray, morton);

		for (int k = 1; k < 32; k *= 2)
			back ^= back >> k;
		return (unsigned)(p ^ p >> 32) + (back == x);
	}
};

template <class F> __global__ void each(int n, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = F::at(i);
}

template <class F> static void run(int n, const char *part)
{
	array<unsigned> out(n), want(n);

	each<F><<<blocks_of(n, THREADS), THREADS>>>(n, out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		want[i] = F::at(i);
	out.download();
	check_exact(&self, out.host, want.host, n, part);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	for (int part = 256; part >= 1; part /= 16) {
		run<registers>(n / part, "registers");
		run<counts>(n / part, "counts");
		run<codes>(n / part, "codes");
	}
	return report(&self);
}
