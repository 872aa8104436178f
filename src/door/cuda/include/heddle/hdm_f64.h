/*
 * Double-precision math. The same plan as hdm_f32.h: exact argument reduction
 * by fma, minimax polynomials, and a low part carried where the bound of the
 * CUDA C++ programming guide needs it (struct hdm_dd, value h + l).
 */
#ifndef HEDDLE_HDM_F64_H
#define HEDDLE_HDM_F64_H

#include "hdm.h"
#include "hdm_f32.h"

#define HDM_LN2_H 0.69314718055994529
#define HDM_LN2_L 2.3190468138462996e-17
#define HDM_PI_H 3.1415926535897931
#define HDM_PI_L 1.2246467991473532e-16

struct hdm_dd {
	double h, l;
};

HDM struct hdm_dd hdm_two_sum(double a, double b)
{
	struct hdm_dd r;
	r.h = a + b;
	double t = r.h - a;
	r.l = (a - (r.h - t)) + (b - t);
	return r;
}

/* |a| >= |b| or a == 0 */
HDM struct hdm_dd hdm_fast_sum(double a, double b)
{
	struct hdm_dd r;
	r.h = a + b;
	r.l = (a - r.h) + b;
	return r;
}

HDM struct hdm_dd hdm_two_mul(double a, double b)
{
	struct hdm_dd r;
	r.h = hdm_mul(a, b);
	r.l = hdm_fma(a, b, -r.h);
	return r;
}

HDM struct hdm_dd hdm_dd_mul(struct hdm_dd a, struct hdm_dd b)
{
	struct hdm_dd r = hdm_two_mul(a.h, b.h);
	r.l += hdm_fma(a.h, b.l, a.l * b.h);
	return hdm_fast_sum(r.h, r.l);
}

/* ---- one instruction, or bits ---- */

HDM double hdm_fabs(double x) { return __builtin_fabs(x); }
HDM double hdm_sqrt(double x) { return __builtin_sqrt(x); }
HDM double hdm_floor(double x) { return __builtin_floor(x); }
HDM double hdm_ceil(double x) { return __builtin_ceil(x); }
HDM double hdm_trunc(double x) { return __builtin_trunc(x); }
HDM double hdm_rint(double x) { return __builtin_rint(x); }
HDM double hdm_nearbyint(double x) { return __builtin_rint(x); }
HDM double hdm_copysign(double x, double y) { return __builtin_copysign(x, y); }
HDM double hdm_fmin(double x, double y) { return __builtin_fmin(x, y); }
HDM double hdm_fmax(double x, double y) { return __builtin_fmax(x, y); }

/* One corrected step after two roundings. */
HDM double hdm_rsqrt(double x)
{
	double y = 1.0 / hdm_sqrt(x);
	if (!(x > 0.0) || x == HDM_INF)
		return y;
	struct hdm_dd t = hdm_two_mul(x, y);
	double e = hdm_fma(-t.h, y, 1.0) - t.l * y;
	return hdm_fma(0.5 * y, e, y);
}

HDM double hdm_fdim(double x, double y)
{
	if (x != x || y != y)
		return x + y;
	return x > y ? x - y : 0.0;
}

HDM double hdm_round(double x)
{
	if (hdm_fabs(x) >= 4503599627370496.0)
		return x;
	double r = hdm_trunc(x + hdm_copysign(0.49999999999999994, x));
	return hdm_copysign(r, x);
}

HDM long hdm_lrint(double x) { return (long)hdm_rint(x); }
HDM long long hdm_llrint(double x) { return (long long)hdm_rint(x); }
HDM long hdm_lround(double x) { return (long)hdm_round(x); }
HDM long long hdm_llround(double x) { return (long long)hdm_round(x); }

HDM double hdm_modf(double x, double *ip)
{
	double i = hdm_trunc(x);
	*ip = i;
	if (x - i != x - i && x == x)
		return hdm_copysign(0.0, x);
	return hdm_copysign(x - i, x);
}

HDM double hdm_frexp(double x, int *e)
{
	uint64_t u = hdm_bits(x), emask = (uint64_t)0x7ff << 52;
	int off = -1022;
	if ((u << 1) == 0 || (u & emask) == emask) {
		*e = 0;
		return x;
	}
	if ((u & emask) == 0) {
		u = hdm_bits(x * 0x1p54);
		off -= 54;
	}
	*e = (int)(u >> 52 & 0x7ff) + off;
	return hdm_from((u & ~emask) | (uint64_t)0x3fe << 52);
}

HDM double hdm_ldexp(double x, int n)
{
	int e;
	double m = hdm_frexp(x, &e);
	if (m == 0.0 || m - m != 0.0)
		return x;
	n = n > 5000 ? 5000 : n < -5000 ? -5000 : n;
	e += n;
	if (e > 1024)
		return hdm_copysign(HDM_INF, x);
	if (e >= -1021)
		return m * 2.0 * hdm_pow2(e - 1);
	return e < -1100 ? m * 0.0 : m * hdm_pow2(e + 200) * 0x1p-200;
}

