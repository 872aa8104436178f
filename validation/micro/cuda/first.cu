// The first launches of a process, with caches that are cold every time: what a
// launch costs that touches memory no launch has touched before, load by load.
#include "micro.cuh"

static const int LOADS = 32;

// One thread reads a word of each of LOADS pages of 2 MiB, one after the other.
__global__ void touch(const char *p, u32 *out)
{
	u32 zero = 0;
	u64 t[LOADS + 1];
	t[0] = now();
#pragma unroll
	for (int i = 0; i < LOADS; i++) {
		u32 v;
		asm volatile("ld.global.cg.u32 %0, [%1];"
			     : "=r"(v)
			     : "l"(p + ((size_t)i << 21) + i * 384 + zero)
			     : "memory");
		zero = v & 1; // every word is 0
		if (zero)
			out[LOADS] = v;
		t[i + 1] = now();
	}
	for (int i = 0; i < LOADS; i++)
		out[i] = (u32)(t[i + 1] - t[i]);
}

// The same by one warp of every SM, all at once.
__global__ void touch_all(const char *p, u32 *out)
{
	u64 t = now();
	u32 v = *(volatile const u32 *)(p + ((size_t)blockIdx.x << 21) +
					blockIdx.x * 384);
	if (v)
		out[132] = v;
	out[blockIdx.x] = (u32)(now() - t);
}

static void launch(const char *p, Buffer<u32> &out, int n, const char *what)
{
	LAUNCH(touch, 1, 1, 0, p, out.data);
	std::vector<u32> v = out.read(LOADS);
	for (int i : { 0, 1, 2, 3, 4, 8, 16, 17, 31 })
		row("touch", "cycle", v[i], "launch=%d,%s,load=%d", n, what, i);
	row("touch_mean", "cycle",
	    std::accumulate(v.begin(), v.end(), 0.0) / LOADS, "launch=%d,%s", n,
	    what);
	row_metric("touch_launch", "cycle", CYCLES, "launch=%d,%s", n, what);
}

static void launch_all(const char *p, Buffer<u32> &out, int n, const char *what)
{
	LAUNCH(touch_all, 132, 32, 0, p, out.data);
	std::vector<u32> v = out.read(132);
	std::vector<double> d(v.begin(), v.end());
	for (double q : { 0.0, 0.25, 0.5, 0.75, 1.0 })
		row("all", "cycle", quantile(d, q), "launch=%d,%s,quantile=%g",
		    n, what, q);
	row_metric("all_launch", "cycle", CYCLES, "launch=%d,%s", n, what);
}

int main()
{
	part = "first";
	Buffer<char> a((size_t)512 << 20), b((size_t)512 << 20);
	Buffer<u32> out(1024);
	CHECK(cudaMemset(a.data, 0, a.count));
	CHECK(cudaMemset(b.data, 0, b.count));
	launch(a.data, out, 0, "new");
	launch(a.data, out, 1, "same");
	launch(a.data, out, 2, "same");
	launch(a.data + (64 << 20), out, 3, "new");
	launch(a.data + (64 << 20), out, 4, "same");
	launch(b.data, out, 5, "new_buffer");
	launch(b.data, out, 6, "same");
	launch_all(b.data + (128 << 20), out, 7, "new");
	launch_all(b.data + (128 << 20), out, 8, "same");
	launch_all(b.data + (128 << 20), out, 9, "same");
	return 0;
}
