/*
 * Floating-point operations of SASS instructions, for reports.
 */
#ifndef HEDDLE_ISA_SASS_WORK_H
#define HEDDLE_ISA_SASS_WORK_H

#include "arch/isa.h"
#include "isa/sass/inst.h"

struct inst_work sass_work_of(const struct sass_inst *in);

#endif
