/*
 * Loops as ptxas leaves them: several iterations of a small loop, one behind the
 * other, so that its loads are in flight together.
 *
 *	L:  16 iterations       while no lane leaves before the last of them
 *	    4 iterations        the same
 *	    1 iteration         the loop of the text
 *
 * The copies are a basic block of their own, which is scheduled like any other
 * (schedule.h). Before it, an executor looks whether all lanes still have as many
 * iterations to go, and else passes by. What counts the iterations is executed
 * in every copy, for traces and results, but takes time only once.
 *
 * Models:  loops of one basic block that count: a comparison of a counter, to
 *          which a constant is added, with what stays, behind it the branch
 *          back. Registers have a name of
 *          their own in each copy.
 * Does not model: loops of several blocks, or with atomics, barriers, guarded
 *          accesses, textures or operations among lanes; sums that are split.
 */
#ifndef HEDDLE_ISA_PTX_UNROLL_H
#define HEDDLE_ISA_PTX_UNROLL_H

#include "isa/ptx/flow.h"
#include "isa/ptx/time_live.h"

enum {
	UNROLL_MOST = 16,      /* copies of an iteration with loads */
	UNROLL_MOST_PLAIN = 4, /* without */
	UNROLL_ISSUED = 96,    /* instructions that the copies issue */
	UNROLL_LENGTH = 512,   /* instructions of the copies */
};

/* Unrolls the loops of f, whose instructions are in the order of the text: gives
 * it new instructions, registers and labels, in the module's memory. Fails with
 * ERR_NOMEM only. */
MUST_USE enum err unroll_loops(struct ptx_module *m, struct ptx_func *f,
			       const struct ptx_flow *flow,
			       const struct time_live *live,
			       const uint8_t *fold, struct arena *scratch,
			       struct diag *d);

#endif
