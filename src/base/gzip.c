#include "base/gzip.h"
#include "base/search.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	HISTORY = 32768, /* bytes that a match can reach back */
	PIECE = 1 << 17, /* bytes to compress at once, with one code */
	MIN_MATCH = 3,
	MAX_MATCH = 258,
	GOOD_MATCH = 96, /* long enough to stop searching */
	CHAIN = 24,      /* candidates to try */
	HASH_BITS = 15,
	NOWHERE = -1, /* no earlier position */

	LITERALS = 286, /* symbols: bytes, the end, lengths */
	END_SYMBOL = 256,
	DISTANCES = 30,
	LENGTHS = 19,    /* symbols that describe code lengths */
	CODE_BITS = 15,  /* longest code of literals and distances */
	LENGTH_BITS = 7, /* and of code lengths */

	HEADER = 10, /* bytes */
	DEFLATE = 8, /* in the header: the method */
	UNKNOWN_SYSTEM = 255
};

/* A literal byte (distance 0), or a match. */
struct gzip_symbol {
	uint16_t value; /* the byte, or the length */
	uint16_t distance;
};

struct gzip_code {
	uint16_t code[LITERALS]; /* first bit lowest */
	uint8_t bits[LITERALS];
};

struct gzip {
	FILE *to;
	uint32_t crc, size; /* of all bytes, modulo 2^32 */
	uint64_t held;      /* bits that are not written yet */
	unsigned held_bits;
	size_t from, used; /* data[from, used) is not compressed yet */
	unsigned char data[HISTORY + PIECE];
	int32_t head[1 << HASH_BITS];    /* the last position of a hash */
	int32_t before[HISTORY + PIECE]; /* the one before a position */
	struct gzip_symbol symbols[HISTORY + PIECE];
	size_t symbol_count;
};

/* Base values and extra bits of the symbols for lengths, from 257 on, and for
 * distances: RFC 1951, 3.2.5. */
static const uint16_t length_base[] = { 3,   4,   5,   6,   7,  8,  9,  10,
					11,  13,  15,  17,  19, 23, 27, 31,
					35,  43,  51,  59,  67, 83, 99, 115,
					131, 163, 195, 227, 258 };
static const uint8_t length_extra[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
					1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
					4, 4, 4, 4, 5, 5, 5, 5, 0 };
static const uint16_t distance_base[] = {
	1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
	33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
	1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577
};
static const uint8_t distance_extra[] = {
	0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
	6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13
};

static uint32_t gzip_crc(uint32_t crc, const unsigned char *p, size_t n)
{
	static const uint32_t nibble[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8,
					     0x26d930ac, 0x76dc4190, 0x6b6b51f4,
					     0x4db26158, 0x5005713c, 0xedb88320,
					     0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
					     0x9b64c2b0, 0x86d3d2d4, 0xa00ae278,
					     0xbdbdf21c };

	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		crc = crc >> 4 ^ nibble[crc & 15];
		crc = crc >> 4 ^ nibble[crc & 15];
	}
	return ~crc;
}

/*
 * Bits
 */

static void gzip_bits(struct gzip *g, uint32_t value, unsigned count)
{
	g->held |= (uint64_t)value << g->held_bits;
	g->held_bits += count;
	while (g->held_bits >= 8) {
		putc((int)(g->held & 0xff), g->to);
		g->held >>= 8;
		g->held_bits -= 8;
	}
}

static void gzip_flush_bits(struct gzip *g)
{
	if (g->held_bits)
		gzip_bits(g, 0, 8 - g->held_bits);
}

/*
 * Matches
 */

static unsigned gzip_hash(const unsigned char *p)
{
	uint32_t v = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;

	return (v * UINT32_C(2654435761)) >> (32 - HASH_BITS);
}

static void gzip_remember(struct gzip *g, size_t at)
{
	unsigned h;

	if (at + MIN_MATCH > g->used)
		return;
	h = gzip_hash(g->data + at);
	g->before[at] = g->head[h];
	g->head[h] = (int32_t)at;
}

static unsigned gzip_equal(const unsigned char *a, const unsigned char *b,
			   unsigned max)
{
	unsigned n = 0;

	while (n < max && a[n] == b[n])
		n++;
	return n;
}

/* The longest match of what is at `at` and not remembered yet; its length is 0
 * if there is none that is longer than `than`. */
static struct gzip_symbol gzip_find(const struct gzip *g, size_t at,
				    unsigned than)
{
	size_t left = g->used - at;
	unsigned max = left < MAX_MATCH ? (unsigned)left : MAX_MATCH;
	struct gzip_symbol best = { 0 };
	int32_t from;

	if (max < MIN_MATCH || than >= max)
		return best;
	from = g->head[gzip_hash(g->data + at)];
	if (than < MIN_MATCH - 1)
		than = MIN_MATCH - 1;
	for (int i = 0; i < CHAIN && from != NOWHERE; i++) {
		const unsigned char *p = g->data + from, *q = g->data + at;
		unsigned n;

		if (at - (size_t)from > HISTORY)
			break;
		n = p[than] == q[than] ? gzip_equal(p, q, max) : 0;
		if (n > than) {
			best.value = (uint16_t)n;
			best.distance = (uint16_t)(at - (size_t)from);
			than = n;
			if (n >= GOOD_MATCH || n == max)
				break;
		}
		from = g->before[from];
	}
	return best;
}

