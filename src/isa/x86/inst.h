/*
 * A decoded instruction: what its executor needs, in less than a cache line. The
 * row says the rest (row.h).
 */
#ifndef HEDDLE_ISA_X86_INST_H
#define HEDDLE_ISA_X86_INST_H

#include <stdint.h>

#include "isa/x86/cpu.h"

/* Executes one instruction. Returns the next one of the block; NULL: the block
 * is left, and c->rip and c->stop say how. */
typedef const struct x86_inst *x86_exec(struct x86_cpu *c,
					const struct x86_inst *i);

enum x86_opnd {
	X86_OPND_NONE,
	X86_OPND_REG,
	X86_OPND_MEM,
	X86_OPND_IMM,
	X86_OPND_XMM,
	X86_OPND_ST
};

/* How often a string instruction is repeated. */
enum { X86_REP_NONE, X86_REP, X86_REPNE };

struct x86_inst {
	x86_exec *run;
	uint64_t imm;  /* or the address a branch goes to */
	uint64_t disp; /* relative to RIP: the address itself */
	/* Numbers of registers; of bytes inside of them for operands of 8
	 * bits, see x86_get. */
	uint8_t dst, src;
	uint8_t base, index,
		shift; /* shift: the index is scaled by 1 << shift */
	uint8_t segment;
	uint8_t size32; /* the address has 32 bits */
	uint8_t dst_kind, src_kind;
	uint8_t bits, src_bits;
	uint8_t number; /* of a condition, a repetition or the like */
	uint8_t length; /* bytes of the instruction */
	uint8_t place;  /* how many are before it in the block */
	uint16_t row;
	uint32_t from; /* where it begins, from the start of the block */
};

#endif
