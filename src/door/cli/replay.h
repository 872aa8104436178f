/*
 * `heddle run TRACE`: replays what a trace has, launch by launch.
 */
#ifndef HEDDLE_CLI_REPLAY_H
#define HEDDLE_CLI_REPLAY_H

#include "door/cli/timing.h"

struct replay_request {
	const char *path;
	struct heddle_device_options *device;
	struct timing *timing; /* the caller's to free; o.gpu NULL: no time */
	const char *json;      /* NULL: none */
	const char *launch;    /* the number of the only one; NULL: all */
	bool partial;          /* only what is whole, of a damaged one */
	bool quiet, progress;
};

/* The exit code. */
int replay_trace(const struct replay_request *q);

#endif
