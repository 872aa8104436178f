/*
 * `heddle run --gpu`: the options of a timed launch, and what goes to files
 * while it runs.
 *
 *	timing_configure     before the device is made
 *	timing_open          before the launch: what cannot be written is said
 *	timing_attach        for each launch
 *	timing_finish        after it: the rest of the files
 */
#ifndef HEDDLE_CLI_TIMING_H
#define HEDDLE_CLI_TIMING_H

#include "cfg/cfg.h"
#include "door/cli/intervals.h"
#include "door/cli/opt.h"
#include "door/cli/timeline.h"
#include "door/common/hot.h"
#include "door/common/progress.h"

struct timing_options {
	const char *gpu; /* NULL: no time is wanted */
	struct words set;
	uint64_t max_cycles, interval, limit;
	unsigned registers;
	const char *csv, *timeline;
	bool show_config, host_time;
};
extern const struct opt timing_opts[];

struct timing {
	struct timing_options o;
	struct cfg_sheet sheet;
	struct heddle_config *config;
	struct heddle_device *dev;
	struct progress *progress;
	struct heddle_timing_options options;
	struct intervals intervals;
	struct timeline timeline;
	bool unwritten; /* we have ended the launch for this */

	/* Of the last launch, by timing_finish. */
	const struct heddle_timing *result; /* NULL: there is none */
	struct heddle_timing_info info;
	struct heddle_kernel_timing kernel;
	struct hot hot;
};

/* -1, or the exit code after naming what does not go together. json: what
 * --json names. */
int timing_check(const struct timing_options *o, const char *json);

MUST_USE enum err timing_configure(struct timing *t,
				   struct heddle_device_options *dev,
				   struct diag *d);
MUST_USE enum err timing_open(struct timing *t, const char *kernel, bool json,
			      struct diag *d);
/* last: of several; files are about that one. */
void timing_attach(struct timing *t, struct heddle_launch *l,
		   struct heddle_device *dev, struct progress *p, bool last);
/* Reads the result of a launch; timing_finish does so if nobody has. */
MUST_USE enum err timing_read(struct timing *t, struct diag *d);
/* The diagnosis is of a file that could not be written. */
MUST_USE enum err timing_finish(struct timing *t, struct diag *d);
void timing_free(struct timing *t);

#endif
