// Atomics of global memory: to one word, one line, or a line of each warp or
// lane; with and without a result; integer, float, compare and swap.
#include "micro.cuh"

// kind: 0 red.add.u32, 1 atom.add.u32, 2 red.add.f32, 3 atom.cas, 4 red.add.u64,
// 5 red.max.u32. The value differs from lane to lane, so that the compiler does
// not add up a warp's values first.
template <int KIND>
__global__ void __launch_bounds__(1024)
	work(char *p, int where, int n, Span *out, u32 *sink)
{
	u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	size_t global = (size_t)blockIdx.x * (blockDim.x / 32) + warp;
	char *at = p;
	if (where == 1) // the words of one line
		at = p + lane * (KIND == 4 ? 8 : 4);
	else if (where == 2) // a line of each warp
		at = p + global * 256 + lane * (KIND == 4 ? 8 : 4);
	else if (where == 3) // a line of each lane
		at = p + (global * 32 + lane) * 128;
	u32 sum = 0;
	u64 t = 0;
#pragma unroll 1
	for (int i = 0; i <= n; i++) {
		if (i == 1) {
			__threadfence();
			__syncthreads();
			t = now();
		}
		u32 v = threadIdx.x + i, r = 0;
		if (KIND == 0)
			asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at),
				     "r"(v)
				     : "memory");
		else if (KIND == 1)
			asm volatile("atom.global.add.u32 %0, [%1], %2;"
				     : "=r"(r)
				     : "l"(at), "r"(v + (sum & 1))
				     : "memory");
		else if (KIND == 2)
			asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at),
				     "f"(__uint_as_float(v))
				     : "memory");
		else if (KIND == 3)
			asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
				     : "=r"(r)
				     : "l"(at), "r"(v + (sum & 1)), "r"(v + 1)
				     : "memory");
		else if (KIND == 4)
			asm volatile("red.global.add.u64 [%0], %1;" ::"l"(at),
				     "l"((u64)v)
				     : "memory");
		else
			asm volatile("red.global.max.u32 [%0], %1;" ::"l"(at),
				     "r"(v)
				     : "memory");
		sum += r;
	}
	__threadfence();
	if (lane == 0)
		out[global] = Span{ smid(), t, now() };
	if (sum == 7)
		*sink = sum;
}

static const char *const places[] = { "word", "line", "line_per_warp",
				      "line_per_lane" };

template <int KIND> static void measure(const char *name)
{
	static Buffer<char> *b = new Buffer<char>(64 << 20);
	static Buffer<Span> *s = new Buffer<Span>(132 * 64);
	static Buffer<u32> *w = new Buffer<u32>(16);
	b->zero();
	const int n = 4;
	for (int where = 0; where < 4; where++)
		for (int blocks : { 1, 132 })
			for (int threads : { 32, 256, 1024 }) {
				if (where == 3 && blocks * threads > 132 * 256)
					continue;
				if (scale() > 1 && blocks * threads > 132 * 256)
					continue;
				LAUNCH(work<KIND>, blocks, threads, 0, b->data,
				       where, n, s->data, w->data);
				double t = longest(
					s->read((size_t)blocks * threads / 32));
				row(name, "cycle/warp",
				    t / (n * threads / 32.0),
				    "%s,blocks=%d,threads=%d", places[where],
				    blocks, threads);
			}
}

int main()
{
	part = "atomic";
	measure<0>("red_add");
	measure<1>("atom_add");
	measure<2>("red_add_f32");
	measure<3>("atom_cas");
	measure<4>("red_add_64");
	measure<5>("red_max");
	return 0;
}
