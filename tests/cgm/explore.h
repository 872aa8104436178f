/*
 * The exhaustive check of CGM's protocol: every state that a small system can
 * reach, by every order of messages, accesses, evictions and flushes, executed
 * by the functions of mem/cgm/proto.h.
 *
 * Checked in every state:
 *  - no cache may write while another has a copy;
 *  - every coherent copy holds the value written last (a copy is fresh or stale:
 *    a write makes every other value in the system stale);
 *  - while no cache may write and nothing is in flight, the L3, or memory, has
 *    that value: no write is lost;
 *  - no event meets a state without a row;
 *  - messages alone lead back to rest: no deadlock, and every transient state
 *    and every waiting access is resolved.
 *
 * Caches are alike, and so are blocks: states that differ only in their names
 * count once.
 */
#ifndef HEDDLE_TESTS_CGM_EXPLORE_H
#define HEDDLE_TESTS_CGM_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/cgm/proto.h"

enum { EXPLORE_CACHES = 3, EXPLORE_BLOCKS = 2 };

struct explore {
	const struct cgm_table *table;
	unsigned caches, blocks;
	unsigned ways, home_ways; /* blocks that a cache, the L3 has room for */
	unsigned buffers;         /* evictions in flight of a cache */
	bool flushes;
	unsigned plain; /* the last ones are not coherent */
	uint64_t limit; /* states; more is a failure */

	/* Results */
	uint64_t states, steps;
	unsigned longest;  /* messages from a state to rest, at most */
	char failure[256]; /* "" if all is well */
	bool cache_used[CGM_CSTATES][CGM_CEVENTS];
	bool home_used[CGM_HSTATES][CGM_HEVENTS];
};

/* Explores everything; true if no check failed. */
bool explore_run(struct explore *x);

#endif
