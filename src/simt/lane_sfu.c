/*
 * An operand selects a segment of its function's table and a 17-bit place x in
 * the segment. The sum of the parabola is exact, in units of 2^-43, but for
 * the square: of the partial products of x * x, those below 2^19 of 2^34 are
 * never formed. Results are truncated, never rounded; all rounding is in the
 * coefficients and in one constant per function.
 */
#include "simt/lane_sfu.h"

#include <stdbool.h>

#include "base/fp.h"

struct segment {
	int32_t c0, c1, c2;
};

static const struct segment rcp_table[128] = {
#define RCP(c0, c1, c2) { c0, c1, c2 },
#include "simt/lane_sfu.def"
};
static const struct segment rsq_table[128] = {
#define RSQ(c0, c1, c2) { c0, c1, c2 },
#include "simt/lane_sfu.def"
};
static const struct segment sqrt_table[128] = {
#define SQRT(c0, c1, c2) { c0, c1, c2 },
#include "simt/lane_sfu.def"
};
static const struct segment lg2_table[64] = {
#define LG2(c0, c1, c2) { c0, c1, c2 },
#include "simt/lane_sfu.def"
};
static const struct segment ex2_table[64] = {
#define EX2(c0, c1, c2) { c0, c1, c2 },
#include "simt/lane_sfu.def"
};
static const struct segment sin_table[64] = {
#define SIN(c0, c1, c2) { c0, c1, c2 },
#include "simt/lane_sfu.def"
};
static const struct segment tanh_table[51] = {
#define TANH(c0, c1, c2) { c0, c1, c2 },
#include "simt/lane_sfu.def"
};

enum {
#define SFU_BIAS(table, bias) table##_BIAS = bias,
#include "simt/lane_sfu.def"
	ONE = 0x3f800000,
	INF = 0x7f800000,
	NAN_BITS = 0x7fffffff
};

/* The upper 15 bits of x * x, without the partial products below them. */
static uint32_t square(uint32_t x)
{
	uint32_t sum = 0;

	for (int i = 2; i < 17; i++) {
		int low = i + 1 > 18 - i ? i + 1 : 18 - i;
		uint32_t with = x >> low << low >> (18 - i);

		if (i >= 10)
			with += 1u << (2 * i - 19);
		sum += x >> i & 1 ? with : 0;
	}
	return sum;
}

static int64_t parabola(const struct segment *t, uint32_t x)
{
	return ((int64_t)t->c0 << 17) + (int64_t)t->c1 * x +
	       (int64_t)t->c2 * 4 * square(x);
}

/* v * 2^(exponent - 43) for v >= 0, truncated to 24 bits. */
static float cut(int64_t v, int exponent, uint32_t sign)
{
	if (v == 0)
		return f32_of(sign);
	int top = 63 - __builtin_clzll((uint64_t)v);
	uint32_t m = (uint32_t)(top > 23 ? v >> (top - 23) : v << (23 - top));
	int e = top - 43 + exponent + 127;

	if (e <= 0)
		return f32_of(sign);
	if (e >= 255)
		return f32_of(sign | INF);
	return f32_of(sign | (uint32_t)e << 23 | (m & 0x7fffff));
}

/* The parts of a float; a subnormal counts as zero. */
struct parts {
	uint32_t sign, mantissa;
	int exponent;
	bool zero, inf, nan;
};

static struct parts parts_of(float a)
{
	uint32_t u = f32_bits(a);
	struct parts p = {
		.sign = u & 0x80000000,
		.mantissa = u & 0x7fffff,
		.exponent = (int)(u >> 23 & 255) - 127,
	};

	p.zero = p.exponent == -127;
	p.inf = p.exponent == 128 && !p.mantissa;
	p.nan = p.exponent == 128 && p.mantissa;
	return p;
}

static int64_t rcp_of(uint32_t mantissa)
{
	uint32_t x = (mantissa & 0xffff) << 1;

	return parabola(&rcp_table[mantissa >> 16], x) + RCP_BIAS;
}

/* `odd`: of twice the number. */
static int64_t rsq_of(uint32_t mantissa, uint32_t odd)
{
	uint32_t segment = odd << 6 | mantissa >> 17;

	if (!mantissa && !odd)
		return INT64_C(1) << 43;
	return parabola(&rsq_table[segment], mantissa & 0x1ffff) + RSQ_BIAS;
}

float sfu_rcp(float a)
{
	struct parts p = parts_of(a);

	if (p.nan)
		return f32_of(NAN_BITS);
	if (p.zero || p.inf)
		return f32_of(p.sign | (p.zero ? INF : 0));
	return cut(rcp_of(p.mantissa), -p.exponent, p.sign);
}

float sfu_rsq(float a)
{
	struct parts p = parts_of(a);
	uint32_t odd = (uint32_t)p.exponent & 1;

	if (p.zero)
		return f32_of(p.sign | INF);
	if (p.nan || p.sign)
		return f32_of(NAN_BITS);
	if (p.inf)
		return 0.0f;
	return cut(rsq_of(p.mantissa, odd), -(p.exponent - (int)odd) / 2, 0);
}

