/*
 * PTX as an instruction set: what arch/isa.h asks of one.
 */
#ifndef HEDDLE_ISA_PTX_ISA_H
#define HEDDLE_ISA_PTX_ISA_H

#include "arch/isa.h"

extern const struct isa isa_ptx;

#endif
