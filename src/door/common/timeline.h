/*
 * Writes the timeline of launches as a Chrome trace, compressed by gzip, for the
 * Perfetto viewer and chrome://tracing.
 *
 * Of each GPU, the first process of the trace has its launches and counters.
 * Then every SM is a process. Its threads are rows of blocks, by the warp slot
 * of a block's first warp, and warp slots: a slice for the life of a warp, and
 * in it one for each wait, named by its reason, with its instruction. One
 * microsecond of the trace is one cycle: viewers round to nanoseconds, and a
 * cycle is shorter.
 *
 * Events are written at once; only one event per slot is kept in memory. Events
 * and samples may come from several threads.
 */
#ifndef HEDDLE_COMMON_TIMELINE_H
#define HEDDLE_COMMON_TIMELINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/gzip.h"
#include "base/outfile.h"
#include "heddle/heddle.h"

enum { TIMELINE_GPUS = 16 };

enum {
	TIMELINE_LIMIT = 2000000, /* events, if nothing else is asked for */
	TIMELINE_INTERVAL = 250   /* cycles between counters, likewise */
};

struct timeline_gpu {
	const char *name;
	double mhz;
	uint32_t sms, slots;
};

/* A launch that has ended, of a group that began at cycle 0. */
struct timeline_launch {
	uint64_t number, stream;
	const char *kernel;
	struct heddle_dim3 grid, block;
	uint64_t start, end; /* cycles */
};

struct timeline_row;  /* a warp slot */
struct timeline_text; /* what is written of an instruction */

struct timeline_device {
	struct timeline_gpu gpu;   /* its name is a copy */
	uint32_t process;          /* number of its first process; 0: unused */
	uint64_t offset;           /* of the group, in cycles */
	uint64_t end;              /* of all that was written, in cycles */
	struct timeline_row *rows; /* by SM, then by slot */
	bool *named;               /* by SM */
	uint64_t streams;          /* bits: rows of launches with a name */
};

struct timeline {
	const char *path; /* NULL: closed */
	struct outfile file;
	struct gzip *zip;
	struct timeline_device devices[TIMELINE_GPUS];
	unsigned several; /* names of SMs need the number of the device */
	struct timeline_device *current;
	uint32_t processes;
	uint64_t limit, written, dropped;
	bool comma; /* something precedes in the array */
	int error;  /* errno of the first write that failed */
	pthread_mutex_t lock;
	/* Texts of instructions, by the address of the instruction; valid for
	 * one group. */
	struct timeline_text *texts;
	size_t text_count, text_room;
};

/* Writes at most `limit` events of SMs. several: there is more than one GPU.
 * Call timeline_free in any case. */
MUST_USE enum err timeline_open(struct timeline *t, const char *path,
				uint64_t limit, bool several, struct diag *d);
/* A group of launches begins on a GPU, `at` seconds after the first; not before
 * the end of the device's last group, since an SM can show only one at a
 * time. */
MUST_USE enum err timeline_begin(struct timeline *t, unsigned device,
				 const struct timeline_gpu *gpu, double at,
				 struct diag *d);
/* Add an event, or counters of the cycles [from, to) of the group. False: it
 * could not be written. */
bool timeline_add(struct timeline *t, const struct heddle_event *e);
bool timeline_sample(struct timeline *t, uint64_t from, uint64_t to,
		     const struct heddle_stats *s);
/* Adds a launch of the group. */
void timeline_launch(struct timeline *t, const struct timeline_launch *l);
/* The group has ended after so many cycles. */
void timeline_end(struct timeline *t, uint64_t cycles);
/* Completes the file, or says why not. cut: why it does not have all that
 * happened; NULL: it does. new: do not replace another file. */
MUST_USE enum err timeline_close(struct timeline *t, const char *program,
				 const char *cut, bool new, struct diag *d);
/* Frees everything; a file that was not closed is dropped. */
void timeline_free(struct timeline *t);

#endif
