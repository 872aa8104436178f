/*
 * The matrix instructions that exist. The lowering refuses all others, so that
 * executors can rely on shapes, types and numbers of registers.
 */
#ifndef HEDDLE_ISA_PTX_MMA_CHECK_H
#define HEDDLE_ISA_PTX_MMA_CHECK_H

#include <stdint.h>

#include "isa/ptx/row.h"

/* Registers of operand list i (exec.h), and the bytes of each. */
struct mma_operands {
	uint8_t count[4], bytes[4];
};

/* For mma, wmma, ldmatrix, stmatrix. Returns NULL, or what is wrong. */
const char *mma_operands(struct mma_operands *out, const struct ptx_opcode *op);

struct mma_shape; /* simt/mma_layout.h */

/* m, n and k of an attribute of class SHAPE. */
struct mma_shape ptx_mma_shape(unsigned attr);

#endif
