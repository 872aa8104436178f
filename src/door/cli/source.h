/*
 * The elements that a spec stands for, computed or read piece by piece, so
 * that an array larger than the host's memory costs none of it.
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
 * Opens what the spec names; fails when a file is missing, truncated or of
 * another type or size than the spec says. `key` is random_key's.
 */
MUST_USE enum err source_open(struct source *s, const struct arg_spec *spec,
			      uint64_t key, struct diag *d);
/* Elements first .. first + n - 1. */
MUST_USE enum err source_fill(struct source *s, uint64_t first, size_t n,
			      void *to, struct diag *d);
void source_close(struct source *s);

#endif