static void gzip_add_symbol(struct gzip *g, struct gzip_symbol s)
{
	g->symbols[g->symbol_count++] = s;
}

/* Turns the piece into symbols. A match is put off by a byte if a longer one
 * starts there. */
static void gzip_match(struct gzip *g)
{
	size_t at = g->from;

	g->symbol_count = 0;
	while (at < g->used) {
		struct gzip_symbol m = gzip_find(g, at, 0);
		size_t n = m.value ? m.value : 1;

		gzip_remember(g, at);
		if (m.value && m.value < GOOD_MATCH && at + 1 < g->used &&
		    gzip_find(g, at + 1, m.value).value)
			n = 1;
		if (n == 1)
			m = (struct gzip_symbol){ .value = g->data[at] };
		gzip_add_symbol(g, m);
		for (size_t i = 1; i < n; i++)
			gzip_remember(g, at + i);
		at += n;
	}
}

/* The symbol of a value: the last one whose base is not above it. No value is below
 * the first one's. */
static unsigned gzip_class(const uint16_t *base, unsigned count, unsigned value)
{
	size_t i;

	SEARCH_FIRST(i, count, base[i] <= value);
	return (unsigned)i - 1;
}

static unsigned gzip_length_class(unsigned length)
{
	return gzip_class(length_base,
			  sizeof(length_base) / sizeof(length_base[0]), length);
}

static unsigned gzip_distance_class(unsigned distance)
{
	return gzip_class(distance_base, DISTANCES, distance);
}

/*
 * Codes
 */

/* The rarest of the trees that are left; -1: none is. */
static int gzip_rarest(const uint64_t *weight, int count)
{
	int best = -1;

	for (int i = 0; i < count; i++)
		if (weight[i] && (best < 0 || weight[i] < weight[best]))
			best = i;
	return best;
}

/* Sets the lengths of a Huffman code; returns the longest. */
static unsigned gzip_lengths(uint8_t *bits, const uint32_t *count, int n)
{
	uint64_t weight[2 * LITERALS];
	int16_t parent[2 * LITERALS];
	unsigned longest = 0;
	int nodes = n;

	for (int i = 0; i < n; i++)
		weight[i] = count[i];
	for (;;) {
		int a = gzip_rarest(weight, nodes), b;
		uint64_t sum;

		sum = weight[a];
		weight[a] = 0;
		b = gzip_rarest(weight, nodes);
		if (b < 0) {
			parent[a] = -1;
			break;
		}
		weight[nodes] = sum + weight[b];
		weight[b] = 0;
		parent[a] = parent[b] = (int16_t)nodes++;
	}
	for (int i = 0; i < n; i++) {
		bits[i] = 0;
		for (int k = i; count[i] && parent[k] >= 0; k = parent[k])
			bits[i]++;
		longest = bits[i] > longest ? bits[i] : longest;
	}
	return longest;
}

static uint16_t gzip_reverse(unsigned code, unsigned bits)
{
	unsigned r = 0;

	for (unsigned i = 0; i < bits; i++)
		r |= (code >> i & 1) << (bits - 1 - i);
	return (uint16_t)r;
}

/* Makes a code of at most `most` bits. At least two symbols get one: a code of
 * a single symbol is a special case for readers. */
static void gzip_make_code(struct gzip_code *c, uint32_t *count, int n,
			   unsigned most)
{
	unsigned next = 0;

	for (int i = 0, used = 0; i < n; i++) {
		used += count[i] != 0;
		if (i == n - 1 && used < 2) {
			count[0] += !count[0];
			count[1] += !count[1];
		}
	}
	while (gzip_lengths(c->bits, count, n) > most)
		for (int i = 0; i < n; i++)
			count[i] = (count[i] + 1) / 2;
	for (unsigned b = 1; b <= most; b++, next <<= 1)
		for (int i = 0; i < n; i++)
			if (c->bits[i] == b)
				c->code[i] = gzip_reverse(next++, b);
}

static void gzip_code(struct gzip *g, const struct gzip_code *c, unsigned s)
{
	gzip_bits(g, c->code[s], c->bits[s]);
}

/* Writes the lengths of the two codes, themselves coded, without the short
 * forms for repeated ones: that is a few bytes in a piece of many. */
