/* The result of a point: numbers summed over launches, or why it failed. */
#ifndef HEDDLE_EXPLORE_OUTCOME_H
#define HEDDLE_EXPLORE_OUTCOME_H

#include <stdbool.h>

#include "base/diag.h"
#include "stat/cgm.h"
#include "stat/cpu.h"
#include "stat/stat.h"

/* In place of a region's number: the whole program; OpenCL's part of it. */
enum { OUTCOME_ALL = -1, OUTCOME_OPENCL = -2 };

/* A number of a result, "memory.l1d.hits". */
struct outcome_value {
	char name[64];
	double value;
};

/* What a program on a system counted. */
struct outcome_system {
	bool is; /* false: the result is of kernels */
	struct cpu_stats cpu;
	struct cgm_stats cgm;
	/* Of its regions and of OpenCL: "region.1.cycles", "opencl.call_ns". */
	struct outcome_value more[64];
	size_t mores;
};

struct sweep_outcome {
	bool ok;
	char reason[400]; /* why it failed, one line */
	double cycles, gpu_seconds, host_seconds, warp_instructions;
	uint64_t launches; /* timed ones */
	char engine[40];
	char code[40]; /* that ran: "ptx sm_80", "sass sm_90", or several */
	char version[80], host[80], finished[32];
	struct stats stats;
	/* Of a program on a system: then `stats` is empty, gpu_seconds the
	 * system's time, warp_instructions the cores' instructions and launches
	 * OpenCL's kernels. */
	struct outcome_system system;
};

/* The number with index i; false: there are no more. */
bool outcome_system_value(struct outcome_value *v,
			  const struct outcome_system *s, size_t i);
/* The inverse: sets the number with a name. */
void outcome_system_put(struct outcome_system *s,
			const struct outcome_value *v);

/*
 * Reads the numbers of a run that succeeded from its results, a file or folder
 * that run_read takes. Launches that ran at the same time count once. A launch
 * that faulted or was cut short is an error. region: of a program on a system, the
 * marked one whose cycles count, or one of the above.
 */
MUST_USE enum err outcome_read(struct sweep_outcome *o, const char *path,
			       int region, struct diag *d);

/* outcome_system.c: the same of such a program. ERR_UNKNOWN: the file is none's. */
MUST_USE enum err outcome_system_read(struct sweep_outcome *o, const char *path,
				      int region, struct diag *d);

#endif
