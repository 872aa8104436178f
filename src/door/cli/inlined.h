/*
 * PTX of clang says to which line an instruction belongs, but not, if the line
 * was inlined, which line called it; nvcc's does, by inlined_at. The debugging
 * information has it: this adds it to the .loc lines, and drops the rest.
 *
 * A call's instructions need not be contiguous, but clang gives only the first and
 * the last. What lies between them belongs to the call if its line belongs to the
 * function that was called, that is, to the function that begins last before it.
 * Where functions begin is not given either, unless all debugging information is
 * there: the first line of a call's code belongs to the function that was called,
 * and the lowest of these lines is taken for its beginning.
 */
#ifndef HEDDLE_CLI_INLINED_H
#define HEDDLE_CLI_INLINED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* Replaces a malloc'ed text, which ends in 0. keep: the debugging information
 * stays as it is. On error the text is unchanged. */
MUST_USE enum err ptx_add_callers(char **text, size_t *size, bool keep,
				  struct diag *d);

#endif
