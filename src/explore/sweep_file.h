/*
 * Results in files: how workers on other machines hand over what became of a
 * point. A file has its name when all of it is written. SQLite over the file
 * system of a network is not safe; this is.
 *
 *	FOLDER/points.json        what has to be run, a line for each point
 *	FOLDER/results/KEY.json   one for each point that has been run
 */
#ifndef HEDDLE_EXPLORE_SWEEP_FILE_H
#define HEDDLE_EXPLORE_SWEEP_FILE_H

#include <stdio.h>

#include "base/arena.h"
#include "explore/store.h"

#define SWEEP_POINTS "points.json"
#define SWEEP_RESULTS "results"

/* A point as a worker needs it. */
struct sweep_job {
	const char *key, *version;
	const char **argv; /* NULL ends it */
	double timeout;
};

MUST_USE enum err sweep_job_write(FILE *to, const struct sweep_job *j,
				  struct diag *d);
/* All of them, in the arena. */
MUST_USE enum err sweep_jobs_read(struct sweep_job **out, size_t *count,
				  struct arena *a, const char *folder,
				  struct diag *d);

MUST_USE enum err sweep_result_write(const char *folder, const char *key,
				     const struct sweep_outcome *o,
				     struct diag *d);
bool sweep_result_exists(const char *folder, const char *key);
/* ERR_UNKNOWN: there is none. Another version's statistics are refused. */
MUST_USE enum err sweep_result_read(struct sweep_outcome *o, const char *folder,
				    const char *key, struct diag *d);
void sweep_result_remove(const char *folder, const char *key);

#endif
