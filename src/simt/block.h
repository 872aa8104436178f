/*
 * A block (work-group): its warps, shared memory and barriers, on one thread.
 *
 * Barriers as the hardware does them: an arriving warp counts for all its 32
 * lanes once every lane that has not exited is there; a barrier without a
 * count waits for the warps that have not exited.
 */
#ifndef HEDDLE_SIMT_BLOCK_H
#define HEDDLE_SIMT_BLOCK_H

#include "simt/fault.h"
#include "simt/launch.h"
#include "simt/program.h"
#include "simt/warp.h"

struct barrier {
	uint32_t count; /* threads that complete it; 0: all that live */
	uint32_t warps; /* with lanes that have arrived */
	/* of a reduction */
	uint32_t popc;
	bool all, any;
	bool reduces; /* somebody wants its result */
	bool busy;    /* somebody has arrived since it was last complete */
};

enum { RECENT = 32 };

struct view;

/*
 * What blocks reuse and share, used by one host thread at a time: that
 * thread's own in functional mode, an SM's own when time is modelled.
 */
struct worker {
	struct launch *launch;
	/* Global memory as the SM sees it. NULL: functional mode, memory is
	 * shared with the other host threads and the fields below mean
	 * nothing. */
	struct view *view;
	uint64_t clock_mhz;   /* of the core clock, for %globaltimer */
	struct effect effect; /* of the last instruction of any warp */
	uint32_t smid;
	/* Where blocks are made, block_bytes each; then the host is asked.
	 * used: the pool is not all zeros. The same for the first block's
	 * local memory. */
	char *pool, *local;
	size_t pool_bytes, local_bytes;
	bool used;
	uint64_t turn; /* instructions of a warp before the next one's turn */
	struct frame **free_frames; /* by function */
	struct frame *all_frames;   /* those in use too */
	struct block *free_blocks;
	struct block *parked, *parked_last;
	uint32_t parked_count;
	struct range last[RECENT]; /* recently used allocations, by instruction */
	int index;
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
	char *slab;           /* that all of these lie in */
	size_t slab_bytes;    /* 0: the slab is of the worker's pool */
	char *shared;
	uint32_t shared_bytes;
	char *local;
	size_t local_bytes;
	bool local_lent; /* it is the worker's */
	struct barrier bar[BARRIERS];
	uint32_t releases; /* of barriers so far: for who steps warps */
	uint32_t next_warp;
	char *text; /* what the block printed */
	size_t text_size, text_room;
	struct block *next; /* parked or free */
	void *tape;         /* of the launch's deck */
	char *tape_room;    /* the same */
};

/* From here on time is modelled: the SM sees global memory through *v. */
static inline void worker_set_view(struct worker *wk, struct view *v)
{
	wk->view = v;
	wk->effect.reader = READER_TIMING;
	wk->effect.near_bytes = 0; /* all addresses */
}

/* NULL: functional mode. */
static inline struct view *warp_view(const struct warp *w)
{
	return w->worker->view;
}

enum block_state { BLOCK_DONE, BLOCK_PARKED, BLOCK_FAULT };

/* Of a block's slab, and of its local memory. */
size_t block_bytes(const struct launch *l);
size_t block_local_bytes(const struct launch *l);
struct block *block_new(struct worker *wk);
void block_free(struct block *b);
void block_start(struct block *b, uint64_t index);
enum block_state block_run(struct block *b, uint64_t budget);

/*
 * For who steps warps: no warp of the block is ready, and not all are done.
 * block_unblock lets lanes that wait at joins go on alone; false: there were
 * none, so the block waits for ever, and block_deadlock ends the launch.
 */
bool block_unblock(struct block *b);
void block_deadlock(struct block *b);

/* NULL: out of memory. The caller sets what is for timing. */
struct worker *worker_new(struct launch *l, int index);
/* Its blocks have been retired, those cut short by a fault too. */
void worker_free(struct worker *wk);
/* A block of the grid, started; reuses one that was retired. */
struct block *worker_block(struct worker *wk, uint64_t index);
/* Counts the block's steps, keeps what it printed, and reuses its memory. */
void worker_retire(struct worker *wk, struct block *b);

/* For executors. */
struct frame *block_frame_new(struct block *b, const struct code *c);
void block_frame_free(struct block *b, struct frame *f);
void block_lanes_exited(struct block *b, struct warp *w);
/* count 0: all threads. Returns whether the barrier is complete now. */
void block_release(struct block *b, uint8_t id);
bool block_arrive(struct block *b, struct warp *w, uint8_t id, uint32_t count);
/* Writes a reduction's result for every split that waits at the barrier. */
void barrier_results(struct block *b, uint8_t id);
void block_print(struct block *b, const char *text, size_t size);

#endif
