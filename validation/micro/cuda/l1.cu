// The L1: latency by footprint and width, sectors that a miss brings along,
// what a store leaves behind, throughput of hits, local memory.
#include "micro.cuh"

#define LOAD(name, text)                                                       \
	static __device__ __forceinline__ u64 name(const void *p)              \
	{                                                                      \
		u64 v;                                                         \
		asm volatile(text " %0, [%1];" : "=l"(v) : "l"(p) : "memory"); \
		return v;                                                      \
	}
LOAD(load_ca, "ld.global.ca.u64")
LOAD(load_nc, "ld.global.nc.u64")
LOAD(load_cg, "ld.global.cg.u64")

template <int KIND> static __device__ __forceinline__ u64 load(const void *p)
{
	return KIND == 0 ? load_ca(p) : KIND == 1 ? load_nc(p) : load_cg(p);
}
static const char *const kinds[] = { "ca", "nc", "cg" };

__global__ void link(char *p, u32 n, u32 stride)
{
	for (u32 i = threadIdx.x; i < n; i += blockDim.x)
		*(u64 *)(p + (size_t)i * stride) =
			(u64)(p + (size_t)((i + 1) % n) * stride);
}

// A chain in order of addresses, three times round; the last one counts.
template <int KIND> __global__ void chase(char *start, u32 n, u64 *out)
{
	u64 p = (u64)start, t = 0;
#pragma unroll 1
	for (int pass = 0; pass < 3; pass++) {
		t = now();
#pragma unroll 4
		for (u32 i = 0; i < n; i++)
			p = load<KIND>((void *)p);
		if (p == 1)
			out[1] = p;
		t = now() - t;
	}
	out[0] = t;
}

static __device__ __forceinline__ u32 timed_ca(const char *p, u64 *sink)
{
	u64 t = now();
	u64 v = load_ca(p);
	if (v == 1)
		*sink = v;
	return (u32)(now() - t);
}

// Of each of `n` lines, 4 KiB apart: the latency of a load of sector k after
// one of sector `first`; all in the L2 if `warm`, else in DRAM.
__global__ void sectors(const char *p, u32 n, u32 first, int warm, u32 *out,
			u64 *sink)
{
	u32 sum[4] = {};
	for (u32 i = 0; i < n; i++)
		for (u32 k = 0; k < 4; k++) {
			const char *line = p + (size_t)(i * 4 + k) * 4096;
			if (warm)
				for (u32 j = 0; j < 4; j++)
					if (load_cg(line + j * 32) == 1)
						*sink = 1;
			timed_ca(line + first * 32, sink);
			sum[k] += timed_ca(line + k * 32, sink);
		}
	for (u32 k = 0; k < 4; k++)
		out[k] = sum[k] / n;
}

// A load after a store to the same word, and one to another word of its
// sector; the line was in the L1 before, or was not.
__global__ void after_store(char *p, u32 n, int before, u32 other, u32 *out,
			    u64 *sink)
{
	u32 sum = 0;
	for (u32 i = 0; i < n; i++) {
		char *line = p + (size_t)i * 4096;
		if (load_cg(line) == 1)
			*sink = 1;
		if (before)
			timed_ca(line, sink);
		*(volatile u32 *)(line) = 0;
		__threadfence_block();
		u64 t = now();
		while (now() - t <
		       2000) // the store has arrived wherever it goes
			;
		sum += timed_ca(line + other, sink);
	}
	*out = sum / n;
}

// Hits of 32 warps: bytes per cycle by width, and by distance of the lanes.
template <class T>
__global__ void __launch_bounds__(1024)
	hits(const char *p, u32 stride, int n, Span *out, u32 *sink)
{
	u32 lane = threadIdx.x % 32, sum = 0;
	const char *at = p + lane * stride;
	u64 t = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1) {
			__syncthreads();
			t = now();
		}
#pragma unroll
		for (int k = 0; k < 8; k++) {
			const u32 *w =
				(const u32 *)(at + k * 16 + (i & 1) * 8192);
			if (sizeof(T) == 4) {
				u32 v;
				asm volatile("ld.global.ca.u32 %0, [%1];"
					     : "=r"(v)
					     : "l"(w));
				sum += v;
			} else if (sizeof(T) == 8) {
				u32 v, x;
				asm volatile(
					"ld.global.ca.v2.u32 {%0, %1}, [%2];"
					: "=r"(v), "=r"(x)
					: "l"(w));
				sum += v ^ x;
			} else {
				u32 v, x, y, z;
				asm volatile(
					"ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
					: "=r"(v), "=r"(x), "=r"(y), "=r"(z)
					: "l"(w));
				sum += v ^ x ^ y ^ z;
			}
		}
	}
	if (lane == 0)
		out[threadIdx.x / 32] = Span{ smid(), t, now() };
	if (sum == 1)
		*sink = sum;
}

