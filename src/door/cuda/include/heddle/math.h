/*
 * Device math functions under their CUDA and C++ names. The algorithms are in
 * hdm_f32.h and hdm_f64.h; here they are named and overloaded, together with
 * the functions that are a single instruction.
 */
#ifndef HEDDLE_CUDA_MATH_H
#define HEDDLE_CUDA_MATH_H
#pragma GCC system_header

#include "config.h"
#include "hdm_f32.h"
#include "hdm_f64.h"
#include "hdm_bessel.h"
#include "intrinsics.h"
#include "math_decl.h"

/* What nvcc's -use_fast_math does to functions. Division, square roots and
 * subnormals stay as they are. */
#ifdef __USE_FAST_MATH__
#define hdm_cosf __cosf
#define hdm_exp10f __exp10f
#define hdm_expf __expf
#define hdm_log10f __log10f
#define hdm_log2f __log2f
#define hdm_logf __logf
#define hdm_powf __powf
#define hdm_sincosf __sincosf
#define hdm_sinf __sinf
#define hdm_tanf __tanf
#endif

#define DEF_1(side, name, namef)                                              \
	side double name(double x) { return hdm_##name(x); }                  \
	side float namef(float x) { return hdm_##namef(x); }                  \
	side float name(float x) { return hdm_##namef(x); }
#define DEF_2(side, name, namef)                                              \
	side double name(double x, double y) { return hdm_##name(x, y); }     \
	side float namef(float x, float y) { return hdm_##namef(x, y); }      \
	side float name(float x, float y) { return hdm_##namef(x, y); }
#define DEF_N64(side, R, name, params, args)                                  \
	side R name params { return hdm_##name args; }
#define DEF_N32(side, R, name, namef, params, args)                           \
	side R name params { return hdm_##namef args; }                       \
	side R namef params { return hdm_##namef args; }
#define DEF_D1(name, namef) DEF_1(HEDDLE_D, name, namef)
#define DEF_D2(name, namef) DEF_2(HEDDLE_D, name, namef)
#define DEF_DN64(R, name, namef, params, args)                                \
	DEF_N64(HEDDLE_D, R, name, params, args)
#define DEF_DN32(R, name, namef, params, args)                                \
	DEF_N32(HEDDLE_D, R, name, namef, params, args)
#define DEF_HD1(name, namef) DEF_1(HEDDLE_HD, name, namef)
#define DEF_HD2(name, namef) DEF_2(HEDDLE_HD, name, namef)
#define DEF_HDN64(R, name, namef, params, args)                               \
	DEF_N64(HEDDLE_HD, R, name, params, args)
#define DEF_HDN32(R, name, namef, params, args)                               \
	DEF_N32(HEDDLE_HD, R, name, namef, params, args)
HEDDLE_MATH_1_STD(DEF_D1)
HEDDLE_MATH_1_GNU(DEF_D1)
HEDDLE_MATH_1_CUDA(DEF_HD1)
HEDDLE_MATH_2_STD(DEF_D2)
HEDDLE_MATH_2_CUDA(DEF_HD2)
HEDDLE_MATH_N_STD(DEF_DN64, double)
HEDDLE_MATH_N_STD(DEF_DN32, float)
HEDDLE_MATH_N_GNU(DEF_DN64, double)
HEDDLE_MATH_N_GNU(DEF_DN32, float)
HEDDLE_MATH_N_CUDA(DEF_HDN64, double)
HEDDLE_MATH_N_CUDA(DEF_HDN32, float)
#undef DEF_1
#undef DEF_2
#undef DEF_N64
#undef DEF_N32
#undef DEF_D1
#undef DEF_D2
#undef DEF_DN64
#undef DEF_DN32
#undef DEF_HD1
#undef DEF_HD2
#undef DEF_HDN64
#undef DEF_HDN32
#ifdef __USE_FAST_MATH__
#undef hdm_cosf
#undef hdm_exp10f
#undef hdm_expf
#undef hdm_log10f
#undef hdm_log2f
#undef hdm_logf
#undef hdm_powf
#undef hdm_sincosf
#undef hdm_sinf
#undef hdm_tanf
#endif

HEDDLE_D float jnf(int n, float x) { return hdm_jnf(n, x); }
HEDDLE_D double jn(int n, double x) { return hdm_jn(n, x); }
HEDDLE_D float ynf(int n, float x) { return hdm_ynf(n, x); }
HEDDLE_D double yn(int n, double x) { return hdm_yn(n, x); }
HEDDLE_HD float normf(int n, const float *p) { return hdm_normf(n, p); }
HEDDLE_HD double norm(int n, const double *p) { return hdm_norm(n, p); }
HEDDLE_HD float rnormf(int n, const float *p) { return hdm_rnormf(n, p); }
HEDDLE_HD double rnorm(int n, const double *p) { return hdm_rnorm(n, p); }
HEDDLE_D float nanf(const char *) { return __builtin_nanf(""); }
HEDDLE_D double nan(const char *) { return __builtin_nan(""); }

/* Integers convert to double, as in C++. Without these the templates of
 * <cmath>, which end in builtins, would be chosen. */
template <class T> struct heddle_if_int {
};
#define X(T)                                                                  \
	template <> struct heddle_if_int<T> {                                 \
		typedef double type;                                          \
	};
X(bool) X(char) X(signed char) X(unsigned char) X(short) X(unsigned short)
X(int) X(unsigned) X(long) X(unsigned long) X(long long) X(unsigned long long)
#undef X
#define DEF_INT(name, namef)                                                  \
	template <class T>                                                    \
	HEDDLE_DT typename heddle_if_int<T>::type name(T x)                   \
	{                                                                     \
		return ::name((double)x);                                     \
	}
HEDDLE_MATH_1_STD(DEF_INT)
#undef DEF_INT

namespace std
{
#define USE(name, namef) using ::name;
HEDDLE_MATH_1_STD(USE)
#undef USE
}

HEDDLE_D int abs(int x) { return x < 0 ? -x : x; }
HEDDLE_D long abs(long x) { return x < 0 ? -x : x; }
HEDDLE_D long long abs(long long x) { return x < 0 ? -x : x; }
HEDDLE_D double abs(double x) { return __builtin_fabs(x); }
HEDDLE_D float abs(float x) { return __builtin_fabsf(x); }
HEDDLE_D long labs(long x) { return x < 0 ? -x : x; }
HEDDLE_D long long llabs(long long x) { return x < 0 ? -x : x; }

/* min and max exist on both sides, in the global namespace. */
#define MINMAX(T)                                                             \
	HEDDLE_HD T min(T a, T b) { return b < a ? b : a; }                   \
	HEDDLE_HD T max(T a, T b) { return a < b ? b : a; }
MINMAX(int)
MINMAX(unsigned)
MINMAX(long)
MINMAX(unsigned long)
MINMAX(long long)
MINMAX(unsigned long long)
#undef MINMAX
/* Operands of unequal signedness convert as the usual arithmetic rules say. */
#define MINMAX_MIXED(S, U)                                                    \
	HEDDLE_HD U min(S a, U b) { return min((U)a, b); }                    \
	HEDDLE_HD U min(U a, S b) { return min(a, (U)b); }                    \
	HEDDLE_HD U max(S a, U b) { return max((U)a, b); }                    \
	HEDDLE_HD U max(U a, S b) { return max(a, (U)b); }
MINMAX_MIXED(int, unsigned)
MINMAX_MIXED(long, unsigned long)
MINMAX_MIXED(long long, unsigned long long)
#undef MINMAX_MIXED
HEDDLE_HD float min(float a, float b) { return __builtin_fminf(a, b); }
HEDDLE_HD float max(float a, float b) { return __builtin_fmaxf(a, b); }
HEDDLE_HD double min(double a, double b) { return __builtin_fmin(a, b); }
HEDDLE_HD double max(double a, double b) { return __builtin_fmax(a, b); }
HEDDLE_HD double min(float a, double b) { return __builtin_fmin(a, b); }
HEDDLE_HD double min(double a, float b) { return __builtin_fmin(a, b); }
HEDDLE_HD double max(float a, double b) { return __builtin_fmax(a, b); }
HEDDLE_HD double max(double a, float b) { return __builtin_fmax(a, b); }
HEDDLE_D unsigned umin(unsigned a, unsigned b) { return min(a, b); }
HEDDLE_D unsigned umax(unsigned a, unsigned b) { return max(a, b); }
HEDDLE_D long long llmin(long long a, long long b) { return min(a, b); }
HEDDLE_D long long llmax(long long a, long long b) { return max(a, b); }
HEDDLE_D unsigned long long ullmin(unsigned long long a, unsigned long long b)
{
	return min(a, b);
}
HEDDLE_D unsigned long long ullmax(unsigned long long a, unsigned long long b)
{
	return max(a, b);
}

#endif
