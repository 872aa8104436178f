/*
 * A replay takes the cycles, the statistics, the samples and the events of the
 * run that was recorded, whoever recorded it and whoever replays it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

#include "engine/races.h"

#define CONFIG(name) HEDDLE_SOURCE_DIR "/configs/" name ".cfg"

/* What these do depends on how long it takes: locks, the last one of several
 * to arrive, where malloc finds room. */
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
	OK(apart(all_replay, &(struct job){ config, path }, 280));
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

TEST(c2050, replays_equal_runs)
{
	check(CONFIG("c2050"));
}

TEST(h200, replays_equal_runs)
{
	check(CONFIG("h200"));
}
