/*
 * Error of the device math functions (src/door/cuda/include/heddle/hdm_*.h),
 * compiled here for the host, against libm's long double functions: quad on
 * arm64, 64 bits of significand on x86-64. Prints the largest error seen in
 * units in the last place for each function and range, and fails where it
 * passes the bound of the CUDA C++ programming guide.
 *
 *	math_accuracy [samples per row] [substring of names]
 *
 * The guide states differences from the correctly rounded result; what is
 * measured here is the distance from the true value, so half a unit is added
 * to its bounds.
 */
#define _GNU_SOURCE
#include "door/cuda/include/heddle/hdm_bessel.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

#define PI_R 3.14159265358979323846264338327950288L

/* ---- references that libm lacks ---- */

static real ref_rsqrt(real x)
{
	return 1 / sqrtl(x);
}

static real ref_rcbrt(real x)
{
	return 1 / cbrtl(x);
}

static real ref_sinpi(real x)
{
	real r = remainderl(x, 2), a = fabsl(r);
	return copysignl(sinl(PI_R * (a > 0.5L ? 1 - a : a)), r);
}

static real ref_cospi(real x)
{
	real r = fabsl(remainderl(x, 2));
	return r < 0.25L ? cosl(PI_R * r) : sinl(PI_R * (0.5L - r));
}

static real ref_erfcx(real x)
{
	if (x > 100)
		return (1 - 0.5L / (x * x) + 0.75L / (x * x * x * x)) /
		       (x * sqrtl(PI_R));
	return expl(x * x) * erfcl(x);
}

static real ref_normcdf(real x)
{
	return erfcl(-x * sqrtl(0.5L)) / 2;
}

/* Inverses: Newton from the double result; two steps are enough, because it
 * converges quadratically. */
static real ref_erfcinv(real q)
{
	real y = hdm_erfcinv((double)q);
	for (int i = 0; i < 3; i++)
		y += (erfcl(y) - q) / (2 / sqrtl(PI_R) * expl(-y * y));
	return y;
}

static real ref_erfinv(real x)
{
	real y = hdm_erfinv((double)x);
	for (int i = 0; i < 3; i++) {
		real f = x > 0.5L  ? (1 - x) - erfcl(y) :
			 x < -0.5L ? erfcl(-y) - (1 + x) :
				     erfl(y) - x;
		y -= f / (2 / sqrtl(PI_R) * expl(-y * y));
	}
	return y;
}

static real ref_normcdfinv(real p)
{
	return -sqrtl(2.0L) * ref_erfcinv(2 * p);
}

static real bessel_i(int n, real x)
{
	real t = n ? x / 2 : 1, s = t, q = x * x / 4;
	for (int k = 1; k < 4000 && t > s * 1e-37L; k++) {
		t *= q / ((real)k * (k + n));
		s += t;
	}
	return s;
}

static real ref_i0(real x)
{
	return bessel_i(0, x);
}

static real ref_i1(real x)
{
	return bessel_i(1, x);
}

static real ref_rhypot(real x, real y)
{
	return 1 / hypotl(x, y);
}

static real ref_sin_of_sincos(real x)
{
	return sinl(x);
}

static float sincosf_s(float x)
{
	float s, c;
	hdm_sincosf(x, &s, &c);
	return s;
}

static float sincosf_c(float x)
{
	float s, c;
	hdm_sincosf(x, &s, &c);
	return c;
}

static double sincos_s(double x)
{
	double s, c;
	hdm_sincos(x, &s, &c);
	return s;
}

static double sincos_c(double x)
{
	double s, c;
	hdm_sincos(x, &s, &c);
	return c;
}

static float norm3df_xy(float x, float y)
{
	return hdm_norm3df(x, y, x);
}

static float rnorm3df_xy(float x, float y)
{
	return hdm_rnorm3df(x, y, x);
}

static float norm4df_xy(float x, float y)
{
	return hdm_norm4df(x, y, x, y);
}

static float rnorm4df_xy(float x, float y)
{
	return hdm_rnorm4df(x, y, x, y);
}

static double norm3d_xy(double x, double y)
{
	return hdm_norm3d(x, y, x);
}

static double rnorm3d_xy(double x, double y)
{
	return hdm_rnorm3d(x, y, x);
}

