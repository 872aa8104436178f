/*
 * Statistics as CSV: a header, and a row for each launch or interval. The rows of
 * a program that launches several kernels say which one they are about.
 */
#ifndef HEDDLE_COMMON_CSV_H
#define HEDDLE_COMMON_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/outfile.h"
#include "heddle/heddle.h"

struct csv {
	bool open;
	struct outfile file;
	int error; /* errno of the first write that failed */
};

/* What the columns in front say of a launch, or of a group of them. */
struct csv_launch {
	uint64_t number;  /* of the first launch of a group */
	uint32_t at_once; /* launches that ran at the same time */
	int device;
	const char *kernel; /* of the first launch of a group */
	/* It is one launch of several: columns that they share stay empty. */
	bool own;
};

/* path may be "-". launches: rows say which launch they are about. */
MUST_USE enum err csv_open(struct csv *c, const char *path, bool launches,
			   struct diag *d);
/* Writes what was counted in the cycles [from, to). l: NULL if rows do not say
 * which launch they are about. False: it could not be written. */
bool csv_row(struct csv *c, const struct csv_launch *l, uint64_t from,
	     uint64_t to, const struct heddle_stats *s);
/* Marks the rows as incomplete. */
void csv_cut(struct csv *c, const char *why);
/* Completes the file, or says why not. new: do not replace another file. */
MUST_USE enum err csv_close(struct csv *c, bool new, struct diag *d);
/* A file that was not closed is dropped. */
void csv_free(struct csv *c);

#endif
