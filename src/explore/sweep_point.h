/* One point of a sweep: what it needs in files, and what became of it. */
#ifndef HEDDLE_EXPLORE_SWEEP_POINT_H
#define HEDDLE_EXPLORE_SWEEP_POINT_H

#include <limits.h>

#include "explore/store.h"
#include "explore/sweep_pool.h"

/* Where a point leaves things in a folder, by its key or by who runs it. */
struct point_paths {
	char out[PATH_MAX]; /* result of the run: a file or a folder */
	char log[PATH_MAX]; /* what it printed */
};
MUST_USE enum err point_paths(struct point_paths *p, const char *folder,
			      const char *name, struct diag *d);

/* Writes the configuration to a file of the folder: of that name or, if it is
 * NULL, named after what is in it, unless it is there. */
MUST_USE enum err point_config(char path[PATH_MAX], const char *folder,
			       const char *name, const struct sweep_plan *p,
			       size_t config, struct diag *d);

/*
 * What a process that has ended leaves: numbers, or the reason of a failure
 * from how it ended and what it printed.
 */
void point_outcome(struct sweep_outcome *o, const struct point_paths *p,
		   const struct pool_end *end, const char *version);
/* Why a process has not ended well: one line. */
void point_why(char *text, size_t room, const struct point_paths *p,
	       const struct pool_end *end);

#endif
