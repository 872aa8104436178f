/* What the files of gpu/ share: the machine itself. */
#ifndef HEDDLE_GPU_MACHINE_H
#define HEDDLE_GPU_MACHINE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/clock.h"
#include "gpu/dispatch.h"
#include "gpu/gpu.h"
#include "mem/partition.h"
#include "net/post.h"
#include "net/wire.h"
#include "simt/view.h"
#include "sm/sm.h"

/* Of the two parities of mail on the wires a side uses one for what it sends,
 * and finds the other side's in the other. */
enum { BOX_SM, BOX_MEMORY };

/* A partition's own line: each is written by the thread that simulates it. */
struct gpu_partition {
	_Alignas(64) cycle_t next; /* event of its own, or CYCLE_NEVER */
	bool sent;                 /* something, in its last window */
	bool changed;              /* it has stores or atomics to be merged */
	bool merged;               /* the stores of its view have been */
	/* Seconds of the host in this run, with options.host_time. */
	double network, own;
	struct post_late late; /* what came too late, in this run */
};

/* What an SM has to tell of a window. */
struct event_log {
	struct sm_event *event;
	size_t count, room;
};

/* Lists made by gpu_must_merge: what there is to merge. */
struct gpu_merge {
	cycle_t epoch;  /* its first cycle */
	uint32_t *mems; /* memory partitions with atomics */
	uint32_t mem_count;
	struct view **views; /* with stores, in the order of their SMs */
	uint32_t view_count;
	const struct heap_call **heap; /* twice room for all calls of all SMs */
	uint8_t buckets[VIEW_BUCKETS];
	uint32_t bucket_count;
	/* Room for all entries of all logs; a share takes what it needs. */
	const struct view_entry **scratch;
	atomic_size_t used;
};

struct gpu_drift; /* gpu/drift.c */

/* Bytes [from, to) that were copied from or to the host. */
enum { GPU_COPIES = 64 };
struct gpu_copy {
	uint64_t from, to;
};

struct gpu {
	struct arena arena;
	struct cfg cfg;
	struct mem_shape shape;
	cycle_t lookahead, epoch;
	cycle_t lead; /* of memory before the SMs */
	bool events;

	uint32_t sms, mems, partitions;
	struct wires *wires;
	struct sm **sm;
	struct view **views; /* by SM */
	struct mem_partition **mem;
	struct dispatch *dispatch;
	struct gpu_partition *partition;
	struct gpu_merge merge;
	struct event_log *logs;  /* by SM */
	struct gpu_drift *drift; /* while partitions drift, else NULL */

	cycle_t now;         /* where the next run begins, or this one began */
	cycle_t memory_at;   /* what memory has been simulated up to */
	cycle_t epoch_at;    /* first cycle of the epoch of the SMs' logs */
	bool mail;           /* the other side has sent something */
	uint64_t host_bytes; /* copied since the last run */
	/* Of these, not yet in the L2, in order. */
	struct gpu_copy copies[GPU_COPIES];
	uint32_t copy_count;
	bool broken;

	/* Of the run. */
	struct gpu_grid *grids;
	uint32_t grid_count;
	struct dispatch_grid queue[DISPATCH_GRIDS];
	/* By grid: it was attached to the SMs of so many places. */
	uint32_t attached[DISPATCH_GRIDS];
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
	enum gpu_end how;
	cycle_t reached;      /* by the last window */
	cycle_t sampled;      /* end of the last sample */
	struct stats before;  /* what had been counted then */
	double next_progress; /* host's time */
};

/* The host's seconds since `from` are added; returns the present. */
static inline double gpu_spend(double *to, double from)
{
	double now = clock_seconds();

	*to += now - from;
	return now;
}

/* gpu/part.c */

/* An epoch is over: lists what it has changed. False: nothing. */
bool gpu_end_epoch(struct gpu *g, cycle_t now);

/* The parity of what a partition sends. */
static inline unsigned gpu_box_of(const struct gpu *g, uint32_t partition)
{
	return partition < g->sms ? BOX_SM : BOX_MEMORY;
}

/* gpu/run.c */

/* Gives back the memory of a grid's blocks. */
void gpu_drop_pool(struct gpu *g, uint32_t id);
/* Samples that end at or before a cycle that the SMs have reached. */
void gpu_sample_until(struct gpu *g, cycle_t now);
/* Tells how far the run is, if it is time to. */
void gpu_report(struct gpu *g, cycle_t now);
/* Ends the run if it has reached its limit. */
void gpu_check_limit(struct gpu *g, cycle_t now);
/* Ends the run if a launch has failed or somebody wants it stopped. */
bool gpu_cut_short(struct gpu *g);
/* Tells what the SMs have kept of events, in the order of the SMs. */
void gpu_tell_events(struct gpu *g);

/* gpu/count.c */

/* What has been counted so far, up to cycle `now`. */
void gpu_count(struct gpu *g, cycle_t now, struct stats *to);
/* Whether a conservation law does not hold after a run: a bug of ours. */
enum err gpu_broken_law(const struct gpu *g, const struct stats *s,
			struct diag *d);

#endif
