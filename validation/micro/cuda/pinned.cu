// Memory of the host again: words and sectors of one line by different warps, fences
// behind stores, accesses to many lines at once, lines that another SM has read.
#include "micro.cuh"

enum { LOAD, LOAD_CG, LOAD_CA, STORE, RED, CAS, KINDS };
static const char *const kind_names[] = { "load",  "load_cg", "load_ca",
					  "store", "red",     "cas" };

template <int KIND> static __device__ __forceinline__ u32 act(char *at, u32 v)
{
	u32 r = 0;
	if (KIND == LOAD)
		asm volatile("ld.volatile.global.u32 %0, [%1];"
			     : "=r"(r)
			     : "l"(at)
			     : "memory");
	else if (KIND == LOAD_CG)
		asm volatile("ld.global.cg.u32 %0, [%1];"
			     : "=r"(r)
			     : "l"(at)
			     : "memory");
	else if (KIND == LOAD_CA)
		asm volatile("ld.global.ca.u32 %0, [%1];"
			     : "=r"(r)
			     : "l"(at)
			     : "memory");
	else if (KIND == STORE)
		asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(v)
			     : "memory");
	else if (KIND == RED)
		asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(v)
			     : "memory");
	else
		asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
			     : "=r"(r)
			     : "l"(at), "r"(v + 1), "r"(v)
			     : "memory");
	return r;
}

// Each warp's lanes make n accesses, `step` bytes from lane to lane, `apart` from
// warp to warp and `next` from one access to the next.
template <int KIND>
__global__ void __launch_bounds__(1024)
	work(char *p, u32 lanes, u32 step, u32 apart, u32 next, int n,
	     Span *out, u32 *sink)
{
	u32 lane = threadIdx.x % 32, sum = 0;
	u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	char *at = p + (size_t)warp * apart + lane * step;
	if (lane >= lanes)
		return;
	u64 t = now();
#pragma unroll 4
	for (int i = 0; i < n; i++)
		sum += act<KIND>(at + (size_t)i * next, lane);
	if (sum == 12345)
		*sink = sum;
	if (lane == 0)
		out[warp] = Span{ smid(), t, now() };
}

template <int SCOPE> __global__ void fence(char *p, u32 *sink)
{
	char *at = p + (blockIdx.x * 32 + threadIdx.x) * 4;
	u64 t = 0;
	for (int i = 0; i < 3; i++) {
		t = now();
		act<STORE>(at, i);
		if (SCOPE == 0)
			__threadfence();
		else
			__threadfence_system();
		t = now() - t;
	}
	if (!threadIdx.x)
		sink[blockIdx.x] = (u32)t;
}

static char *seen;
static Buffer<Span> *spans;
static Buffer<u32> *sink;

template <int KIND>
static void row_of(const char *name, int blocks, int threads, u32 lanes,
		   u32 step, u32 apart, u32 next, int n)
{
	LAUNCH(work<KIND>, blocks, threads, 0, seen, lanes, step, apart, next,
	       n, spans->data, sink->data);
	row(kind_names[KIND], "cycle",
	    longest(spans->read((size_t)blocks * threads / 32)),
	    "%s,wait,lanes=%u,step=%u,apart=%u,next=%u,blocks=%d,threads=%d,n=%d",
	    name, lanes, step, apart, next, blocks, threads, n);
	row_metric(
		kind_names[KIND], "cycle", CYCLES,
		"%s,launch,lanes=%u,step=%u,apart=%u,next=%u,blocks=%d,threads=%d,n=%d",
		name, lanes, step, apart, next, blocks, threads, n);
}

template <int KIND> static void measure()
{
	// The words, the sectors of one line, and lines: each a warp's.
	for (u32 apart : { 0u, 4u, 32u, 64u, 128u })
		row_of<KIND>("near", 4, 32, 1, 4, apart, 0, 1);
	// Many lines by few and many SMs: one sector or all of a line.
	for (u32 lanes : { 1u, 8u, 32u })
		for (int blocks : { 8, 132 })
			row_of<KIND>("many", blocks, 256, lanes, 4, 128,
				     blocks * 8 * 128, 16);
	for (int blocks : { 1, 132 })
		row_of<KIND>("lanes", blocks, 256, 32, 128, 4096,
			     blocks * 8 * 4096, blocks == 1 ? 8 : 1);
	// One line again and again, by one warp, and by SMs after each other.
	row_of<KIND>("again", 1, 32, 1, 4, 0, 0, 8);
	row_of<KIND>("again", 1, 32, 32, 4, 0, 0, 8);
	row_of<KIND>("again", 8, 32, 32, 4, 0, 0, 8);
}

int main()
{
	part = "pinned";
	char *host;
	CHECK(cudaHostAlloc((void **)&host, 64 << 20, cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer((void **)&seen, host, 0));
	std::memset(host, 0, 64 << 20);
	spans = new Buffer<Span>(132 * 8);
	sink = new Buffer<u32>(256);
	measure<LOAD>();
	measure<LOAD_CG>();
	measure<LOAD_CA>();
	measure<STORE>();
	measure<RED>();
	measure<CAS>();
	for (int blocks : { 1, 132 }) {
		LAUNCH(fence<0>, blocks, 32, 0, seen, sink->data);
		row("fence_gpu", "cycle", sink->read(1)[0], "blocks=%d",
		    blocks);
		LAUNCH(fence<1>, blocks, 32, 0, seen, sink->data);
		row("fence_sys", "cycle", sink->read(1)[0], "blocks=%d",
		    blocks);
	}
	return 0;
}
