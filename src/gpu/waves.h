/*
 * Statistics of when the blocks of a grid end, wave by wave.
 *
 * A wave is as many blocks as the GPU holds at once, in the order of their
 * numbers: the first blocks, which start together, then those that replace
 * them. To the program all blocks of a wave do the same work; the machine is
 * the reason if they end far apart.
 */
#ifndef HEDDLE_GPU_WAVES_H
#define HEDDLE_GPU_WAVES_H

#include <stdint.h>

#include "base/cycle.h"
#include "base/diag.h"

struct wave_ends {
	uint64_t blocks; /* ended so far */
	cycle_t first, last;
	double mean, squares; /* sum of squared distances from the mean */
};

struct waves {
	struct wave_ends *wave;
	uint64_t size; /* blocks of a wave; the last one may have fewer */
	uint64_t count;
};

/* Call waves_free in any case. ERR_NOMEM. */
MUST_USE enum err waves_init(struct waves *w, uint64_t blocks, uint64_t size,
			     struct diag *d);
void waves_free(struct waves *w);

/* Records the end of a block. The last bits of the results depend on the order
 * of these calls. */
void waves_add(struct waves *w, uint64_t block, cycle_t end);

struct waves_sum {
	/* Root mean square, over all blocks, of the distance from the mean of
	 * their wave, in cycles. */
	double deviation;
	cycle_t gap; /* maximum over waves, from first end to last */
};

struct waves_sum waves_sum(const struct waves *w);

#endif
