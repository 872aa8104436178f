/*
 * `heddle run --gpu`: the options of a timed launch, and the files that are
 * written while it runs.
 *
 *	timing_configure     before the device is created
 *	timing_open          before the launch: creates the files
 *	timing_attach        before each launch
 *	timing_finish        after the last launch: completes the files
 */
#ifndef HEDDLE_CLI_TIMING_H
#define HEDDLE_CLI_TIMING_H

#include "cfg/cfg.h"
#include "door/cli/intervals.h"
#include "door/cli/opt.h"
#include "door/common/hot.h"
#include "door/common/parts.h"
#include "door/common/progress.h"
#include "door/common/timeline.h"
#include "explore/advice.h"

struct timing_options {
	const char *gpu; /* NULL: no times */
	struct words set;
	uint64_t max_cycles, interval, limit;
	unsigned registers;
	const char *csv, *timeline;
	bool show_config, host_time, cold, hazards;
};
extern const struct opt timing_opts[];

struct timing {
	struct timing_options o;
	struct sources sources; /* that may be shown; none of a trace's */
	struct cfg_sheet sheet;
	struct heddle_config *config;
	struct heddle_device *dev;
	struct progress *progress;
	struct heddle_timing_options options;
	struct intervals intervals;
	struct timeline timeline;
	bool details;            /* asked for, by --json */
	struct part_maps *parts; /* the same; else NULL */
	bool unwritten; /* a file could not be written: launch stopped */
	const struct heddle_launch *launch; /* in flight, or the last one */
	uint64_t number;                    /* of the first launch in a trace */
	uint32_t threads;                   /* of a block */

	/* Of the last launch, set by timing_finish. */
	const struct heddle_timing *result; /* NULL: there is none */
	struct heddle_timing_info info;
	struct heddle_kernel_timing kernel;
	struct hot hot;
	struct advice_list advice;
};

/* Checks that the options can be combined; returns -1, or an exit code after
 * printing an error. json: the value of --json. */
int timing_check(const struct timing_options *o, const char *json);

MUST_USE enum err timing_configure(struct timing *t,
				   struct heddle_device_options *dev,
				   struct diag *d);
MUST_USE enum err timing_open(struct timing *t, bool json, struct diag *d);
/* last: this is the last of several launches, which the files describe. */
void timing_attach(struct timing *t, struct heddle_launch *l,
		   struct heddle_device *dev, struct progress *p, bool last);
/* Reads the result of a launch; timing_finish does it if needed. */
MUST_USE enum err timing_read(struct timing *t, struct diag *d);
/*
 * program: what the timeline calls it. cut: why the launches did not end; NULL:
 * they did. Without a result nothing is written. An error: a file could not be.
 */
MUST_USE enum err timing_finish(struct timing *t, const char *program,
				const char *cut, struct diag *d);
void timing_free(struct timing *t);

#endif
