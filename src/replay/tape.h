/*
 * Recording and replaying warps.
 *
 * What a program does depends on its code and, in few places, on values: the
 * predicates that comparisons set, the addresses of memory accesses, the target
 * of an indirect branch. These are the *facts*; each belongs to a *site*, a
 * place in the code (arch/site.h). A recording writes the facts to a trace. A
 * replay runs the same code on the same warps without computing anything else:
 * its executors read the facts from the trace and do not touch memory. Guards,
 * branches, divergence, calls and barriers then happen as they did.
 *
 *   recording:  executor --> facts (trace/codec.h) --> trace_put_block
 *   replay:     trace_block_read --> facts --> executor without values
 *
 * Lanes that run together write their facts to the stream of the first of them,
 * so the order in which diverged lanes take turns need not be the same.
 *
 * Models:  everything that timing reads of a warp after a step: lanes,
 *          addresses, atomics in flight, bulk copies, how long it sleeps; and
 *          mbarriers, so that lanes wait as long as the replay takes, if their
 *          loop only waits.
 * Does not model: values. What depends on time itself (clocks, the result of an
 *          atomic, whether a wait is over) is replayed as it was recorded.
 * Owner:   the launch (launch.hooks); the program's executors change for all of
 *          its launches.
 */
#ifndef HEDDLE_REPLAY_TAPE_H
#define HEDDLE_REPLAY_TAPE_H

#include "arch/site.h"
#include "simt/launch.h"
#include "simt/program.h"
#include "trace/trace.h"

/* Replace the executors of all functions: by those that record; by the original
 * ones again; by those that replay t, which cannot be undone. */
MUST_USE enum err program_record(struct program *p, struct diag *d);
void program_restore(struct program *p);
MUST_USE enum err program_replay(struct program *p, const struct trace *t,
				 struct diag *d);

/* A launch that is recorded. */
struct recording {
	struct block_hooks hooks;
	struct trace_writer *writer;
	uint32_t launch;      /* its number in the trace */
	atomic_uint depends;  /* enum trace_depends */
	pthread_mutex_t lock; /* of error */
	struct diag error;    /* the writer's first error */
	atomic_bool failed;
};

void recording_start(struct recording *r, struct trace_writer *w,
		     uint32_t launch, const struct program *p);
/* The writer's first error, if there was one. */
MUST_USE enum err recording_end(struct recording *r, struct diag *d);

/* A launch that is replayed from a trace. */
struct replaying {
	struct block_hooks hooks;
	struct trace *trace;
	uint32_t launch;
};

void replaying_start(struct replaying *r, struct trace *t, uint32_t launch);

/* Makes an atomic on global memory, at the effect's addresses, whose lanes count
 * as performed already; for executors that compute nothing. */
void replay_start_atomic(struct warp *w, const struct inst *in, lanes_t lanes,
			 uint32_t bytes);

#endif
