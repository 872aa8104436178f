/*
 * A switch of the ring: four ports, a crossbar between them, three lanes each.
 *
 *             north: a cache
 *                 |
 *   west ---- [ crossbar ] ---- east
 *                 |
 *             south: a slice
 *
 * In a cycle an output takes one message, an input gives one; among the inputs
 * and lanes that want an output, they take turns. A message enters the ring
 * only where two places are free, so that a ring of full buffers, which could
 * not turn, cannot arise.
 *
 * Models:  the latency, contention for outputs and for buffers.
 * Does not model: flits, a pipeline of arbitration stages.
 * Owner:   the system.
 */
#ifndef HEDDLE_MEM_CGM_SWITCH_H
#define HEDDLE_MEM_CGM_SWITCH_H

#include "mem/cgm/part.h"
#include "stat/cgm.h"

enum cgm_side { CGM_NORTH, CGM_SOUTH, CGM_EAST, CGM_WEST, CGM_SIDES };

struct cgm_switch_config {
	cycle_t period;
	uint32_t latency;     /* cycles from arrival to departure */
	const uint8_t *route; /* enum cgm_side, by destination */
};

struct cgm_switch {
	struct cgm_part part; /* first */
	struct cgm_switch_config cfg;
	struct cgm_wire *in[CGM_SIDES], *out[CGM_SIDES]; /* NULL: none */
	unsigned turn[CGM_SIDES];
	uint64_t blocked; /* in the last cycle */
	struct cgm_stat_net st;
};

/* wire[side][2]: into and out of the switch; NULL: nothing is there. */
MUST_USE enum err cgm_switch_new(struct cgm_switch **out, struct arena *a,
				 const struct cgm_switch_config *cfg,
				 struct cgm_wire *const wire[CGM_SIDES][2],
				 struct diag *d);

#endif
