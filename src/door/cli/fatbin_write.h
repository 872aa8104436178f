/*
 * Fat binaries, written: PTX images that libcudart (src/door/rt/fatbin.h, which
 * has the layout) and any other CUDA runtime read. Nothing is compressed.
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

/* name: of the source, which messages can quote. ERR_IO: cannot be written. */
MUST_USE enum err fatbin_write(FILE *to, const char *name,
			       const struct ptx_image *images, size_t count,
			       struct diag *d);

#endif
