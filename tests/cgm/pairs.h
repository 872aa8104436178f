/*
 * Every state of a system with two blocks, which take places, buffers and MSHRs
 * from each other: pairs of states of a block (cgm/block.h).
 *
 * A step of one block leaves the other as it is, so a pair's steps are those of
 * its two halves, less those for which there is no room. Every pair that can be
 * reached is visited, once for all names of caches and both orders of the blocks;
 * a bit each, at a place of its own, says which have been: nothing is hashed.
 *
 * Checked in every pair, besides what block_explore has checked in its halves:
 * either both blocks are at rest, or a message can arrive, or one block waits for
 * the place at the home of the other, which is at rest and can leave it.
 */
#ifndef HEDDLE_TESTS_CGM_PAIRS_H
#define HEDDLE_TESTS_CGM_PAIRS_H

#include "cgm/block.h"

struct pairs {
	const struct block_graph *graph;
	uint16_t shared;  /* bits of sys_uses that there is only one of */
	unsigned threads; /* 0: 1 */

	/* Results */
	uint64_t states, steps;
	uint64_t places; /* bits: pairs that would have room */
	uint64_t bytes;
	unsigned rounds;
	char failure[256];
};

/* Places, buffers, MSHRs and the home's place: all of them. */
enum {
	PAIRS_SHARE_ALL = (2 << USE_HOME) - 1,
	PAIRS_OTHER_SLICE = (1 << USE_HOME) - 1
};

bool pairs_explore(struct pairs *p);

#endif
