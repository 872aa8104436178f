/*
 * The part of cuda_fp16.h and cuda_bf16.h that differs in names only. Included
 * once by each, with
 *
 *	T, T2     the scalar and the packed type
 *	I(name)   name of the format's own primitive: I(add) is heddle_h_add
 *	TO_F, FROM_F  conversions of the raw bits to and from float
 *
 * On the host arithmetic goes through float, whose result rounds to the same
 * value for + - * /.
 */

/* ---- scalar arithmetic ---- */

#ifdef __CUDA_ARCH__
#define BIN(name, prim, expr)                                                 \
	HEDDLE_HD T name(T a, T b)                                            \
	{                                                                     \
		return T::bits(I(prim)(a.__x, b.__x));                        \
	}
#else
#define BIN(name, prim, expr)                                                 \
	HEDDLE_HD T name(T a, T b)                                            \
	{                                                                     \
		float x = TO_F(a.__x), y = TO_F(b.__x);                       \
		return T::bits(FROM_F(expr));                                 \
	}
#endif
BIN(__hadd, add, x + y)
BIN(__hsub, sub, x - y)
BIN(__hmul, mul, x * y)
BIN(__hadd_rn, add, x + y)
BIN(__hsub_rn, sub, x - y)
BIN(__hmul_rn, mul, x * y)
#undef BIN
HEDDLE_HD T __hdiv(T a, T b)
{
	return T::bits(FROM_F(TO_F(a.__x) / TO_F(b.__x)));
}
HEDDLE_D T __hfma(T a, T b, T c)
{
	return T::bits(I(fma)(a.__x, b.__x, c.__x));
}
HEDDLE_D T __hfma_relu(T a, T b, T c)
{
	return T::bits(I(fma_relu)(a.__x, b.__x, c.__x));
}
HEDDLE_D T I(saturate)(T a)
{
	return T::bits(FROM_F(__saturatef(TO_F(a.__x))));
}
HEDDLE_D T __hadd_sat(T a, T b) { return I(saturate)(__hadd(a, b)); }
HEDDLE_D T __hsub_sat(T a, T b) { return I(saturate)(__hsub(a, b)); }
HEDDLE_D T __hmul_sat(T a, T b) { return I(saturate)(__hmul(a, b)); }
HEDDLE_D T __hfma_sat(T a, T b, T c) { return I(saturate)(__hfma(a, b, c)); }
HEDDLE_HD T __hneg(T a) { return T::bits(a.__x ^ 0x8000); }
HEDDLE_HD T __habs(T a) { return T::bits(a.__x & 0x7fff); }
HEDDLE_D T __hmin(T a, T b) { return T::bits(I(min)(a.__x, b.__x)); }
HEDDLE_D T __hmax(T a, T b) { return T::bits(I(max)(a.__x, b.__x)); }
HEDDLE_D T __hmin_nan(T a, T b) { return T::bits(I(min_nan)(a.__x, b.__x)); }
HEDDLE_D T __hmax_nan(T a, T b) { return T::bits(I(max_nan)(a.__x, b.__x)); }

/* ---- packed arithmetic ---- */

