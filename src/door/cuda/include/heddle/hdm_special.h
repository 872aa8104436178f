/*
 * Error function family, gamma and Bessel functions. The float versions of erf,
 * erfc, erfcx and normcdf are single precision; those of the inverses, gamma
 * and Bessel functions round the double result.
 *
 * erfcx(x) = exp(x^2) erfc(x) for x >= 0: (1 + 2x) erfcx(x) is smooth in
 * t = (x - 4) / (x + 4) (the variable of Shepherd and Laframboise, 1981).
 */
#ifndef HEDDLE_HDM_SPECIAL_H
#define HEDDLE_HDM_SPECIAL_H

#include "hdm_f32.h"
#include "hdm_f64.h"

/* ---- error functions, float ---- */

HDM float hdm_kerfcxf(float x) /* 0 <= x <= 28 */
{
	float t = (x - 4.0f) / (x + 4.0f);
	float p = HORNERF(t, 1.23299515f, -0.139620945f, 0.0153785218f,
			  0.0680913478f, -0.101029381f, 0.0937864929f,
			  -0.0663548335f, 0.0369581915f, -0.0162182003f,
			  0.00539818173f, -0.00060660264f, -0.000448604813f);
	return p / hdm_fmaf(2.0f, x, 1.0f);
}

HDM float hdm_kerff(float x) /* |x| < 1 */
{
	float z = x * x;
	float q = HORNERF(z, -0.376126379f, 0.112837628f, -0.0268637929f,
			  0.00521536125f, -0.000838942709f, 0.000105098952f,
			  -7.34699415e-06f);
	/* 2/sqrt(pi) in two parts */
	return hdm_fmaf(x, 1.12837922f,
			hdm_fmaf(x * z, q, x * -5.35863e-08f));
}

/* erfc(x + lo) */
HDM float hdm_erfc2f(float x, float lo)
{
	float a = hdm_fabsf(x);
	if (a < 0.48f)
		return 1.0f - (hdm_kerff(x) + 1.12837917f * lo);
	if (x < 0.0f)
		lo = -lo;
	int n;
	float c = a > 11.0f ? 11.0f : a;
	float h = hdm_mulf(c, c);
	float l = hdm_fmaf(c, c, -h) + 2.0f * c * lo;
	float p = hdm_expsplitf(-h, -l, &n) * hdm_kerfcxf(c);
	float v = hdm_scalef(p, n);
	return x < 0.0f ? 2.0f - v : v;
}

HDM float hdm_erfcf(float x)
{
	return x != x ? x : hdm_erfc2f(x, 0.0f);
}

HDM float hdm_erff(float x)
{
	float a = hdm_fabsf(x);
	if (a < 1.0f)
		return x == 0.0f ? x : hdm_kerff(x);
	return x != x ? x : hdm_copysignf(1.0f - hdm_erfc2f(a, 0.0f), x);
}

HDM float hdm_erfcxf(float x)
{
	float a = hdm_fabsf(x), v;
	if (a < 0.48f)
		return hdm_expf(x * x) * (1.0f - hdm_kerff(x));
	if (a <= 28.0f) {
		v = hdm_kerfcxf(a);
	} else {
		float r = 1.0f / a, w = r * r;
		v = 0.564189584f * r * HORNERF(w, 1.0f, -0.5f, 0.75f);
	}
	if (!(x < 0.0f))
		return x != x ? x : v;
	int n;
	float c = a > 9.5f ? 9.5f : a, h = hdm_mulf(c, c);
	float p = hdm_expsplitf(h, hdm_fmaf(c, c, -h), &n);
	return hdm_scalef(p, n + 1) - v;
}

HDM float hdm_normcdff(float x)
{
	float c = x < -15.0f ? -15.0f : x > 15.0f ? 15.0f : x;
	float h = hdm_mulf(c, -0.707106769f);
	float l = hdm_fmaf(c, -0.707106769f, -h) + c * -1.21016175e-08f;
	return x != x ? x : 0.5f * hdm_erfc2f(h, l);
}

/* ---- error functions, double ---- */

