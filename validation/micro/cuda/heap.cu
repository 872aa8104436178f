// malloc, free and printf in kernels: by lanes of a warp, warps, blocks, size,
// size of the heap, first and later calls, and what is allocated already.
#include "heap.cuh"

// Prints nothing that can be seen: 0 with a precision of 0 has no digits.
template <int ARGUMENTS>
__global__ void print(Shape s, int zero, u64 *time, Span *spans)
{
	u32 lane = threadIdx.x % 32,
	    warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
	    mask = s.lanes == 32 ? ~0u : (1u << s.lanes) - 1;
	if ((int)lane >= s.lanes)
		return;
	u64 start = now(), t = start;
	for (int i = 0; i < s.calls; i++) {
		if (ARGUMENTS == 1)
			printf("%.0d", zero);
		else
			printf("%.0d%.0d%.0d%.0d%.0d%.0d%.0d%.0d", zero, zero,
			       zero, zero, zero, zero, zero, zero);
		__syncwarp(mask);
		u64 end = now();
		if (lane == 0)
			time[warp * s.calls + i] = end - t;
		t = end;
	}
	if (lane == 0)
		spans[warp] = Span{ smid(), start, t };
}

// The names of three rows: the first call of a warp; its later calls; cycles of
// the longest SM for each call of a lane.
struct Names {
	const char *first, *later, *each;
};
static const Names of_malloc = { "malloc_first", "malloc_later", "malloc_each" },
		   of_free = { "free_first", "free_later", "free_each" },
		   of_free_back = { "free_back_first", "free_back_later",
				    "free_back_each" },
		   of_pair = { "pair_first", "pair_later", "pair_each" },
		   of_print_1 = { "print_1_first", "print_1_later",
				  "print_1_each" },
		   of_print_8 = { "print_8_first", "print_8_later",
				  "print_8_each" };

static void rows(const Names &name, Memory &m, const Shape &s,
		 const char *heap)
{
	size_t warps = (size_t)s.blocks * s.threads / 32;
	std::vector<u64> time = m.time.read(warps * s.calls);
	std::vector<double> first, later;
	for (size_t i = 0; i < time.size(); i++)
		(i % s.calls ? later : first).push_back((double)time[i]);
	row(name.first, "cycle", quantile(first, 0.5), "%s", shape(s, heap));
	if (s.calls > 1)
		row(name.later, "cycle", quantile(later, 0.5), "%s",
		    shape(s, heap));
	double calls = (double)warps * s.lanes * s.calls;
	row(name.each, "cycle", longest(m.spans.read(warps)) / calls, "%s",
	    shape(s, heap));
}

static void failures(Memory &m, const Shape &s, const char *heap)
{
	size_t count = (size_t)s.blocks * s.threads / 32 * s.lanes * s.calls;
	double failed = 0;
	for (void *p : m.kept.read(count))
		failed += !p;
	if (failed > 0)
		row("malloc_failed", "call", failed, "%s", shape(s, heap));
}

static void take_and_give(Memory &m, const Shape &s, const char *heap,
			  bool backwards = false)
{
	m.spans.zero();
	LAUNCH(take, s.blocks, s.threads, 0, s, m.kept.data, m.time.data,
	       m.spans.data);
	rows(of_malloc, m, s, heap);
	failures(m, s, heap);
	m.spans.zero();
	LAUNCH(give, s.blocks, s.threads, 0, s, backwards, m.kept.data,
	       m.time.data, m.spans.data);
	rows(backwards ? of_free_back : of_free, m, s, heap);
}

