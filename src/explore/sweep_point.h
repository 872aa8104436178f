/* The files of one point of a sweep, and its outcome. */
#ifndef HEDDLE_EXPLORE_SWEEP_POINT_H
#define HEDDLE_EXPLORE_SWEEP_POINT_H

#include <limits.h>

#include "explore/store.h"
#include "explore/sweep_pool.h"

/* The output files of a point, named after its key or its worker. */
struct point_paths {
	char out[PATH_MAX]; /* the result: a file or a folder */
	char log[PATH_MAX]; /* standard output and error */
};
MUST_USE enum err point_paths(struct point_paths *p, const char *folder,
			      const char *name, struct diag *d);

/* Writes a configuration to NAME.cfg in the folder. If the name is NULL, the
 * file is named after its contents, and only written if it does not exist. */
MUST_USE enum err point_config(char path[PATH_MAX], const char *folder,
			       const char *name, const struct sweep_plan *p,
			       size_t config, struct diag *d);

/*
 * Reads the outcome of a process that has ended: numbers, or the reason of a
 * failure, from its exit status and its log. region: see outcome_read.
 */
void point_outcome(struct sweep_outcome *o, const struct point_paths *p,
		   const struct pool_end *end, int region, const char *version);
/* Says in one line why a process failed. */
void point_why(char *text, size_t room, const struct point_paths *p,
	       const struct pool_end *end);

#endif
