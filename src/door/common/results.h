/*
 * A folder of results:
 *
 *	INCOMPLETE            from the start until all of it has been written;
 *	                      says why if that did not happen
 *	program.json          the program: written last
 *	launch-000001.json    one for each launch
 *	gpu-0.cfg             one for each device: all of its parameters
 *	process-2/            the same of another process of the program
 *
 * Files are written under another name (.tmp) and renamed: what has its name is
 * whole. While a run lasts it holds a lock on the folder, which ends with the
 * process however that ends.
 */
#ifndef HEDDLE_COMMON_RESULTS_H
#define HEDDLE_COMMON_RESULTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"

#define RESULTS_MARK "INCOMPLETE"
#define RESULTS_PROGRAM "program.json"
/* The variable by which `heddle exec` tells the program's processes that it has
 * opened this folder and will judge it at the end. */
#define RESULTS_OPENED "HEDDLE_OUT_OPEN"

struct results {
	char path[PATH_MAX]; /* absolute */
	int lock;            /* the folder */
};

/*
 * Makes the folder if there is none, and marks it incomplete. One that holds
 * an earlier result is emptied; one that holds anything else, or that a run is
 * using, is refused and stays as it is. results_close ends the lock in any
 * case.
 */
MUST_USE enum err results_open(struct results *r, const char *path,
			       struct diag *d);
void results_close(struct results *r);

/* Why the folder stays incomplete: one line. */
MUST_USE enum err results_incomplete(const struct results *r, const char *why,
				     struct diag *d);
/* Takes the mark away. */
MUST_USE enum err results_complete(const struct results *r, struct diag *d);

/*
 * A process of the program takes the folder, or a folder process-2,
 * process-3 ... in it, and copies its path to `out`. A process that has taken
 * one and not written its program.json has left it incomplete.
 */
MUST_USE enum err results_take(char out[PATH_MAX], const char *path,
			       struct diag *d);
/* What the processes left: how many took a folder, how many completed it. */
void results_count(const struct results *r, unsigned *taken,
		   unsigned *completed);

/* A file in the folder, under its other name; NULL: see the diagnosis. */
FILE *results_create(const char *path, const char *name, struct diag *d);
/* Closes it; it has its name if all of it was written. */
MUST_USE enum err results_commit(FILE *f, const char *path, const char *name,
				 struct diag *d);

#endif
