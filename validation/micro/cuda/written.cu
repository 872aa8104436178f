// What a store leaves in the L1: the latency of a load behind stores of a warp to
// some or all words of a line that is, or is not, in the L1, of this warp and of
// another one; and how many lines that were written are found again.
#include "micro.cuh"

static __device__ __forceinline__ u32 load_ca(const void *p)
{
	u32 v;
	asm volatile("ld.global.ca.u32 %0, [%1];"
		     : "=r"(v)
		     : "l"(p)
		     : "memory");
	return v;
}

static __device__ __forceinline__ u32 load_cg(const void *p)
{
	u32 v;
	asm volatile("ld.global.cg.u32 %0, [%1];"
		     : "=r"(v)
		     : "l"(p)
		     : "memory");
	return v;
}

static __device__ __forceinline__ void store(void *p, u32 v)
{
	asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

static __device__ __forceinline__ void pause(u32 cycles)
{
	for (u64 t = now(); now() - t < cycles;)
		;
}

static __device__ __forceinline__ u32 timed(const char *p, u32 *sink)
{
	u64 t = now();
	u32 v = load_ca(p);
	if (v == 1)
		*sink = v;
	return (u32)(now() - t);
}

// Lanes from `first` on write `count` words of a line in `parts` stores; then the
// first lane of a warp loads word `at`. Lines lie 4 KiB apart and are in the L2.
__global__ void behind(char *p, u32 n, u32 first, u32 count, u32 parts,
		       u32 before, u32 other, u32 at, u32 *out, u32 *sink)
{
	u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
	for (u32 i = 0; i < n; i++) {
		char *line = p + (size_t)i * 4096;
		if (warp == 0) {
			if (load_cg(line + lane * 4) == 1)
				*sink = 1;
			if (before)
				timed(line + lane * 4, sink);
			for (u32 k = 0; k < parts; k++)
				if (lane >= first && lane < first + count &&
				    lane % parts == k)
					store(line + lane * 4, 0);
		}
		__syncthreads();
		pause(2000);
		if (warp == other && lane == 0)
			sum += timed(line + at * 4, sink);
		__syncthreads();
	}
	if (warp == other && lane == 0)
		*out = sum / n;
}

// The same of 16 bytes of a lane.
__global__ void wide(char *p, u32 n, u32 count, u32 at, u32 *out, u32 *sink)
{
	u32 lane = threadIdx.x % 32, sum = 0;
	for (u32 i = 0; i < n; i++) {
		char *line = p + (size_t)i * 4096;
		if (load_cg(line + lane * 16) == 1)
			*sink = 1;
		if (lane < count)
			asm volatile(
				"st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(
					line + lane * 16),
				"r"(0)
				: "memory");
		pause(2000);
		if (lane == 0)
			sum += timed(line + at * 4, sink);
	}
	if (lane == 0)
		*out = sum / n;
}

// A warp writes `lines` whole lines, or 4 bytes of each sector, and reads them
// again; mean latency.
__global__ void again(char *p, u32 lines, u32 step, u32 *out, u32 *sink)
{
	u32 lane = threadIdx.x, sum = 0;
	for (u32 i = 0; i < lines; i++)
		if (lane % step == 0)
			store(p + i * 128 + lane * 4, 0);
	pause(8000);
	for (u32 i = 0; i < lines; i++)
		if (lane == 0)
			sum += timed(p + i * 128, sink);
	if (lane == 0)
		*out = sum / lines;
}

int main()
{
	part = "written";
	Buffer<char> p(8 << 20);
	Buffer<u32> out(1), sink(1);
	const u32 n = 16;

	for (u32 before : { 0, 1 })
		for (u32 count : { 1, 4, 8, 16, 32 })
			for (u32 at : { 0, 16 }) {
				LAUNCH(behind, 1, 32, 0, p.data, n, 0u, count,
				       1u, before, 0u, at, out.data, sink.data);
				row("load", "cycle", out.read(1)[0],
				    "before=%u,words=%u,at=%u", before, count,
				    at);
			}
	for (u32 parts : { 2, 4 }) {
		LAUNCH(behind, 1, 32, 0, p.data, n, 0u, 32u, parts, 0u, 0u, 0u,
		       out.data, sink.data);
		row("load", "cycle", out.read(1)[0], "parts=%u", parts);
	}
	for (u32 first : { 4, 8 }) {
		LAUNCH(behind, 1, 32, 0, p.data, n, first, 8u, 1u, 0u, 0u, 8u,
		       out.data, sink.data);
		row("load", "cycle", out.read(1)[0], "from=%u,words=8,at=8",
		    first);
	}
	LAUNCH(behind, 1, 64, 0, p.data, n, 0u, 32u, 1u, 0u, 1u, 0u, out.data,
	       sink.data);
	row("load", "cycle", out.read(1)[0], "other_warp");
	for (u32 count : { 1, 2, 8, 32 }) {
		LAUNCH(wide, 1, 32, 0, p.data, n, count, 0u, out.data,
		       sink.data);
		row("load_wide", "cycle", out.read(1)[0], "lanes=%u", count);
	}
	for (u32 step : { 1, 8 })
		for (u32 lines : { 16, 256, 512, 1024, 1536, 2048 }) {
			LAUNCH(again, 1, 32, 0, p.data, lines, step, out.data,
			       sink.data);
			row("again", "cycle", out.read(1)[0],
			    "step=%u,lines=%u", step, lines);
		}
}
