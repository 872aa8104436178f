/*
 * Accesses outside of all allocations that work, because their page is mapped
 * (gmem_page): a GPU does not notice them, so somebody should.
 *
 * Models:  a count for each instruction, and one of its accesses as an example:
 *          the first of the lowest block that has any, which depends neither
 *          on the host's threads nor on the order in which SMs are simulated.
 * Does not model: accesses to an allocation that was not meant.
 * Owner:   the launch, which has a list of them under its lock.
 */
#ifndef HEDDLE_SIMT_OUTSIDE_H
#define HEDDLE_SIMT_OUTSIDE_H

#include <stdint.h>

#include "arch/lanes.h"

struct function;
struct inst;
struct launch;
struct warp;

struct outside {
	const struct function *func;
	uint32_t inst;  /* index in its text */
	uint32_t bytes; /* of an access */
	uint64_t count; /* accesses: a warp's instruction has one per lane */
	/* The example. */
	const char *verb; /* "load from", "store to", "access to" */
	uint64_t block;   /* number in the grid */
	uint64_t address;
	uint64_t base, size; /* of the allocation that is nearest to it */
	struct outside *next;
};

/* Notes accesses of these lanes, `bytes` each. Without memory on the host for
 * another entry, they are not noted. */
void outside_note(struct warp *w, const struct inst *in, const char *verb,
		  const uint64_t addr[LANES], lanes_t lanes, uint32_t bytes);
/* Sorts l->outside by function and instruction. */
void outside_sort(struct launch *l);
void outside_clear(struct launch *l);

#endif
