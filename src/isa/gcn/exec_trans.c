/*
 * Transcendental functions, in double arithmetic by polynomials whose error is
 * far below that of the result's format: every host computes the same bits.
 *
 * Error: rcp, rsq, sqrt, exp, log of single precision within 1 ulp, as the
 * architecture states, and in fact within 0.51; sin and cos within 2^-24 where
 * the argument is at most 256 turns, beyond which they are 0 and 1. Single
 * precision has no subnormal operands or results. rcp, rsq and sqrt of double
 * precision are within 1 ulp, which is more than the architecture promises.
 */
#include <math.h>

#include "isa/gcn/lanes.h"

#define FLIP UINT32_C(0x80000000)
enum { INF32 = 0x7f800000, MAX32 = 0x7f7fffff };

static inline uint32_t trans_flushed(uint32_t a)
{
	return gcn_flush(a, 0);
}

/* Rounds; a NaN keeps its bits. */
static inline uint32_t single(double v, uint32_t a)
{
	return gcn_is_nan(a) ? a | GCN_QUIET :
	       v != v        ? (uint32_t)GCN_NAN :
			       gcn_flush(f32_bits((float)v), 0);
}

/* Infinite results as the clamping and the legacy forms have them. */
static inline uint32_t trans_limited(uint32_t r)
{
	return (r & ~FLIP) == INF32 ? (r & FLIP) | MAX32 : r;
}
static inline uint32_t zeroed(uint32_t r)
{
	return (r & ~FLIP) == INF32 ? r & FLIP : r;
}

/* ---- reciprocals and roots --------------------------------------------- */

static inline uint32_t rcp(uint32_t a)
{
	return single(1.0 / (double)f32_of(trans_flushed(a)), a);
}
/* The reciprocal root of -0 is -infinity. */
static inline uint32_t rsq(uint32_t a)
{
	double v = (double)f32_of(trans_flushed(a));

	return single(v == 0 ? 1.0 / v : 1.0 / sqrt(v), a);
}

FLOAT1(V_RCP_F32, U, U, rcp(a))
FLOAT1(V_RCP_IFLAG_F32, U, U, rcp(a))
FLOAT1(V_RCP_CLAMP_F32, U, U, trans_limited(rcp(a)))
FLOAT1(V_RCP_LEGACY_F32, U, U, zeroed(rcp(a)))
FLOAT1(V_RSQ_F32, U, U, rsq(a))
FLOAT1(V_RSQ_CLAMP_F32, U, U, trans_limited(rsq(a)))
FLOAT1(V_RSQ_LEGACY_F32, U, U, zeroed(rsq(a)))
FLOAT1(V_SQRT_F32, U, U, single(sqrt((double)f32_of(trans_flushed(a))), a))

static inline uint64_t wide(double v, uint64_t a)
{
	return gcn_is_nan64(a) ? a | GCN_QUIET64 :
	       v != v          ? GCN_NAN64 :
				 f64_bits(v);
}
static inline uint64_t limited64(uint64_t r)
{
	uint64_t inf = UINT64_C(0x7ff) << 52, sign = UINT64_C(1) << 63;

	return (r & ~sign) == inf ? (r & sign) | (inf - 1) : r;
}
static inline uint64_t rcp64(uint64_t a, uint32_t mode)
{
	a = gcn_flush64(a, mode & GCN_DENORM_IN_64);
	return gcn_flush64(wide(1.0 / f64_of(a), a), mode & GCN_DENORM_OUT_64);
}
static inline uint64_t rsq64(uint64_t a, uint32_t mode)
{
	double v;

	a = gcn_flush64(a, mode & GCN_DENORM_IN_64);
	v = f64_of(a);
	return wide(v == 0 ? 1.0 / v : 1.0 / sqrt(v), a);
}
static inline uint64_t sqrt64(uint64_t a, uint32_t mode)
{
	a = gcn_flush64(a, mode & GCN_DENORM_IN_64);
	return wide(sqrt(f64_of(a)), a);
}

FLOAT1(V_RCP_F64, D, D, rcp64(a, x->mode))
FLOAT1(V_RCP_CLAMP_F64, D, D, limited64(rcp64(a, x->mode)))
FLOAT1(V_RSQ_F64, D, D, rsq64(a, x->mode))
FLOAT1(V_RSQ_CLAMP_F64, D, D, limited64(rsq64(a, x->mode)))
FLOAT1(V_SQRT_F64, D, D, sqrt64(a, x->mode))

/* ---- powers and logarithms of 2 ---------------------------------------- */

