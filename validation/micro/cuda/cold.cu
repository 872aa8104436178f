// Constants that no cache has yet, and those that the nearest does not have: all lanes
// at one address in a loop, and each lane at its own, by the size of the table, warps
// and blocks. The first pass finds cold caches, the second what the first has left.
#include "micro.cuh"

__constant__ u32 table[8192];

__global__ void __launch_bounds__(1024)
	same(int words, int passes, Span *out, u32 *sink)
{
	u32 sum = 0, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	u64 t = 0, end = 0;
	for (int pass = 0; pass < passes; pass++) {
		__syncthreads();
		t = now();
		for (int i = 0; i < words; i++)
			sum = sum * threadIdx.x + table[i];
		if (sum == 12345)
			*sink = sum;
		end = now();
	}
	if (threadIdx.x % 32 == 0)
		out[warp] = Span{ smid(), t, end };
}

// `step` words from one address to the next; each address after the one before.
__global__ void __launch_bounds__(1024)
	chase(int n, u32 step, u32 mask, int passes, Span *out, u32 *sink)
{
	u32 at = 0, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	u64 t = 0, end = 0;
	for (int pass = 0; pass < passes; pass++) {
		__syncthreads();
		t = now();
#pragma unroll 1
		for (int i = 0; i < n; i++)
			at = (at + table[at] + step) & mask;
		if (at == 12345)
			*sink = at;
		end = now();
	}
	if (threadIdx.x % 32 == 0)
		out[warp] = Span{ smid(), t, end };
}

// Each lane draws its places in the table, one after the other.
__global__ void __launch_bounds__(1024)
	draw(int n, u32 lanes, u32 mask, int passes, Span *out, u32 *sink)
{
	u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
	u32 v = (thread / 32 * 32 + threadIdx.x % lanes) * 0x9e3779b1u;
	u64 t = 0, end = 0;
	for (int pass = 0; pass < passes; pass++) {
		v = (thread / 32 * 32 + threadIdx.x % lanes) * 0x9e3779b1u;
		__syncthreads();
		t = now();
#pragma unroll 1
		for (int i = 0; i < n; i++)
			v = v * 5 + 12347 + table[(v >> 9) & mask];
		if (v == 12345)
			*sink = v;
		end = now();
	}
	if (threadIdx.x % 32 == 0)
		out[thread / 32] = Span{ smid(), t, end };
}

int main()
{
	part = "cold";
	Buffer<Span> spans(4096);
	Buffer<u32> sink(4);
	for (int passes : { 1, 2 }) {
		for (int words : { 16, 64, 128, 256, 1024, 4096 })
			for (int warps : { 1, 2, 4, 16 })
				for (int blocks : { 1, 32 }) {
					LAUNCH(same, blocks, warps * 32, 0,
					       words, passes, spans.data,
					       sink.data);
					row("same", "cycle",
					    longest(spans.read(warps * blocks)),
					    "pass=%d,words=%d,warps=%d,blocks=%d",
					    passes, words, warps, blocks);
				}
		for (u32 step : { 4u, 8u, 16u, 32u, 64u, 128u })
			for (int warps : { 1, 4 }) {
				LAUNCH(chase, 1, warps * 32, 0, 32, step, 8191,
				       passes, spans.data, sink.data);
				row("chase", "cycle",
				    longest(spans.read(warps)) / 32,
				    "pass=%d,step=%u,warps=%d", passes, step,
				    warps);
			}
		for (u32 words : { 64u, 256u, 1024u, 2048u, 4096u, 8192u })
			for (u32 lanes : { 1u, 4u, 32u })
				for (int warps : { 1, 4 })
					for (int blocks : { 1, 32 }) {
						LAUNCH(draw, blocks, warps * 32,
						       0, 8, lanes, words - 1,
						       passes, spans.data,
						       sink.data);
						row("draw", "cycle",
						    longest(spans.read(
							    warps * blocks)) /
							    8,
						    "pass=%d,words=%u,lanes=%u,warps=%d,blocks=%d",
						    passes, words, lanes, warps,
						    blocks);
					}
	}
	return 0;
}
