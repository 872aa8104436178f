/*
 * Settings of the simulated GPUs, from the environment:
 *
 *	HEDDLE_GPU         names or paths of configurations, one for each
 *	                   device: "h200,qv100"; launches are timed on them
 *	HEDDLE_DEVICES     number of devices, all of the one in HEDDLE_GPU
 *	HEDDLE_SET         "sm.count=16;l2.bytes=1M", for all devices
 *	HEDDLE_FUNCTIONAL  1: results only; 0: timed, also without HEDDLE_GPU
 *	HEDDLE_ISA         which code of a program runs: auto (machine code
 *	                   where it fits the GPU, else PTX), sass, ptx
 *	HEDDLE_THREADS     host threads
 *	HEDDLE_ENGINE      engine of the timing simulation: serial, exact,
 *	                   cycle, slack:10, workgroup
 *	HEDDLE_PIN         1: pin each simulation thread to a core
 *	HEDDLE_HOST_TIME   1: results say where the host spent its time
 *	HEDDLE_OUT         folder for results
 *	HEDDLE_SOURCE      folders of sources whose lines results may show,
 *	                   besides the program's: "/a:/b"
 *	HEDDLE_KERNELS     which launches are timed
 *	HEDDLE_COLD        1: every launch starts with empty caches
 *	HEDDLE_HAZARDS     1: sets the parameter sm.hazards
 *	HEDDLE_MAX_CYCLES  limit of a launch
 *	HEDDLE_TIMEOUT     limit of a launch, in seconds of the host
 *	HEDDLE_MEMORY      accesses outside of allocations: hardware, strict
 *	HEDDLE_QUIET       1: no reports on stderr
 *	HEDDLE_TRACE       file to record a trace to
 *	HEDDLE_CSV         file for the statistics of timed launches
 *	HEDDLE_TIMELINE    file for a timeline of timed launches
 *	HEDDLE_TIMELINE_LIMIT  maximum number of its events
 *	HEDDLE_INTERVAL    cycles between two rows of the CSV file, and between
 *	                   the counters of the timeline
 *
 * Without HEDDLE_GPU there is one H200, and launches are not timed.
 */
#ifndef HEDDLE_RT_SETTINGS_H
#define HEDDLE_RT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "door/common/isa_choice.h"

enum { MAX_DEVICES = 16 };

struct settings {
	char *gpus[MAX_DEVICES];
	int gpu_count;
	char **set;
	size_t set_count;
	bool functional, quiet, host_time, pin, cold;
	bool strict; /* accesses outside of allocations are faults */
	enum isa_choice isa;
	unsigned threads;    /* 0: all cores, one for timing */
	const char *engine;  /* NULL: chosen by the number of threads */
	bool inexact;        /* the engine is not exact */
	uint64_t max_cycles; /* 0: no limit */
	double timeout;      /* seconds; 0: none */
	uint64_t interval;   /* cycles; 0: not given */
	uint64_t timeline_limit;
	/* Strings of the environment. */
	const char *out, *kernels, *trace, *sources, *csv, *timeline;
};

/* The diagnosis names the variable. Call settings_free in any case. */
MUST_USE enum err settings_read(struct settings *s, struct diag *d);
void settings_free(struct settings *s);

#endif
