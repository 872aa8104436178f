/*
 * Instructions of a launch that read a register before an earlier one has
 * written it. The SM finds them (sm/hazards.c); a GPU computes something else
 * then, so somebody should tell.
 *
 * Models:  a count for each pair of instructions, and the most cycles that were
 *          missing, which depend neither on the host's threads nor on the order
 *          in which SMs are simulated.
 * Owner:   the launch, which has a list of them under its lock.
 */
#ifndef HEDDLE_SIMT_HAZARD_H
#define HEDDLE_SIMT_HAZARD_H

#include <stdint.h>

struct function;
struct launch;
struct warp;

#define HAZARD_UNKNOWN UINT32_MAX

struct hazard {
	const struct function *func;
	uint32_t writer, reader; /* indices in its text */
	uint32_t cycles; /* missing; HAZARD_UNKNOWN: the result was on its way */
	uint64_t count;  /* times that the reader came too early */
	struct hazard *next;
};

/* Notes that the warp reads too early. Without memory on the host for another
 * entry, it is not noted. */
void hazard_note(struct warp *w, uint32_t writer, uint32_t reader,
		 uint32_t cycles);
/* Sorts l->hazards by function and instructions. */
void hazard_sort(struct launch *l);
void hazard_clear(struct launch *l);

#endif
