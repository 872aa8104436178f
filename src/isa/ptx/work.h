/* What an instruction computes, as rooflines count it. */
#ifndef HEDDLE_ISA_PTX_WORK_H
#define HEDDLE_ISA_PTX_WORK_H

#include "arch/isa.h"
#include "isa/ptx/module.h"

/* Additions, multiplications, divisions and square roots count one, also those
 * that a GPU computes by a sequence of instructions; a fused multiply-add counts
 * two; comparisons, conversions and approximations of the SFU count nothing. */
struct inst_work ptx_work_of(const struct ptx_inst *in);

#endif
