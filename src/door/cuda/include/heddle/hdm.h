/*
 * The helpers of the math algorithms (hdm_*.h). They are plain C, so that a
 * test on the host can compile them and compare with libm:
 * tests/prog/math_accuracy.c.
 *
 * HDM       storage class of a function
 * HDM_FAR   of a large one, which need not be inlined
 * HDM_TABLE of a constant table
 * HORNER(f, x, c0, c1, ...)  c0 + x (c1 + x (c2 + ...)) by f(a, b, c) = ab + c
 */
#ifndef HEDDLE_HDM_H
#define HEDDLE_HDM_H

#include <stdint.h>

#ifdef __CUDA__
#define HDM                                                                   \
	static __attribute__((host, device, always_inline, unused)) __inline__
#define HDM_FAR static __attribute__((host, device, unused)) __inline__
#else
#define HDM static inline __attribute__((unused))
#define HDM_FAR HDM
#endif
#ifdef __CUDA_ARCH__
#define HDM_TABLE static __attribute__((device)) const
#else
#define HDM_TABLE static const
#endif

#define HDM_INFF __builtin_inff()
#define HDM_INF __builtin_inf()
#define HDM_NANF __builtin_nanf("")
#define HDM_NAN __builtin_nan("")

HDM uint32_t hdm_bitsf(float x)
{
	uint32_t u;
	__builtin_memcpy(&u, &x, sizeof(u));
	return u;
}

HDM float hdm_fromf(uint32_t u)
{
	float x;
	__builtin_memcpy(&x, &u, sizeof(x));
	return x;
}

HDM uint64_t hdm_bits(double x)
{
	uint64_t u;
	__builtin_memcpy(&u, &x, sizeof(u));
	return u;
}

HDM double hdm_from(uint64_t u)
{
	double x;
	__builtin_memcpy(&x, &u, sizeof(x));
	return x;
}

HDM float hdm_fmaf(float a, float b, float c)
{
	return __builtin_fmaf(a, b, c);
}

HDM double hdm_fma(double a, double b, double c)
{
	return __builtin_fma(a, b, c);
}

/* A product that the compiler must not fuse with a following addition: the
 * error-free transformations below depend on its rounding. */
HDM float hdm_mulf(float a, float b)
{
	float p;
#if defined(__CUDA_ARCH__)
	__asm__("mul.rn.f32 %0, %1, %2;" : "=f"(p) : "f"(a), "f"(b));
#else
	p = a * b;
#if defined(__aarch64__)
	__asm__("" : "+w"(p));
#elif defined(__x86_64__)
	__asm__("" : "+x"(p));
#endif
#endif
	return p;
}

HDM double hdm_mul(double a, double b)
{
	double p;
#if defined(__CUDA_ARCH__)
	__asm__("mul.rn.f64 %0, %1, %2;" : "=d"(p) : "d"(a), "d"(b));
#else
	p = a * b;
#if defined(__aarch64__)
	__asm__("" : "+w"(p));
#elif defined(__x86_64__)
	__asm__("" : "+x"(p));
#endif
#endif
	return p;
}

/* 2^n for n within the exponents of normal numbers. */
HDM float hdm_pow2f(int n)
{
	return hdm_fromf((uint32_t)(n + 127) << 23);
}

HDM double hdm_pow2(int n)
{
	return hdm_from((uint64_t)(n + 1023) << 52);
}

#define HDM_H1(f, x, a) (a)
#define HDM_H2(f, x, a, ...) f(HDM_H1(f, x, __VA_ARGS__), x, a)
#define HDM_H3(f, x, a, ...) f(HDM_H2(f, x, __VA_ARGS__), x, a)
#define HDM_H4(f, x, a, ...) f(HDM_H3(f, x, __VA_ARGS__), x, a)
#define HDM_H5(f, x, a, ...) f(HDM_H4(f, x, __VA_ARGS__), x, a)
#define HDM_H6(f, x, a, ...) f(HDM_H5(f, x, __VA_ARGS__), x, a)
#define HDM_H7(f, x, a, ...) f(HDM_H6(f, x, __VA_ARGS__), x, a)
#define HDM_H8(f, x, a, ...) f(HDM_H7(f, x, __VA_ARGS__), x, a)
#define HDM_H9(f, x, a, ...) f(HDM_H8(f, x, __VA_ARGS__), x, a)
#define HDM_H10(f, x, a, ...) f(HDM_H9(f, x, __VA_ARGS__), x, a)
#define HDM_H11(f, x, a, ...) f(HDM_H10(f, x, __VA_ARGS__), x, a)
#define HDM_H12(f, x, a, ...) f(HDM_H11(f, x, __VA_ARGS__), x, a)
#define HDM_H13(f, x, a, ...) f(HDM_H12(f, x, __VA_ARGS__), x, a)
#define HDM_H14(f, x, a, ...) f(HDM_H13(f, x, __VA_ARGS__), x, a)
#define HDM_H15(f, x, a, ...) f(HDM_H14(f, x, __VA_ARGS__), x, a)
#define HDM_H16(f, x, a, ...) f(HDM_H15(f, x, __VA_ARGS__), x, a)
#define HDM_H17(f, x, a, ...) f(HDM_H16(f, x, __VA_ARGS__), x, a)
#define HDM_H18(f, x, a, ...) f(HDM_H17(f, x, __VA_ARGS__), x, a)
#define HDM_H19(f, x, a, ...) f(HDM_H18(f, x, __VA_ARGS__), x, a)
#define HDM_H20(f, x, a, ...) f(HDM_H19(f, x, __VA_ARGS__), x, a)
#define HDM_H21(f, x, a, ...) f(HDM_H20(f, x, __VA_ARGS__), x, a)
#define HDM_H22(f, x, a, ...) f(HDM_H21(f, x, __VA_ARGS__), x, a)
#define HDM_H23(f, x, a, ...) f(HDM_H22(f, x, __VA_ARGS__), x, a)
#define HDM_H24(f, x, a, ...) f(HDM_H23(f, x, __VA_ARGS__), x, a)
#define HDM_H25(f, x, a, ...) f(HDM_H24(f, x, __VA_ARGS__), x, a)
#define HDM_H26(f, x, a, ...) f(HDM_H25(f, x, __VA_ARGS__), x, a)
#define HDM_H27(f, x, a, ...) f(HDM_H26(f, x, __VA_ARGS__), x, a)
#define HDM_H28(f, x, a, ...) f(HDM_H27(f, x, __VA_ARGS__), x, a)
#define HDM_PICK( \
	_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, \
	_16, _17, _18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, \
	name, ...) \
	name
#define HORNER(f, x, ...) \
	HDM_PICK(__VA_ARGS__, \
	HDM_H28, HDM_H27, HDM_H26, HDM_H25, HDM_H24, HDM_H23, HDM_H22, \
	HDM_H21, HDM_H20, HDM_H19, HDM_H18, HDM_H17, HDM_H16, HDM_H15, \
	HDM_H14, HDM_H13, HDM_H12, HDM_H11, HDM_H10, HDM_H9, HDM_H8, HDM_H7, \
	HDM_H6, HDM_H5, HDM_H4, HDM_H3, HDM_H2, HDM_H1, 0) \
	(f, x, __VA_ARGS__)
#define HORNERF(x, ...) HORNER(hdm_fmaf, x, __VA_ARGS__)
#define HORNERD(x, ...) HORNER(hdm_fma, x, __VA_ARGS__)

#endif
