/*
 * Sums, differences and products of SSE: the result and the flags are those of
 * isa/x86/soft.h, and of the processor that this runs on, whether the host's
 * arithmetic has computed them or not.
 */
#include <string.h>

#include "cases.h"
#include "isa/x86/soft.h"
#include "test.h"

/* Opcodes of packed and scalar instructions. */
enum { ADD = 0x58, MUL = 0x59, SUB = 0x5c };

typedef struct x86_num soft_op(struct x86_env *e, const struct x86_fmt *f,
			       struct x86_num a, struct x86_num b);

static const struct {
	uint8_t opcode;
	soft_op *soft;
} operations[] = {
	{ ADD, x86_soft_add },
	{ SUB, x86_soft_sub },
	{ MUL, x86_soft_mul },
};

/* Few digits and many, near each other and far; the ends of what is normal, and what
 * is not. With the other sign, too. */
static const uint32_t operands32[] = {
	0x00000000,                         /* 0 */
	0x00000001, 0x00400000, 0x007fffff, /* denormal */
	0x00800000, 0x00800001, 0x00ffffff, /* the smallest */
	0x01000000, 0x20000000, 0x1f800001, /* squares that are tiny, or nearly */
	0x33800000, 0x34000000,             /* half a digit of 1, and one */
	0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, /* around 1 */
	0x3f800800, 0x3fc00000, 0x40400000, 0x41200000, /* 1 + 2^-12, ..., 10 */
	0x3eaaaaab, 0x3dcccccd,                         /* 1/3, 0.1 */
	0x4b7fffff, 0x4b800000, 0x4b800001,             /* around 2^24 */
	0x5f800000, 0x7e800000, 0x7f000000, 0x7f7fffff, /* the largest */
	0x7f800000, 0x7f812345, 0x7fc12345,             /* infinite, NaNs */
};

static const uint64_t operands64[] = {
	0x0000000000000000, 0x0000000000000001,
	0x0008000000000000, 0x000fffffffffffff,
	0x0010000000000000, 0x0010000000000001,
	0x001fffffffffffff, 0x0020000000000000,
	0x2000000000000000, 0x1ff0000000000001,
	0x23d0000000000000, 0x03b0000000000001, /* products around 2^-900 */
	0x3ca0000000000000, 0x3cb0000000000000,
	0x3fe0000000000000, 0x3fefffffffffffff,
	0x3ff0000000000000, 0x3ff0000000000001,
	0x3ff0000004000000, 0x3ff8000000000000,
	0x4008000000000000, 0x4024000000000000,
	0x3fd5555555555555, 0x3fb999999999999a,
	0x433fffffffffffff, 0x4340000000000000,
	0x4340000000000001, 0x5ff0000000000000,
	0x7fd0000000000000, 0x7fe0000000000000,
	0x7fefffffffffffff, 0x7ff0000000000000,
	0x7ff0123456789abc, 0x7ff8123456789abc,
};

enum {
	COUNT32 = sizeof(operands32) / sizeof(operands32[0]),
	COUNT64 = sizeof(operands64) / sizeof(operands64[0])
};

/* One of the operands, of either sign. */
static uint64_t operand(unsigned bits, unsigned n)
{
	return bits == 32 ? operands32[n / 2] | (uint32_t)(n % 2) << 31 :
			    operands64[n / 2] | (uint64_t)(n % 2) << 63;
}

static uint64_t soft(soft_op *op, unsigned bits, uint64_t a, uint64_t b,
		     uint32_t *mxcsr)
{
	struct x86_env e = { .round = *mxcsr >> X86_MXCSR_ROUND & 3,
			     .daz = *mxcsr & X86_MXCSR_DAZ,
			     .ftz = *mxcsr & X86_MXCSR_FTZ };
	struct x86_num r;

	if (bits == 32)
		r = op(&e, &x86_f32, x86_from32((uint32_t)a, &e),
		       x86_from32((uint32_t)b, &e));
	else
		r = op(&e, &x86_f64, x86_from64(a, &e), x86_from64(b, &e));
	*mxcsr |= e.flags;
	return bits == 32 ? x86_to32(r) : x86_to64(r);
}

