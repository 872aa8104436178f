/* Images of modules: compiler options, files, and logs. */
#ifndef HEDDLE_LIBCUDA_IMAGE_H
#define HEDDLE_LIBCUDA_IMAGE_H

#include "door/libcuda/api.h"

/* The options that return something. `values` is the program's array; sizes are
 * written to it. */
struct jit {
	void **values;
	char *error;
	unsigned error_room;
	int error_size, info_size,
		wall_time; /* indices into values; -1: none */
};
/* Accepts options that change how code is compiled, without effect. */
int jit_read(struct jit *out, unsigned count, const CUjit_option *options,
	     void **values);
/* Fills the program's buffers; text is the error, or "". */
void jit_report(const struct jit *j, const char *text);

/* Reads a file: *image is malloc'ed and followed by a NUL. */
int image_read(void **image, size_t *size, const char *path);

/* Makes and loads a module of the image; fills j's buffers in any case. */
int image_load(struct rt_module **out, const void *image, const struct jit *j);

#endif
