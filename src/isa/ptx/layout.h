/*
 * The order in which a compiler would leave the basic blocks of a PTX function.
 *
 * clang puts the end of a loop before its beginning, and leaves loops by a branch
 * that is followed by the jump back; ptxas puts blocks one behind the other as
 * they are executed:
 *
 *	    bra B;                   B: ...
 *	L:  ...                      L: ...
 *	@p  bra E;               @!p    bra B;
 *	B:  ...                  E: ...
 *	    bra L;
 *	E:  ...
 *
 *	@p  bra E;               @!p    bra B;
 *	    bra B;                      (E, by a jump that is not in the text,
 *	                                 if something else is next)
 *
 * In the place of a jump that is no longer needed is an instruction that counts as
 * the jump and takes no time. So loops are blocks whose last instruction branches
 * back, and more of them can be unrolled (unroll.h), and more branches become guards
 * (predicate.h). The text keeps its order (ptx_func.text, place).
 *
 * Models:  loops that were rotated; jumps back behind a branch to where the paths
 *          meet; jumps to what is next.
 * Does not model: blocks that are copied, or put out of the way of others.
 */
#ifndef HEDDLE_ISA_PTX_LAYOUT_H
#define HEDDLE_ISA_PTX_LAYOUT_H

#include "isa/ptx/flow.h"

enum {
	LAYOUT_BLOCKS = 2048, /* functions with more of them stay as they are */
	LAYOUT_TURNS = 16     /* loops in each other */
};

/* Gives f, whose instructions are in the order of the text, new instructions and
 * labels, in the module's memory. *changed: whether there was anything to do.
 * Fails with ERR_NOMEM only. */
MUST_USE enum err layout_blocks(struct ptx_module *m, struct ptx_func *f,
				const struct ptx_flow *flow, bool *changed,
				struct arena *scratch, struct diag *d);

#endif
