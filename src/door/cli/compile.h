/*
 * Compiles CUDA source to PTX with clang alone: no CUDA toolkit is needed. The
 * headers are ours (src/door/cuda, installed as share/heddle/cuda). And OpenCL C to
 * machine code of AMD GPUs.
 *
 * The PTX comes through a pipe, so that no file is left behind.
 */
#ifndef HEDDLE_CLI_COMPILE_H
#define HEDDLE_CLI_COMPILE_H

#include "door/cli/opt.h"
#include "door/common/isa_choice.h"

struct compile_options {
	const char *clang;   /* NULL: $HEDDLE_CLANG, else the first in PATH */
	const char *level;   /* of -O; NULL: 3 */
	bool debug;          /* -g instead of line tables */
	struct words flags;  /* -D and -I, as clang takes them */
	struct words cflags; /* --cflags: split at white space */
	unsigned sm;         /* 90; 0: the default */
	enum isa_choice isa; /* what to make of it, and of PTX */
};

extern const struct opt compile_opts[];

/* *ptx is malloc'ed. Clang's messages go to stderr. */
MUST_USE enum err compile_cuda(const struct compile_options *o,
			       const char *path, char **ptx, size_t *size,
			       struct diag *d);
/*
 * Compiles OpenCL C to a code object for AMD's GFX6, with libclc: that of
 * $HEDDLE_LIBCLC, else of the system. *object is malloc'ed.
 */
MUST_USE enum err compile_opencl(const struct compile_options *o,
				 const char *path, char **object, size_t *size,
				 struct diag *d);
void compile_options_free(struct compile_options *o);

#endif
