// What the counters of the L2 and the DRAM count besides loads: code, constants,
// atomics by kind, stores that overlap, reads of several SMs at once, partial
// sectors, local memory. Every value is a metric of a launch.
#include "micro.cuh"

static const char *const all_metrics[] = {
	"gpc__cycles_elapsed.max",
	"lts__t_sectors_op_read.sum",
	"lts__t_sectors_op_write.sum",
	"lts__t_sectors_srcunit_tex.sum",
	"lts__t_requests_srcunit_tex.sum",
	"dram__bytes_read.sum",
	"dram__bytes_write.sum",
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

// ---- code ----

#define F4                                                                   \
	asm volatile("fma.rn.f32 %0, %0, %4, %4; fma.rn.f32 %1, %1, %4, %4;" \
		     "fma.rn.f32 %2, %2, %4, %4; fma.rn.f32 %3, %3, %4, %4;" \
		     : "+f"(a), "+f"(b), "+f"(c), "+f"(d)                    \
		     : "f"(x));
#define F8 F4 F4                   // 128 bytes
#define K1 F8 F8 F8 F8 F8 F8 F8 F8 // 1 KiB
#define K4 K1 K1 K1 K1
#define K16 K4 K4 K4 K4
#define K64 K16 K16 K16 K16

// Executes its code if `go` is not 0, jumps over it otherwise.
#define CODE(name, body)                                         \
	__global__ void name(float *out, float x, int go)        \
	{                                                        \
		float a = x, b = x + 1, c = x + 2, d = x + 3;    \
		if (go) {                                        \
			body if (a + b + c + d == 1) out[0] = a; \
		}                                                \
	}

CODE(code_1, K1)
CODE(code_2, K1 K1)
CODE(code_4, K4)
CODE(code_8, K4 K4)
CODE(code_16, K16)
CODE(code_32, K16 K16)
CODE(code_64, K64)
CODE(code_96, K64 K16 K16)
CODE(code_128, K64 K64)
__global__ void nothing()
{
}

typedef void Code(float *, float, int);

static void code()
{
	Buffer<float> out(32);
	struct {
		Code *kernel;
		int kib;
	} list[] = { { code_1, 1 },   { code_2, 2 },   { code_4, 4 },
		     { code_8, 8 },   { code_16, 16 }, { code_32, 32 },
		     { code_64, 64 }, { code_96, 96 }, { code_128, 128 } };
	for (int blocks : { 1, 132, 1320 }) {
		LAUNCH(nothing, blocks, 32, 0);
		rows("nothing", "blocks=%d", blocks);
		for (auto &l : list)
			for (int go = 0; go < 2; go++) {
				LAUNCH(l.kernel, blocks, 32, 0, out.data, 1.0f,
				       go);
				rows("code", "kib=%d,go=%d,blocks=%d", l.kib,
				     go, blocks);
			}
	}
}

// ---- constants and parameters ----

__constant__ int table[16384];

__global__ void constants(int *out, int words, int step)
{
	int sum = 0;
	for (int i = 0; i < words; i += step)
		sum += table[i];
	if (sum == 1)
		out[0] = sum;
}

template <int N> struct Words {
	int word[N];
};

template <int N> __global__ void parameters(int *out, Words<N> p, int step)
{
	int sum = 0;
	for (int i = 0; i < N; i += step)
		sum += p.word[i];
	if (sum == 1)
		out[0] = sum;
}

template <int N> static void parameter(Buffer<int> &out)
{
	Words<N> p = {};
	for (int blocks : { 1, 132 }) {
		LAUNCH(parameters<N>, blocks, 32, 0, out.data, p, 1);
		rows("parameters", "words=%d,blocks=%d", N, blocks);
	}
}

static void constant()
{
	Buffer<int> out(32);
	for (int blocks : { 1, 132 })
		for (int words : { 1, 64, 256, 1024, 4096, 16384 }) {
			LAUNCH(constants, blocks, 32, 0, out.data, words, 1);
			rows("constants", "words=%d,step=1,blocks=%d", words,
			     blocks);
		}
	for (int step : { 16, 64, 256 }) {
		LAUNCH(constants, 1, 32, 0, out.data, 16384, step);
		rows("constants", "words=16384,step=%d,blocks=1", step);
	}
	parameter<8>(out);
	parameter<64>(out);
	parameter<256>(out);
	parameter<900>(out);
}

// ---- atomics ----

enum Kind { ADD, INC, MAX, FADD, CAS, EXCH, ADD64, MAX64, DADD, KINDS };
static const char *const kind_name[] = { "add",  "inc",   "max",   "fadd", "cas",
					 "exch", "add64", "max64", "dadd" };

template <int KIND, bool RESULT> __device__ u64 one(void *p, u32 v)
{
	u64 r = 0;
	if (RESULT) {
		if (KIND == ADD)
			r = atomicAdd((u32 *)p, v);
		if (KIND == INC)
			r = atomicInc((u32 *)p, v);
		if (KIND == MAX)
			r = atomicMax((u32 *)p, v);
		if (KIND == FADD)
			r = (u64)atomicAdd((float *)p, (float)v);
		if (KIND == CAS)
			r = atomicCAS((u32 *)p, v, v + 1);
		if (KIND == EXCH)
			r = atomicExch((u32 *)p, v);
		if (KIND == ADD64)
			r = atomicAdd((u64 *)p, (u64)v);
		if (KIND == MAX64)
			r = atomicMax((u64 *)p, (u64)v);
		if (KIND == DADD)
			r = (u64)atomicAdd((double *)p, (double)v);
		return r;
	}
	if (KIND == ADD)
		asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(v));
	if (KIND == INC)
		asm volatile("red.global.inc.u32 [%0], %1;" ::"l"(p), "r"(v));
	if (KIND == MAX)
		asm volatile("red.global.max.u32 [%0], %1;" ::"l"(p), "r"(v));
	if (KIND == FADD)
		asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p),
			     "f"((float)v));
	if (KIND == ADD64)
		asm volatile("red.global.add.u64 [%0], %1;" ::"l"(p),
			     "l"((u64)v));
	if (KIND == MAX64)
		asm volatile("red.global.max.u64 [%0], %1;" ::"l"(p),
			     "l"((u64)v));
	if (KIND == DADD)
		asm volatile("red.global.add.f64 [%0], %1;" ::"l"(p),
			     "d"((double)v));
	return 0;
}

