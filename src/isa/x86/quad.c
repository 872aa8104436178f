#include "isa/x86/quad.h"

#include <string.h>

typedef unsigned __int128 u128;

enum { X86_QUAD_BIAS = 16383, X86_QUAD_FRACTION = 112 };

static u128 x86_quad_bits(x86_quad v)
{
	u128 bits;

	_Static_assert(sizeof(v) == sizeof(bits), "113 bits are needed");
	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

/* 2^exp, for exponents that a normal number has. */
static x86_quad x86_quad_power(int exp)
{
	u128 bits = (u128)(exp + X86_QUAD_BIAS) << X86_QUAD_FRACTION;
	x86_quad v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

x86_quad x86_quad_of(struct x86_num a)
{
	x86_quad m = (x86_quad)a.sig * x86_quad_power(-63);

	return a.sign ? -m : m;
}

/* The number itself; its exponent must be small. */
static x86_quad x86_quad_value(struct x86_num a)
{
	return x86_quad_of(a) * x86_quad_power(a.exp);
}

static x86_quad x86_quad_abs(x86_quad v)
{
	return v < 0 ? -v : v;
}

struct x86_num x86_quad_round(struct x86_env *e, struct x86_wide w,
			      enum x86_sink sink)
{
	u128 bits = x86_quad_bits(w.m);
	int field = (int)(bits >> X86_QUAD_FRACTION) & 0x7fff;
	bool sign = bits >> 127;
	u128 sig = (bits << 15) | (u128)1 << 127;
	int exp = field - X86_QUAD_BIAS + w.exp;

	if (!field)
		return (struct x86_num){ .is = X86_IS_ZERO, .sign = sign };
	if (!(sig << 64) && sink == X86_SMALLER)
		sig--;
	if (!(sig >> 127)) { /* it was a power of two */
		sig = ~(u128)0;
		exp--;
	}
	e->flags |= X86_FP_INEXACT |
		    (exp < x86_fmt80.emin ? X86_FP_UNDERFLOW : 0);
	return x86_soft_wide(e, &x86_fmt80, sign, exp, sig,
			     sink != X86_EXACTLY);
}

/* Constants of 128 bits, rounded to 113. */
static x86_quad x86_quad_constant(int exp, uint64_t high, uint64_t low)
{
	return ((x86_quad)high * x86_quad_power(64) + (x86_quad)low) *
	       x86_quad_power(exp - 127);
}

static x86_quad x86_quad_pi(void)
{
	return x86_quad_constant(1, 0xc90fdaa22168c234, 0xc4c6628b80dc1cd1);
}

static x86_quad x86_quad_ln2(void)
{
	return x86_quad_constant(-1, 0xb17217f7d1cf79ab, 0xc9e3b39803f2f6af);
}

enum { X86_TERMS = 16 /* of series of magnitudes below 0.8 */ };

/* The series of sine from r, of cosine from 1. */
static x86_quad x86_quad_series(x86_quad r, x86_quad first, unsigned n)
{
	x86_quad sum = first, term = first, square = r * r;

	for (unsigned k = 0; k < X86_TERMS; k++, n += 2) {
		term *= -square / (x86_quad)(n * (n + 1));
		sum += term;
	}
	return sum;
}

static x86_quad x86_sine(x86_quad r)
{
	return x86_quad_series(r, r, 2);
}

static x86_quad x86_cosine(x86_quad r)
{
	return x86_quad_series(r, 1, 1);
}

/* What is left of a magnitude after multiples of half of pi, and how many those
 * were, modulo 4. pi is this number times 2^-66. */
static x86_quad x86_quad_reduce(struct x86_num a, unsigned *quadrant)
{
	const u128 pi = (u128)0xc << 64 | 0x90fdaa22168c234c;
	u128 rest = a.sig;

	*quadrant = 0;
	/* The number is sig * 2^(exp - 63); half of pi is pi * 2^-67. */
	if (a.exp < -4)
		return (x86_quad)a.sig * x86_quad_power(a.exp - 63);
	for (int n = a.exp + 4; n > 0; n--) {
		rest <<= 1;
		*quadrant <<= 1;
		if (rest >= pi) {
			rest -= pi;
			*quadrant |= 1;
		}
	}
	if (rest << 1 <= pi)
		return (x86_quad)rest * x86_quad_power(-67);
	++*quadrant;
	return -((x86_quad)(pi - rest) * x86_quad_power(-67));
}

/* Below this exponent a function is its argument but for what is lost. */
enum { X86_TINY = -60 };

struct x86_sincos x86_quad_sincos(struct x86_num a)
{
	struct x86_sincos v = { .sin = { x86_quad_of(a), a.exp },
				.cos = { 1, 0 } };
	x86_quad r, sine, cosine;
	unsigned quadrant;

	if (a.exp < X86_TINY)
		return v;
	r = x86_quad_reduce(a, &quadrant);
	sine = x86_sine(r);
	cosine = x86_cosine(r);
	v.sin = (struct x86_wide){ quadrant & 1 ? cosine : sine, 0 };
	v.cos = (struct x86_wide){ quadrant & 1 ? sine : cosine, 0 };
	if (((quadrant & 2) != 0) != a.sign)
		v.sin.m = -v.sin.m;
	if ((quadrant + 1) & 2)
		v.cos.m = -v.cos.m;
	return v;
}

struct x86_wide x86_quad_tan(struct x86_num a)
{
	struct x86_sincos v = x86_quad_sincos(a);

	return (struct x86_wide){ v.sin.m / v.cos.m, v.sin.exp };
}

/* The arctangent of 0 to 1 in double precision, to 13 digits or so. */
static double x86_rough_atan(double t)
{
	const double quarter = 0.78539816339744831, edge = 0.41421356237309503;
	double u = t > edge ? (t - 1) / (t + 1) : t, sum = 0;

	for (int n = 31; n > 0; n -= 2)
		sum = 1.0 / n - sum * u * u;
	return sum * u + (t > edge ? quarter : 0);
}

/* tan d is small: what the rough one is wrong by. */
static x86_quad x86_fine_atan(x86_quad t)
{
	x86_quad rough = x86_rough_atan((double)t);
	x86_quad s = x86_sine(rough), c = x86_cosine(rough);
	x86_quad d = (t * c - s) / (c + t * s);

	return rough + (d - d * d * d / 3);
}

struct x86_wide x86_quad_atan(struct x86_num y, struct x86_num x)
{
	enum { FAR = 120 };
	x86_quad ratio =
		x86_quad_abs(x86_quad_of(y)) / x86_quad_abs(x86_quad_of(x));
	x86_quad angle, pi = x86_quad_pi();
	int exp = y.exp - x.exp;

	if (exp < -FAR && !x.sign)
		return (struct x86_wide){ ratio, exp };
	if (exp < -FAR)
		return (struct x86_wide){ pi, 0 };
	if (exp > FAR)
		return (struct x86_wide){ pi / 2, 0 };
	ratio *= x86_quad_power(exp);
	angle = ratio > 1 ? pi / 2 - x86_fine_atan(1 / ratio) :
			    x86_fine_atan(ratio);
	return (struct x86_wide){ x.sign ? pi - angle : angle, 0 };
}

struct x86_wide x86_quad_exp(struct x86_num a)
{
	x86_quad y = x86_quad_of(a) * x86_quad_ln2(), term, sum;
	int exp = a.exp;

	if (exp < 2 * X86_TINY)
		return (struct x86_wide){ y, exp };
	y *= x86_quad_power(exp);
	term = sum = y;
	for (unsigned n = 2; n < 2 * X86_TERMS; n++) {
		term *= y / (x86_quad)n;
		sum += term;
	}
	return (struct x86_wide){ sum, 0 };
}

/* The logarithm to the base 2 of (1 + s) / (1 - s), for magnitudes below 0.2. */
static x86_quad x86_log_of(x86_quad s)
{
	x86_quad sum = 0, square = s * s;

	for (int n = 4 * X86_TERMS - 13; n > 0; n -= 2)
		sum = sum * square + 1 / (x86_quad)n;
	return 2 * s * sum / x86_quad_ln2();
}

struct x86_wide x86_quad_log(struct x86_num a)
{
	x86_quad m = x86_quad_of(a);
	int whole = a.exp;

	if (m > (x86_quad)1.4142135623730951) {
		m /= 2;
		whole++;
	}
	return (struct x86_wide){
		x86_log_of((m - 1) / (m + 1)) + (x86_quad)whole, 0
	};
}

/* The other way, chopped to 64 bits: of numbers that were whole ones. */
static struct x86_num x86_quad_number(x86_quad v)
{
	u128 bits = x86_quad_bits(v);
	int field = (int)(bits >> X86_QUAD_FRACTION) & 0x7fff;

	return (struct x86_num){ .is = X86_IS_FINITE,
				 .exp = field - X86_QUAD_BIAS,
				 .sig = (uint64_t)(bits >> 49) | 1ull << 63 };
}

struct x86_wide x86_quad_log1p(struct x86_num a)
{
	x86_quad x;

	if (a.exp < 2 * X86_TINY)
		return (struct x86_wide){ x86_quad_of(a) / x86_quad_ln2(),
					  a.exp };
	if (a.exp < 0) {
		x = x86_quad_value(a);
		return (struct x86_wide){ x86_log_of(x / (2 + x)), 0 };
	}
	if (a.exp < X86_QUAD_FRACTION) {
		x = 1 + x86_quad_value(a);
		a = x86_quad_number(x);
	}
	return x86_quad_log(a);
}
