/*
 * Control flow of one function: basic blocks, and where the paths of a branch
 * reconverge.
 *
 * Models:  immediate post-dominators over bra, brx.idx, ret, exit, trap and
 *          calls that do not return; each of these also falls through if it
 *          has a guard. An endless loop is assumed to leave the function from
 *          its last block, so that branches inside it reconverge.
 * Does not model: control flow inside callees. Every call that returns falls
 *          through.
 */
#ifndef HEDDLE_ISA_PTX_FLOW_H
#define HEDDLE_ISA_PTX_FLOW_H

#include "isa/ptx/module.h"

enum { PTX_NO_JOIN = 0xffffffffu };

struct ptx_flow {
	/* By instruction: where the paths of a bra or brx.idx reconverge, or
	 * PTX_NO_JOIN if that is the function's end. PTX_NO_JOIN for all other
	 * instructions. */
	uint32_t *join;
	uint32_t *starts; /* first instruction of each block, ascending */
	uint32_t *ipdom;  /* block, or PTX_NO_JOIN: the function's end */
	uint32_t block_count;
};

/* What *out points at lives in *a. Fails with ERR_NOMEM only. */
MUST_USE enum err ptx_flow(struct ptx_flow *out, const struct ptx_func *f,
			   struct arena *a, struct diag *d);

#endif
