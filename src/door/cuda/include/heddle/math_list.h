/*
 * The device math functions, once: the name of the double version, of the
 * float version, and whether namespace std has it. Expanded into declarations
 * (math_decl.h) and definitions (math.h).
 *
 * Of the names that namespace std does not have, the host's C library has those
 * of HEDDLE_MATH_1_GNU and HEDDLE_MATH_N_GNU; the others are ours on both
 * sides.
 */
#define HEDDLE_MATH_1_STD(X)                                                  \
	X(acos, acosf) X(acosh, acoshf) X(asin, asinf) X(asinh, asinhf)       \
	X(atan, atanf) X(atanh, atanhf) X(cbrt, cbrtf) X(ceil, ceilf)         \
	X(cos, cosf) X(cosh, coshf) X(erf, erff) X(erfc, erfcf)               \
	X(exp, expf) X(exp2, exp2f) X(expm1, expm1f) X(fabs, fabsf)           \
	X(floor, floorf) X(lgamma, lgammaf) X(log, logf) X(log10, log10f)     \
	X(log1p, log1pf) X(log2, log2f) X(logb, logbf)                        \
	X(nearbyint, nearbyintf) X(rint, rintf) X(round, roundf)              \
	X(sin, sinf) X(sinh, sinhf) X(sqrt, sqrtf) X(tan, tanf)               \
	X(tanh, tanhf) X(tgamma, tgammaf) X(trunc, truncf)
#define HEDDLE_MATH_1_CUDA(X)                                                 \
	X(cospi, cospif) X(cyl_bessel_i0, cyl_bessel_i0f)                     \
	X(cyl_bessel_i1, cyl_bessel_i1f) X(erfcinv, erfcinvf)                 \
	X(erfcx, erfcxf) X(erfinv, erfinvf) X(normcdf, normcdff)              \
	X(normcdfinv, normcdfinvf) X(rcbrt, rcbrtf) X(rsqrt, rsqrtf)          \
	X(sinpi, sinpif)
#define HEDDLE_MATH_1_GNU(X)                                                  \
	X(exp10, exp10f) X(j0, j0f) X(j1, j1f) X(y0, y0f) X(y1, y1f)
#define HEDDLE_MATH_2_STD(X)                                                  \
	X(atan2, atan2f) X(copysign, copysignf) X(fdim, fdimf)                \
	X(fmax, fmaxf) X(fmin, fminf) X(fmod, fmodf) X(hypot, hypotf)         \
	X(nextafter, nextafterf) X(pow, powf) X(remainder, remainderf)
#define HEDDLE_MATH_2_CUDA(X) X(rhypot, rhypotf)

/* Float argument, other shapes: result, name, float name, parameters,
 * arguments. T is the floating type. */
#define HEDDLE_MATH_N_STD(X, T)                                               \
	X(T, fma, fmaf, (T x, T y, T z), (x, y, z))                           \
	X(T, ldexp, ldexpf, (T x, int n), (x, n))                             \
	X(T, scalbn, scalbnf, (T x, int n), (x, n))                           \
	X(T, scalbln, scalblnf, (T x, long n), (x, n))                        \
	X(T, frexp, frexpf, (T x, int *e), (x, e))                            \
	X(T, modf, modff, (T x, T *i), (x, i))                                \
	X(T, remquo, remquof, (T x, T y, int *q), (x, y, q))                  \
	X(int, ilogb, ilogbf, (T x), (x))                                     \
	X(long, lrint, lrintf, (T x), (x))                                    \
	X(long long, llrint, llrintf, (T x), (x))                             \
	X(long, lround, lroundf, (T x), (x))                                  \
	X(long long, llround, llroundf, (T x), (x))
#define HEDDLE_MATH_N_GNU(X, T)                                               \
	X(void, sincos, sincosf, (T x, T *s, T *c), (x, s, c))
#define HEDDLE_MATH_N_CUDA(X, T)                                              \
	X(void, sincospi, sincospif, (T x, T *s, T *c), (x, s, c))            \
	X(T, norm3d, norm3df, (T a, T b, T c), (a, b, c))                     \
	X(T, rnorm3d, rnorm3df, (T a, T b, T c), (a, b, c))                   \
	X(T, norm4d, norm4df, (T a, T b, T c, T d), (a, b, c, d))             \
	X(T, rnorm4d, rnorm4df, (T a, T b, T c, T d), (a, b, c, d))
