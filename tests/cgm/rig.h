/*
 * An element of CGM alone, between wires that the test holds.
 */
#ifndef HEDDLE_TESTS_CGM_RIG_H
#define HEDDLE_TESTS_CGM_RIG_H

#include "mem/cgm/part.h"

struct rig_pair {
	struct cgm_wire *wire[2]; /* to the element, from it */
};

/* Wires of one tick that pass a message a tick, with room for four. */
struct cgm_wire *rig_wire(struct arena *a);
struct rig_pair rig_pair_new(struct arena *a);
void rig_send(struct rig_pair *p, cycle_t now, struct cgm_packet in);
/* Runs a part for a cycle. */
void rig_run(struct cgm_part *part, cycle_t now);
/* Runs a part until the pair's wire has a message; returns when it arrives. */
cycle_t rig_answer(struct cgm_part *part, struct rig_pair *p, cycle_t from,
		   struct cgm_packet *out);
/* An access of 8 bytes. */
struct cgm_packet rig_access(enum cgm_op op, uint64_t block, uint64_t tag);

#endif
