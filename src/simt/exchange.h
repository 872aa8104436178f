/*
 * What the lanes of a warp compute together: shuffles, matches, reductions.
 *
 * Owner:   none; functions of a warp, or of arrays over its lanes.
 */
#ifndef HEDDLE_SIMT_EXCHANGE_H
#define HEDDLE_SIMT_EXCHANGE_H

#include <stdbool.h>

#include "simt/warp.h"

enum shfl_mode { SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY };

/*
 * Lane l takes the value of a of the lane that b[l] names by number, distance
 * or mask, inside a segment of the warp: c[l] has its mask in bits 8 to 12 and
 * the last lane in bits 0 to 4. Outside of the segment a lane takes its own
 * value. Returns the lanes inside.
 */
lanes_t lanes_shuffle(enum shfl_mode mode, const uint32_t a[LANES],
		      const uint32_t b[LANES], const uint32_t c[LANES],
		      uint32_t out[LANES]);

/* The lanes of `among` whose value equals lane l's. */
lanes_t lanes_equal(const uint64_t v[LANES], lanes_t among, unsigned l);

enum redux_op {
	REDUX_AND,
	REDUX_OR,
	REDUX_XOR,
	REDUX_ADD,
	REDUX_MIN,
	REDUX_MAX
};

/* Over the lanes in `mask`, which is not empty. */
uint32_t lanes_reduce(enum redux_op op, bool is_signed, const uint32_t a[LANES],
		      lanes_t mask);

/*
 * Executes a .sync operation for the lanes that each lane names as members, in
 * register s. Lanes may name different sets, as the tiles of a warp do: each
 * set is an operation of its own. SLOT_NONE: the lanes that are here.
 */
void warp_by_members(struct warp *w, const struct inst *in, slot_t s,
		     exec_fn *one);
/* The lanes that name the same members as the first one in w->mask, in register s,
 * go on when all these are here; the others execute the instruction after them. */
void warp_members_apart(struct warp *w, slot_t s);

#endif
