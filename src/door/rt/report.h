/*
 * What a program did, told to people and written to a folder: launches,
 * copies, calls. rt calls these; the lock is held, except in report_end.
 * None of them fails: what goes wrong is said on stderr, once.
 */
#ifndef HEDDLE_RT_REPORT_H
#define HEDDLE_RT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/heddle.h"

struct report_setup {
	const char *out; /* folder of results, $HEDDLE_OUT; NULL: none */
	bool quiet;      /* $HEDDLE_QUIET: nothing on stderr */
	bool timed;      /* false: results only */
	/* The engine, if what it computes is not to be trusted; else NULL. */
	const char *doubt;
	unsigned devices;
	/* For each device: what $HEDDLE_GPU calls it, and all parameters. */
	const char *const *gpus;
	struct heddle_config *const *configs;
};

struct report_launch {
	uint64_t number; /* in the process, from 1 */
	int device;
	uint64_t stream; /* id; 1 is the default stream */
	const char *kernel;
	struct heddle_dim3 grid, block;
	uint64_t shared_bytes; /* dynamic */
	bool timed;            /* false: functionally, no cycles */
	/* Launches that ran at the same time, and the place among them. */
	uint32_t group, member;
	/* The rest is for report_launch. */
	double start, end; /* simulated seconds since the program's start */
	const struct heddle_result *result; /* with the fault, if there was one */
	/* Of the group, while report_launch runs; NULL: not timed. */
	const struct heddle_timing *timing;
};

enum report_copy_kind {
	REPORT_HOST_TO_HOST,
	REPORT_HOST_TO_DEVICE,
	REPORT_DEVICE_TO_HOST,
	REPORT_DEVICE_TO_DEVICE,
	REPORT_SET,
};

struct report_copy {
	enum report_copy_kind kind;
	int device;
	uint64_t stream, bytes;
	double start, end; /* simulated seconds */
};

/* Once, before everything else. */
void report_open(const struct report_setup *s);
/* Every call of the API, with its name (which lives for ever). Most calls are
 * trivial: this must cost a few nanoseconds. */
void report_call(const char *name);
/* A launch begins, or the first of a group. */
void report_begin(const struct report_launch *l);
/* About ten times a second while it runs. cycles: 0 if not timed. */
void report_progress(uint64_t blocks_done, uint64_t blocks,
		     uint64_t warp_instructions, uint64_t cycles);
/* It has ended; once for each launch of a group. */
void report_launch(const struct report_launch *l);
void report_copy(const struct report_copy *c);
/* The process ends. */
void report_end(void);

#endif
