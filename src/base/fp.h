/*
 * Floating point in every format and rounding mode of a GPU, computed exactly
 * in integers.
 *
 * A value is its bits in the low end of a uint64_t. Operations are pure: they
 * read no rounding mode, raise no flag and give the same bits on every host.
 * Overflow, underflow and subnormals follow IEEE 754; a NaN result is the one
 * that NVIDIA hardware makes (nan in the table below; fp_nan64 for FP_F64).
 *
 * Does not model: exception flags, signalling, flush-to-zero (simt/lane.h).
 */
#ifndef HEDDLE_BASE_FP_H
#define HEDDLE_BASE_FP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum rnd {
	RND_RN,  /* nearest, ties to even */
	RND_RZ,  /* toward zero */
	RND_RM,  /* toward -infinity */
	RND_RP,  /* toward +infinity */
	RND_RNA, /* nearest, ties away from zero */
	RND_RO   /* to odd: the last bit remembers that something was lost */
};

/*
 * max is the largest finite magnitude; bits above it are infinity or NaN.
 * skip counts unused low bits: tf32 sits in the upper part of an f32. ue8m0
 * has neither sign nor zero: it is a power of two, sign and zero are dropped.
 */
/* clang-format off */
/*  id       exp man bias emin skip sign inf   nan         max */
#define FP_FMT_MAP(X)                                                         \
	X(F16,   5, 10, 15,  -14,  0,  1, 0x7c00,     0x7fff,     0x7bff)     \
	X(BF16,  8, 7,  127, -126, 0,  1, 0x7f80,     0x7fff,     0x7f7f)     \
	X(TF32,  8, 10, 127, -126, 13, 1, 0x7f800000, 0x7fffe000, 0x7f7fe000) \
	X(F32,   8, 23, 127, -126, 0,  1, 0x7f800000, 0x7fffffff, 0x7f7fffff) \
	X(F64,   11, 52, 1023, -1022, 0, 1, 0x7ff0000000000000,               \
	  0xfff8000000000000, 0x7fefffffffffffff)                             \
	X(E4M3,  4, 3,  7,   -6,   0,  1, 0,          0x7f,       0x7e)       \
	X(E5M2,  5, 2,  15,  -14,  0,  1, 0x7c,       0x7f,       0x7b)       \
	X(E2M3,  2, 3,  1,   0,    0,  1, 0,          0,          0x1f)       \
	X(E3M2,  3, 2,  3,   -2,   0,  1, 0,          0,          0x1f)       \
	X(E2M1,  2, 1,  1,   0,    0,  1, 0,          0,          0x7)        \
	X(UE8M0, 8, 0,  127, -127, 0,  0, 0,          0xff,       0xfe)

enum fp_fmt {
#define X(id, ...) FP_##id,
	FP_FMT_MAP(X)
#undef X
	FP_FMT_COUNT
};
/* clang-format on */

struct fp_desc {
	int exp_bits, man_bits, bias;
	int emin; /* exponent of the smallest normal number */
	int skip;
	bool has_sign;
	uint64_t inf; /* 0: the format has none */
	uint64_t nan; /* 0: the format has none */
	uint64_t max;
};

extern const struct fp_desc fp_desc[FP_FMT_COUNT];

uint64_t fp_add(enum fp_fmt f, uint64_t a, uint64_t b, enum rnd r);
uint64_t fp_mul(enum fp_fmt f, uint64_t a, uint64_t b, enum rnd r);
uint64_t fp_fma(enum fp_fmt f, uint64_t a, uint64_t b, uint64_t c, enum rnd r);
uint64_t fp_div(enum fp_fmt f, uint64_t a, uint64_t b, enum rnd r);
uint64_t fp_sqrt(enum fp_fmt f, uint64_t a, enum rnd r);
/* Rounds to an integral value, kept in the format. */
uint64_t fp_round_int(enum fp_fmt f, uint64_t a, enum rnd r);

/*
 * satfinite: a value beyond the largest finite one becomes that one, and so
 * does a NaN where the format has none (PTX ISA 9.7.9.21, cvt).
 */
