/*
 * The forms that the table of instructions promises: every opcode that a row
 * in scope covers, with its operands. Not each of them is valid PTX; those
 * that an assembler takes are in forms.txt.
 *
 * In scope are the rows that compute lane by lane and the rows of exchange,
 * conversion, logic, comparison and atomics among the rest. Of an atomic's
 * orders, scopes and spaces only: none given, .global, .shared.
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
