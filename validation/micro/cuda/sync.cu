// Barriers by warps, and constants: footprints and lanes that differ.
#include "micro.cuh"

__global__ void __launch_bounds__(1024) barriers(int n, Span *out)
{
	u64 t = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1) {
			__syncthreads();
			t = now();
		}
#pragma unroll
		for (int k = 0; k < 16; k++)
			__syncthreads();
	}
	if (threadIdx.x % 32 == 0)
		out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] =
			Span{ smid(), t, now() };
}

__global__ void warp_sync(int n, u64 *out)
{
	u64 t = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1)
			t = now();
#pragma unroll
		for (int k = 0; k < 16; k++)
			__syncwarp();
	}
	*out = now() - t;
}

__constant__ u32 table[16384];

// A chain through constants, as table[j] = (j + step) % words; twice.
__global__ void chase(u32 step, u32 words, u32 n, u64 *out)
{
	u32 j = 0;
#pragma unroll 1
	for (int pass = 0; pass < 2; pass++) {
		u64 t = now();
#pragma unroll 1
		for (u32 i = 0; i < n; i++)
			j = (table[j] + j + step) & (words - 1);
		if (j == 99999)
			out[2] = j;
		out[pass] = now() - t;
	}
}

// Lanes that read `different` words, `apart` words from each other.
__global__ void lanes(u32 different, u32 apart, u64 *out)
{
	u32 j = threadIdx.x % different * apart;
	u64 t = 0;
#pragma unroll 1
	for (u32 i = 0; i <= 32; i++) {
		if (i == 1)
			t = now();
		j = (table[j] + j) & 16383;
	}
	if (j == 12345)
		out[2] = j;
	out[0] = now() - t;
}

int main()
{
	part = "sync";
	Buffer<Span> s(4096);
	Buffer<u64> out(64);
	for (int warps : { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32 }) {
		LAUNCH(barriers, 1, warps * 32, 0, 4, s.data);
		row("barrier", "cycle", longest(s.read(warps)) / 64, "warps=%d",
		    warps);
	}
	LAUNCH(warp_sync, 1, 32, 0, 4, out.data);
	row("syncwarp", "cycle", (double)out.read(1)[0] / 64, "one");
	for (u32 step : { 16u, 64u })
		for (u32 kib : { 1, 2, 4, 8, 16, 32, 64 }) {
			u32 words = kib * 256, n = words / step;
			LAUNCH(chase, 1, 1, 0, step, words, n, out.data);
			std::vector<u64> v = out.read(2);
			row("constant_first", "cycle", (double)v[0] / n,
			    "kib=%u,step=%uB", kib, step * 4);
			row("constant", "cycle", (double)v[1] / n,
			    "kib=%u,step=%uB", kib, step * 4);
		}
	for (u32 different : { 1, 2, 4, 8, 16, 32 })
		for (u32 apart : { 1u, 16u, 64u }) {
			LAUNCH(lanes, 1, 32, 0, different, apart, out.data);
			row("constant_lanes", "cycle",
			    (double)out.read(1)[0] / 32,
			    "different=%u,apart=%uB", different, apart * 4);
		}
	return 0;
}
