// Do loads return in order? A load that is fast is timed behind one that is slow, by
// the same warp or by another.
#include "micro.cuh"

enum { DRAM, L2, L1, NONE };
static const char *const levels[] = { "dram", "l2", "l1", "none" };

static __device__ __forceinline__ u32 load_ca(const char *p)
{
	u32 v;
	asm volatile("ld.global.ca.u32 %0, [%1];"
		     : "=r"(v)
		     : "l"(p)
		     : "memory");
	return v;
}

static __device__ __forceinline__ u32 load_cg(const char *p)
{
	u32 v;
	asm volatile("ld.global.cg.u32 %0, [%1];"
		     : "=r"(v)
		     : "l"(p)
		     : "memory");
	return v;
}

// Brings a line to the level in which it is to be found.
static __device__ __forceinline__ u32 prepare(const char *p, int level)
{
	return level == L1 ? load_ca(p) : level == L2 ? load_cg(p) : 0;
}

// The slow load is made by warp 0, the fast one by the warp `reader`, `wait` cycles
// later. Lines of 64 attempts, 8 KiB apart; the fast one has its line 4 KiB on.
// `many`: lines of each load (lanes spread over so many).
__global__ void __launch_bounds__(1024)
	behind(const char *p, int slow, int fast, u32 reader, u32 wait,
	       u32 many, u32 *out, u32 *sink)
{
	__shared__ u64 start;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0, t1 = 0;
	u32 spread = lane % many * 128 + lane / many * 4;
#pragma unroll 1
	for (int i = 0; i < 64; i++) {
		const char *a = p + (size_t)i * 16384 + spread;
		const char *b = a + 8192;
		if (warp == 0)
			sum += prepare(a, slow);
		if (warp == reader)
			sum += prepare(b, fast);
		if (sum == 1)
			*sink = sum;
		__syncthreads();
		if (threadIdx.x == 0)
			start = now() + 200;
		__syncthreads();
		u64 begin = start;
		u32 first = 0;
		while (now() < begin)
			;
		if (warp == 0 && slow != NONE)
			first = load_ca(a);
		if (warp == reader) {
			u64 t = now();
			while (now() < t + wait)
				;
			t = now();
			u32 v = load_ca(b);
			if (v == 1)
				*sink = v;
			t1 += (u32)(now() - t);
		}
		sum += first;
		if (sum == 1)
			*sink = sum;
		__syncthreads();
	}
	if (threadIdx.x == reader * 32)
		*out = t1 / 64;
}

int main()
{
	Buffer<char> m(1 << 21);
	Buffer<char> flush(size_t(128) << 20);
	Buffer<u32> out(4), sink(4);

	part = "order";
	m.zero();
	for (u32 reader : { 0u, 1u, 4u })
		for (u32 many : { 1u, 8u })
			for (u32 wait : { 0u, 100u, 300u })
				for (int fast : { DRAM, L2, L1 })
					for (int slow :
					     { NONE, DRAM, L2, L1 }) {
						if (slow != NONE &&
						    slow >= fast &&
						    (slow != fast || wait))
							continue;
						for (int r = 0; r < 3; r++) {
							flush.zero();
							LAUNCH(behind, 1, 256,
							       0, m.data, slow,
							       fast, reader,
							       wait, many,
							       out.data,
							       sink.data);
							row("second", "cycle",
							    out.read(1)[0],
							    "slow=%s,fast=%s,warp=%u,"
							    "wait=%u,lines=%u",
							    levels[slow],
							    levels[fast],
							    reader, wait, many);
						}
					}
	return 0;
}
