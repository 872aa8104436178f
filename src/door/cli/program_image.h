/*
 * The code that runs for a file of the command line: PTX or machine code, as
 * --isa and the GPU want it.
 */
#ifndef HEDDLE_CLI_PROGRAM_IMAGE_H
#define HEDDLE_CLI_PROGRAM_IMAGE_H

#include "door/cli/compile.h"

struct program_image {
	char *bytes; /* malloc'ed */
	size_t size;
	unsigned sm; /* of machine code: its compute capability; 0: PTX */
	/* The PTX that the machine code was made of, malloc'ed, or NULL. */
	char *ptx;
	size_t ptx_size;
};

/* Whether a file holds machine code, perhaps beside PTX: a cubin or a fat
 * binary. */
bool image_is_machine(const char *path);

/* Reads a file, or compiles it, and chooses. Call image_free in any case. */
MUST_USE enum err image_get(struct program_image *out, const char *path,
			    const struct compile_options *compile,
			    struct diag *d);
void image_free(struct program_image *i);

/* Whether a file holds machine code of an AMD GPU. */
bool image_is_code_object(const char *path);

#endif