/* Horner's scheme: the highest coefficient first. */
static inline double polynomial(double v, const double *c, unsigned n)
{
	double r = c[0];

	for (unsigned i = 1; i < n; i++)
		r = r * v + c[i];
	return r;
}

/* 2^f, |f| <= 1/2: ln(2)^k / k! down from k = 10. */
static const double exp_terms[] = { 7.0549116208011209e-09,
				    1.0178086009239696e-07,
				    1.3215486790144305e-06,
				    1.5252733804059838e-05,
				    0.00015403530393381606,
				    0.0013333558146428441,
				    0.0096181291076284769,
				    0.055504108664821576,
				    0.24022650695910069,
				    0.69314718055994529,
				    1.0 };

static inline uint32_t trans_power(uint32_t a)
{
	double v = (double)f32_of(trans_flushed(a)), n, r;

	if (gcn_is_nan(a))
		return a | GCN_QUIET;
	v = v < -200 ? -200 : v > 200 ? 200 : v;
	n = floor(v + 0.5);
	r = polynomial(v - n, exp_terms,
		       sizeof(exp_terms) / sizeof(exp_terms[0]));
	return single(r * f64_of((uint64_t)(1023 + (int64_t)n) << 52), a);
}
FLOAT1(V_EXP_F32, U, U, trans_power(a))

/* 2 / ln(2) / k of s^k, down from k = 19. */
static const double log_terms[] = { 0.15186263588304877, 0.16972882833987804,
				    0.19235933878519512, 0.22195308321368667,
				    0.26230818925253879, 0.3205988979753252,
				    0.41219858311113239, 0.57707801635558531,
				    0.96179669392597555, 2.8853900817779268 };

/* With m in [sqrt(1/2), sqrt(2)), the series of s = (m - 1) / (m + 1). */
static inline uint32_t logarithm(uint32_t a)
{
	uint32_t u = trans_flushed(a);
	double m, s, e;
	int32_t n;

	if (gcn_is_nan(a))
		return a | GCN_QUIET;
	if (!(u & ~FLIP))
		return FLIP | INF32;
	if (u & FLIP)
		return GCN_NAN;
	if (u == INF32)
		return u;
	n = (int32_t)((u - 0x3f3504f3) & 0xff800000) >> 23;
	m = (double)f32_of(u - ((uint32_t)n << 23));
	e = (double)n;
	s = (m - 1) / (m + 1);
	return single(
		e + s * polynomial(s * s, log_terms,
				   sizeof(log_terms) / sizeof(log_terms[0])),
		a);
}
FLOAT1(V_LOG_F32, U, U, logarithm(a))
FLOAT1(V_LOG_CLAMP_F32, U, U, trans_limited(logarithm(a)))

/* ---- sine and cosine of turns ------------------------------------------ */

/* Terms of x^(2k+1) / x and x^2k, down from k = 7 and 8, x of [-pi/4, pi/4]. */
static const double sin_terms[] = {
	-7.6471637318198164e-13, 1.6059043836821613e-10,
	-2.505210838544172e-08,  2.7557319223985893e-06,
	-0.00019841269841269841, 0.0083333333333333332,
	-0.16666666666666666,    1.0
};
static const double cos_terms[] = { 4.7794773323873853e-14,
				    -1.1470745597729725e-11,
				    2.08767569878681e-09,
				    -2.7557319223985888e-07,
				    2.4801587301587302e-05,
				    -0.0013888888888888889,
				    0.041666666666666664,
				    -0.5,
				    1.0 };
enum { TURNS_MAX = 256 };

/* Quadrant `add` quarters further; the argument is exact up to the reduction. */
static inline uint32_t wave_of(uint32_t a, unsigned add)
{
	const double half_pi = 1.5707963267948966;
	double v = (double)f32_of(trans_flushed(a)), q, x, r;
	unsigned n;

	if (gcn_is_nan(a))
		return a | GCN_QUIET;
	if ((a & ~FLIP) == INF32)
		return GCN_NAN;
	if (v > TURNS_MAX || v < -TURNS_MAX)
		return add ? f32_bits(1.0f) : a & FLIP;
	q = floor(4 * v + 0.5);
	x = (4 * v - q) * half_pi;
	n = (unsigned)(int)q + add;
	if (n & 1)
		r = polynomial(x * x, cos_terms,
			       sizeof(cos_terms) / sizeof(cos_terms[0]));
	else
		r = x * polynomial(x * x, sin_terms,
				   sizeof(sin_terms) / sizeof(sin_terms[0]));
	return single(n & 2 ? -r : r, a);
}
FLOAT1(V_SIN_F32, U, U, wave_of(a, 0))
FLOAT1(V_COS_F32, U, U, wave_of(a, 1))
