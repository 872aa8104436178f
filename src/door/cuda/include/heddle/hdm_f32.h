/*
 * Single-precision math in single precision: fma, polynomials fitted for these
 * ranges (minimax, coefficients rounded to float), no tables but 2/pi. Only the
 * rare path of a large angle touches a double. Measured errors against the
 * bounds of the CUDA C++ programming guide: docs/cuda-headers.md.
 */
#ifndef HEDDLE_HDM_F32_H
#define HEDDLE_HDM_F32_H

#include "hdm.h"

/* ---- one instruction, or bits ---- */

HDM float hdm_fabsf(float x) { return __builtin_fabsf(x); }
HDM float hdm_sqrtf(float x) { return __builtin_sqrtf(x); }
HDM float hdm_floorf(float x) { return __builtin_floorf(x); }
HDM float hdm_ceilf(float x) { return __builtin_ceilf(x); }
HDM float hdm_truncf(float x) { return __builtin_truncf(x); }
HDM float hdm_rintf(float x) { return __builtin_rintf(x); }
HDM float hdm_nearbyintf(float x) { return __builtin_rintf(x); }
HDM float hdm_copysignf(float x, float y) { return __builtin_copysignf(x, y); }
HDM float hdm_fminf(float x, float y) { return __builtin_fminf(x, y); }
HDM float hdm_fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }

