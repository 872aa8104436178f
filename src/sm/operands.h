/*
 * Prefetches the registers of a warp's next instructions into the host's cache:
 * about as many instructions as a warp executes in a window. Always inline, as
 * in base/fetch.h. Not into the nearest cache, which is too small for all that
 * an SM touches in a window.
 */
#ifndef HEDDLE_SM_OPERANDS_H
#define HEDDLE_SM_OPERANDS_H

#include "base/fetch.h"
#include "sm/core.h"

/* `count` registers that follow each other. Of what is no register, as constants
 * are, the first registers are fetched in its place: a branch would cost more. */
static inline __attribute__((always_inline)) void
fetch_lanes(const struct slot *p, slot_t slot, size_t count)
{
	slot_t other = (slot | slot << 1) >> 31; /* a bit of its place is set */

	fetch_early(p->regs + (slot & (other - 1)), count * 2 * FETCH_LINE);
}

_Static_assert(SLOT_PLACE(SLOT(SLOT_REG, 1)) == 0, "its slots are offsets");

/* Those of instruction i from the next one on. */
static inline __attribute__((always_inline)) void
fetch_operands_of(const struct slot *p, int i)
{
	fetch_lanes(p, p->in[i].a, 1);
	fetch_lanes(p, p->in[i].b, 1);
	fetch_lanes(p, p->in[i].c, 1);
	fetch_lanes(p, p->in[i].d, 2); /* of machine code, often a pair */
}

static inline __attribute__((always_inline)) void
fetch_operands(const struct slot *p)
{
	for (int i = 0; i <= INST_TAIL; i++)
		fetch_operands_of(p, i);
}

#endif
