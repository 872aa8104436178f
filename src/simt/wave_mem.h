/*
 * Global memory as waves access it: windows of kernel arguments and scratch,
 * allocations, and a view of them if time is modelled.
 *
 * Every function fills in the wave's effect, if time is modelled. Lanes outside of
 * `mask` neither access memory nor fault; what a load gives them is undefined.
 * False: the launch has faulted.
 *
 * Models:  accesses of 1 to 16 bytes of each lane, in words; atomics of 4 and 8
 *          bytes; loads of the wave as a whole.
 * Does not model: time, caches.
 */
#ifndef HEDDLE_SIMT_WAVE_MEM_H
#define HEDDLE_SIMT_WAVE_MEM_H

#include "simt/wave.h"

enum { WAVE_WORDS = 4 }; /* maximum of a lane's access */

/* Values by word and lane. An access of 1 or 2 bytes has them in word 0, the
 * upper bytes are 0. */
typedef uint32_t wave_data[WAVE_WORDS][WAVE_LANES];

bool wave_load(struct wave *w, const uint64_t addr[WAVE_LANES], uint64_t mask,
	       uint32_t bytes, wave_data out);
bool wave_store(struct wave *w, const uint64_t addr[WAVE_LANES], uint64_t mask,
		uint32_t bytes, wave_data in);
/* Loads `words` words for the wave. */
bool wave_load_scalar(struct wave *w, uint64_t addr, uint32_t words,
		      uint32_t *out);

enum wave_atomic_op {
	WAVE_SWAP,
	WAVE_CMPSWAP,
	WAVE_ADD,
	WAVE_SUB,
	WAVE_RSUB,
	WAVE_SMIN,
	WAVE_UMIN,
	WAVE_SMAX,
	WAVE_UMAX,
	WAVE_AND,
	WAVE_OR,
	WAVE_XOR,
	WAVE_INC,
	WAVE_DEC,
	WAVE_FCMPSWAP,
	WAVE_FMIN,
	WAVE_FMAX,
	WAVE_MSKOR
};

/* What memory holds afterwards. c: compared with, or the mask of MSKOR. */
uint64_t wave_atomic_value(enum wave_atomic_op op, bool wide, uint64_t old,
			   uint64_t b, uint64_t c);

/*
 * Performs an atomic of 4 or 8 bytes (wide) for each lane, or has it performed
 * later (simt/view.h). old: a register that receives what memory held, a pair
 * if wide; NULL: none does.
 */
bool wave_atomic(struct wave *w, enum wave_atomic_op op, bool wide,
		 const uint64_t addr[WAVE_LANES], uint64_t mask,
		 const uint64_t b[WAVE_LANES], const uint64_t c[WAVE_LANES],
		 uint32_t *old);
/* Of a replay: the atomic of the effect, which performs nothing. */
void wave_atomic_without_values(struct wave *w);

#endif
