/*
 * Which PTX instructions a compiler makes no machine instruction of.
 *
 * A machine instruction does more than one of PTX: it multiplies and adds, adds
 * three numbers, shifts and adds, combines three words, negates its operands,
 * and adds a constant to an address; constants and parameters are operands, and
 * a copy is another name. What disappears in this way is *folded*: it is executed
 * in its place and takes no time.
 *
 * Models:  copies, constants, kernel parameters, the sizes of blocks and grids,
 *          conversions that only change the width, negations, and pairs of instructions in a basic block of
 *          which only the second reads the result of the first; products that
 *          only up to four sums read.
 * Does not model: what takes more than one machine instruction (64-bit
 *          integers), strength reduction, common subexpressions, divisions by
 *          constants, vector accesses, what the uniform datapath computes.
 */
#ifndef HEDDLE_ISA_PTX_FOLD_H
#define HEDDLE_ISA_PTX_FOLD_H

#include "isa/ptx/time_live.h"

enum ptx_fold {
	FOLD_NONE,
	FOLD_AWAY, /* it takes no time */
	FOLD_MAD,  /* an addition with a multiplication folded into it */
	FOLD_ALU,  /* a conversion of integers, in the integer unit */
	/* merge.h: a load that is issued as one of 8 or of 16 bytes; one that is
	 * part of it, and takes no time */
	FOLD_WIDE_8,
	FOLD_WIDE_16,
	FOLD_MERGED,
	/* combine.h: an atomic by which one lane adds the same value for all,
	 * without and with a result; by which it does so with values that are
	 * reduced, or scanned, before */
	FOLD_COMBINED,
	FOLD_COMBINED_RESULT,
	FOLD_REDUCED,
	FOLD_SCANNED,
	/* one that counts the lanes on each word */
	FOLD_COUNTED
};

/* By instruction of f: enum ptx_fold, in *a. NULL: out of memory. */
uint8_t *fold_find(const struct ptx_func *f, const struct time_live *l,
		   struct arena *a);

#endif
