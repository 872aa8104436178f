/*
 * A file that is written whole or not at all: under another name first, so that
 * an interruption or a full disk does not leave half a page in its place.
 */
#ifndef HEDDLE_CLI_PAGE_H
#define HEDDLE_CLI_PAGE_H

#include <stdio.h>

#include "base/diag.h"

struct page_file {
	FILE *to;
	const char *path; /* "-": standard output */
	char *other;      /* its name until then */
};

/* path must live until page_close. */
MUST_USE enum err page_open(struct page_file *p, const char *path,
			    struct diag *d);
/* e: how writing went; then *d says why. Returns the first error. */
MUST_USE enum err page_close(struct page_file *p, enum err e, struct diag *d);

#endif