static double norm4d_xy(double x, double y)
{
	return hdm_norm4d(x, y, x, y);
}

static double rnorm4d_xy(double x, double y)
{
	return hdm_rnorm4d(x, y, x, y);
}

static real ref_norm3(real x, real y)
{
	return sqrtl(2 * x * x + y * y);
}

static real ref_rnorm3(real x, real y)
{
	return 1 / ref_norm3(x, y);
}

static real ref_norm4(real x, real y)
{
	return sqrtl(2 * x * x + 2 * y * y);
}

static real ref_rnorm4(real x, real y)
{
	return 1 / ref_norm4(x, y);
}

/* ---- the table ---- */

enum spread {
	LIN, /* uniform over [lo, hi] */
	LOG, /* uniform exponents over [lo, hi], both > 0 */
	ANY, /* LOG with both signs */
};

struct row1 {
	const char *name;
	float (*f32)(float);
	double (*f64)(double);
	real (*ref)(real);
	double lo, hi;
	enum spread spread;
	double ulp; /* the guide's bound; 0: must be exact */
	double abs; /* or this absolute error, where the guide states one */
};

#define F(fn, ref, lo, hi, sp, ulp)                          \
	{                                                    \
#fn, hdm_##fn, NULL, ref, lo, hi, sp, ulp, 0 \
	}
#define D(fn, ref, lo, hi, sp, ulp)                          \
	{                                                    \
#fn, NULL, hdm_##fn, ref, lo, hi, sp, ulp, 0 \
	}
#define FA(fn, ref, lo, hi, sp, abs)                         \
	{                                                    \
#fn, hdm_##fn, NULL, ref, lo, hi, sp, 0, abs \
	}
#define DA(fn, ref, lo, hi, sp, abs)                         \
	{                                                    \
#fn, NULL, hdm_##fn, ref, lo, hi, sp, 0, abs \
	}