// Lane i of warp w: word (i / same * spread) words of 8 bytes into the warp's
// 8 KiB; lanes beyond `lanes` do nothing.
template <int KIND, bool RESULT>
__global__ void atomics(char *p, u32 *sink, u32 lanes, u32 same, u32 spread)
{
	u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
	    lane = threadIdx.x % 32;
	if (lane >= lanes)
		return;
	u64 r = one<KIND, RESULT>(
		p + (size_t)warp * 8192 + lane / same * spread, lane + warp);
	if (RESULT)
		sink[0] = (u32)r; // one sector a warp more
}

template <int KIND, bool RESULT>
static void atomic(Buffer<char> &p, Buffer<u32> &sink)
{
	struct {
		u32 lanes, same, spread;
	} list[] = { { 32, 1, 8 },  { 32, 1, 32 }, { 32, 1, 128 }, { 32, 32, 8 },
		     { 32, 2, 8 },  { 32, 8, 8 },  { 32, 8, 32 },  { 1, 1, 8 },
		     { 4, 4, 8 },   { 8, 8, 8 },   { 16, 16, 8 } };
	for (auto &l : list) {
		LAUNCH((atomics<KIND, RESULT>), 4, 256, 0, p.data, sink.data,
		       l.lanes, l.same, l.spread);
		rows("atomic", "%s,result=%d,lanes=%u,same=%u,spread=%u",
		     kind_name[KIND], RESULT, l.lanes, l.same, l.spread);
	}
}

static void all_atomics()
{
	Buffer<char> p(1 << 20);
	Buffer<u32> sink(32);
	p.zero();
	atomic<ADD, false>(p, sink);
	atomic<ADD, true>(p, sink);
	atomic<MAX, false>(p, sink);
	atomic<INC, false>(p, sink);
	atomic<FADD, false>(p, sink);
	atomic<FADD, true>(p, sink);
	atomic<CAS, true>(p, sink);
	atomic<EXCH, true>(p, sink);
	atomic<ADD64, false>(p, sink);
	atomic<MAX64, false>(p, sink);
	atomic<MAX64, true>(p, sink);
	atomic<DADD, false>(p, sink);
}

// ---- stores ----

// Each warp stores `bytes` of a lane at `stride`, `times` times, the next one
// `shift` bytes further, `pause` cycles later. share: all warps of a block
// store to the same place.
__global__ void stores(char *p, u32 stride, u32 shift, u32 times, u32 pause,
		       u32 share)
{
	u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
	    lane = threadIdx.x % 32;
	if (share)
		warp = blockIdx.x;
	char *at = p + (size_t)warp * 8192 + lane * stride;
	for (u32 i = 0; i < times; i++) {
		asm volatile("st.global.u32 [%0], %1;" ::"l"(at + i * shift),
			     "r"(lane)
			     : "memory");
		u64 t = now();
		while (now() - t < pause)
			;
	}
}

