/*
 * Runs programs for the compiler, in a folder of its own for temporary files.
 * Needs no lock; the process may have other threads.
 */
#ifndef HEDDLE_OPENCL_TOOL_H
#define HEDDLE_OPENCL_TOOL_H

#include <limits.h>

#include "door/opencl/text.h"

struct tool_folder {
	char path[PATH_MAX];
};
MUST_USE enum err tool_folder_make(struct tool_folder *f, struct diag *d);
/* Removes the folder and what is in it. */
void tool_folder_remove(const struct tool_folder *f);
/* Writes a file below the folder, whose name may have folders: those are made. */
MUST_USE enum err tool_write(const struct tool_folder *f, const char *name,
			     const void *bytes, size_t size, struct diag *d);
/* malloc'ed, with a NUL behind it. */
MUST_USE enum err tool_read(const char *path, char **bytes, size_t *size,
			    struct diag *d);
/* Runs the program. What it prints is added to log. ERR_SYNTAX: it failed, which
 * log explains. */
MUST_USE enum err tool_run(const struct word_list *argv, struct text *log,
			   struct diag *d);

#endif
