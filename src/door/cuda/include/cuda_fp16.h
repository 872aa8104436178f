/*
 * __half and __half2: IEEE binary16, as the CUDA math API describes them
 * ("Half Precision Intrinsics"). Arithmetic on the device is PTX; on the host
 * it goes through float.
 */
#ifndef HEDDLE_CUDA_FP16_H
#define HEDDLE_CUDA_FP16_H
#pragma GCC system_header

#include "heddle/language.h"

#include "heddle_cuda.h"

#include "heddle/f16.h"

struct __half_raw {
	unsigned short x;
};

struct __half2_raw {
	unsigned short x, y;
};

struct __half {
	unsigned short __x;

	__half() = default;
	HEDDLE_HDT __half(float f) : __x(heddle_float_to_half(f)) {}
	HEDDLE_HDT __half(double d) : __x(heddle_float_to_half((float)d)) {}
	HEDDLE_HDT __half(__half_raw r) : __x(r.x) {}
#define FROM(I) HEDDLE_HDT __half(I i) : __x(heddle_float_to_half((float)i)) {}
	FROM(short)
	FROM(unsigned short)
	FROM(int)
	FROM(unsigned)
	FROM(long)
	FROM(unsigned long)
	FROM(long long)
	FROM(unsigned long long)
#undef FROM
	HEDDLE_HDT operator float() const { return heddle_half_to_float(__x); }
	HEDDLE_HDT operator __half_raw() const { return __half_raw{__x}; }
#define TO(I) explicit HEDDLE_HDT operator I() const { return (I)heddle_half_to_float(__x); }
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

	static HEDDLE_HDT __half bits(unsigned short b)
	{
		__half h;
		h.__x = b;
		return h;
	}
};

struct __attribute__((aligned(4))) __half2 {
	__half x, y;

	__half2() = default;
	HEDDLE_HDT __half2(__half a, __half b) : x(a), y(b) {}

