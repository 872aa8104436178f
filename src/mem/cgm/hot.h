/*
 * Which blocks cause the traffic of coherence: forwards, invalidations and
 * recalls, counted by block at their home.
 *
 * Models:  CGM_HOT_BLOCKS counters. When all are taken, a new block takes that of
 *          the one with the fewest and goes on from its count (Metwally, Agrawal
 *          and El Abbadi, 2005): a block with more than all / CGM_HOT_BLOCKS is
 *          never missing, and `over` says by how much a count may be too high.
 * Owner:   a slice; read between windows.
 */
#ifndef HEDDLE_MEM_CGM_HOT_H
#define HEDDLE_MEM_CGM_HOT_H

#include <stdint.h>

enum { CGM_HOT_BLOCKS = 128 };

struct cgm_hot_block {
	uint64_t block; /* address / CGM_BLOCK */
	uint64_t count; /* of all of it; 0: not used */
	uint64_t over;  /* of these, at most so many are other blocks' */
	/* What is known to be its own. */
	uint64_t forwards, invalidations, recalls;
};

struct cgm_hot {
	struct cgm_hot_block at[CGM_HOT_BLOCKS];
};

/* Something happened to a block; one of the numbers is not 0. */
void cgm_hot_add(struct cgm_hot *h, uint64_t block, uint64_t forwards,
		 uint64_t invalidations, uint64_t recalls);

#endif
