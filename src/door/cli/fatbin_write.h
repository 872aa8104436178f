/*
 * Writes fat binaries of PTX images, which our libcudart and any other CUDA
 * runtime can read. src/door/rt/fatbin.h describes the layout. Nothing is
 * compressed.
 */
#ifndef HEDDLE_CLI_FATBIN_WRITE_H
#define HEDDLE_CLI_FATBIN_WRITE_H

#include <stdio.h>

#include "base/diag.h"

struct ptx_image {
	const char *text; /* the PTX, without a NUL */
	size_t size;
	unsigned sm; /* compute capability it was compiled for, 80 for 8.0 */
	unsigned major, minor; /* version of the PTX */
};

/* name: of the source, for messages. ERR_IO: it cannot be written. */
MUST_USE enum err fatbin_write(FILE *to, const char *name,
			       const struct ptx_image *images, size_t count,
			       struct diag *d);

#endif