static void gzip_write_codes(struct gzip *g, const struct gzip_code *literal,
			     const struct gzip_code *distance)
{
	static const uint8_t order[LENGTHS] = { 16, 17, 18, 0,  8, 7,  9,
						6,  10, 5,  11, 4, 12, 3,
						13, 2,  14, 1,  15 };
	uint32_t count[LENGTHS] = { 0 };
	struct gzip_code lengths = { 0 };

	for (int i = 0; i < LITERALS; i++)
		count[literal->bits[i]]++;
	for (int i = 0; i < DISTANCES; i++)
		count[distance->bits[i]]++;
	gzip_make_code(&lengths, count, LENGTHS, LENGTH_BITS);
	gzip_bits(g, LITERALS - 257, 5);
	gzip_bits(g, DISTANCES - 1, 5);
	gzip_bits(g, LENGTHS - 4, 4);
	for (int i = 0; i < LENGTHS; i++)
		gzip_bits(g, lengths.bits[order[i]], 3);
	for (int i = 0; i < LITERALS; i++)
		gzip_code(g, &lengths, literal->bits[i]);
	for (int i = 0; i < DISTANCES; i++)
		gzip_code(g, &lengths, distance->bits[i]);
}

static void gzip_write_match(struct gzip *g, struct gzip_symbol s,
			     const struct gzip_code *literal,
			     const struct gzip_code *distance)
{
	unsigned l = gzip_length_class(s.value);
	unsigned d = gzip_distance_class(s.distance);

	gzip_code(g, literal, END_SYMBOL + 1 + l);
	gzip_bits(g, s.value - length_base[l], length_extra[l]);
	gzip_code(g, distance, d);
	gzip_bits(g, s.distance - (uint32_t)distance_base[d],
		  distance_extra[d]);
}

static void gzip_count(const struct gzip *g, uint32_t *literals,
		       uint32_t *distances)
{
	literals[END_SYMBOL]++;
	for (size_t i = 0; i < g->symbol_count; i++) {
		struct gzip_symbol s = g->symbols[i];

		if (s.distance) {
			literals[END_SYMBOL + 1 + gzip_length_class(s.value)]++;
			distances[gzip_distance_class(s.distance)]++;
		} else {
			literals[s.value]++;
		}
	}
}

/* Forgets what no match can reach any more. */
static void gzip_slide(struct gzip *g)
{
	size_t by = g->used > HISTORY ? g->used - HISTORY : 0;
	int32_t shift = (int32_t)by;

	memmove(g->data, g->data + by, g->used - by);
	memmove(g->before, g->before + by, (g->used - by) * sizeof(*g->before));
	for (int i = 0; i < 1 << HASH_BITS; i++)
		g->head[i] = g->head[i] < shift ? NOWHERE : g->head[i] - shift;
	for (size_t i = 0; i < g->used - by; i++)
		g->before[i] = g->before[i] < shift ? NOWHERE :
						      g->before[i] - shift;
	g->used -= by;
	g->from = g->used;
}

/* Writes a block of deflate with all that is there. */
static void gzip_compress(struct gzip *g, bool last)
{
	uint32_t literals[LITERALS] = { 0 }, distances[DISTANCES] = { 0 };
	struct gzip_code literal = { 0 }, distance = { 0 };

	gzip_match(g);
	gzip_count(g, literals, distances);
	gzip_make_code(&literal, literals, LITERALS, CODE_BITS);
	gzip_make_code(&distance, distances, DISTANCES, CODE_BITS);
	gzip_bits(g, last, 1);
	gzip_bits(g, 2, 2); /* dynamic codes */
	gzip_write_codes(g, &literal, &distance);
	for (size_t i = 0; i < g->symbol_count; i++) {
		struct gzip_symbol s = g->symbols[i];

		if (s.distance)
			gzip_write_match(g, s, &literal, &distance);
		else
			gzip_code(g, &literal, s.value);
	}
	gzip_code(g, &literal, END_SYMBOL);
	gzip_slide(g);
}

/*
 * The file
 */

enum err gzip_begin(struct gzip **out, FILE *to, struct diag *d)
{
	static const unsigned char header[HEADER] = {
		0x1f, 0x8b, DEFLATE, [HEADER - 1] = UNKNOWN_SYSTEM
	};
	struct gzip *g = *out = calloc(1, sizeof(*g));

	if (!g)
		return fail(d, ERR_NOMEM, "out of memory");
	g->to = to;
	for (int i = 0; i < 1 << HASH_BITS; i++)
		g->head[i] = NOWHERE;
	fwrite(header, 1, sizeof(header), to);
	return ERR_OK;
}

void gzip_put(struct gzip *g, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;

	g->crc = gzip_crc(g->crc, p, size);
	g->size += (uint32_t)size;
	while (size) {
		size_t room = sizeof(g->data) - g->used;
		size_t n = size < room ? size : room;

		memcpy(g->data + g->used, p, n);
		g->used += n;
		p += n;
		size -= n;
		if (g->used == sizeof(g->data))
			gzip_compress(g, false);
	}
}

void gzip_end(struct gzip *g)
{
	if (!g)
		return;
	gzip_compress(g, true);
	gzip_flush_bits(g);
	gzip_bits(g, g->crc, 32);
	gzip_bits(g, g->size, 32);
	gzip_drop(g);
}

void gzip_drop(struct gzip *g)
{
	free(g);
}
