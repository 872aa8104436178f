/*
 * What bounds a run on a system, in words: rules over what was counted, each with
 * the numbers that it comes from, the largest first.
 *
 * Models:  commit slots that were lost for one reason, and where; time in which
 *          few cores worked; bandwidth of memory and of links; OpenCL's parts.
 * Does not model: what a change would gain: slots that one reason gives free may be
 *          lost for another.
 */
#ifndef HEDDLE_EXPLORE_SYSTEM_VERDICT_H
#define HEDDLE_EXPLORE_SYSTEM_VERDICT_H

#include "explore/system_run.h"

struct system_verdict {
	const char *rule;
	double share; /* of all commit slots, or of the time */
	char text[200];
	char evidence[600];
};

enum { SYSTEM_VERDICTS = 16 };

/* At most SYSTEM_VERDICTS, the largest share first; returns how many. */
size_t system_verdicts(struct system_verdict out[SYSTEM_VERDICTS],
		       struct system_run *r);

/* The share of all samples' time in which 0, 1, ... cores had a thread for at least
 * half of it; out[cores + 1]. False: there are no samples. */
bool system_cores_at_work(double *out, struct system_run *r);

#endif