static void store()
{
	Buffer<char> p(64 << 20);
	p.zero();
	struct {
		u32 stride, shift, times;
	} list[] = { { 4, 0, 1 },  { 4, 0, 2 },   { 4, 0, 8 },   { 4, 128, 2 },
		     { 12, 4, 3 }, { 16, 4, 4 },  { 32, 4, 2 },  { 32, 4, 8 },
		     { 0, 0, 1 },  { 0, 0, 8 },   { 128, 4, 4 }, { 8, 4, 2 } };
	for (u32 warps : { 1, 8 })
		for (u32 pause : { 0, 30, 100, 300, 1000 })
			for (auto &l : list) {
				if (pause && (l.times == 1 || warps > 1))
					continue;
				LAUNCH(stores, 16, warps * 32, 0, p.data,
				       l.stride, l.shift, l.times, pause, 0);
				rows("stores",
				     "warps=%u,stride=%u,shift=%u,times=%u,pause=%u",
				     warps, l.stride, l.shift, l.times, pause);
			}
	for (u32 warps : { 2, 4, 8, 32 })
		for (u32 stride : { 0, 4 }) {
			LAUNCH(stores, 16, warps * 32, 0, p.data, stride, 0, 1,
			       0, 1);
			rows("stores_shared", "warps=%u,stride=%u", warps,
			     stride);
		}
}

// ---- sectors that are written in part ----

__global__ void part_of(char *p, u32 bytes, u32 stride, u32 count, u32 passes)
{
	for (u32 k = 0; k < passes; k++)
		for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		     i += gridDim.x * blockDim.x) {
			char *at = p + (size_t)i * stride + k * bytes;
			if (bytes == 1)
				*(volatile char *)at = i;
			else if (bytes == 4)
				*(volatile int *)at = i;
			else
				*(volatile u64 *)at = i;
		}
}

__global__ void read_all(const uint4 *p, u32 count, u32 *out)
{
	u32 sum = 0;
	for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
	     i += gridDim.x * blockDim.x) {
		uint4 v = __ldcg(p + i);
		sum += v.x + v.y + v.z + v.w;
	}
	if (sum == 1)
		out[0] = sum;
}

// Writes in part, then reads, in one launch.
__global__ void part_read(char *p, u32 stride, u32 count, u32 *out)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	*(volatile int *)(p + (size_t)i * stride) = i;
	__threadfence();
	u32 v = __ldcg((u32 *)(p + (size_t)i * stride) + 1);
	if (v == 1)
		out[0] = v;
}

static void partial()
{
	const size_t MiB = 1 << 20;
	Buffer<char> p(160 * MiB);
	Buffer<u32> out(32);
	p.zero();
	for (u32 stride : { 32u, 64u, 128u })
		for (u32 mib : { 1, 2, 4, 6, 8, 12, 16, 24, 32, 64, 128 }) {
			u32 n = (u32)(mib * MiB / stride);
			LAUNCH(part_of, 264, 1024, 0, p.data, 4, stride, n, 1);
			rows("partial", "bytes=4,stride=%u,mib=%u,passes=1",
			     stride, mib);
		}
	for (u32 mib : { 4, 16, 64 }) {
		LAUNCH(part_of, 264, 1024, 0, p.data, 8, 32, mib * MiB / 32, 4);
		rows("partial", "bytes=8,stride=32,mib=%u,passes=4", mib);
		LAUNCH(part_of, 264, 1024, 0, p.data, 1, 2, mib * MiB / 2, 1);
		rows("partial", "bytes=1,stride=2,mib=%u,passes=1", mib);
	}
	for (u32 mib : { 1, 4, 16 }) {
		LAUNCH(part_read, mib * MiB / 32 / 256, 256, 0, p.data, 32,
		       mib * MiB / 32, out.data);
		rows("partial_read", "stride=32,mib=%u", mib);
	}
}

// ---- reads of several SMs at once ----

// The SMs of `mask` (a bit each) read the same lines, 16 at a time, one every
// 100 cycles; each SM `pause` cycles after the one before it. With `warm`, the
// first of them has read the lines before.
struct Mask {
	u32 word[5];
};

static __device__ __forceinline__ u32 load(const u32 *p)
{
	u32 v;
	asm volatile("ld.global.cg.u32 %0, [%1];"
		     : "=r"(v)
		     : "l"(p)
		     : "memory");
	return v;
}

static __device__ __forceinline__ void wait_until(u64 t)
{
	while ((long long)(now() - t) < 0)
		;
}

