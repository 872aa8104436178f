/*
 * Decompresses a stream of bytes piece by piece: xz, zstd and gzip, each where
 * the build has its library.
 *
 * Owner:   the caller of unpacker_new.
 */
#ifndef HEDDLE_ACCELSIM_UNPACK_H
#define HEDDLE_ACCELSIM_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

struct unpacker;

/* For a stream that begins with these bytes. *out is NULL if they are not
 * compressed. ERR_UNSUPP: this build has no library for them. */
MUST_USE enum err unpacker_new(struct unpacker **out, const void *first,
			       size_t size, struct diag *d);
void unpacker_free(struct unpacker *u);

/* Takes some of `size` bytes and gives at most `room` others. last: no more bytes
 * follow; then it gives 0 when all were given, or fails if something is
 * missing. */
MUST_USE enum err unpacker_run(struct unpacker *u, const void *bytes,
			       size_t size, bool last, size_t *taken, void *to,
			       size_t room, size_t *given, struct diag *d);

#endif
