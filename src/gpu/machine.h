/* What the files of gpu/ share: the machine itself. */
#ifndef HEDDLE_GPU_MACHINE_H
#define HEDDLE_GPU_MACHINE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/bitmap.h"
#include "base/clock.h"
#include "cu/cu.h"
#include "gpu/calls.h"
#include "gpu/dispatch.h"
#include "gpu/gpu.h"
#include "mem/partition.h"
#include "net/post.h"
#include "net/wire.h"
#include "simt/view.h"
#include "sm/sm.h"
#include "sm/tlb.h"

/* Mailboxes on the wires have two parities. Each side sends with one of them
 * and finds the other side's messages in the other. */
enum { BOX_SM, BOX_MEMORY };

/* State of one partition on a cache line of its own: only the thread that
 * simulates the partition writes to it. */
struct gpu_partition {
	/* Seconds of the host in this run, with options.host_time. */
	_Alignas(64) double network, own;
	struct post_late late; /* messages that came too late, in this run */
};

/* The events of an SM in a window. */
struct event_log {
	struct sm_event *event;
	size_t count, room;
};

/* What there is to merge; gpu_end_epoch makes the lists. */
struct gpu_merge {
	cycle_t epoch;  /* its first cycle */
	uint32_t *mems; /* memory partitions with atomics */
	uint32_t mem_count;
	struct view **views; /* with stores, in the order of their SMs */
	uint32_t view_count;
	const struct service_call **calls; /* twice the room for all calls */
	uint8_t buckets[VIEW_BUCKETS];
	uint32_t bucket_count;
	/* Room for all entries of all logs; each bucket takes what it needs. */
	const struct view_entry **scratch;
	atomic_size_t used;
};

struct gpu_drift; /* gpu/drift.c */

/* Bytes [from, to) that were copied from or to the host. */
enum { GPU_COPIES = 64 };
struct gpu_copy {
	uint64_t from, to;
};

/* What every window needs comes first: the compiler finds it with short
 * instructions. */
struct gpu {
	cycle_t lead; /* cycles by which memory is ahead of the SMs */
	uint32_t sms, mems, partitions;
	unsigned threads; /* that simulate a side: gpu_assign_threads */
	struct wires *wires;
	struct sm **sm;
	/* Clusters of compute units, each in the place of an SM; NULL: the
	 * GPU has SMs. */
	struct cu_cluster **cu;
	struct view **views; /* by SM */
	struct mem_partition **mem;
	struct dispatch *dispatch;
	struct idle_phases phases; /* the dispatcher's, for idle SMs */
	struct gpu_partition *partition;
	/*
	 * By partition, close together, so that a look at all of them costs
	 * little, whatever the size of the machine: its next event, or
	 * CYCLE_NEVER. Whether it has one. Whether it has stores or atomics to
	 * be merged. Whether the stores of its view were merged, and must be
	 * forgotten. Whether it was due in this run, or in the last one.
	 */
	cycle_t *next;
	bitmap_word *awake, *changed, *merged, *touched;
	uint32_t *due; /* room for struct gpu_due */

	struct arena arena;
	struct cfg cfg;
	struct mem_shape shape;
	struct mem_far *far; /* what the shape says of the host's memory */
	cycle_t lookahead, epoch;
	bool events;
	const struct mem_outside *outside; /* NULL: memory is the GPU's */
	struct gpu_merge merge;
	struct gpu_calls calls;
	bitmap_word *regions;    /* of memory that are translated: sm/tlb.h */
	struct event_log *logs;  /* by SM */
	struct gpu_drift *drift; /* while partitions drift, else NULL */

	cycle_t began;       /* where this run began, or the last one */
	cycle_t now;         /* where the next run begins, or this one began */
	cycle_t memory_at;   /* memory has been simulated up to here */
	cycle_t epoch_at;    /* first cycle of the epoch of the SMs' logs */
	uint64_t host_bytes; /* copied since the last run */
	/* Copies that are not yet in the L2, in order. */
	struct gpu_copy copies[GPU_COPIES];
	uint32_t copy_count;
	bool broken;

	/* For gpu_options.parts, else NULL: counts of the last sample, then
	 * those since, of SMs and of slices. */
	uint64_t *part_counts;

