/*
 * Writes the timeline of a launch as a Chrome trace, for the Perfetto viewer and
 * chrome://tracing.
 *
 * A process of the trace is an SM. Its threads are rows of blocks, by the warp
 * slot of a block's first warp, and warp slots: a slice for the life of a warp,
 * and in it one for each stall, named by its reason. One microsecond of the
 * trace is one cycle: viewers round to nanoseconds, and a cycle is shorter.
 *
 * Events are written at once; only one event per slot is kept in memory. May be
 * called by several threads.
 */
#ifndef HEDDLE_CLI_TIMELINE_H
#define HEDDLE_CLI_TIMELINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "heddle/heddle.h"

struct timeline_slot {
	bool block_named, warp_named;
	bool idle; /* no stall since its last warp ended */
	bool held; /* `first` is not written yet */
	struct heddle_event first;
};

struct timeline {
	const char *path;
	FILE *to;
	uint32_t sms, slots;
	struct timeline_slot *slot; /* by SM, then by slot */
	bool *named;                /* by SM */
	uint64_t limit, written, dropped;
	bool comma; /* something precedes in the array */
	int error;  /* errno of the first write that failed */
	pthread_mutex_t lock;
};

/* The head of the file. */
struct timeline_head {
	const char *gpu, *kernel;
	double mhz;
	uint32_t sms, slots;
};

/* Writes at most `limit` events. Call timeline_free in any case. */
MUST_USE enum err timeline_open(struct timeline *t, const char *path,
				const struct timeline_head *h, uint64_t limit,
				struct diag *d);
/* Adds an event. False: it could not be written. */
bool timeline_add(struct timeline *t, const struct heddle_event *e);
/* Completes the file, or says why not. */
MUST_USE enum err timeline_close(struct timeline *t, struct diag *d);
void timeline_free(struct timeline *t);

#endif
