/*
 * A file of results that is written completely or not at all: it has a
 * temporary name until it is complete, so that an interruption or a full disk
 * leaves neither half a file nor the loss of an earlier one.
 *
 * The temporary name of PATH is PATH.PID.tmp, or PATH.PID.2.tmp and so on if
 * the process writes several.
 *
 * Only regular files are replaced. A device, a pipe or a socket is written
 * through, and so is what lies behind a descriptor (/dev/stdout, /dev/fd/3). A
 * symbolic link stays; the file that it names is replaced. A file whose folder
 * is read-only is overwritten in place.
 */
#ifndef HEDDLE_BASE_OUTFILE_H
#define HEDDLE_BASE_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"

struct outfile {
	FILE *to;
	const char *path; /* as given; "-": standard output */
	char *target;     /* the path without symbolic links */
	char *temporary;  /* NULL: written in place */
};

/* path must outlive the file. */
MUST_USE enum err outfile_open(struct outfile *f, const char *path,
			       struct diag *d);
/* e: the result of writing, with its diagnosis in *d. Returns the first error. */
MUST_USE enum err outfile_close(struct outfile *f, enum err e, struct diag *d);

/* The same for a file that must not replace another one: if there is one of its
 * name, it is called PATH.2, PATH.3 and so on. */
MUST_USE enum err outfile_close_new(struct outfile *f, enum err e,
				    struct diag *d);
/* Closes the file and removes it, as if it had not been written. */
void outfile_drop(struct outfile *f);

/* Fails if the file could not be created now; creates nothing. To be asked
 * before the work whose results it is to hold. */
MUST_USE enum err outfile_check(const char *path, struct diag *d);
/* The path from the root, because a process may change its folder. malloc'ed;
 * NULL: out of memory. */
char *outfile_absolute(const char *path);
/* Whether two paths name the same regular file, which need not exist yet. */
bool outfile_same(const char *a, const char *b);

#endif
