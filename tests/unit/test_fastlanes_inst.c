/*
 * The words of FastLanes: each instruction has exactly one, every other word is
 * refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/fastlanes/inst.h"
#include "test.h"

static uint64_t random_state = 88172645463325252u;

static uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

TEST(fastlanes_inst, codes_are_unique)
{
	bool seen[FL_CODES] = { false };

	for (int i = 0; i < FL_OP_COUNT; i++) {
		OK(fl_ops[i].code < FL_CODES);
		OK(!seen[fl_ops[i].code]);
		seen[fl_ops[i].code] = true;
	}
}

TEST(fastlanes_inst, a_word_that_is_decoded_is_encoded_to_itself)
{
	unsigned known[FL_OP_COUNT] = { 0 };

	for (int i = 0; i < 2000000; i++) {
		uint64_t w = random_word();
		struct fl_inst in;

		/* Random words are rarely instructions: fields are cleared. */
		for (unsigned bits = (unsigned)random_word() & 63; bits;
		     bits &= bits - 1) {
			static const uint64_t field[] = {
				0xf800,     0x1f0000,   0x3e00000,
				0x7c000000, 0x80000000, 0xffffffe000000000
			};
			w &= ~field[__builtin_ctz(bits)];
		}
		/* The bits of one number are not independent enough. */
		w = (w & ~UINT64_C(127)) |
		    fl_ops[(random_word() >> 20) % FL_OP_COUNT].code;
		if (fl_decode(&in, w))
			continue;
		known[in.op]++;
		EQ(w, fl_encode(&in));
	}
	for (int i = 0; i < FL_OP_COUNT; i++)
		OK(known[i] > 10);
}

/* A code that is in no row. */
TEST(fastlanes_inst, other_codes_are_refused)
{
	struct fl_inst in;

	STREQ("no such code", fl_decode(&in, 0x380 | 0x7f));
}

static const char *text_of(uint64_t word)
{
	static char text[128];
	struct fl_inst in;
	const char *why = fl_decode(&in, word);

	if (why)
		return why;
	fl_print(text, sizeof(text), &in);
	return text;
}

/* Words that are put together by hand from the table of bits. */
TEST(fastlanes_inst, words_have_the_bits_of_the_page)
{
	/* iadd, pt, d 3, a 4, constant 5 */
	STREQ("iadd r3, r4, 0x5", text_of(0x08 | 7 << 7 | 3 << 11 | 4 << 16 |
					  1u << 31 | UINT64_C(5) << 32));
	/* .ci.co, carry p2, register 6 */
	STREQ("iadd.ci.co r3, r4, r6, p2",
	      text_of(0x08 | 7 << 7 | 3 << 11 | 4 << 16 | 2 << 21 | 3 << 26 |
		      UINT64_C(6) << 32));
	/* @!p1 bra 7, reconvergence 9 */
	STREQ("@!p1 bra 7, 9", text_of(0x50 | 9 << 7 | 1u << 31 |
				       UINT64_C(7) << 32 | UINT64_C(9) << 48));
	STREQ("bra 7, end", text_of(0x50 | 7 << 7 | 1u << 31 |
				    UINT64_C(7) << 32 | UINT64_C(65535) << 48));
	/* fsetp .geu .ftz to p6 */
	STREQ("fsetp.geu.ftz p6, r1, r2",
	      text_of(0x21 | 7 << 7 | 6 << 11 | 1 << 16 | 27 << 26 |
		      UINT64_C(2) << 32));
	/* shfl .bfly to r1 and p3 */
	STREQ("shfl.bfly r1, p3, r2, 0x10, r4",
	      text_of(0x48 | 7 << 7 | 1 << 11 | 2 << 16 | 4 << 21 |
		      (2 | 3 << 2) << 26 | 1u << 31 | UINT64_C(16) << 32));
	/* sts .u16 at r2 - 4, of r5 */
	STREQ("sts.u16 [r2-4], r5",
	      text_of(0x43 | 7 << 7 | 2 << 16 | 5 << 21 | 3 << 26 | 1u << 31 |
		      UINT64_C(0xfffffffc) << 32));
}

TEST(fastlanes_inst, bits_without_a_meaning_are_refused)
{
	uint64_t add = 0x08 | 7 << 7 | 3 << 11 | 4 << 16;

	STREQ("iadd r3, r4, r0", text_of(add));
	STREQ("a carry that the instruction does not have",
	      text_of(add | 1 << 21));
	STREQ("bits beside a register", text_of(add | UINT64_C(1) << 40));
	STREQ("a modifier that the instruction does not have",
	      text_of(add | 4 << 26));
	STREQ("a modifier has no such value", text_of(0x20 | 7 << 7 | 6 << 26));
	STREQ("bits in a field that the instruction does not have",
	      text_of(0x51 | 7 << 7 | 1 << 11));
	STREQ("bits in a field that the instruction does not have",
	      text_of(0x20 | 7 << 7 | 8 << 11));
	STREQ("the constant is missing", text_of(0x03 | 7 << 7));
	STREQ("no such special register",
	      text_of(0x03 | 7 << 7 | 1u << 31 |
		      (uint64_t)FL_SREG_COUNT << 32));
	STREQ("a signed store", text_of(0x41 | 7 << 7 | 2 << 26 | 1u << 31));
	STREQ("a register beside an absolute address",
	      text_of(0x40 | 7 << 7 | 1 << 16 | 16 << 26 | 1u << 31));
	STREQ("a constant that the instruction does not have",
	      text_of(0x51 | 7 << 7 | 1u << 31));
}
