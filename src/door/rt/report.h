/*
 * Reports what a program did, on stderr and in a folder of results: launches,
 * copies, calls. rt calls these functions with the lock held, except
 * report_end. None of them fails: errors are printed on stderr, once.
 */
#ifndef HEDDLE_RT_REPORT_H
#define HEDDLE_RT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/heddle.h"

struct part_maps;

struct report_setup {
	const char *out;     /* folder of results, $HEDDLE_OUT; NULL: none */
	const char *sources; /* $HEDDLE_SOURCE; NULL: not given */
	bool quiet;          /* $HEDDLE_QUIET: nothing on stderr */
	bool timed;          /* false: results only */
	/* The name of the engine if it is not exact; else NULL. */
	const char *inexact_engine;
	unsigned devices;
	/* For each device: its name in $HEDDLE_GPU, and all parameters. */
	const char *const *gpus;
	struct heddle_config *const *configs;
};

/* A source that the program gave as text: its lines may be shown. */
void report_source(const char *name, const char *text);

struct report_launch {
	uint64_t number; /* in the process, from 1 */
	int device;
	uint64_t stream; /* id; 1 is the default stream */
	const char *kernel;
	const char *isa; /* of its code: "ptx" or "sass" */
	unsigned target; /* 90: that of sm_90 */
	struct heddle_dim3 grid, block;
	uint64_t shared_bytes; /* dynamic */
	bool timed;            /* false: functional only, no cycles */
	/* Launches that ran at the same time, and the index among them. */
	uint32_t group, member;
	/* Only report_launch reads the rest. */
	double start, end; /* simulated seconds since the program's start */
	const struct heddle_result *result; /* with the fault, if there was one */
	/* Of the group, valid during report_launch; NULL: not timed. */
	const struct heddle_timing *timing;
	const struct part_maps *parts; /* of a launch that ran alone, or NULL */
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

/* Call it once, before the others. */
void report_open(const struct report_setup *s);
/* Counts a call of the API; the name must live forever. Most calls are trivial,
 * so this may cost only a few nanoseconds. */
void report_call(const char *name);
/* A launch, or the first of a group, begins. */
void report_begin(const struct report_launch *l);
/* Called about ten times a second while it runs. cycles: 0 if not timed. */
void report_progress(uint64_t blocks_done, uint64_t blocks,
		     uint64_t warp_instructions, uint64_t cycles);
/* A launch has ended; called for each launch of a group. */
void report_launch(const struct report_launch *l);
void report_copy(const struct report_copy *c);
/* The process ends. */
void report_end(void);

#endif
