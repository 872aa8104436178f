// How blocks start: the first wave, the warps of a block, and the time between
// the end of a block and the start of the next on its SM.
//
// The clocks of different SMs cannot be compared on a GPU (`skew`: the spread,
// over the SMs, of clock minus global timer); the global timer can, in steps of
// 32 ns.
#include "micro.cuh"

struct Start {
	u64 sm, start, end, timer;
};

static __device__ __forceinline__ u64 timer()
{
	u64 t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
	return t;
}

// Each block takes `cycles`; thread 0 says when it began.
__global__ void blocks(Start *out, u32 cycles)
{
	u64 t = now();
	u64 g = timer();
	while (now() - t < cycles)
		;
	if (threadIdx.x == 0)
		out[blockIdx.x] = Start{ smid(), t, now(), g };
}

// The same with registers: N of them are live if `use` is set.
template <int N>
__global__ void __launch_bounds__(256)
	blocks_with(Start *out, u32 cycles, volatile u32 *p, int use)
{
	u64 t = now();
	while (now() - t < cycles)
		;
	if (threadIdx.x == 0)
		out[blockIdx.x] = Start{ smid(), t, now(), 0 };
	if (!use)
		return;
	u32 r[N];
#pragma unroll
	for (int i = 0; i < N; i++)
		r[i] = p[i * 32 + threadIdx.x];
	__syncthreads();
#pragma unroll
	for (int i = 0; i < N; i++)
		p[i * 32 + threadIdx.x] = r[i] + 1;
}

// When each warp of a block began; none ends before all have begun.
__global__ void warps(u64 *out)
{
	u64 t = now();
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		out[threadIdx.x / 32] = t;
}

static void wave(Buffer<Start> &b, int n, int threads)
{
	LAUNCH(blocks, n, threads, 0, b.data, 20000);
	std::vector<Start> v = b.read(n);
	u64 first = ~0ull;
	for (auto &s : v)
		first = std::min(first, s.timer);
	std::vector<double> at;
	for (auto &s : v)
		at.push_back((double)(s.timer - first));
	for (double q : { 0.25, 0.5, 0.75, 1.0 })
		row("wave_timer", "ns", quantile(at, q),
		    "blocks=%d,threads=%d,quantile=%g", n, threads, q);
	row_metric("wave_launch", "cycle", CYCLES, "blocks=%d,threads=%d", n,
		   threads);
}

static void gaps(const char *name, std::vector<Start> v, const char *what)
{
	std::stable_sort(
		v.begin(), v.end(), [](const Start &a, const Start &b) {
			return a.sm != b.sm ? a.sm < b.sm : a.start < b.start;
		});
	std::vector<double> g;
	for (size_t i = 1; i < v.size(); i++)
		if (v[i].sm == v[i - 1].sm)
			g.push_back((double)(v[i].start - v[i - 1].end));
	row(name, "cycle", quantile(g, 0.5), "%s", what);
	row("gap_p90", "cycle", quantile(g, 0.9), "%s", what);
}

static void switches(Buffer<Start> &b, int threads, int kib, u32 cycles)
{
	char what[80];
	std::snprintf(what, sizeof what, "threads=%d,kib=%d,cycles=%u", threads,
		      kib, cycles);
	LAUNCH(blocks, 132 * 4, threads, kib << 10, b.data, cycles);
	gaps("gap", b.read(132 * 4), what);
	row_metric("gap_launch", "cycle", CYCLES, "%s", what);
}

template <int N> static void switches_with(Buffer<Start> &b, Buffer<u32> &p)
{
	cudaFuncAttributes a;
	CHECK(cudaFuncGetAttributes(&a, blocks_with<N>));
	CHECK(cudaFuncSetAttribute(blocks_with<N>,
				   cudaFuncAttributeMaxDynamicSharedMemorySize,
				   200 << 10));
	char what[80];
	std::snprintf(what, sizeof what, "threads=256,kib=200,registers=%d",
		      a.numRegs);
	LAUNCH(blocks_with<N>, 132 * 4, 256, 200 << 10, b.data, 2000, p.data,
	       0);
	gaps("gap", b.read(132 * 4), what);
}

int main()
{
	part = "ramp";
	Buffer<Start> b(8192);
	Buffer<u64> w(1 << 16);
	Buffer<u32> p(1 << 16);
	w.zero();
	CHECK(cudaFuncSetAttribute(blocks,
				   cudaFuncAttributeMaxDynamicSharedMemorySize,
				   200 << 10));
	LAUNCH(blocks, 132, 32, 200 << 10, b.data, 20000);
	std::vector<Start> v = b.read(132);
	std::vector<double> skew;
	for (auto &s : v)
		skew.push_back((double)s.start -
			       1.98 * (double)(s.timer - v[0].timer));
	row("skew", "cycle", quantile(skew, 1) - quantile(skew, 0), "sms=132");
	for (int threads : { 32, 256, 1024 })
		for (int n : { 16, 132, 264, 1056, 2112 })
			if ((long)n * threads <= 132 * 2048)
				wave(b, n, threads);
	for (int threads : { 32, 128, 256, 512, 1024 }) {
		LAUNCH(warps, 1, threads, 0, w.data);
		std::vector<u64> t = w.read(threads / 32);
		u64 first = ~0ull, last = 0;
		for (int i = 0; i < threads / 32; i++) {
			first = std::min(first, t[i]);
			last = std::max(last, t[i]);
		}
		row("warps", "cycle", (double)(last - first), "threads=%d",
		    threads);
		if (threads == 1024)
			for (int i = 0; i < 32; i++)
				row("warp_start", "cycle",
				    (double)(t[i] - first), "warp=%d", i);
	}
	for (int threads : { 32, 128, 256, 512, 1024 })
		switches(b, threads, 200, 2000);
	for (int kib : { 120, 200 })
		switches(b, 128, kib, 20000);
	switches(b, 128, 200, 200);
	switches_with<4>(b, p);
	switches_with<48>(b, p);
	switches_with<180>(b, p);
	return 0;
}
