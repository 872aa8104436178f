/*
 * __nv_bfloat16 and __nv_bfloat162: the upper half of a float, as the CUDA math
 * API describes them ("Bfloat16 Precision Intrinsics").
 */
#ifndef HEDDLE_CUDA_BF16_H
#define HEDDLE_CUDA_BF16_H
#pragma GCC system_header

#include "heddle/language.h"

#include "heddle_cuda.h"

#include "heddle/f16.h"

struct __nv_bfloat16_raw {
	unsigned short x;
};

struct __nv_bfloat162_raw {
	unsigned short x, y;
};

struct __nv_bfloat16 {
	unsigned short __x;

	__nv_bfloat16() = default;
	HEDDLE_HDT __nv_bfloat16(float f) : __x(heddle_float_to_bf16(f)) {}
	HEDDLE_HDT __nv_bfloat16(double d) : __x(heddle_float_to_bf16((float)d)) {}
	HEDDLE_HDT __nv_bfloat16(__nv_bfloat16_raw r) : __x(r.x) {}
#define FROM(I) HEDDLE_HDT __nv_bfloat16(I i) : __x(heddle_float_to_bf16((float)i)) {}
	FROM(short)
	FROM(unsigned short)
	FROM(int)
	FROM(unsigned)
	FROM(long)
	FROM(unsigned long)
	FROM(long long)
	FROM(unsigned long long)
#undef FROM
	HEDDLE_HDT operator float() const { return heddle_bf16_to_float(__x); }
	HEDDLE_HDT operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
#define TO(I) explicit HEDDLE_HDT operator I() const { return (I)heddle_bf16_to_float(__x); }
	TO(bool)
	TO(char)
	TO(signed char)
	TO(unsigned char)
	TO(short)
	TO(unsigned short)
	TO(int)
	TO(unsigned)
	TO(long)
	TO(unsigned long)
	TO(long long)
	TO(unsigned long long)
#undef TO

	static HEDDLE_HDT __nv_bfloat16 bits(unsigned short b)
	{
		__nv_bfloat16 h;
		h.__x = b;
		return h;
	}
};

struct __attribute__((aligned(4))) __nv_bfloat162 {
	__nv_bfloat16 x, y;

	__nv_bfloat162() = default;
	HEDDLE_HDT __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}

	static HEDDLE_HDT __nv_bfloat162 bits(unsigned w)
	{
		__nv_bfloat162 h;
		__builtin_memcpy(&h, &w, 4);
		return h;
	}
	HEDDLE_HDT unsigned word() const
	{
		unsigned w;
		__builtin_memcpy(&w, this, 4);
		return w;
	}
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* ---- primitives in PTX ---- */

HEDDLE_F16_OP3(heddle_b_fma, unsigned short, "h", "fma.rn.bf16")
HEDDLE_F16_OP3(heddle_b_fma2, unsigned, "r", "fma.rn.bf16x2")
/* sm_80 has no addition and multiplication of bfloat16: they are fma with 1,
 * -1 and -0. */
HEDDLE_D unsigned short heddle_b_add(unsigned short a, unsigned short b)
{
	return heddle_b_fma(a, 0x3f80, b);
}
HEDDLE_D unsigned short heddle_b_sub(unsigned short a, unsigned short b)
{
	return heddle_b_fma(b, 0xbf80, a);
}
HEDDLE_D unsigned short heddle_b_mul(unsigned short a, unsigned short b)
{
	return heddle_b_fma(a, b, 0x8000);
}
HEDDLE_D unsigned heddle_b_add2(unsigned a, unsigned b)
{
	return heddle_b_fma2(a, 0x3f803f80u, b);
}
HEDDLE_D unsigned heddle_b_sub2(unsigned a, unsigned b)
{
	return heddle_b_fma2(b, 0xbf80bf80u, a);
}
HEDDLE_D unsigned heddle_b_mul2(unsigned a, unsigned b)
{
	return heddle_b_fma2(a, b, 0x80008000u);
}
HEDDLE_F16_OP3(heddle_b_fma_relu, unsigned short, "h",
	       "fma.rn.relu.bf16")
HEDDLE_F16_OP2(heddle_b_min, unsigned short, "h", "min.bf16")
HEDDLE_F16_OP2(heddle_b_min_nan, unsigned short, "h", "min.NaN.bf16")
HEDDLE_F16_OP2(heddle_b_max, unsigned short, "h", "max.bf16")
HEDDLE_F16_OP2(heddle_b_max_nan, unsigned short, "h", "max.NaN.bf16")
HEDDLE_F16_OP3(heddle_b_fma_relu2, unsigned, "r",
	       "fma.rn.relu.bf16x2")
HEDDLE_F16_OP2(heddle_b_min2, unsigned, "r", "min.bf16x2")
HEDDLE_F16_OP2(heddle_b_min_nan2, unsigned, "r", "min.NaN.bf16x2")
HEDDLE_F16_OP2(heddle_b_max2, unsigned, "r", "max.bf16x2")
HEDDLE_F16_OP2(heddle_b_max_nan2, unsigned, "r", "max.NaN.bf16x2")

