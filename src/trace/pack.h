/* Compression by zstd, if the build has it. */
#ifndef HEDDLE_TRACE_PACK_H
#define HEDDLE_TRACE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

bool trace_pack_supported(void);
/* The error if it is not supported: why, and what to do. */
MUST_USE enum err trace_pack_missing(struct diag *d);

/* *to is malloc'ed; *to_size bytes of it are used. */
MUST_USE enum err trace_pack(uint8_t **to, size_t *to_size, const void *from,
			     size_t from_size, struct diag *d);
/* Fails unless `from` gives exactly to_size bytes. */
MUST_USE enum err trace_unpack(uint8_t *to, size_t to_size, const void *from,
			       size_t from_size, struct diag *d);

#endif
