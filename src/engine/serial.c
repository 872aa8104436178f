#include "engine/engine.h"

#include "base/minmax.h"
#include "gpu/part.h"

static void merge(struct gpu *g)
{
	for (unsigned phase = 0; phase < GPU_MERGE_PHASES; phase++) {
		uint32_t shares = gpu_merge_shares(g, phase);

		for (uint32_t i = 0; i < shares; i++)
			gpu_merge(g, phase, i);
	}
}

static cycle_t advance(struct gpu *g, struct gpu_side side, cycle_t from,
		       cycle_t to)
{
	cycle_t next = CYCLE_NEVER;

	for (uint32_t i = side.first; i < side.end; i++)
		next = least(next, gpu_advance(g, i, from, to));
	return next;
}

void engine_serial(struct gpu *g, cycle_t window, struct engine_report *out)
{
	cycle_t from = gpu_now(g), longest = gpu_lookahead(g);

	window = window && window < longest ? window : longest;
	*out = (struct engine_report){ "serial", 1, window, true };
	while (!gpu_over(g)) {
		cycle_t to = gpu_window_end(g, from, window);
		cycle_t next = advance(g, gpu_memory_side(g), from, to);

		if (gpu_turn(g, from))
			merge(g);
		if (gpu_over(g))
			break;
		next = least(next, advance(g, gpu_sm_side(g), from, to));
		gpu_window_done(g, to, next);
		from = most(next, to);
	}
}
