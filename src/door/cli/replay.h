/*
 * `heddle run TRACE`: replays the launches of a trace.
 */
#ifndef HEDDLE_CLI_REPLAY_H
#define HEDDLE_CLI_REPLAY_H

#include "door/cli/timing.h"

struct replay_request {
	const char *path;
	struct heddle_device_options *device;
	struct timing *timing; /* owned by the caller; o.gpu NULL: no times */
	const char *json;      /* file; NULL: none */
	const char *launch;    /* number of the only launch; NULL: all */
	bool partial; /* skip the incomplete launches of a damaged one */
	bool quiet, progress;
};

/* Replays the trace; returns the exit code. */
int replay_trace(const struct replay_request *q);

#endif
