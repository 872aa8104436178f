/*
 * Binary floating point with all rounding modes and exceptions, for the formats
 * of SSE and x87. Numbers that need no second look are computed by the host
 * (exec_float.c); this is for the others, and for all of the x87.
 *
 * All exceptions are reported as flags; nothing traps here.
 */
#ifndef HEDDLE_ISA_X86_SOFT_H
#define HEDDLE_ISA_X86_SOFT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/x86/cpu.h"

/* Exceptions, at the bits that MXCSR and the x87's status have. */
enum {
	X86_FP_INVALID = 1,
	X86_FP_DENORMAL = 2,
	X86_FP_ZERO = 4, /* divided by zero */
	X86_FP_OVERFLOW = 8,
	X86_FP_UNDERFLOW = 16,
	X86_FP_INEXACT = 32
};

/* MXCSR, and what the kernel gives to a program. */
enum {
	X86_MXCSR_FLAGS = 0x3f,
	X86_MXCSR_DAZ = 1 << 6,
	X86_MXCSR_MASKS = 0x3f << 7,
	X86_MXCSR_ROUND = 13, /* the first bit of two */
	X86_MXCSR_FTZ = 1 << 15,
	X86_MXCSR_DEFAULT = 0x1f80,
	X86_FPU_CONTROL = 0x37f
};

enum x86_round { X86_NEAREST, X86_DOWN, X86_UP, X86_CHOP };

struct x86_fmt {
	int bits; /* of the significand, its one included */
	int emin, emax;
};
extern const struct x86_fmt x86_f32, x86_f64, x86_fmt80;

/* What an operation depends on, and the flags that it adds to. */
struct x86_env {
	enum x86_round round;
	bool ftz, daz;
	bool x87; /* of two NaNs, the larger one is the result */
	unsigned flags;
};

enum x86_class { X86_IS_ZERO, X86_IS_FINITE, X86_IS_INF, X86_IS_NAN };

/* (-1)^sign * sig / 2^63 * 2^exp; bit 63 of sig is set. Of a NaN sig is what it
 * carries, with bit 62 if it is quiet. */
struct x86_num {
	enum x86_class is;
	bool sign, denormal;
	int exp;
	uint64_t sig;
};

struct x86_num x86_from32(uint32_t bits, const struct x86_env *e);
struct x86_num x86_from64(uint64_t bits, const struct x86_env *e);
/* Encodings that no operation makes are NaNs that signal. */
struct x86_num x86_from80(struct x86_f80 v);
struct x86_num x86_from_int(int64_t v);
/* Exact: the number is one of the format. */
uint32_t x86_to32(struct x86_num n);
uint64_t x86_to64(struct x86_num n);
struct x86_f80 x86_to80(struct x86_num n);

struct x86_num x86_soft_add(struct x86_env *e, const struct x86_fmt *f,
			    struct x86_num a, struct x86_num b);
struct x86_num x86_soft_sub(struct x86_env *e, const struct x86_fmt *f,
			    struct x86_num a, struct x86_num b);
struct x86_num x86_soft_mul(struct x86_env *e, const struct x86_fmt *f,
			    struct x86_num a, struct x86_num b);
struct x86_num x86_soft_div(struct x86_env *e, const struct x86_fmt *f,
			    struct x86_num a, struct x86_num b);
struct x86_num x86_soft_sqrt(struct x86_env *e, const struct x86_fmt *f,
			     struct x86_num a);
/* Rounds to the format; a NaN becomes quiet. */
struct x86_num x86_soft_to(struct x86_env *e, const struct x86_fmt *f,
			   struct x86_num a);
/* Rounds to an integer, in floating point. */
struct x86_num x86_soft_rint(struct x86_env *e, struct x86_num a);
/* Rounds sig / 2^127 * 2^exp, where bit 127 of sig is set and `rest` says whether
 * something follows it. */
struct x86_num x86_soft_wide(struct x86_env *e, const struct x86_fmt *f,
			     bool sign, int exp, unsigned __int128 sig,
			     bool rest);
/* To a signed integer of `bits`; what does not fit is the most negative one. */
int64_t x86_soft_int(struct x86_env *e, struct x86_num a, unsigned bits);

enum x86_order { X86_LESS, X86_EQUAL, X86_GREATER, X86_UNORDERED };
/* signals: quiet NaNs are invalid, too. */
enum x86_order x86_soft_compare(struct x86_env *e, struct x86_num a,
				struct x86_num b, bool signals);

#endif
