/*
 * A kernel as a tracer of real GPUs lists it: the instructions that were
 * executed, each with its name and the registers that it names. Immediates,
 * constants, predicates and control bits are missing, so it cannot compute; it
 * can be timed, with the registers as the only dependences.
 *
 * Owner:   the caller of isa.listed, which copies what it keeps.
 */
#ifndef HEDDLE_ARCH_LISTING_H
#define HEDDLE_ARCH_LISTING_H

#include <stdbool.h>
#include <stdint.h>

enum { LISTED_REGS = 16, LISTED_OPCODE = 128 };

struct listed_inst {
	char opcode[LISTED_OPCODE]; /* with its modifiers: "LDG.E.64.SYS" */
	uint32_t index;             /* in the text: its address over its size */
	uint32_t line;              /* where to look for it: listing.file */
	int64_t imm;                /* its last immediate; 0: none is known */
	/* The registers that the text names, in the order of the text; RZ is
	 * LISTED_RZ. first_writes: the first operand is a register, which it
	 * writes. */
	uint8_t reg[LISTED_REGS];
	uint8_t regs;
	bool first_writes;
	/* Something else than the next instruction of the listing may follow. */
	bool jumps;
};

enum { LISTED_RZ = 255 };

struct listing {
	const char *name;   /* of the program, for messages */
	const char *kernel; /* as mangled */
	const char *file;   /* that has listed_inst.line */
	uint32_t target;    /* 70 of sm_70 */
	uint32_t registers; /* of a thread */
	const struct listed_inst *inst;
	uint32_t count;
	uint32_t text; /* all listed_inst.index are below */
};

#endif