/* clang-format off */
static const struct row1 rows1[] = {
	F(sqrtf, sqrtl, 1e-45, 3e38, LOG, 0),
	F(rsqrtf, ref_rsqrt, 1e-45, 3e38, LOG, 2),
	F(cbrtf, cbrtl, 1e-45, 3e38, ANY, 1),
	F(rcbrtf, ref_rcbrt, 1e-38, 3e38, ANY, 1),
	F(expf, expl, -103, 88.7, LIN, 2),
	F(expf, expl, 1e-10, 1, ANY, 2),
	F(exp2f, exp2l, -149, 127.9, LIN, 2),
	F(exp10f, exp10l, -45, 38.5, LIN, 2),
	F(exp10f, exp10l, 1e-10, 1, ANY, 2),
	F(expm1f, expm1l, -20, 88.7, LIN, 1),
	F(expm1f, expm1l, 1e-30, 3, ANY, 1),
	F(logf, logl, 1e-45, 3e38, LOG, 1),
	F(logf, logl, 0.5, 2, LIN, 1),
	F(log2f, log2l, 1e-45, 3e38, LOG, 1),
	F(log2f, log2l, 0.5, 2, LIN, 1),
	F(log10f, log10l, 1e-45, 3e38, LOG, 2),
	F(log10f, log10l, 0.5, 2, LIN, 2),
	F(log1pf, log1pl, 1e-30, 3e38, LOG, 1),
	F(log1pf, log1pl, -0.999999, 3, LIN, 1),
	F(sinf, sinl, 1e-30, 3e38, ANY, 2),
	F(sinf, sinl, -10, 10, LIN, 2),
	F(sinf, sinl, -1e5, 1e5, LIN, 2),
	F(cosf, cosl, 1e-30, 3e38, ANY, 2),
	F(cosf, cosl, -10, 10, LIN, 2),
	F(cosf, cosl, -1e5, 1e5, LIN, 2),
	F(tanf, tanl, 1e-30, 3e38, ANY, 4),
	F(tanf, tanl, -10, 10, LIN, 4),
	F(tanf, tanl, -1e5, 1e5, LIN, 4),
	F(sinpif, ref_sinpi, 1e-30, 1e7, ANY, 1),
	F(sinpif, ref_sinpi, -3, 3, LIN, 1),
	F(cospif, ref_cospi, 1e-30, 1e7, ANY, 1),
	F(cospif, ref_cospi, -3, 3, LIN, 1),
	F(asinf, asinl, -1, 1, LIN, 2),
	F(asinf, asinl, 1e-30, 1, ANY, 2),
	F(acosf, acosl, -1, 1, LIN, 2),
	F(acosf, acosl, 1e-30, 1, ANY, 2),
	F(atanf, atanl, 1e-30, 3e38, ANY, 2),
	F(atanf, atanl, -4, 4, LIN, 2),
	F(sinhf, sinhl, -89, 89, LIN, 3),
	F(sinhf, sinhl, 1e-30, 10, ANY, 3),
	F(coshf, coshl, -89, 89, LIN, 2),
	F(coshf, coshl, 1e-30, 10, ANY, 2),
	F(tanhf, tanhl, 1e-30, 20, ANY, 2),
	F(tanhf, tanhl, -3, 3, LIN, 2),
	F(asinhf, asinhl, 1e-30, 3e38, ANY, 3),
	F(asinhf, asinhl, -4, 4, LIN, 3),
	F(acoshf, acoshl, 1, 3e38, LOG, 4),
	F(acoshf, acoshl, 1, 4, LIN, 4),
	F(atanhf, atanhl, -1, 1, LIN, 3),
	F(atanhf, atanhl, 1e-30, 1, ANY, 3),
	F(erff, erfl, 1e-30, 10, ANY, 2),
	F(erff, erfl, -4, 4, LIN, 2),
	F(erfcf, erfcl, -4, 10, LIN, 4),
	F(erfcf, erfcl, 1e-30, 10, ANY, 4),
	F(erfcxf, ref_erfcx, -9, 100, LIN, 4),
	F(erfcxf, ref_erfcx, 1e-10, 1e30, LOG, 4),
	F(erfinvf, ref_erfinv, -0.99999, 0.99999, LIN, 2),
	F(erfinvf, ref_erfinv, 1e-30, 0.9, ANY, 2),
	F(erfcinvf, ref_erfcinv, 1e-37, 1.99, LOG, 4),
	F(erfcinvf, ref_erfcinv, 0.0001, 1.999, LIN, 4),
	F(normcdff, ref_normcdf, -14, 8, LIN, 5),
	F(normcdfinvf, ref_normcdfinv, 1e-37, 0.999, LOG, 5),
	F(normcdfinvf, ref_normcdfinv, 0.0001, 0.999, LIN, 5),
	F(lgammaf, lgammal, 1e-30, 1e30, LOG, 6),
	F(lgammaf, lgammal, -2.26, 6, LIN, 6),
	F(lgammaf, lgammal, -80, -10.01, LIN, 6),
	F(tgammaf, tgammal, -41, 34, LIN, 5),
	F(tgammaf, tgammal, 1e-37, 34, LOG, 5),
	F(j0f, j0l, 0, 8, LIN, 9),
	FA(j0f, j0l, 8, 1e4, LOG, 2.2e-6),
	F(j1f, j1l, -8, 8, LIN, 9),
	FA(j1f, j1l, 8, 1e4, LOG, 2.2e-6),
	F(y0f, y0l, 1e-30, 8, LOG, 9),
	FA(y0f, y0l, 8, 1e4, LOG, 2.2e-6),
	F(y1f, y1l, 1e-30, 8, LOG, 9),
	FA(y1f, y1l, 8, 1e4, LOG, 2.2e-6),
	F(cyl_bessel_i0f, ref_i0, 1e-3, 90, LOG, 6),
	F(cyl_bessel_i1f, ref_i1, 1e-3, 90, LOG, 6),
	F(roundf, roundl, -1e4, 1e4, LIN, 0),
	F(rintf, rintl, -1e4, 1e4, LIN, 0),
	F(logbf, logbl, 1e-45, 3e38, LOG, 0),

	D(sqrt, sqrtl, 1e-320, 1e308, LOG, 0),
	D(rsqrt, ref_rsqrt, 1e-320, 1e308, LOG, 1),
	D(cbrt, cbrtl, 1e-320, 1e308, ANY, 1),
	D(rcbrt, ref_rcbrt, 1e-320, 1e308, ANY, 1),
	D(exp, expl, -745, 709.7, LIN, 1),
	D(exp, expl, 1e-20, 1, ANY, 1),
	D(exp2, exp2l, -1074, 1023.9, LIN, 1),
	D(exp2, exp2l, 1e-20, 1, ANY, 1),
	D(exp10, exp10l, -323, 308, LIN, 1),
	D(exp10, exp10l, 1e-20, 1, ANY, 1),
	D(expm1, expm1l, -40, 709.7, LIN, 1),
	D(expm1, expm1l, 1e-100, 3, ANY, 1),
	D(log, logl, 1e-320, 1e308, LOG, 1),
	D(log, logl, 0.5, 2, LIN, 1),
	D(log2, log2l, 1e-320, 1e308, LOG, 1),
	D(log2, log2l, 0.5, 2, LIN, 1),
	D(log10, log10l, 1e-320, 1e308, LOG, 1),
	D(log10, log10l, 0.5, 2, LIN, 1),
	D(log1p, log1pl, 1e-100, 1e308, LOG, 1),
	D(log1p, log1pl, -0.9999999, 3, LIN, 1),
	D(sin, sinl, 1e-100, 1e308, ANY, 2),
	D(sin, sinl, -10, 10, LIN, 2),
	D(sin, sinl, -1e6, 1e6, LIN, 2),
	D(cos, cosl, 1e-100, 1e308, ANY, 2),
	D(cos, cosl, -10, 10, LIN, 2),
	D(cos, cosl, -1e6, 1e6, LIN, 2),
	D(tan, tanl, 1e-100, 1e308, ANY, 2),
	D(tan, tanl, -10, 10, LIN, 2),
	D(sinpi, ref_sinpi, 1e-100, 1e15, ANY, 2),
	D(sinpi, ref_sinpi, -3, 3, LIN, 2),
	D(cospi, ref_cospi, 1e-100, 1e15, ANY, 2),
	D(cospi, ref_cospi, -3, 3, LIN, 2),
	D(asin, asinl, -1, 1, LIN, 2),
	D(asin, asinl, 1e-100, 1, ANY, 2),
	D(acos, acosl, -1, 1, LIN, 2),
	D(acos, acosl, 1e-100, 1, ANY, 2),
	D(atan, atanl, 1e-100, 1e100, ANY, 2),
	D(atan, atanl, -4, 4, LIN, 2),
	D(sinh, sinhl, -710, 710, LIN, 2),
	D(sinh, sinhl, 1e-100, 10, ANY, 2),
	D(cosh, coshl, -710, 710, LIN, 1),
	D(cosh, coshl, 1e-100, 10, ANY, 1),
	D(tanh, tanhl, 1e-100, 30, ANY, 1),
	D(tanh, tanhl, -3, 3, LIN, 1),
	D(asinh, asinhl, 1e-100, 1e300, ANY, 3),
	D(asinh, asinhl, -4, 4, LIN, 3),
	D(acosh, acoshl, 1, 1e300, LOG, 3),
	D(acosh, acoshl, 1, 4, LIN, 3),
	D(atanh, atanhl, -1, 1, LIN, 2),
	D(atanh, atanhl, 1e-100, 1, ANY, 2),
	D(erf, erfl, 1e-100, 10, ANY, 2),
	D(erf, erfl, -4, 4, LIN, 2),
	D(erfc, erfcl, -4, 26.5, LIN, 5),
	D(erfc, erfcl, 1e-100, 10, ANY, 5),
	D(erfcx, ref_erfcx, -26, 90, LIN, 4),
	D(erfcx, ref_erfcx, 1e-10, 90, LOG, 4),
	D(erfinv, ref_erfinv, -0.999999, 0.999999, LIN, 5),
	D(erfinv, ref_erfinv, 1e-100, 0.9, ANY, 5),
	D(erfcinv, ref_erfcinv, 1e-300, 1.99, LOG, 6),
	D(erfcinv, ref_erfcinv, 0.0001, 1.999, LIN, 6),
	D(normcdf, ref_normcdf, -38, 9, LIN, 5),
	D(normcdfinv, ref_normcdfinv, 1e-300, 0.999, LOG, 8),
	D(normcdfinv, ref_normcdfinv, 0.0001, 0.999, LIN, 8),
	D(lgamma, lgammal, 1e-100, 1e300, LOG, 4),
	D(lgamma, lgammal, -2.26, 12, LIN, 4),
	D(lgamma, lgammal, -170, -23.001, LIN, 4),
	D(tgamma, tgammal, -180, 171, LIN, 10),
	D(tgamma, tgammal, 1e-300, 20, LOG, 10),
	D(j0, j0l, 0, 8, LIN, 7),
	DA(j0, j0l, 8, 1e5, LOG, 5e-12),
	D(j1, j1l, -8, 8, LIN, 7),
	DA(j1, j1l, 8, 1e5, LOG, 5e-12),
	D(y0, y0l, 1e-100, 8, LOG, 7),
	D(y0, y0l, 0.1, 8, LIN, 7),
	DA(y0, y0l, 8, 1e5, LOG, 5e-12),
	D(y1, y1l, 1e-100, 8, LOG, 7),
	D(y1, y1l, 0.1, 8, LIN, 7),
	DA(y1, y1l, 8, 1e5, LOG, 5e-12),
	D(cyl_bessel_i0, ref_i0, 1e-3, 700, LOG, 6),
	D(cyl_bessel_i1, ref_i1, 1e-3, 700, LOG, 6),
	D(round, roundl, -1e9, 1e9, LIN, 0),
	D(rint, rintl, -1e9, 1e9, LIN, 0),
	D(logb, logbl, 1e-320, 1e308, LOG, 0),

	{ "sincosf.sin", sincosf_s, NULL, ref_sin_of_sincos, 1e-3, 3e38, ANY, 2, 0 },
	{ "sincosf.cos", sincosf_c, NULL, cosl, 1e-3, 3e38, ANY, 2, 0 },
	{ "sincos.sin", NULL, sincos_s, sinl, 1e-3, 1e308, ANY, 2, 0 },
	{ "sincos.cos", NULL, sincos_c, cosl, 1e-3, 1e308, ANY, 2, 0 },
};

