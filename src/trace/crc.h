/* CRC-32C (Castagnoli): polynomial 0x1EDC6F41, reflected, as in RFC 3720. */
#ifndef HEDDLE_TRACE_CRC_H
#define HEDDLE_TRACE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of `size` bytes. Any error within 32 neighbouring bits changes
 * it. */
uint32_t trace_crc(const void *bytes, size_t size);

#endif
