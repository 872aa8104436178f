#include "door/cli/values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digit.h"

const struct elem_facts elem_info[ELEM_COUNT] = {
#define X(id, bytes, cls, fmt, npy, texel) \
	[ELEM_##id] = { #id, bytes, ELEM_##cls, fmt, npy, texel },
	ELEM_MAP(X)
#undef X
};

bool elem_find(const char *name, size_t length, enum elem_type *out)
{
	for (int i = 0; i < ELEM_COUNT; i++) {
		const char *own = elem_info[i].name;

		if (strlen(own) == length && !memcmp(own, name, length)) {
			*out = (enum elem_type)i;
			return true;
		}
	}
	return false;
}

struct number number_uint(uint64_t v)
{
	return (struct number){ .magnitude = v };
}

struct number number_int(int64_t v)
{
	return (struct number){ .negative = v < 0,
				.magnitude = v < 0 ? 0 - (uint64_t)v :
						     (uint64_t)v };
}

struct number number_float(double v)
{
	return (struct number){ .is_float = true, .real = v };
}

double number_real(struct number n)
{
	if (n.is_float)
		return n.real;
	return n.negative ? -(double)n.magnitude : (double)n.magnitude;
}

static unsigned suffix_shift(char c)
{
	switch (c) {
	case 'k':
	case 'K':
		return 10;
	case 'm':
	case 'M':
		return 20;
	case 'g':
	case 'G':
		return 30;
	default:
		return 0;
	}
}

enum number_scan { SCAN_NO, SCAN_YES, SCAN_TOO_BIG };

/* Parses digits with an optional suffix. */
static enum number_scan scan_integer(const char *p, const char *end,
				     uint64_t *out)
{
	bool overflow = false;
	uint64_t v = 0;
	unsigned base = 10;

	if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		base = 16, p += 2;
	else if (end - p > 2 && p[0] == '0' && (p[1] == 'b' || p[1] == 'B'))
		base = 2, p += 2;
	if (p == end || digit_value(*p) >= base)
		return SCAN_NO;
	for (; p < end && digit_value(*p) < base; p++) {
		overflow |= __builtin_mul_overflow(v, (uint64_t)base, &v);
		overflow |= __builtin_add_overflow(v, (uint64_t)digit_value(*p),
						   &v);
	}
	if (p + 1 == end && suffix_shift(*p)) {
		unsigned shift = suffix_shift(*p++);

		overflow |= v > UINT64_MAX >> shift;
		v <<= shift;
	}
	if (p != end)
		return SCAN_NO;
	*out = v;
	return overflow ? SCAN_TOO_BIG : SCAN_YES;
}

static enum number_scan scan_float(const char *text, double *out)
{
	char *end;

	/* strtod skips white space, which is not allowed here. */
	if (!strchr("+-.0123456789infaINFA", text[0]))
		return SCAN_NO;
	errno = 0;
	*out = strtod(text, &end);
	if (end == text || *end)
		return SCAN_NO;
	return errno == ERANGE && isinf(*out) ? SCAN_TOO_BIG : SCAN_YES;
}

enum err number_parse(struct number *out, const char *text, size_t length,
		      struct diag *d)
{
	char copy[128];
	const char *p = text, *end = text + length;
	bool negative = length && *p == '-';
	enum number_scan r;

	if (length && (*p == '-' || *p == '+'))
		p++;
	*out = (struct number){ .negative = negative };
	r = scan_integer(p, end, &out->magnitude);
	if (r == SCAN_NO && length && length < sizeof(copy)) {
		memcpy(copy, text, length);
		copy[length] = '\0';
		out->is_float = true;
		r = scan_float(copy, &out->real);
	}
	if (r == SCAN_NO)
		return fail(d, ERR_SYNTAX, "'%.*s' is not a number",
			    (int)length, text);
	if (r == SCAN_TOO_BIG)
		return fail(d, ERR_RANGE, "%.*s is too large", (int)length,
			    text);
	if (!out->is_float && !out->magnitude)
		out->negative = false;
	return ERR_OK;
}

enum err number_parse_uint(uint64_t *out, const char *what, const char *text,
			   size_t length, uint64_t max, struct diag *d)
{
	struct number n;

	if (number_parse(&n, text, length, d) != ERR_OK || n.is_float ||
	    n.negative)
		return fail(
			d, ERR_SYNTAX,
			"invalid %s '%.*s': expected a whole number from 0 to %" PRIu64,
			what, (int)length, text, max);
	if (n.magnitude > max)
		return fail(d, ERR_RANGE,
			    "invalid %s '%.*s': expected at most %" PRIu64,
			    what, (int)length, text, max);
	*out = n.magnitude;
	return ERR_OK;
}

static uint64_t max_bits(enum elem_type type)
{
	return UINT64_MAX >> (64 - 8 * elem_info[type].bytes);
}

static uint64_t elem_float_bits(enum elem_type type, double v)
{
	return fp_cvt(elem_info[type].fmt, FP_F64, f64_bits(v), RND_RN, false);
}

static double elem_float_of(enum elem_type type, uint64_t bits)
{
	return f64_of(fp_cvt(FP_F64, elem_info[type].fmt, bits, RND_RN, false));
}

static enum err accepts_int(enum elem_type type, struct number n,
			    struct diag *d)
{
	const char *name = elem_info[type].name;
	uint64_t max = max_bits(type);
	bool sign = elem_info[type].cls == ELEM_SIGNED;

	if (n.is_float)
		return fail(d, ERR_SYNTAX, "%s holds whole numbers, not %.9g",
			    name, n.real);
	if (sign)
		max >>= 1;
	if (n.magnitude <= (n.negative ? (sign ? max + 1 : 0) : max))
		return ERR_OK;
	return fail(d, ERR_RANGE,
		    "%s%" PRIu64 " does not fit in %s: %s%" PRIu64
		    " to %" PRIu64,
		    n.negative ? "-" : "", n.magnitude, name, sign ? "-" : "",
		    sign ? max + 1 : 0, max);
}

enum err elem_accepts(enum elem_type type, struct number n, struct diag *d)
{
	double v = number_real(n);

	if (elem_info[type].cls != ELEM_FLOAT)
		return accepts_int(type, n, d);
	if (isfinite(v) && isinf(elem_float_of(type, elem_float_bits(type, v))))
		return fail(d, ERR_RANGE,
			    "%.9g does not fit in %s: at most "
			    "%.9g",
			    v, elem_info[type].name,
			    elem_float_of(type,
					  fp_desc[elem_info[type].fmt].max));
	return ERR_OK;
}

void elem_store(enum elem_type type, void *at, struct number n)
{
	uint64_t bits;

	if (elem_info[type].cls == ELEM_FLOAT)
		bits = elem_float_bits(type, number_real(n));
	else
		bits = n.negative ? 0 - n.magnitude : n.magnitude;
	/* Our hosts and the guest are little-endian. */
	memcpy(at, &bits, elem_info[type].bytes);
}

struct number elem_load(enum elem_type type, const void *at)
{
	unsigned bytes = elem_info[type].bytes;
	uint64_t bits = 0;

	memcpy(&bits, at, bytes);
	switch (elem_info[type].cls) {
	case ELEM_FLOAT:
		return number_float(elem_float_of(type, bits));
	case ELEM_SIGNED:
		bits <<= 64 - 8 * bytes;
		return number_int((int64_t)bits >> (64 - 8 * bytes));
	default:
		return number_uint(bits);
	}
}

void elem_print(char text[NUMBER_TEXT], enum elem_type type, struct number n)
{
	if (!n.is_float) {
		snprintf(text, NUMBER_TEXT, "%s%" PRIu64, n.negative ? "-" : "",
			 n.magnitude);
		return;
	}
	if (isnan(n.real)) {
		snprintf(text, NUMBER_TEXT, "nan");
		return;
	}
	if (elem_info[type].cls != ELEM_FLOAT)
		type = ELEM_f64;
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, NUMBER_TEXT, "%.*g", digits, n.real);
		if (elem_float_bits(type, strtod(text, NULL)) ==
		    elem_float_bits(type, n.real))
			break;
	}
}

