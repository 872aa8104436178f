// What the parts about malloc and free share: shapes of launches and the kernels.
#pragma once

#include "micro.cuh"

struct Shape {
	int blocks, threads; // of the launch
	int lanes;           // of each warp that call
	u32 bytes, step;     // a lane asks for bytes + lane * step
	int calls;           // of each lane
};

static __device__ __forceinline__ u32 caller(const Shape &s)
{
	u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
	return thread / 32 * s.lanes + thread % 32;
}

// Each lane keeps what it gets in `kept`, the calls of one beside each other. A
// warp notes the clock when all of its lanes are back.
__global__ void take(Shape s, void **kept, u64 *time, Span *spans)
{
	u32 lane = threadIdx.x % 32, me = caller(s),
	    warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
	    mask = s.lanes == 32 ? ~0u : (1u << s.lanes) - 1;
	if ((int)lane >= s.lanes)
		return;
	u64 start = now(), t = start;
	for (int i = 0; i < s.calls; i++) {
		kept[me * s.calls + i] = malloc(s.bytes + lane * s.step);
		__syncwarp(mask);
		u64 end = now();
		if (lane == 0)
			time[warp * s.calls + i] = end - t;
		t = end;
	}
	if (lane == 0)
		spans[warp] = Span{ smid(), start, t };
}

// Frees them in the order of allocation, or in the opposite one.
__global__ void give(Shape s, int backwards, void **kept, u64 *time,
		     Span *spans)
{
	u32 lane = threadIdx.x % 32, me = caller(s),
	    warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
	    mask = s.lanes == 32 ? ~0u : (1u << s.lanes) - 1;
	if ((int)lane >= s.lanes)
		return;
	u64 start = now(), t = start;
	for (int i = 0; i < s.calls; i++) {
		free(kept[me * s.calls + (backwards ? s.calls - 1 - i : i)]);
		__syncwarp(mask);
		u64 end = now();
		if (lane == 0)
			time[warp * s.calls + i] = end - t;
		t = end;
	}
	if (lane == 0)
		spans[warp] = Span{ smid(), start, t };
}

// Allocates, uses and frees again.
__global__ void pair(Shape s, u64 *time, Span *spans)
{
	u32 lane = threadIdx.x % 32,
	    warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
	    mask = s.lanes == 32 ? ~0u : (1u << s.lanes) - 1;
	if ((int)lane >= s.lanes)
		return;
	u64 start = now(), t = start;
	for (int i = 0; i < s.calls; i++) {
		u32 *p = (u32 *)malloc(s.bytes + lane * s.step);
		if (p)
			*(volatile u32 *)p = lane;
		free(p);
		__syncwarp(mask);
		u64 end = now();
		if (lane == 0)
			time[warp * s.calls + i] = end - t;
		t = end;
	}
	if (lane == 0)
		spans[warp] = Span{ smid(), start, t };
}

struct Memory {
	Buffer<void *> kept{ 1 << 20 };
	Buffer<u64> time{ 1 << 20 };
	Buffer<Span> spans{ 1 << 14 };
};

static char where[200];

static inline const char *shape(const Shape &s, const char *heap)
{
	std::snprintf(where, sizeof where,
		      "heap=%s,bytes=%u+%u,lanes=%d,warps=%d,blocks=%d,calls=%d",
		      heap, s.bytes, s.step, s.lanes, s.threads / 32, s.blocks,
		      s.calls);
	return where;
}

// The size of the heap is fixed when a kernel that uses it is launched.
static inline void with_heap(size_t mib, const char *name,
			     void (*measure)(Memory &, const char *))
{
	CHECK(cudaDeviceReset());
	CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, mib << 20));
	Memory m;
	measure(m, name);
}
