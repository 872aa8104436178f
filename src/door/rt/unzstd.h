/*
 * Zstandard frames, by libzstd. A build without that library (HEDDLE_ZSTD is
 * not defined) says so.
 */
#ifndef HEDDLE_DOOR_RT_UNZSTD_H
#define HEDDLE_DOOR_RT_UNZSTD_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/*
 * *to becomes to_size bytes, malloc'ed, and one more for the caller's NUL. A
 * frame that yields more or fewer bytes, or is followed by others, is
 * ERR_SYNTAX. Memory grows with what the frame yields, not with to_size.
 */
MUST_USE enum err unzstd(uint8_t **to, size_t to_size, const uint8_t *from,
			 size_t from_size, struct diag *d);

#endif
