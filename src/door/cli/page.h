/*
 * A file that is written completely or not at all: it has a temporary name until
 * it is complete, so that an interruption or a full disk leaves no partial file.
 */
#ifndef HEDDLE_CLI_PAGE_H
#define HEDDLE_CLI_PAGE_H

#include <stdio.h>

#include "base/diag.h"

struct page_file {
	FILE *to;
	const char *path; /* "-": standard output */
	char *other;      /* the temporary name */
};

/* path must outlive the file. */
MUST_USE enum err page_open(struct page_file *p, const char *path,
			    struct diag *d);
/* e: the result of writing, with its diagnosis in *d. Returns the first error. */
MUST_USE enum err page_close(struct page_file *p, enum err e, struct diag *d);

#endif
