/*
 * SIMD-in-a-word intrinsics (CUDA math API, "SIMD Intrinsics"): two halfwords
 * or four bytes of a 32-bit word, lane by lane in plain C.
 *
 * In the expressions x and y are the lanes, sign- or zero-extended.
 */
#ifndef HEDDLE_CUDA_SIMD_H
#define HEDDLE_CUDA_SIMD_H
#pragma GCC system_header

#include "config.h"

HEDDLE_D int heddle_clamp(int v, int lo, int hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

#define LANES2(name, bits, ext, ...)                                          \
	HEDDLE_D unsigned name(unsigned a, unsigned b)                        \
	{                                                                     \
		unsigned r = 0;                                               \
		for (int i = 0; i < 32; i += bits) {                          \
			int x = (ext)(a >> i), y = (ext)(b >> i);             \
			r |= ((unsigned)(__VA_ARGS__) & ((1u << bits) - 1))   \
			     << i;                                            \
		}                                                             \
		return r;                                                     \
	}
#define LANES1(name, bits, ext, ...)                                          \
	HEDDLE_D unsigned name(unsigned a)                                    \
	{                                                                     \
		unsigned r = 0;                                               \
		for (int i = 0; i < 32; i += bits) {                          \
			int x = (ext)(a >> i);                                \
			r |= ((unsigned)(__VA_ARGS__) & ((1u << bits) - 1))   \
			     << i;                                            \
		}                                                             \
		return r;                                                     \
	}
#define SUM(name, bits, ext)                                                  \
	HEDDLE_D unsigned name(unsigned a, unsigned b)                        \
	{                                                                     \
		unsigned r = 0;                                               \
		for (int i = 0; i < 32; i += bits) {                          \
			int d = (int)(ext)(a >> i) - (int)(ext)(b >> i);      \
			r += (unsigned)(d < 0 ? -d : d);                      \
		}                                                             \
		return r;                                                     \
	}
#define COMPARE(cond, n, bits, S, U, sfx, ext, op)                            \
	LANES2(__vcmp##cond##sfx##n, bits, ext, x op y ? ~0u : 0u)            \
	LANES2(__vset##cond##sfx##n, bits, ext, x op y)
#define SIMD(n, bits, S, U, smin, smax, umax)                                 \
	LANES2(__vadd##n, bits, U, x + y)                                     \
	LANES2(__vaddss##n, bits, S, heddle_clamp(x + y, smin, smax))         \
	LANES2(__vaddus##n, bits, U, heddle_clamp(x + y, 0, umax))            \
	LANES2(__vsub##n, bits, U, x - y)                                     \
	LANES2(__vsubss##n, bits, S, heddle_clamp(x - y, smin, smax))         \
	LANES2(__vsubus##n, bits, U, heddle_clamp(x - y, 0, umax))            \
	LANES2(__vabsdiffs##n, bits, S, x > y ? x - y : y - x)                \
	LANES2(__vabsdiffu##n, bits, U, x > y ? x - y : y - x)                \
	LANES2(__vavgs##n, bits, S, (x + y + (x + y >= 0)) >> 1)              \
	LANES2(__vavgu##n, bits, U, (x + y + 1) >> 1)                         \
	LANES2(__vhaddu##n, bits, U, (x + y) >> 1)                            \
	LANES2(__vmins##n, bits, S, x < y ? x : y)                            \
	LANES2(__vminu##n, bits, U, x < y ? x : y)                            \
	LANES2(__vmaxs##n, bits, S, x > y ? x : y)                            \
	LANES2(__vmaxu##n, bits, U, x > y ? x : y)                            \
	LANES1(__vabs##n, bits, S, x < 0 ? -x : x)                            \
	LANES1(__vabsss##n, bits, S,                                          \
	       heddle_clamp(x < 0 ? -x : x, smin, smax))                      \
	LANES1(__vneg##n, bits, S, -x)                                        \
	LANES1(__vnegss##n, bits, S, heddle_clamp(-x, smin, smax))            \
	SUM(__vsads##n, bits, S)                                              \
	SUM(__vsadu##n, bits, U)                                              \
	COMPARE(eq, n, bits, S, U, , U, ==)                                   \
	COMPARE(ne, n, bits, S, U, , U, !=)                                   \
	COMPARE(ge, n, bits, S, U, s, S, >=)                                  \
	COMPARE(ge, n, bits, S, U, u, U, >=)                                  \
	COMPARE(gt, n, bits, S, U, s, S, >)                                   \
	COMPARE(gt, n, bits, S, U, u, U, >)                                   \
	COMPARE(le, n, bits, S, U, s, S, <=)                                  \
	COMPARE(le, n, bits, S, U, u, U, <=)                                  \
	COMPARE(lt, n, bits, S, U, s, S, <)                                   \
	COMPARE(lt, n, bits, S, U, u, U, <)
SIMD(2, 16, short, unsigned short, -32768, 32767, 65535)
SIMD(4, 8, signed char, unsigned char, -128, 127, 255)
#undef SIMD
#undef COMPARE
#undef SUM
#undef LANES1
#undef LANES2

/* Three-way minima and maxima, and with a floor of zero (relu). */
HEDDLE_D int __vimax_s32_relu(int a, int b)
{
	int m = a > b ? a : b;
	return m > 0 ? m : 0;
}
HEDDLE_D int __vimin_s32_relu(int a, int b)
{
	int m = a < b ? a : b;
	return m > 0 ? m : 0;
}
HEDDLE_D int __vimax3_s32(int a, int b, int c)
{
	int m = a > b ? a : b;
	return m > c ? m : c;
}
HEDDLE_D int __vimin3_s32(int a, int b, int c)
{
	int m = a < b ? a : b;
	return m < c ? m : c;
}
HEDDLE_D unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a > b ? a : b;
	return m > c ? m : c;
}
HEDDLE_D unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;
	return m < c ? m : c;
}

#endif
