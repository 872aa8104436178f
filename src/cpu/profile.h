/*
 * Where a core's commit slots went, by instruction: those in which one was
 * committed, and those that were lost because of it.
 *
 * Models:  a table of CPU_PROFILE_ROWS instructions; slots of others, and those
 *          that concern none, are counted together.
 * Owner:   whoever made it; a core counts in it.
 */
#ifndef HEDDLE_CPU_PROFILE_H
#define HEDDLE_CPU_PROFILE_H

#include "arch/guest.h"
#include "base/arena.h"
#include "stat/cpu.h"

enum { CPU_PROFILE_BITS = 16, CPU_PROFILE_ROWS = 3 << (CPU_PROFILE_BITS - 2) };

struct cpu_profile_row {
	const struct guest_inst *inst; /* NULL: empty */
	uint64_t slot[CPU_SLOT_USES];
};

struct cpu_profile {
	struct cpu_profile_row *row; /* 1 << CPU_PROFILE_BITS, by address */
	uint32_t used;
	struct cpu_profile_row rest;
};

/* Lives in *a. NULL: out of memory. */
struct cpu_profile *cpu_profile_new(struct arena *a);
void cpu_profile_add(struct cpu_profile *p, const struct guest_inst *inst,
		     enum cpu_slot_use use, uint64_t slots);

#endif
