/*
 * The elements of a spec, computed or read in pieces, so that even a large array
 * needs little memory of the host.
 */
#ifndef HEDDLE_CLI_SOURCE_H
#define HEDDLE_CLI_SOURCE_H

#include "door/cli/spec.h"

struct source {
	enum elem_type type;
	struct array_shape shape;
	uint64_t count; /* elements, each channel counted */
	struct array_init init;
	uint64_t key; /* of the random stream */
	struct number *list;
	int fd;
	uint64_t offset; /* of the elements in the file */
	char *path;
};

/*
 * Opens the elements of a spec. Fails if a file is missing, truncated, or of
 * another type or size than the spec. key: from random_key.
 */
MUST_USE enum err source_open(struct source *s, const struct arg_spec *spec,
			      uint64_t key, struct diag *d);
/* Writes the elements first .. first + n - 1 to `to`. */
MUST_USE enum err source_fill(struct source *s, uint64_t first, size_t n,
			      void *to, struct diag *d);
void source_close(struct source *s);

#endif
