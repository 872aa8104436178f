/*
 * The functions of the x87, with 49 bits more than its results have: rounded, they
 * are the nearest numbers but in one case of about 2^48.
 *
 * Arguments and results are m * 2^exp with m of the host's 113-bit floating point;
 * m of an argument is at least 1 and less than 2.
 */
#ifndef HEDDLE_ISA_X86_QUAD_H
#define HEDDLE_ISA_X86_QUAD_H

#include "isa/x86/soft.h"

#ifdef __SIZEOF_FLOAT128__
typedef __float128 x86_quad;
#else
typedef long double x86_quad; /* has 113 bits where it has no other name */
#endif

struct x86_wide {
	x86_quad m; /* may have any magnitude, and be zero */
	int exp;
};

/* Sine and cosine of a magnitude below 2^63, with a pi of 66 bits: that of the
 * processors. */
struct x86_sincos {
	struct x86_wide sin, cos;
};
struct x86_sincos x86_quad_sincos(struct x86_num a);
struct x86_wide x86_quad_tan(struct x86_num a);
/* The angle of the point (x, y), without y's sign: from 0 to pi. */
struct x86_wide x86_quad_atan(struct x86_num y, struct x86_num x);
/* 2^a - 1, for magnitudes up to 1. */
struct x86_wide x86_quad_exp(struct x86_num a);
/* The logarithm of a to the base 2; that of 1 + a. */
struct x86_wide x86_quad_log(struct x86_num a);
struct x86_wide x86_quad_log1p(struct x86_num a);

/* m of a finite number, with its sign. */
x86_quad x86_quad_of(struct x86_num a);
/* Rounds w. What is exactly a number may be a little smaller or larger in
 * magnitude, which matters where it is not rounded to the nearest. It counts as
 * inexact in any case. */
enum x86_sink { X86_EXACTLY, X86_SMALLER, X86_LARGER };
struct x86_num x86_quad_round(struct x86_env *e, struct x86_wide w,
			      enum x86_sink sink);

#endif