struct row2 {
	const char *name;
	float (*f32)(float, float);
	double (*f64)(double, double);
	real (*ref)(real, real);
	double xlo, xhi;
	enum spread xspread;
	double ylo, yhi;
	enum spread yspread;
	double ulp;
};

static const struct row2 rows2[] = {
	{ "powf", hdm_powf, NULL, powl, 1e-38, 3e38, LOG, -2, 2, LIN, 4 },
	{ "powf", hdm_powf, NULL, powl, 0.3, 3, LIN, -100, 100, LIN, 4 },
	{ "powf", hdm_powf, NULL, powl, 0.99, 1.01, LIN, -1e4, 1e4, LIN, 4 },
	{ "atan2f", hdm_atan2f, NULL, atan2l, 1e-9, 1e9, ANY, 1e-9, 1e9, ANY, 3 },
	{ "atan2f", hdm_atan2f, NULL, atan2l, -1, 1, LIN, -1, 1, LIN, 3 },
	{ "hypotf", hdm_hypotf, NULL, hypotl, 1e-38, 1e38, ANY, 1e-38, 1e38, ANY, 3 },
	{ "hypotf", hdm_hypotf, NULL, hypotl, -1, 1, LIN, -1, 1, LIN, 3 },
	{ "rhypotf", hdm_rhypotf, NULL, ref_rhypot, 1e-37, 1e37, ANY, 1e-37, 1e37, ANY, 2 },
	{ "rhypotf", hdm_rhypotf, NULL, ref_rhypot, -1, 1, LIN, -1, 1, LIN, 2 },
	{ "norm3df", norm3df_xy, NULL, ref_norm3, 1e-3, 1e3, ANY, 1e-3, 1e3, ANY, 3 },
	{ "rnorm3df", rnorm3df_xy, NULL, ref_rnorm3, 1e-3, 1e3, ANY, 1e-3, 1e3, ANY, 2 },
	{ "norm4df", norm4df_xy, NULL, ref_norm4, 1e-3, 1e3, ANY, 1e-3, 1e3, ANY, 3 },
	{ "rnorm4df", rnorm4df_xy, NULL, ref_rnorm4, 1e-3, 1e3, ANY, 1e-3, 1e3, ANY, 2 },
	{ "fmodf", hdm_fmodf, NULL, fmodl, 1e-44, 3e38, ANY, 1e-44, 3e38, ANY, 0 },
	{ "remainderf", hdm_remainderf, NULL, remainderl, 1e-44, 3e38, ANY, 1e-44, 3e38, ANY, 0 },
	{ "fdimf", hdm_fdimf, NULL, fdiml, -10, 10, LIN, -10, 10, LIN, 0.5 },
	{ "pow", NULL, hdm_pow, powl, 1e-300, 1e300, LOG, -2, 2, LIN, 2 },
	{ "pow", NULL, hdm_pow, powl, 0.3, 3, LIN, -600, 600, LIN, 2 },
	{ "pow", NULL, hdm_pow, powl, 0.999, 1.001, LIN, -6e5, 6e5, LIN, 2 },
	{ "atan2", NULL, hdm_atan2, atan2l, 1e-9, 1e9, ANY, 1e-9, 1e9, ANY, 2 },
	{ "atan2", NULL, hdm_atan2, atan2l, -1, 1, LIN, -1, 1, LIN, 2 },
	{ "hypot", NULL, hdm_hypot, hypotl, 1e-300, 1e300, ANY, 1e-300, 1e300, ANY, 2 },
	{ "hypot", NULL, hdm_hypot, hypotl, -1, 1, LIN, -1, 1, LIN, 2 },
	{ "rhypot", NULL, hdm_rhypot, ref_rhypot, 1e-300, 1e300, ANY, 1e-300, 1e300, ANY, 1 },
	{ "rhypot", NULL, hdm_rhypot, ref_rhypot, -1, 1, LIN, -1, 1, LIN, 1 },
	{ "norm3d", NULL, norm3d_xy, ref_norm3, 1e-3, 1e3, ANY, 1e-3, 1e3, ANY, 2 },
	{ "rnorm3d", NULL, rnorm3d_xy, ref_rnorm3, 1e-3, 1e3, ANY, 1e-3, 1e3, ANY, 1 },
	{ "norm4d", NULL, norm4d_xy, ref_norm4, 1e-3, 1e3, ANY, 1e-3, 1e3, ANY, 2 },
	{ "rnorm4d", NULL, rnorm4d_xy, ref_rnorm4, 1e-3, 1e3, ANY, 1e-3, 1e3, ANY, 1 },
	{ "fmod", NULL, hdm_fmod, fmodl, 1e-320, 1e308, ANY, 1e-320, 1e308, ANY, 0 },
	{ "remainder", NULL, hdm_remainder, remainderl, 1e-320, 1e308, ANY, 1e-320, 1e308, ANY, 0 },
	{ "fdim", NULL, hdm_fdim, fdiml, -10, 10, LIN, -10, 10, LIN, 0.5 },
};
/* clang-format on */

