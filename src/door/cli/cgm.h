/* A run of `heddle cgm`, for the files that print it and write it down. */
#ifndef HEDDLE_CLI_CGM_H
#define HEDDLE_CLI_CGM_H

#include "base/jsonwrite.h"
#include "cfg/configs.h"
#include "door/cli/opt.h"
#include "door/common/results.h"
#include "engine/engine.h"
#include "mem/cgm/series.h"
#include "mem/cgm/trace.h"

struct cgm_command {
	const char *config, *json, *engine, *out;
	struct words set;
	uint64_t interval;
	unsigned threads;
};

struct cgm_run {
	const struct cgm_command *o;
	const char *name; /* of the trace */
	struct cfg_sheet sheet;
	struct engine_plan plan;
	struct cgm_trace trace;
	struct cgm_system *system;
	struct cgm_played played;
	cycle_t end; /* ticks */
	struct cgm_stats st;
	double seconds; /* here */
	/* With --out. */
	struct results folder;
	struct arena arena;
	struct cgm_record *record; /* of each request */
	struct cgm_series series;
};

/* cgm_print.c: the summary. */
void cgm_print(const struct cgm_run *r);

/* cgm_folder.c: nothing without --out. Before the trace is played: */
MUST_USE enum err cgm_folder_open(struct cgm_run *r, struct diag *d);
/* and after it: the results, the configuration, the requests, the page. */
MUST_USE enum err cgm_folder_write(struct cgm_run *r, struct diag *d);
/* The run as one object. details: with values over time, requesters, the slowest
 * requests, the configuration. */
void cgm_json(struct json *j, struct cgm_run *r, bool details);

#endif
