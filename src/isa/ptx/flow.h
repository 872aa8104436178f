/*
 * Control flow of one function: basic blocks, and where the two sides of a
 * branch meet again.
 *
 * Models:  immediate post-dominators over bra, brx.idx, ret, exit, trap and
 *          calls that do not return; a guarded one of these also falls
 *          through. A loop that never ends is taken to leave the function
 *          from its last block, so that branches inside it still meet.
 * Does not model: what a call does inside; every call that returns falls
 *          through.
 */
#ifndef HEDDLE_ISA_PTX_FLOW_H
#define HEDDLE_ISA_PTX_FLOW_H

#include "isa/ptx/module.h"

enum { PTX_NO_JOIN = 0xffffffffu };

struct ptx_flow {
	/* By instruction: for bra and brx.idx the instruction where its
	 * paths meet, PTX_NO_JOIN when only at the function's end and for
	 * every other instruction. */
	uint32_t *join;
	uint32_t *starts; /* first instruction of each block, ascending */
	uint32_t *ipdom;  /* block, or PTX_NO_JOIN: the function's end */
	uint32_t block_count;
};

/* What *out points at lives in *a. Fails with ERR_NOMEM only. */
MUST_USE enum err ptx_flow(struct ptx_flow *out, const struct ptx_func *f,
			   struct arena *a, struct diag *d);

#endif
