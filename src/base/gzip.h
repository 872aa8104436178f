/*
 * Writes a gzip file (RFC 1952): text that repeats itself, such as events,
 * takes a tenth of the room and less. Memory is bounded; what is written is
 * complete after gzip_end.
 *
 * Models:  deflate (RFC 1951) with dynamic Huffman codes, and matches found
 *          through chains of equal hashes.
 * Does not model: reading, levels of effort, names and times in the header.
 */
#ifndef HEDDLE_BASE_GZIP_H
#define HEDDLE_BASE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/diag.h"

struct gzip;

/* Writes to a file that the caller opened and will close. ERR_NOMEM. */
MUST_USE enum err gzip_begin(struct gzip **out, FILE *to, struct diag *d);
void gzip_put(struct gzip *g, const void *bytes, size_t size);
/* Writes what is left and frees *g, which may be NULL. Errors are those of the
 * file: ask ferror. */
void gzip_end(struct gzip *g);
/* Frees *g, which may be NULL; the file stays incomplete. */
void gzip_drop(struct gzip *g);

#endif
