/*
 * Liveness of the registers of one function: which registers each instruction
 * reads and writes, and where they are live.
 *
 * A cell is a register, or one element of a vector register; the carry flag
 * is a cell, too. Points are half instructions: instruction i reads at
 * 2 * i and writes at 2 * i + 1.
 *
 * Models:  liveness over the basic blocks of the flow graph; the interval of
 *          points, without holes, in which a cell is live, read or written.
 *          A write by a guarded instruction does not end the old value.
 * Does not model: callees; the registers that a function returns, which its
 *          caller reads.
 */
#ifndef HEDDLE_ISA_PTX_LIVE_H
#define HEDDLE_ISA_PTX_LIVE_H

#include "isa/ptx/flow.h"
#include "isa/ptx/module.h"

enum { PTX_LIVE_NEVER = 0xffffffffu };

/* A cell that an instruction reads or writes. */
struct ptx_live_ref {
	uint32_t cell;
	uint8_t position; /* among the instruction's sources */
	bool write;
};

struct ptx_live {
	uint32_t cells;
	uint32_t carry;           /* the carry flag's cell */
	uint32_t *first;          /* by PTX register: its first cell */
	uint32_t *at;             /* by instruction: its refs start here */
	struct ptx_live_ref *ref; /* of an instruction: writes, then reads */
	uint32_t *start, *end;    /* by cell; start PTX_LIVE_NEVER: no refs */
	/* Cells that are live where a block starts and ends: set_words words
	 * of bits for each block. Only cells that are live in more than one
	 * block have a bit. */
	uint64_t *in, *out;
	uint32_t set_words;
	uint32_t globals;  /* bits in use */
	uint32_t *cell_of; /* by bit */
};

/* What *out points at lives in *a. Fails with ERR_NOMEM only. */
MUST_USE enum err ptx_live(struct ptx_live *out, const struct ptx_func *f,
			   const struct ptx_flow *flow, struct arena *a,
			   struct diag *d);

/* The instruction behind the last of block b. */
static inline uint32_t ptx_block_end(const struct ptx_flow *flow,
				     const struct ptx_func *f, uint32_t b)
{
	return b + 1 < flow->block_count ? flow->starts[b + 1] : f->inst_count;
}

/* Whether the instruction writes its operand i, or registers in it. */
bool ptx_writes_operand(const struct ptx_inst *in, unsigned i);
/* Whether it may read or write the carry flag. */
bool ptx_is_carry(unsigned op);

#endif
