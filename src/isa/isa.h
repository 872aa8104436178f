/*
 * Every instruction set that the simulator knows.
 */
#ifndef HEDDLE_ISA_ISA_H
#define HEDDLE_ISA_ISA_H

#include "arch/isa.h"

/* NULL ends the list. */
extern const struct isa *const isa_all[];

/* The instruction set of a module, or NULL: none that we know. */
const struct isa *isa_of(const char *bytes, size_t size);

#endif
