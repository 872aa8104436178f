/*
 * Writes fat binaries of PTX and machine code, which our libcudart and any other
 * CUDA runtime can read. src/door/rt/fatbin.h describes the layout. Nothing is
 * compressed.
 */
#ifndef HEDDLE_CLI_FATBIN_WRITE_H
#define HEDDLE_CLI_FATBIN_WRITE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"

struct code_image {
	const char *bytes; /* PTX without a NUL, or a cubin */
	size_t size;
	bool is_cubin;
	unsigned sm; /* compute capability it was compiled for, 80 for 8.0 */
	unsigned major, minor; /* version of the PTX; of a cubin 1 and 7 */
};

/* name: of the source, for messages. ERR_IO: it cannot be written. */
MUST_USE enum err fatbin_write(FILE *to, const char *name,
			       const struct code_image *images, size_t count,
			       struct diag *d);

#endif
