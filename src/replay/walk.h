/*
 * A walk through blocks of a trace: every instruction that their warps have
 * executed, told to a watcher (arch/effect.h), without time.
 *
 * Warps of a block take turns as they do in functional mode; what one warp
 * does is in order. One thread.
 */
#ifndef HEDDLE_REPLAY_WALK_H
#define HEDDLE_REPLAY_WALK_H

#include "arch/effect.h"
#include "base/diag.h"
#include "simt/program.h"
#include "trace/trace.h"

struct walker;

/* The trace stays the caller's and must live as long. */
MUST_USE enum err walker_new(struct walker **out, struct trace *t,
			     struct diag *d);
void walker_free(struct walker *k); /* NULL is fine */

/* Loads the code of a launch, which walker_block would do else. */
MUST_USE enum err walker_load(struct walker *k, uint32_t launch,
			      struct diag *d);

/*
 * Walks through one block of a launch. watch is called with worker 0; what it
 * is given is valid during the call, code and instructions as long as the
 * walker is. ERR_FAULT: the trace does not fit.
 */
MUST_USE enum err walker_block(struct walker *k, uint32_t launch,
			       uint64_t block, step_fn *watch, void *ctx,
			       struct diag *d);

#endif
