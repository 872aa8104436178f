/*
 * A replay gives the same cycles, statistics, samples and events as the run
 * that was recorded, for any engine that recorded it and any that replays it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

#include "engine/races.h"
#include "trace/trace.h"

#define CONFIG(name) HEDDLE_SOURCE_DIR "/configs/" name ".cfg"

/* The behaviour of these depends on timing: locks, the last thread to arrive,
 * the addresses that malloc returns. */
static const char *const timed_only[] = { "lock", "last", "race", "contend",
					  "allocate" };

static bool depends_on_time(const struct program *p)
{
	for (size_t i = 0; i < sizeof(timed_only) / sizeof(timed_only[0]); i++)
		if (!strcmp(p->kernel, timed_only[i]))
			return true;
	return false;
}

static bool replays(const char *path, const struct heddle_config *c,
		    const struct outcome *want)
{
	static const struct way ways[] = {
		{ .threads = 1, .engine = "serial", .watch = true },
		{ .threads = 2, .engine = "exact", .watch = true },
	};
	static struct outcome got;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!trace_run(path, c, ways[i], &got))
			return false;
		if (got.status)
			return printf("    %s\n", got.error), false;
		if (want &&
		    (got.cycles != want->cycles || !same_stats(want, &got)))
			return printf("    %d cycles, not %d\n",
				      (int)got.cycles, (int)want->cycles),
			       false;
	}
	return true;
}

struct job {
	const char *config, *path;
};

static bool program_replays(const struct program *p,
			    const struct heddle_config *c, const char *path)
{
	static struct outcome want, got;
	struct way way = { .threads = 1, .engine = "serial", .watch = true };

	printf("  %s\n", p->kernel);
	if (!program_run(p, c, way, &want))
		return false;
	if (want.status)
		return printf("    refused: %s\n", want.error), true;
	way.record = path;
	if (!program_run(p, c, way, &got) || got.status ||
	    !same_memory(&want, &got) || !same_stats(&want, &got) ||
	    !replays(path, c, &want))
		return printf("    recorded with time\n"), false;
	way = (struct way){ .threads = 2, .record = path };
	if (!program_run(p, NULL, way, &got) || got.status ||
	    !replays(path, NULL, NULL) ||
	    !replays(path, c, depends_on_time(p) ? NULL : &want))
		return printf("    recorded without time\n"), false;
	return true;
}

static bool all_replay(const void *ctx)
{
	const struct job *j = ctx;
	struct heddle_config *c;
	struct heddle_error err;
	bool good = true;

	if (heddle_config_load(&c, j->config, &err))
		return printf("%s\n", err.text), false;
	for (unsigned i = 0; i < program_count; i++)
		good = program_replays(&programs[i], c, j->path) && good;
	for (unsigned i = 0; i < RACES; i++)
		good = program_replays(&races[i], c, j->path) && good;
	heddle_config_free(c);
	return good;
}

static void check(const char *config)
{
	char path[] = "/tmp/heddle-replay-XXXXXX";
	int fd = mkstemp(path);

	OK(fd >= 0);
	close(fd);
	if (!trace_supported()) {
		printf("no libzstd: no traces\n");
		unlink(path);
		return;
	}
	OK(apart(all_replay, &(struct job){ config, path }, 280));
	unlink(path);
}

/* Bytes in the file for each warp-instruction of the program's launches; below
 * 0: it could not be recorded. */
static double cost_of(const struct program *p, const char *path)
{
	static struct outcome out;
	uint64_t bytes = 0, instructions = 0;
	struct trace *t;
	struct diag d;

	if (!program_run(p, NULL, (struct way){ .threads = 2, .record = path },
			 &out) ||
	    out.status || trace_open(&t, path, &d))
		return -1;
	for (size_t i = 0; i < trace_item_count(t); i++) {
		struct trace_item it = trace_item(t, i);
		const struct trace_launch_record *l;

		if (it.kind != TRACE_LAUNCH)
			continue;
		l = trace_get_launch(t, it.number);
		bytes += l->file_bytes;
		instructions += l->warp_instructions;
	}
	trace_close(t);
	return instructions ? (double)bytes / (double)instructions : -1;
}

TEST(size, regular_kernels_cost_less_than_two_bytes_an_instruction)
{
	static const char *const regular[] = { "vecadd", "matmul_tiled",
					       "stencil" };
	char path[] = "/tmp/heddle-replay-XXXXXX";
	int fd = mkstemp(path), found = 0;

	OK(fd >= 0);
	close(fd);
	for (unsigned i = 0; trace_supported() && i < program_count; i++)
		for (int k = 0; k < 3; k++) {
			double cost;

			if (strcmp(programs[i].kernel, regular[k]) != 0)
				continue;
			cost = cost_of(&programs[i], path);
			printf("  %s %.3f\n", regular[k], cost);
			OK(cost > 0 && cost < 2);
			found++;
		}
	EQ(trace_supported() ? 3 : 0, found);
	unlink(path);
}

TEST(tiny, replays_equal_runs)
{
	check(CONFIG("tiny"));
}

TEST(gtx285, replays_equal_runs)
{
	check(CONFIG("gtx285"));
}

TEST(gtx480, replays_equal_runs)
{
	check(CONFIG("gtx480"));
}

TEST(c2050, replays_equal_runs)
{
	check(CONFIG("c2050"));
}

TEST(titanx, replays_equal_runs)
{
	check(CONFIG("titanx-pascal"));
}

TEST(qv100, replays_equal_runs)
{
	check(CONFIG("qv100"));
}

TEST(fastlanes, replays_equal_runs)
{
	check(CONFIG("fastlanes"));
}

TEST(a100, replays_equal_runs)
{
	check(CONFIG("a100"));
}

TEST(rtx4090, replays_equal_runs)
{
	check(CONFIG("rtx4090"));
}

TEST(h200, replays_equal_runs)
{
	check(CONFIG("h200"));
}
