/*
 * What executors of SASS find in struct inst.
 *
 *   d, a, b, c   operands of these roles. A 64-bit operand is a pair: LANES low
 *                words, then LANES high words. A destination RZ is a sink.
 *   d2, e        predicates PU and PP; PT as a source is all ones, as a
 *                destination a sink
 *   flip         bit 0: PP is negated; bit 1: PQ; bit 2: PR
 *   m            modifiers of simt/lane.h, and signs of the sources: SASS_NEG_A
 *   offset       target of a branch as an index in the code; offset of a memory
 *                operand
 *   x            struct sass_more
 *
 * Uniform registers hold the same word for all lanes, and uniform predicates all
 * ones or zero, while the lanes of a warp are together. A uniform instruction is
 * executed with the executor of its vector twin, for all lanes of the warp; of a
 * diverged warp only for those that execute it. On hardware, groups of lanes that
 * have diverged overwrite each other's; compilers know where it goes from one to
 * the next, which is not where they take turns here (simt/warp.c).
 *
 * Owner:   the program.
 */
#ifndef HEDDLE_ISA_SASS_EXEC_H
#define HEDDLE_ISA_SASS_EXEC_H

#include "isa/sass/inst.h"
#include "simt/lane.h"
#include "simt/mem.h"

/* Bits of in->m above those of simt/lane.h. Whether a negation is one's
 * complement depends on the instruction. */
enum {
	SASS_NEG_A = 1 << 16,
	SASS_ABS_A = 1 << 17,
	SASS_NEG_B = 1 << 18,
	SASS_ABS_B = 1 << 19,
	SASS_NEG_C = 1 << 20,
	SASS_ABS_C = 1 << 21,
	SASS_SIGNS = 63 << 16
};

enum { SASS_PAIR_BYTES = LANES * 4 }; /* from a register to the next */

struct sass_more {
	struct opnd_lists list;    /* registers of a memory access: mem_slot */
	slot_t pv, pq, pr, fourth; /* predicates PV, PQ, PR; operand E */
	exec_fn *vector;           /* of a uniform instruction: its twin's */
	struct sass_inst inst;     /* modifiers and operands as decoded */
};

static inline const struct sass_more *sass_more_of(const struct inst *in)
{
	return in->x;
}

/* The lanes for which a uniform register or predicate is written. */
static inline lanes_t sass_uniform_lanes(const struct warp *w)
{
	return LIKELY(w->active == warp_live(w)) ? LANES_ALL : w->active;
}

static inline void sass_put_uniform(struct warp *w, slot_t to, uint32_t v)
{
	lanes_t lanes = sass_uniform_lanes(w);
	uint32_t *word = slot_at(w, to);

	for (int l = 0; l < LANES; l++)
		word[l] = lanes >> l & 1 ? v : word[l];
}

/* Every executor that sass.def names. */
#define INST(id, unit, lat, pipe, kind, replay, exec) exec_fn exec;
#include "isa/sass/sass.def"

/* The executor of every row, by enum sass_op. */
extern exec_fn *const sass_exec_table[SASS_OP_COUNT];

/* Executors that the lowering chooses. */
exec_fn sass_bra_plain, sass_ffma_plain, sass_uniform, sass_load_or_zero,
	sass_ldc_fixed, sass_s2ur, sass_clock, sass_warpsync_exclusive;

/* Of instructions that are decoded and printed only: a kernel with one of them
 * is refused when it is loaded. */
exec_fn sass_refused;
/* Stands after the last instruction, which nothing but damage lets pass. */
exec_fn sass_past_end;

#endif
