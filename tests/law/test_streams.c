/* Kernels that run at the same time do not disturb each other. */
#include <stdio.h>

#include "test.h"

#include "law.h"

/* The programs with their own text, GROUP at a time from `first` on. */
static size_t choose(const struct program *list[GROUP], unsigned first)
{
	size_t n = 0;
	unsigned seen = 0;

	for (unsigned i = 0; i < program_count && n < GROUP; i++)
		if (programs[i].text && seen++ >= first)
			list[n++] = &programs[i];
	return n;
}

static bool obeys(const struct heddle_config *c, unsigned first)
{
	static struct outcome plain, whole, cut, shared;
	const struct program *list[GROUP];
	size_t n = choose(list, first);

	return group_run(list, n, NULL, PLAIN_WAY, &plain) &&
	       group_run(list, n, c, PLAIN_WAY, &whole) &&
	       group_run(list, n, c, (struct way){ .window = 1, .threads = 1 },
			 &cut) &&
	       group_run(list, n, c, (struct way){ .threads = 3 }, &shared) &&
	       same_memory(&plain, &whole) && same_memory(&plain, &cut) &&
	       same_memory(&plain, &shared) && same_stats(&whole, &cut) &&
	       same_stats(&whole, &shared);
}

static bool run_config(const void *path)
{
	struct heddle_config *c;
	struct heddle_error err;
	bool good;

	if (heddle_config_load(&c, path, &err))
		return printf("%s\n", err.text), false;
	good = obeys(c, 0) && obeys(c, 3);
	heddle_config_free(c);
	return good;
}

#define ON(name) \
	OK(apart(run_config, HEDDLE_SOURCE_DIR "/configs/" name ".cfg", 120))

TEST(streams, of_eight_kernels_obey_on_small_and_large_machines)
{
	ON("tiny");
	ON("gtx285");
	ON("h200");
}
