/*
 * Rows that cover the same opcode and differ in how many operands they take:
 * min.f32 of two numbers and of three. The reader asks for the next one when
 * the number of operands is not right.
 */
#ifndef HEDDLE_ISA_PTX_MATCH_H
#define HEDDLE_ISA_PTX_MATCH_H

#include "isa/ptx/row.h"

/* The next row after *last for its text, which ends in a NUL. */
bool ptx_match_other(struct ptx_opcode *out, const struct ptx_opcode *last);

#endif
