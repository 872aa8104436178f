/*
 * A block (work-group): its warps, shared memory and barriers, on one thread.
 *
 * Barriers as the hardware does them: an arriving warp counts for all its 32
 * lanes once every lane that has not exited is there; a barrier without a
 * count waits for the warps that have not exited.
 */
#ifndef HEDDLE_FUNC_BLOCK_H
#define HEDDLE_FUNC_BLOCK_H

#include "func/fault.h"
#include "func/launch.h"
#include "func/program.h"
#include "func/warp.h"

struct barrier {
	uint32_t count;   /* threads that complete it; 0: all that live */
	uint32_t arrived; /* threads */
	/* of a reduction */
	uint32_t popc;
	bool all, any;
	bool busy; /* somebody has arrived since it was last complete */
};

enum { RECENT = 32 };

/* A host thread's own: what blocks reuse. */
struct worker {
	struct launch *launch;
	struct frame **free_frames; /* by ptx_func.index */
	struct frame *all_frames;   /* those in use too */
	struct block *free_blocks;
	struct block *parked, *parked_last;
	uint32_t parked_count;
	struct range last[RECENT]; /* recently used allocations, by instruction */
	pthread_t thread;
	int index;
};

struct block {
	struct launch *launch;
	struct worker *worker;
	uint64_t index;
	uint32_t ctaid[3];
	uint32_t warp_count;
	struct warp *warps;
	struct frame *frames; /* the first of each warp */
	char *memory;         /* registers and special registers of the warps */
	size_t memory_bytes;
	char *shared;
	uint32_t shared_bytes;
	char *local;
	size_t local_bytes;
	struct barrier bar[BARRIERS];
	uint32_t next_warp;
	char *text; /* what the block printed */
	size_t text_size, text_room;
	struct block *next; /* parked or free */
};

enum block_state { BLOCK_DONE, BLOCK_PARKED, BLOCK_FAULT };

struct block *block_new(struct worker *wk);
void block_free(struct block *b);
void block_start(struct block *b, uint64_t index);
enum block_state block_run(struct block *b, uint64_t budget);

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
