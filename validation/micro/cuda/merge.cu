// Stores that meet on their way to the L2: when two of them count once. Every
// value is a metric of a launch.
#include "micro.cuh"

static const char *const all_metrics[] = {
	"lts__t_sectors_srcunit_tex.sum",
	"lts__t_requests_srcunit_tex.sum",
};

static void rows(const char *name, const char *format, ...)
{
	char text[128];
	va_list list;
	va_start(list, format);
	std::vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	for (const char *metric : all_metrics)
		row_metric(name, "", metric, "%s,%s", metric, text);
}

template <int OFF>
static __device__ __forceinline__ void put(char *p, u32 v)
{
	asm volatile("st.global.u32 [%0+%2], %1;" ::"l"(p), "r"(v), "n"(OFF)
		     : "memory");
}

template <int OFF>
static __device__ __forceinline__ void add(char *p, u32 v)
{
	asm volatile("red.global.add.u32 [%0+%2], %1;" ::"l"(p), "r"(v), "n"(OFF)
		     : "memory");
}

// So many dependent operations, 4 cycles each, and a branch that depends on them:
// without it ptxas puts all of them before the first store. False: leave.
template <int N>
static __device__ __forceinline__ bool idle(u32 &v, u32 zero, u32 one)
{
#pragma unroll
	for (int i = N; i > 0; i--)
		asm volatile("mad.lo.u32 %0, %0, %1, %2;"
			     : "+r"(v)
			     : "r"(one), "r"(zero));
	return !N || v != 0x12345678;
}

static __device__ __forceinline__ char *place(char *p, u32 stride, u32 step)
{
	return p + (size_t)blockIdx.x * 1048576 + threadIdx.x / 32 * step +
	       threadIdx.x % 32 * stride;
}

// The same place in a register of its own: ptxas removes a store that is
// followed by another one to an equal address.
static __device__ __forceinline__ char *again(char *at, char **room)
{
	char *volatile *mine = room + threadIdx.x;
	*mine = at;
	return *mine;
}

// Lanes below `lanes` store at lane * stride + OFF, for each OFF, GAP operations
// apart. Warps of a block `step` bytes apart.
template <int GAP, bool RED, int... OFF>
__global__ void sequence(char *p, u32 stride, u32 lanes, u32 step, u32 zero,
			 u32 one)
{
	__shared__ char *room[1024];
	char *at = place(p, stride, step), *q[sizeof...(OFF)];
	u32 v = threadIdx.x;
	int k = 0;
	for (char *&each : q)
		each = again(at, room);
	if (threadIdx.x % 32 >= lanes)
		return;
	__syncthreads();
	((RED ? add<OFF>(q[k++], v) : put<OFF>(q[k++], v),
	  idle<GAP>(v, zero, one)) &&
	 ...);
}

// A load of another line (or of the same one) between two stores.
__global__ void around(char *p, u32 stride, u32 distance, u32 *out)
{
	__shared__ char *room[1024];
	char *at = place(p, stride, 4096), *q = again(at, room);
	u32 v;
	put<0>(at, threadIdx.x);
	asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(at + distance));
	put<0>(q, threadIdx.x + 1);
	if (v == 12345)
		out[0] = v;
}

// 8 and 16 bytes of a lane.
template <int WORDS, int OFF>
static __device__ __forceinline__ void put_wide(char *p, u32 v)
{
	if (WORDS == 2)
		asm volatile("st.global.v2.u32 [%0+%2], {%1, %1};" ::"l"(p),
			     "r"(v), "n"(OFF)
			     : "memory");
	else
		asm volatile("st.global.v4.u32 [%0+%2], {%1, %1, %1, %1};" ::"l"(
				     p),
			     "r"(v), "n"(OFF)
			     : "memory");
}

template <int WORDS, int... OFF>
__global__ void wide(char *p, u32 stride, u32 step)
{
	__shared__ char *room[1024];
	char *at = place(p, stride, step), *q[sizeof...(OFF)];
	int k = 0;
	for (char *&each : q)
		each = again(at, room);
	__syncthreads();
	(put_wide<WORDS, OFF>(q[k++], threadIdx.x), ...);
}

static const u32 BLOCKS = 8;

