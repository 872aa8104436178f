#include "engine/engine.h"

#include "base/minmax.h"
#include "gpu/partition.h"

static cycle_t advance_side(struct gpu *g, struct gpu_side side, cycle_t from,
			    cycle_t to)
{
	struct gpu_due due = gpu_find_due(g, side, from, to);

	return min_u64(due.next, gpu_advance(g, due, from, to));
}

void engine_serial(struct gpu *g, cycle_t window)
{
	cycle_t from = gpu_now(g);

	while (!gpu_over(g)) {
		cycle_t to = gpu_window_end(g, from, window);
		cycle_t next = advance_side(g, gpu_memory_side(g), from, to);

		if (gpu_memory_done(g, from))
			gpu_merge(g);
		if (gpu_over(g))
			break;
		next = min_u64(next, advance_side(g, gpu_sm_side(g), from, to));
		gpu_window_done(g, to, next);
		from = max_u64(next, to);
	}
}
