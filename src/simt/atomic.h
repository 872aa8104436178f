/*
 * Atomics and reductions on memory, as every instruction set performs them.
 *
 * Lanes act one after the other, in the order of their numbers. An operation on
 * a word is a pure function. On global memory it is applied with the host's
 * compare-and-swap, because blocks run on several threads. Shared memory belongs
 * to one block, and a block runs on one thread. With timing, atomics on global
 * memory are recorded and performed later: see simt/view.h.
 *
 * Models:  integers, floats and pairs of halves of 2 to 16 bytes; vectors.
 * Does not model: time; scopes: every atomic is one of the whole GPU.
 * Owner:   none; functions on a warp.
 */
#ifndef HEDDLE_SIMT_ATOMIC_H
#define HEDDLE_SIMT_ATOMIC_H

#include "simt/num.h"
#include "simt/warp.h"

struct atomic;

enum atom_op {
	ATOM_ADD,
	ATOM_EXCH,
	ATOM_CAS,
	ATOM_INC,
	ATOM_DEC,
	ATOM_MIN,
	ATOM_MAX,
	ATOM_AND,
	ATOM_OR,
	ATOM_XOR
};

/* in->k: the operation and the type of its operands. */
enum { ATOM_TYPE_SHIFT = 4 };
static inline uint8_t atom_code(enum atom_op op, enum num_type type)
{
	return (uint8_t)(op | type << ATOM_TYPE_SHIFT);
}

/* Bits of in->m. */
enum {
	/* A register of 8 or 16 bytes is two or four arrays of words, the low
	 * word first; else it is one or two arrays of 8 bytes. */
	ATOM_WORDS = 0x10000,
	/* Of CAS: the result is 1 if the value was exchanged, else 0. */
	ATOM_TEST = 0x20000,
	/* Of these on shared memory, where lanes try again anyway: one lane of
	 * each bank is served, the others fail. Of 4 or 8 bytes. */
	ATOM_SPIN = 0x40000
};

/*
 * Executors. d, [a], b, c: d receives the old value; CAS compares with b and
 * stores c. SLOT_NONE for d: a reduction.
 *
 * The other performs vectors on global memory; in->x: the destinations (none for a
 * reduction), then the sources.
 */
exec_fn atom_exec, atom_exec_vector;

enum { ATOM_VECTOR_BYTES = 16 }; /* maximum of a vector */

/* Performs in->k with operand b on the bytes at a host address of global
 * memory; returns the old value. */
uint64_t atom_at_once(const struct inst *in, uintptr_t at, uint64_t b);

/* atomic.perform of these. */
void atom_perform(struct atomic *a, unsigned lane);
/* Writes the results to the registers of the frame that issued the atomic. */
void atom_put_results(const struct atomic *a);

#endif
