/*
 * The dispatcher: distributes the blocks of grids over the SMs.
 *
 *   launches -> [streams] -> [queue of grids] ==block==> SM
 *                                             <==done===
 *
 * Models:  streams (a grid starts when the one before it in its stream has
 *          ended; grids of different streams run at once, dispatch.kernels of
 *          them), dispatch.launch_latency, dispatch.blocks_per_cycle,
 *          dispatch.end_interval (ends of blocks are handled one after the
 *          other, in the order of their arrival), dispatch.flush_latency (the
 *          end of a grid that has written to global memory; with
 *          l2.acknowledge not before the L2 has taken what is on its way from
 *          SMs without blocks), the
 *          order of the SMs, room on an SM by blocks, warps, registers and
 *          shared memory. The first grid of the queue is served until its last
 *          block is sent; grids behind it then use the room that is left.
 * Does not model: priorities, preemption, clusters of blocks.
 * Owner:   the GPU; its state belongs to one thread at a time.
 *
 * While the GPU is filled for the first time, SMs get blocks in turn (breadth,
 * cluster) or one is filled before the next (depth). Afterwards a block goes to
 * the first SM in the order that has room. With clusters of SMs, "cluster"
 * visits all SMs of one cluster before the next; "breadth" visits one SM of
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
#include "sm/idle.h"
#include "sm/occupancy.h"

struct dispatch;

enum { DISPATCH_GRIDS = 128 }; /* of one run */

struct dispatch_env {
	const struct cfg *cfg;
	struct wires *wires;
	uint32_t self;              /* its number on the wires */
	uint32_t sms;               /* SM i is partition i on the wires */
	struct idle_phases *phases; /* what the dispatcher tells idle SMs */
};

struct dispatch_grid {
	uint64_t blocks;
	uint32_t stream;
	uint32_t max; /* maximum blocks of it on an SM */
	struct occupancy_share share;
	struct waves *waves; /* records when blocks end; or NULL */

	/* Filled in while it runs. */
	cycle_t start; /* it was started; CYCLE_NEVER: not yet */
	cycle_t end;   /* it has ended; CYCLE_NEVER: not yet */
	uint64_t sent, done;
};

/* The room that the dispatcher needs on the wires. */
struct wire_room dispatch_room(const struct cfg *cfg, uint32_t sms,
			       cycle_t window);

/* Lives in *a. */
MUST_USE enum err dispatch_new(struct dispatch **out, struct arena *a,
			       const struct dispatch_env *env, struct diag *d);

/* Begins a run of at most DISPATCH_GRIDS grids, which the caller keeps. The
 * index of a grid is the id of its MSG_BLOCK messages. The SMs are empty. */
void dispatch_start(struct dispatch *x, cycle_t now,
		    struct dispatch_grid *grids, uint32_t n);

/* Simulates [from, to). Returns the cycle of the next event; messages that are
 * not yet in the inbox do not count. */
cycle_t dispatch_advance(struct dispatch *x, cycle_t from, cycle_t to);

/* Every grid has ended. */
bool dispatch_finished(const struct dispatch *x);
/* When the last block or grid ended that has ended so far. */
cycle_t dispatch_last_end(const struct dispatch *x);
/* Whether there are blocks that have not been sent to an SM. */
bool dispatch_has_more_blocks(const struct dispatch *x);
/* Blocks that have ended. */
uint64_t dispatch_blocks_done(const struct dispatch *x);
/* When the last block on the SM ended, since dispatch_start; 0: it had none. */
cycle_t dispatch_sm_end(const struct dispatch *x, uint32_t sm);
/* The SM at a place of the dispatch order; the place of an SM. */
uint32_t dispatch_sm_at(const struct dispatch *x, uint32_t place);
uint32_t dispatch_place_of(const struct dispatch *x, uint32_t sm);

#endif
