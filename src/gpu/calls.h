/*
 * What malloc, free and printf of kernels take: cycles, and instructions, which are
 * counted without being executed.
 *
 * Models:  CUDA's allocator, as far as its times show it. A block takes units of
 *          one of three classes, those of 80 bytes up to 1.9 KB, of 2.2 KB up
 *          to 52 KB, of 53 KB above; 24 units are a chunk, which is a unit of
 *          the next class. The lanes of a warp allocate one after the other. A
 *          warp that calls malloc or free passes the full chunks of the class,
 *          up to the first one with room, and after every chunk that malloc
 *          has filled; a new chunk takes time; other warps inside of malloc
 *          delay each lane, which spins. free gives empty chunks back, one at a
 *          time in the whole GPU. printf has one lock.
 * Does not model: where blocks are: chunks are counted as if blocks were packed,
 *          and what was freed is taken to be spread over them evenly; the
 *          memory accesses of these functions; the instructions of printf; that
 *          warps with few lanes make chunks of their own; the number of
 *          printf's arguments; assert.
 * Owner:   the GPU. Calls come in the order of their cycles.
 */
#ifndef HEDDLE_GPU_CALLS_H
#define HEDDLE_GPU_CALLS_H

#include <stdint.h>

#include "arch/lanes.h"
#include "base/arena.h"
#include "base/cycle.h"
#include "cfg/cfg.h"

struct service_call;
struct service_cost;

enum { CALLS_CLASSES = 3 };

struct gpu_calls {
	uint64_t used[CALLS_CLASSES];  /* units, with those lost to packing */
	uint64_t holes[CALLS_CLASSES]; /* blocks freed in chunks that remain */
	cycle_t release_free, print_free; /* when the next may begin */
	/* When each call of malloc returns that has not returned: a heap, the first
	 * one on top. */
	cycle_t *inside;
	uint32_t inside_count, inside_room;
};

/* For at most `warps` warps that call at a time. Its memory is in *a. */
MUST_USE enum err gpu_calls_init(struct gpu_calls *c, struct arena *a,
				 uint32_t warps, struct diag *d);

/* The heap holds what another one held; time begins anew. */
void gpu_calls_inherit(struct gpu_calls *c, const struct gpu_calls *from);

/* bytes: as of service_call_perform. */
struct service_cost gpu_calls_cost(struct gpu_calls *c,
				   const struct cfg_system *p,
				   const struct service_call *call,
				   const uint64_t bytes[LANES]);

#endif
