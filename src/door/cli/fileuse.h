/*
 * Which files a command reads and writes, by its options: what cannot be
 * written, and what would be overwritten before or after it is read, is found
 * before the work begins.
 */
#ifndef HEDDLE_CLI_FILEUSE_H
#define HEDDLE_CLI_FILEUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"

struct file_use {
	const char *option; /* "--json"; of a word without option: "PROGRAM" */
	const char *path;
	bool written;
	struct file_use *next;
};

struct file_uses {
	struct arena arena;
	struct file_use *first; /* the last one that was added */
};

/* Adds a file; nothing if path is NULL. The texts must outlive *u. */
MUST_USE enum err file_uses_add(struct file_uses *u, const char *option,
				const char *path, bool written, struct diag *d);
/* Fails if a file cannot be created, is read and written, or written twice. */
MUST_USE enum err file_uses_check(const struct file_uses *u, struct diag *d);
void file_uses_free(struct file_uses *u);

/* Checks a command that reads one file and writes one, which may be NULL. */
MUST_USE enum err file_check_pair(const char *in, const char *what,
				  const char *out, const char *option,
				  struct diag *d);

#endif