float sfu_sqrt(float a)
{
	struct parts p = parts_of(a);
	uint32_t odd = (uint32_t)p.exponent & 1;
	uint32_t segment = odd << 6 | p.mantissa >> 17;

	if (p.zero)
		return f32_of(p.sign);
	if (p.nan || p.sign)
		return f32_of(NAN_BITS);
	if (p.inf)
		return a;
	return cut(parabola(&sqrt_table[segment], p.mantissa & 0x1ffff) +
			   SQRT_BIAS,
		   (p.exponent - (int)odd) / 2, 0);
}

float sfu_lg2(float a)
{
	struct parts p = parts_of(a);

	if (p.zero)
		return f32_of(0x80000000 | INF);
	if (p.nan || p.sign)
		return f32_of(NAN_BITS);
	if (p.inf || (!p.mantissa && !p.exponent))
		return p.inf ? a : 0.0f;
	int64_t v =
		parabola(&lg2_table[p.mantissa >> 17], p.mantissa & 0x1ffff) +
		LG2_BIAS;

	/* The sum ends at 2^-36; a negative one becomes its complement. */
	v = v >> 7 << 7;
	v += (int64_t)p.exponent * (INT64_C(1) << 43);
	return v < 0 ? cut(-v - 128, 0, 0x80000000) : cut(v, 0, 0);
}

/* |a| in fixed point with `bits` bits after the point, truncated; |a| <
 * 2^32. */
static uint64_t fixed(const struct parts *p, int bits)
{
	uint64_t m = p->mantissa | 0x800000;
	int shift = p->exponent - 23 + bits;

	if (p->zero || shift <= -64)
		return 0;
	return shift < 0 ? m >> -shift : m << shift;
}

float sfu_ex2(float a)
{
	struct parts p = parts_of(a);

	if (p.nan)
		return f32_of(NAN_BITS);
	if (p.exponent >= 8)
		return f32_of(p.sign ? 0 : INF);
	int64_t k = (int64_t)fixed(&p, 23);

	/* A negative number is its one's complement, unless it is integral. */
	if (p.sign)
		k = k & 0x7fffff ? ~k : -k;
	uint32_t f = (uint32_t)k & 0x7fffff;

	return cut(parabola(&ex2_table[f >> 17], f & 0x1ffff) + EX2_BIAS,
		   (int)(k >> 23), 0);
}

/* The sine of a phase of 25 bits; 2^25 is the whole turn. */
static float sine(uint32_t phase, uint32_t sign)
{
	uint32_t f = phase & 0x7fffff;

	if (phase & 1u << 24)
		sign ^= 0x80000000;
	if (phase & 1u << 23) {
		if (!f)
			return f32_of(sign | ONE);
		f = ~f & 0x7fffff;
	}
	return cut(parabola(&sin_table[f >> 17], f & 0x1ffff), 0, sign);
}

static uint32_t phase_of(const struct parts *p)
{
	/* From 2^23 on floats are whole turns. */
	return p->exponent >= 23 ? 0 : (uint32_t)fixed(p, 25) & 0x1ffffff;
}

float sfu_sin(float turns)
{
	struct parts p = parts_of(turns);

	if (p.nan || p.inf)
		return f32_of(NAN_BITS);
	return sine(phase_of(&p), p.sign);
}

float sfu_cos(float turns)
{
	struct parts p = parts_of(turns);

	if (p.nan || p.inf)
		return f32_of(NAN_BITS);
	return sine(phase_of(&p) + (1u << 23), 0);
}

float sfu_tanh(float a)
{
	static const struct {
		uint8_t halvings, first;
	} power[] = {
#define TANH_POWER(halvings, first) { halvings, first },
#include "simt/lane_sfu.def"
	};
	struct parts p = parts_of(a);

	if (p.nan)
		return f32_of(NAN_BITS);
	if (p.exponent < -8)
		return a;
	if (p.exponent > 2)
		return f32_of(p.sign | ONE);
	int n = power[p.exponent + 8].halvings;
	uint32_t segment =
		power[p.exponent + 8].first + (p.mantissa >> (23 - n));
	uint32_t x = p.mantissa >> (6 - n) & 0x1ffff;

	return cut(parabola(&tanh_table[segment], x), 0, p.sign);
}

/* ---- doubles: 20 bits of mantissa in, 20 bits out
 * ------------------------- */

static uint32_t cut64(int64_t v, int exponent, uint32_t sign)
{
	int top = 63 - __builtin_clzll((uint64_t)v);
	int e = top - 43 + exponent + 1023;

	if (e <= 0)
		return sign;
	return sign | (uint32_t)e << 20 |
	       ((uint32_t)(v >> (top - 20)) & 0xfffff);
}

uint32_t sfu_rcp64(uint32_t upper)
{
	uint32_t sign = upper & 0x80000000, m = upper & 0xfffff;
	int e = (int)(upper >> 20 & 2047);

	if (e == 2047 && m)
		return NAN_BITS;
	if (e == 0 || e == 2047)
		return sign | (e ? 0 : 0x7ff00000);
	return cut64(rcp_of(m << 3), 1023 - e, sign);
}

uint32_t sfu_rsq64(uint32_t upper)
{
	uint32_t sign = upper & 0x80000000, m = upper & 0xfffff;
	int e = (int)(upper >> 20 & 2047);
	uint32_t odd = ((uint32_t)e + 1) & 1;

	if (e == 0)
		return sign | 0x7ff00000;
	if (sign || (e == 2047 && m))
		return NAN_BITS;
	if (e == 2047)
		return 0;
	return cut64(rsq_of(m << 3, odd), -(e - 1023 - (int)odd) / 2, 0);
}
