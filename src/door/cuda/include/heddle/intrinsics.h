/*
 * Integer, conversion and floating-point intrinsics (CUDA math API, "Integer
 * Intrinsics", "Type Casting Intrinsics", "Single/Double Precision
 * Intrinsics"). One PTX instruction each wherever PTX has it.
 */
#ifndef HEDDLE_CUDA_INTRINSICS_H
#define HEDDLE_CUDA_INTRINSICS_H
#pragma GCC system_header

#include "../vector_types.h"

/* ---- bits ---- */

HEDDLE_D int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
HEDDLE_D int __clzll(long long x)
{
	return x ? __builtin_clzll((unsigned long long)x) : 64;
}
HEDDLE_D int __popc(unsigned x) { return __builtin_popcount(x); }
HEDDLE_D int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
HEDDLE_D unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
HEDDLE_D unsigned long long __brevll(unsigned long long x)
{
	return __builtin_bitreverse64(x);
}
HEDDLE_D int __ffs(int x)
{
	return x ? __clz((int)__brev((unsigned)x)) + 1 : 0;
}
HEDDLE_D int __ffsll(long long x)
{
	return x ? __clzll((long long)__brevll((unsigned long long)x)) + 1 : 0;
}

HEDDLE_D unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
	unsigned d;
	asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(s));
	return d;
}

#define HEDDLE_SHF(name, op)                                                  \
	HEDDLE_D unsigned name(unsigned lo, unsigned hi, unsigned n)          \
	{                                                                     \
		unsigned d;                                                   \
		asm("shf." op ".b32 %0, %1, %2, %3;"                          \
		    : "=r"(d) : "r"(lo), "r"(hi), "r"(n));                    \
		return d;                                                     \
	}
HEDDLE_SHF(__funnelshift_l, "l.wrap")
HEDDLE_SHF(__funnelshift_lc, "l.clamp")
HEDDLE_SHF(__funnelshift_r, "r.wrap")
HEDDLE_SHF(__funnelshift_rc, "r.clamp")
#undef HEDDLE_SHF

/* Position of the n-th set bit of mask, counted from bit base upwards (n > 0)
 * or downwards (n < 0); n == 0 asks whether bit base is set. */
