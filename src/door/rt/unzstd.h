/*
 * Decompresses Zstandard frames with libzstd. Without that library (HEDDLE_ZSTD
 * is not defined) it returns ERR_UNSUPP.
 */
#ifndef HEDDLE_DOOR_RT_UNZSTD_H
#define HEDDLE_DOOR_RT_UNZSTD_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/*
 * *to is malloc'ed: to_size bytes, and one more for the caller's NUL.
 * ERR_SYNTAX: the frame yields more or fewer bytes, or other data follows it.
 * Memory grows with the output of the frame, not with to_size.
 */
MUST_USE enum err unzstd(uint8_t **to, size_t to_size, const uint8_t *from,
			 size_t from_size, struct diag *d);

#endif
