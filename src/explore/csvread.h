/*
 * Reads comma-separated values (RFC 4180) line by line, for files of profilers.
 *
 * A field may be quoted; quotes inside are doubled; commas and newlines inside
 * quotes belong to the field. Lines end in \n or \r\n.
 * Does not read: other separators than a comma.
 */
#ifndef HEDDLE_EXPLORE_CSVREAD_H
#define HEDDLE_EXPLORE_CSVREAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"

enum { CSV_FIELDS = 8192 }; /* maximum of a line */

struct csv_reader {
	struct arena *arena; /* of the fields */
	const char *name;    /* of the text, for messages */
	const char *at, *end;
	unsigned line; /* of `at`, from 1 */
	/* The row read last: */
	unsigned row_line;   /* where it begins */
	const char **fields; /* CSV_FIELDS of them */
	size_t count;
};

/* The text must outlive the reader, the arena the fields. */
MUST_USE enum err csv_start(struct csv_reader *r, struct arena *a,
			    const char *name, const char *text, size_t size,
			    struct diag *d);
/* Whether nothing is left. */
bool csv_ended(const struct csv_reader *r);
/* The line that comes next as it is, without its newline; *size bytes. */
const char *csv_peek(const struct csv_reader *r, size_t *size);
void csv_skip_line(struct csv_reader *r);
/* Reads a row. A quote that is not closed, text after a closing quote and a NUL
 * are errors, with the name and the line. */
MUST_USE enum err csv_read_row(struct csv_reader *r, struct diag *d);
/* The index of a field with this text in the row read last, or -1. */
int csv_find(const struct csv_reader *r, const char *text);

#endif
