/*
 * Short branches as ptxas leaves them: the instructions that a branch passes by
 * have its predicate as a guard instead, and stand in one basic block with what
 * precedes and follows them, which is scheduled like any other (schedule.h).
 *
 *	@p bra L;  ld r, [a];  L: st [b], r;	@!p ld r, [a];  st [b], r;
 *
 * In the place of the branch is a copy of its predicate, which counts as the
 * branch and takes no time. What the branch would have passed by in all lanes is
 * issued, but does not count as executed, and has no facts (arch/site.h).
 *
 * Models:  forward branches to where their paths meet again, over one path or
 *          two, which consist of arithmetic and of weak loads and stores, and
 *          which nothing else jumps into.
 * Does not model: branches within the paths, paths with atomics, barriers,
 *          calls, textures, operations among lanes or divisions.
 */
#ifndef HEDDLE_ISA_PTX_PREDICATE_H
#define HEDDLE_ISA_PTX_PREDICATE_H

#include "isa/ptx/flow.h"
#include "isa/ptx/time_live.h"

enum {
	PREDICATE_ISSUED = 16, /* instructions that a branch passes by */
	PREDICATE_BLOCKS = 6,  /* basic blocks of them */
};

/* Replaces the branches of f, whose instructions are in the order of the text:
 * gives it new instructions, in the module's memory. *changed: whether there
 * were any. Fails with ERR_NOMEM only. */
MUST_USE enum err predicate_branches(struct ptx_module *m, struct ptx_func *f,
				     const struct ptx_flow *flow,
				     const struct ptx_live *live,
				     const uint8_t *fold, bool *changed,
				     struct arena *scratch, struct diag *d);

/* Makes an instruction of the module an unguarded copy of a predicate. */
MUST_USE bool predicate_copy(struct ptx_module *m, struct ptx_inst *in,
			     uint32_t to, uint32_t from);

#endif
