/*
 * Recording and replaying wavefronts (simt/wave.h), as tape.h does warps.
 *
 * The facts of a wavefront are: where a branch goes; the mask of active lanes after
 * an instruction that may set it; and of a memory instruction what it accessed. They
 * are one stream of the trace for each wavefront.
 *
 * Models:  all that a compute unit reads of a wavefront after a step.
 * Does not model: values; registers other than the mask have none in a replay.
 * Owner:   as tape.h.
 */
#ifndef HEDDLE_REPLAY_WAVE_TAPE_H
#define HEDDLE_REPLAY_WAVE_TAPE_H

#include "arch/isa.h"
#include "replay/tape.h"
#include "simt/wave.h"
#include "trace/codec.h"

/* program_record, program_restore and program_replay of such programs. */
MUST_USE enum err wave_tape_record(struct program *p, struct diag *d);
void wave_tape_restore(struct program *p);
MUST_USE enum err wave_tape_replay(struct program *p, struct diag *d);

/* block_hooks.start_group, end_group and drop_group. */
void wave_record_start(struct block_hooks *hooks, struct workgroup *g);
void wave_record_end(struct block_hooks *hooks, struct workgroup *g, bool done);
void wave_record_drop(struct workgroup *g);
void wave_replay_start(struct block_hooks *hooks, struct workgroup *g);
void wave_replay_end(struct block_hooks *hooks, struct workgroup *g, bool done);
void wave_replay_drop(struct workgroup *g);

/* For wave_record.c and wave_replay.c: the executors, and what they share. */
wave_fn wave_record_step, wave_replay_step;

/* The executor that the instruction set gave the instruction. */
static inline wave_fn *wave_tape_plain(const struct wave *w,
				       const struct wave_op *op)
{
	const struct program *p = w->group->launch->program;

	return p->wave_plain[op - p->isa->waves->code(p)->ops];
}

/* The first of the sites of an instruction's facts. */
enum wave_site {
	WAVE_SITE_LANES,  /* whether active lanes are counted */
	WAVE_SITE_ACTIVE, /* whether the mask changes, and the mask */
	WAVE_SITE_JUMP,   /* whether it jumps, or where to */
	WAVE_SITE_ACCESS, /* enum wave_access, an address of scalar loads */
	WAVE_SITE_MASK, /* by half of the wavefront: lanes that access memory */
	WAVE_SITE_FIRST = WAVE_SITE_MASK + 2,   /* their addresses */
	WAVE_SITE_SECOND = WAVE_SITE_FIRST + 2, /* the second ones */
	WAVE_SITES = WAVE_SITE_SECOND + 2
};

static inline uint32_t wave_site(const struct wave_op *op, enum wave_site which)
{
	return op->at / 4 * WAVE_SITES + which;
}

/* How an instruction accessed memory, in one number; bytes of a lane are above. */
enum wave_access {
	WAVE_ACCESS_SPACE = 7, /* enum wave_space */
	WAVE_ACCESS_WRITE = 1 << 3,
	WAVE_ACCESS_ATOMIC = 1 << 4,
	WAVE_ACCESS_RETURNS = 1 << 5,
	WAVE_ACCESS_COHERENT = 1 << 6,
	WAVE_ACCESS_IMAGE = 1 << 7,
	WAVE_ACCESS_INVALIDATE = 1 << 8,
	WAVE_ACCESS_PAIRS = 1 << 9,
	/* Addresses are offsets in the work-group's scratch memory. */
	WAVE_ACCESS_SCRATCH = 1 << 10,
	WAVE_ACCESS_BYTES = 16 /* a shift */
};

/* Halves of a wavefront have as many lanes as a fact. */
enum { WAVE_HALVES = WAVE_LANES / TRACE_LANES };

static inline bool wave_is_memory(const struct wave_op *op)
{
	return op->unit == WAVE_SMEM || op->unit == WAVE_VMEM ||
	       op->unit == WAVE_LDS;
}

/* Whether active lanes may count. */
static inline bool wave_is_vector(const struct wave_op *op)
{
	return op->unit == WAVE_VALU || op->unit == WAVE_VMEM ||
	       op->unit == WAVE_LDS;
}

#endif
