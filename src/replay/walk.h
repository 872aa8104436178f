/*
 * A walk through blocks of a trace: calls a watcher (arch/effect.h) for every
 * instruction that their warps executed, without time.
 *
 * Models: the order of each warp's instructions; warps of a block take turns as
 *          in functional mode.
 * Does not model: time.
 * Owner:   the caller; one thread.
 */
#ifndef HEDDLE_REPLAY_WALK_H
#define HEDDLE_REPLAY_WALK_H

#include "arch/effect.h"
#include "base/diag.h"
#include "simt/program.h"
#include "trace/trace.h"

struct walker;

/* The caller keeps the trace, which must live as long as the walker. */
MUST_USE enum err walker_new(struct walker **out, struct trace *t,
			     struct diag *d);
void walker_free(struct walker *k); /* NULL is fine */

/* Loads the code of a launch; otherwise walker_block does it. */
MUST_USE enum err walker_load(struct walker *k, uint32_t launch,
			      struct diag *d);

/*
 * Walks through one block of a launch. watch is called with worker 0. Its
 * arguments are valid during the call, code and instructions as long as the
 * walker lives. ERR_FAULT: the trace does not fit.
 */
MUST_USE enum err walker_block(struct walker *k, uint32_t launch,
			       uint64_t block, step_fn *watch, void *ctx,
			       struct diag *d);

#endif
