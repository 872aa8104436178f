/*
 * Reads numbers and strings from bytes, in the encodings of ELF and DWARF: little
 * endian, LEB128, ending in NUL. What would lie beyond the end reads as 0 or ""
 * and sets `bad`, so that a reader may look at the end only.
 */
#ifndef HEDDLE_BASE_BYTES_H
#define HEDDLE_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct byte_reader {
	const uint8_t *data;
	size_t size, at;
	bool bad;
};

static inline size_t bytes_left(const struct byte_reader *r)
{
	return r->bad ? 0 : r->size - r->at;
}

static inline uint64_t bytes_number(struct byte_reader *r, unsigned bytes)
{
	uint64_t v = 0;

	if (bytes_left(r) < bytes) {
		r->bad = true;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)r->data[r->at++] << 8 * i;
	return v;
}

/* Returns how many bits the number has; those above 64 are dropped. */
static inline unsigned bytes_leb(struct byte_reader *r, uint64_t *v,
				 uint64_t *last)
{
	unsigned shift = 0;

	*v = 0;
	do {
		*last = bytes_number(r, 1);
		*v |= shift < 64 ? (*last & 127) << shift : 0;
		shift += 7;
	} while (*last & 128);
	return shift;
}

static inline uint64_t bytes_uleb(struct byte_reader *r)
{
	uint64_t v, last;

	bytes_leb(r, &v, &last);
	return v;
}

static inline int64_t bytes_sleb(struct byte_reader *r)
{
	uint64_t v, last;
	unsigned bits = bytes_leb(r, &v, &last);

	if (last & 64 && bits < 64)
		v |= ~(uint64_t)0 << bits;
	return (int64_t)v;
}

static inline void bytes_skip(struct byte_reader *r, uint64_t n)
{
	if (n > bytes_left(r))
		r->bad = true;
	else
		r->at += (size_t)n;
}

static inline const char *bytes_string(struct byte_reader *r)
{
	const char *s = (const char *)r->data + r->at;

	if (!bytes_left(r) || !memchr(s, 0, bytes_left(r))) {
		r->bad = true;
		return "";
	}
	r->at += strlen(s) + 1;
	return s;
}

#endif
