// Loads of constants (LDC): how often a sub-core and an SM take one, by the
// number of addresses and the level that has them, and what they share with
// loads from shared memory and the L1 and with barriers.
#include "micro.cuh"

__constant__ __align__(16) u32 table[16384];

enum { NONE, SHARED, GLOBAL, ROWS, BARRIER, STORE };
static const char *const other_names[] = { "none", "lds",     "ldg",
					   "rows", "barrier", "sts" };

// A load of constants at an address that the compiler takes for divergent.
template <int BYTES> static __device__ __forceinline__ u32 constant(int at)
{
	u64 v;
	if (BYTES == 4)
		return table[at];
	asm volatile("{ .reg .u64 a; mov.u64 a, table; add.u64 a, a, %1; "
		     "ld.const.u64 %0, [a]; }"
		     : "=l"(v)
		     : "l"((u64)at * 4));
	return (u32)v ^ (u32)(v >> 32);
}

// In each of n rounds, the warps of the first `subs` sub-cores load CONSTANTS
// constants, APART words from each other, and make OTHERS other accesses.
template <int CONSTANTS, int BYTES, int APART, int OTHER, int OTHERS>
__global__ void __launch_bounds__(1024)
	share(const u32 *p, u32 different, u32 apart, u32 round, u32 words,
	      u32 subs, int n, Span *out, u32 *sink)
{
	__shared__ u32 near[1024];
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
	u32 first = lane % different * apart;
	// Two rows of 16 words, at an offset: between two and four lines.
	u32 spot = OTHER == ROWS ?
			   lane / 16 * 1024 + lane % 16 + warp % 8 * 16 :
			   lane;
	u64 t = 0;

	near[threadIdx.x] = lane;
	if (warp % 4 >= subs)
		return;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1)
			t = now();
		int at = (int)((first + i * round) & (words - 1));
#pragma unroll
		for (int k = 0; k < CONSTANTS; k++)
			sum ^= constant<BYTES>(at + k * APART);
#pragma unroll
		for (int k = 0; k < OTHERS; k++) {
			u32 v = 0;
			if (OTHER == SHARED)
				v = ((volatile u32 *)
					     near)[(spot + k * 32) & 1023];
			if (OTHER == STORE)
				((volatile u32 *)near)[(spot + k * 32) & 1023] =
					k;
			if (OTHER == GLOBAL || OTHER == ROWS)
				asm volatile(
					"ld.global.ca.u32 %0, [%1];"
					: "=r"(v)
					: "l"(p + spot + k + (i & 1) * 2048));
			if (OTHER == BARRIER)
				asm volatile("bar.sync 0;");
			sum ^= v;
		}
	}
	if (lane == 0)
		out[warp] = Span{ smid(), t, now() };
	if (sum == 1)
		*sink = sum;
}

struct Memory {
	Buffer<u32> words{ 1 << 14 };
	Buffer<Span> spans{ 64 };
	Buffer<u32> sink{ 4 };
};

struct Shape {
	u32 different, apart, round, words, subs;
};

// Cycles of the SM for a round of one warp.
template <int CONSTANTS, int BYTES, int APART, int OTHER, int OTHERS>
static double measure(Memory &m, int warps, Shape s)
{
	int n = 32;

	CHECK(cudaMemset(m.spans.data, 0, 64 * sizeof(Span)));
	LAUNCH((share<CONSTANTS, BYTES, APART, OTHER, OTHERS>), 1, warps * 32,
	       0, m.words.data, s.different, s.apart, s.round, s.words, s.subs,
	       n, m.spans.data, m.sink.data);
	return longest(m.spans.read(warps)) / n / (warps * s.subs / 4.0);
}

// One address: by warps, sub-cores, width and the level that has it.
static void alone(Memory &m)
{
	for (u32 subs : { 1u, 2u, 4u })
		for (int warps : { 4, 8, 16, 32 }) {
			Shape s{ 1, 0, 0, 256, subs };
			row("alone", "cycle",
			    measure<16, 4, 1, NONE, 0>(m, warps, s) / 16,
			    "bytes=4,subs=%u,warps=%u", subs, warps * subs / 4);
			row("alone", "cycle",
			    measure<16, 8, 2, NONE, 0>(m, warps, s) / 16,
			    "bytes=8,subs=%u,warps=%u", subs, warps * subs / 4);
		}
	// A word of each line of the first level, 64 bytes.
	for (u32 kib : { 1u, 2u, 4u, 16u })
		for (int warps : { 4, 32 }) {
			Shape s{ 1, 0, 128, kib * 256, 4 };
			row("level", "cycle",
			    measure<8, 4, 16, NONE, 0>(m, warps, s) / 8,
			    "kib=%u,warps=%d", kib, warps);
		}
}

// Lanes with different addresses, in the first level.
static void lanes(Memory &m)
{
	for (u32 different : { 1u, 2u, 4u, 8u, 16u, 32u })
		for (u32 subs : { 1u, 4u })
			for (int warps : { 4, 8, 32 }) {
				Shape s{ different, 4, 0, 256, subs };
				row("lanes", "cycle",
				    measure<8, 4, 1, NONE, 0>(m, warps, s) / 8,
				    "different=%u,subs=%u,warps=%u", different,
				    subs, warps * subs / 4);
			}
}

// CONSTANTS loads of constants and OTHERS other accesses in a round.
template <int OTHER> static void beside(Memory &m)
{
	for (int warps : { 4, 8, 32 })
		for (u32 different : { 1u, 4u }) {
			Shape s{ different, 4, 0, 256, 4 };
			const char *name = other_names[OTHER];
			if (different == 1) {
				row("beside", "cycle",
				    measure<8, 4, 1, NONE, 0>(m, warps, s),
				    "ldc=8,%s=0,warps=%d", name, warps);
				row("beside", "cycle",
				    measure<0, 4, 1, OTHER, 8>(m, warps, s),
				    "ldc=0,%s=8,warps=%d", name, warps);
				row("beside", "cycle",
				    measure<4, 4, 1, OTHER, 8>(m, warps, s),
				    "ldc=4,%s=8,warps=%d", name, warps);
			}
			row("beside", "cycle",
			    measure<8, 4, 1, OTHER, 8>(m, warps, s),
			    "ldc=8,%s=8,different=%u,warps=%d", name, different,
			    warps);
		}
}

int main()
{
	Memory m;

	part = "constant";
	m.words.zero();
	alone(m);
	lanes(m);
	beside<SHARED>(m);
	beside<STORE>(m);
	beside<GLOBAL>(m);
	beside<ROWS>(m);
	beside<BARRIER>(m);
	return 0;
}
