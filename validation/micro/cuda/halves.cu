// Which half of the L2 an address is in, for an SM: latencies of one lane's accesses to
// 64 lines, sorted, by kind and SM; and those of the first load behind what another SM
// has done to the lines.
#include "micro.cuh"

#include <cmath>

enum { LOAD, STRONG, ADD, CAS, STORE_LOAD, RED_LOAD, ADD_LOAD, KINDS };
static const char *const kind_names[] = { "load_cg",    "load_volatile",
					  "add",        "cas",
					  "store_load", "red_load",
					  "add_load" };
enum { LINES = 64, TIMES = 8 };

static __device__ __forceinline__ u32 strong(char *at)
{
	u32 r;
	asm volatile("ld.volatile.global.u32 %0, [%1];"
		     : "=r"(r)
		     : "l"(at)
		     : "memory");
	return r;
}

static __device__ __forceinline__ u32 add(char *at)
{
	u32 r;
	asm volatile("atom.global.add.u32 %0, [%1], 1;"
		     : "=r"(r)
		     : "l"(at)
		     : "memory");
	return r;
}

static __device__ __forceinline__ u32 act(int kind, char *at)
{
	u32 r = 0;
	switch (kind) {
	case LOAD:
		asm volatile("ld.global.cg.u32 %0, [%1];"
			     : "=r"(r)
			     : "l"(at)
			     : "memory");
		return r;
	case STRONG:
		return strong(at);
	case ADD:
		return add(at);
	case CAS:
		asm volatile("atom.global.cas.b32 %0, [%1], 5, 6;"
			     : "=r"(r)
			     : "l"(at)
			     : "memory");
		return r;
	case STORE_LOAD:
		asm volatile("st.global.u32 [%0], 1;" ::"l"(at) : "memory");
		return strong(at);
	case RED_LOAD:
		asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at)
			     : "memory");
		return strong(at);
	default:
		r = add(at);
		return strong(at + (r == 12345));
	}
}

// The line of the i-th measurement: far from the others, so that slices differ.
static __device__ __forceinline__ char *line_of(char *p, int i)
{
	return p + (size_t)(i * 2654435761u >> 12) % 65536 * 128;
}

// Only the block on SM `sm` works. times: accesses of a line in a chain; 1: its first.
__global__ void probe(char *p, u32 sm, int kind, int times, u32 zero, u32 *out)
{
	if (smid() != sm || threadIdx.x)
		return;
	for (int i = 0; i < LINES; i++) {
		char *at = line_of(p, i);
		if (times > 1)
			at += act(kind, at) & zero;
		u64 t = now();
#pragma unroll 1
		for (int k = 0; k < times; k++)
			at += act(kind, at) & zero;
		out[i] = (u32)(now() - t + ((size_t)at & zero)) / times;
	}
}

static void quantiles(const char *name, std::vector<u32> v, const char *format,
		      ...)
{
	char text[100];
	va_list list;
	va_start(list, format);
	std::vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	std::sort(v.begin(), v.end());
	for (int percent : { 0, 10, 25, 40, 50, 60, 75, 90, 100 })
		row(name, "cycle", v[(LINES - 1) * percent / 100],
		    "%s,percent=%d", text, percent);
}

struct Memory {
	Buffer<char> p{ 8 << 20 };
	Buffer<u32> out{ LINES };
};

static std::vector<u32> run(Memory &m, u32 sm, int kind, int times)
{
	LAUNCH(probe, 132, 32, 0, m.p.data, sm, kind, times, 0, m.out.data);
	return m.out.read(LINES);
}

int main()
{
	part = "halves";
	Memory m;
	m.p.zero();
	for (u32 sm : { 0u, 1u, 16u, 40u, 77u, 100u, 124u, 131u }) {
		std::vector<u32> adds = run(m, sm, ADD, TIMES), more;
		for (int kind = 0; kind < KINDS; kind++) {
			std::vector<u32> v = run(m, sm, kind, TIMES);
			quantiles(kind_names[kind], v, "chain,sm=%u", sm);
			// Are lines that take an atomic long those that take this
			// long?
			double a = 0, b = 0, ab = 0, aa = 0, bb = 0;
			for (int i = 0; i < LINES; i++)
				a += adds[i], b += v[i];
			for (int i = 0; i < LINES; i++) {
				double x = adds[i] - a / LINES,
				       y = v[i] - b / LINES;
				ab += x * y, aa += x * x, bb += y * y;
			}
			row(kind_names[kind], "",
			    ab / std::sqrt(aa * bb + 1e-9), "like_add,sm=%u",
			    sm);
		}
		for (u32 other : { 0u, 40u, 124u })
			for (int kind : { STRONG, STORE_LOAD, ADD }) {
				// All lines are known to both; then one changes them.
				run(m, sm, STRONG, 1);
				run(m, other, kind, 1);
				quantiles("first", run(m, sm, STRONG, 1),
					  "behind=%s,other=%u,sm=%u",
					  kind_names[kind], other, sm);
			}
	}
	return 0;
}
