/* The overhead of a call of the library. */
#include "bench.h"

enum { LAUNCHES = 20000, BLOCKS = 4, THREADS = 256 };

/* With n = 0 the threads have nothing to add. */
double bench_launch(void)
{
	struct {
		heddle_ptr a, b, c;
		int32_t n;
	} params = { .n = 0 };
	const struct rig_run run = { .kernel = "vecadd",
				     .grid = { BLOCKS, 1, 1 },
				     .block = { THREADS, 1, 1 },
				     .params = &params,
				     .param_bytes = 28 };
	struct rig r;
	double start;

	rig_init(&r, 1);
	start = cpu_seconds();
	for (int i = 0; i < LAUNCHES; i++)
		expect(rig_launch(&r, &run).warp_instructions > 0,
		       "vecadd: nothing was executed");
	start = cpu_seconds() - start;
	rig_free(&r);
	return start / LAUNCHES * 1e6;
}