#define T __nv_bfloat16
#define T2 __nv_bfloat162
#define I(name) heddle_b_##name
#define TO_F heddle_bf16_to_float
#define FROM_F heddle_float_to_bf16
#include "heddle/f16_ops.h"
#undef T
#undef T2
#undef I
#undef TO_F
#undef FROM_F

/* ---- conversions ---- */

HEDDLE_HD __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
HEDDLE_HD __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
HEDDLE_HD __nv_bfloat16 __double2bfloat16(double d) { return __nv_bfloat16(d); }
HEDDLE_HD float __bfloat162float(__nv_bfloat16 h) { return (float)h; }
/* Directed roundings on the bits: toward zero truncates; away adds one to the
 * magnitude when something was cut off a finite value. */
HEDDLE_HD __nv_bfloat16 __float2bfloat16_rz(float f)
{
	unsigned u = __float_as_uint(f);
	return __nv_bfloat16::bits(f != f ? 0x7fff : (unsigned short)(u >> 16));
}
HEDDLE_HD __nv_bfloat16 heddle_b_away(float f, bool away)
{
	unsigned u = __float_as_uint(f);
	bool up = away && (u & 0xffff) && f - f == 0.0f;
	return f != f ? __nv_bfloat16::bits(0x7fff)
		      : __nv_bfloat16::bits((unsigned short)((u >> 16) + up));
}
HEDDLE_HD __nv_bfloat16 __float2bfloat16_ru(float f)
{
	return heddle_b_away(f, f > 0.0f);
}
HEDDLE_HD __nv_bfloat16 __float2bfloat16_rd(float f)
{
	return heddle_b_away(f, f < 0.0f);
}
HEDDLE_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
HEDDLE_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
HEDDLE_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
HEDDLE_HD __nv_bfloat162 __float2bfloat162_rn(float f) { return __nv_bfloat162(__nv_bfloat16(f), __nv_bfloat16(f)); }
HEDDLE_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
	return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
HEDDLE_HD __nv_bfloat162 __float22bfloat162_rn(float2 f)
{
	return __nv_bfloat162(__nv_bfloat16(f.x), __nv_bfloat16(f.y));
}
HEDDLE_HD float2 __bfloat1622float2(__nv_bfloat162 h) { return float2{(float)h.x, (float)h.y}; }
HEDDLE_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 h) { return h.x; }
HEDDLE_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 h) { return h.y; }
HEDDLE_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.x, h.x); }
HEDDLE_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.y); }
HEDDLE_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
HEDDLE_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
HEDDLE_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.x); }
HEDDLE_HD short __bfloat16_as_short(__nv_bfloat16 h) { return (short)h.__x; }
HEDDLE_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
HEDDLE_HD __nv_bfloat16 __short_as_bfloat16(short b) { return __nv_bfloat16::bits((unsigned short)b); }
HEDDLE_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short b) { return __nv_bfloat16::bits(b); }

/* To integers through float, which holds every value exactly. */
#define TO_INT(name, Int, via)                                                \
	HEDDLE_D Int __bfloat162##name##_rn(__nv_bfloat16 h)                                 \
	{                                                                     \
		return (Int)__float2##via##_rn((float)h);                     \
	}                                                                     \
	HEDDLE_D Int __bfloat162##name##_rz(__nv_bfloat16 h)                                 \
	{                                                                     \
		return (Int)__float2##via##_rz((float)h);                     \
	}                                                                     \
	HEDDLE_D Int __bfloat162##name##_ru(__nv_bfloat16 h)                                 \
	{                                                                     \
		return (Int)__float2##via##_ru((float)h);                     \
	}                                                                     \
	HEDDLE_D Int __bfloat162##name##_rd(__nv_bfloat16 h)                                 \
	{                                                                     \
		return (Int)__float2##via##_rd((float)h);                     \
	}
TO_INT(int, int, int)
TO_INT(uint, unsigned, uint)
TO_INT(short, short, int)
TO_INT(ushort, unsigned short, uint)
TO_INT(ll, long long, ll)
TO_INT(ull, unsigned long long, ull)
#undef TO_INT
/* From integers through float: a value of more than 24 bits rounds twice, which
 * can differ from one rounding in the last place. */
#define FROM_INT(name, Int)                                                   \
	HEDDLE_HD __nv_bfloat16 __##name##2bfloat16_rn(Int i)                 \
	{                                                                     \
		return __nv_bfloat16((float)i);                               \
	}
FROM_INT(int, int)
FROM_INT(uint, unsigned)
FROM_INT(short, short)
FROM_INT(ushort, unsigned short)
FROM_INT(ll, long long)
FROM_INT(ull, unsigned long long)
#undef FROM_INT


#endif
