/*
 * Loads of shared memory that a compiler makes one of.
 *
 * ptxas loads 8 or 16 bytes at once where a region of the schedule (schedule.h) loads
 * several words of them. Here the first of these loads is *wide*: it is issued as
 * the load of all of them, and those that are *merged* into it follow it, are
 * executed in their place, and take no time.
 *
 * Loads are merged if they have no guard, are as wide as each other, 4 or 8 bytes,
 * and are in one aligned piece of 16 bytes, of which at least three of four words
 * are loaded, or in one of 8. That they are must follow from the constants in their
 * addresses and from what is known of the lowest bits of the rest (lowbits.h).
 * Between them there is no store to shared memory, wherever it goes, and what they
 * need is there where the first one is. All of this is what ptxas 13.0 does for
 * sm_90, as far as small kernels show it.
 *
 * Does not model: loads of 1 and 2 bytes, which ptxas merges, too, if they are of 2
 *          bytes; stores, which it merges like loads; loads with a guard;
 *          registers that must be consecutive.
 */
#ifndef HEDDLE_ISA_PTX_MERGE_H
#define HEDDLE_ISA_PTX_MERGE_H

#include "isa/ptx/schedule_graph.h"

/* Finds the loads of p's region, between which and the others all edges are there
 * already, that are merged, and marks them in p->fold and p->node. False: out of
 * memory. */
MUST_USE bool merge_loads(struct plan *p);

#endif