/* ---- measuring ---- */

static uint64_t rng = 0x9e3779b97f4a7c15u;

static double uniform(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (double)(rng >> 11) * 0x1p-53;
}

static double sample(double lo, double hi, enum spread spread)
{
	if (spread == LIN)
		return lo + (hi - lo) * uniform();
	double v = exp(log(lo) + (log(hi) - log(lo)) * uniform());
	v = v < lo ? lo : v > hi ? hi : v;
	return spread == ANY && uniform() < 0.5 ? -v : v;
}

/* |got - want| in units of the last place of want, in a format with `digits`
 * bits of significand and minimum exponent `emin`. */
static double ulps(real got, real want, int digits, int emin)
{
	int e;
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got) ? 0 : INFINITY;
	if (got == want)
		return 0;
	real limit = ldexpl(1, digits == 24 ? 128 : 1024);
	if (isinf(got) || isinf(want))
		return fabsl(isinf(got) ? want : got) >=
				       limit * (1 - ldexpl(1, -digits - 1)) ?
			       0 :
			       INFINITY;
	frexpl(want, &e);
	e = e - digits < emin ? emin : e - digits;
	return (double)(fabsl(got - want) / ldexpl(1, e));
}

static bool report(const char *name, double worst, double bound, bool is_abs,
		   double x, double y, bool two)
{
	bool ok = is_abs ? worst <= bound :
			   worst <= (bound == 0 ? 0 : bound + 0.5);
	if (bound == 0)
		ok = worst <= 0.5;
	printf("%-16s %10.4g %s (bound %g) at %.9g", name, worst,
	       is_abs ? "abs" : "ulp", bound, x);
	if (two)
		printf(", %.9g", y);
	printf("%s\n", ok ? "" : "  ** above the bound");
	return ok;
}

