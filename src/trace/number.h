/*
 * Variable-length numbers of 1 to 10 bytes: seven bits in each, the lowest
 * first, the top bit set in all but the last (LEB128). Differences are folded
 * first, so that small ones of either sign are short: 0, -1, 1, -2 ... become
 * 0, 1, 2, 3 ... (zigzag).
 */
#ifndef HEDDLE_TRACE_NUMBER_H
#define HEDDLE_TRACE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum { NUMBER_MAX = 10 };

static inline uint64_t number_fold(uint64_t v)
{
	return v << 1 ^ -(v >> 63);
}

static inline uint64_t number_unfold(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

/* Writes at most NUMBER_MAX bytes; returns where the next one goes. */
static inline uint8_t *number_put(uint8_t *to, uint64_t v)
{
	while (v >= 0x80) {
		*to++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*to++ = (uint8_t)v;
	return to;
}

/* False: the bytes end before the number does, or it has more than 64 bits; *at
 * is then undefined, but within the bytes. */
static inline bool number_get(const uint8_t **at, const uint8_t *end,
			      uint64_t *out)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < NUMBER_MAX && *at < end; i++) {
		uint8_t byte = *(*at)++;

		if (i == NUMBER_MAX - 1 && byte > 1)
			return false;
		v |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (byte < 0x80) {
			*out = v;
			return true;
		}
	}
	return false;
}

#endif
