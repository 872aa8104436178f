/*
 * The cost of a replay: opening and replaying a trace on the H200, compared with
 * loading and launching the program itself, one thread each, in processor time.
 * The two take turns, and the number of cycles must be the same.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TURNS = 3 };

struct replay_turn {
	double seconds, cycles;
};

static int on_done(void *ctx, const struct heddle_replayed *r)
{
	struct replay_turn *turn = ctx;

	turn->cycles = (double)r->results[0].cycles;
	return 0;
}

/* Replays the trace. The device is new each time, as for the program: the L2
 * starts empty. */
static struct replay_turn replay(const char *path)
{
	struct rig r;
	struct replay_turn turn = { 0 };
	struct heddle_replay_options o = { .done = on_done, .ctx = &turn };
	struct heddle_error err;

	rig_init_timed(&r, "h200");
	turn.seconds = -cpu_seconds();
	expect(heddle_replay(r.device, path, &o, &err) == HEDDLE_OK, err.text);
	turn.seconds += cpu_seconds();
	rig_free(&r);
	return turn;
}

static struct replay_turn live(void (*run)(struct rig *r,
					   struct replay_turn *turn))
{
	struct replay_turn turn = { 0 };
	struct rig r;

	rig_init_timed(&r, "h200");
	run(&r, &turn);
	rig_free(&r);
	return turn;
}

static void record(const char *path,
		   void (*run)(struct rig *r, struct replay_turn *turn))
{
	struct heddle_error err;
	struct replay_turn ignored;
	struct rig r;

	rig_init(&r, 1);
	expect(heddle_trace_begin(r.device, path, "bench", &err) == HEDDLE_OK,
	       err.text);
	run(&r, &ignored);
	expect(heddle_trace_end(r.device, &err) == HEDDLE_OK, err.text);
	rig_free(&r);
}

/* The best time of the program over the best of its trace. */
static double replay_speedup(void (*run)(struct rig *r,
					 struct replay_turn *turn))
{
	char path[] = "/tmp/heddle-bench-XXXXXX";
	double best_live = 0, best_replay = 0;
	int fd = mkstemp(path);

	expect(fd >= 0, "cannot create a file in /tmp");
	close(fd);
	record(path, run);
	for (int i = 0; i < TURNS; i++) {
		struct replay_turn a = live(run), b = replay(path);

		expect(a.cycles == b.cycles,
		       "a replay takes other cycles than the program");
		if (i == 0 || a.seconds < best_live)
			best_live = a.seconds;
		if (i == 0 || b.seconds < best_replay)
			best_replay = b.seconds;
	}
	unlink(path);
	return best_live / best_replay;
}

static void load_and_launch(struct rig *r, const struct rig_run *run,
			    struct replay_turn *turn)
{
	char *text = need(heddle_module_print(r->module));
	struct heddle_module *again;
	struct heddle_error err;

	turn->seconds = -cpu_seconds();
	expect(heddle_module_load(r->device, &again, "again.ptx", text,
				  strlen(text), &err) == HEDDLE_OK,
	       err.text);
	turn->cycles = rig_launch(r, run).cycles;
	turn->seconds += cpu_seconds();
	heddle_module_free(r->device, again);
	free(text);
}

/* A tiled product of matrices of order 256. */
static void run_matmul(struct rig *r, struct replay_turn *turn)
{
	enum { N = 256, BYTES = 4 * N * N };
	struct {
		heddle_ptr a, b, c;
		int32_t n;
	} params = { .n = N };
	struct rig_run run = { .kernel = "matmul_tiled",
			       .grid = { N / 16, N / 16, 1 },
			       .block = { 16, 16, 1 },
			       .params = &params,
			       .param_bytes = 28 };

	params.a = rig_array(r, NULL, BYTES);
	params.b = rig_array(r, NULL, BYTES);
	params.c = rig_array(r, NULL, BYTES);
	load_and_launch(r, &run, turn);
}

double bench_trace_compute(void)
{
	return replay_speedup(run_matmul);
}

/* A sum of vectors. */
static void run_vecadd(struct rig *r, struct replay_turn *turn)
{
	enum { N = 1 << 20, BYTES = 4 * N };
	struct {
		heddle_ptr a, b, c;
		int32_t n;
	} params = { .n = N };
	struct rig_run run = { .kernel = "vecadd",
			       .grid = { N / 256, 1, 1 },
			       .block = { 256, 1, 1 },
			       .params = &params,
			       .param_bytes = 28 };

	params.a = rig_array(r, NULL, BYTES);
	params.b = rig_array(r, NULL, BYTES);
	params.c = rig_array(r, NULL, BYTES);
	load_and_launch(r, &run, turn);
}

double bench_trace_memory(void)
{
	return replay_speedup(run_vecadd);
}
