/*
 * The timeline of a launch as a Chrome trace: what the Perfetto viewer and
 * chrome://tracing read.
 *
 * A process is an SM. Its threads are rows of blocks, by the warp slot that a
 * block's first warp has, and warp slots: a slice for the life of a warp, and
 * in it one for each wait, named by what was waited for. One microsecond of
 * the trace is one cycle: viewers cut what is finer than a nanosecond, and a
 * cycle is.
 *
 * Events are written as they come; what is kept is one of them for each slot.
 * May be called by several threads.
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
	bool idle; /* no wait has been seen since its last warp ended */
	bool held; /* `first` is not yet written */
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

/* What the head of the file says. */
struct timeline_head {
	const char *gpu, *kernel;
	double mhz;
	uint32_t sms, slots;
};

/* After limit events nothing more is written. timeline_free in any case. */
MUST_USE enum err timeline_open(struct timeline *t, const char *path,
				const struct timeline_head *h, uint64_t limit,
				struct diag *d);
/* False: it could not be written. */
bool timeline_add(struct timeline *t, const struct heddle_event *e);
/* The file is complete, or the diagnosis says why not. */
MUST_USE enum err timeline_close(struct timeline *t, struct diag *d);
void timeline_free(struct timeline *t);

#endif
