/*
 * Runs a program, such as a compiler, and reads what it prints.
 *
 * The child has none of what `heddle exec` preloads for the program alone, no blocked
 * signals and no input. Needs no lock; the process may have other threads.
 */
#ifndef HEDDLE_COMMON_PROCESS_H
#define HEDDLE_COMMON_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* Finds a program in PATH, unless its name has a slash. */
bool process_find(char out[PATH_MAX], const char *name);

/* Takes a piece of what the program prints to its outputs. */
typedef void process_take(void *ctx, const char *bytes, size_t size);

/*
 * Runs argv[0] and waits for its end. *ok: it exited with 0. A process that ignores its
 * children does not learn that: then it is true, and the result decides.
 */
MUST_USE enum err process_run(char *const *argv, process_take *take, void *ctx,
			      bool *ok, struct diag *d);

#endif
