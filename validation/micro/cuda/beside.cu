// Loads beside stores, by all SMs: the cycles that an SM takes for an access of a warp, by
// the share of loads, where they hit, and whether each warp does both or one of them.
#include "micro.cuh"

enum { IN_L1, IN_L2 };
static const char *const places[] = { "L1", "L2" };

template <int PLACE> static __device__ __forceinline__ u32 load(const u32 *p)
{
	return PLACE == IN_L1 ? __ldca(p) : __ldcg(p);
}

// In each turn `READS` loads and 4 - READS stores. apart: READS of four warps load, the
// others store. Words of `in` and `out` come again after so many.
template <int PLACE, int READS, bool APART>
__global__ void mix(const u32 *in, u32 in_words, u32 *out, u32 out_words,
		    u32 turns, Span *spans)
{
	u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
	    warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32;
	u32 at = PLACE == IN_L1 ? threadIdx.x / 32 : warp, sum = 0;
	bool loads = (int)(warp % 4) < READS;
	u32 word = lane, step = warps * 32;
	__syncthreads();
	u64 start = now();
	// Two loops where warps differ, so that none of them has a branch inside.
	if (!APART || loads)
#pragma unroll 2
		for (u32 t = 0; t < turns; t++)
#pragma unroll
			for (int k = 0; k < 4; k++, word += step)
				if (APART || k < READS)
					sum += load<PLACE>(
						in + ((word + at * 32) &
						      (in_words - 1)));
				else
					out[(word + warp * 32) &
					    (out_words - 1)] = t;
	else
#pragma unroll 2
		for (u32 t = 0; t < turns; t++)
#pragma unroll
			for (int k = 0; k < 4; k++, word += step)
				out[(word + warp * 32) & (out_words - 1)] = t;
	if (sum == 0x12345678)
		*out = sum;
	__syncthreads();
	if (threadIdx.x == 0)
		spans[blockIdx.x] = Span{ smid(), start, now() };
}

struct Memory {
	Buffer<u32> in{ 1 << 20 }, out{ 1 << 20 };
	Buffer<Span> spans{ 264 };
};

template <int PLACE, int READS, bool APART> static void measure(Memory &m)
{
	const u32 warps = 64, blocks = 264, turns = 64 / std::min(scale(), 4);
	u32 words = PLACE == IN_L1 ? 8 << 10 : 1 << 20;
	double total = 0;
	for (int k = 0; k < 2; k++) {
		LAUNCH((mix<PLACE, READS, APART>), blocks, warps / 2 * 32, 0,
		       m.in.data, words, m.out.data, 1 << 20, turns,
		       m.spans.data);
		total = longest(m.spans.read(blocks));
	}
	row("mix", "cycle", total / (turns * 4.0 * warps),
	    "in=%s,sms=132,reads=%d,writes=%d,%s", places[PLACE], READS,
	    4 - READS, APART ? "apart" : "together");
}

template <int PLACE, bool APART> static void place(Memory &m)
{
	measure<PLACE, 0, APART>(m);
	measure<PLACE, 1, APART>(m);
	measure<PLACE, 2, APART>(m);
	measure<PLACE, 3, APART>(m);
	measure<PLACE, 4, APART>(m);
}

int main()
{
	part = "beside";
	Memory m;
	m.in.zero();
	m.out.zero();
	place<IN_L1, false>(m);
	place<IN_L1, true>(m);
	place<IN_L2, false>(m);
	place<IN_L2, true>(m);
	return 0;
}
