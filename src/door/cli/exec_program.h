/*
 * Makes a program find Heddle's libraries instead of the vendor's. CUDA: puts a
 * folder at the head of the library path and, if the program has a DT_RPATH,
 * which comes before that path, preloads the libraries (LD_PRELOAD). OpenCL: tells
 * the system's loader that our platform is the only one.
 */
#ifndef HEDDLE_CLI_EXEC_PROGRAM_H
#define HEDDLE_CLI_EXEC_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#include "base/diag.h"

struct exec_program {
	char path[PATH_MAX];
	bool elf;     /* else a script; the programs it starts are unknown */
	bool kernels; /* it holds device code */
	bool cudart;  /* it needs the shared CUDA runtime */
	bool opencl;  /* it needs the system's loader of OpenCL, */
	bool no_platform; /* for which this build has no library */
	bool rpath;
	char preload[2 * PATH_MAX]; /* libraries, separated by ':' */
	char missing[64];           /* a library that we lack, or "" */
};

/*
 * Finds the program as a shell does. ERR_UNKNOWN: there is none; ERR_IO: it
 * cannot be executed. folder: that of our libraries.
 */
MUST_USE enum err exec_program(struct exec_program *p, const char *name,
			       const char *folder, struct diag *d);

/* Sets the variables of the dynamic linker and of the loader of OpenCL. */
MUST_USE enum err exec_library_path(const struct exec_program *p,
				    const char *folder, struct diag *d);

#endif
