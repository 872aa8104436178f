/* What became of a point: its numbers summed over launches, or why not. */
#ifndef HEDDLE_EXPLORE_OUTCOME_H
#define HEDDLE_EXPLORE_OUTCOME_H

#include <stdbool.h>

#include "base/diag.h"
#include "stat/stat.h"

struct sweep_outcome {
	bool ok;
	char reason[400]; /* of a failure: one line */
	double cycles, gpu_seconds, host_seconds, warp_instructions;
	uint64_t launches; /* those that were timed */
	char engine[40];
	char version[80], host[80], finished[32];
	struct stats stats;
};

/*
 * The numbers of a run that has ended well, from what it has left: the file or
 * folder that run_read takes. Launches that ran at once are counted once. One
 * that faulted or was cut short is an error.
 */
MUST_USE enum err outcome_read(struct sweep_outcome *o, const char *path,
			       struct diag *d);

#endif