#define BIN2(name, prim)                                                      \
	HEDDLE_D T2 name(T2 a, T2 b)                                          \
	{                                                                     \
		return T2::bits(I(prim##2)(a.word(), b.word()));              \
	}
BIN2(__hadd2, add)
BIN2(__hsub2, sub)
BIN2(__hmul2, mul)
BIN2(__hadd2_rn, add)
BIN2(__hsub2_rn, sub)
BIN2(__hmul2_rn, mul)
BIN2(__hmin2, min)
BIN2(__hmax2, max)
BIN2(__hmin2_nan, min_nan)
BIN2(__hmax2_nan, max_nan)
#undef BIN2
HEDDLE_D T2 __hfma2(T2 a, T2 b, T2 c)
{
	return T2::bits(I(fma2)(a.word(), b.word(), c.word()));
}
HEDDLE_D T2 __hfma2_relu(T2 a, T2 b, T2 c)
{
	return T2::bits(I(fma_relu2)(a.word(), b.word(), c.word()));
}
HEDDLE_D T2 __h2div(T2 a, T2 b) { return T2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
HEDDLE_D T2 __hadd2_sat(T2 a, T2 b)
{
	return T2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y));
}
HEDDLE_D T2 __hsub2_sat(T2 a, T2 b)
{
	return T2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y));
}
HEDDLE_D T2 __hmul2_sat(T2 a, T2 b)
{
	return T2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y));
}
HEDDLE_D T2 __hfma2_sat(T2 a, T2 b, T2 c)
{
	return T2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
HEDDLE_HD T2 __hneg2(T2 a) { return T2(__hneg(a.x), __hneg(a.y)); }
HEDDLE_HD T2 __habs2(T2 a) { return T2(__habs(a.x), __habs(a.y)); }

/* ---- comparisons: exact in float. The u forms hold for NaN too. ---- */

#define CMP(c, op, opposite)                                                  \
	HEDDLE_HD bool __h##c(T a, T b)                                       \
	{                                                                     \
		return TO_F(a.__x) op TO_F(b.__x);                            \
	}                                                                     \
	HEDDLE_HD bool __h##c##u(T a, T b)                                    \
	{                                                                     \
		return !(TO_F(a.__x) opposite TO_F(b.__x));                   \
	}                                                                     \
	HEDDLE_HD T2 __h##c##2(T2 a, T2 b)                                    \
	{                                                                     \
		return T2(T(__h##c(a.x, b.x) ? 1.0f : 0.0f),                  \
			  T(__h##c(a.y, b.y) ? 1.0f : 0.0f));                 \
	}                                                                     \
	HEDDLE_HD T2 __h##c##u2(T2 a, T2 b)                                   \
	{                                                                     \
		return T2(T(__h##c##u(a.x, b.x) ? 1.0f : 0.0f),               \
			  T(__h##c##u(a.y, b.y) ? 1.0f : 0.0f));              \
	}                                                                     \
	HEDDLE_HD unsigned __h##c##2_mask(T2 a, T2 b)                         \
	{                                                                     \
		return (__h##c(a.x, b.x) ? 0xffffu : 0u) |                    \
		       (__h##c(a.y, b.y) ? 0xffff0000u : 0u);                 \
	}                                                                     \
	HEDDLE_HD bool __hb##c##2(T2 a, T2 b)                                 \
	{                                                                     \
		return __h##c(a.x, b.x) && __h##c(a.y, b.y);                  \
	}                                                                     \
	HEDDLE_HD bool __hb##c##u2(T2 a, T2 b)                                \
	{                                                                     \
		return __h##c##u(a.x, b.x) && __h##c##u(a.y, b.y);            \
	}
CMP(lt, <, >=)
CMP(le, <=, >)
CMP(gt, >, <=)
CMP(ge, >=, <)
#undef CMP
#define CMP_EQ(c, cond, condu)                                                \
	HEDDLE_HD bool __h##c(T a, T b)                                       \
	{                                                                     \
		float x = TO_F(a.__x), y = TO_F(b.__x);                       \
		return cond;                                                  \
	}                                                                     \
	HEDDLE_HD bool __h##c##u(T a, T b)                                    \
	{                                                                     \
		float x = TO_F(a.__x), y = TO_F(b.__x);                       \
		return condu;                                                 \
	}                                                                     \
	HEDDLE_HD T2 __h##c##2(T2 a, T2 b)                                    \
	{                                                                     \
		return T2(T(__h##c(a.x, b.x) ? 1.0f : 0.0f),                  \
			  T(__h##c(a.y, b.y) ? 1.0f : 0.0f));                 \
	}                                                                     \
	HEDDLE_HD bool __hb##c##2(T2 a, T2 b)                                 \
	{                                                                     \
		return __h##c(a.x, b.x) && __h##c(a.y, b.y);                  \
	}
CMP_EQ(eq, x == y, x == y || x != x || y != y)
CMP_EQ(ne, x < y || x > y, x != y)
#undef CMP_EQ
HEDDLE_HD bool __hisnan(T a) { return TO_F(a.__x) != TO_F(a.__x); }
HEDDLE_HD int __hisinf(T a)
{
	float f = TO_F(a.__x);
	return f == __builtin_inff() ? 1 : f == -__builtin_inff() ? -1 : 0;
}
HEDDLE_HD T2 __hisnan2(T2 a)
{
	return T2(T(__hisnan(a.x) ? 1.0f : 0.0f),
		  T(__hisnan(a.y) ? 1.0f : 0.0f));
}

/* ---- operators ---- */

#define OPER(op, fn)                                                          \
	HEDDLE_HD T operator op(const T &a, const T &b) { return fn(a, b); }  \
	HEDDLE_HD T &operator op##=(T &a, const T &b) { return a = fn(a, b); }
OPER(+, __hadd)
OPER(-, __hsub)
OPER(*, __hmul)
OPER(/, __hdiv)
#undef OPER
#define OPER2(op, fn)                                                         \
	HEDDLE_D T2 operator op(const T2 &a, const T2 &b) { return fn(a, b); }\
	HEDDLE_D T2 &operator op##=(T2 &a, const T2 &b) { return a = fn(a, b); }
OPER2(+, __hadd2)
OPER2(-, __hsub2)
OPER2(*, __hmul2)
OPER2(/, __h2div)
#undef OPER2
#define OPERC(op, fn, fn2)                                                    \
	HEDDLE_HD bool operator op(const T &a, const T &b)                    \
	{                                                                     \
		return fn(a, b);                                              \
	}                                                                     \
	HEDDLE_HD bool operator op(const T2 &a, const T2 &b)                  \
	{                                                                     \
		return fn2(a, b);                                             \
	}
OPERC(<, __hlt, __hblt2)
OPERC(<=, __hle, __hble2)
OPERC(>, __hgt, __hbgt2)
OPERC(>=, __hge, __hbge2)
OPERC(==, __heq, __hbeq2)
#undef OPERC
HEDDLE_HD bool operator!=(const T &a, const T &b) { return __hneu(a, b); }
HEDDLE_HD bool operator!=(const T2 &a, const T2 &b)
{
	return __hneu(a.x, b.x) && __hneu(a.y, b.y);
}
HEDDLE_HD T operator+(const T &a) { return a; }
HEDDLE_HD T operator-(const T &a) { return __hneg(a); }
HEDDLE_HD T2 operator+(const T2 &a) { return a; }
HEDDLE_HD T2 operator-(const T2 &a) { return __hneg2(a); }
HEDDLE_HD T &operator++(T &a) { return a = __hadd(a, T(1.0f)); }
HEDDLE_HD T &operator--(T &a) { return a = __hsub(a, T(1.0f)); }
HEDDLE_HD T operator++(T &a, int)
{
	T old = a;
	++a;
	return old;
}
HEDDLE_HD T operator--(T &a, int)
{
	T old = a;
	--a;
	return old;
}

/* ---- functions through float ---- */

#define FN(name, expr)                                                        \
	HEDDLE_D T h##name(T a)                                               \
	{                                                                     \
		float x = TO_F(a.__x);                                        \
		return T::bits(FROM_F(expr));                                 \
	}                                                                     \
	HEDDLE_D T2 h2##name(T2 a) { return T2(h##name(a.x), h##name(a.y)); }
FN(sqrt, __builtin_sqrtf(x))
FN(rsqrt, __frsqrt_approx(x))
FN(rcp, __frcp_rn(x))
FN(exp, ::expf(x))
FN(exp2, ::exp2f(x))
FN(exp10, ::exp10f(x))
FN(log, ::logf(x))
FN(log2, ::log2f(x))
FN(log10, ::log10f(x))
FN(sin, ::sinf(x))
FN(cos, ::cosf(x))
FN(tanh, ::tanhf(x))
FN(tanh_approx, __tanhf(x))
FN(floor, __builtin_floorf(x))
FN(ceil, __builtin_ceilf(x))
FN(trunc, __builtin_truncf(x))
FN(rint, __builtin_rintf(x))
#undef FN

/* ---- pairs ---- */

HEDDLE_HD float __low2float(T2 a) { return TO_F(a.x.__x); }
HEDDLE_HD float __high2float(T2 a) { return TO_F(a.y.__x); }

/* ---- memory, shuffles, atomics ---- */

#define LD(name)                                                              \
	HEDDLE_D T name(const T *p)                                           \
	{                                                                     \
		return T::bits(name((const unsigned short *)p));              \
	}                                                                     \
	HEDDLE_D T2 name(const T2 *p)                                         \
	{                                                                     \
		return T2::bits(name((const unsigned *)p));                   \
	}
LD(__ldg)
LD(__ldca)
LD(__ldcg)
LD(__ldcs)
LD(__ldlu)
LD(__ldcv)
#undef LD
#define ST(name)                                                              \
	HEDDLE_D void name(T *p, T v) { name((unsigned short *)p, v.__x); }   \
	HEDDLE_D void name(T2 *p, T2 v) { name((unsigned *)p, v.word()); }
ST(__stwb)
ST(__stcg)
ST(__stcs)
ST(__stwt)
#undef ST
#define X(name, legacy, mode, clamp, btype)                                   \
	HEDDLE_D T name(unsigned mask, T v, btype b, int width = 32)          \
	{                                                                     \
		return T::bits((unsigned short)name(mask, (unsigned)v.__x, b, \
						    width));                  \
	}                                                                     \
	HEDDLE_D T2 name(unsigned mask, T2 v, btype b, int width = 32)        \
	{                                                                     \
		return T2::bits(name(mask, v.word(), b, width));              \
	}
HEDDLE_SHFL_FORMS(X)
#undef X

/* By compare and swap: PTX has the packed form natively only for f16x2. */
HEDDLE_D T2 atomicAdd(T2 *p, T2 v)
{
	unsigned old = *(volatile unsigned *)p, seen;
	do {
		seen = old;
		old = atomicCAS((unsigned *)p, seen,
				__hadd2(T2::bits(seen), v).word());
	} while (old != seen);
	return T2::bits(old);
}

HEDDLE_D T atomicAdd(T *p, T v)
{
	unsigned short old = *(volatile unsigned short *)p, seen;
	do {
		seen = old;
		old = atomicCAS((unsigned short *)p, seen,
				__hadd(T::bits(seen), v).__x);
	} while (old != seen);
	return T::bits(old);
}
