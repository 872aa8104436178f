/*
 * A block is a list of sequences. Each has a token, whose halves are the number
 * of literal bytes and the length of a match minus four; 15 in either half
 * means that the number continues in further bytes, up to one that is not 255.
 * After the literals, two bytes give the distance back to the match. The last
 * sequence ends after its literals.
 */
#include "door/rt/lz4.h"

#include <stdbool.h>
#include <string.h>

enum {
	HALF = 15, /* the largest number in half a token */
	MIN_MATCH = 4,
};

struct lz4_block {
	const uint8_t *in, *in_end;
	uint8_t *start, *out, *out_end;
};

/* Adds the bytes that continue a half token of 15. */
static bool lz4_extend(struct lz4_block *b, size_t *n)
{
	uint8_t byte;

	do {
		if (b->in == b->in_end)
			return false;
		byte = *b->in++;
		*n += byte;
	} while (byte == 255);
	return true;
}

static bool lz4_literals(struct lz4_block *b, size_t n)
{
	if (n == HALF && !lz4_extend(b, &n))
		return false;
	if (n > (size_t)(b->in_end - b->in) ||
	    n > (size_t)(b->out_end - b->out))
		return false;
	if (n) {
		memcpy(b->out, b->in, n);
		b->in += n;
		b->out += n;
	}
	return true;
}

/* A match may overlap its own output: it then repeats. */
static bool lz4_match(struct lz4_block *b, size_t n)
{
	size_t back;

	if (b->in_end - b->in < 2)
		return false;
	back = b->in[0] | (size_t)b->in[1] << 8;
	b->in += 2;
	if (n == HALF && !lz4_extend(b, &n))
		return false;
	n += MIN_MATCH;
	if (!back || back > (size_t)(b->out - b->start) ||
	    n > (size_t)(b->out_end - b->out))
		return false;
	if (back >= n) {
		memcpy(b->out, b->out - back, n);
		b->out += n;
	} else {
		for (; n; n--, b->out++)
			*b->out = b->out[-(ptrdiff_t)back];
	}
	return true;
}

enum err lz4_decode(uint8_t *to, size_t to_size, const uint8_t *from,
		    size_t from_size, struct diag *d)
{
	struct lz4_block b = { from, from + from_size, to, to, to + to_size };

	while (b.in < b.in_end) {
		uint8_t token = *b.in++;

		if (!lz4_literals(&b, token >> 4) ||
		    (b.in < b.in_end && !lz4_match(&b, token & HALF)))
			return fail(d, ERR_SYNTAX,
				    "LZ4: malformed at byte %zu of %zu",
				    (size_t)(b.in - from), from_size);
	}
	if (b.out != b.out_end)
		return fail(d, ERR_SYNTAX, "LZ4: %zu bytes instead of %zu",
			    (size_t)(b.out - to), to_size);
	return ERR_OK;
}
