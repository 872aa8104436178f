/* Images of modules: options of the compiler, files, and what is said of
 * them. */
#ifndef HEDDLE_LIBCUDA_IMAGE_H
#define HEDDLE_LIBCUDA_IMAGE_H

#include "door/libcuda/api.h"

/* Options that answer: `values` is the program's, sizes are written there. */
struct jit {
	void **values;
	char *error;
	unsigned error_room;
	int error_size, info_size, wall_time; /* places in values; -1: none */
};
/* Options that change how code is compiled are accepted: here it is not. */
int jit_read(struct jit *out, unsigned count, const CUjit_option *options,
	     void **values);
/* Fills the program's buffers; text is what went wrong, or "". */
void jit_answer(const struct jit *j, const char *text);

/* Reads a file: *image is malloc'ed and has a NUL behind it. */
int image_read(void **image, size_t *size, const char *path);

/* A module of the image, loaded; j has been answered, in any case. */
int image_load(struct rt_module **out, const void *image, const struct jit *j);

#endif
