/*
 * The long checks of CGM, for `make check`:
 *
 *	cgm_long states      three caches and two blocks in every state
 *	cgm_long values N    N accesses at random, over all variants
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgm/explore.h"
#include "cgm/variants.h"

static int explore_all(const char *limit)
{
	struct explore x = { .table = &cgm_table,
			     .caches = 3,
			     .blocks = 2,
			     .ways = 1,
			     .home_ways = 1,
			     .buffers = 1,
			     .limit = limit ? strtoull(limit, NULL, 10) :
					      UINT64_MAX };
	bool good = explore_run(&x);

	printf("%" PRIu64 " states, %" PRIu64 " transitions, %u messages to "
	       "rest at most: %s\n",
	       x.states, x.steps, x.longest, good ? "good" : x.failure);
	return !good;
}

static int random_all(uint64_t accesses)
{
	int wrong = 0;

	for (unsigned i = 0; i < VARIANTS; i++) {
		/* One in ten where everything is evicted all the time. */
		const char *tiny = variant_try(i, accesses / VARIANTS / 10,
					       false, 100 + i);
		const char *roomy = variant_try(i, accesses / VARIANTS / 10 * 9,
						true, 200 + i);

		wrong |= tiny || roomy;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "states"))
		return explore_all(argc > 2 ? argv[2] : NULL);
	if (argc == 3 && !strcmp(argv[1], "values"))
		return random_all(strtoull(argv[2], NULL, 10));
	fputs("expected states, or values N\n", stderr);
	return 2;
}
