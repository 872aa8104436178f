// Instructions and cycles of launches that call malloc and free: by lanes of a warp,
// warps, blocks, size, calls, and what is allocated already. Every value is a metric
// of a launch.
#include "heap.cuh"

static void rows(const char *name, const Shape &s, const char *heap)
{
	for (const char *m : { "smsp__inst_executed.sum",
			       "smsp__thread_inst_executed_pred_on.sum", CYCLES })
		row_metric(name, "", m, "%s,%s", m, shape(s, heap));
}

static void take_and_give(Memory &m, const Shape &s, const char *heap)
{
	LAUNCH(take, s.blocks, s.threads, 0, s, m.kept.data, m.time.data,
	       m.spans.data);
	rows("malloc", s, heap);
	LAUNCH(give, s.blocks, s.threads, 0, s, 0, m.kept.data, m.time.data,
	       m.spans.data);
	rows("free", s, heap);
}

static void one_warp(Memory &m, const char *heap)
{
	for (u32 bytes : { 16u, 64u, 256u, 1024u, 2048u, 8192u, 65536u })
		for (int lanes : { 1, 2, 4, 8, 16, 32 })
			for (int calls : { 1, 4 })
				take_and_give(m, { 1, 32, lanes, bytes, 0,
						   calls },
					      heap);
	for (u32 step : { 4u, 64u })
		take_and_give(m, { 1, 32, 32, 16, step, 4 }, heap);
}

static void many_warps(Memory &m, const char *heap)
{
	for (u32 bytes : { 64u, 1024u })
		for (int lanes : { 1, 8, 32 })
			for (int blocks : { 1, 2, 4, 8, 16, 33, 132 })
				for (int warps : { 1, 2, 8 }) {
					if (scale() > 1 && blocks * warps > 64)
						continue;
					if (lanes > 1 && bytes > 64 &&
					    blocks * warps > 33)
						continue;
					take_and_give(m, { blocks, warps * 32,
							   lanes, bytes, 0, 4 },
						      heap);
				}
}

static void pairs(Memory &m, const char *heap)
{
	for (int lanes : { 1, 8, 32 })
		for (int blocks : { 1, 2, 8, 16, 132 })
			for (int warps : { 1, 2 }) {
				Shape s = { blocks, warps * 32, lanes, 64, 0,
					    4 };
				if (scale() > 1 && blocks > 16)
					continue;
				LAUNCH(pair, blocks, warps * 32, 0, s,
				       m.time.data, m.spans.data);
				rows("pair", s, heap);
			}
}

// Calls of one lane, and of a warp, while `before` blocks are allocated.
static void filled(Memory &m, const char *heap)
{
	for (int before : { 1024, 8192, 32768 }) {
		if (scale() > 1 && before > 1024)
			continue;
		Shape fill = { before / 1024, 32, 32, 64, 0, 32 };
		Buffer<void *> other(before);
		LAUNCH(take, fill.blocks, 32, 0, fill, other.data, m.time.data,
		       m.spans.data);
		char name[64];
		std::snprintf(name, sizeof name, "%s,before=%d", heap, before);
		for (int lanes : { 1, 8, 32 })
			take_and_give(m, { 1, 32, lanes, 64, 0, 4 }, name);
		LAUNCH(give, fill.blocks, 32, 0, fill, 0, other.data,
		       m.time.data, m.spans.data);
	}
}

static void all(Memory &m, const char *heap)
{
	one_warp(m, heap);
	pairs(m, heap);
	many_warps(m, heap);
	filled(m, heap);
}

int main()
{
	part = "heapcount";
	with_heap(512, "512M", all);
	return 0;
}
