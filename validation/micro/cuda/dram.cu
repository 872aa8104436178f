// Cold memory: how long single loads, bursts of loads and the first loads of a
// small kernel take, and how much that varies.
#include "micro.cuh"

static __device__ __forceinline__ u32 load(const char *p)
{
	u32 v;
	asm volatile("ld.global.cg.u32 %0, [%1];"
		     : "=r"(v)
		     : "l"(p)
		     : "memory");
	return v;
}

// One thread, one load after the other, each timed.
__global__ void single(const char *p, u32 n, u32 stride, unsigned short *out,
		       u32 *sink)
{
	for (u32 i = 0; i < n; i++) {
		u64 t = now();
		u32 v = load(p + (size_t)i * stride);
		if (v == 1)
			*sink = v;
		out[i] = (unsigned short)min((u32)(now() - t), 65535);
	}
}

// All warps load a line each, then wait for each other. Each notes how long its
// own load took: a clock that is read after a barrier may be read too early, as
// the machine does not wait for the barrier until something needs it.
__global__ void __launch_bounds__(1024)
	burst(const char *p, u32 rounds, u32 *out, u32 *sink)
{
	u32 warp = threadIdx.x / 32, warps = blockDim.x / 32;
	const char *at = p +
			 ((size_t)blockIdx.x * rounds * warps + warp) * 128 +
			 threadIdx.x % 32 * 4;
	for (u32 i = 0; i < rounds; i++) {
		__syncthreads();
		u64 t = now();
		u32 v = load(at);
		if (v == 1)
			*sink = v;
		u64 e = now();
		if (threadIdx.x % 32 == 0)
			out[(blockIdx.x * rounds + i) * warps + warp] =
				(u32)(e - t);
		at += warps * 128;
	}
}

// A small kernel as programs have them: c[i] = a[i] + b[i]. Each warp says when
// it had its address, its operands, and when its store was sent.
__global__ void small(const float *a, const float *b, float *c, u32 *out, int n)
{
	u64 t0 = now();
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	asm volatile("" ::"r"(i) : "memory");
	u64 t1 = now();
	float x = a[i], y = b[i];
	float s = x + y;
	asm volatile("" ::"f"(s) : "memory");
	if (s == 12345.f)
		out[0] = 1;
	u64 t2 = now();
	c[i] = s;
	u64 t3 = now();
	if (threadIdx.x % 32 == 0) {
		u32 *o = out + i / 32 * 3;
		o[0] = (u32)(t1 - t0);
		o[1] = (u32)(t2 - t1);
		o[2] = (u32)(t3 - t2);
	}
}

template <class T>
static void spread(const char *name, const std::vector<T> &v, const char *what)
{
	std::vector<double> d(v.begin(), v.end());
	for (double q : { 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0 })
		row(name, "cycle", quantile(d, q), "%s,quantile=%g", what, q);
	row(name, "cycle", std::accumulate(d.begin(), d.end(), 0.0) / d.size(),
	    "%s,mean", what);
}

int main()
{
	part = "dram";
	const size_t MiB = 1 << 20;
	Buffer<char> m(1024 * MiB);
	Buffer<unsigned short> o(8192);
	Buffer<u32> words(1 << 16), sink(16);
	CHECK(cudaMemset(m.data, 0, 64 * MiB));
	words.zero();
	char what[80];
	for (u32 stride : { 128u, 4096u, 65536u, 262144u }) {
		LAUNCH(single, 1, 1, 0, m.data, 2048, stride, o.data,
		       sink.data);
		std::snprintf(what, sizeof what, "stride=%u", stride);
		spread("single", o.read(2048), what);
	}
	for (int blocks : { 1, 16, 132 })
		for (int warps : { 1, 2, 4, 8, 16, 32 }) {
			LAUNCH(burst, blocks, warps * 32, 0, m.data, 8,
			       words.data, sink.data);
			std::snprintf(what, sizeof what, "blocks=%d,warps=%d",
				      blocks, warps);
			std::vector<u32> v = words.read((size_t)blocks * 8 *
							warps),
					 most;
			for (size_t i = 0; i < v.size(); i += warps)
				most.push_back(*std::max_element(
					v.begin() + i, v.begin() + i + warps));
			spread("burst", v, what);
			spread("burst_slowest", most, what);
			row_metric("burst_launch", "cycle", CYCLES, "%s", what);
		}
	for (int blocks : { 1, 16, 64, 132, 264, 1000 })
		for (int threads : { 64, 256 }) {
			int n = blocks * threads;
			LAUNCH(small, blocks, threads, 0, (float *)m.data,
			       (float *)(m.data + 16 * MiB),
			       (float *)(m.data + 32 * MiB), words.data, n);
			std::vector<u32> v = words.read(n / 32 * 3);
			std::vector<u32> part_of[3];
			for (size_t i = 0; i < v.size(); i++)
				part_of[i % 3].push_back(v[i]);
			const char *names[] = { "small_address", "small_load",
						"small_store" };
			std::snprintf(what, sizeof what, "blocks=%d,threads=%d",
				      blocks, threads);
			for (int k = 0; k < 3; k++)
				spread(names[k], part_of[k], what);
			row_metric("small_launch", "cycle", CYCLES, "%s", what);
			row_metric("small_active", "cycle",
				   "sm__cycles_active.sum", "%s", what);
		}
	return 0;
}
