// Loads that hit the L1 in many lines: cycles by the lines, their distance from each
// other (which of the L1's tags they meet), the banks of their words, and warps;
// one after the other and several at once.
#include "micro.cuh"

template <bool CHAIN>
__global__ void __launch_bounds__(1024)
	tags(const char *p, const u32 *place, int n, u32 zero, Span *out)
{
	u32 lane = threadIdx.x % 32;
	const char *at = p + place[lane];
	u32 sum = 0;
	u64 t = 0;
#pragma unroll 1
	for (int i = -1; i < n; i++) {
		if (i == 0)
			t = now();
#pragma unroll
		for (int k = 0; k < 8; k++) {
			u32 v;
			asm volatile("ld.global.ca.u32 %0, [%1];"
				     : "=r"(v)
				     : "l"(at));
			if (CHAIN)
				at += v & zero;
			else
				sum += v;
		}
		at += sum & zero;
	}
	if (lane == 0)
		out[threadIdx.x / 32] =
			Span{ smid(), t, now() + ((size_t)at & zero) };
}

int main()
{
	part = "tags";
	Buffer<char> data(1 << 18);
	Buffer<u32> place(32);
	Buffer<Span> spans(32);
	std::vector<u32> at(32);
	data.zero();
	// Word lane * `word` of a line: 0, all lanes in one bank; 1, none share one.
	for (u32 word : { 0u, 1u, 8u })
		for (u32 apart : { 1u, 2u, 3u, 4u, 5u, 8u, 16u, 32u })
			for (u32 lines : { 1u, 2u, 4u, 8u, 16u, 32u })
				for (int warps : { 1, 4, 16 })
					for (bool chain : { false, true }) {
						if (chain && warps > 1)
							continue;
						if (word == 8 && lines < 8)
							continue;
						for (u32 l = 0; l < 32; l++)
							at[l] = l % lines *
									apart *
									128 +
								l * word % 32 *
									4;
						place.write(at);
						const int n = 8;
						if (chain)
							LAUNCH(tags<true>, 1,
							       warps * 32, 0,
							       data.data,
							       place.data, n, 0,
							       spans.data);
						else
							LAUNCH(tags<false>, 1,
							       warps * 32, 0,
							       data.data,
							       place.data, n, 0,
							       spans.data);
						row(chain ? "chain" : "hits",
						    "cycle",
						    longest(spans.read(warps)) /
							    (n * 8 *
							     (chain ? 1 :
								      warps)),
						    "word=%u,apart=%u,lines=%u,warps=%d",
						    word, apart, lines, warps);
					}
	return 0;
}