HDM double hdm_scalbn(double x, int n) { return hdm_ldexp(x, n); }
HDM double hdm_scalbln(double x, long n)
{
	return hdm_ldexp(x, n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n);
}

HDM double hdm_logb(double x)
{
	int e;
	if (x == 0.0)
		return -HDM_INF;
	if (x - x != 0.0)
		return x * x;
	hdm_frexp(x, &e);
	return (double)(e - 1);
}

HDM int hdm_ilogb(double x)
{
	int e;
	if (x == 0.0 || x != x)
		return -2147483647 - 1;
	if (x - x != 0.0)
		return 2147483647;
	hdm_frexp(x, &e);
	return e - 1;
}

HDM double hdm_nextafter(double x, double y)
{
	uint64_t u = hdm_bits(x);
	if (x != x || y != y)
		return x + y;
	if (x == y)
		return y;
	if (x == 0.0)
		return hdm_copysign(hdm_from(1), y);
	return hdm_from((x < y) == (x > 0.0) ? u + 1 : u - 1);
}

/* ---- remainders: exact, on integers ---- */

HDM uint64_t hdm_split(double x, int *e)
{
	uint64_t u = hdm_bits(x) & ~((uint64_t)1 << 63);
	uint64_t f = u & (((uint64_t)1 << 52) - 1);
	int b = (int)(u >> 52);
	*e = b ? b - 1075 : -1074;
	return b ? f | (uint64_t)1 << 52 : f;
}

HDM double hdm_join(uint64_t m, int e)
{
	double f = (double)m;
	return e >= -1022 ? f * hdm_pow2(e)
			  : f * 0x1p-200 * hdm_pow2(e + 200);
}

/* As hdm_divstepf; a remainder below 2^54 leaves room for ten bits a step. */
HDM_FAR uint64_t hdm_divstep(uint64_t mx, uint64_t my, int d, uint32_t *q)
{
	uint64_t r = mx % my;
	uint32_t n = (uint32_t)(mx / my);
	while (d > 0) {
		int k = d > 10 ? 10 : d;
		r <<= k;
		n = (n << k) + (uint32_t)(r / my);
		r %= my;
		d -= k;
	}
	*q = n;
	return r;
}

HDM double hdm_fmod(double x, double y)
{
	int ex, ey;
	uint32_t q;
	uint64_t mx = hdm_split(x, &ex), my = hdm_split(y, &ey);
	if (x != x || y != y || x - x != 0.0 || y == 0.0)
		return HDM_NAN;
	if (hdm_fabs(x) < hdm_fabs(y))
		return x;
	uint64_t r = hdm_divstep(mx, my, ex - ey, &q);
	return hdm_copysign(hdm_join(r, ey), x);
}

HDM double hdm_remquo(double x, double y, int *quo)
{
	int ex, ey;
	uint32_t q = 0;
	uint64_t mx = hdm_split(x, &ex), my = hdm_split(y, &ey);
	*quo = 0;
	if (x != x || y != y || x - x != 0.0 || y == 0.0)
		return HDM_NAN;
	if (ex < ey - 1 || y - y != 0.0)
		return x;
	if (ex < ey) {
		my <<= 1;
		ey--;
	}
	uint64_t r = hdm_divstep(mx, my, ex - ey, &q);
	double v;
	if (2 * r > my || (2 * r == my && (q & 1))) {
		q++;
		v = -hdm_join(my - r, ey);
	} else {
		v = hdm_join(r, ey);
	}
	int n = (int)(q & 0x7fffffffu);
	*quo = (x < 0.0) != (y < 0.0) ? -n : n;
	if (v == 0.0)
		return hdm_copysign(0.0, x);
	return x < 0.0 ? -v : v;
}

HDM double hdm_remainder(double x, double y)
{
	int q;
	return hdm_remquo(x, y, &q);
}

/* ---- exponentials ---- */

HDM double hdm_scale(double p, int n)
{
	int h = n / 2;
	return p * hdm_pow2(h) * hdm_pow2(n - h);
}

/* exp(r) = 1 + h + result, for r = h + l, |r| <= ln(2) / 2 */
HDM double hdm_kexp(double h, double l)
{
	double q = HORNERD(h, 0.5, 0.16666666666666671, 0.041666666666666644,
			   0.0083333333333259017, 0.0013888888888905044,
			   0.00019841269875389421, 2.4801587271879556e-05,
			   2.7557254849863536e-06, 2.7557326901223377e-07,
			   2.5105401456978409e-08, 2.0896476531151727e-09);
	return hdm_fma(h * h, q, hdm_fma(h, l, l));
}