	/* Of the run. */
	struct gpu_grid *grids;
	uint32_t grid_count;
	struct dispatch_grid queue[DISPATCH_GRIDS];
	/* By grid: the number of places whose SMs it is attached to. */
	uint32_t attached[DISPATCH_GRIDS];
	uint32_t places; /* the maximum: SMs of further places get no block */
	struct waves waves[DISPATCH_GRIDS]; /* by grid */
	/* By grid: memory of its blocks. That of the first one is kept for the
	 * next run. */
	char *pool[DISPATCH_GRIDS];
	size_t pool_bytes[DISPATCH_GRIDS];
	/* The same for their local memory, which is not kept. */
	char *local[DISPATCH_GRIDS];
	size_t local_bytes[DISPATCH_GRIDS];
	struct gpu_options options;
	bool over;
	bool drifted; /* its partitions drift, or did */
	enum gpu_end how;
	cycle_t reached;      /* by the last window */
	cycle_t sampled;      /* end of the last sample */
	struct stats before;  /* the counts at that time */
	double next_progress; /* host's time */
};

/* Adds the host's seconds since `from` to *to; returns the present. */
static inline double gpu_add_time(double *to, double from)
{
	double now = clock_seconds();

	*to += now - from;
	return now;
}

/*
 * What an SM and a cluster of compute units have in common: a function sm_X or
 * cu_X. CORE_OF is for those that take nothing else.
 */
#define CORE(g, i, call, ...)                                             \
	(UNLIKELY((g)->cu != NULL) ? cu_##call((g)->cu[i], __VA_ARGS__) : \
				     sm_##call((g)->sm[i], __VA_ARGS__))
#define CORE_OF(g, i, call)                                  \
	(UNLIKELY((g)->cu != NULL) ? cu_##call((g)->cu[i]) : \
				     sm_##call((g)->sm[i]))

/* The SM at a place of the dispatch order. */
static inline uint32_t gpu_sm_at(const struct gpu *g, uint32_t place)
{
	return dispatch_sm_at(g->dispatch, place);
}

/* Whether the SM may have got a block in this run, or in the last one. */
static inline bool gpu_takes_part(const struct gpu *g, uint32_t sm)
{
	return dispatch_place_of(g->dispatch, sm) < g->places;
}

/* Sets a partition's bit in one of the maps. */
static inline void gpu_mark(const struct gpu *g, bitmap_word *map,
			    uint32_t partition, bool value)
{
	bitmap_set(map, partition, value, g->threads == 1);
}

static inline void gpu_set_next(struct gpu *g, uint32_t partition, cycle_t next)
{
	g->next[partition] = next;
	bitmap_put(g->awake, partition, next != CYCLE_NEVER, g->threads == 1);
}

/* gpu/partition.c */

/* Ends an epoch: lists what it has changed, for gpu_merge. False: nothing. */
bool gpu_end_epoch(struct gpu *g, cycle_t now);

/* The parity of the messages that a partition sends. */
static inline unsigned gpu_box_of(const struct gpu *g, uint32_t partition)
{
	return partition < g->sms ? BOX_SM : BOX_MEMORY;
}

/* gpu/run.c */

/* Frees the memory of a grid's blocks. */
void gpu_free_pool(struct gpu *g, uint32_t id);
/* Takes the samples that end at or before `now`, which the SMs have reached. */
void gpu_sample_until(struct gpu *g, cycle_t now);
/* Reports how far the run has come, if a report is due. */
void gpu_report_progress(struct gpu *g, cycle_t now);
/* Ends the run if it has reached its limit. */
void gpu_check_limit(struct gpu *g, cycle_t now);
/* Whether a launch has failed or the run was stopped from outside. */
bool gpu_cut_short(struct gpu *g);
/* A call of the system, in its turn at the end of the epoch. */
void gpu_perform_call(struct gpu *g, const struct service_call *c);

/* Passes the SMs' logged events to the caller, in the order of the SMs. */
void gpu_deliver_events(struct gpu *g);

/* gpu/count.c */

/* Sums up all statistics up to cycle `now`. */
void gpu_count(struct gpu *g, cycle_t now, struct stats *to);
/* Of these, what one of several grids did; end_grid has filled in the rest. */
void gpu_count_grid(struct gpu *g, uint32_t id, cycle_t now, struct stats *to);
/* ERR_MISMATCH: a conservation law does not hold after a run, a bug of ours. */
enum err gpu_broken_law(const struct gpu *g, const struct stats *s,
			struct diag *d);

/* gpu/parts.c */

/* Prepares for samples of components; does nothing unless they are wanted. */
MUST_USE enum err gpu_parts_begin(struct gpu *g, struct diag *d);
/* Passes on what components did since the last sample. gpu_count has been called
 * for the same cycle. */
void gpu_parts_sample(struct gpu *g, cycle_t at);

#endif
