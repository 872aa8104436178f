/*
 * What recordings and replays know of an instruction beside its code. An
 * instruction set fills it in (isa.mark), replay/ does the rest.
 */
#ifndef HEDDLE_ARCH_SITE_H
#define HEDDLE_ARCH_SITE_H

#include <stdbool.h>

#include "arch/inst.h"

/*
 * What recording and replay know of an instruction, by its index in
 * code.insts. isa.mark fills it in.
 */
struct tape_site {
	exec_fn *plain; /* the executor, while it is replaced */
	uint32_t site;  /* for trace/codec.h; dense among those with facts */
	/* Registers whose values are facts: of STEER and SLEEP where it goes,
	 * of SYNC operand[0], the lanes that execute it together. Of SURFACE
	 * operand_bytes[0] is the size of a texel's element. */
	slot_t operand[2];
	uint8_t operand_bytes[2];
	uint8_t kind; /* enum replay_kind */
	uint8_t told; /* bit 0: fact of d, of operand[0]; bit 1: d2, operand[1] */
	bool writes; /* ROWS: it stores */
	/* SYNC: its results follow from the lanes and predicates alone. */
	bool follows;
};

/* Bits of tape_site.told of mbarriers: the operand is a register; it is a loop
 * that only waits. */
enum { TOLD_OPERAND = 1, TOLD_SPIN = 2 };

/* A further fact of an instruction has a site of its own. */
enum { NEXT_SITE = 1, SITES_OF_ONE = 5 };

#endif
