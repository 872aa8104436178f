// When the warps of a block begin, and how they share what takes loads of
// constants: clocks of every warp, relative to the first one.
#include "micro.cuh"

__constant__ u32 table[64];

// Clocks at the start, and around a load of constants that all warps make at once
// and that hits.
__global__ void __launch_bounds__(1024) stage(u64 *out, u32 step)
{
	u64 t = now(), before, after;
	u32 warp = threadIdx.x / 32, v = 0;
	for (int pass = 0; pass < 2; pass++) {
		__syncthreads();
		before = now();
		v += table[(warp * step) & 63];
		asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 12345;\n"
			     "@p trap;\nmov.u64 %0, %clock64; }"
			     : "=l"(after)
			     : "r"(v)
			     : "memory");
	}
	if (threadIdx.x % 32 == 0) {
		out[warp * 3] = t;
		out[warp * 3 + 1] = before;
		out[warp * 3 + 2] = after;
	}
}

int main()
{
	part = "stage";
	static const char *const names[] = { "start", "before", "load" };
	Buffer<u64> out(128);
	out.zero();
	for (int threads : { 128, 256, 512, 1024 })
		for (u32 step : { 0, 1 }) {
			LAUNCH(stage, 1, threads, 0, out.data, step);
			LAUNCH(stage, 1, threads, 0, out.data, step);
			std::vector<u64> v = out.read(threads / 32 * 3);
			for (int k = 0; k < 3; k++) {
				u64 first = ~0ull;
				for (int w = 0; w < threads / 32; w++)
					first = std::min(first, v[w * 3 + k]);
				for (int w = 0; w < threads / 32; w++)
					row(names[k], "cycle",
					    (double)(v[w * 3 + k] -
						     (k == 2 ? v[w * 3 + 1] :
							       first)),
					    "threads=%d,step=%u,warp=%d",
					    threads, step, w);
			}
		}
	return 0;
}
