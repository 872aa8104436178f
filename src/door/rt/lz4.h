/*
 * The LZ4 block format: what compressed images of a fat binary hold.
 *
 * Reads: one block, with its size known before. Not the frame format of .lz4
 * files, which has a magic number, checksums and several blocks.
 */
#ifndef HEDDLE_DOOR_RT_LZ4_H
#define HEDDLE_DOOR_RT_LZ4_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* No block yields more than that many bytes for each of its own. */
#define LZ4_MAX_RATIO 255

/* Fills `to`; a block that yields more or fewer bytes than to_size, or that
 * refers to what is not there, is ERR_SYNTAX. */
MUST_USE enum err lz4_decode(uint8_t *to, size_t to_size, const uint8_t *from,
			     size_t from_size, struct diag *d);

#endif