/* Operation xmm0, xmm1, of scalars. */
static void check(unsigned n, unsigned bits, uint64_t a, uint64_t b,
		  uint32_t mxcsr)
{
	const uint8_t code[] = { bits == 32 ? 0xf3 : 0xf2, 0x0f,
				 operations[n].opcode, 0xc1 };
	struct case_state before = { .fx = { .mxcsr = mxcsr } }, got;
	uint64_t want = soft(operations[n].soft, bits, a, b, &mxcsr);
	uint64_t result = 0;

	memcpy(before.fx.xmm[0], &a, bits / 8);
	memcpy(before.fx.xmm[1], &b, bits / 8);
	got = before;
	case_run_heddle(&got, code, sizeof(code));
	memcpy(&result, got.fx.xmm[0], bits / 8);
	EQ(want, result);
	EQ(mxcsr, got.fx.mxcsr);
#ifdef __x86_64__
	got = before;
	case_run_native(&got, code, sizeof(code));
	memcpy(&result, got.fx.xmm[0], bits / 8);
	EQ(want, result);
	EQ(mxcsr, got.fx.mxcsr);
#endif
}

/* All pairs of operands. */
static void check_all(unsigned bits, uint32_t mxcsr)
{
	unsigned count = 2 * (bits == 32 ? COUNT32 : COUNT64);

	for (unsigned a = 0; a < count; a++)
		for (unsigned b = 0; b < count; b++)
			for (unsigned n = 0; n < 3; n++)
				check(n, bits, operand(bits, a),
				      operand(bits, b), mxcsr);
}

TEST(exact, nothing_is_inexact_but_what_is_in_floats)
{
	check_all(32, X86_MXCSR_DEFAULT);
}

TEST(exact, nothing_is_inexact_but_what_is_in_doubles)
{
	check_all(64, X86_MXCSR_DEFAULT);
}

TEST(exact, flags_stay_that_were_set)
{
	check_all(32, X86_MXCSR_DEFAULT | X86_FP_INEXACT | X86_FP_DENORMAL);
	check_all(64, X86_MXCSR_DEFAULT | X86_FP_INVALID);
}

/* A quarter of the pairs, in each mode. */
TEST(exact, other_modes_round_and_flush)
{
	static const uint32_t flush[] = { 0, X86_MXCSR_FTZ, X86_MXCSR_DAZ };

	for (uint32_t round = 0; round < 4; round++)
		for (unsigned k = 0; k < 3; k++)
			for (unsigned i = 0; i < COUNT64 * COUNT64; i++)
				check((i + round) % 3, 64,
				      operand(64, i % COUNT64 * 2 + (i & 1)),
				      operand(64, i / COUNT64 * 2 + (k & 1)),
				      X86_MXCSR_DEFAULT | flush[k] |
					      round << X86_MXCSR_ROUND);
}

/* Numbers of few digits, whose results are often exact. */
TEST(exact, numbers_of_few_digits)
{
	uint32_t x = 1;

	for (unsigned i = 0; i < 20000; i++) {
		uint64_t v[2];

		for (unsigned k = 0; k < 2; k++) {
			x = x * 1664525 + 1013904223;
			v[k] = (uint64_t)(x >> 31) << 63 |
			       (uint64_t)(1023 - 32 + (x >> 8 & 63)) << 52 |
			       ((uint64_t)x * 0x9e3779b97f4a7c15 >> 12 &
				UINT64_MAX << (12 + (x >> 14 & 31)) &
				0xfffffffffffff);
		}
		check(i % 3, 64, v[0], v[1], X86_MXCSR_DEFAULT);
	}
}
