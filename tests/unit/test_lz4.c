#include <stdlib.h>
#include <string.h>

#include "door/rt/lz4.h"
#include "test.h"

/* `block` gives `want`, in a buffer that ends where it should. */
static void gives(const char *want, const void *block, size_t size)
{
	size_t n = strlen(want);
	uint8_t *out = malloc(n + 1);
	struct diag d;

	out[n] = '#';
	EQ(ERR_OK, lz4_decode(out, n, block, size, &d));
	EQ(0, memcmp(out, want, n));
	EQ('#', out[n]);
	free(out);
}

static void fails(size_t want_size, const void *block, size_t size)
{
	/* Where a read or a write too far is seen. */
	uint8_t *in = malloc(size ? size : 1), *out = malloc(want_size + 1);
	struct diag d = { 0 };

	memcpy(in, block, size);
	out[want_size] = '#';
	EQ(ERR_SYNTAX, lz4_decode(out, want_size, in, size, &d));
	EQ(ERR_SYNTAX, d.code);
	OK(strstr(d.text, "LZ4"));
	EQ('#', out[want_size]);
	free(in);
	free(out);
}

#define GIVES(want, block) gives(want, block, sizeof(block) - 1)
#define FAILS(size, block) fails(size, block, sizeof(block) - 1)

TEST(lz4, a_block_of_literals)
{
	GIVES("", "\x00");
	GIVES("hello", "\x50hello");
	GIVES("fifteen letters", "\xf0\x00"
				 "fifteen letters");
	GIVES("sixteen letters!", "\xf0\x01"
				  "sixteen letters!");
}

TEST(lz4, a_match_repeats_what_was_written)
{
	GIVES("abcdabcdx", "\x40"
			   "abcd\x04\x00"
			   "\x10x");
	/* One that reaches into itself. */
	GIVES("aaaaaaaaaaab", "\x16"
			      "a\x01\x00"
			      "\x10"
			      "b");
	GIVES("abababab", "\x22"
			  "ab\x02\x00"
			  "\x00");
	/* 15 + 4 + 3 bytes. */
	GIVES("xxxxxxxxxxxxxxxxxxxxxxx", "\x1f"
					 "x\x01\x00\x03"
					 "\x00");
}

TEST(lz4, a_match_of_255_and_more_has_more_bytes)
{
	static const char block[] = "\x1f"
				    "z\x01\x00\xff\x00"
				    "\x00";
	char want[1 + 15 + 255 + 4 + 1];

	memset(want, 'z', sizeof(want) - 1);
	want[sizeof(want) - 1] = 0;
	GIVES(want, block);
}

TEST(lz4, what_is_not_there_cannot_be_repeated)
{
	FAILS(8, "\x20"
		 "ab\x00\x00"
		 "\x00");
	FAILS(8, "\x20"
		 "ab\x03\x00"
		 "\x00");
	FAILS(4, "\x00\x01\x00");
	FAILS(8, "\x20"
		 "ab\xff\xff"
		 "\x00");
}

TEST(lz4, a_block_that_ends_too_early)
{
	static const char block[] = "\xff\x01"
				    "sixteen letters!\x10\x00\x02"
				    "\x40last";

	gives("sixteen letters!sixteen letters!sixtelast", block,
	      sizeof(block) - 1);
	for (size_t n = 0; n < sizeof(block) - 1; n++)
		fails(16 + 21 + 4, block, n);
	FAILS(300, "\xf0\xff");
	FAILS(300, "\x1f"
		   "z\x01\x00\xff");
}

TEST(lz4, a_block_that_yields_more_or_less_than_it_should)
{
	FAILS(4, "\x50hello");
	FAILS(6, "\x50hello");
	FAILS(0, "\x50hello");
	FAILS(7, "\x40"
		 "abcd\x04\x00"
		 "\x00");
	FAILS(9, "\x40"
		 "abcd\x04\x00"
		 "\x00");
}

/* Writes what a length in half a token leaves over. */
static uint8_t *put_more(uint8_t *p, size_t n)
{
	if (n < 15)
		return p;
	for (n -= 15; n >= 255; n -= 255)
		*p++ = 255;
	*p++ = n;
	return p;
}

static unsigned half(size_t n)
{
	return n < 15 ? n : 15;
}

static uint32_t draw(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Random sequences, and what they mean, byte by byte. */
static void random_block(uint32_t seed)
{
	static uint8_t want[1 << 16], got[1 << 16], block[1 << 16];
	uint8_t *p = block;
	struct diag d;
	size_t n = 0;

	for (int i = 0; i < 40; i++) {
		size_t lit = 1 + draw(&seed) % (draw(&seed) % 8 ? 14 : 600);
		size_t len = draw(&seed) % (draw(&seed) % 8 ? 14 : 600), back;
		uint8_t *token = p++;

		*token = half(lit) << 4 | half(len);
		p = put_more(p, lit);
		for (size_t k = 0; k < lit; k++)
			want[n++] = *p++ = draw(&seed);
		back = 1 + draw(&seed) % n;
		*p++ = back;
		*p++ = back >> 8;
		p = put_more(p, len);
		for (size_t k = 0; k < len + 4; k++, n++)
			want[n] = want[n - back];
	}
	*p++ = 0;
	EQ(ERR_OK, lz4_decode(got, n, block, p - block, &d));
	EQ(0, memcmp(got, want, n));
	EQ(ERR_SYNTAX, lz4_decode(got, n - 1, block, p - block, &d));
	EQ(ERR_SYNTAX, lz4_decode(got, n + 1, block, p - block, &d));
}

TEST(lz4, random_blocks)
{
	for (uint32_t seed = 0; seed < 500; seed++)
		random_block(seed);
}
