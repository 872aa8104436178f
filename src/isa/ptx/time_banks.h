/*
 * Which banks of the register file an instruction reads: row.reads and
 * row.reuse, from the physical registers that sm/live.h gives its operands.
 *
 * The reuse cache holds, by the position of an operand, what the instruction
 * before in the block read there, unless that one wrote the register. Only
 * instructions of fixed latency have one.
 */
#ifndef HEDDLE_ISA_PTX_TIME_BANKS_H
#define HEDDLE_ISA_PTX_TIME_BANKS_H

#include "arch/timed.h"
#include "isa/ptx/time_live.h"

/* inst: of l's function; before: the row of inst - 1, NULL where r's
 * instruction is the first of its block. r's kind and class are set. */
void banks_set(struct timed_inst *r, const struct time_live *l,
	       const struct cfg *cfg, uint32_t inst,
	       const struct timed_inst *before);

#endif
