/*
 * The registers that a SASS instruction reads and writes, one by one: a 64-bit
 * operand is two registers, the fragment of a matrix up to eight.
 *
 * Owner:   the caller.
 */
#ifndef HEDDLE_ISA_SASS_REGS_H
#define HEDDLE_ISA_SASS_REGS_H

#include "isa/sass/inst.h"

enum sass_file {
	SASS_FILE_R,
	SASS_FILE_UR,
	SASS_FILE_P,
	SASS_FILE_UP,
	SASS_FILES
};

enum {
	SASS_USES = 64, /* registers of an instruction */
	/* The role of the predicate that guards an instruction. */
	SASS_GUARD = SASS_ROLES
};

struct sass_use {
	uint8_t file; /* enum sass_file */
	uint8_t reg;  /* its number; never RZ, URZ, PT */
	uint8_t role; /* enum sass_role, or SASS_GUARD */
	uint8_t part; /* which register of the operand: 0 is the lowest */
	bool writes;
};

/* Lists them, and the predicates that P2R and R2P move; returns how many there
 * are. */
unsigned sass_uses(const struct sass_inst *in, struct sass_use out[SASS_USES]);

/* Whether a sparse matrix operation has the smaller shape of its type, which is
 * half of the work of the other. */
bool sass_is_half_sparse(const struct sass_inst *in);

/* Registers of what an atomic operation reads, by its type. */
uint8_t sass_atomic_registers(const struct sass_inst *in);

#endif
