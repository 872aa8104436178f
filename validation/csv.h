/*
 * A file of measurements: CSV with a line of names.
 */
#ifndef VALIDATION_CSV_H
#define VALIDATION_CSV_H

#include "explore/csvread.h"

struct study_csv {
	struct csv_reader r;
	char *text;
	size_t size;
};

/* Reads a small file into *a, and its first line, which must begin with a name. */
MUST_USE enum err study_csv_open(struct study_csv *c, struct arena *a,
				 const char *path, const char *first,
				 struct diag *d);

#endif
