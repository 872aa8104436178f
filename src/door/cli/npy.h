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
	/* Elements of two untyped bytes: bf16 if the user says so. */
	bool untyped;
	struct array_shape shape;
	uint64_t data; /* offset of the elements in the file */
};

/*
 * head: the first bytes of the file, all of it or NPY_MAX_HEADER. size: that of
 * the whole file, so that a truncated file is an error.
 */
MUST_USE enum err npy_parse(struct npy *out, const char *name, const void *head,
			    size_t length, uint64_t size, struct diag *d);

#define NPY_HEADER 320
/* Writes a header; returns its length, a multiple of 64. */
size_t npy_format(char header[NPY_HEADER], enum elem_type type,
		  const struct array_shape *shape);

#endif
