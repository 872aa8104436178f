/*
 * Conversions between float and the two 16-bit formats, on the host in plain C
 * and on the device as PTX. What __half and __nv_bfloat16 have in common is in
 * f16_ops.h, which each of their headers includes with its own names.
 */
#ifndef HEDDLE_CUDA_F16_H
#define HEDDLE_CUDA_F16_H
#pragma GCC system_header

#include "../vector_types.h"
#include "intrinsics.h"

/* binary16, round to nearest even */
HEDDLE_HD unsigned short heddle_float_to_half(float f)
{
#ifdef __CUDA_ARCH__
	unsigned short h;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
	return h;
#else
	unsigned u = __float_as_uint(f), s = u >> 16 & 0x8000u;
	u &= 0x7fffffffu;
	if (u > 0x7f800000u)
		return 0x7fff;
	if (u >= 0x477ff000u) /* rounds to 2^16 or more */
		return (unsigned short)(s | 0x7c00u);
	if (u < 0x33000001u) /* at most half the smallest subnormal */
		return (unsigned short)s;
	int e = (int)(u >> 23) - 127;
	unsigned m = (u & 0x7fffffu) | 0x800000u;
	int drop = e < -14 ? -1 - e : 13;
	unsigned h = m >> drop, rest = m & ((1u << drop) - 1);
	unsigned half = 1u << (drop - 1);
	h += rest > half || (rest == half && (h & 1));
	/* the hidden bit of a normal adds one to the exponent field */
	return (unsigned short)(s | (e < -14 ? h : h + ((unsigned)(e + 14) << 10)));
#endif
}

HEDDLE_HD float heddle_half_to_float(unsigned short h)
{
#ifdef __CUDA_ARCH__
	float f;
	asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
	return f;
#else
	unsigned s = (unsigned)(h & 0x8000) << 16, m = h & 0x3ffu;
	unsigned e = h >> 10 & 31;
	if (e == 31)
		return __uint_as_float(s | 0x7f800000u | m << 13);
	if (e)
		return __uint_as_float(s | (e + 112) << 23 | m << 13);
	float v = (float)m * 0x1p-24f;
	return s ? -v : v;
#endif
}

/* bfloat16: the upper half of a float */
HEDDLE_HD unsigned short heddle_float_to_bf16(float f)
{
#ifdef __CUDA_ARCH__
	unsigned short h;
	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(f));
	return h;
#else
	unsigned u = __float_as_uint(f);
	if ((u & 0x7fffffffu) > 0x7f800000u)
		return 0x7fff;
	return (unsigned short)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
#endif
}

HEDDLE_HD float heddle_bf16_to_float(unsigned short h)
{
	return __uint_as_float((unsigned)h << 16);
}

/* PTX on 16-bit and packed registers: "h" and "r" constraints. */
#define HEDDLE_F16_OP1(name, R, reg, op)                                      \
	HEDDLE_D R name(R a)                                                  \
	{                                                                     \
		R d;                                                          \
		asm(op " %0, %1;" : "=" reg(d) : reg(a));                     \
		return d;                                                     \
	}
#define HEDDLE_F16_OP2(name, R, reg, op)                                      \
	HEDDLE_D R name(R a, R b)                                             \
	{                                                                     \
		R d;                                                          \
		asm(op " %0, %1, %2;" : "=" reg(d) : reg(a), reg(b));         \
		return d;                                                     \
	}
#define HEDDLE_F16_OP3(name, R, reg, op)                                      \
	HEDDLE_D R name(R a, R b, R c)                                        \
	{                                                                     \
		R d;                                                          \
		asm(op " %0, %1, %2, %3;"                                     \
		    : "=" reg(d) : reg(a), reg(b), reg(c));                   \
		return d;                                                     \
	}

#endif