HDM double hdm_kerfcx(double x) /* 0 <= x <= 28 */
{
	double t = (x - 4.0) / (x + 4.0);
	double p = HORNERD(t, 1.2329951186255526, -0.13962111684056253,
			   0.015379652102614277, 0.068097054254692924,
			   -0.10103906603611144, 0.093732834998377965,
			   -0.066330365815330444, 0.037167515536461533,
			   -0.016197734030357753, 0.0050319699918476663,
			   -0.00075777343218580342, -0.00019925679308655436,
			   0.00015062213597474364, -2.439880608554014e-05,
			   -1.1222919616513006e-05, 5.7087049325079917e-06,
			   2.9475142604887295e-07, -8.2387566977253757e-07,
			   7.4305526745270096e-08, 1.0877049794975384e-07,
			   -1.81910738919603e-08, -1.3663199376563669e-08,
			   2.0579938702895735e-09, 1.2762056151427826e-09);
	return p / hdm_fma(2.0, x, 1.0);
}

HDM double hdm_kerf(double x) /* |x| < 1 */
{
	double z = x * x;
	double q = HORNERD(z, -0.37612638903183571, 0.11283791670948701,
			   -0.026866170644071201, 0.0052239776155653681,
			   -0.00085483264483757844, 0.00012055310793307624,
			   -1.4925063741362545e-05, 1.6451322580880015e-06,
			   -1.6227784062728284e-07, 1.3601930184776542e-08,
			   -5.4334731463669061e-10, -1.3592152454507566e-10,
			   2.8623901327068113e-11);
	return hdm_fma(x, 1.1283791670955126,
		       hdm_fma(x * z, q, x * 1.5335459613165881e-17));
}

HDM_FAR double hdm_erfc2(double x, double lo)
{
	double a = hdm_fabs(x);
	if (a < 0.48)
		return 1.0 - (hdm_kerf(x) + 1.1283791670955126 * lo);
	if (x < 0.0)
		lo = -lo;
	int n;
	double c = a > 27.5 ? 27.5 : a;
	struct hdm_dd s = hdm_two_mul(c, c);
	s.l = hdm_fma(2.0 * c, lo, s.l);
	double p = hdm_expsplit(-s.h, -s.l, &n) * hdm_kerfcx(c);
	double v = hdm_scale(p, n);
	return x < 0.0 ? 2.0 - v : v;
}

HDM double hdm_erfc(double x)
{
	return x != x ? x : hdm_erfc2(x, 0.0);
}

HDM double hdm_erf(double x)
{
	double a = hdm_fabs(x);
	if (a < 1.0)
		return x == 0.0 ? x : hdm_kerf(x);
	return x != x ? x : hdm_copysign(1.0 - hdm_erfc2(a, 0.0), x);
}

HDM_FAR double hdm_erfcx(double x)
{
	double a = hdm_fabs(x), v;
	if (a < 0.48)
		return hdm_exp(x * x) * (1.0 - hdm_kerf(x));
	if (a <= 28.0) {
		v = hdm_kerfcx(a);
	} else {
		double r = 1.0 / a, w = r * r;
		double q = HORNERD(w, 1.0, -0.5, 0.75, -1.875, 6.5625,
				   -29.53125, 162.421875, -1055.7421875);
		v = a > 1e150 ? 0.56418958354775628 / a
			      : 0.56418958354775628 * q * r;
	}
	if (!(x < 0.0))
		return x != x ? x : v;
	int n;
	double c = a > 27.0 ? 27.0 : a;
	struct hdm_dd s = hdm_two_mul(c, c);
	double p = hdm_expsplit(s.h, s.l, &n);
	return hdm_scale(p, n + 1) - v;
}

HDM double hdm_normcdf(double x)
{
	double c = x < -39.0 ? -39.0 : x > 39.0 ? 39.0 : x;
	struct hdm_dd z = hdm_two_mul(c, -0.70710678118654757);
	z.l = hdm_fma(c, 4.8336466567264567e-17, z.l);
	return x != x ? x : 0.5 * hdm_erfc2(z.h, z.l);
}

/* Inverses. A first guess after Winitzki (2008), good to 2e-3; then Halley
 * steps, on erf near the middle and on log erfc in the tail, where the
 * logarithm is the better conditioned of the two. */
HDM double hdm_erfinv_guess(double l) /* l = log(1 - x^2) */
{
	double b = hdm_fma(l, 0.5, 4.3307467507987);
	return hdm_sqrt(hdm_sqrt(hdm_fma(b, b, l * -6.8027210884353742)) - b);
}