static void one_warp(Memory &m, const char *heap)
{
	take_and_give(m, { 1, 32, 1, 64, 0, 1 }, heap);
	for (u32 bytes : { 16u, 64u, 128u, 256u, 512u, 1024u, 2048u, 4096u,
			   16384u, 65536u })
		for (int lanes : { 1, 8, 32 })
			take_and_give(m, { 1, 32, lanes, bytes, 0, 16 }, heap);
	for (int lanes : { 2, 4, 16 })
		take_and_give(m, { 1, 32, lanes, 64, 0, 16 }, heap);
	take_and_give(m, { 1, 32, 32, 16, 4, 16 }, heap);
	take_and_give(m, { 1, 32, 32, 16, 64, 16 }, heap);
	take_and_give(m, { 1, 32, 1, 64, 0, 16 }, heap, true);
	take_and_give(m, { 1, 32, 32, 64, 0, 16 }, heap, true);
}

static void many_warps(Memory &m, const char *heap)
{
	for (u32 bytes : { 64u, 1024u, 8192u })
		for (int lanes : { 1, 32 })
			for (int blocks : { 1, 2, 8, 33, 132, 264 })
				for (int warps : { 1, 2, 8 }) {
					if (scale() > 1 && blocks * warps > 64)
						continue;
					if (lanes > 1 && bytes > 64 &&
					    blocks * warps > 132)
						continue;
					take_and_give(m, { blocks, warps * 32,
							   lanes, bytes, 0, 4 },
						      heap);
				}
}

static void pairs(Memory &m, const char *heap)
{
	for (u32 bytes : { 64u, 4096u })
		for (int lanes : { 1, 32 })
			for (int blocks : { 1, 8, 132 }) {
				Shape s = { blocks, 32, lanes, bytes, 0, 8 };
				if (scale() > 1 && blocks > 8)
					continue;
				m.spans.zero();
				LAUNCH(pair, blocks, 32, 0, s, m.time.data,
				       m.spans.data);
				rows(of_pair, m, s, heap);
			}
}

// Calls of one lane while `before` blocks are allocated.
static void filled(Memory &m, const char *heap)
{
	for (int before : { 1024, 8192, 32768 }) {
		if (scale() > 1 && before > 1024)
			continue;
		Shape fill = { before / 1024, 32, 32, 64, 0, 32 };
		Shape s = { 1, 32, 1, 64, 0, 16 };
		Buffer<void *> other(before);
		LAUNCH(take, fill.blocks, 32, 0, fill, other.data, m.time.data,
		       m.spans.data);
		char name[64];
		std::snprintf(name, sizeof name, "%s,before=%d", heap, before);
		take_and_give(m, s, name);
		LAUNCH(give, fill.blocks, 32, 0, fill, 0, other.data,
		       m.time.data, m.spans.data);
	}
}

static void prints(Memory &m)
{
	for (int lanes : { 1, 2, 4, 8, 16, 32 })
		for (int blocks : { 1, 8, 132 }) {
			Shape s = { blocks, 32, lanes, 0, 0, 4 };
			if (scale() > 1 && blocks > 8)
				continue;
			LAUNCH(print<1>, blocks, 32, 0, s, 0, m.time.data,
			       m.spans.data);
			rows(of_print_1, m, s, "-");
			LAUNCH(print<8>, blocks, 32, 0, s, 0, m.time.data,
			       m.spans.data);
			rows(of_print_8, m, s, "-");
		}
	for (int warps : { 2, 8, 32 }) {
		Shape s = { 1, warps * 32, 32, 0, 0, 4 };
		LAUNCH(print<1>, 1, warps * 32, 0, s, 0, m.time.data,
		       m.spans.data);
		rows(of_print_1, m, s, "-");
	}
}

static void all(Memory &m, const char *heap)
{
	one_warp(m, heap);
	many_warps(m, heap);
	pairs(m, heap);
	filled(m, heap);
	prints(m);
}

static void few(Memory &m, const char *heap)
{
	for (u32 bytes : { 64u, 4096u })
		for (int lanes : { 1, 32 })
			for (int blocks : { 1, 16 })
				take_and_give(m, { blocks, 32, lanes, bytes, 0,
						   2 },
					      heap);
}

int main()
{
	part = "heap";
	with_heap(512, "512M", all);
	with_heap(8, "8M", few);
	with_heap(2048, "2G", few);
	return 0;
}
