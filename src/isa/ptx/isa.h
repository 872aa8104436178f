/*
 * PTX as an instruction set: the implementation of struct isa (arch/isa.h).
 */
#ifndef HEDDLE_ISA_PTX_ISA_H
#define HEDDLE_ISA_PTX_ISA_H

#include "arch/isa.h"

extern const struct isa isa_ptx;

#endif