/* y > 0 with erfc(y) = q, 0 < q <= 1/2 */
HDM_FAR double hdm_erfc_tail_inv(double q)
{
	double l = hdm_log(q), y = hdm_erfinv_guess(l + hdm_log(2.0 - q));
	for (int i = 0; i < 3; i++) {
		double e = hdm_kerfcx(y);
		struct hdm_dd s = hdm_two_mul(y, y);
		struct hdm_dd d = hdm_two_sum(-s.h, -l);
		double f = d.h + (d.l - s.l + hdm_log(e));
		/* f' = -1.128 / e; f'' = f' (2y + f') */
		double g = -1.1283791670955126 / e, u = f / g;
		y -= u / hdm_fma(-0.5 * u, hdm_fma(2.0, y, g), 1.0);
	}
	return y;
}

HDM_FAR double hdm_erfinv(double x)
{
	double a = hdm_fabs(x);
	if (!(a < 1.0))
		return a == 1.0 ? hdm_copysign(HDM_INF, x) : HDM_NAN;
	if (a > 0.6)
		return hdm_copysign(hdm_erfc_tail_inv(1.0 - a), x);
	if (a < 1.0e-9)
		return x * 0.88622692545275805;
	double y = hdm_erfinv_guess(hdm_log1p(-a * a));
	for (int i = 0; i < 2; i++) {
		double g = 1.1283791670955126 * hdm_exp(-y * y);
		double u = (hdm_kerf(y) - a) / g;
		y -= u / hdm_fma(y, u, 1.0);
	}
	return hdm_copysign(y, x);
}

HDM_FAR double hdm_erfcinv(double q)
{
	if (!(q > 0.0 && q < 2.0))
		return q == 0.0 ? HDM_INF : q == 2.0 ? -HDM_INF : HDM_NAN;
	if (q < 0.4)
		return hdm_erfc_tail_inv(q);
	return q > 1.6 ? -hdm_erfc_tail_inv(2.0 - q) : hdm_erfinv(1.0 - q);
}

HDM double hdm_normcdfinv(double p)
{
	/* doubling a subnormal is exact, and so is 2 p - 1 near the middle */
	return -1.4142135623730951 * hdm_erfcinv(2.0 * p);
}

HDM float hdm_erfinvf(float x) { return (float)hdm_erfinv(x); }
HDM float hdm_erfcinvf(float x) { return (float)hdm_erfcinv(x); }
HDM float hdm_normcdfinvf(float x) { return (float)hdm_normcdfinv(x); }

/* ---- gamma ---- */

/* lgamma(2 + t) for -3/4 <= t <= 1/2 */
HDM double hdm_klgamma2(double t)
{
	return t * HORNERD(t,
			   0.42278433509846713, 0.3224670334241132,
			   -0.067352301053198102, 0.020580808427784397,
			   -0.0073855510286738113, 0.0028905103307528984,
			   -0.0011927539117080901, 0.00050966952434482486,
			   -0.00022315475849535044, 9.9457520490046984e-05,
			   -4.4926232552438911e-05, 2.0507123051298011e-05,
			   -9.439572157511762e-06, 4.375514402098904e-06,
			   -2.0383618772604693e-06, 9.5229123893211175e-07,
			   -4.5426925988454551e-07, 2.1899571972244951e-07,
			   -8.3182604504847086e-08, 4.1947729091372775e-08,
			   -5.4761567198377156e-08, 1.2311940674691939e-09,
			   1.9252738080907253e-08, 2.0872345523855944e-08);
}

/* The part of Stirling's formula after log sqrt(2 pi), x >= 8. */
HDM double hdm_stirling(double x)
{
	double r = 1.0 / x, w = r * r;
	return r * HORNERD(w, 0.083333333333333329, -0.0027777777777777775,
			   0.00079365079365052141, -0.00059523809501333292,
			   0.00084175074711130354, -0.0019175038854238183,
			   0.0064068107825920369, -0.029226212203187326,
			   0.16055363249560561, -0.71754277437378744);
}

