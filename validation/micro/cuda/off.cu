// Accesses whose lanes are all switched off by their guard: what they take, and what
// waits for them.
#include "micro.cuh"

__constant__ u32 table[64];

enum { STORE, LOAD, CONSTANT, SHARED, SHARED_STORE, KINDS };
static const char *const kind_names[] = { "stg", "ldg", "ldc", "lds", "sts" };

// A guarded access; what a load does not read stays.
template <int KIND>
static __device__ __forceinline__ u32 guarded(u32 go, u64 at, u32 near, u32 v)
{
	u32 r = v;
	if (KIND == STORE)
		asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0;\n"
			     "@p st.global.u32 [%1], %2; }" ::"r"(go),
			     "l"(at), "r"(v)
			     : "memory");
	else if (KIND == LOAD)
		asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0;\n"
			     "@p ld.global.ca.u32 %0, [%2]; }"
			     : "+r"(r)
			     : "r"(go), "l"(at));
	else if (KIND == CONSTANT)
		asm volatile(
			"{ .reg .pred p; .reg .u64 a; setp.ne.u32 p, %1, 0;\n"
			"mov.u64 a, table; add.u64 a, a, %2;\n"
			"@p ld.const.u32 %0, [a]; }"
			: "+r"(r)
			: "r"(go), "l"((u64)near));
	else if (KIND == SHARED)
		asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0;\n"
			     "@p ld.shared.u32 %0, [%2]; }"
			     : "+r"(r)
			     : "r"(go), "r"(near));
	else
		asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0;\n"
			     "@p st.shared.u32 [%1], %2; }" ::"r"(go),
			     "r"(near), "r"(v)
			     : "memory");
	return r;
}

// Rounds of COUNT accesses: in a chain through what they return, or not.
template <int KIND, bool CHAIN, int COUNT>
__global__ void __launch_bounds__(1024)
	off(u32 *p, u32 lanes, int n, u32 one, Span *out, u32 *sink)
{
	__shared__ u32 near[32];
	u32 lane = threadIdx.x % 32, go = lane < lanes, sum = 0;
	u64 at = (u64)(p + lane);
	u32 spot = (u32)__cvta_generic_to_shared(near + lane);
	if (KIND == CONSTANT)
		spot = 0;
	near[lane] = 0;
	u64 t = 0;
	u32 v = one;
#pragma unroll 1
	for (int i = -1; i < n; i++) {
		if (i == 0)
			t = now();
#pragma unroll
		for (int k = 0; k < COUNT; k++) {
			if (CHAIN)
				v = guarded<KIND>(go, at, spot, v + k) * one;
			else
				sum += guarded<KIND>(go, at, spot, v + k);
		}
	}
	t = now() - t;
	if (lane == 0)
		out[threadIdx.x / 32] = Span{ smid(), 1, 1 + t };
	if (sum + v == 12345)
		*sink = sum;
}

template <int KIND>
static void measure(Buffer<u32> &p, Buffer<Span> &s, Buffer<u32> &sink)
{
	for (u32 lanes : { 0u, 1u, 32u })
		for (int warps : { 1, 4, 16 }) {
			LAUNCH((off<KIND, true, 8>), 1, warps * 32, 0, p.data,
			       lanes, 16, 1, s.data, sink.data);
			row(kind_names[KIND], "cycle",
			    longest(s.read(warps)) / (16 * 8),
			    "chain,lanes=%u,warps=%d", lanes, warps);
			LAUNCH((off<KIND, false, 8>), 1, warps * 32, 0, p.data,
			       lanes, 16, 1, s.data, sink.data);
			row(kind_names[KIND], "cycle",
			    longest(s.read(warps)) / (16 * 8 * warps),
			    "apart,lanes=%u,warps=%d", lanes, warps);
			LAUNCH((off<KIND, false, 1>), 1, warps * 32, 0, p.data,
			       lanes, 16, 1, s.data, sink.data);
			row(kind_names[KIND], "cycle",
			    longest(s.read(warps)) / 16,
			    "one,lanes=%u,warps=%d", lanes, warps);
		}
}

int main()
{
	part = "off";
	Buffer<u32> p(1024), sink(4);
	Buffer<Span> s(32);
	p.zero();
	measure<STORE>(p, s, sink);
	measure<LOAD>(p, s, sink);
	measure<CONSTANT>(p, s, sink);
	measure<SHARED>(p, s, sink);
	measure<SHARED_STORE>(p, s, sink);
	return 0;
}
