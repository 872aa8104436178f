/* What control-flow executors and the lowering share. */
#ifndef HEDDLE_ISA_PTX_BRANCH_H
#define HEDDLE_ISA_PTX_BRANCH_H

#include <stdint.h>

#include "isa/ptx/module.h"
#include "simt/gmem.h"

/* in->x of brx.idx. */
struct branch_table {
	uint32_t count;
	uint32_t *pc;
};

/* The address of a function is WINDOW_FUNC + index * FUNC_STRIDE, with its index
 * in the module; it is never 0. */
enum { FUNC_STRIDE = 16 };

static inline uint64_t func_address(struct ptx_func *f)
{
	return WINDOW_FUNC + (uint64_t)ptx_aliased(f)->index * FUNC_STRIDE;
}

#endif
