/*
 * The LZ4 block format, as in the compressed images of a fat binary.
 *
 * Reads: one block whose decompressed size is known.
 * Does not read: the frame format of .lz4 files, which has a magic number,
 * checksums and several blocks.
 */
#ifndef HEDDLE_DOOR_RT_LZ4_H
#define HEDDLE_DOOR_RT_LZ4_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* A block yields at most this many bytes for each of its own. */
#define LZ4_MAX_RATIO 255

/* Fills `to`. ERR_SYNTAX: the block yields more or fewer bytes than to_size, or
 * a match starts before the output. */
MUST_USE enum err lz4_decode(uint8_t *to, size_t to_size, const uint8_t *from,
			     size_t from_size, struct diag *d);

#endif
