/*
 * The long checks of CGM, for `make check`:
 *
 *	cgm_long states [THREADS]          three caches with two blocks, in every
 *	                                   state
 *	cgm_long values N [SEED [VARIANT]] N accesses at random, over all variants
 *	                                   of the protocol, or in one: 0 to 11
 *
 * The program stands alone: it can be built statically and run elsewhere, in
 * many processes with seeds of their own.
 */
#define _POSIX_C_SOURCE 200809L /* sysconf, clock_gettime */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cgm/pairs.h"
#include "cgm/variants.h"

static int explore_pairs(const struct block_graph *g, const char *what,
			 uint16_t shared, unsigned threads)
{
	struct pairs p = { .graph = g, .shared = shared, .threads = threads };
	double start = clock_seconds();
	bool good = pairs_explore(&p);

	printf("two blocks, %s: %" PRIu64 " states of %" PRIu64
	       " that have room, %" PRIu64 " transitions, %u rounds, %" PRIu64
	       " MB, %.1f s: %s\n",
	       what, p.states, p.places, p.steps, p.rounds, p.bytes / 1000000,
	       clock_seconds() - start, good ? "good" : p.failure);
	fflush(stdout);
	return !good;
}

static int explore_all(unsigned threads)
{
	struct moves m = { .table = &cgm_table,
			   .caches = SYS_CACHES,
			   .blocks = 1,
			   .ways = 1,
			   .home_ways = 1,
			   .buffers = 1,
			   .mshrs = 1,
			   .flushes = true,
			   .kids = true };
	double start = clock_seconds();
	struct block_graph g;
	bool good = block_explore(&g, &m);
	int wrong = !good;

	printf("%u caches, one block: %" PRIu32 " states, %" PRIu32
	       " under every name, %" PRIu64
	       " transitions, %u messages to rest at most, %" PRIu64
	       " MB, %.1f s: %s\n",
	       m.caches, good ? block_distinct(&g) : 0, g.states, g.steps,
	       g.longest, g.bytes / 1000000, clock_seconds() - start,
	       good ? "good" : g.system.failure);
	fflush(stdout);
	if (good)
		wrong = explore_pairs(&g, "one place at the home",
				      PAIRS_SHARE_ALL, threads) |
			explore_pairs(&g, "in different slices",
				      PAIRS_OTHER_SLICE, threads);
	block_free(&g);
	return wrong;
}

/* One in ten where everything is evicted all the time, which takes longer. */
static int try_variant(unsigned i, uint64_t accesses, uint64_t seed)
{
	uint64_t tiny = accesses / 10, pages = accesses / 100;
	bool good = variant_try(i, tiny, ROOM_TINY, seed);

	good &= variant_try(i, pages, ROOM_PAGES, seed);
	good &= variant_try(i, accesses - tiny - pages, ROOM_ENOUGH, seed);
	fflush(stdout);
	return !good;
}

static int random_all(int argc, char **argv)
{
	uint64_t accesses = strtoull(argv[2], NULL, 10);
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	int wrong = 0;

	if (argc > 4)
		return try_variant((unsigned)atoi(argv[4]) % VARIANTS, accesses,
				   seed);
	for (unsigned i = 0; i < VARIANTS; i++)
		wrong |= try_variant(i, accesses / VARIANTS, seed + i);
	return wrong;
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (argc > 1 && !strcmp(argv[1], "states"))
		return explore_all(argc > 2 ? (unsigned)atoi(argv[2]) :
					      (unsigned)cpus);
	if (argc > 2 && !strcmp(argv[1], "values"))
		return random_all(argc, argv);
	fputs("Usage: cgm_long states [THREADS] | values N [SEED [VARIANT]]\n",
	      stderr);
	return 2;
}
