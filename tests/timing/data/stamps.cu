// nvcc -arch=sm_90 -cubin -o stamps.cubin stamps.cu (CUDA 13.0)
//
// Nine clocks around eight groups of eight FFMAs, for warps whose number is a
// multiple of `mod`; the second of two rounds counts.
#include <cstdint>

#define CLOCK(i) asm volatile("mov.u64 %0, %%clock64;" : "=l"(t[i])::"memory");
#define FMA(x) \
	asm volatile("fma.rn.f32 %0, %1, %2, %3;" : "=f"(x) : "f"(a), "f"(b), "f"(x));
#define EIGHT FMA(x0) FMA(x1) FMA(x2) FMA(x3) FMA(x4) FMA(x5) FMA(x6) FMA(x7)

extern "C" __global__ void body(uint64_t *out, float a, float b, int mod)
{
	uint64_t t[9];
	float x0 = threadIdx.x, x1 = 1, x2 = 2, x3 = 3, x4 = 4, x5 = 5, x6 = 6,
	      x7 = 7;
	unsigned w = threadIdx.x / 32;

#pragma unroll 1
	for (int r = 0; r < 3; r++) {
		__syncthreads();
		if (w % mod == 0) {
			CLOCK(0) EIGHT CLOCK(1) EIGHT CLOCK(2) EIGHT CLOCK(3)
			EIGHT CLOCK(4) EIGHT CLOCK(5) EIGHT CLOCK(6) EIGHT
			CLOCK(7) EIGHT CLOCK(8)
		}
	}
	if (threadIdx.x % 32 == 0)
		for (int i = 0; i < 9; i++)
			out[w * 16 + i] = t[i];
	out[w * 16 + 10] =
		__float_as_uint(x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7);
}