int main()
{
	part = "merge";
	Buffer<char> p(64 << 20);
	Buffer<u32> out(32);
	p.zero();
	struct Shape {
		u32 stride, lanes;
	};
	const Shape shapes[] = { { 4, 32 },   { 4, 8 },	   { 0, 32 },
				 { 8, 32 },   { 12, 32 },  { 16, 32 },
				 { 32, 32 },  { 64, 32 },  { 128, 32 },
				 { 128, 2 },  { 128, 4 },  { 128, 8 },
				 { 128, 16 }, { 32, 4 } };

#define SEQ(threads, step, name, gap, ...)                                   \
	LAUNCH((sequence<gap, false, __VA_ARGS__>), BLOCKS, threads, 0, p.data,     \
	       s.stride, s.lanes, step, 0, 1);                                  \
	rows("store", "threads=%d,step=%d,stride=%u,lanes=%u,gap=%d,at=%s",  \
	     threads, step, s.stride, s.lanes, gap, name);
	// One warp: how many, what may lie in between.
	for (const Shape &s : shapes) {
		SEQ(32, 0, "A", 0, 0)
		SEQ(32, 0, "AA", 0, 0, 0)
		SEQ(32, 0, "Aa", 0, 0, 4)
		SEQ(32, 0, "AAA", 0, 0, 0, 0)
		SEQ(32, 0, "AAAA", 0, 0, 0, 0, 0)
		SEQ(32, 0, "AAAAA", 0, 0, 0, 0, 0, 0)
		SEQ(32, 0, "AAAAAAAA", 0, 0, 0, 0, 0, 0, 0, 0, 0)
		SEQ(32, 0, "12xA", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		SEQ(32, 0, "ABA", 0, 0, 4096, 0)
		SEQ(32, 0, "ABAB", 0, 0, 4096, 0, 4096)
		SEQ(32, 0, "ABBA", 0, 0, 4096, 4096, 0)
		SEQ(32, 0, "AABBCCDD", 0, 0, 0, 4096, 4096, 8192, 8192, 12288,
		    12288)
		SEQ(32, 0, "ABCA", 0, 0, 4096, 8192, 0)
		SEQ(32, 0, "ABCDA", 0, 0, 4096, 8192, 12288, 0)
		SEQ(32, 0, "ABCDABCD", 0, 0, 4096, 8192, 12288, 0, 4096, 8192,
		    12288)
	}
	// ... and how long.
	for (const Shape &s : { Shape{ 4, 32 }, Shape{ 4, 8 }, Shape{ 8, 32 },
				Shape{ 32, 32 } }) {
		SEQ(32, 0, "AA", 1, 0, 0)
		SEQ(32, 0, "AA", 2, 0, 0)
		SEQ(32, 0, "AA", 3, 0, 0)
		SEQ(32, 0, "AA", 4, 0, 0)
		SEQ(32, 0, "AA", 5, 0, 0)
		SEQ(32, 0, "AA", 6, 0, 0)
		SEQ(32, 0, "AA", 8, 0, 0)
		SEQ(32, 0, "AA", 10, 0, 0)
		SEQ(32, 0, "AA", 12, 0, 0)
		SEQ(32, 0, "AA", 16, 0, 0)
		SEQ(32, 0, "AA", 24, 0, 0)
		SEQ(32, 0, "AAAAAAAA", 1, 0, 0, 0, 0, 0, 0, 0, 0)
		SEQ(32, 0, "AAAAAAAA", 2, 0, 0, 0, 0, 0, 0, 0, 0)
		SEQ(32, 0, "AAAAAAAA", 3, 0, 0, 0, 0, 0, 0, 0, 0)
		SEQ(32, 0, "AAAAAAAA", 4, 0, 0, 0, 0, 0, 0, 0, 0)
		SEQ(32, 0, "AAAAAAAA", 6, 0, 0, 0, 0, 0, 0, 0, 0)
		SEQ(32, 0, "AAAAAAAA", 8, 0, 0, 0, 0, 0, 0, 0, 0)
		SEQ(32, 0, "ABA", 1, 0, 4096, 0)
		SEQ(32, 0, "ABA", 2, 0, 4096, 0)
	}
	// Lines next to each other.
	for (const Shape &s : { Shape{ 4, 32 }, Shape{ 4, 8 } }) {
		SEQ(32, 0, "A+128", 0, 0, 128, 0)
		SEQ(32, 0, "A+256", 0, 0, 256, 0)
		SEQ(32, 0, "A+512", 0, 0, 512, 0)
		SEQ(32, 0, "A+1024", 0, 0, 1024, 0)
		SEQ(32, 0, "A+2048", 0, 0, 2048, 0)
		SEQ(32, 0, "A+16384", 0, 0, 16384, 0)
		SEQ(32, 0, "A+65536", 0, 0, 65536, 0)
		SEQ(32, 0, "sectors", 0, 0, 32, 64, 96)
	}
	// Several warps: each its own lines, the same line, a part of a line each.
#define WARPS(threads)                                                        \
	for (const Shape &s :                                                 \
	     { Shape{ 4, 32 }, Shape{ 8, 32 }, Shape{ 12, 32 },               \
	       Shape{ 16, 32 }, Shape{ 32, 32 }, Shape{ 0, 32 } }) {          \
		SEQ(threads, 32768, "A", 0, 0)                                \
		SEQ(threads, 32768, "AA", 0, 0, 0)                            \
		SEQ(threads, 32768, "Aa", 0, 0, 4)                            \
		SEQ(threads, 32768, "Aab", 0, 0, 4, 8)                        \
		SEQ(threads, 32768, "Aabc", 0, 0, 4, 8, 12)                   \
		SEQ(threads, 32768, "8x", 0, 0, 4, 8, 12, 16, 20, 24, 28)     \
		SEQ(threads, 32768, "Aab", 4, 0, 4, 8)                        \
		SEQ(threads, 32768, "Aab", 16, 0, 4, 8)                       \
		SEQ(threads, 32768, "ABA", 0, 0, 4096, 0)                     \
		SEQ(threads, 0, "A", 0, 0)                                    \
		SEQ(threads, 0, "AB", 0, 0, 4096)                             \
	}                                                                     \
	for (const Shape &s : { Shape{ 4, 8 }, Shape{ 4, 1 } }) {             \
		SEQ(threads, 32, "A", 0, 0)                                   \
		SEQ(threads, 4, "A", 0, 0)                                    \
	}
	WARPS(64)
	WARPS(128)
	WARPS(256)
	WARPS(512)
	WARPS(1024)
	for (u32 stride : { 0u, 4u, 8u, 32u })
		for (u32 distance : { 0u, 64u, 1024u, 4096u }) {
			LAUNCH(around, BLOCKS, 32, 0, p.data, stride, distance,
			       out.data);
			rows("around", "stride=%u,distance=%u", stride,
			     distance);
		}
#define WIDE(threads, words, stride, name, ...)                              \
	LAUNCH((wide<words, __VA_ARGS__>), BLOCKS, threads, 0, p.data,       \
	       stride, 32768);                                               \
	rows("wide", "threads=%d,words=%d,stride=%d,at=%s", threads, words,  \
	     stride, name);
	for (int threads : { 32, 256, 1024 }) {
		WIDE(threads, 2, 8, "A", 0)
		WIDE(threads, 2, 8, "AA", 0, 0)
		WIDE(threads, 2, 16, "Aa", 0, 8)
		WIDE(threads, 2, 32, "Aabc", 0, 8, 16, 24)
		WIDE(threads, 4, 16, "AA", 0, 0)
		WIDE(threads, 4, 32, "Aa", 0, 16)
		WIDE(threads, 4, 64, "Aabc", 0, 16, 32, 48)
	}
#define RED(threads, name, gap, ...)                                         \
	LAUNCH((sequence<gap, true, __VA_ARGS__>), BLOCKS, threads, 0, p.data,   \
	       s.stride, s.lanes, 32768, 0, 1);                                \
	rows("red", "threads=%d,stride=%u,lanes=%u,gap=%d,at=%s", threads,   \
	     s.stride, s.lanes, gap, name);
	for (const Shape &s : { Shape{ 4, 32 }, Shape{ 4, 8 }, Shape{ 8, 32 },
				Shape{ 4, 1 } })
		for (int threads : { 32, 256 }) {
			RED(threads, "A", 0, 0)
			RED(threads, "AA", 0, 0, 0)
			RED(threads, "AAAA", 0, 0, 0, 0, 0)
			RED(threads, "AA", 4, 0, 0)
			RED(threads, "AA", 16, 0, 0)
		}
	return 0;
}