HDM double hdm_kexp1(double h, double l)
{
	struct hdm_dd s = hdm_fast_sum(1.0, h);
	return s.h + (s.l + hdm_kexp(h, l));
}

/* x + lo = n ln 2 + r */
HDM struct hdm_dd hdm_expreduce(double x, double lo, int *n)
{
	double t = hdm_rint(x * 1.4426950408889634);
	*n = (int)t;
	double r = hdm_fma(t, -HDM_LN2_H, x);
	return hdm_two_sum(r, hdm_fma(t, -HDM_LN2_L, lo));
}

/* exp(x + lo) = result * 2^n */
HDM double hdm_expsplit(double x, double lo, int *n)
{
	struct hdm_dd r = hdm_expreduce(x, lo, n);
	return hdm_kexp1(r.h, r.l);
}

HDM double hdm_exp(double x)
{
	int n;
	double c = x < -746.0 ? -746.0 : x > 710.0 ? 710.0 : x;
	double p = hdm_expsplit(c, 0.0, &n);
	return x != x ? x : hdm_scale(p, n);
}

HDM double hdm_exp2(double x)
{
	double c = x < -1076.0 ? -1076.0 : x > 1025.0 ? 1025.0 : x;
	double t = hdm_rint(c), r = c - t;
	struct hdm_dd a = hdm_two_mul(r, HDM_LN2_H);
	double p = hdm_kexp1(a.h, hdm_fma(r, HDM_LN2_L, a.l));
	return x != x ? x : hdm_scale(p, (int)t);
}

HDM double hdm_exp10(double x)
{
	double c = x < -324.5 ? -324.5 : x > 309.0 ? 309.0 : x;
	double t = hdm_rint(c * 3.3219280948873622);
	double r = hdm_fma(t, -0.3010299956639812, c);
	struct hdm_dd s = hdm_two_sum(r, t * 2.8037281277851704e-18);
	struct hdm_dd a = hdm_two_mul(s.h, 2.3025850929940459);
	a.l += hdm_fma(s.l, 2.3025850929940459, s.h * -2.1707562233822494e-16);
	return x != x ? x : hdm_scale(hdm_kexp1(a.h, a.l), (int)t);
}

HDM double hdm_expm1(double x)
{
	if (!(x > -38.0) || x == 0.0)
		return x != x || x == 0.0 ? x : -1.0;
	int n = 0;
	double c = x > 710.0 ? 710.0 : x;
	struct hdm_dd r;
	r.h = c;
	r.l = 0.0;
	if (hdm_fabs(c) >= 0.3465)
		r = hdm_expreduce(c, 0.0, &n);
	double p = hdm_kexp(r.h, r.l);
	if (n == 0)
		return r.h + p;
	if (n > 1000)
		return hdm_scale(1.0 + (r.h + p), n);
	/* (2^n - 1) + 2^n (r + p), largest first */
	double s = hdm_pow2(n);
	struct hdm_dd a = hdm_two_sum(s, -1.0);
	struct hdm_dd b = hdm_two_sum(a.h, s * r.h);
	return b.h + (b.l + hdm_fma(s, p, a.l));
}

/* ---- logarithms ---- */

/* x = m * 2^e with m in [sqrt(1/2), sqrt(2)); x > 0, finite. Gives m - 1. */
HDM double hdm_logsplit(double x, double *e)
{
	double bias = 0.0;
	if (x < 2.2250738585072014e-308) {
		x *= 0x1p54;
		bias = -54.0;
	}
	const uint64_t base = 0x3fe6a09e667f3bcdull;
	uint64_t u = hdm_bits(x) - base;
	*e = (double)(int)((int64_t)u >> 52) + bias;
	return hdm_from((u & (((uint64_t)1 << 52) - 1)) + base) - 1.0;
}

HDM double hdm_logspecial(double x)
{
	return x == 0.0 ? -HDM_INF : x < 0.0 ? HDM_NAN : x;
}

/* log(1 + f) - f for f in [sqrt(1/2) - 1, sqrt(2) - 1]. With s = f / (2 + f),
 * log(1 + f) = 2 atanh(s) and 2 s = f - s f. */
HDM double hdm_logtail(double f)
{
	double s = f / (2.0 + f), z = s * s;
	double q = HORNERD(z, 0.33333333333333331, 0.20000000000002663,
			   0.14285714284584236, 0.11111111328295552,
			   0.090908868103148077, 0.076936098986654683,
			   0.066232803173911628, 0.066439836939248403);
	return -s * hdm_fma(-2.0 * z, q, f);
}

#define HDM_LN2S_H 0.69314718036912382
#define HDM_LN2S_L 1.9082149292705877e-10

