/*
 * A text file, read line by line, that may be compressed: by xz, zstd or gzip,
 * which its first bytes tell.
 *
 * Models:  files of any size in bounded memory.
 * Does not model: a way back, but for opening it again.
 * Owner:   the caller of asim_source_new.
 */
#ifndef HEDDLE_ACCELSIM_SOURCE_H
#define HEDDLE_ACCELSIM_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

struct asim_source;

/* Opens a file. Messages call it by its path. */
MUST_USE enum err asim_source_open(struct asim_source **out, const char *path,
				   struct diag *d);
/* The same of a file that is open already, and is closed also on failure. */
MUST_USE enum err asim_source_new(struct asim_source **out, FILE *f,
				  const char *name, struct diag *d);
void asim_source_free(struct asim_source *s);

/* The next line without its end, valid until the next call; it ends in NUL, too.
 * *line is NULL at the end of the file. */
MUST_USE enum err asim_source_line(struct asim_source *s, const char **line,
				   size_t *size, struct diag *d);

const char *asim_source_name(const struct asim_source *s);
/* The number of the last line, from 1. */
uint32_t asim_source_number(const struct asim_source *s);
/* Bytes of the file so far, and of all of it; 0: not known. */
uint64_t asim_source_done(const struct asim_source *s);
uint64_t asim_source_bytes(const struct asim_source *s);

/* Fails with file and line. */
enum err asim_fail(const struct asim_source *s, struct diag *d, enum err code,
		   const char *fmt, ...) PRINTF_LIKE(4, 5);

#endif
