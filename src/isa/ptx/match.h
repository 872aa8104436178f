/*
 * Several rows may cover the same opcode and differ in the number of operands:
 * min.f32 of two numbers and of three. The parser asks for the next row if the
 * number of operands does not fit.
 */
#ifndef HEDDLE_ISA_PTX_MATCH_H
#define HEDDLE_ISA_PTX_MATCH_H

#include "isa/ptx/row.h"

/* Matches last->text, which ends in a NUL, to the next row after *last. False:
 * there is none. */
bool ptx_match_other(struct ptx_opcode *out, const struct ptx_opcode *last);

#endif
