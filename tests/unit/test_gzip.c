#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gzip.h"

/* A reader of gzip files, written from RFC 1951 and 1952: slow, and it shares
 * nothing with the writer. Anything that is wrong fails the test. */
struct inflate {
	const unsigned char *in;
	size_t size, bit;
	unsigned char *out;
	size_t made, room;
};

static unsigned inflate_bits(struct inflate *r, unsigned n)
{
	unsigned v = 0;

	for (unsigned i = 0; i < n; i++, r->bit++) {
		EQ(true, r->bit / 8 < r->size);
		v |= (unsigned)(r->in[r->bit / 8] >> r->bit % 8 & 1) << i;
	}
	return v;
}

/* Codes of one length are consecutive numbers, and shorter codes come first. */
static unsigned inflate_symbol(struct inflate *r, const unsigned char *bits,
			       unsigned n)
{
	unsigned code = 0, first = 0;

	for (unsigned b = 1; b <= 15; b++) {
		unsigned count = 0;

		code = code << 1 | inflate_bits(r, 1);
		first <<= 1;
		for (unsigned s = 0; s < n; s++)
			if (bits[s] == b && code == first + count++)
				return s;
		first += count;
	}
	EQ(true, false); /* no such code */
	return 0;
}

/* Every sequence of bits has exactly one meaning. */
static void check_complete(const unsigned char *bits, unsigned n)
{
	unsigned room = 0;

	for (unsigned s = 0; s < n; s++)
		room += bits[s] ? 1u << (15 - bits[s]) : 0;
	EQ(1u << 15, room);
}

static void read_lengths(struct inflate *r, unsigned char *bits, unsigned n)
{
	static const unsigned char order[19] = { 16, 17, 18, 0,  8, 7,  9,
						 6,  10, 5,  11, 4, 12, 3,
						 13, 2,  14, 1,  15 };
	unsigned char own[19] = { 0 };
	unsigned count = inflate_bits(r, 4) + 4;

	for (unsigned i = 0; i < count; i++)
		own[order[i]] = (unsigned char)inflate_bits(r, 3);
	check_complete(own, 19);
	for (unsigned i = 0; i < n;) {
		unsigned s = inflate_symbol(r, own, 19), repeat = 1, value = s;

		if (s == 16) {
			value = bits[i - 1];
			repeat = 3 + inflate_bits(r, 2);
		} else if (s > 16) {
			value = 0;
			repeat = s == 17 ? 3 + inflate_bits(r, 3) :
					   11 + inflate_bits(r, 7);
		}
		for (; repeat; repeat--) {
			EQ(true, i < n);
			bits[i++] = (unsigned char)value;
		}
	}
}

static void inflate_copy(struct inflate *r, unsigned s,
			 const unsigned char *distances, unsigned n)
{
	unsigned length, extra, distance, d;

	s -= 257;
	extra = s < 8 || s == 28 ? 0 : s / 4 - 1;
	length = s == 28 ? 258 :
		 s < 8   ? s + 3 :
			   ((4 + s % 4) << extra) + 3 + inflate_bits(r, extra);
	d = inflate_symbol(r, distances, n);
	extra = d < 4 ? 0 : d / 2 - 1;
	distance = d < 4 ? d + 1 :
			   ((2 + d % 2) << extra) + 1 + inflate_bits(r, extra);
	EQ(true, distance <= r->made && distance <= 32768);
	for (; length; length--, r->made++) {
		EQ(true, r->made < r->room);
		r->out[r->made] = r->out[r->made - distance];
	}
}

/* True: it was the last block. */
static bool inflate_block(struct inflate *r)
{
	unsigned char bits[320] = { 0 };
	bool last = inflate_bits(r, 1);
	unsigned literals, distances, s;

	EQ(2, inflate_bits(r, 2)); /* the only kind that is written */
	literals = inflate_bits(r, 5) + 257;
	distances = inflate_bits(r, 5) + 1;
	read_lengths(r, bits, literals + distances);
	check_complete(bits, literals);
	check_complete(bits + literals, distances);
	while ((s = inflate_symbol(r, bits, literals)) != 256) {
		EQ(true, s > 256 || r->made < r->room);
		if (s > 256)
			inflate_copy(r, s, bits + literals, distances);
		else
			r->out[r->made++] = (unsigned char)s;
	}
	return last;
}

