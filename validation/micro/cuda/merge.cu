// Stores that meet on their way to the L2: when two of them count once. Every
// value is a metric of a launch.
#include "micro.cuh"

static const char *const all_metrics[] = {
	"gpc__cycles_elapsed.max",
	"lts__t_sectors_srcunit_tex.sum",
	"lts__t_requests_srcunit_tex.sum",
};

static void rows(const char *name, const char *format, ...)
{
	char text[128];
	va_list list;
	va_start(list, format);
	std::vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	for (const char *metric : all_metrics)
		row_metric(name, "", metric, "%s,%s", metric, text);
}

static __device__ __forceinline__ void put(char *p, u32 v)
{
	asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

// So many dependent additions, 4 cycles each.
template <int N> static __device__ __forceinline__ float idle(float x)
{
#pragma unroll
	for (int i = 0; i < N; i++)
		asm volatile("add.f32 %0, %0, 0f3f800000;" : "+f"(x));
	return x;
}

// Four pairs of stores: both at `lane * stride`, the second one `shift` bytes
// further, N additions later. between: another line is stored to in between.
template <int N>
__global__ void pairs(char *p, u32 stride, u32 shift, u32 between, float x)
{
	u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
	    lane = threadIdx.x % 32;
	char *at = p + (size_t)warp * 65536 + lane * stride;
#pragma unroll
	for (int k = 0; k < 4; k++) {
		char *here = at + k * 8192;
		put(here, lane);
		if (between)
			put(here + 4096, lane);
		x = idle<N>(x);
		put(here + shift, lane);
		x = idle<64>(x);
	}
	if (x == 1)
		p[0] = 1;
}

// As update of a structure of three words, and the like: times stores in a row.
template <int TIMES>
__global__ void row_of(char *p, u32 stride, u32 shift)
{
	u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
	    lane = threadIdx.x % 32;
	char *at = p + (size_t)warp * 65536 + lane * stride;
#pragma unroll
	for (int k = 0; k < TIMES; k++)
		put(at + k * shift, lane);
}

// Warp w of a block stores to the block's line `pause` cycles after warp w - 1.
__global__ void warps(char *p, u32 stride, u32 shift, u32 pause)
{
	u32 w = threadIdx.x / 32, lane = threadIdx.x % 32;
	char *at = p + (size_t)blockIdx.x * 65536 + lane * stride + w * shift;
	__shared__ u64 start;
	if (threadIdx.x == 0)
		start = now() + 300;
	__syncthreads();
	u64 t = start + (u64)w * pause;
	while ((long long)(now() - t) < 0)
		;
	put(at, lane);
}

int main()
{
	part = "merge";
	Buffer<char> p(64 << 20);
	p.zero();
	struct {
		u32 stride, shift;
	} list[] = { { 4, 0 }, { 4, 128 }, { 8, 4 }, { 12, 4 }, { 32, 4 },
		     { 0, 0 }, { 0, 4 },  { 0, 32 }, { 128, 4 } };
	for (u32 threads : { 32u, 256u })
		for (auto &l : list)
			for (u32 between : { 0u, 1u }) {
#define PAIR(n)                                                                \
	LAUNCH(pairs<n>, 8, threads, 0, p.data, l.stride, l.shift, between,    \
	       2.0f);                                                          \
	rows("pair", "threads=%u,stride=%u,shift=%u,between=%u,adds=%d",       \
	     threads, l.stride, l.shift, between, n);
				PAIR(0)
				PAIR(1)
				PAIR(2)
				PAIR(4)
				PAIR(6)
				PAIR(8)
				PAIR(12)
				PAIR(16)
				PAIR(32)
			}
	for (u32 blocks : { 1u, 132u })
		for (u32 threads : { 32u, 256u, 1024u }) {
#define ROW(n, stride, shift)                                              \
	LAUNCH(row_of<n>, blocks, threads, 0, p.data, stride, shift);      \
	rows("row", "blocks=%u,threads=%u,times=%d,stride=%d,shift=%d",    \
	     blocks, threads, n, stride, shift);
			if (blocks * threads / 32 * 65536 > 64u << 20)
				continue;
			ROW(1, 4, 4)
			ROW(2, 8, 4)
			ROW(3, 12, 4)
			ROW(4, 16, 4)
			ROW(8, 32, 4)
			ROW(4, 128, 4)
			ROW(2, 4, 0)
			ROW(4, 4, 0)
			ROW(8, 4, 0)
			ROW(8, 0, 0)
			ROW(4, 4, 128)
		}
	for (u32 pause : { 0u, 2u, 4u, 8u, 12u, 16u, 24u, 32u, 48u, 64u, 128u })
		for (u32 n : { 2u, 4u, 8u })
			for (u32 shift : { 0u, 32u }) {
				u32 stride = shift ? 0 : 4;
				LAUNCH(warps, 8, n * 32, 0, p.data, stride,
				       shift, pause);
				rows("warps",
				     "warps=%u,stride=%u,shift=%u,pause=%u", n,
				     stride, shift, pause);
			}
	return 0;
}
