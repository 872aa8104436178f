/*
 * The speed-up of a second thread: the exact engine on two threads over the
 * serial one, on the H200, in wall-clock time. The two take turns, so that
 * other load on the machine disturbs both alike. Both must simulate the same
 * number of cycles.
 */
#include "bench.h"

#include <stdlib.h>

enum { TURNS = 3 };

static double launch_seconds(struct rig *r, const struct rig_run *run,
			     double *cycles)
{
	double start = wall_seconds();

	*cycles = rig_launch(r, run).cycles;
	return wall_seconds() - start;
}

/* The best time of the serial rig over the best of the exact one. */
static double speedup(struct rig *serial, const struct rig_run *on_serial,
		      struct rig *exact, const struct rig_run *on_exact)
{
	double best_serial = 0, best_exact = 0;

	for (int i = 0; i < TURNS; i++) {
		double want, got;
		double a = launch_seconds(serial, on_serial, &want);
		double b = launch_seconds(exact, on_exact, &got);

		expect(want == got, "two engines disagree on the cycles");
		best_serial = i == 0 || a < best_serial ? a : best_serial;
		best_exact = i == 0 || b < best_exact ? b : best_exact;
	}
	return best_serial / best_exact;
}

double bench_engine_compute(void)
{
	struct matmul serial, exact;
	double r;

	rig_init_engine(&serial.rig, "h200", "serial", 1);
	rig_init_engine(&exact.rig, "h200", "exact", 2);
	matmul_prepare(&serial);
	matmul_prepare(&exact);
	r = speedup(&serial.rig, &serial.run, &exact.rig, &exact.run);
	matmul_finish(&serial);
	matmul_finish(&exact);
	return r;
}

/* Two memory-bound kernels: one reads in order, the other reads 32 random
 * addresses for each warp. */

enum { THREADS = 1 << 20, GATHERS = 1 << 16, PLACES = 16 << 20 };

struct memory_bound {
	struct rig rig;
	struct {
		heddle_ptr array[3];
		int32_t n;
	} params;
	struct rig_run run;
};

static void describe_run(struct memory_bound *m, const char *kernel, uint32_t n)
{
	m->params.n = (int32_t)n;
	m->run = (struct rig_run){ .kernel = kernel,
				   .grid = { n / 256, 1, 1 },
				   .block = { 256, 1, 1 },
				   .params = &m->params,
				   .param_bytes = 28 };
}

static void prepare_stream(struct memory_bound *m)
{
	for (int i = 0; i < 3; i++)
		m->params.array[i] =
			rig_array(&m->rig, NULL, sizeof(float) * THREADS);
	describe_run(m, "vecadd", THREADS);
}

static void prepare_gather(struct memory_bound *m)
{
	uint32_t *places = need(malloc(sizeof(*places) * PLACES)), seed = 1;

	for (uint32_t i = 0; i < PLACES; i++)
		places[i] = next_random(&seed) % PLACES;
	m->params.array[0] =
		rig_array(&m->rig, places, sizeof(*places) * PLACES);
	m->params.array[1] =
		rig_array(&m->rig, places, sizeof(*places) * GATHERS);
	m->params.array[2] =
		rig_array(&m->rig, NULL, sizeof(*places) * GATHERS);
	describe_run(m, "gather", GATHERS);
	free(places);
}

static double memory_ratio(void (*prepare)(struct memory_bound *m))
{
	struct memory_bound serial, exact;
	double r;

	rig_init_engine(&serial.rig, "h200", "serial", 1);
	rig_init_engine(&exact.rig, "h200", "exact", 2);
	prepare(&serial);
	prepare(&exact);
	r = speedup(&serial.rig, &serial.run, &exact.rig, &exact.run);
	rig_free(&serial.rig);
	rig_free(&exact.rig);
	return r;
}

double bench_engine_memory(void)
{
	double stream = memory_ratio(prepare_stream);
	double gather = memory_ratio(prepare_gather);

	return stream < gather ? stream : gather;
}