HDM double hdm_log(double x)
{
	if (!(x > 0.0) || x == HDM_INF)
		return hdm_logspecial(x);
	double e, f = hdm_logsplit(x, &e);
	double t = hdm_fma(e, HDM_LN2S_L, hdm_logtail(f));
	struct hdm_dd h = hdm_fast_sum(e * HDM_LN2S_H, f);
	return e == 0.0 ? f + t : h.h + (h.l + t);
}

HDM double hdm_log1p(double x)
{
	if (!(x > -1.0) || x == HDM_INF)
		return x == -1.0 ? -HDM_INF : x < -1.0 ? HDM_NAN : x;
	if (x > -0.29 && x < 0.41)
		return x + hdm_logtail(x);
	struct hdm_dd u = hdm_two_sum(1.0, x);
	double e, f = hdm_logsplit(u.h, &e);
	double c = e > 1000.0 ? 0.0 : u.l * hdm_pow2(-(int)e);
	struct hdm_dd g = hdm_fast_sum(f, c);
	double t = hdm_fma(e, HDM_LN2S_L, hdm_logtail(g.h) + g.l);
	struct hdm_dd h = hdm_fast_sum(e * HDM_LN2S_H, g.h);
	return e == 0.0 ? g.h + t : h.h + (h.l + t);
}

/* log(1 + f) with about 2^-66 relative error */
HDM struct hdm_dd hdm_log_dd(double f)
{
	struct hdm_dd d = hdm_fast_sum(2.0, f), s, z, q, r;
	s.h = f / d.h;
	s.l = (hdm_fma(-s.h, d.h, f) - s.h * d.l) / d.h;
	z = hdm_dd_mul(s, s);
	double p = HORNERD(z.h, 0.20000000000000001, 0.14285714285713175,
			   0.11111111111375359, 0.090909090801404857,
			   0.076923046676883683, 0.066670865433384269,
			   0.058601840073288933, 0.057983647774724513);
	q = hdm_fast_sum(0.33333333333333331,
			 hdm_fma(z.h, p, 1.8503717077085941e-17));
	r = hdm_dd_mul(hdm_dd_mul(z, s), q);
	struct hdm_dd v = hdm_fast_sum(s.h, r.h);
	v.l += s.l + r.l;
	v.h *= 2.0;
	v.l *= 2.0;
	return hdm_fast_sum(v.h, v.l);
}

HDM double hdm_log2(double x)
{
	if (!(x > 0.0) || x == HDM_INF)
		return hdm_logspecial(x);
	double e, f = hdm_logsplit(x, &e);
	const struct hdm_dd c = { 1.4426950408889634, 2.0355273740931033e-17 };
	struct hdm_dd v = hdm_dd_mul(hdm_log_dd(f), c);
	struct hdm_dd h = hdm_two_sum(e, v.h);
	return h.h + (h.l + v.l);
}

HDM double hdm_log10(double x)
{
	if (!(x > 0.0) || x == HDM_INF)
		return hdm_logspecial(x);
	double e, f = hdm_logsplit(x, &e);
	const struct hdm_dd c = { 0.43429448190325182, 1.0983196502167651e-17 };
	struct hdm_dd v = hdm_dd_mul(hdm_log_dd(f), c);
	struct hdm_dd a = hdm_two_mul(e, 0.3010299956639812);
	struct hdm_dd h = hdm_two_sum(a.h, v.h);
	return h.h + (h.l + (a.l + hdm_fma(e, -2.8037281277851704e-18, v.l)));
}

/* ---- power ---- */

HDM double hdm_powcore(double ax, double y)
{
	double e, f = hdm_logsplit(ax, &e);
	struct hdm_dd v = hdm_log_dd(f);
	struct hdm_dd h = hdm_two_sum(e * HDM_LN2S_H, v.h);
	h.l += hdm_fma(e, HDM_LN2S_L, v.l);
	h = hdm_fast_sum(h.h, h.l);
	if (hdm_fabs(y) > 1e300)
		y = hdm_copysign(1e300, y);
	double big = y * h.h;
	if (!(hdm_fabs(big) < 800.0))
		return big > 0.0 ? HDM_INF : 0.0;
	struct hdm_dd p = hdm_two_mul(y, h.h);
	int n;
	double m = hdm_expsplit(p.h, hdm_fma(y, h.l, p.l), &n);
	return hdm_scale(m, n);
}

