#include "engine/engine.h"

#include "base/minmax.h"
#include "gpu/partition.h"

void engine_serial(struct gpu *g, cycle_t window)
{
	cycle_t from = gpu_now(g);

	while (!gpu_over(g)) {
		cycle_t to = gpu_window_end(g, from, window);
		cycle_t next = gpu_advance(g, gpu_memory_side(g), from, to);

		if (gpu_memory_done(g, from))
			gpu_merge(g);
		if (gpu_over(g))
			break;
		next = min_u64(next, gpu_advance(g, gpu_sm_side(g), from, to));
		gpu_window_done(g, to, next);
		from = max_u64(next, to);
	}
}