// One warp: latency when its lanes read n lines.
__global__ void lines(const char *p, u32 stride, u64 *out)
{
	const char *at = p + (threadIdx.x * stride & 0xfff8);
	u64 t = 0, zero = 0;
#pragma unroll 1
	for (int i = 0; i < 9; i++) {
		t = i == 1 ? now() : t;
		u64 v = load_ca(at + zero);
		zero = v & 1;
	}
	*out = now() - t + zero;
}

// A chain in local memory, and stores and loads of it.
__global__ void local(u32 n, u32 mask, u64 *out)
{
	volatile u32 a[1024];
	for (u32 i = 0; i < 1024; i++)
		a[i] = (i + 1) & mask;
	u32 j = threadIdx.x & 1;
	u64 t = now();
	for (u32 i = 0; i < n; i++)
		j = a[j];
	t = now() - t;
	if (threadIdx.x == 0)
		out[0] = t;
	if (j == 12345)
		out[1] = j;
}

__global__ void __launch_bounds__(1024) spill(int n, Span *out, u32 *sink)
{
	volatile u32 a[16];
	u32 sum = 0;
	u64 t = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1) {
			__syncthreads();
			t = now();
		}
#pragma unroll
		for (int k = 0; k < 16; k++)
			a[k] = i + k;
#pragma unroll
		for (int k = 0; k < 16; k++)
			sum += a[k];
	}
	if (threadIdx.x % 32 == 0)
		out[threadIdx.x / 32] = Span{ smid(), t, now() };
	if (sum == 1)
		*sink = sum;
}

template <class T>
static void hit_rate(Buffer<char> &b, u32 stride, const char *w)
{
	Buffer<Span> spans(64);
	Buffer<u32> sink(4);
	LAUNCH(hits<T>, 1, 1024, 0, b.data, stride, 8, spans.data, sink.data);
	row("hits", "cycle/load", longest(spans.read(32)) / (8 * 8 * 32.0),
	    "lane=%s,stride=%u", w, stride);
}

template <int KIND> static void footprints(Buffer<char> &b, Buffer<u64> &out)
{
	for (u32 kib :
	     { 1, 16, 64, 128, 160, 192, 208, 224, 232, 240, 248, 256, 288 }) {
		u32 n = kib * 8;
		LAUNCH(link, 1, 256, 0, b.data, n, 128);
		LAUNCH(chase<KIND>, 1, 1, 0, b.data, n, out.data);
		row("chase", "cycle", (double)out.read(1)[0] / n,
		    "%s,kib=%u,stride=128", kinds[KIND], kib);
	}
}

int main()
{
	part = "l1";
	const size_t MiB = 1 << 20;
	Buffer<char> b(512 * MiB);
	Buffer<u64> out(64);
	Buffer<u32> words(64);
	b.zero();
	footprints<0>(b, out);
	footprints<1>(b, out);
	CHECK(cudaMemset(b.data, 0, 4 * MiB));
	size_t next = 8 * MiB;
	for (int warm : { 1, 0 })
		for (u32 first : { 0u, 1u, 2u, 3u }) {
			LAUNCH(sectors, 1, 1, 0, b.data + next, 32, first, warm,
			       words.data, out.data);
			next += 2 * MiB;
			std::vector<u32> v = words.read(4);
			for (int k = 0; k < 4; k++)
				row("sector", "cycle", v[k],
				    "%s,first=%u,then=%d", warm ? "l2" : "dram",
				    first, k);
		}
	for (int before : { 0, 1 })
		for (u32 other : { 0u, 8u, 32u }) {
			LAUNCH(after_store, 1, 1, 0, b.data + next, 16, before,
			       other, words.data, out.data);
			next += 2 * MiB;
			row("load_after_store", "cycle", words.read(1)[0],
			    "in_l1_before=%d,distance=%u", before, other);
		}
	CHECK(cudaMemset(b.data, 0, 4 * MiB));
	for (u32 stride : { 0u, 4u, 8u, 16u, 32u, 64u, 128u }) {
		hit_rate<u32>(b, stride, "4B");
		if (stride % 8 == 0)
			hit_rate<uint2>(b, stride, "8B");
		if (stride % 16 == 0)
			hit_rate<uint4>(b, stride, "16B");
	}
	for (u32 stride : { 0u, 8u, 16u, 32u, 64u, 128u }) {
		LAUNCH(lines, 1, 32, 0, b.data, stride, out.data);
		row("lines", "cycle", (double)out.read(1)[0] / 8, "stride=%u",
		    stride);
	}
	for (u32 mask : { 3u, 63u, 1023u })
		for (int threads : { 1, 32 }) {
			LAUNCH(local, 1, threads, 0, 1024, mask, out.data);
			row("local", "cycle", (double)out.read(1)[0] / 1024,
			    "words=%u,threads=%d", mask + 1, threads);
		}
	for (int threads : { 32, 256, 1024 }) {
		Buffer<Span> spans(64);
		LAUNCH(spill, 1, threads, 0, 8, spans.data, words.data);
		row("spill", "cycle/pair",
		    longest(spans.read(threads / 32)) /
			    (8 * 16.0 * threads / 32),
		    "threads=%d", threads);
	}
	return 0;
}
