/*
 * The arithmetic of tensor cores: D = A * B + C as the hardware rounds it.
 *
 * Floating-point products are exact. The products of a block of k and the
 * accumulator are aligned to the largest exponent among them, truncated to a
 * fixed number of fraction bits and summed exactly. The sum is truncated (f32)
 * or rounded to nearest even (f16). Blocks are summed in the order of k. The
 * table of mma_num.c has what differs between architectures. See Fasi et al.,
 * "Numerical behavior of NVIDIA tensor cores" (PeerJ CS 7:e330), and Khattak
 * and Mikaitis, "Accurate models of NVIDIA tensor cores" (arXiv:2512.07004).
 *
 * Measured:  sm_90, bit for bit, by tests/mma. Rows of other architectures
 *            follow the published descriptions and have not been measured.
 */
#ifndef HEDDLE_SIMT_MMA_NUM_H
#define HEDDLE_SIMT_MMA_NUM_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/inst.h"
#include "simt/num.h"

/* Elements of the largest A, B and C, in any type. */
enum { MMA_AB_ELEMS = 1024, MMA_C_ELEMS = 256, MMA_COLS = 8 };

/* How products are summed. */
enum mma_way {
	MMA_BLOCKS, /* as above */
	/* The same from zero for the pairs 0, 1 of every four k, then for the
	 * pairs 2, 3; C is added at the end. sm_90 computes fp8 through f16
	 * this way. */
	MMA_PAIRS,
	MMA_CHAIN, /* fma after fma from zero, C added at the end */
	MMA_HALVES /* C plus the fma of k = 0, 1 plus the fma of k = 2, 3 */
};

struct mma_model {
	uint8_t type;  /* enum num_type, of A and B */
	uint8_t sm;    /* from this architecture on */
	uint8_t way;   /* enum mma_way */
	uint8_t block; /* products summed at once */
	uint8_t frac;  /* fraction bits kept in the sum */
};

/* The model for an input type; NULL: the architecture does not support it. */
const struct mma_model *mma_model(enum num_type type, unsigned sm);

/*
 * Matrices are stored by rows. An element of up to 32 bits is in the low bits of
 * a word; b1 has 32 elements in a word, and k counts words.
 */
struct mma_job {
	unsigned m, n, k;
	enum num_type d_type, a_type, b_type, c_type;
	struct mma_model model;
	bool satfinite; /* s32: clamp instead of wrapping */
	bool bit_and;   /* b1: AND instead of XOR */
	uint32_t a[MMA_AB_ELEMS], b[MMA_AB_ELEMS];
	uint32_t c[MMA_C_ELEMS], d[MMA_C_ELEMS];
};

/* By the types of the job. */
void mma_run(struct mma_job *j);
void mma_float(struct mma_job *j);
void mma_int(struct mma_job *j);
void mma_bits(struct mma_job *j);
/* d may be c. */
void mma_f64(unsigned m, unsigned n, unsigned k, const uint64_t *a,
	     const uint64_t *b, const uint64_t *c, uint64_t *d);

#endif
