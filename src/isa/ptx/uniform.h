/*
 * Which registers hold the same value in all lanes of a warp that execute an
 * instruction together, as a compiler knows it.
 *
 * A value differs that depends on the thread's number in the block or in the warp,
 * on what lanes have exchanged, or on an atomic; so does one that several paths
 * leave behind where a branch joins that lanes of a warp take differently, and one
 * that a loop leaves behind which they leave at different times. Loads of one
 * address and votes give one value.
 *
 * A block of which a compiler knows that one lane executes it is *alone*: it is
 * behind a comparison for equality of one value with the number of a thread, of
 * itself or times a constant, plus what all have in common. ptxas makes no
 * difference between lanes and threads here: thread 0 in x is alone, whatever the
 * block's other dimensions are.
 *
 * Models:  what ptxas 13.0 combines atomics by (combine.h), as far as small kernels
 *          show it.
 * Does not model: ranges of values (thread < 1), conditions that are combined,
 *          memory. Of functions with more than UNIFORM_BLOCKS blocks nothing is
 *          known.
 */
#ifndef HEDDLE_ISA_PTX_UNIFORM_H
#define HEDDLE_ISA_PTX_UNIFORM_H

#include "isa/ptx/flow.h"
#include "isa/ptx/time_live.h"

enum { UNIFORM_BLOCKS = 2048 };

struct ptx_uniform {
	bool *differs; /* by cell */
	bool *alone;   /* by block */
	bool *if_set,
		*if_not;    /* by cell: a predicate of at most one lane that is
				  set, or not */
	uint32_t *block_of; /* by instruction */
};

/* What *out points at lives in *a. False: out of memory. */
MUST_USE bool uniform_find(struct ptx_uniform *out, const struct ptx_func *f,
			   const struct ptx_flow *flow,
			   const struct ptx_live *live,
			   const struct time_live *l, struct arena *a);

/* Whether at most one lane executes the instruction. */
bool uniform_is_alone(const struct ptx_uniform *u, const struct ptx_func *f,
		      const struct time_live *l, uint32_t inst);

#endif
