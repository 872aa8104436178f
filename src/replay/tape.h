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

#include "simt/launch.h"
#include "simt/program.h"
#include "trace/trace.h"

struct block;

/* What an instruction is to a recording and to a replay. */
enum tape_kind {
	TAPE_FREE,     /* as ever: it depends on predicates alone */
	TAPE_COMPUTE,  /* its result is a value: nothing to do */
	TAPE_PRED,     /* gives predicates that others depend on */
	TAPE_STEER,    /* registers say where it goes, or how far */
	TAPE_SLEEP,    /* the same, and it waits */
	TAPE_SYNC,     /* lanes that name each other execute it together */
	TAPE_CONVERGE, /* the whole warp does */
	TAPE_CLOCK,
	TAPE_SERVICE,
	TAPE_LOAD,
	TAPE_LOAD_SHARED, /* what exec_ld32_shared executes */
	TAPE_STORE,
	TAPE_ATOM,
	TAPE_ATOM_VEC,
	TAPE_MBAR,
	TAPE_MBAR_TEST,
	TAPE_ASYNC,
	TAPE_BULK,
	TAPE_ROWS,   /* ldmatrix, stmatrix */
	TAPE_MATRIX, /* wmma.load, wmma.store */
	TAPE_SURFACE,
	TAPE_KINDS
};

/* By index in code.insts. */
struct tape_site {
	exec_fn *plain; /* the executor, while it is replaced */
	uint32_t site;  /* for trace/codec.h; dense among those with facts */
	uint8_t kind;   /* enum tape_kind */
	uint8_t told;   /* bit 0: fact of d, of a; bit 1: of d2, of b */
};

/*
 * Who starts and ends a launch's blocks beside the launch itself: launch.deck.
 * Called by the host thread that runs the block.
 */
struct deck {
	void (*start)(struct deck *deck, struct block *b);
	/* done: all warps have come to their end. */
	void (*end)(struct deck *deck, struct block *b, bool done);
	void (*drop)(struct block *b); /* frees b->tape, if there is any */
	/* Of b->tape_room, which lies with the block's warps, for each. */
	size_t warp_bytes;
	bool replays;
};

/* Whether nothing is computed: memory has no values. */
static inline bool launch_replays(const struct launch *l)
{
	return UNLIKELY(l->deck != NULL) && l->deck->replays;
}
/* Where a replay has its barriers in shared memory, at the addresses in
 * w->addr; false: the launch has faulted. */
bool replay_shared(struct warp *w, const struct inst *in,
		   uint64_t *host[LANES]);

/* Executors of all functions that record, as ever again, or that replay; the
 * last is for good. */
MUST_USE enum err program_record(struct program *p, struct diag *d);
void program_restore(struct program *p);
MUST_USE enum err program_replay(struct program *p, struct diag *d);

/* A launch on its way to a trace. */
struct recording {
	struct deck deck;
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
	struct deck deck;
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
/* After it: what it has accessed. */
struct winst;
void replay_accesses(struct winst *wi, struct warp *w, const struct inst *in);

#endif
