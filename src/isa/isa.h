/*
 * The list of instruction sets that the simulator supports.
 */
#ifndef HEDDLE_ISA_ISA_H
#define HEDDLE_ISA_ISA_H

#include "arch/isa.h"

/* Ends in NULL. */
extern const struct isa *const isa_all[];

/* The instruction set of a module, or NULL if none of the list matches. */
const struct isa *isa_of(const char *bytes, size_t size);

#endif
