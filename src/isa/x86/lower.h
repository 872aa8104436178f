/*
 * From a decoded instruction to micro-operations, for cores that simulate time.
 *
 * Unit, latency class and how many there are come from the row of x86.def;
 * which registers and flags are read and written, from Zydis. All flags are one
 * register. The stack pointer of push, pop, call and return is tracked at
 * decode, as processors with a stack engine do: these neither wait for it nor
 * write it. x87 registers are those of the instruction, not of the stack.
 */
#ifndef HEDDLE_ISA_X86_LOWER_H
#define HEDDLE_ISA_X86_LOWER_H

#include "arch/guest.h"
#include "isa/x86/inst.h"

/* An address that an instruction accesses. */
struct x86_access {
	uint64_t disp;
	uint8_t base, index, shift, segment, size32;
	uint8_t bytes;
};

/* An instruction with what its time needs. */
struct x86_timed {
	struct guest_inst guest; /* first */
	struct x86_timed *next;  /* of the same slot */
	uint64_t at;
	struct x86_inst inst[2]; /* itself, and what follows */
	struct uop uop[GUEST_UOPS];
	struct x86_access access[GUEST_ACCESSES];
	uint8_t accesses;
};

/* Fills t->guest, uop and access; t->inst[0] is decoded from these bytes. */
void x86_lower(struct x86_timed *t, const void *bytes, size_t size);

#endif
