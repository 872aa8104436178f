/*
 * What a replay costs: a trace on the H200, opened and replayed, against the
 * program itself, its code read and launched, one thread each, by the
 * processor's time. The two take turns, and the number of cycles must be the
 * same.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TURNS = 3 };

struct last {
	double seconds, cycles;
};

static int on_done(void *ctx, const struct heddle_replayed *r)
{
	struct last *last = ctx;

	last->cycles = (double)r->results[0].cycles;
	return 0;
}

/* What the trace takes. The device is new each time, as is the one
 * of the program: the L2 of both begins empty. */
static struct last replay(const char *path)
{
	struct rig r;
	struct last last = { 0 };
	struct heddle_replay_options o = { .done = on_done, .ctx = &last };
	struct heddle_error err;

	rig_init_timed(&r, "h200");
	last.seconds = -cpu_seconds();
	expect(heddle_replay(r.device, path, &o, &err) == HEDDLE_OK, err.text);
	last.seconds += cpu_seconds();
	rig_free(&r);
	return last;
}

static struct last live(void (*run)(struct rig *r, struct last *last))
{
	struct last last = { 0 };
	struct rig r;

	rig_init_timed(&r, "h200");
	run(&r, &last);
	rig_free(&r);
	return last;
}

static void record(const char *path,
		   void (*run)(struct rig *r, struct last *last))
{
	struct heddle_error err;
	struct last ignored;
	struct rig r;

	rig_init(&r, 1);
	expect(heddle_trace_begin(r.device, path, "bench", &err) == HEDDLE_OK,
	       err.text);
	run(&r, &ignored);
	expect(heddle_trace_end(r.device, &err) == HEDDLE_OK, err.text);
	rig_free(&r);
}

/* The best of the program over the best of its trace. */
static double ratio(void (*run)(struct rig *r, struct last *last))
{
	char path[] = "/tmp/heddle-bench-XXXXXX";
	double best_live = 0, best_replay = 0;
	int fd = mkstemp(path);

	expect(fd >= 0, "a file below /tmp");
	close(fd);
	record(path, run);
	for (int i = 0; i < TURNS; i++) {
		struct last a = live(run), b = replay(path);

		expect(a.cycles == b.cycles, "the cycles of a replay");
		if (i == 0 || a.seconds < best_live)
			best_live = a.seconds;
		if (i == 0 || b.seconds < best_replay)
			best_replay = b.seconds;
	}
	unlink(path);
	return best_live / best_replay;
}

static void launch(struct rig *r, const struct run *run, struct last *last)
{
	char *text = need(heddle_module_print(r->module));
	struct heddle_module *again;
	struct heddle_error err;

	last->seconds = -cpu_seconds();
	expect(heddle_module_load(r->device, &again, "again.ptx", text,
				  strlen(text), &err) == HEDDLE_OK,
	       err.text);
	last->cycles = rig_launch(r, run).cycles;
	last->seconds += cpu_seconds();
	heddle_module_free(r->device, again);
	free(text);
}

/* A product of matrices of order 256 in tiles. */
static void compute(struct rig *r, struct last *last)
{
	enum { N = 256, BYTES = 4 * N * N };
	struct {
		heddle_ptr a, b, c;
		int32_t n;
	} params = { .n = N };
	struct run run = { .kernel = "matmul_tiled",
			   .grid = { N / 16, N / 16, 1 },
			   .block = { 16, 16, 1 },
			   .params = &params,
			   .param_bytes = 28 };

	params.a = rig_array(r, NULL, BYTES);
	params.b = rig_array(r, NULL, BYTES);
	params.c = rig_array(r, NULL, BYTES);
	launch(r, &run, last);
}

double bench_trace_compute(void)
{
	return ratio(compute);
}

/* A sum of vectors. */
static void memory(struct rig *r, struct last *last)
{
	enum { N = 1 << 20, BYTES = 4 * N };
	struct {
		heddle_ptr a, b, c;
		int32_t n;
	} params = { .n = N };
	struct run run = { .kernel = "vecadd",
			   .grid = { N / 256, 1, 1 },
			   .block = { 256, 1, 1 },
			   .params = &params,
			   .param_bytes = 28 };

	params.a = rig_array(r, NULL, BYTES);
	params.b = rig_array(r, NULL, BYTES);
	params.c = rig_array(r, NULL, BYTES);
	launch(r, &run, last);
}

double bench_trace_memory(void)
{
	return ratio(memory);
}
