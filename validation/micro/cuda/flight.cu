// Loads in flight: bytes per cycle that one SM, or every SM, gets from the L2
// and from DRAM, by warps, loads of a warp in flight, and bytes of a lane.
#include "micro.cuh"

template <class T> static __device__ __forceinline__ u32 load(const char *p);
template <> __device__ __forceinline__ u32 load<u32>(const char *p)
{
	u32 v;
	asm volatile("ld.global.cg.u32 %0, [%1];"
		     : "=r"(v)
		     : "l"(p)
		     : "memory");
	return v;
}
template <> __device__ __forceinline__ u32 load<uint2>(const char *p)
{
	u32 a, b;
	asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];"
		     : "=r"(a), "=r"(b)
		     : "l"(p)
		     : "memory");
	return a ^ b;
}
template <> __device__ __forceinline__ u32 load<uint4>(const char *p)
{
	u32 a, b, c, d;
	asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
		     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
		     : "l"(p)
		     : "memory");
	return a ^ b ^ c ^ d;
}

// Each block reads bytes of its own, `rounds` of U loads a warp, `passes` times;
// with more than one pass, the first fills the L2 and is not timed. The blocks
// that are wanted are the first ones to arrive on the SM `only`, or all.
template <class T, int U>
__global__ void __launch_bounds__(1024)
	read(const char *base, u32 rounds, int passes, u32 only, u32 wanted,
	     u32 *count, Span *out, u32 *sink)
{
	__shared__ u32 number;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32,
	    warps = blockDim.x / 32;
	u32 sm = smid();
	if (threadIdx.x == 0)
		number = only == ~0u ? blockIdx.x :
			 sm == only  ? atomicAdd(count, 1) :
				       ~0u;
	__syncthreads();
	u32 n = number;
	if (n >= wanted)
		return;
	const char *mine = base +
			   (size_t)n * rounds * warps * U * 32 * sizeof(T) +
			   (size_t)warp * U * 32 * sizeof(T) + lane * sizeof(T);
	u32 sum = 0;
	u64 t = 0;
#pragma unroll 1
	for (int pass = 0; pass < passes; pass++) {
		if (pass < 2) {
			__syncthreads();
			t = now();
		}
		const char *p = mine;
#pragma unroll 1
		for (u32 i = 0; i < rounds; i++) {
			u32 v[U];
#pragma unroll
			for (int k = 0; k < U; k++)
				v[k] = load<T>(p + k * 32 * sizeof(T));
#pragma unroll
			for (int k = 0; k < U; k++)
				sum ^= v[k];
			asm volatile("" ::"r"(sum) : "memory");
			if (sum == 0x12345)
				*sink = sum;
			p += (size_t)warps * U * 32 * sizeof(T);
		}
	}
	if (lane == 0)
		out[n * warps + warp] = Span{ sm, t, now() };
}

static Buffer<char> *memory;
static Buffer<Span> *spans;
static Buffer<u32> *words;
static size_t fresh; // bytes of `memory` that have been read

template <class T, int U> static void one(bool dram, int warps, bool all)
{
	cudaFuncAttributes a;
	CHECK(cudaFuncGetAttributes(&a, read<T, U>));
	if (warps * 32 * ((a.numRegs + 7) & ~7) > 65536)
		return; // they do not fit on an SM together
	if (scale() > 1 && all && warps * U > 64)
		return;
	int blocks = warps > 32 ? 2 : 1, threads = warps / blocks * 32;
	u32 wanted = all ? 132 * blocks : blocks;
	// 128 KiB of each SM fit in the L2 together; DRAM needs more.
	size_t round = (size_t)warps * U * 32 * sizeof(T);
	u32 rounds = (u32)std::min<size_t>(24, (dram ? 512 << 10 : 128 << 10) /
						       round);
	rounds = std::max(rounds, dram ? 4u : 1u);
	int passes = dram ? 1 : 4;
	size_t bytes = round * rounds * (all ? 132 : 1);
	char *base = memory->data;
	if (dram) {
		if (fresh + bytes > memory->count)
			fresh = 0;
		base += fresh;
		fresh += (bytes + (2 << 20)) & ~(size_t)((2 << 20) - 1);
	}
	spans->zero();
	words->zero();
	int grid = all ? (int)wanted : 132 * 2;
	LAUNCH((read<T, U>), grid, threads, all && blocks == 1 ? 120 << 10 : 0,
	       base, rounds, passes, all ? ~0u : 5u, wanted, words->data,
	       spans->data, words->data + 8);
	double t = longest(spans->read((size_t)wanted * warps / blocks));
	row(dram ? "dram" : "l2", "B/cycle/SM",
	    (double)round * rounds * std::max(1, passes - 1) / t,
	    "sms=%d,warps=%d,loads=%d,lane=%dB", all ? 132 : 1, warps, U,
	    (int)sizeof(T));
}

template <class T, int U> static void every(bool all)
{
	CHECK(cudaFuncSetAttribute(read<T, U>,
				   cudaFuncAttributeMaxDynamicSharedMemorySize,
				   120 << 10));
	for (int dram = 0; dram < 2; dram++)
		for (int warps : { 1, 2, 4, 8, 16, 32, 64 })
			one<T, U>(dram, warps, all);
}

int main()
{
	part = "flight";
	Buffer<char> m(scale() > 1 ? (size_t)1 << 30 : (size_t)24 << 30);
	Buffer<Span> s(132 * 64 * 2);
	Buffer<u32> w(64);
	memory = &m;
	spans = &s;
	words = &w;
	fresh = 256 << 20;
	every<u32, 1>(false);
	every<u32, 2>(false);
	every<u32, 4>(false);
	every<u32, 8>(false);
	every<uint2, 1>(false);
	every<uint2, 4>(false);
	every<uint4, 1>(false);
	every<uint4, 2>(false);
	every<uint4, 4>(false);
	every<u32, 1>(true);
	every<u32, 4>(true);
	every<uint4, 1>(true);
	every<uint4, 4>(true);
	return 0;
}
