/*
 * Loads and stores of matrices. The helpers access elements in lines that lanes
 * have resolved, through the SM's view of global memory where it has one.
 *
 * Models:  8x8 matrices of 16-bit elements. Lane l has the address of row l % 8
 *          of matrix l / 8; the addresses of lanes beyond the last matrix are
 *          ignored. A lane's register has two adjacent elements of a row, or
 *          of a column if they are transposed.
 * Owner:   none; functions on a warp.
 */
#ifndef HEDDLE_SIMT_MEM_MATRIX_H
#define HEDDLE_SIMT_MEM_MATRIX_H

#include "simt/warp.h"

/* Bits of in->k. */
enum { MATRIX_TRANS = 1 };

/* Executors: list 0 of in->x has a register for each matrix. */
exec_fn mem_load_matrix, mem_store_matrix;

/* Lanes below n whose line is in global memory, if the SM sees it through a
 * view. */
lanes_t matrix_view_lanes(const struct warp *w, const struct inst *in,
			  unsigned n);
/* Redirects lanes below n, `size` bytes each, to memory as the SM sees it. */
void matrix_load_view(struct warp *w, const struct inst *in, unsigned n,
		      uint32_t size, void *host[LANES]);
/* Reads an element of 1, 2, 4 or 8 bytes. Atomic, because other blocks may
 * access the same memory, as on the GPU. */
uint64_t matrix_peek(const char *p, unsigned bytes);
/* Writes an element of 2, 4 or 8 bytes at offset `at` of the line of lane
 * `row`; view: what matrix_view_lanes returned. */
void matrix_put(struct warp *w, lanes_t view, void *const host[LANES],
		unsigned row, unsigned at, unsigned bytes, uint64_t v);

#endif