__global__ void together(const u32 *p, u32 *out, u32 rounds, u32 pause,
			 u32 warm, Mask m)
{
	u32 s = smid(), rank = 0, sum = 0, lane = threadIdx.x % 32;
	if (!(m.word[s / 32] >> s % 32 & 1))
		return;
	for (u32 i = 0; i < s; i++)
		rank += m.word[i / 32] >> i % 32 & 1;
	u64 start, t;
	if (warm && !rank)
		for (u32 i = 0; i < rounds * 16; i++)
			sum += load(p + i * 1024 + lane);
	// All SMs begin at the same time of the global timer, which advances in
	// steps of 32 ns.
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	start = (start & ~65535ull) + 131072;
	do {
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	} while (t < start);
	t = now() + 100 + (u64)rank * pause;
	for (u32 r = 0; r < rounds; r++, t += 4000) {
		u32 v[16];
#pragma unroll
		for (int i = 0; i < 16; i++) {
			wait_until(t + i * 100);
			v[i] = load(p + (r * 16 + i) * 1024 + lane);
		}
		for (int i = 0; i < 16; i++)
			sum += v[i];
	}
	if (sum == 1)
		out[0] = sum;
}

static void reads()
{
	Buffer<u32> p(1 << 20);
	Buffer<u32> out(32);
	p.zero();
	struct {
		const char *what;
		std::vector<int> sm;
	} list[] = {
		{ "0", { 0 } },
		{ "0+1", { 0, 1 } },
		{ "0+2", { 0, 2 } },
		{ "0+4", { 0, 4 } },
		{ "0+14", { 0, 14 } },
		{ "0+16", { 0, 16 } },
		{ "0+18", { 0, 18 } },
		{ "0+32", { 0, 32 } },
		{ "0+33", { 0, 33 } },
		{ "0+64", { 0, 64 } },
		{ "0+128", { 0, 128 } },
		{ "0..3", { 0, 1, 2, 3 } },
		{ "0..7", { 0, 1, 2, 3, 4, 5, 6, 7 } },
		{ "0..15", { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
			     15 } },
	};
	for (u32 warm : { 0, 1 })
		for (u32 pause : { 0, 20, 50, 100, 150, 200, 300, 500, 1000 })
			for (auto &l : list) {
				Mask m = {};
				for (int s : l.sm)
					m.word[s / 32] |= 1u << s % 32;
				LAUNCH(together, 132, 32, 0, p.data, out.data,
				       16, pause, warm, m);
				row_metric("together", "",
					   "lts__t_sectors_srcunit_tex.sum",
					   "sms=%s,pause=%u,warm=%u", l.what,
					   pause, warm);
			}
	// Every pair with SM 0: which SMs share.
	for (int s = 1; s < 132; s++) {
		Mask m = {};
		m.word[0] = 1;
		m.word[s / 32] |= 1u << s % 32;
		LAUNCH(together, 132, 32, 0, p.data, out.data, 16, 0, 0, m);
		row_metric("pair", "", "lts__t_sectors_srcunit_tex.sum", "sm=%d",
			   s);
	}
	Mask every = { { ~0u, ~0u, ~0u, ~0u, 15 } };
	for (u32 warm : { 0, 1 })
		for (int threads : { 32, 256 }) {
			LAUNCH(together, 132, threads, 0, p.data, out.data, 16,
			       0, warm, every);
			rows("all", "threads=%d,warm=%u", threads, warm);
		}
}

// ---- local memory ----

// Writes `words` words of an array of each thread and reads them back in another
// order, `times` times.
__global__ void local(u32 *out, u32 words, u32 times, u32 seed)
{
	u32 a[1024];
	u32 sum = 0, at = seed;
	for (u32 t = 0; t < times; t++) {
		for (u32 i = 0; i < words; i++)
			a[(i * 5 + at) % words] = i + t;
		for (u32 i = 0; i < words; i++)
			sum += a[(i * 3 + at) % words];
		at += sum & 1;
	}
	if (sum == 12345)
		out[0] = sum;
}

static void locals()
{
	Buffer<u32> out(32);
	for (int blocks : { 1, 132 })
		for (int threads : { 32, 256 })
			for (u32 words : { 4, 16, 64, 256, 1024 })
				for (u32 times : { 1, 4 }) {
					LAUNCH(local, blocks, threads, 0,
					       out.data, words, times, 1);
					rows("local",
					     "words=%u,times=%u,blocks=%d,threads=%d",
					     words, times, blocks, threads);
				}
}

int main()
{
	part = "count";
	code();
	constant();
	all_atomics();
	store();
	partial();
	reads();
	locals();
	return 0;
}