/* The finalizer of splitmix64: every input bit affects every output bit. */
static uint64_t random_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

#define GOLDEN 0x9e3779b97f4a7c15u

uint64_t random_key(uint64_t seed, uint64_t stream)
{
	return random_mix(random_mix(seed + GOLDEN) + (stream + 1) * GOLDEN);
}

static struct number random_int(uint64_t bits, struct number lo,
				struct number hi)
{
	uint64_t base = lo.negative ? 0 - lo.magnitude : lo.magnitude;
	uint64_t top = hi.negative ? 0 - hi.magnitude : hi.magnitude;
	uint64_t span = top - base + 1; /* 0: all 64 bits */
	uint64_t v = base;

	v += span ? (uint64_t)(((unsigned __int128)bits * span) >> 64) : bits;
	return lo.negative ? number_int((int64_t)v) : number_uint(v);
}

struct number elem_random(enum elem_type type, uint64_t key, uint64_t index,
			  struct number lo, struct number hi)
{
	uint64_t bits = random_mix(key + (index + 1) * GOLDEN);
	double low, unit;
	int precision;

	if (elem_info[type].cls != ELEM_FLOAT)
		return random_int(bits, lo, hi);
	/* Use only as many bits as the type has, so that rounding cannot
	 * reach `hi`. */
	precision = fp_desc[elem_info[type].fmt].man_bits + 1;
	unit = ldexp((double)(bits >> (64 - precision)), -precision);
	low = number_real(lo);
	/* fma rounds once, whatever the compiler does. */
	return number_float(fma(unit, number_real(hi) - low, low));
}

void elem_random_range(enum elem_type type, struct number *lo,
		       struct number *hi)
{
	uint64_t max = max_bits(type);

	if (elem_info[type].cls == ELEM_FLOAT) {
		*lo = number_float(0);
		*hi = number_float(1);
	} else if (elem_info[type].cls == ELEM_SIGNED) {
		*hi = number_uint(max >> 1);
		*lo = (struct number){ .negative = true,
				       .magnitude = (max >> 1) + 1 };
	} else {
		*lo = number_uint(0);
		*hi = number_uint(max);
	}
}

static double int_distance(struct number a, struct number b)
{
	if (a.negative != b.negative)
		return (double)a.magnitude + (double)b.magnitude;
	return a.magnitude > b.magnitude ? (double)(a.magnitude - b.magnitude) :
					   (double)(b.magnitude - a.magnitude);
}

bool number_close(struct number want, struct number got,
		  const struct tolerance *t, double *error)
{
	double w = number_real(want), g = number_real(got);

	*error = 0;
	if (!want.is_float && !got.is_float)
		*error = int_distance(want, got);
	else if ((isnan(w) && isnan(g)) || w == g)
		return true;
	else
		*error = fabs(g - w);
	if (isnan(*error) || isinf(*error)) {
		*error = INFINITY;
		return false;
	}
	return *error <= t->absolute + t->relative * fabs(w);
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ p[i]) * 0x100000001b3u;
	return hash;
}
