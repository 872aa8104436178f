/*
 * When the blocks of a grid ended, in waves.
 *
 * A wave is as many blocks as the GPU holds at once, in the order of their
 * numbers: the first blocks, which start together, then those that take their
 * places. Blocks of one wave have the same work to do, as far as the program
 * is concerned; how far apart they end is what the machine made of it.
 */
#ifndef HEDDLE_GPU_WAVES_H
#define HEDDLE_GPU_WAVES_H

#include <stdint.h>

#include "base/cycle.h"
#include "base/diag.h"

struct wave {
	uint64_t blocks; /* that have ended */
	cycle_t first, last;
	double mean, squares; /* of the distances from the mean */
};

struct waves {
	struct wave *wave;
	uint64_t size; /* blocks of a wave; the last may have fewer */
	uint64_t count;
};

/* waves_free in any case. ERR_NOMEM. */
MUST_USE enum err waves_init(struct waves *w, uint64_t blocks, uint64_t size,
			     struct diag *d);
void waves_free(struct waves *w);

/* A block has ended. The order of these calls decides the last bits. */
void waves_add(struct waves *w, uint64_t block, cycle_t end);

struct waves_sum {
	/* The root of the mean over all blocks of the squared distance from the
	 * mean of their wave, in cycles. */
	double deviation;
	cycle_t gap; /* the most of any wave, from its first end to its last */
};

struct waves_sum waves_sum(const struct waves *w);

#endif
