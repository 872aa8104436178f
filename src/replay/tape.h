/*
 * Recording and replaying warps.
 *
 * What a program does depends on its code and, in few places, on values: the
 * predicates that comparisons give, the addresses that memory is accessed at,
 * where an indirect branch goes. A recording writes down these, and a replay
 * runs the same code on the same warp machine without computing anything else:
 * its executors take from the trace what depends on values, and leave memory
 * alone. Guards, branches, divergence, calls and barriers follow of themselves.
 *
 *   recording:  executor --> facts (trace/codec.h) --> trace_put_block
 *   replay:     trace_block_read --> facts --> executor without values
 *
 * Facts go to the stream of the first lane of those that run together: how
 * diverged lanes take turns need not be the same in both.
 *
 * Models:  everything that timing reads of a warp after a step: lanes,
 *          addresses, atomics under way, bulk copies, how long it sleeps; and
 *          mbarriers, so that lanes wait as long as the replay needs, if the
 *          loop does nothing else.
 * Does not model: values. What depends on time itself (clocks, what an atomic
 *          returns, whether a wait is over) is replayed as it was recorded.
 */
#ifndef HEDDLE_REPLAY_TAPE_H
#define HEDDLE_REPLAY_TAPE_H

#include "arch/site.h"
#include "simt/launch.h"
#include "simt/program.h"
#include "trace/trace.h"

/* Executors of all functions that record, as ever again, or that replay; the
 * last is for good. */
MUST_USE enum err program_record(struct program *p, struct diag *d);
void program_restore(struct program *p);
MUST_USE enum err program_replay(struct program *p, struct diag *d);

/* A launch on its way to a trace. */
struct recording {
	struct block_hooks hooks;
	struct trace_writer *writer;
	uint32_t launch;      /* its number in the trace */
	atomic_uint depends;  /* enum trace_depends */
	pthread_mutex_t lock; /* of error */
	struct diag error;    /* the first that the writer told */
	atomic_bool failed;
};

void recording_start(struct recording *r, struct trace_writer *w,
		     uint32_t launch, const struct program *p);
/* The writer's first error, if there was one. */
MUST_USE enum err recording_end(struct recording *r, struct diag *d);

/* A launch that comes from a trace. */
struct replaying {
	struct block_hooks hooks;
	struct trace *trace;
	uint32_t launch;
};

void replaying_start(struct replaying *r, struct trace *t, uint32_t launch);

/*
 * Of a warp that replays, before its next instruction `in`: the addresses that
 * it reads, lanes outside of w->mask repeating one of it. False: the trace
 * does not fit, and the launch has faulted.
 */
bool replay_peek(struct warp *w, const struct inst *in, uint64_t addr[LANES]);

#endif