static bool run1(const struct row1 *r, long count)
{
	double worst = 0, at = 0;
	for (long i = 0; i < count; i++) {
		double x = sample(r->lo, r->hi, r->spread);
		real got, want;
		double e;
		if (r->f32) {
			x = (float)x;
			got = r->f32((float)x);
		} else {
			got = r->f64(x);
		}
		want = r->ref(x);
		if (r->abs > 0)
			e = (double)fabsl(got - want);
		else if (r->f32)
			e = ulps(got, want, 24, -149);
		else
			e = ulps(got, want, 53, -1074);
		if (e > worst || e != e) {
			worst = e;
			at = x;
		}
	}
	return report(r->name, worst, r->abs > 0 ? r->abs : r->ulp, r->abs > 0,
		      at, 0, false);
}

static bool run2(const struct row2 *r, long count)
{
	double worst = 0, atx = 0, aty = 0;
	for (long i = 0; i < count; i++) {
		double x = sample(r->xlo, r->xhi, r->xspread);
		double y = sample(r->ylo, r->yhi, r->yspread), e;
		if (r->f32) {
			x = (float)x;
			y = (float)y;
			e = ulps(r->f32((float)x, (float)y), r->ref(x, y), 24,
				 -149);
		} else {
			e = ulps(r->f64(x, y), r->ref(x, y), 53, -1074);
		}
		if (e > worst || e != e) {
			worst = e;
			atx = x;
			aty = y;
		}
	}
	return report(r->name, worst, r->ulp, false, atx, aty, true);
}

