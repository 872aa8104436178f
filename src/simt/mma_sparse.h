/*
 * Sparse matrix products: of every four elements of a row of A two are there, or
 * one of every two of 32 bits, or two pairs of every four pairs of 4 bits
 * (PTX ISA 9.7.14.6). Metadata say which; each element of A is multiplied by the
 * element of B that belongs to it, and the others of B do not count.
 *
 * Models:  the layout of metadata and the sums of sm_90, measured by tests/mma.
 * Does not model: metadata that PTX leaves undefined.
 */
#ifndef HEDDLE_SIMT_MMA_SPARSE_H
#define HEDDLE_SIMT_MMA_SPARSE_H

#include "simt/mma.h"
#include "simt/mma_num.h"

/* j->a has the elements that are there, j->k counts all of them. */
void mma_run_sparse(struct mma_job *j, const struct mma_op *m,
		    const uint32_t meta[LANES]);

#endif
