/*
 * What the environment says about the simulated GPUs:
 *
 *	HEDDLE_GPU         names or paths of configurations, one for each
 *	                   device: "h200,qv100"; launches are timed on them
 *	HEDDLE_DEVICES     so many devices of the one that HEDDLE_GPU names
 *	HEDDLE_SET         "sm.count=16;l2.bytes=1M", for all devices
 *	HEDDLE_FUNCTIONAL  1: results only; 0: timed, also without HEDDLE_GPU
 *	HEDDLE_THREADS     host threads
 *	HEDDLE_ENGINE      serial, exact, cycle, slack:10, workgroup: who
 *	                   simulates time
 *	HEDDLE_PIN         1: each of its threads stays on a core
 *	HEDDLE_HOST_TIME   1: results say what the host's time went to
 *	HEDDLE_OUT         folder for results
 *	HEDDLE_KERNELS     which launches are timed
 *	HEDDLE_MAX_CYCLES  of a launch
 *	HEDDLE_TIMEOUT     of a launch, in seconds of the host
 *	HEDDLE_QUIET       1: no reports on stderr
 *	HEDDLE_TRACE       trace to write of what the devices do
 *
 * Without HEDDLE_GPU there is one H200, and launches are not timed.
 */
#ifndef HEDDLE_RT_SETTINGS_H
#define HEDDLE_RT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum { MAX_DEVICES = 16 };

struct settings {
	char *gpus[MAX_DEVICES];
	int gpu_count;
	char **set;
	size_t set_count;
	bool functional, quiet, host_time, pin;
	unsigned threads;          /* 0: all cores, one for timing */
	const char *engine;        /* the environment's; NULL: by the threads */
	bool inexact;              /* what it computes is not to be trusted */
	uint64_t max_cycles;       /* 0: no limit */
	double timeout;            /* seconds; 0: none */
	const char *out, *kernels; /* the environment's */
	const char *trace;         /* the same */
};

/* The diagnosis names the variable. settings_free in any case. */
MUST_USE enum err settings_read(struct settings *s, struct diag *d);
void settings_free(struct settings *s);

#endif
