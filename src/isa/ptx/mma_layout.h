/*
 * Where the elements of a matrix are in the registers of a warp.
 *
 * Every layout that NVIDIA's matrix instructions use is linear: each bit of
 * the lane's number and each bit of the element's number in its lane moves the
 * element by a fixed number of rows and columns, and the moves add up. So a
 * layout is ten or so moves, and a position is
 *
 *	at->lane[lane] + at->elem[register * per + element of the register]
 *
 * The layouts of mma are those of PTX ISA 9.7.14.5. The ISA leaves those of
 * wmma open; these are what an H200 (sm_90) does, see tests/mma.
 */
#ifndef HEDDLE_ISA_PTX_MMA_LAYOUT_H
#define HEDDLE_ISA_PTX_MMA_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/inst.h"
#include "isa/ptx/row.h"

enum frag_role { FRAG_A, FRAG_B, FRAG_C };

enum { FRAG_ELEMS = 32 }; /* of one lane, at most */

struct mma_shape {
	uint16_t m, n, k;
};

/* What a fragment is a part of. */
struct frag {
	enum frag_role role;
	struct mma_shape shape;
	uint8_t per; /* elements of a register */
	/* The four m8n8k4 at once of quad pairs: layout depends on these. */
	bool quads;
	bool by_row; /* A or B */
	bool wide;   /* C of 32-bit elements */
};

/* What one step costs in the caller's numbering of positions. */
struct frag_pitch {
	uint16_t row, col, mat; /* mat: to the next of the four m8n8k4 */
};

struct frag_at {
	uint16_t lane[LANES];
	uint16_t elem[FRAG_ELEMS];
};

/* `count` elements per lane; those beyond the matrix repeat the first ones. */
void frag_place(struct frag_at *at, const struct frag *f, unsigned count,
		struct frag_pitch pitch);

/* m, n and k of an attribute of class SHAPE. */
struct mma_shape mma_shape(unsigned attr);

#endif
