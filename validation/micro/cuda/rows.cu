// Each lane reads a row of its own, word by word: the sectors of 32 lines, each of
// them for several loads. Cycles of a load by warps, unrolling, width, place of the
// data and what else is loaded.
#include "micro.cuh"

enum { PASS = 128 }; // loads of a lane

template <class T> static __device__ __forceinline__ T load_ca(const T *p);
template <> __device__ __forceinline__ float load_ca<float>(const float *p)
{
	float v;
	asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p));
	return v;
}
template <> __device__ __forceinline__ double load_ca<double>(const double *p)
{
	double v;
	asm volatile("ld.global.ca.f64 %0, [%1];" : "=d"(v) : "l"(p));
	return v;
}

// One block; `touch`: the rows are in the L2 before; `passes` of 2: in the L1, as
// far as they fit into it. With X, a word that all lanes share is loaded besides.
template <class T, int UNROLL, bool X>
__global__ void __launch_bounds__(512)
	sum_rows(const T *p, const T *x, u32 pitch, int touch, int passes,
		 u64 *out, T *sink)
{
	const T *row = p + (size_t)threadIdx.x * pitch;
	u64 t = 0;
	T sum = 0, other = 0;
	if (touch)
		for (int k = 0; k < PASS; k += 32 / sizeof(T)) {
			float v;
			asm volatile("ld.global.cg.f32 %0, [%1];"
				     : "=f"(v)
				     : "l"(row + k)
				     : "memory");
			sum += v;
		}
	for (int pass = 0; pass < passes; pass++) {
		__syncthreads();
		t = now();
#pragma unroll 1
		for (int k = 0; k < PASS; k += UNROLL) {
			T v[UNROLL], w[UNROLL];
#pragma unroll
			for (int u = 0; u < UNROLL; u++) {
				v[u] = load_ca(row + k + u);
				w[u] = X ? load_ca(x + k + u) : T(0);
			}
#pragma unroll
			for (int u = 0; u < UNROLL; u++) {
				sum += v[u];
				other += w[u];
			}
			// The next loads wait for these, as sums in order do.
			if (sum == T(1) || other == T(1))
				*sink = sum + other;
		}
		__syncthreads();
		t = now() - t;
	}
	if (threadIdx.x == 0)
		*out = t;
	if (sum == T(3))
		*sink = sum + other;
}

template <class T, int UNROLL, bool X>
static void measure(const char *name, Buffer<char> &p, Buffer<char> &x,
		    Buffer<u64> &out, Buffer<double> &sink)
{
	for (u32 pitch : { 1056u, 4096u })
		for (int place : { 0, 1, 2 })
			for (u32 warps : { 1, 2, 4, 8, 16 }) {
				if (place == 2 && warps > 4)
					continue;
				if (warps % 4 == 2 && UNROLL != 4)
					continue;
				LAUNCH((sum_rows<T, UNROLL, X>), 1, warps * 32,
				       0, (const T *)p.data, (const T *)x.data,
				       pitch / (u32)sizeof(T), place > 0,
				       place == 2 ? 2 : 1, out.data,
				       (T *)sink.data);
				row(name, "cycle",
				    out.read(1)[0] / (double)PASS,
				    "unroll=%d,pitch=%u,in=%s,warps=%u", UNROLL,
				    pitch,
				    place == 0 ? "dram" :
				    place == 1 ? "l2" :
						 "l1",
				    warps);
			}
}

int main()
{
	part = "rows";
	Buffer<char> p(2 << 20), x(4096);
	Buffer<u64> out(1);
	Buffer<double> sink(1);
	p.zero();
	x.zero();
	measure<float, 1, false>("float", p, x, out, sink);
	measure<float, 4, false>("float", p, x, out, sink);
	measure<float, 8, false>("float", p, x, out, sink);
	measure<double, 4, false>("double", p, x, out, sink);
	measure<float, 4, true>("float_and_shared", p, x, out, sink);
}
