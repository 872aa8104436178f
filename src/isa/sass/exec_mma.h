/* What a matrix instruction computes, for the lowering and the executors. */
#ifndef HEDDLE_ISA_SASS_EXEC_MMA_H
#define HEDDLE_ISA_SASS_EXEC_MMA_H

#include "isa/sass/exec.h"
#include "simt/mma.h"

/* False: there is no such operation, or it is not supported. */
bool sass_mma_describe(const struct sass_inst *i, struct mma_op *op);

#endif
