/*
 * How many blocks of a kernel an SM holds at once, and what limits them.
 *
 * Models:  the limits on warps, threads, blocks, registers and shared memory,
 *          with the allocation units of the GPU's generation. If several
 *          limits are equally tight, the first of enum occupancy_limit is
 *          named.
 * Does not model: carve-outs of the L1 chosen by a driver: the shared memory
 *          that the resident blocks use is taken from the L1 (l1.adaptive).
 * Owner:   none; a function without state.
 */
#ifndef HEDDLE_SM_OCCUPANCY_H
#define HEDDLE_SM_OCCUPANCY_H

#include <stdint.h>

#include "base/diag.h"
#include "cfg/cfg.h"

enum occupancy_limit {
	OCCUPANCY_BLOCKS, /* sm.max_blocks */
	OCCUPANCY_WARPS,  /* sm.max_warps, sm.max_threads */
	OCCUPANCY_REGISTERS,
	OCCUPANCY_SHARED
};
extern const char *const occupancy_limit_names[];

struct occupancy_demand {
	uint32_t threads;   /* of a block */
	uint32_t registers; /* of a thread, 32-bit */
	uint64_t shared;    /* bytes of a block, static and dynamic */
	uint32_t scalars;   /* of a wavefront, on a compute unit */
};

/* What one block takes of an SM or compute unit, rounded up to allocation units. */
struct occupancy_share {
	uint32_t warps, registers;
	uint64_t shared;
};

struct occupancy {
	uint32_t blocks; /* of an SM */
	enum occupancy_limit limit;
	struct occupancy_share share;
};

/* ERR_RANGE: not even one block fits; the diagnosis says why. */
MUST_USE enum err occupancy_of(struct occupancy *out, const struct cfg *cfg,
			       const struct occupancy_demand *need,
			       struct diag *d);

#endif
