/*
 * The files that a program's processes write for `heddle exec`: trace, CSV and
 * timeline. What cannot be written is found before the program starts. Each
 * process gives its files their names when they are complete, so that afterwards
 * a file is whole or not there.
 */
#ifndef HEDDLE_CLI_EXEC_FILES_H
#define HEDDLE_CLI_EXEC_FILES_H

#include <stdbool.h>

#include "base/diag.h"
#include "door/rt/settings.h"

enum exec_file { EXEC_TRACE, EXEC_CSV, EXEC_TIMELINE, EXEC_FILES };

struct exec_files {
	char *path[EXEC_FILES]; /* absolute; NULL: not asked for */
	int status; /* processes write here when a file is lost; -1: none */
};

/* Checks and removes earlier files, and tells the processes their names. Call
 * exec_files_free in any case. */
MUST_USE enum err exec_files_open(struct exec_files *f,
				  const struct settings *s, const char *program,
				  struct diag *d);
/* Says which files are not there, and removes what processes that were killed
 * left. status: waitpid's. False: a file was lost, and that was said. */
bool exec_files_check(const struct exec_files *f, int status);
void exec_files_free(struct exec_files *f);

#endif