/* Zeros, infinities, NaN and the ends of the range, for the functions that libm
 * has too: same class of result, and the same sign where it is not NaN. */
static bool run_specials(const struct row1 *r)
{
	static const double xs[] = { 0.0,  -0.0,  INFINITY, -INFINITY,
				     NAN,  1.0,   -1.0,     2.0,
				     -2.0, 0.5,   1e-320,   1e-44,
				     3e38, -3e38, 1.7e308,  -1.7e308 };
	bool ok = true;
	for (size_t i = 0; i < sizeof(xs) / sizeof(xs[0]); i++) {
		double x = r->f32 ? (float)xs[i] : xs[i];
		real got = r->f32 ? r->f32((float)x) : r->f64(x);
		real want = r->f32 ? (float)r->ref(x) : (double)r->ref(x);
		/* Versions of libm disagree about this sign. */
		if (r->ref == j1l && isinf(x))
			want = copysignl(0, x);
		bool same = isnan(want) ? isnan(got) :
			    isinf(want) || want == 0 ?
					  got == want && signbit(got) ==
								 signbit(want) :
					  fabsl(got / want - 1) < 1e-4L;
		if (!same)
			printf("%s(%g) = %Lg, libm has %Lg\n", r->name, x, got,
			       want);
		ok &= same;
	}
	return ok;
}

static bool has_libm(const struct row1 *r)
{
	static real (*const own[])(real) = {
		ref_rsqrt,  ref_rcbrt,   ref_sinpi,   ref_cospi,      ref_erfcx,
		ref_erfinv, ref_normcdf, ref_erfcinv, ref_normcdfinv, ref_i0,
		ref_i1,     y0l,         y1l,
	};
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (r->ref == own[i])
			return false;
	return true;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 2000;
	const char *only = argc > 2 ? argv[2] : "";
	int bad = 0;

	for (size_t i = 0; i < sizeof(rows1) / sizeof(rows1[0]); i++)
		if (strstr(rows1[i].name, only)) {
			bad += !run1(&rows1[i], count);
			if (has_libm(&rows1[i]))
				bad += !run_specials(&rows1[i]);
		}
	for (size_t i = 0; i < sizeof(rows2) / sizeof(rows2[0]); i++)
		if (strstr(rows2[i].name, only))
			bad += !run2(&rows2[i], count);
	if (bad)
		printf("%d rows failed\n", bad);
	return bad != 0;
}
