/*
 * The header of NumPy's .npy files, versions 1.0 to 3.0.
 *
 * Reads:  C order (or at most one dimension), little-endian, the types of
 *         door/cli/values.h; booleans are read as u8.
 * Refuses: Fortran order, big-endian, complex numbers, structures, objects.
 */
#ifndef HEDDLE_CLI_NPY_H
#define HEDDLE_CLI_NPY_H

#include "door/cli/spec.h"

#define NPY_MAX_HEADER 65536

struct npy {
	enum elem_type type;
	/* Two plain bytes: bf16 if the user says so. */
	bool untyped;
	struct array_shape shape;
	uint64_t data; /* where in the file the elements begin */
};

/*
 * `head` is the beginning of the file: all of it, or NPY_MAX_HEADER bytes.
 * `size` is the whole file's, so that a truncated one is noticed here.
 */
MUST_USE enum err npy_parse(struct npy *out, const char *name, const void *head,
			    size_t length, uint64_t size, struct diag *d);

#define NPY_HEADER 320
/* Returns the header's length, a multiple of 64. */
size_t npy_format(char header[NPY_HEADER], enum elem_type type,
		  const struct array_shape *shape);

#endif
