/* The result of a point: numbers summed over launches, or why it failed. */
#ifndef HEDDLE_EXPLORE_OUTCOME_H
#define HEDDLE_EXPLORE_OUTCOME_H

#include <stdbool.h>

#include "base/diag.h"
#include "stat/stat.h"

struct sweep_outcome {
	bool ok;
	char reason[400]; /* why it failed, one line */
	double cycles, gpu_seconds, host_seconds, warp_instructions;
	uint64_t launches; /* timed ones */
	char engine[40];
	char code[40]; /* that ran: "ptx sm_80", "sass sm_90", or several */
	char version[80], host[80], finished[32];
	struct stats stats;
};

/*
 * Reads the numbers of a run that succeeded from its results, a file or folder
 * that run_read takes. Launches that ran at the same time count once. A launch
 * that faulted or was cut short is an error.
 */
MUST_USE enum err outcome_read(struct sweep_outcome *o, const char *path,
			       struct diag *d);

#endif
