// Memory of the host that kernels read, write and change where it is: latency and rate
// by kind of access, by the words, lines, lanes, warps and SMs that it comes from.
#include "micro.cuh"

enum { LOAD, LOAD_CA, STORE, RED, RED_SYS, ATOM, ATOM_SYS, CAS, KINDS };
static const char *const kind_names[] = { "load",     "load_ca", "store",
					  "red",      "red_sys", "atom",
					  "atom_sys", "cas" };

// What an access returns, or 0.
template <int KIND> static __device__ __forceinline__ u32 act(char *at, u32 v)
{
	u32 r = 0;
	if (KIND == LOAD)
		asm volatile("ld.volatile.global.u32 %0, [%1];"
			     : "=r"(r)
			     : "l"(at)
			     : "memory");
	else if (KIND == LOAD_CA)
		asm volatile("ld.global.ca.u32 %0, [%1];"
			     : "=r"(r)
			     : "l"(at)
			     : "memory");
	else if (KIND == STORE)
		asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(0)
			     : "memory");
	else if (KIND == RED)
		asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(v)
			     : "memory");
	else if (KIND == RED_SYS)
		asm volatile("red.sys.global.add.u32 [%0], %1;" ::"l"(at),
			     "r"(v)
			     : "memory");
	else if (KIND == ATOM)
		asm volatile("atom.global.add.u32 %0, [%1], %2;"
			     : "=r"(r)
			     : "l"(at), "r"(v)
			     : "memory");
	else if (KIND == ATOM_SYS)
		asm volatile("atom.sys.global.add.u32 %0, [%1], %2;"
			     : "=r"(r)
			     : "l"(at), "r"(v)
			     : "memory");
	else
		asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
			     : "=r"(r)
			     : "l"(at), "r"(v + 1), "r"(v)
			     : "memory");
	return r;
}

// The first `lanes` lanes of each warp make n accesses, each at an address that
// depends on the one before, which `zero` does not change. where: 0 one word,
// 1 the words of a line, 2 a line of each warp, 3 a line of each lane.
template <int KIND>
__global__ void __launch_bounds__(256)
	work(char *p, int where, u32 lanes, int n, u32 zero, u64 *out)
{
	u32 lane = threadIdx.x % 32;
	u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	char *at = p + (where == 0 ? 0 :
			where == 1 ? lane * 4 :
			where == 2 ? warp * 128 + lane * 4 :
				     (warp * 32 + lane) * 128);
	if (lane >= lanes)
		return;
	u64 t = now();
#pragma unroll 1
	for (int i = 0; i < n; i++)
		at += act<KIND>(at, lane) & zero;
	t = now() - t;
	if (lane == 0)
		out[warp] = t + ((size_t)at & zero);
}

// Each thread reads or writes 16 bytes n times, all of a row of blocks.
template <bool WRITE>
__global__ void __launch_bounds__(1024) stream(uint4 *p, int n, uint4 *sink)
{
	uint4 v = make_uint4(0, 0, 0, 0);
	size_t all = (size_t)gridDim.x * blockDim.x;
#pragma unroll 4
	for (int i = 0; i < n; i++) {
		uint4 *at = p + i * all + blockIdx.x * blockDim.x + threadIdx.x;
		if (WRITE) {
			*at = make_uint4(i, i, i, i);
		} else {
			uint4 w = __ldcg(at);
			v.x ^= w.x ^ w.y ^ w.z ^ w.w;
		}
	}
	if (v.x == 0x12345)
		*sink = v;
}

static char *host, *seen;

template <int KIND> static void measure(Buffer<u64> &out)
{
	static const char *const places[] = { "word", "line", "line_per_warp",
					      "line_per_lane" };
	for (int where = 0; where < 4; where++)
		for (u32 lanes : { 1u, 32u })
			for (int warps : { 1, 2, 4, 16, 64, 264 })
				for (int n : { 1, 4 }) {
					if ((where == 1 || where == 3) &&
					    lanes == 1)
						continue;
					if ((lanes > 1 || n > 1) && warps > 16)
						continue;
					int block = warps < 16 ? 32 : 64;
					LAUNCH(work<KIND>, warps * 32 / block,
					       block, 0, seen, where, lanes, n,
					       0, out.data);
					char text[120];
					std::snprintf(
						text, sizeof text,
						"%s,lanes=%u,warps=%d,n=%d",
						places[where], lanes, warps, n);
					std::vector<u64> t = out.read(warps);
					row(kind_names[KIND], "cycle/access",
					    (double)*std::max_element(t.begin(),
								      t.end()) /
						    n,
					    "wait,%s", text);
					row_metric(kind_names[KIND], "cycle",
						   CYCLES, "launch,%s", text);
				}
}

int main()
{
	part = "mapped";
	const size_t bytes = 32 << 20;
	Buffer<u64> out(1024);
	Buffer<uint4> sink(1);
	CHECK(cudaHostAlloc((void **)&host, bytes, cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer((void **)&seen, host, 0));
	std::memset(host, 0, bytes);
	measure<LOAD>(out);
	measure<LOAD_CA>(out);
	measure<STORE>(out);
	measure<RED>(out);
	measure<RED_SYS>(out);
	measure<ATOM>(out);
	measure<ATOM_SYS>(out);
	measure<CAS>(out);
	for (int blocks : { 1, 8, 132 })
		for (int n : { 1, 4, 8 }) {
			LAUNCH(stream<false>, blocks, 1024, 0, (uint4 *)seen, n,
			       sink.data);
			row_metric("stream_load", "cycle", CYCLES,
				   "blocks=%d,kib=%d", blocks, blocks * n * 16);
			LAUNCH(stream<true>, blocks, 1024, 0, (uint4 *)seen, n,
			       sink.data);
			row_metric("stream_store", "cycle", CYCLES,
				   "blocks=%d,kib=%d", blocks, blocks * n * 16);
		}
	return 0;
}