HDM float hdm_rsqrtf(float x)
{
#ifdef __CUDA_ARCH__
	float r;
	__asm__("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
#else
	return 1.0f / hdm_sqrtf(x);
#endif
}

HDM float hdm_fdimf(float x, float y)
{
	if (x != x || y != y)
		return x + y;
	return x > y ? x - y : 0.0f;
}

/* Halves go away from zero; 0.49999997 keeps the value just below 0.5 at 0. */
HDM float hdm_roundf(float x)
{
	if (hdm_fabsf(x) >= 8388608.0f)
		return x;
	float r = hdm_truncf(x + hdm_copysignf(0.49999997f, x));
	return hdm_copysignf(r, x);
}

HDM long hdm_lrintf(float x) { return (long)hdm_rintf(x); }
HDM long long hdm_llrintf(float x) { return (long long)hdm_rintf(x); }
HDM long hdm_lroundf(float x) { return (long)hdm_roundf(x); }
HDM long long hdm_llroundf(float x) { return (long long)hdm_roundf(x); }

HDM float hdm_modff(float x, float *ip)
{
	float i = hdm_truncf(x);
	*ip = i;
	if (x - i != x - i && x == x)
		return hdm_copysignf(0.0f, x);
	return hdm_copysignf(x - i, x);
}

HDM float hdm_frexpf(float x, int *e)
{
	uint32_t u = hdm_bitsf(x);
	int off = -126;
	if ((u << 1) == 0 || (u & 0x7f800000u) == 0x7f800000u) {
		*e = 0;
		return x;
	}
	if ((u & 0x7f800000u) == 0) {
		u = hdm_bitsf(x * 16777216.0f);
		off -= 24;
	}
	*e = (int)(u >> 23 & 255) + off;
	return hdm_fromf((u & 0x807fffffu) | 0x3f000000u);
}

/* Rounds once: a subnormal result is made by one multiplication. */
HDM float hdm_ldexpf(float x, int n)
{
	int e;
	float m = hdm_frexpf(x, &e);
	if (m == 0.0f || m - m != 0.0f)
		return x;
	n = n > 1000 ? 1000 : n < -1000 ? -1000 : n;
	e += n;
	if (e > 128)
		return hdm_copysignf(HDM_INFF, x);
	if (e >= -125)
		return m * 2.0f * hdm_pow2f(e - 1);
	return e < -200 ? m * 0.0f : m * hdm_pow2f(e + 100) * 0x1p-100f;
}

HDM float hdm_scalbnf(float x, int n) { return hdm_ldexpf(x, n); }
HDM float hdm_scalblnf(float x, long n)
{
	return hdm_ldexpf(x, n > 1000 ? 1000 : n < -1000 ? -1000 : (int)n);
}

HDM float hdm_logbf(float x)
{
	int e;
	if (x == 0.0f)
		return -HDM_INFF;
	if (x - x != 0.0f)
		return x * x;
	hdm_frexpf(x, &e);
	return (float)(e - 1);
}

HDM int hdm_ilogbf(float x)
{
	int e;
	if (x == 0.0f || x != x)
		return -2147483647 - 1;
	if (x - x != 0.0f)
		return 2147483647;
	hdm_frexpf(x, &e);
	return e - 1;
}

HDM float hdm_nextafterf(float x, float y)
{
	uint32_t u = hdm_bitsf(x);
	if (x != x || y != y)
		return x + y;
	if (x == y)
		return y;
	if (x == 0.0f)
		return hdm_copysignf(hdm_fromf(1), y);
	return hdm_fromf((x < y) == (x > 0.0f) ? u + 1 : u - 1);
}

/* ---- remainders: exact, on integers ---- */

/* |x| = q |y| + r with both as integers times 2^e; returns r, the low bits of
 * q in *q. mx, my are 24-bit significands, d = ex - ey >= 0. */
HDM uint32_t hdm_divstepf(uint32_t mx, uint32_t my, int d, uint32_t *q)
{
	uint64_t r = mx % my;
	uint32_t n = mx / my;
	while (d > 0) {
		int k = d > 38 ? 38 : d;
		r <<= k;
		n = k > 31 ? (uint32_t)(r / my)
			   : (n << k) + (uint32_t)(r / my);
		r %= my;
		d -= k;
	}
	*q = n;
	return (uint32_t)r;
}

HDM uint32_t hdm_splitf(float x, int *e)
{
	uint32_t u = hdm_bitsf(x) & 0x7fffffffu;
	int b = (int)(u >> 23);
	*e = b ? b - 150 : -149;
	return b ? (u & 0x7fffffu) | 0x800000u : u;
}

/* m * 2^e for m of 25 bits at most, where the value is representable. */
HDM float hdm_joinf(uint32_t m, int e)
{
	float f = (float)m;
	return e >= -126 ? f * hdm_pow2f(e) : f * 0x1p-100f * hdm_pow2f(e + 100);
}

HDM float hdm_fmodf(float x, float y)
{
	int ex, ey;
	uint32_t q, mx = hdm_splitf(x, &ex), my = hdm_splitf(y, &ey);
	if (x != x || y != y || x - x != 0.0f || y == 0.0f)
		return HDM_NANF;
	if (hdm_fabsf(x) < hdm_fabsf(y))
		return x;
	uint32_t r = hdm_divstepf(mx, my, ex - ey, &q);
	return hdm_copysignf(hdm_joinf(r, ey), x);
}

HDM float hdm_remquof(float x, float y, int *quo)
{
	int ex, ey;
	uint32_t q = 0, mx = hdm_splitf(x, &ex), my = hdm_splitf(y, &ey);
	*quo = 0;
	if (x != x || y != y || x - x != 0.0f || y == 0.0f)
		return HDM_NANF;
	if (ex < ey - 1 || y - y != 0.0f)
		return x;
	if (ex < ey) {
		my <<= 1;
		ey--;
	}
	uint32_t r = hdm_divstepf(mx, my, ex - ey, &q);
	float v;
	if (2 * r > my || (2 * r == my && (q & 1))) {
		q++;
		v = -hdm_joinf(my - r, ey);
	} else {
		v = hdm_joinf(r, ey);
	}
	int n = (int)(q & 0x7fffffffu);
	*quo = (x < 0.0f) != (y < 0.0f) ? -n : n;
	if (v == 0.0f)
		return hdm_copysignf(0.0f, x);
	return x < 0.0f ? -v : v;
}

HDM float hdm_remainderf(float x, float y)
{
	int q;
	return hdm_remquof(x, y, &q);
}

/* ---- exponentials ---- */

/* p * 2^n, rounding once. |n| <= 252, 0.5 < p < 4. */
HDM float hdm_scalef(float p, int n)
{
	int h = n / 2;
	return p * hdm_pow2f(h) * hdm_pow2f(n - h);
}

/* exp(x + lo) = result * 2^n with result in about [0.7, 1.42]. */
HDM float hdm_expsplitf(float x, float lo, int *n)
{
	float t = hdm_rintf(x * 1.44269502f);
	float r = hdm_fmaf(t, -0.693145752f, x);
	r = hdm_fmaf(t, -1.42860677e-06f, r) + lo;
	*n = (int)t;
	return HORNERF(r, 1.0f, 1.0f, 0.499999881f, 0.166665182f,
		       0.0416696519f, 0.00836894568f, 0.00137449708f);
}

HDM float hdm_expf(float x)
{
	int n;
	float c = x < -104.0f ? -104.0f : x > 89.0f ? 89.0f : x;
	float p = hdm_expsplitf(c, 0.0f, &n);
	return x != x ? x : hdm_scalef(p, n);
}

HDM float hdm_exp2f(float x)
{
	float c = x < -151.0f ? -151.0f : x > 129.0f ? 129.0f : x;
	float t = hdm_rintf(c), r = c - t;
	float p = HORNERF(r, 1.0f, 0.693147182f, 0.240226448f, 0.0555035919f,
			  0.00961884111f, 0.00133911369f, 0.000152380031f);
	return x != x ? x : hdm_scalef(p, (int)t);
}

HDM float hdm_exp10f(float x)
{
	float c = x < -46.0f ? -46.0f : x > 39.0f ? 39.0f : x;
	float t = hdm_rintf(c * 3.32192802f);
	float r = hdm_fmaf(t, -0.301029205f, c);
	r = hdm_fmaf(t, -7.90341687e-07f, r);
	/* the leading coefficient in two parts keeps r * ln 10 exact enough */
	float q = HORNERF(r, 2.65094852f, 2.03465581f, 1.17132366f,
			  0.541837633f, 0.205357417f);
	float p = hdm_fmaf(r, 2.30258512f,
			   hdm_fmaf(r, -3.19754e-08f, r * r * q));
	return x != x ? x : hdm_scalef(1.0f + p, (int)t);
}

HDM float hdm_expm1f(float x)
{
	if (!(x > -18.0f) || x == 0.0f)
		return x != x || x == 0.0f ? x : -1.0f;
	float c = x > 89.0f ? 89.0f : x;
	float t = hdm_fabsf(c) < 0.3466f ? 0.0f : hdm_rintf(c * 1.44269502f);
	float r = hdm_fmaf(t, -0.693145752f, c);
	float rl = hdm_fmaf(t, -1.42860677e-06f, 0.0f);
	float rh = r + rl;
	rl = (r - rh) + rl;
	float q = HORNERF(rh, 0.5f, 0.166666672f, 0.0416665114f, 0.00833319966f,
			  0.00139305007f, 0.000199510425f);
	float p = hdm_fmaf(rh * rh, q, rl); /* expm1(r) = rh + p */
	int n = (int)t;
	if (n == 0)
		return rh + p;
	if (n > 100) /* the 1 is far below the last bit */
		return hdm_scalef(1.0f + (rh + p), n);
	/* (2^n - 1) + 2^n (rh + p), largest first */
	float s = hdm_pow2f(n), a = s - 1.0f, al = (s - a) - 1.0f;
	float b = s * rh, h = a + b;
	float hl = hdm_fabsf(a) >= hdm_fabsf(b) ? (a - h) + b : (b - h) + a;
	return h + hdm_fmaf(s, p, hl + al);
}

/* ---- logarithms ---- */

/* x = m * 2^e with m in [base, 2 base), base given by its bits: 2/3 for
 * polynomials in m - 1, sqrt(1/2) for those in (m - 1) / (m + 1). x > 0 and
 * finite. Returns m - 1. */
#define HDM_2_3F 0x3f2aaaabu
#define HDM_SQRT1_2F 0x3f3504f3u
HDM float hdm_logsplitf(float x, uint32_t base, float *e)
{
	float bias = 0.0f;
	if (x < 1.17549435e-38f) {
		x *= 8388608.0f;
		bias = -23.0f;
	}
	uint32_t u = hdm_bitsf(x) - base;
	*e = (float)((int32_t)u >> 23) + bias;
	return hdm_fromf((u & 0x7fffffu) + base) - 1.0f;
}

HDM float hdm_log_special(float x)
{
	return x == 0.0f ? -HDM_INFF : x < 0.0f ? HDM_NANF : x;
}

/* log(1 + f) - f for f in [-1/3, 1/3] */
HDM float hdm_logtailf(float f)
{
	float q = HORNERF(f, -0.5f, 0.333333194f, -0.249999702f, 0.200038522f,
			  -0.166714281f, 0.141168132f, -0.123228535f,
			  0.134341434f, -0.122461967f);
	return q * (f * f);
}

HDM float hdm_logf(float x)
{
	if (!(x > 0.0f) || x == HDM_INFF)
		return hdm_log_special(x);
	float e, f = hdm_logsplitf(x, HDM_2_3F, &e);
	float t = hdm_fmaf(e, 1.42860677e-06f, hdm_logtailf(f));
	/* e times the short high part of ln 2 is exact */
	float a = e * 0.693145752f, h = a + f;
	float l = (a - h) + f;
	return e == 0.0f ? f + t : h + (l + t);
}

HDM float hdm_log2f(float x)
{
	if (!(x > 0.0f) || x == HDM_INFF)
		return hdm_log_special(x);
	float e, f = hdm_logsplitf(x, HDM_2_3F, &e);
	float q = HORNERF(f, -0.721347511f, 0.480897456f, -0.360673606f,
			  0.288644403f, -0.240535021f, 0.202764109f,
			  -0.177314445f, 0.198440462f, -0.179399922f);
	float t = hdm_fmaf(f, 1.92596303e-08f, q * (f * f));
	/* e + f log2(e) with its rounding errors: they cancel against each
	 * other when x is a little above 4/3 */
	float a = hdm_mulf(f, 1.44269502f), h = e + a;
	float l = e == 0.0f ? 0.0f : (e - h) + a;
	return h + (l + (hdm_fmaf(f, 1.44269502f, -a) + t));
}

HDM float hdm_log10f(float x)
{
	if (!(x > 0.0f) || x == HDM_INFF)
		return hdm_log_special(x);
	float e, f = hdm_logsplitf(x, HDM_2_3F, &e);
	float q = HORNERF(f, -0.217147246f, 0.144764557f, -0.108572617f,
			  0.0868907198f, -0.0724393576f, 0.0610365607f,
			  -0.0530028269f, 0.0597437248f, -0.0555042699f);
	float t = hdm_fmaf(f, -1.010305e-08f, q * (f * f));
	t = hdm_fmaf(e, 7.90341687e-07f, t);
	float p = hdm_fmaf(f, 0.434294492f, t);
	return hdm_fmaf(e, 0.301029205f, p);
}

HDM float hdm_log1pf(float x)
{
	if (!(x > -1.0f) || x == HDM_INFF)
		return x == -1.0f ? -HDM_INFF : x < -1.0f ? HDM_NANF : x;
	if (hdm_fabsf(x) <= 0.33f)
		return x + hdm_logtailf(x);
	/* 1 + x = u + c exactly */
	float u = 1.0f + x;
	float c = x > 1.0f ? 1.0f - (u - x) : x - (u - 1.0f);
	float e, f = hdm_logsplitf(u, HDM_2_3F, &e);
	c *= hdm_pow2f(e > 120.0f ? 0 : -(int)e);
	c = e > 120.0f ? 0.0f : c;
	float g = f + c;
	c = (f - g) + c;
	float t = hdm_fmaf(e, 1.42860677e-06f, hdm_logtailf(g) + c);
	float a = e * 0.693145752f, h = a + g;
	float l = e == 0.0f ? 0.0f : (a - h) + g;
	return h + (l + t);
}

/* ---- power ---- */

HDM float hdm_powcoref(float ax, float y)
{
	float e, f = hdm_logsplitf(ax, HDM_SQRT1_2F, &e);
	/* s = f / (2 + f) = sh + sl; log(1 + f) = 2 atanh(s) */
	float d = 2.0f + f, dl = f - (d - 2.0f);
	float sh = f / d;
	float sl = (hdm_fmaf(-sh, d, f) - sh * dl) / d;
	float zh = hdm_mulf(sh, sh);
	float zl = hdm_fmaf(sh, sh, -zh) + 2.0f * sh * sl;
	/* atanh(s) = s + s^3 (1/3 + ...) */
	float q = HORNERF(zh, 0.199997753f, 0.142948031f, 0.11289376f);
	float b = hdm_fmaf(zh, q, -9.93410776e-09f);
	float qh = 0.333333343f + b, ql = (0.333333343f - qh) + b;
	float uh = hdm_mulf(zh, sh);
	float ul = hdm_fmaf(zh, sh, -uh) + zl * sh + zh * sl;
	float wh = hdm_mulf(uh, qh);
	float wl = hdm_fmaf(uh, qh, -wh) + uh * ql + ul * qh;
	float th = sh + wh, tl = (sh - th) + wh + (sl + wl);
	/* times 2 / ln 2 = 2.88539004 + 3.85e-8 */
	float lh = hdm_mulf(th, 2.88539004f);
	float ll = hdm_fmaf(th, 2.88539004f, -lh) +
		   (tl * 2.88539004f + th * 3.85192607e-08f);
	float h = e + lh;
	ll += e == 0.0f ? 0.0f : (e - h) + lh;
	float ph = hdm_mulf(y, h);
	ph = ph > 1000.0f ? 1000.0f : ph < -1000.0f ? -1000.0f : ph;
	float pl = hdm_fmaf(y, h, -ph) + y * ll;
	if (hdm_fabsf(ph) > 200.0f)
		return ph > 0.0f ? HDM_INFF : 0.0f;
	float t = hdm_rintf(ph), r = (ph - t) + pl;
	float p = HORNERF(r, 1.0f, 0.693147182f, 0.240226448f, 0.0555035919f,
			  0.00961884111f, 0.00133911369f, 0.000152380031f);
	return hdm_scalef(p, (int)t);
}

HDM float hdm_powf(float x, float y)
{
	float ax = hdm_fabsf(x), ay = hdm_fabsf(y);
	if (x == 1.0f || y == 0.0f)
		return 1.0f;
	if (x != x || y != y)
		return x + y;
	int whole = hdm_truncf(y) == y;
	int odd = whole && ay < 16777216.0f && ((int)ay & 1);
	float r;
	if (ay == HDM_INFF)
		return ax == 1.0f ? 1.0f
		       : (ax > 1.0f) == (y > 0.0f) ? HDM_INFF : 0.0f;
	if (ax == 0.0f || ax == HDM_INFF)
		r = (ax == 0.0f) == (y < 0.0f) ? HDM_INFF : 0.0f;
	else if (x < 0.0f && !whole)
		return HDM_NANF;
	else
		r = hdm_powcoref(ax, y);
	return odd && (hdm_bitsf(x) >> 31) ? -r : r;
}

/* ---- trigonometry ---- */

/* 2/pi as a stream of bits, after one word of zeros. */
HDM_TABLE uint32_t hdm_2opi[8] = {
	0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1,
	0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
};

/* Payne and Hanek: of the product x * 2/pi only the bits that matter modulo 4
 * are formed. x = m * 2^e; the first bit of 2/pi whose product with m is not a
 * multiple of 4 has index e - 2. */
HDM float hdm_reduce_bigf(float x, int *n)
{
	int e;
	uint64_t m = hdm_splitf(x, &e);
	int o = e - 2 + 32, w = o >> 5, s = o & 31;
	uint32_t a[3];
	for (int i = 0; i < 3; i++) {
		uint64_t pair = (uint64_t)hdm_2opi[w + i] << 32 |
				hdm_2opi[w + i + 1];
		a[i] = (uint32_t)(pair << s >> 32);
	}
	uint64_t p2 = m * a[2];
	uint64_t p1 = m * a[1] + (p2 >> 32);
	uint64_t p0 = m * a[0] + (p1 >> 32);
	uint64_t h = p0 << 32 | (p1 & 0xffffffffu);
	uint64_t frac = h << 2 | (p2 >> 30 & 3);
	int q = (int)(h >> 62) + (int)(frac >> 63);
	float r = (float)((double)(int64_t)frac * 8.5153039502163873e-20);
	*n = hdm_bitsf(x) >> 31 ? -q : q;
	return hdm_bitsf(x) >> 31 ? -r : r;
}

/* x = n pi/2 + r, |r| <= pi/4; n modulo 4 counts. */
HDM float hdm_reducef(float x, int *n)
{
	if (!(hdm_fabsf(x) < 1.0e5f)) {
		if (x - x != 0.0f) {
			*n = 0;
			return HDM_NANF;
		}
		return hdm_reduce_bigf(x, n);
	}
	float t = hdm_rintf(x * 0.636619747f);
	*n = (int)t;
	float r = hdm_fmaf(t, -1.57079637f, x);
	r = hdm_fmaf(t, 4.37113883e-08f, r);
	return hdm_fmaf(t, 1.71512451e-15f, r);
}

HDM float hdm_ksinf(float r)
{
	float z = r * r;
	float q = HORNERF(z, -0.166666672f, 0.00833339617f, -0.00019860841f,
			  2.91669949e-06f);
	return hdm_fmaf(z * r, q, r);
}

HDM float hdm_kcosf(float r)
{
	float z = r * r;
	float q = HORNERF(z, 0.0416666679f, -0.00138890487f, 2.4852734e-05f,
			  -3.21248251e-07f);
	return hdm_fmaf(z * z, q, hdm_fmaf(z, -0.5f, 1.0f));
}

/* The n-th quarter turn: odd n exchanges sine and cosine, n & 2 flips. */
HDM float hdm_quarterf(float r, int n)
{
	float v = n & 1 ? hdm_kcosf(r) : hdm_ksinf(r);
	return n & 2 ? -v : v;
}

HDM float hdm_sinf(float x)
{
	int n;
	float r = hdm_reducef(x, &n);
	return x == 0.0f ? x : hdm_quarterf(r, n);
}

HDM float hdm_cosf(float x)
{
	int n;
	float r = hdm_reducef(x, &n);
	return hdm_quarterf(r, n + 1);
}

HDM void hdm_sincosf(float x, float *s, float *c)
{
	int n;
	float r = hdm_reducef(x, &n);
	float ks = hdm_ksinf(r), kc = hdm_kcosf(r);
	float vs = n & 1 ? kc : ks, vc = n & 1 ? ks : kc;
	*s = x == 0.0f ? x : n & 2 ? -vs : vs;
	*c = (n + 1) & 2 ? -vc : vc;
}

HDM float hdm_tanf(float x)
{
	int n;
	float r = hdm_reducef(x, &n), z = r * r;
	float q = HORNERF(z, 0.333333343f, 0.133332148f, 0.0539966077f,
			  0.021608958f, 0.00999563932f, 0.0011411896f,
			  0.0038654597f);
	float t = hdm_fmaf(z * r, q, r);
	return x == 0.0f ? x : n & 1 ? -1.0f / t : t;
}

/* x = n/2 + r exactly; sin(pi r), cos(pi r) for |r| <= 1/4. */
HDM float hdm_reducepif(float x, int *n)
{
	float t = hdm_rintf(2.0f * x);
	/* beyond 2^24 every float is an even integer */
	*n = hdm_fabsf(t) < 16777216.0f ? (int)t
	     : hdm_fabsf(t) < 33554432.0f ? (int)(t * 0.5f) * 2 : 0;
	return x - x != 0.0f ? HDM_NANF : hdm_fmaf(t, -0.5f, x);
}

HDM float hdm_ksinpif(float r)
{
	float z = r * r;
	float q = HORNERF(z, -5.16771269f, 2.55015206f, -0.598861635f,
			  0.0778852478f);
	return hdm_fmaf(r, 3.14159274f,
			hdm_fmaf(r, -8.74227766e-08f, z * r * q));
}

HDM float hdm_kcospif(float r)
{
	float z = r * r;
	return HORNERF(z, 1.0f, -4.93480206f, 4.05868149f, -1.33351135f,
		       0.198179498f, 0.237287968f);
}

HDM void hdm_sincospif(float x, float *s, float *c)
{
	int n;
	float r = hdm_reducepif(x, &n);
	float ks = hdm_ksinpif(r), kc = hdm_kcospif(r);
	float vs = n & 1 ? kc : ks, vc = n & 1 ? ks : kc;
	vs = n & 2 ? -vs : vs;
	vc = (n + 1) & 2 ? -vc : vc;
	*s = hdm_truncf(x) == x ? hdm_copysignf(0.0f, x) : vs;
	*c = vc == 0.0f ? 0.0f : vc;
}

HDM float hdm_sinpif(float x)
{
	float s, c;
	hdm_sincospif(x, &s, &c);
	return s;
}

HDM float hdm_cospif(float x)
{
	float s, c;
	hdm_sincospif(x, &s, &c);
	return c;
}

/* asin(x) - x for 0 <= x <= 1/2 */
HDM float hdm_asintailf(float x, float z)
{
	float q = HORNERF(z, 0.166666657f, 0.075001508f, 0.0445862748f,
			  0.0312243886f, 0.0166425612f, 0.0344417319f);
	return x * z * q;
}

HDM float hdm_asinf(float x)
{
	float a = hdm_fabsf(x), v;
	if (a <= 0.5f) {
		v = a + hdm_asintailf(a, a * a);
	} else {
		float z = hdm_fmaf(a, -0.5f, 0.5f), s = hdm_sqrtf(z);
		v = s + hdm_asintailf(s, z);
		v = 1.57079637f - hdm_fmaf(2.0f, v, 4.37113883e-08f);
	}
	return hdm_copysignf(v, x);
}

HDM float hdm_acosf(float x)
{
	float a = hdm_fabsf(x), v;
	if (a <= 0.5f) {
		v = a + hdm_asintailf(a, a * a);
		v = hdm_copysignf(v, x);
		return 1.57079637f - (v + 4.37113883e-08f);
	}
	float z = hdm_fmaf(a, -0.5f, 0.5f), s = hdm_sqrtf(z);
	v = 2.0f * (s + hdm_asintailf(s, z));
	return x < 0.0f ? 3.14159274f - (v + 8.74227766e-08f) : v;
}

/* atan(a) for 0 <= a <= 1 */
HDM float hdm_katanf(float a)
{
	float z = a * a;
	float q = HORNERF(z, -0.333333313f, 0.199997321f, -0.142785817f,
			  0.110343926f, -0.0866040885f, 0.062590301f,
			  -0.03598639f, 0.0135827065f, -0.00240649027f);
	return hdm_fmaf(z * a, q, a);
}

HDM float hdm_atanf(float x)
{
	float a = hdm_fabsf(x);
	float v = hdm_katanf(a > 1.0f ? 1.0f / a : a);
	if (a > 1.0f)
		v = 1.57079637f - (v + 4.37113883e-08f);
	return hdm_copysignf(v, x);
}

HDM float hdm_atan2f(float y, float x)
{
	float ax = hdm_fabsf(x), ay = hdm_fabsf(y);
	if (x != x || y != y)
		return x + y;
	float hi = ax > ay ? ax : ay, lo = ax > ay ? ay : ax;
	float t = hi == 0.0f ? 0.0f : lo == HDM_INFF ? 1.0f : lo / hi;
	float v = hdm_katanf(t);
	if (ay > ax)
		v = 1.57079637f - (v + 4.37113883e-08f);
	if (hdm_bitsf(x) >> 31)
		v = 3.14159274f - (v + 8.74227766e-08f);
	return hdm_copysignf(v, y);
}

/* ---- hyperbolic ---- */

HDM float hdm_sinhf(float x)
{
	float a = hdm_fabsf(x), v;
	if (a < 1.0f) {
		float z = a * a;
		float q = HORNERF(z, 0.166666672f, 0.00833329745f,
				  0.000198466427f, 2.75713728e-06f);
		v = hdm_fmaf(z * a, q, a);
	} else {
		int n;
		float p = hdm_expsplitf(a > 91.0f ? 91.0f : a, 0.0f, &n);
		v = hdm_scalef(0.5f * p, n);
		v -= a > 20.0f ? 0.0f : 0.25f / v;
	}
	return x != x ? x : hdm_copysignf(v, x);
}

HDM float hdm_coshf(float x)
{
	int n;
	float a = hdm_fabsf(x);
	float p = hdm_expsplitf(a > 91.0f ? 91.0f : a, 0.0f, &n);
	float v = hdm_scalef(0.5f * p, n);
	return x != x ? x : a > 20.0f ? v : v + 0.25f / v;
}

HDM float hdm_tanhf(float x)
{
	float a = hdm_fabsf(x), v;
	if (a < 0.6f) {
		float z = a * a;
		float q = HORNERF(z, -0.333333343f, 0.133333728f,
				  -0.0539707616f, 0.0218462776f,
				  -0.0085699372f, 0.00253134198f);
		v = hdm_fmaf(z * a, q, a);
	} else {
		float e = hdm_expf(a > 10.0f ? 20.0f : 2.0f * a);
		v = 1.0f - 2.0f / (e + 1.0f);
	}
	return x != x ? x : hdm_copysignf(v, x);
}

HDM float hdm_asinhf(float x)
{
	float a = hdm_fabsf(x), v;
	if (a > 1.0e9f) {
		v = hdm_logf(a) + 0.693147182f;
	} else {
		float z = a * a;
		v = hdm_log1pf(a + z / (1.0f + hdm_sqrtf(1.0f + z)));
	}
	return x - x != 0.0f ? x : hdm_copysignf(v, x);
}

HDM float hdm_acoshf(float x)
{
	float t = x - 1.0f;
	if (x > 1.0e9f)
		return x == HDM_INFF ? x : hdm_logf(x) + 0.693147182f;
	if (x < 1.0f)
		return HDM_NANF;
	return hdm_log1pf(t + hdm_sqrtf(hdm_fmaf(t, t, 2.0f * t)));
}

HDM float hdm_atanhf(float x)
{
	float a = hdm_fabsf(x);
	float v = 0.5f * hdm_log1pf(2.0f * a / (1.0f - a));
	if (a < 2.0e-4f)
		v = a;
	return a == 1.0f ? hdm_copysignf(HDM_INFF, x) : hdm_copysignf(v, x);
}

/* ---- roots and norms ---- */

/* |x| = m * 2^(3k) with 1 <= m < 8; x finite and not 0. */
HDM float hdm_cbrtsplitf(float x, int *k)
{
	int e;
	float m = hdm_frexpf(hdm_fabsf(x), &e) * 2.0f;
	e += 599; /* now >= 0 and congruent to the exponent modulo 3 */
	*k = e / 3 - 200;
	return m * hdm_pow2f(e % 3);
}

/* m^(-1/3) by Newton from a guess through the exponent. */
HDM float hdm_rcbrt_seedf(float m)
{
	float y = hdm_fromf(0x54a21d2au - hdm_bitsf(m) / 3);
	for (int i = 0; i < 3; i++)
		y = hdm_fmaf(y * 0.333333333f,
			     hdm_fmaf(-m * y, y * y, 1.0f), y);
	return y;
}

HDM float hdm_cbrtf(float x)
{
	if (x == 0.0f || x - x != 0.0f)
		return x;
	int k;
	float m = hdm_cbrtsplitf(x, &k), y = hdm_rcbrt_seedf(m);
	float y2 = y * y, c = m * y2;
	float h = hdm_mulf(c, c), l = hdm_fmaf(c, c, -h);
	float r = hdm_fmaf(-c, h, m) - c * l;
	c = hdm_fmaf(r * 0.333333333f, y2, c);
	return hdm_copysignf(c * hdm_pow2f(k), x);
}

HDM float hdm_rcbrtf(float x)
{
	if (x == 0.0f || x - x != 0.0f)
		return 1.0f / x;
	int k;
	float m = hdm_cbrtsplitf(x, &k), y = hdm_rcbrt_seedf(m);
	float h = hdm_mulf(y, y), l = hdm_fmaf(y, y, -h);
	float t = hdm_mulf(m, h), tl = hdm_fmaf(m, h, -t) + m * l;
	float e = hdm_fmaf(-t, y, 1.0f) - tl * y;
	y = hdm_fmaf(y * 0.333333333f, e, y);
	return hdm_copysignf(y * hdm_pow2f(-k), x);
}

/* Power of two that brings a (the largest magnitude) near 1, and its
 * reciprocal; a finite and not 0. */
HDM float hdm_normscalef(float a, float *inv)
{
	int e = (int)(hdm_bitsf(a) >> 23) - 127;
	e = e > 120 ? 120 : e < -120 ? -120 : e;
	*inv = hdm_pow2f(e);
	return hdm_pow2f(-e);
}

/* sqrt(a^2 + b^2 + c^2 + d^2), or its reciprocal, without over- or underflow */
HDM float hdm_normN(float a, float b, float c, float d, int reciprocal)
{
	float m = hdm_fmaxf(hdm_fmaxf(hdm_fabsf(a), hdm_fabsf(b)),
			    hdm_fmaxf(hdm_fabsf(c), hdm_fabsf(d)));
	if (m == HDM_INFF)
		return reciprocal ? 0.0f : HDM_INFF;
	if (a != a || b != b || c != c || d != d)
		return HDM_NANF;
	if (m == 0.0f)
		return reciprocal ? HDM_INFF : 0.0f;
	float inv, s = hdm_normscalef(m, &inv);
	a *= s, b *= s, c *= s, d *= s;
	float q = hdm_fmaf(a, a, hdm_fmaf(b, b, hdm_fmaf(c, c, d * d)));
	float r = hdm_sqrtf(q);
	return reciprocal ? 1.0f / r * s : r * inv;
}

HDM float hdm_hypotf(float x, float y)
{
	return hdm_normN(x, y, 0.0f, 0.0f, 0);
}
HDM float hdm_rhypotf(float x, float y)
{
	return hdm_normN(x, y, 0.0f, 0.0f, 1);
}
HDM float hdm_norm3df(float a, float b, float c)
{
	return hdm_normN(a, b, c, 0.0f, 0);
}
HDM float hdm_rnorm3df(float a, float b, float c)
{
	return hdm_normN(a, b, c, 0.0f, 1);
}
HDM float hdm_norm4df(float a, float b, float c, float d)
{
	return hdm_normN(a, b, c, d, 0);
}
HDM float hdm_rnorm4df(float a, float b, float c, float d)
{
	return hdm_normN(a, b, c, d, 1);
}

HDM float hdm_normf(int n, const float *p)
{
	float m = 0.0f, q = 0.0f, inv, s;
	for (int i = 0; i < n; i++)
		m = hdm_fmaxf(m, hdm_fabsf(p[i]));
	if (m == 0.0f || m == HDM_INFF)
		return m;
	s = hdm_normscalef(m, &inv);
	for (int i = 0; i < n; i++)
		q = hdm_fmaf(p[i] * s, p[i] * s, q);
	return hdm_sqrtf(q) * inv;
}

HDM float hdm_rnormf(int n, const float *p)
{
	return 1.0f / hdm_normf(n, p);
}

#endif
