/*
 * The forms that the table of instructions covers: every opcode of a row in
 * scope, with its operands. Not all of them are valid PTX; forms.txt has those
 * that an assembler accepts.
 *
 * In scope are the lane rows, and the WARP rows of exchange, conversion, logic,
 * comparison and atomics. Of the orders, scopes and spaces of an atomic, only
 * these are in scope: none, .global, .shared.
 */
#ifndef HEDDLE_TESTS_OP_OPFORM_H
#define HEDDLE_TESTS_OP_OPFORM_H

#include <stdbool.h>

#include "isa/ptx/row.h"

bool op_row_in_scope(enum ptx_op row);

/* Lines as op_parse reads them, without " legacy". */
void op_forms(enum ptx_op row, void (*each)(void *ctx, const char *line),
	      void *ctx);

#endif