HEDDLE_D unsigned __fns(unsigned mask, unsigned base, int n)
{
	unsigned d;
	asm("fns.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(mask), "r"(base), "r"(n));
	return d;
}

/* ---- integer arithmetic ---- */

HEDDLE_D int __mulhi(int a, int b)
{
	return (int)(((long long)a * b) >> 32);
}
HEDDLE_D unsigned __umulhi(unsigned a, unsigned b)
{
	return (unsigned)(((unsigned long long)a * b) >> 32);
}
HEDDLE_D long long __mul64hi(long long a, long long b)
{
	long long d;
	asm("mul.hi.s64 %0, %1, %2;" : "=l"(d) : "l"(a), "l"(b));
	return d;
}
HEDDLE_D unsigned long long __umul64hi(unsigned long long a,
				       unsigned long long b)
{
	unsigned long long d;
	asm("mul.hi.u64 %0, %1, %2;" : "=l"(d) : "l"(a), "l"(b));
	return d;
}
HEDDLE_D int mulhi(int a, int b) { return __mulhi(a, b); }
HEDDLE_D unsigned umulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
HEDDLE_D long long mul64hi(long long a, long long b) { return __mul64hi(a, b); }
HEDDLE_D unsigned long long umul64hi(unsigned long long a, unsigned long long b)
{
	return __umul64hi(a, b);
}

HEDDLE_D int __mul24(int a, int b)
{
	int d;
	asm("mul24.lo.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
	return d;
}
HEDDLE_D unsigned __umul24(unsigned a, unsigned b)
{
	unsigned d;
	asm("mul24.lo.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
	return d;
}
HEDDLE_D int mul24(int a, int b) { return __mul24(a, b); }
HEDDLE_D unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }

HEDDLE_D unsigned __sad(int a, int b, unsigned c)
{
	unsigned d;
	asm("sad.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}
HEDDLE_D unsigned __usad(unsigned a, unsigned b, unsigned c)
{
	unsigned d;
	asm("sad.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}

/* Halving additions without overflow in between. */
HEDDLE_D int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
HEDDLE_D int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
HEDDLE_D unsigned __uhadd(unsigned a, unsigned b)
{
	return (unsigned)(((unsigned long long)a + b) >> 1);
}
HEDDLE_D unsigned __urhadd(unsigned a, unsigned b)
{
	return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}

#define HEDDLE_DP(name, op, D, A, B)                                  \
	HEDDLE_D D name(A a, B b, D c)                                        \
	{                                                                     \
		unsigned ua, ub;                                              \
		__builtin_memcpy(&ua, &a, 4);                                 \
		__builtin_memcpy(&ub, &b, 4);                                 \
		D d;                                                          \
		asm(op " %0, %1, %2, %3;"                                     \
		    : "=r"(d) : "r"(ua), "r"(ub), "r"(c));                    \
		return d;                                                     \
	}
HEDDLE_DP(__dp4a, "dp4a.s32.s32", int, int, int)
HEDDLE_DP(__dp4a, "dp4a.u32.u32", unsigned, unsigned, unsigned)
HEDDLE_DP(__dp4a, "dp4a.s32.s32", int, char4, char4)
HEDDLE_DP(__dp4a, "dp4a.u32.u32", unsigned, uchar4, uchar4)
HEDDLE_DP(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
HEDDLE_DP(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, unsigned, unsigned)
HEDDLE_DP(__dp2a_lo, "dp2a.lo.s32.s32", int, short2, char4)
HEDDLE_DP(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, ushort2, uchar4)
HEDDLE_DP(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
HEDDLE_DP(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, unsigned, unsigned)
HEDDLE_DP(__dp2a_hi, "dp2a.hi.s32.s32", int, short2, char4)
HEDDLE_DP(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, ushort2, uchar4)
#undef HEDDLE_DP

/* ---- bits of floating-point values ---- */

#define HEDDLE_CAST(name, T, U)                                               \
	HEDDLE_HD T name(U v)                                                 \
	{                                                                     \
		T r;                                                          \
		__builtin_memcpy(&r, &v, sizeof(r));                          \
		return r;                                                     \
	}
HEDDLE_CAST(__float_as_int, int, float)
HEDDLE_CAST(__float_as_uint, unsigned, float)
HEDDLE_CAST(__int_as_float, float, int)
HEDDLE_CAST(__uint_as_float, float, unsigned)
HEDDLE_CAST(__double_as_longlong, long long, double)
HEDDLE_CAST(__longlong_as_double, double, long long)
#undef HEDDLE_CAST
HEDDLE_HD int __double2loint(double d)
{
	return (int)__double_as_longlong(d);
}
HEDDLE_HD int __double2hiint(double d)
{
	return (int)(__double_as_longlong(d) >> 32);
}
HEDDLE_HD double __hiloint2double(int hi, int lo)
{
	return __longlong_as_double(
		(long long)(((unsigned long long)(unsigned)hi << 32) |
			    (unsigned)lo));
}

/* ---- conversions with a rounding mode: cvt of PTX ---- */

#define HEDDLE_CVT(name, D, dreg, S, sreg, op)                                \
	HEDDLE_D D name(S v)                                                  \
	{                                                                     \
		D r;                                                          \
		asm("cvt." op " %0, %1;" : "=" dreg(r) : sreg(v));            \
		return r;                                                     \
	}
#define HEDDLE_CVT_TO_INT(from, S, sreg, pty)                                 \
	HEDDLE_CVT(__##from##2int_rn, int, "r", S, sreg, "rni.s32." pty)      \
	HEDDLE_CVT(__##from##2int_rz, int, "r", S, sreg, "rzi.s32." pty)      \
	HEDDLE_CVT(__##from##2int_ru, int, "r", S, sreg, "rpi.s32." pty)      \
	HEDDLE_CVT(__##from##2int_rd, int, "r", S, sreg, "rmi.s32." pty)      \
	HEDDLE_CVT(__##from##2uint_rn, unsigned, "r", S, sreg, "rni.u32." pty)\
	HEDDLE_CVT(__##from##2uint_rz, unsigned, "r", S, sreg, "rzi.u32." pty)\
	HEDDLE_CVT(__##from##2uint_ru, unsigned, "r", S, sreg, "rpi.u32." pty)\
	HEDDLE_CVT(__##from##2uint_rd, unsigned, "r", S, sreg, "rmi.u32." pty)\
	HEDDLE_CVT(__##from##2ll_rn, long long, "l", S, sreg, "rni.s64." pty) \
	HEDDLE_CVT(__##from##2ll_rz, long long, "l", S, sreg, "rzi.s64." pty) \
	HEDDLE_CVT(__##from##2ll_ru, long long, "l", S, sreg, "rpi.s64." pty) \
	HEDDLE_CVT(__##from##2ll_rd, long long, "l", S, sreg, "rmi.s64." pty) \
	HEDDLE_CVT(__##from##2ull_rn, unsigned long long, "l", S, sreg,       \
		   "rni.u64." pty)                                            \
	HEDDLE_CVT(__##from##2ull_rz, unsigned long long, "l", S, sreg,       \
		   "rzi.u64." pty)                                            \
	HEDDLE_CVT(__##from##2ull_ru, unsigned long long, "l", S, sreg,       \
		   "rpi.u64." pty)                                            \
	HEDDLE_CVT(__##from##2ull_rd, unsigned long long, "l", S, sreg,       \
		   "rmi.u64." pty)
HEDDLE_CVT_TO_INT(float, float, "f", "f32")
HEDDLE_CVT_TO_INT(double, double, "d", "f64")
#define HEDDLE_CVT_4(name, D, dreg, S, sreg, pty)                             \
	HEDDLE_CVT(name##_rn, D, dreg, S, sreg, "rn." pty)                    \
	HEDDLE_CVT(name##_rz, D, dreg, S, sreg, "rz." pty)                    \
	HEDDLE_CVT(name##_ru, D, dreg, S, sreg, "rp." pty)                    \
	HEDDLE_CVT(name##_rd, D, dreg, S, sreg, "rm." pty)
HEDDLE_CVT_4(__int2float, float, "f", int, "r", "f32.s32")
HEDDLE_CVT_4(__uint2float, float, "f", unsigned, "r", "f32.u32")
HEDDLE_CVT_4(__ll2float, float, "f", long long, "l", "f32.s64")
HEDDLE_CVT_4(__ull2float, float, "f", unsigned long long, "l", "f32.u64")
HEDDLE_CVT_4(__ll2double, double, "d", long long, "l", "f64.s64")
HEDDLE_CVT_4(__ull2double, double, "d", unsigned long long, "l", "f64.u64")
HEDDLE_CVT_4(__double2float, float, "f", double, "d", "f32.f64")
HEDDLE_D double __int2double_rn(int v) { return v; }
HEDDLE_D double __uint2double_rn(unsigned v) { return v; }
#undef HEDDLE_CVT
#undef HEDDLE_CVT_4
#undef HEDDLE_CVT_TO_INT

/* ---- arithmetic with a rounding mode ---- */

#define HEDDLE_OP1(name, T, reg, op)                                          \
	HEDDLE_D T name(T a)                                                  \
	{                                                                     \
		T r;                                                          \
		asm(op " %0, %1;" : "=" reg(r) : reg(a));                     \
		return r;                                                     \
	}
#define HEDDLE_OP2(name, T, reg, op)                                          \
	HEDDLE_D T name(T a, T b)                                             \
	{                                                                     \
		T r;                                                          \
		asm(op " %0, %1, %2;" : "=" reg(r) : reg(a), reg(b));         \
		return r;                                                     \
	}
#define HEDDLE_OP3(name, T, reg, op)                                          \
	HEDDLE_D T name(T a, T b, T c)                                        \
	{                                                                     \
		T r;                                                          \
		asm(op " %0, %1, %2, %3;"                                     \
		    : "=" reg(r) : reg(a), reg(b), reg(c));                   \
		return r;                                                     \
	}
#define HEDDLE_ROUNDED(MODE, mode)                                            \
	HEDDLE_OP2(__fadd_##MODE, float, "f", "add." mode ".f32")             \
	HEDDLE_OP2(__fsub_##MODE, float, "f", "sub." mode ".f32")             \
	HEDDLE_OP2(__fmul_##MODE, float, "f", "mul." mode ".f32")             \
	HEDDLE_OP2(__fdiv_##MODE, float, "f", "div." mode ".f32")             \
	HEDDLE_OP3(__fmaf_##MODE, float, "f", "fma." mode ".f32")             \
	HEDDLE_OP1(__fsqrt_##MODE, float, "f", "sqrt." mode ".f32")           \
	HEDDLE_OP1(__frcp_##MODE, float, "f", "rcp." mode ".f32")             \
	HEDDLE_OP2(__dadd_##MODE, double, "d", "add." mode ".f64")            \
	HEDDLE_OP2(__dsub_##MODE, double, "d", "sub." mode ".f64")            \
	HEDDLE_OP2(__dmul_##MODE, double, "d", "mul." mode ".f64")            \
	HEDDLE_OP2(__ddiv_##MODE, double, "d", "div." mode ".f64")            \
	HEDDLE_OP3(__fma_##MODE, double, "d", "fma." mode ".f64")             \
	HEDDLE_OP1(__dsqrt_##MODE, double, "d", "sqrt." mode ".f64")          \
	HEDDLE_OP1(__drcp_##MODE, double, "d", "rcp." mode ".f64")
HEDDLE_ROUNDED(rn, "rn")
HEDDLE_ROUNDED(rz, "rz")
HEDDLE_ROUNDED(ru, "rp")
HEDDLE_ROUNDED(rd, "rm")
#undef HEDDLE_ROUNDED

/* 1/sqrt(a) rounded to nearest: the approximation (2^-22.9) plus one Newton
 * step whose residual fma makes exact; scaled so that no step leaves the
 * normal range. */
HEDDLE_D float __frsqrt_rn(float a)
{
	double y, e;
	asm("rsqrt.approx.f64 %0, %1;" : "=d"(y) : "d"((double)a));
	if (!(a > 0.0f) || a == __builtin_inff())
		return (float)y;
	for (int i = 0; i < 2; i++) {
		e = __builtin_fma((double)a * y, -y, 1.0);
		y = __builtin_fma(y * 0.5, e, y);
	}
	return (float)y;
}

/* ---- fast, approximate ---- */

HEDDLE_OP1(heddle_ex2_approx, float, "f", "ex2.approx.f32")
HEDDLE_OP1(heddle_lg2_approx, float, "f", "lg2.approx.f32")
HEDDLE_OP1(__sinf, float, "f", "sin.approx.f32")
HEDDLE_OP1(__cosf, float, "f", "cos.approx.f32")
HEDDLE_OP1(__tanhf, float, "f", "tanh.approx.f32")
HEDDLE_OP1(__frcp_approx, float, "f", "rcp.approx.f32")
HEDDLE_OP1(__frsqrt_approx, float, "f", "rsqrt.approx.f32")
HEDDLE_OP2(__fdividef, float, "f", "div.approx.f32")
HEDDLE_OP1(__saturatef, float, "f", "cvt.sat.f32.f32")
HEDDLE_D float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
HEDDLE_D void __sincosf(float x, float *s, float *c)
{
	*s = __sinf(x);
	*c = __cosf(x);
}
HEDDLE_D float __expf(float x)
{
	return heddle_ex2_approx(x * 1.442695041f);
}
HEDDLE_D float __exp10f(float x)
{
	return heddle_ex2_approx(x * 3.321928095f);
}
HEDDLE_D float __logf(float x)
{
	return heddle_lg2_approx(x) * 0.693147181f;
}
HEDDLE_D float __log2f(float x) { return heddle_lg2_approx(x); }
HEDDLE_D float __log10f(float x)
{
	return heddle_lg2_approx(x) * 0.301029996f;
}
HEDDLE_D float __powf(float x, float y)
{
	return heddle_ex2_approx(y * heddle_lg2_approx(x));
}
HEDDLE_D float fdividef(float a, float b) { return __fdividef(a, b); }
HEDDLE_D float saturate(float x) { return __saturatef(x); }

#endif