HDM_FAR double hdm_lgamma_pos(double x) /* x > 0 */
{
	if (x < 0.5)
		return (hdm_klgamma2(x) - hdm_log1p(x)) - hdm_log(x);
	if (x < 1.25)
		return hdm_klgamma2(x - 1.0) - hdm_log1p(x - 1.0);
	if (x < 8.0) {
		double p = 1.0;
		while (x >= 2.5) {
			x -= 1.0;
			p *= x;
		}
		return hdm_klgamma2(x - 2.0) + hdm_log(p);
	}
	if (x > 1e17)
		return x * (hdm_log(x) - 1.0);
	double s = 0.91893853320467278 + hdm_stirling(x);
	return hdm_fma(x - 0.5, hdm_log(x) - 1.0, s - 0.5);
}

HDM double hdm_lgamma(double x)
{
	if (x - x != 0.0)
		return x * x;
	if (x > 0.0)
		return hdm_lgamma_pos(x);
	double a = -x;
	if (hdm_trunc(x) == x)
		return HDM_INF;
	if (a < 1e-17)
		return -hdm_log(a);
	/* gamma(x) gamma(-x) = -pi / (x sin(pi x)) */
	double s = hdm_fabs(hdm_sinpi(a));
	return hdm_log(HDM_PI_H / (a * s)) - hdm_lgamma_pos(a);
}

/* gamma(x) = result * 2^n for x >= 1/2 */
HDM_FAR double hdm_gammasplit(double x, int *n)
{
	*n = 0;
	if (x >= 12.0) {
		double e, f = hdm_logsplit(x, &e);
		struct hdm_dd v = hdm_log_dd(f);
		struct hdm_dd h = hdm_two_sum(e * HDM_LN2S_H, v.h);
		h.l += hdm_fma(e, HDM_LN2S_L, v.l);
		/* (x - 1/2) log x - x */
		struct hdm_dd p = hdm_two_mul(x - 0.5, h.h);
		p.l = hdm_fma(x - 0.5, h.l, p.l);
		struct hdm_dd s = hdm_two_sum(p.h, -x);
		s.l += p.l + hdm_stirling(x);
		return hdm_expsplit(s.h, s.l, n) * 2.5066282746310007;
	}
	double p = 1.0, d = 1.0;
	while (x >= 2.5) {
		x -= 1.0;
		p *= x;
	}
	double t = x - 2.0;
	if (x < 1.5) { /* gamma(x) = gamma(x + 1) / x */
		d = x;
		t = x - 1.0;
	}
	double g = HORNERD(t, 1.0, 0.42278433509846713, 0.41184033042644064,
			   0.081576919247085794, 0.074249010753388009,
			   -0.00026698206868206766, 0.011154045724557167,
			   -0.0028526458243686085, 0.0021039331744051571,
			   -0.0009195737556751735, 0.00049039091653624333,
			   -0.00024094266875000244, 0.00012165162946720078,
			   -6.0781802151455021e-05, 3.0576257282864494e-05,
			   -1.5296289519910945e-05, 7.2164245614133357e-06,
			   -3.6094210769003718e-06, 2.6259112907777463e-06,
			   -1.3131191509664216e-06);
	return g * p / d;
}

HDM double hdm_tgamma(double x)
{
	int n;
	if (x != x || x == HDM_INF)
		return x;
	if (x == 0.0)
		return 1.0 / x;
	if (x < 0.0 && hdm_trunc(x) == x)
		return HDM_NAN;
	if (x >= 0.5) {
		double s = hdm_gammasplit(x > 180.0 ? 180.0 : x, &n);
		return hdm_ldexp(s, n);
	}
	double a = hdm_fabs(x);
	if (a < 0.5) {
		/* gamma(x) = gamma(x + 1) / x */
		double g = hdm_gammasplit(1.0 + a, &n);
		if (x > 0.0)
			return g / a;
		/* and by reflection -pi / (sin(pi a) gamma(1 + a)) */
		return a < 1e-17 ? 1.0 / x : -HDM_PI_H / (hdm_sinpi(a) * g);
	}
	if (a > 190.0)
		return hdm_fmod(a, 2.0) < 1.0 ? -0.0 : 0.0;
	double g = hdm_gammasplit(a, &n);
	return hdm_ldexp(-HDM_PI_H / (a * hdm_sinpi(a) * g), -n);
}

HDM float hdm_lgammaf(float x) { return (float)hdm_lgamma(x); }
HDM float hdm_tgammaf(float x) { return (float)hdm_tgamma(x); }

#endif
