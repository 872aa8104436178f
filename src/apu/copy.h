/*
 * Copies and fills by a GPU beside CPUs: what a kernel of the driver's would do, block
 * by block through the ports of the units.
 *
 *   a box of bytes -> blocks written -> loads, then a store -> vector ports -> CGM
 *
 * Each block of 64 bytes that is written, or what of it lies in a row of the box, is
 * one piece of work: it asks for the one or two blocks that it is copied from, then
 * stores. cgm.copy_blocks pieces are in flight, each at the vector port of one unit, in
 * turns.
 *
 * Does not model: the instructions of such a kernel, nor its launch. The values:
 * whoever asks for the copy moves them.
 * Owner:   the apu.
 */
#ifndef HEDDLE_APU_COPY_H
#define HEDDLE_APU_COPY_H

#include "apu/bridge.h"

/* A box: rows of `width` bytes, `height` of them in a slice, `depth` slices.
 * Addresses are the GPU's. */
struct apu_copy {
	bool reads; /* else only `to` is written */
	uint64_t from, to;
	uint64_t from_row, from_slice, to_row,
		to_slice; /* distances in bytes */
	uint64_t width, height, depth;
};

enum copy_state { COPY_FREE, COPY_LOADS, COPY_STORES };

struct copy_piece {
	enum copy_state state;
	uint64_t to, mask; /* of the store: its block, and which bytes */
};

struct copy_engine {
	struct bridge *bridge;
	struct apu_copy box;
	struct copy_piece piece[BRIDGE_COPIES];
	uint32_t room; /* pieces in flight, at most */
	uint32_t in_flight;
	uint64_t x, y, z; /* where the next piece begins */
};

void copy_begin(struct copy_engine *e, const struct apu_copy *box);
/* A cycle of the GPU; true: all is done. */
bool copy_advance(struct copy_engine *e, cycle_t now);

#endif
