/*
 * The dispatcher: gives the blocks of the grids to the SMs.
 *
 *   launches -> [streams] -> [queue of grids] ==block==> SM
 *                                             <==done===
 *
 * Models:  streams (a grid starts when the one before it in its stream has
 *          ended; grids of different streams run at once, dispatch.kernels of
 *          them), dispatch.launch_latency, dispatch.blocks_per_cycle, the
 *          order of the SMs, room on an SM by blocks, warps, registers and
 *          shared memory. The first grid of the queue is served until its last
 *          block has gone; what room it leaves is for those behind it.
 * Does not model: priorities, preemption, clusters of blocks.
 * Owner:   the GPU; its state belongs to one thread at a time.
 *
 * While the GPU is filled for the first time, SMs get blocks in turn (breadth,
 * cluster) or one is filled before the next (depth); afterwards a block goes
 * to the first SM in the order that has room. With clusters of SMs, "cluster"
 * goes through the SMs of one and then to the next; "breadth" takes one SM of
 * each cluster, then a second one of each.
 */
#ifndef HEDDLE_GPU_DISPATCH_H
#define HEDDLE_GPU_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "gpu/waves.h"
#include "net/wire.h"
#include "sm/occupancy.h"

struct dispatch;

enum { DISPATCH_GRIDS = 128 }; /* of one run */

struct dispatch_env {
	const struct cfg *cfg;
	struct wires *wires;
	uint32_t self; /* its number on the wires */
	uint32_t sms;  /* SM i is partition i on the wires */
};

struct dispatch_grid {
	uint64_t blocks;
	uint32_t stream;
	uint32_t max; /* blocks of it on an SM at once */
	struct occupancy_share share;
	struct waves *waves; /* told of every end; NULL: nobody asks */

	/* Filled while it runs. */
	cycle_t start; /* its turn has come; CYCLE_NEVER: not yet */
	cycle_t end;   /* its last block has ended; CYCLE_NEVER: not yet */
	uint64_t sent, done;
};

struct wire_room dispatch_room(const struct cfg *cfg, uint32_t sms,
			       cycle_t window);

/* Lives in *a. */
MUST_USE enum err dispatch_new(struct dispatch **out, struct arena *a,
			       const struct dispatch_env *env, struct diag *d);

/* A run begins: at most DISPATCH_GRIDS grids, which the caller keeps; number i
 * is the id of MSG_BLOCK. The SMs are empty. */
void dispatch_start(struct dispatch *x, cycle_t now,
		    struct dispatch_grid *grids, uint32_t n);

/* Simulates [from, to). Returns the next cycle in which there is something to
 * do, arrivals that are not yet pulled excepted. */
cycle_t dispatch_advance(struct dispatch *x, cycle_t from, cycle_t to);

/* Every block of every grid has ended. */
bool dispatch_finished(const struct dispatch *x);
/* When the last of those that have ended did so. */
cycle_t dispatch_last(const struct dispatch *x);
/* There are blocks that no SM has got yet. */
bool dispatch_has_more(const struct dispatch *x);
/* Blocks that have ended. */
uint64_t dispatch_done(const struct dispatch *x);
/* When the last block of the SM ended, since dispatch_start; 0: it had none. */
cycle_t dispatch_sm_end(const struct dispatch *x, uint32_t sm);
/* The SM in that place of the order. */
uint32_t dispatch_sm(const struct dispatch *x, uint32_t place);

#endif
