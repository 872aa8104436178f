// nvcc -O2 -arch=sm_90 -cubin -o meets.cubin meets.cu (CUDA 13.0)
//
// Kernels of validation/micro/cuda/branch.cu, of which the cycles of an H200 are known:
// calls and returns, two sides for half of the lanes each, and a loop that all lanes
// leave together or one after the other.
#include "../../../validation/micro/cuda/micro.cuh"

enum { STEPS = 16 };

struct Args {
	u32 never, always, half, share;
	u32 *sink;
};

#define STEP(name, text)                                                   \
	struct name {                                                      \
		static __device__ __forceinline__ void step(u32 &x,        \
							    const Args &a) \
		{                                                          \
			text                                               \
		}                                                          \
	};
#define WORK(k) asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "n"(k));
#define MIX                                                             \
	asm volatile("mad.lo.u32 %0, %0, %0, 77; xor.b32 %0, %0, 0x55;" \
		     : "+r"(x));
#define SIDE MIX MIX MIX MIX MIX MIX MIX MIX

STEP(
	two_sided,
	if (threadIdx.x % 32 < a.half) { SIDE } else { WORK(3) SIDE } WORK(1))

static __device__ __noinline__ u32 function(u32 x)
{
	WORK(3)
	return x;
}

static __device__ __noinline__ u32 outer(u32 x)
{
	return function(x) + 1;
}
STEP(call_twice, x = outer(x);)

template <class S>
__global__ void __launch_bounds__(1024)
	chain(Args a, int n, Span *out, u32 *keep)
{
	u32 x = a.always;
	u64 t = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1)
			t = now();
#pragma unroll
		for (int k = 0; k < STEPS; k++)
			S::step(x, a);
	}
	u64 e = now();
	if (threadIdx.x % 32 == 0)
		out[threadIdx.x / 32] = Span{ smid(), t, e };
	keep[threadIdx.x] = x;
}

template __global__ void chain<two_sided>(Args, int, Span *, u32 *);
template __global__ void chain<call_twice>(Args, int, Span *, u32 *);

extern "C" __global__ void __launch_bounds__(1024)
	leave(int n, int by_lane, Span *out, u32 *keep)
{
	u32 x = 0;
	u64 t = 0;
	int count = by_lane ? n - (int)(threadIdx.x % 32) : n;
	for (int pass = 0; pass < 2; pass++) {
		t = now();
#pragma unroll 1
		for (int i = 0; i < count; i++)
			WORK(1)
		__syncwarp();
	}
	u64 e = now();
	if (threadIdx.x % 32 == 0)
		out[threadIdx.x / 32] = Span{ smid(), t, e };
	keep[threadIdx.x] = x;
}
