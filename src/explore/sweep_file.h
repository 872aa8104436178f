/*
 * Points and results as files, for workers on other machines: SQLite is not
 * safe on network file systems. A result file gets its name when it is complete.
 *
 *	FOLDER/points.json        the points to run, one line each
 *	FOLDER/results/KEY.json   the result of a point
 */
#ifndef HEDDLE_EXPLORE_SWEEP_FILE_H
#define HEDDLE_EXPLORE_SWEEP_FILE_H

#include <stdio.h>

#include "base/arena.h"
#include "explore/store.h"

#define SWEEP_POINTS "points.json"
#define SWEEP_RESULTS "results"

/* A point for a worker. */
struct sweep_job {
	const char *key, *version;
	const char **argv; /* ended by NULL */
	double timeout;
	int region; /* of outcome_read */
};

MUST_USE enum err sweep_job_write(FILE *to, const struct sweep_job *j,
				  struct diag *d);
/* Reads all points, into the arena. */
MUST_USE enum err sweep_jobs_read(struct sweep_job **out, size_t *count,
				  struct arena *a, const char *folder,
				  struct diag *d);

MUST_USE enum err sweep_result_write(const char *folder, const char *key,
				     const struct sweep_outcome *o,
				     struct diag *d);
bool sweep_result_exists(const char *folder, const char *key);
/* ERR_UNKNOWN: there is no result. Refuses the statistics of another version. */
MUST_USE enum err sweep_result_read(struct sweep_outcome *o, const char *folder,
				    const char *key, struct diag *d);
void sweep_result_remove(const char *folder, const char *key);

#endif
