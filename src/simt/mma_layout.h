/*
 * Maps the elements of a matrix to the registers of a warp.
 *
 * Every layout of NVIDIA's matrix instructions is linear: each bit of the lane's
 * number and each bit of the element's number in its lane moves the element by a
 * fixed number of rows and columns, and the moves add up. So a layout is about
 * ten moves, and a position is
 *
 *	at->lane[lane] + at->elem[register * per + element of the register]
 *
 * The layouts of mma are those of PTX ISA 9.7.14.5. The ISA does not specify
 * those of wmma; these were measured on an H200 (sm_90), see tests/mma.
 */
#ifndef HEDDLE_SIMT_MMA_LAYOUT_H
#define HEDDLE_SIMT_MMA_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/inst.h"

enum frag_role { FRAG_A, FRAG_B, FRAG_C };

enum { FRAG_ELEMS = 32 }; /* maximum of one lane */

struct mma_shape {
	uint16_t m, n, k;
};

/* The matrix that a fragment belongs to. */
struct frag {
	enum frag_role role;
	struct mma_shape shape;
	uint8_t per; /* elements of a register */
	/* Four m8n8k4 at once, of quad pairs. Their layout depends on: */
	bool quads;
	bool by_row; /* A or B */
	bool wide;   /* C of 32-bit elements */
};

/* The distance of neighbours in the caller's numbering of positions. */
struct frag_pitch {
	uint16_t row, col, mat; /* mat: to the next of the four m8n8k4 */
};

struct frag_at {
	uint16_t lane[LANES];
	uint16_t elem[FRAG_ELEMS];
};

/* Places `count` elements per lane; those beyond the matrix repeat the first. */
void frag_place(struct frag_at *at, const struct frag *f, unsigned count,
		struct frag_pitch pitch);

#endif