HDM double hdm_pow(double x, double y)
{
	double ax = hdm_fabs(x), ay = hdm_fabs(y);
	if (x == 1.0 || y == 0.0)
		return 1.0;
	if (x != x || y != y)
		return x + y;
	int whole = hdm_trunc(y) == y;
	int odd = whole && ay < 9007199254740992.0 && ((int64_t)ay & 1);
	double r;
	if (ay == HDM_INF)
		return ax == 1.0 ? 1.0
		       : (ax > 1.0) == (y > 0.0) ? HDM_INF : 0.0;
	if (ax == 0.0 || ax == HDM_INF)
		r = (ax == 0.0) == (y < 0.0) ? HDM_INF : 0.0;
	else if (x < 0.0 && !whole)
		return HDM_NAN;
	else
		r = hdm_powcore(ax, y);
	return odd && hdm_bits(x) >> 63 ? -r : r;
}

/* ---- trigonometry ---- */

HDM_TABLE uint64_t hdm_2opi_64[21] = {
	0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
	0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
	0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
	0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
	0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
	0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

/* Payne and Hanek with 192 bits of 2/pi: see hdm_reduce_bigf. */
HDM_FAR struct hdm_dd hdm_reduce_big(double x, int *n)
{
	int e;
	unsigned __int128 m = hdm_split(x, &e);
	int o = e - 2 + 64, w = o >> 6, s = o & 63;
	uint64_t a[3];
	for (int i = 0; i < 3; i++) {
		uint64_t lo = hdm_2opi_64[w + i + 1];
		a[i] = hdm_2opi_64[w + i] << s | (s ? lo >> (64 - s) : 0);
	}
	unsigned __int128 p2 = m * a[2];
	unsigned __int128 p1 = m * a[1] + (uint64_t)(p2 >> 64);
	uint64_t p0 = (uint64_t)m * a[0] + (uint64_t)(p1 >> 64);
	uint64_t q1 = (uint64_t)p1, q2 = (uint64_t)p2;
	/* p0:q1:q2 = two bits of quadrant, then the fraction */
	int q = (int)(p0 >> 62);
	uint64_t hi = p0 << 2 | q1 >> 62, lo = q1 << 2 | q2 >> 62;
	int neg = (int)(hi >> 63);
	if (neg) {
		q++;
		hi = ~hi;
		lo = ~lo;
	}
	int z = hi ? __builtin_clzll(hi) : 63;
	if (z) {
		hi = hi << z | lo >> (64 - z);
		lo <<= z;
	}
	struct hdm_dd f, r;
	double t = (double)(hi >> 11) * 0x1p-53;
	f = hdm_fast_sum(t, (double)((hi & 0x7ff) << 53 | lo >> 11) * 0x1p-117);
	r = hdm_two_mul(f.h, 1.5707963267948966);
	r.l += hdm_fma(f.l, 1.5707963267948966, f.h * 6.123233995736766e-17);
	double sc = hdm_pow2(-z);
	if (neg != (int)(hdm_bits(x) >> 63))
		sc = -sc;
	r.h *= sc;
	r.l *= sc;
	*n = hdm_bits(x) >> 63 ? -q : q;
	return r;
}

/* x = n pi/2 + r, |r| <= pi/4 */
HDM struct hdm_dd hdm_reduce(double x, int *n)
{
	if (!(hdm_fabs(x) < 1.0e6)) {
		if (x - x != 0.0) {
			const struct hdm_dd nan = { HDM_NAN, 0.0 };
			*n = 0;
			return nan;
		}
		return hdm_reduce_big(x, n);
	}
	double t = hdm_rint(x * 0.63661977236758138);
	*n = (int)t;
	double r = hdm_fma(t, -1.5707963267948966, x);
	struct hdm_dd w = hdm_two_mul(t, -6.123233995736766e-17);
	struct hdm_dd s = hdm_two_sum(r, w.h);
	s.l += hdm_fma(t, 1.4973849048591698e-33, w.l);
	return s;
}

HDM double hdm_ksin(struct hdm_dd r)
{
	double z = r.h * r.h;
	double q = HORNERD(z, -0.16666666666666666, 0.0083333333333329134,
			   -0.0001984126984072432, 2.755731891944174e-06,
			   -2.5052025349191665e-08, 1.6048057552770279e-10,
			   -7.064904149329798e-13);
	return r.h + hdm_fma(z * r.h, q, hdm_fma(z * -0.5, r.l, r.l));
}

HDM double hdm_kcos(struct hdm_dd r)
{
	double z = r.h * r.h, hz = 0.5 * z, w = 1.0 - hz;
	double q = HORNERD(z, 0.041666666666666664, -0.0013888888888887842,
			   2.4801587300231686e-05, -2.7557318470786007e-07,
			   2.0876553276707226e-09, -1.1444227716999624e-11,
			   3.4386279166394292e-14);
	return w + (((1.0 - w) - hz) + hdm_fma(z * z, q, -r.h * r.l));
}

HDM double hdm_quarter(struct hdm_dd r, int n)
{
	double v = n & 1 ? hdm_kcos(r) : hdm_ksin(r);
	return n & 2 ? -v : v;
}

HDM double hdm_sin(double x)
{
	int n;
	struct hdm_dd r = hdm_reduce(x, &n);
	return x == 0.0 ? x : hdm_quarter(r, n);
}

HDM double hdm_cos(double x)
{
	int n;
	struct hdm_dd r = hdm_reduce(x, &n);
	return hdm_quarter(r, n + 1);
}

HDM void hdm_sincos(double x, double *s, double *c)
{
	int n;
	struct hdm_dd r = hdm_reduce(x, &n);
	double ks = hdm_ksin(r), kc = hdm_kcos(r);
	double vs = n & 1 ? kc : ks, vc = n & 1 ? ks : kc;
	*s = x == 0.0 ? x : n & 2 ? -vs : vs;
	*c = (n + 1) & 2 ? -vc : vc;
}

HDM double hdm_tan(double x)
{
	int n;
	struct hdm_dd r = hdm_reduce(x, &n);
	double s = hdm_ksin(r), c = hdm_kcos(r);
	return x == 0.0 ? x : n & 1 ? -c / s : s / c;
}

HDM void hdm_sincospi(double x, double *s, double *c)
{
	double t = hdm_rint(2.0 * x);
	double f = x - x != 0.0 ? HDM_NAN : hdm_fma(t, -0.5, x);
	/* beyond 2^54 every double is an even integer */
	int n = hdm_fabs(t) < 0x1p54 ? (int)(uint32_t)(int64_t)t : 0;
	struct hdm_dd r = hdm_two_mul(f, HDM_PI_H);
	r.l = hdm_fma(f, HDM_PI_L, r.l);
	double ks = hdm_ksin(r), kc = hdm_kcos(r);
	double vs = n & 1 ? kc : ks, vc = n & 1 ? ks : kc;
	vs = n & 2 ? -vs : vs;
	vc = (n + 1) & 2 ? -vc : vc;
	*s = hdm_trunc(x) == x ? hdm_copysign(0.0, x) : vs;
	*c = vc == 0.0 ? 0.0 : vc;
}

HDM double hdm_sinpi(double x)
{
	double s, c;
	hdm_sincospi(x, &s, &c);
	return s;
}

HDM double hdm_cospi(double x)
{
	double s, c;
	hdm_sincospi(x, &s, &c);
	return c;
}

/* asin(x) - x for 0 <= x <= 1/2 */
HDM double hdm_asintail(double x, double z)
{
	double q = HORNERD(z, 0.16666666666666669, 0.074999999999980818,
			   0.04464285714685709, 0.030381944106381384,
			   0.022372174069959706, 0.017352368660149088,
			   0.013971544247760754, 0.011476140458759408,
			   0.010341531198859215, 0.0053808981469722419,
			   0.017600526879251101, -0.01515168178557629,
			   0.028955265994127781);
	return x * z * q;
}

HDM double hdm_asin(double x)
{
	double a = hdm_fabs(x), v;
	if (a <= 0.5) {
		v = a + hdm_asintail(a, a * a);
	} else {
		double z = hdm_fma(a, -0.5, 0.5), s = hdm_sqrt(z);
		v = s + hdm_asintail(s, z);
		v = 1.5707963267948966 - hdm_fma(2.0, v, -6.123233995736766e-17);
	}
	return hdm_copysign(v, x);
}

HDM double hdm_acos(double x)
{
	double a = hdm_fabs(x), v;
	if (a <= 0.5) {
		v = hdm_copysign(hdm_asintail(a, a * a), x);
		struct hdm_dd s = hdm_fast_sum(1.5707963267948966, -x);
		return s.h + (s.l + (6.123233995736766e-17 - v));
	}
	double z = hdm_fma(a, -0.5, 0.5), s = hdm_sqrt(z);
	v = 2.0 * (s + hdm_asintail(s, z));
	return x < 0.0 ? HDM_PI_H - (v - HDM_PI_L) : v;
}

/* atan(a) for a >= 0 */
HDM double hdm_katan(double a)
{
	double bh = 0.0, bl = 0.0, t = a;
	if (a > 2.414) {
		bh = 1.5707963267948966;
		bl = 6.123233995736766e-17;
		t = -1.0 / a;
	} else if (a > 0.4142) {
		bh = 0.78539816339744828;
		bl = 3.061616997868383e-17;
		t = (a - 1.0) / (a + 1.0);
	}
	double z = t * t;
	double q = HORNERD(z, -0.33333333333333331, 0.19999999999998924,
			   -0.14285714285527532, 0.11111111095967161,
			   -0.090909083986078304, 0.07692287994053186,
			   -0.066662977013800237, 0.058776632085402174,
			   -0.052222372841976304, 0.045180877953475786,
			   -0.033791559942648694, 0.015498058406967359);
	struct hdm_dd s = hdm_fast_sum(bh, t);
	return s.h + hdm_fma(z * t, q, bl + s.l);
}

HDM double hdm_atan(double x)
{
	return hdm_copysign(hdm_katan(hdm_fabs(x)), x);
}

HDM double hdm_atan2(double y, double x)
{
	double ax = hdm_fabs(x), ay = hdm_fabs(y);
	if (x != x || y != y)
		return x + y;
	double hi = ax > ay ? ax : ay, lo = ax > ay ? ay : ax;
	double t = hi == 0.0 ? 0.0 : lo == HDM_INF ? 1.0 : lo / hi;
	double v = hdm_katan(t);
	if (ay > ax)
		v = 1.5707963267948966 - (v - 6.123233995736766e-17);
	if (hdm_bits(x) >> 63)
		v = HDM_PI_H - (v - HDM_PI_L);
	return hdm_copysign(v, y);
}

/* ---- hyperbolic ---- */

HDM double hdm_sinh(double x)
{
	double a = hdm_fabs(x), v;
	if (a < 1.0) {
		double z = a * a;
		double q = HORNERD(z, 0.16666666666666666,
				   0.0083333333333336802,
				   0.00019841269840893829,
				   2.7557319403629646e-06,
				   2.5052064347244626e-08,
				   1.6064823622356707e-10,
				   7.2608663715216072e-13,
				   1.3148589279221681e-14);
		v = hdm_fma(z * a, q, a);
	} else {
		int n;
		double p = hdm_expsplit(a > 712.0 ? 712.0 : a, 0.0, &n);
		v = hdm_scale(0.5 * p, n);
		v -= a > 40.0 ? 0.0 : 0.25 / v;
	}
	return x != x ? x : hdm_copysign(v, x);
}

HDM double hdm_cosh(double x)
{
	int n;
	double a = hdm_fabs(x);
	double p = hdm_expsplit(a > 712.0 ? 712.0 : a, 0.0, &n);
	double v = hdm_scale(0.5 * p, n);
	return x != x ? x : a > 40.0 ? v : v + 0.25 / v;
}

HDM double hdm_tanh(double x)
{
	double a = hdm_fabs(x), v;
	if (a < 0.55) {
		double z = a * a;
		double q = HORNERD(z, -0.33333333333333331, 0.13333333333332717,
				   -0.053968253967645111, 0.021869488508224479,
				   -0.0088632348115501563,
				   0.0035921166021164507,
				   -0.0014557153288954452,
				   0.00058919289090720054,
				   -0.00023515803036510476,
				   8.4242217056574982e-05,
				   -1.3198635823512738e-05,
				   -1.5767006005105027e-05,
				   1.1985653335526756e-05);
		v = hdm_fma(z * a, q, a);
	} else {
		double e = hdm_exp(a > 20.0 ? 40.0 : 2.0 * a);
		struct hdm_dd s = hdm_two_sum(e, 1.0);
		double q = 2.0 / s.h;
		double r = (hdm_fma(-q, s.h, 2.0) - q * s.l) / s.h;
		struct hdm_dd w = hdm_fast_sum(1.0, -q);
		v = w.h + (w.l - r);
	}
	return x != x ? x : hdm_copysign(v, x);
}

HDM double hdm_asinh(double x)
{
	double a = hdm_fabs(x), v;
	if (a > 1.0e9) {
		v = hdm_log(a) + HDM_LN2_H;
	} else {
		double z = a * a;
		v = hdm_log1p(a + z / (1.0 + hdm_sqrt(1.0 + z)));
	}
	return x - x != 0.0 ? x : hdm_copysign(v, x);
}

HDM double hdm_acosh(double x)
{
	double t = x - 1.0;
	if (x > 1.0e9)
		return x == HDM_INF ? x : hdm_log(x) + HDM_LN2_H;
	if (x < 1.0)
		return HDM_NAN;
	return hdm_log1p(t + hdm_sqrt(hdm_fma(t, t, 2.0 * t)));
}

HDM double hdm_atanh(double x)
{
	double a = hdm_fabs(x);
	double v = 0.5 * hdm_log1p(2.0 * a / (1.0 - a));
	if (a < 1.0e-8)
		v = a;
	return a == 1.0 ? hdm_copysign(HDM_INF, x) : hdm_copysign(v, x);
}

/* ---- roots and norms ---- */

HDM double hdm_cbrtsplit(double x, int *k)
{
	int e;
	double m = hdm_frexp(hdm_fabs(x), &e) * 2.0;
	e += 2999;
	*k = e / 3 - 1000;
	return m * hdm_pow2(e % 3);
}

HDM double hdm_rcbrt_seed(double m)
{
	double y = hdm_rcbrt_seedf((float)m);
	for (int i = 0; i < 2; i++)
		y = hdm_fma(y * 0.33333333333333331,
			    hdm_fma(-m * y, y * y, 1.0), y);
	return y;
}

HDM double hdm_cbrt(double x)
{
	if (x == 0.0 || x - x != 0.0)
		return x;
	int k;
	double m = hdm_cbrtsplit(x, &k), y = hdm_rcbrt_seed(m);
	double y2 = y * y, c = m * y2;
	struct hdm_dd s = hdm_two_mul(c, c);
	double r = hdm_fma(-c, s.h, m) - c * s.l;
	c = hdm_fma(r * 0.33333333333333331, y2, c);
	return hdm_copysign(c * hdm_pow2(k), x);
}

HDM double hdm_rcbrt(double x)
{
	if (x == 0.0 || x - x != 0.0)
		return 1.0 / x;
	int k;
	double m = hdm_cbrtsplit(x, &k), y = hdm_rcbrt_seed(m);
	struct hdm_dd s = hdm_two_mul(y, y), t = hdm_two_mul(m, s.h);
	t.l = hdm_fma(m, s.l, t.l);
	double e = hdm_fma(-t.h, y, 1.0) - t.l * y;
	y = hdm_fma(y * 0.33333333333333331, e, y);
	return hdm_copysign(y * hdm_pow2(-k), x);
}

HDM double hdm_normscale(double a, double *inv)
{
	int e = (int)(hdm_bits(a) >> 52) - 1023;
	e = e > 1020 ? 1020 : e < -1020 ? -1020 : e;
	*inv = hdm_pow2(e);
	return hdm_pow2(-e);
}

/* Sum of squares with its rounding error. */
HDM struct hdm_dd hdm_addsquare(struct hdm_dd q, double a)
{
	struct hdm_dd s = hdm_two_mul(a, a), r = hdm_two_sum(q.h, s.h);
	r.l += q.l + s.l;
	return r;
}

/* sqrt(q) or 1/sqrt(q), one corrected step each */
HDM double hdm_sqrt_dd(struct hdm_dd q, int reciprocal)
{
	double r = hdm_sqrt(q.h), y = 1.0 / r;
	if (!reciprocal)
		return hdm_fma(hdm_fma(-r, r, q.h) + q.l, 0.5 * y, r);
	struct hdm_dd t = hdm_two_mul(q.h, y);
	t.l = hdm_fma(q.l, y, t.l);
	double e = hdm_fma(-t.h, y, 1.0) - t.l * y;
	return hdm_fma(0.5 * y, e, y);
}

HDM double hdm_normNd(double a, double b, double c, double d, int reciprocal)
{
	double m = hdm_fmax(hdm_fmax(hdm_fabs(a), hdm_fabs(b)),
			    hdm_fmax(hdm_fabs(c), hdm_fabs(d)));
	if (m == HDM_INF)
		return reciprocal ? 0.0 : HDM_INF;
	if (a != a || b != b || c != c || d != d)
		return HDM_NAN;
	if (m == 0.0)
		return reciprocal ? HDM_INF : 0.0;
	double inv, s = hdm_normscale(m, &inv);
	struct hdm_dd q = hdm_two_mul(a * s, a * s);
	q = hdm_addsquare(q, b * s);
	q = hdm_addsquare(q, c * s);
	q = hdm_addsquare(q, d * s);
	double r = hdm_sqrt_dd(hdm_fast_sum(q.h, q.l), reciprocal);
	return reciprocal ? r * s : r * inv;
}

HDM double hdm_hypot(double x, double y)
{
	return hdm_normNd(x, y, 0.0, 0.0, 0);
}
HDM double hdm_rhypot(double x, double y)
{
	return hdm_normNd(x, y, 0.0, 0.0, 1);
}
HDM double hdm_norm3d(double a, double b, double c)
{
	return hdm_normNd(a, b, c, 0.0, 0);
}
HDM double hdm_rnorm3d(double a, double b, double c)
{
	return hdm_normNd(a, b, c, 0.0, 1);
}
HDM double hdm_norm4d(double a, double b, double c, double d)
{
	return hdm_normNd(a, b, c, d, 0);
}
HDM double hdm_rnorm4d(double a, double b, double c, double d)
{
	return hdm_normNd(a, b, c, d, 1);
}

HDM double hdm_norm(int n, const double *p)
{
	double m = 0.0, q = 0.0, inv, s;
	for (int i = 0; i < n; i++)
		m = hdm_fmax(m, hdm_fabs(p[i]));
	if (m == 0.0 || m == HDM_INF)
		return m;
	s = hdm_normscale(m, &inv);
	for (int i = 0; i < n; i++)
		q = hdm_fma(p[i] * s, p[i] * s, q);
	return hdm_sqrt(q) * inv;
}

HDM double hdm_rnorm(int n, const double *p)
{
	return 1.0 / hdm_norm(n, p);
}

#endif
