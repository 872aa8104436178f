/*
 * A folder of results:
 *
 *	INCOMPLETE            exists until the result is complete; says why if
 *	                      it never was
 *	program.json          the program: written last
 *	launch-000001.json    one for each launch
 *	gpu-0.cfg             one for each device: all of its parameters
 *	system.cfg            in place of it: of a system
 *	index.html            of a system: the page
 *	requests.csv          of heddle cgm: what became of each request
 *	process-2/            the same for another process of the program
 *
 * Files are written under a temporary name (.tmp) and renamed: a file under its
 * final name is complete. A run holds a lock on the folder, which ends with the
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
/* Of heddle system: its configuration, and the page. */
#define RESULTS_SYSTEM "system.cfg"
#define RESULTS_PAGE "index.html"
/* Of heddle cgm: every request of the trace. */
#define RESULTS_REQUESTS "requests.csv"
/* With this variable `heddle exec` tells the program's processes that it has
 * opened the folder and will mark it at the end. */
#define RESULTS_OPENED "HEDDLE_OUT_OPEN"
/* In this variable it names a file into which they write something if a file
 * that the user asked for is lost. */
#define RESULTS_STATUS "HEDDLE_STATUS"

struct results {
	char path[PATH_MAX]; /* absolute */
	int lock;            /* the folder */
};

/*
 * Makes the folder if there is none, and marks it incomplete. Empties a folder
 * that holds an earlier result; refuses one that holds anything else or that
 * another run is using, and leaves it unchanged. Release the lock with
 * results_close in any case.
 */
MUST_USE enum err results_open(struct results *r, const char *path,
			       struct diag *d);
void results_close(struct results *r);

/* Records in one line why the folder stays incomplete. */
MUST_USE enum err results_incomplete(const struct results *r, const char *why,
				     struct diag *d);
/* Removes the mark. */
MUST_USE enum err results_complete(const struct results *r, struct diag *d);

/*
 * Claims the folder, or a folder process-2, process-3 ... in it, for a process
 * of the program, and copies its path to `out`. A process that claims a folder
 * and does not write its program.json leaves it incomplete.
 */
MUST_USE enum err results_take(char out[PATH_MAX], const char *path,
			       struct diag *d);
/* Counts the processes that claimed a folder, and that completed it. */
void results_count(const struct results *r, unsigned *taken,
		   unsigned *completed);

/* Creates a file in the folder under its temporary name; NULL: see *d. */
FILE *results_create(const char *path, const char *name, struct diag *d);
/* Closes the file and renames it if all of it was written. */
MUST_USE enum err results_commit(FILE *f, const char *path, const char *name,
				 struct diag *d);

#endif
