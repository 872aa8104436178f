/*
 * Executors of GFX6: what each row of gcn.def does.
 *
 *   gcn_exec[row] = { how operands are fetched and results written,
 *                     what is computed of them }
 *
 * Operands of a wave_op are codes as the instruction has them: below 256 scalar
 * registers and constants, which a wave has side by side in wave.s; from 256 on
 * vector registers. The fields, by format:
 *
 *   SOP*     d: SDST; a, b: sources; imm: SIMM16
 *   SMRD     d: SDST; a: first register of the base; b: register of the offset,
 *            if GCN_BY_REGISTER; imm: offset in bytes; lanes: words
 *   VOP*     d: vector or scalar destination; d2: pair of a mask; a, b, c: sources;
 *            mods: bit i magnitude, bit 3 + i negation of source i; flags
 *   DS       d: destination; a: address; b, c: data; imm: offset; literal: the
 *            second offset
 *   buffers  d: data; a: address; b: first register of the resource; c: soffset;
 *            imm: offset; literal: format of the instruction; flags
 *   images   d: data; a: address; b: resource; c: sampler; lanes: DMASK; flags
 *
 * Models:  values, modes, masks, memory (simt/wave_mem.h).
 * Does not model: exceptions and their flags; time.
 */
#ifndef HEDDLE_ISA_GCN_EXEC_H
#define HEDDLE_ISA_GCN_EXEC_H

#include <string.h>

#include "isa/gcn/inst.h"
#include "simt/wave.h"

/* Bits of wave.mode, as the hardware's register has them. */
enum {
	GCN_ROUND_32 = 3,      /* enum below */
	GCN_ROUND_64 = 3 << 2, /* also half precision */
	GCN_DENORM_IN_32 = 1 << 4,
	GCN_DENORM_OUT_32 = 1 << 5,
	GCN_DENORM_IN_64 = 1 << 6,
	GCN_DENORM_OUT_64 = 1 << 7,
	GCN_DX10_CLAMP = 1 << 8,
	GCN_IEEE = 1 << 9
};

/* wave_op.flags of vector instructions: OMOD in bits 0 and 1. */
enum { GCN_FLAG_OMOD = 3, GCN_FLAG_CLAMP = 4, GCN_FLAG_ZEROS = 8 };
/* Of scalar loads. */
enum { GCN_BY_REGISTER = 1, GCN_BUFFER = 2 };
/* Of buffers and images. */
enum {
	GCN_FLAG_OFFEN = 1,
	GCN_FLAG_IDXEN = 2,
	GCN_FLAG_ADDR64 = 4,
	GCN_FLAG_GLC = 8,
	GCN_FLAG_DA = 16,
	GCN_FLAG_UNORM = 32,
	GCN_FLAG_R128 = 64
};

/* How the driver of vector instructions calls the function of a row. */
enum gcn_shape {
	GCN_SHAPE_NONE,
	GCN_SHAPE_FLOAT = 1, /* the result is computed apart from the sources */
	GCN_SHAPE_OLD = 2,   /* the destination is a source, too: c */
	GCN_SHAPE_MASK = 4,  /* it makes a mask: in d2 */
	GCN_SHAPE_EXEC = 8,  /* and in exec */
	GCN_SHAPE_CARRY = 16,  /* c is a mask of bits */
	GCN_SHAPE_VCC = 32,    /* vcc is a source: the carry */
	GCN_SHAPE_LITERAL = 64 /* the literal is the source c, or b */
};

/* Operands and results of a vector instruction, over all lanes. */
struct gcn_lanes {
	const void *a, *b, *c;
	void *d;
	uint64_t carry; /* in */
	uint64_t mask;  /* out */
	uint32_t mode;
	const struct wave *w;
};
typedef void gcn_lanes_fn(struct gcn_lanes *x);

struct gcn_exec {
	wave_fn *exec;
	gcn_lanes_fn *lanes; /* of vector instructions */
	uint8_t shape;       /* bits of enum gcn_shape */
	uint8_t k;           /* a constant for the executor */
	const char *does;    /* in C, for people; NULL: its name says it */
};

#define GCN(format, code, id, ...) extern const struct gcn_exec gcn_exec_##id;
#define GCN_NOT(...)
#include "isa/gcn/gcn.def"

/* By row; exec NULL: refused. */
extern const struct gcn_exec *const gcn_exec[GCN_OPS];

/* The driver of vector instructions, and the fastest one for this one. */
wave_fn gcn_valu;
wave_fn *gcn_valu_for(const struct wave_op *op);

/* wave_isa.prefetch */
wave_prefetch_fn gcn_prefetch;

/* Values of the operand codes that never change. */
extern const uint32_t gcn_constants[WAVE_SCALARS];

/* ---- registers --------------------------------------------------------- */

static inline uint64_t gcn_pair(const struct wave *w, unsigned code)
{
	uint64_t v;

	memcpy(&v, &w->s[code], sizeof(v));
	return v;
}

static inline void gcn_set_pair(struct wave *w, unsigned code, uint64_t v)
{
	memcpy(&w->s[code], &v, sizeof(v));
}

static inline uint64_t gcn_mask(const struct wave *w)
{
	return gcn_pair(w, GCN_EXEC);
}

/* A scalar source. */
static inline uint32_t gcn_scalar(const struct wave *w,
				  const struct wave_op *op, unsigned code)
{
	return code == GCN_LITERAL ? op->literal : w->s[code];
}

/* A constant as 64 bits: an integer with its sign, or a double. */
uint64_t gcn_wide_constant(unsigned code);

static inline uint64_t gcn_scalar64(const struct wave *w,
				    const struct wave_op *op, unsigned code)
{
	if (code < GCN_ZERO)
		return gcn_pair(w, code);
	return code == GCN_LITERAL ? op->literal : gcn_wide_constant(code);
}

static inline uint32_t *gcn_vector(const struct wave *w, unsigned reg)
{
	return w->v + (size_t)reg * WAVE_LANES;
}

/* No iteration reads what another one writes. */
#ifdef __clang__
#define GCN_APART _Pragma("clang loop vectorize(assume_safety)")
#else
#define GCN_APART _Pragma("GCC ivdep")
#endif
#define GCN_EACH_LANE GCN_APART for (unsigned l = 0; l < WAVE_LANES; l++)

/* ~0 for lanes of the mask, else 0. */
static inline void gcn_spread(uint64_t mask, uint32_t out[WAVE_LANES])
{
	uint32_t half[2] = { (uint32_t)mask, (uint32_t)(mask >> 32) };

	for (unsigned h = 0; h < 2; h++) {
		for (unsigned l = 0; l < 32; l++)
			out[h * 32 + l] = -(half[h] >> l & 1);
	}
}

/* Writes register `reg` for the lanes of the mask. */
static inline void gcn_write(struct wave *w, unsigned reg, uint64_t mask,
			     const uint32_t from[WAVE_LANES])
{
	uint32_t *to = gcn_vector(w, reg), lanes[WAVE_LANES];

	if (!(mask + 1)) {
		memcpy(to, from, WAVE_LANES * 4);
		return;
	}
	gcn_spread(mask, lanes);
	GCN_EACH_LANE
	to[l] = (from[l] & lanes[l]) | (to[l] & ~lanes[l]);
}

#endif
