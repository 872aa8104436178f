/*
 * The long checks of CGM, for `make check`:
 *
 *	cgm_long states [N]  small systems in every state; of three caches with
 *	                     two blocks, in the N nearest to the first one
 *	cgm_long values N    N accesses at random, over all variants
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgm/explore.h"
#include "cgm/variants.h"

/* Explores up to that many states, nearest first; 0: all. */
static int explore_system(struct explore x, uint64_t limit)
{
	bool good, more;

	x.table = &cgm_table;
	x.ways = x.home_ways = x.buffers = 1;
	x.limit = limit ? limit : UINT64_MAX;
	good = explore_run(&x);
	more = limit && x.states >= limit;
	printf("%u caches, %u blocks%s: %" PRIu64 " states%s, %" PRIu64
	       " transitions, %u messages to rest at most: %s\n",
	       x.caches, x.blocks, x.flushes ? ", flushes" : "", x.states,
	       more ? ", the nearest" : "", x.steps, x.longest,
	       good || more ? "good" : x.failure);
	fflush(stdout);
	return !good && !more;
}

static int explore_all(uint64_t limit)
{
	return explore_system((struct explore){ .caches = 3,
						.blocks = 1,
						.flushes = true },
			      0) |
	       explore_system((struct explore){ .caches = 2, .blocks = 2 }, 0) |
	       explore_system((struct explore){ .caches = 3, .blocks = 2 },
			      limit);
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
		return explore_all(argc > 2 ? strtoull(argv[2], NULL, 10) : 0);
	if (argc == 3 && !strcmp(argv[1], "values"))
		return random_all(strtoull(argv[2], NULL, 10));
	fputs("expected states, or values N\n", stderr);
	return 2;
}
