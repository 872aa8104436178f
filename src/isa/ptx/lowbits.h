/*
 * What a compiler knows of the lowest bits of registers: the alignment of
 * addresses, and where in an aligned piece of memory they are.
 *
 * Models:  constants, addresses of shared variables, sums, products, shifts,
 *          masks, copies and choices of integers, through loops. A register that
 *          is written in several places has what all of them have in common.
 * Does not model: comparisons, what a branch says of a value, special registers,
 *          parameters.
 */
#ifndef HEDDLE_ISA_PTX_LOWBITS_H
#define HEDDLE_ISA_PTX_LOWBITS_H

#include "isa/ptx/time_live.h"

/* Bits that are followed: an access has at most 16 bytes. */
enum { LOWBITS = 4, LOWBITS_SIZE = 1 << LOWBITS };

/* The lowest `known` bits, up to LOWBITS, are those of `bits`; the others of
 * these are 0. */
struct lowbits {
	uint8_t known, bits;
};

/* The same of a sum. */
struct lowbits lowbits_add(struct lowbits a, struct lowbits b);
/* Of a constant. */
struct lowbits lowbits_of(int64_t value);
/* Of the address of a variable. A compiler aligns those of shared memory to 16
 * bytes, whatever the text asks for. */
struct lowbits lowbits_of_var(const struct ptx_var *var);

/* By cell of l. NULL: out of memory. */
struct lowbits *lowbits_find(const struct ptx_func *f,
			     const struct time_live *l, struct arena *a);

#endif
