/*
 * The banks of the register file that an instruction reads: timed_inst.reads and
 * reuse, from the physical registers that time_live.h gives to its operands.
 *
 * For each position of an operand, the reuse cache holds the register that the
 * previous instruction of the block read there, unless that instruction wrote
 * it. Only instructions of fixed latency use the cache.
 */
#ifndef HEDDLE_ISA_PTX_TIME_BANKS_H
#define HEDDLE_ISA_PTX_TIME_BANKS_H

#include "arch/timed.h"
#include "isa/ptx/time_live.h"

/* Sets r->reads and the like. inst: its index in l's function; before: the timed
 * instruction of inst - 1, or NULL if inst is the first of its block. r->kind
 * and r->lat are set. */
void banks_set(struct timed_inst *r, const struct time_live *l,
	       const struct cfg *cfg, uint32_t inst,
	       const struct timed_inst *before);

#endif