static uint32_t plain_crc(const unsigned char *p, size_t n)
{
	uint32_t v = ~(uint32_t)0;

	for (size_t i = 0; i < n; i++)
		for (int b = 0; b < 8; b++) {
			bool odd = (v ^ (uint32_t)(p[i] >> b)) & 1;

			v = v >> 1 ^ (odd ? 0xedb88320 : 0);
		}
	return ~v;
}

static void inflate_check(const unsigned char *in, size_t size,
			  const unsigned char *want, size_t n)
{
	struct inflate r = { .in = in, .size = size, .bit = 80, .room = n };

	r.out = malloc(n + 1);
	EQ(0x1f, in[0]);
	EQ(0x8b, in[1]);
	EQ(8, in[2]);
	EQ(0, in[3]);
	while (!inflate_block(&r))
		;
	r.bit = (r.bit + 7) / 8 * 8;
	EQ(n, r.made);
	EQ(0, memcmp(r.out, want, n));
	EQ(plain_crc(want, n), inflate_bits(&r, 32));
	EQ((uint32_t)n, inflate_bits(&r, 32));
	EQ(size * 8, r.bit);
	free(r.out);
}

/* Writes in steps of different sizes and reads it back; returns the size. */
static size_t round_trip(const unsigned char *bytes, size_t n)
{
	char *out = NULL;
	size_t size = 0, step = 1;
	FILE *to = open_memstream(&out, &size);
	struct gzip *g;
	struct diag d;

	EQ(ERR_OK, gzip_begin(&g, to, &d));
	for (size_t at = 0; at < n; at += step, step = step * 3 % 10007) {
		step = step < n - at ? step : n - at;
		gzip_put(g, bytes + at, step);
	}
	gzip_end(g);
	fclose(to);
	inflate_check((unsigned char *)out, size, bytes, n);
	free(out);
	return size;
}

TEST(gzip, short_texts_come_back)
{
	static const char text[] = "abcabcabcabcabcdabcaaaaaaaaaaaaaaaaaaaaaaa";

	for (size_t n = 0; n < sizeof(text); n++)
		round_trip((const unsigned char *)text, n);
}

TEST(gzip, lines_that_repeat_take_a_tenth_and_come_back)
{
	enum { LINES = 12000, LINE = 64 };
	char *text = malloc(LINES * LINE);
	size_t n = 0;

	for (unsigned i = 0; i < LINES; i++)
		n += (size_t)sprintf(
			text + n, "{\"tid\":%u,\"ts\":%u,\"name\":\"%s\"},\n",
			i % 97, i * 3, i % 5 ? "memory" : "wait");
	EQ(true, round_trip((unsigned char *)text, n) < n / 8);
	free(text);
}

/* Random bytes, few values, long runs, and matches as far back as they can
 * be. */
TEST(gzip, any_bytes_come_back)
{
	enum { SIZE = 400000 };
	unsigned char *b = malloc(SIZE);
	uint32_t x = 1;

	for (unsigned kind = 0; kind < 4; kind++) {
		for (size_t i = 0; i < SIZE; i++) {
			x = x * 1664525 + 1013904223;
			b[i] = kind == 0 ? (unsigned char)(x >> 24) :
			       kind == 1 ? (unsigned char)(x >> 30) :
			       kind == 2 ? (unsigned char)(i >> 13) :
			       i < 32768 ? (unsigned char)(x >> 24) :
					   b[i - 32768];
		}
		EQ(true, round_trip(b, SIZE) < SIZE + SIZE / 100);
	}
	free(b);
}

/* The counts of the symbols are Fibonacci numbers: an unlimited Huffman code
 * would be longer than 15 bits. */
TEST(gzip, codes_are_not_too_long)
{
	enum { SYMBOLS = 26 };
	unsigned char *b = malloc(600000);
	uint32_t count[SYMBOLS] = { 1, 1 }, left[SYMBOLS];
	size_t n = 0;
	uint32_t x = 7;

	for (int i = 2; i < SYMBOLS; i++)
		count[i] = count[i - 1] + count[i - 2];
	memcpy(left, count, sizeof(left));
	/* In an order without repetitions, so that they stay literals. */
	while (n < 125000) {
		unsigned s;

		x = x * 1664525 + 1013904223;
		for (s = SYMBOLS - 1; s && (x >> 8) % (s + 2) == 0; s--)
			;
		if (left[s])
			left[s]--;
		b[n++] = (unsigned char)('a' + s);
	}
	round_trip(b, n);
	free(b);
}
