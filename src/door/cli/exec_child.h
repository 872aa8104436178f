/*
 * Runs a program as our child: passes our signals on to it, and returns how it
 * ended. If we are told to end, all processes that it has started end, too; if
 * we are killed, so is the child.
 */
#ifndef HEDDLE_CLI_EXEC_CHILD_H
#define HEDDLE_CLI_EXEC_CHILD_H

#include "base/diag.h"

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/*
 * Runs the program at `path` and waits. argv starts with its name and ends with
 * NULL. *status is waitpid's. ERR_UNKNOWN: there is no such program; ERR_IO: it
 * could not be started.
 */
MUST_USE enum err child_run(const char *path, char *const *argv, int *status,
			    struct diag *d);

#endif