uint64_t fp_cvt(enum fp_fmt to, enum fp_fmt from, uint64_t bits, enum rnd r,
		bool satfinite);
/* v is a two's complement number if is_signed. */
uint64_t fp_from_int(enum fp_fmt f, uint64_t v, bool is_signed, enum rnd r);
/* Saturates to width (1..64) bits; a signed result is extended to 64 bits. */
uint64_t fp_to_int(enum fp_fmt f, uint64_t bits, unsigned width, bool is_signed,
		   enum rnd r);

bool fp_is_nan(enum fp_fmt f, uint64_t bits);
bool fp_is_neg(enum fp_fmt f, uint64_t bits);

static inline float f32_of(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

static inline uint32_t f32_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof(u));
	return u;
}

static inline double f64_of(uint64_t u)
{
	double d;

	memcpy(&d, &u, sizeof(d));
	return d;
}

static inline uint64_t f64_bits(double d)
{
	uint64_t u;

	memcpy(&u, &d, sizeof(u));
	return u;
}

static inline bool f64_bits_nan(uint64_t u)
{
	return (u << 1) > 0xffe0000000000000;
}

/*
 * The one place that says which NaN a double-precision operation returns: the
 * last NaN operand made quiet, or the default NaN of an invalid operation.
 * PTX ISA 9.7.3 promises that a payload is kept, not which operand's. An
 * operation with fewer operands passes zero for the rest.
 */
static inline uint64_t fp_nan64(uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t quiet = 0x0008000000000000;
	uint64_t r = 0xfff8000000000000;

	r = f64_bits_nan(a) ? a | quiet : r;
	r = f64_bits_nan(b) ? b | quiet : r;
	r = f64_bits_nan(c) ? c | quiet : r;
	return r;
}

/* Widening a NaN keeps its sign and payload, made quiet. */
static inline uint64_t fp_nan64_of_f32(uint32_t u)
{
	return (uint64_t)(u & 0x80000000) << 32 | 0x7ff8000000000000 |
	       (uint64_t)(u & 0x007fffff) << 29;
}

/* Narrowing a NaN truncates its payload. */
static inline uint32_t fp_nan32_of_f64(uint64_t u)
{
	return (uint32_t)(u >> 32 & 0x80000000) | 0x7fc00000 |
	       (uint32_t)(u >> 29 & 0x003fffff);
}

/*
 * The conversions below are fp_cvt for the pairs that kernels use most. They
 * have no branches, so that loops over lanes vectorise.
 */
static inline float f16_to_f32(uint16_t h)
{
	uint32_t em = h & 0x7fffu;
	uint32_t sub = f32_bits((float)(int32_t)em * 0x1p-24f);
	uint32_t r = (em << 13) + (112u << 23);

	r = em < 0x0400 ? sub : r;
	r = em == 0x7c00 ? 0x7f800000 : r;
	r |= (uint32_t)(h & 0x8000u) << 16;
	r = em > 0x7c00 ? 0x7fffffff : r;
	return f32_of(r);
}

static inline uint16_t f32_to_f16(float f)
{
	uint32_t u = f32_bits(f), a = u & 0x7fffffff;
	uint32_t r = (a - (112u << 23) + 0xfff + ((a >> 13) & 1)) >> 13;
	/* The last bit of 0.5 is the last bit of a subnormal f16. */
	uint32_t sub = f32_bits(f32_of(a) + 0.5f) - 0x3f000000;

	r = a < 0x38800000 ? sub : r;
	r = a >= 0x477ff000 ? 0x7c00 : r;
	r |= (u >> 16) & 0x8000;
	r = a > 0x7f800000 ? 0x7fff : r;
	return (uint16_t)r;
}

/* A NaN keeps its bits: hardware shifts (PTX leaves it unspecified). */
static inline float bf16_to_f32(uint16_t h)
{
	return f32_of((uint32_t)h << 16);
}

static inline uint16_t f32_to_bf16(float f)
{
	uint32_t u = f32_bits(f);
	uint32_t r = (u + 0x7fff + ((u >> 16) & 1)) >> 16;

	r = (u & 0x7fffffff) > 0x7f800000 ? 0x7fff : r;
	return (uint16_t)r;
}

#endif
