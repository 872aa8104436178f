/*
 * Which banks of the register file an instruction reads: row.reads and
 * row.reuse, from the physical registers that sm/live.h gives its operands.
 *
 * The reuse cache holds, by the position of an operand, what the instruction
 * before in the block read there, unless that one wrote the register. Only
 * instructions of fixed latency have one.
 */
#ifndef HEDDLE_SM_BANKS_H
#define HEDDLE_SM_BANKS_H

#include "sm/live.h"
#include "sm/row.h"

/* inst: of l's function; before: the row of inst - 1, NULL where r's
 * instruction is the first of its block. r's kind and class are set. */
void banks_set(struct row *r, const struct live *l, const struct cfg *cfg,
	       uint32_t inst, const struct row *before);

#endif
