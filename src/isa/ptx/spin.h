/*
 * Loops that spin: lanes that have left wait for others that may wait for them.
 *
 *	again:  atom.cas r, [lock], 0, 1;
 *	        setp.ne p, r, 0;
 *	  @p    bra again;
 *	        ...             the lanes that got their lock meet the others here
 *
 * ptxas puts a YIELD into such a loop, and so does the lowering (warp_spin):
 * lanes that wait only for lanes that spin go on alone.
 *
 * Models:  loops that are left depending on what an atomic or a strong load in
 *          the loop has returned. A loop that also counts ends by itself, and
 *          is none; nor is one that tries another address each time, as a
 *          search for a free slot does. It waits for nobody, and on an H200 its
 *          lanes stay together, though ptxas puts a YIELD there, too.
 * Does not model: dependences through memory, loops around calls.
 */
#ifndef HEDDLE_ISA_PTX_SPIN_H
#define HEDDLE_ISA_PTX_SPIN_H

#include "isa/ptx/flow.h"

/* By instruction of f: a loop that spins begins here. In *a; NULL: out of
 * memory. */
bool *ptx_spins(const struct ptx_func *f, const struct ptx_flow *flow,
		struct arena *a, struct diag *d);

#endif
