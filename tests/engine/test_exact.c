/*
 * Engines that claim to be exact give the same memory, statistics, samples and
 * events as serial, on any number of threads.
 */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "races.h"

LABEL(few, threads);

#define CONFIG(name) HEDDLE_SOURCE_DIR "/configs/" name ".cfg"

static bool says_how(const struct program *p, struct way way,
		     const struct outcome *o)
{
	uint64_t blocks = (uint64_t)p->grid.x * p->grid.y * p->grid.z;
	uint64_t want = way.threads < blocks ? way.threads : blocks;

	if (!strcmp(way.engine, o->engine) && o->exact && o->threads == want)
		return true;
	printf("    %s, %u threads, exact %d; not %s, %d threads\n", o->engine,
	       o->threads, o->exact, way.engine, (int)want);
	return false;
}

struct job {
	const char *engine, *config;
	const unsigned *threads; /* ends with 0 */
};

static bool agrees(const struct program *p, const struct heddle_config *c,
		   const struct job *j)
{
	static struct outcome want, got;
	struct way way = { .threads = 1, .engine = "serial", .watch = true };

	printf("  %s\n", p->kernel);
	if (!program_run(p, c, way, &want))
		return false;
	if (want.status)
		return printf("    refused: %s\n", want.error), true;
	if (!want.samples || !want.events)
		return printf("    nothing was watched\n"), false;
	way.engine = j->engine;
	for (const unsigned *n = j->threads; *n; n++) {
		way.threads = *n;
		if (!program_run(p, c, way, &got) || got.status ||
		    !says_how(p, way, &got) || !same_memory(&want, &got) ||
		    !same_stats(&want, &got))
			return printf("    %u threads\n", *n), false;
	}
	return true;
}

static bool all_agree(const void *ctx)
{
	const struct job *j = ctx;
	struct heddle_config *c;
	struct heddle_error err;
	bool good = true;

	if (heddle_config_load(&c, j->config, &err))
		return printf("%s\n", err.text), false;
	for (unsigned i = 0; good && i < program_count; i++)
		good = agrees(&programs[i], c, j);
	for (unsigned i = 0; good && i < RACES; i++)
		good = agrees(&races[i], c, j);
	heddle_config_free(c);
	return good;
}

static void check(const char *engine, const char *config)
{
	static const unsigned threads[] = { 1, 2, 3, 4, 8, 0 };

	OK(apart(all_agree, &(struct job){ engine, config, threads }, 280));
}

/* For the thread sanitizer, which is slow. */
TEST(few, threads_are_enough_to_find_data_races)
{
	static const unsigned three[] = { 3, 0 }, two[] = { 2, 0 };

	OK(apart(all_agree, &(struct job){ "exact", CONFIG("tiny"), three },
		 280));
	OK(apart(all_agree, &(struct job){ "cycle", CONFIG("tiny"), two },
		 280));
}

TEST(exact_tiny, is_serial_to_the_last_bit)
{
	check("exact", CONFIG("tiny"));
}

TEST(exact_gtx285, is_serial_to_the_last_bit)
{
	check("exact", CONFIG("gtx285"));
}

TEST(exact_h200, is_serial_to_the_last_bit)
{
	check("exact", CONFIG("h200"));
}

TEST(cycle_tiny, is_serial_to_the_last_bit)
{
	check("cycle", CONFIG("tiny"));
}

TEST(cycle_gtx285, is_serial_to_the_last_bit)
{
	check("cycle", CONFIG("gtx285"));
}

TEST(cycle_h200, is_serial_to_the_last_bit)
{
	check("cycle", CONFIG("h200"));
}

static bool repeats(const void *ctx)
{
	static struct outcome first, again;
	struct way way = { .threads = 3, .engine = "exact", .watch = true };
	struct heddle_config *c;
	bool good;

	if (heddle_config_load(&c, CONFIG("tiny"), NULL))
		return false;
	good = program_run(ctx, c, way, &first) && !first.status;
	for (int i = 1; good && i < 100; i++)
		good = program_run(ctx, c, way, &again) && !again.status &&
		       same_memory(&first, &again) &&
		       same_stats(&first, &again);
	heddle_config_free(c);
	return good;
}

TEST(repeat, a_hundred_runs_of_a_race_are_the_same)
{
	OK(apart(repeats, &races[0], 120));
}

TEST(repeat, a_hundred_runs_with_contended_atomics_are_the_same)
{
	OK(apart(repeats, &races[1], 120));
}

TEST(repeat, a_hundred_runs_that_allocate_are_the_same)
{
	OK(apart(repeats, &races[2], 120));
}