	static HEDDLE_HDT __half2 bits(unsigned w)
	{
		__half2 h;
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

#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
#endif

/* ---- primitives in PTX ---- */

HEDDLE_F16_OP2(heddle_h_add, unsigned short, "h", "add.rn.f16")
HEDDLE_F16_OP2(heddle_h_add2, unsigned, "r", "add.rn.f16x2")
HEDDLE_F16_OP2(heddle_h_sub, unsigned short, "h", "sub.rn.f16")
HEDDLE_F16_OP2(heddle_h_sub2, unsigned, "r", "sub.rn.f16x2")
HEDDLE_F16_OP2(heddle_h_mul, unsigned short, "h", "mul.rn.f16")
HEDDLE_F16_OP2(heddle_h_mul2, unsigned, "r", "mul.rn.f16x2")
HEDDLE_F16_OP3(heddle_h_fma, unsigned short, "h", "fma.rn.f16")
HEDDLE_F16_OP3(heddle_h_fma_relu, unsigned short, "h",
	       "fma.rn.relu.f16")
HEDDLE_F16_OP2(heddle_h_min, unsigned short, "h", "min.f16")
HEDDLE_F16_OP2(heddle_h_min_nan, unsigned short, "h", "min.NaN.f16")
HEDDLE_F16_OP2(heddle_h_max, unsigned short, "h", "max.f16")
HEDDLE_F16_OP2(heddle_h_max_nan, unsigned short, "h", "max.NaN.f16")
HEDDLE_F16_OP3(heddle_h_fma2, unsigned, "r", "fma.rn.f16x2")
HEDDLE_F16_OP3(heddle_h_fma_relu2, unsigned, "r",
	       "fma.rn.relu.f16x2")
HEDDLE_F16_OP2(heddle_h_min2, unsigned, "r", "min.f16x2")
HEDDLE_F16_OP2(heddle_h_min_nan2, unsigned, "r", "min.NaN.f16x2")
HEDDLE_F16_OP2(heddle_h_max2, unsigned, "r", "max.f16x2")
HEDDLE_F16_OP2(heddle_h_max_nan2, unsigned, "r", "max.NaN.f16x2")

#define T __half
#define T2 __half2
#define I(name) heddle_h_##name
#define TO_F heddle_half_to_float
#define FROM_F heddle_float_to_half
#include "heddle/f16_ops.h"
#undef T
#undef T2
#undef I
#undef TO_F
#undef FROM_F

/* ---- conversions ---- */

HEDDLE_HD __half __float2half(float f) { return __half(f); }
HEDDLE_HD __half __float2half_rn(float f) { return __half(f); }
HEDDLE_HD __half __double2half(double d) { return __half(d); }
HEDDLE_HD float __half2float(__half h) { return (float)h; }
#define CVT(mode, ptx)                                                        \
	HEDDLE_D __half __float2half_##mode(float f)                          \
	{                                                                     \
		unsigned short h;                                             \
		asm("cvt." ptx ".f16.f32 %0, %1;" : "=h"(h) : "f"(f));        \
		return __half::bits(h);                                       \
	}
CVT(rz, "rz")
CVT(ru, "rp")
CVT(rd, "rm")
#undef CVT
HEDDLE_HD __half2 make_half2(__half a, __half b) { return __half2(a, b); }
HEDDLE_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
HEDDLE_HD __half2 __half2half2(__half a) { return __half2(a, a); }
HEDDLE_HD __half2 __float2half2_rn(float f) { return __half2(__half(f), __half(f)); }
HEDDLE_HD __half2 __floats2half2_rn(float a, float b)
{
	return __half2(__half(a), __half(b));
}
HEDDLE_HD __half2 __float22half2_rn(float2 f)
{
	return __half2(__half(f.x), __half(f.y));
}
HEDDLE_HD float2 __half22float2(__half2 h) { return float2{(float)h.x, (float)h.y}; }
HEDDLE_HD __half __low2half(__half2 h) { return h.x; }
HEDDLE_HD __half __high2half(__half2 h) { return h.y; }
HEDDLE_HD __half2 __low2half2(__half2 h) { return __half2(h.x, h.x); }
HEDDLE_HD __half2 __high2half2(__half2 h) { return __half2(h.y, h.y); }
HEDDLE_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
HEDDLE_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
HEDDLE_HD __half2 __lowhigh2highlow(__half2 h) { return __half2(h.y, h.x); }
HEDDLE_HD short __half_as_short(__half h) { return (short)h.__x; }
HEDDLE_HD unsigned short __half_as_ushort(__half h) { return h.__x; }
HEDDLE_HD __half __short_as_half(short b) { return __half::bits((unsigned short)b); }
HEDDLE_HD __half __ushort_as_half(unsigned short b) { return __half::bits(b); }

/* To integers through float, which holds every value exactly. */
#define TO_INT(name, Int, via)                                                \
	HEDDLE_D Int __half2##name##_rn(__half h)                                 \
	{                                                                     \
		return (Int)__float2##via##_rn((float)h);                     \
	}                                                                     \
	HEDDLE_D Int __half2##name##_rz(__half h)                                 \
	{                                                                     \
		return (Int)__float2##via##_rz((float)h);                     \
	}                                                                     \
	HEDDLE_D Int __half2##name##_ru(__half h)                                 \
	{                                                                     \
		return (Int)__float2##via##_ru((float)h);                     \
	}                                                                     \
	HEDDLE_D Int __half2##name##_rd(__half h)                                 \
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
#define FROM_INT(name, Int, reg, ptx)                                         \
	HEDDLE_D __half __##name##2half_rn(Int i)                             \
	{                                                                     \
		unsigned short h;                                             \
		asm("cvt.rn.f16." ptx " %0, %1;" : "=h"(h) : reg(i));         \
		return __half::bits(h);                                       \
	}                                                                     \
	HEDDLE_D __half __##name##2half_rz(Int i)                             \
	{                                                                     \
		unsigned short h;                                             \
		asm("cvt.rz.f16." ptx " %0, %1;" : "=h"(h) : reg(i));         \
		return __half::bits(h);                                       \
	}                                                                     \
	HEDDLE_D __half __##name##2half_ru(Int i)                             \
	{                                                                     \
		unsigned short h;                                             \
		asm("cvt.rp.f16." ptx " %0, %1;" : "=h"(h) : reg(i));         \
		return __half::bits(h);                                       \
	}                                                                     \
	HEDDLE_D __half __##name##2half_rd(Int i)                             \
	{                                                                     \
		unsigned short h;                                             \
		asm("cvt.rm.f16." ptx " %0, %1;" : "=h"(h) : reg(i));         \
		return __half::bits(h);                                       \
	}
FROM_INT(int, int, "r", "s32")
FROM_INT(uint, unsigned, "r", "u32")
FROM_INT(short, short, "h", "s16")
FROM_INT(ushort, unsigned short, "h", "u16")
FROM_INT(ll, long long, "l", "s64")
FROM_INT(ull, unsigned long long, "l", "u64")
#undef FROM_INT


#endif
