/*
 * A block (work-group): its warps, shared memory and barriers, on one thread.
 *
 * Models:  barriers as in hardware: an arriving warp counts for all its lanes
 *          once every lane that has not exited is there; a barrier without a
 *          count waits for the warps that have not exited.
 * Does not model: time.
 * Owner:   its worker.
 */
#ifndef HEDDLE_SIMT_BLOCK_H
#define HEDDLE_SIMT_BLOCK_H

#include "simt/fault.h"
#include "simt/launch.h"
#include "simt/program.h"
#include "simt/warp.h"

struct barrier {
	uint32_t count; /* threads that complete it; 0: all live ones */
	uint32_t warps; /* with lanes that have arrived */
	/* Reductions. */
	uint32_t popc;
	bool all, any;
	bool reduces; /* a lane needs its result */
	bool busy;    /* lanes have arrived since it was last complete */
};

enum { RECENT = 32 };

struct view;

/*
 * What blocks reuse and share, used by one host thread at a time: each host
 * thread has one in functional mode, each SM has one when time is modelled.
 */
struct worker {
	struct launch *launch;
	/* Global memory as the SM sees it. NULL: functional mode, memory is
	 * shared with the other host threads and the fields below mean
	 * nothing. */
	struct view *view;
	uint64_t clock_mhz; /* of the core clock, for %globaltimer */
	uint32_t smid;
	/* Memory for blocks, block_bytes each, and for the local memory of the
	 * first ones; beyond that it is allocated. used: not all zeros. */
	char *pool, *local;
	size_t pool_bytes, local_bytes;
	bool used;
	uint64_t turn; /* instructions of a warp before the next one's turn */
	struct frame **free_frames; /* by function */
	struct frame *all_frames;   /* including those in use */
	struct block *free_blocks;
	struct block *parked, *parked_last;
	uint32_t parked_count;
	struct range last[RECENT]; /* recent allocations, by instruction */
	int index;
	struct effect effect; /* of the last instruction; its arrays come last */
};

struct block {
	struct launch *launch;
	struct worker *worker;
	uint64_t index;
	uint32_t ctaid[3];
	uint32_t warp_count, live_warps;
	struct warp *warps;
	struct frame *frames; /* the first of each warp */
	char *regs, *sregs;   /* registers and special registers of the warps */
	char *slab;           /* memory of all of these */
	size_t slab_bytes;    /* 0: the slab is part of the worker's pool */
	char *shared;
	uint32_t shared_bytes;
	char *local;
	size_t local_bytes;
	bool local_lent; /* it is part of the worker's */
	struct barrier bar[BARRIERS];
	uint32_t releases; /* of barriers so far; for callers that step */
	uint32_t next_warp;
	char *text; /* what the block printed */
	size_t text_size, text_room;
	struct block *next; /* parked or free */
	void *tape;         /* state of recording or replay (launch.hooks) */
	char *tape_room;    /* hooks.warp_bytes for each warp */
};

/* Time is modelled from now on: the SM sees global memory through *v. */
static inline void worker_set_view(struct worker *wk, struct view *v)
{
	wk->view = v;
	wk->effect.reader = READER_TIMING;
	wk->effect.near_bytes = 0; /* needs all addresses */
}

/* NULL: functional mode. */
static inline struct view *warp_view(const struct warp *w)
{
	return w->worker->view;
}

enum block_state { BLOCK_DONE, BLOCK_PARKED, BLOCK_FAULT };

/* Bytes of a block's slab, and of its local memory. */
size_t block_bytes(const struct launch *l);
size_t block_local_bytes(const struct launch *l);
struct block *block_new(struct worker *wk);
void block_free(struct block *b);
void block_start(struct block *b, uint64_t index);
enum block_state block_run(struct block *b, uint64_t budget);

/*
 * For callers that step warps, when no warp of the block is ready and not all
 * are done. block_unblock lets lanes that wait at joins continue alone. False:
 * there were none, so the block is deadlocked; block_deadlock ends the launch.
 */
bool block_unblock(struct block *b);
void block_deadlock(struct block *b);

/* NULL: out of memory. The caller sets the fields for timing. */
struct worker *worker_new(struct launch *l, int index);
/* All its blocks must have been retired, including those that a fault cut
 * short. */
void worker_free(struct worker *wk);
/* Starts a block of the grid; reuses one that was retired. */
struct block *worker_block(struct worker *wk, uint64_t index);
/* Counts the block's steps, keeps what it printed, and frees it for reuse. */
void worker_retire(struct worker *wk, struct block *b);

/* For executors. */
struct frame *block_frame_new(struct block *b, const struct code *c);
void block_frame_free(struct block *b, struct frame *f);
void block_lanes_exited(struct block *b, struct warp *w);
/* Releases all lanes that wait at a barrier. */
void block_release(struct block *b, uint8_t id);
/* count 0: all threads. Returns whether the barrier is complete now. */
bool block_arrive(struct block *b, struct warp *w, uint8_t id, uint32_t count);
/* Writes a reduction's result for every split that waits at the barrier. */
void barrier_results(struct block *b, uint8_t id);
void block_print(struct block *b, const char *text, size_t size);

#endif
