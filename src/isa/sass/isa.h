/*
 * SASS, NVIDIA's machine code, as an instruction set: the implementation of
 * struct isa (arch/isa.h).
 */
#ifndef HEDDLE_ISA_SASS_ISA_H
#define HEDDLE_ISA_SASS_ISA_H

#include "arch/isa.h"

extern const struct isa isa_sass;

#endif
