/*
 * A progress line of a launch on stderr, and the device's printf on stdout,
 * coordinated so that they do not mix.
 */
#ifndef HEDDLE_COMMON_PROGRESS_H
#define HEDDLE_COMMON_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/heddle.h"

struct progress {
	bool on, tty;
	double start, last; /* seconds of a steady clock */
	bool shown;         /* the line is on the screen */
	const char *label;  /* beginning of the line; "": none */
	/* The library prints from one thread and reports from another. */
	pthread_mutex_t lock;
};

void progress_init(struct progress *p, bool on);
/* Call these when a launch begins, and when it has ended. */
void progress_start(struct progress *p);
void progress_end(struct progress *p);
void progress_free(struct progress *p);

/* The callbacks of struct heddle_launch; ctx is a struct progress. */
void progress_report(void *ctx, uint64_t blocks_done, uint64_t blocks,
		     uint64_t warp_instructions);
void progress_print(void *ctx, const char *text, size_t size);
void progress_warn(void *ctx, const char *kernel, const char *line);
/* The same for a timed launch. */
void progress_timed(struct progress *p,
		    const struct heddle_timing_progress *now);
/* A file that is being read; `all` bytes, 0: not known. */
void progress_read(struct progress *p, const char *file, uint64_t bytes,
		   uint64_t all);

#endif
