/*
 * What a CUDA program needs to find Heddle's libraries in place of the
 * vendor's: a folder at the head of the library path, and, if the program
 * itself names folders that come before that path (DT_RPATH), the libraries
 * by name (LD_PRELOAD).
 */
#ifndef HEDDLE_CLI_EXEC_PROGRAM_H
#define HEDDLE_CLI_EXEC_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#include "base/diag.h"

struct exec_program {
	char path[PATH_MAX];
	bool elf;     /* else a script: what it starts is found out then */
	bool kernels; /* it holds device code of its own */
	bool cudart;  /* it needs the shared CUDA runtime */
	bool rpath;
	char preload[2 * PATH_MAX]; /* libraries, ':' between them */
	char missing[64];           /* a version that there is not, or "" */
};

/*
 * Finds the program as a shell does. ERR_UNKNOWN: there is none; ERR_IO: it
 * cannot be executed. folder: where our libraries lie.
 */
MUST_USE enum err exec_program(struct exec_program *p, const char *name,
			       const char *folder, struct diag *d);

/* Sets the variables of the dynamic linker. */
MUST_USE enum err exec_library_path(const struct exec_program *p,
				    const char *folder, struct diag *d);

#endif
