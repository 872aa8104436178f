/*
 * Matrix instructions: a warp's fragments are collected into matrices,
 * multiplied as the architecture does it (simt/mma_num.h), and the result is
 * distributed (simt/mma_layout.h).
 *
 * The contribution of lanes that do not exist or are inactive is undefined; here
 * it is what their registers hold.
 */
#ifndef HEDDLE_SIMT_MMA_H
#define HEDDLE_SIMT_MMA_H

#include "simt/mma_layout.h"
#include "simt/num.h"
#include "simt/warp.h"

/* The lists of operands, in order; E is the metadata of a sparse A. */
enum { MMA_D, MMA_A, MMA_B, MMA_C, MMA_LISTS, MMA_E = MMA_LISTS };

struct mma_op {
	struct mma_shape shape; /* k of b1 in words */
	enum num_type type[MMA_LISTS];
	bool row[MMA_LISTS]; /* layouts; only those of A and B matter */
	bool quads;          /* four m8n8k4 of f16 */
	bool satfinite;      /* s32: clamp instead of wrapping */
	bool bit_and;        /* b1: AND instead of XOR */
	/* A has half of its elements, and metadata say which (mma_sparse.c).
	 * The lanes of each four that have them. */
	bool sparse;
	uint8_t selector;
};

/* Whether the metadata of a sparse A have such a selector. */
bool mma_has_selector(const struct mma_op *m, unsigned selector);

/* Bits of an element; b1 is handled in words. */
unsigned mma_elem_bits(enum num_type t);

/*
 * D = A * B + C. The lists must have as many registers as the shape and the
 * types need, of 4 bytes each, or of 8 for f64. An element of f64 may be two
 * registers of 4 bytes instead, the low word first.
 */
void mma_execute(struct warp *w, const struct opnd_lists *x,
		 const struct mma_op *m);

/* Transposes an 8x8 matrix of 16-bit elements: d, a. */
exec_fn mma_transpose;

#endif
