#include "isa/x86/soft.h"

typedef unsigned __int128 u128;

const struct x86_fmt x86_f32 = { 24, -126, 127 };
const struct x86_fmt x86_f64 = { 53, -1022, 1023 };
const struct x86_fmt x86_fmt80 = { 64, -16382, 16383 };

#define X86_TOP (1ull << 63)
#define X86_QUIET (1ull << 62)

static struct x86_num x86_num_zero(bool sign)
{
	return (struct x86_num){ .is = X86_IS_ZERO, .sign = sign };
}

static struct x86_num x86_num_inf(bool sign)
{
	return (struct x86_num){ .is = X86_IS_INF, .sign = sign };
}

static struct x86_num x86_num_nan(bool sign, uint64_t sig)
{
	return (struct x86_num){ .is = X86_IS_NAN,
				 .sign = sign,
				 .sig = sig | X86_TOP };
}

/* The NaN of an invalid operation. */
static struct x86_num x86_invalid(struct x86_env *e)
{
	e->flags |= X86_FP_INVALID;
	return x86_num_nan(true, X86_QUIET);
}

/* A finite number from a significand with its one anywhere. */
static struct x86_num x86_num_finite(bool sign, int exp, uint64_t sig)
{
	int zeros = __builtin_clzll(sig);

	return (struct x86_num){ .is = X86_IS_FINITE,
				 .sign = sign,
				 .exp = exp - zeros,
				 .sig = sig << zeros };
}

/* From a field of the exponent and one of the fraction, left-justified below the
 * one. */
static struct x86_num x86_unpack(const struct x86_fmt *f, bool sign, int field,
				 uint64_t fraction, const struct x86_env *e)
{
	struct x86_num n;

	if (field > f->emax - f->emin + 1)
		return fraction ? x86_num_nan(sign, fraction) :
				  x86_num_inf(sign);
	if (field)
		return x86_num_finite(sign, field - 1 + f->emin,
				      fraction | X86_TOP);
	if (!fraction || e->daz)
		return x86_num_zero(sign);
	n = x86_num_finite(sign, f->emin, fraction);
	n.denormal = true;
	return n;
}

struct x86_num x86_from32(uint32_t bits, const struct x86_env *e)
{
	return x86_unpack(&x86_f32, bits >> 31, bits >> 23 & 0xff,
			  (uint64_t)(bits & 0x7fffff) << 40, e);
}

struct x86_num x86_from64(uint64_t bits, const struct x86_env *e)
{
	return x86_unpack(&x86_f64, bits >> 63, bits >> 52 & 0x7ff,
			  (bits & 0xfffffffffffff) << 11, e);
}

struct x86_num x86_from80(struct x86_f80 v)
{
	bool sign = v.se >> 15;
	int field = v.se & 0x7fff;
	struct x86_num n;

	if (field && !(v.sig & X86_TOP))
		return x86_num_nan(true, 0);
	if (field == 0x7fff)
		return v.sig << 1 ? x86_num_nan(sign, v.sig) :
				    x86_num_inf(sign);
	if (!v.sig)
		return x86_num_zero(sign);
	n = x86_num_finite(sign, (field ? field - 1 : 0) + x86_fmt80.emin,
			   v.sig);
	n.denormal = !field;
	return n;
}

struct x86_num x86_from_int(int64_t v)
{
	if (!v)
		return x86_num_zero(false);
	return x86_num_finite(v < 0, 63, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* The fields of a number of the format: the exponent's, and the significand with
 * its one at bit 63, if the exponent's field is not 0. */
static uint64_t x86_pack(const struct x86_fmt *f, struct x86_num n, int *field)
{
	*field = 0;
	switch (n.is) {
	case X86_IS_ZERO:
		return 0;
	case X86_IS_FINITE:
		if (n.exp < f->emin)
			return n.sig >> (f->emin - n.exp);
		*field = n.exp - f->emin + 1;
		return n.sig;
	case X86_IS_INF:
		*field = f->emax - f->emin + 2;
		return X86_TOP;
	default:
		*field = f->emax - f->emin + 2;
		return n.sig;
	}
}

uint32_t x86_to32(struct x86_num n)
{
	int field;
	uint64_t sig = x86_pack(&x86_f32, n, &field);

	return (uint32_t)n.sign << 31 | (uint32_t)field << 23 |
	       (uint32_t)(sig << 1 >> 41);
}

uint64_t x86_to64(struct x86_num n)
{
	int field;
	uint64_t sig = x86_pack(&x86_f64, n, &field);

	return (uint64_t)n.sign << 63 | (uint64_t)field << 52 | sig << 1 >> 12;
}

struct x86_f80 x86_to80(struct x86_num n)
{
	int field;
	uint64_t sig = x86_pack(&x86_fmt80, n, &field);

	return (struct x86_f80){ .sig = sig,
				 .se = (uint16_t)(n.sign << 15 | field) };
}

/* Whether to go away from zero: `odd` and what follows the last bit. */
static bool x86_up(const struct x86_env *e, bool sign, bool odd, bool half,
		   bool rest)
{
	switch (e->round) {
	case X86_NEAREST:
		return half && (rest || odd);
	case X86_DOWN:
		return sign && (half || rest);
	case X86_UP:
		return !sign && (half || rest);
	default:
		return false;
	}
}

/* Keeps `bits` of sig, whose one is at bit 127. Returns the kept ones as an
 * integer, rounded: `bits` of them, or one more. */
static u128 x86_keep(const struct x86_env *e, bool sign, u128 sig, bool rest,
		     int bits, bool *inexact)
{
	u128 kept, lost;
	bool half;

	if (bits < 0) {
		*inexact = true;
		return x86_up(e, sign, false, false, true);
	}
	kept = bits ? sig >> (128 - bits) : 0;
	lost = bits ? sig << bits : sig;
	half = lost >> 127;
	rest |= lost << 1 != 0;
	*inexact = half || rest;
	return kept + x86_up(e, sign, kept & 1, half, rest);
}

static struct x86_num x86_overflow(struct x86_env *e, const struct x86_fmt *f,
				   bool sign)
{
	bool chop = e->round == X86_CHOP ||
		    e->round == (sign ? X86_UP : X86_DOWN);

	e->flags |= X86_FP_OVERFLOW | X86_FP_INEXACT;
	if (!chop)
		return x86_num_inf(sign);
	return x86_num_finite(sign, f->emax, ~0ull << (64 - f->bits));
}

/* Whether a number stays below the smallest normal one when it is rounded as if
 * there were no smallest exponent. */
static bool x86_is_tiny(const struct x86_env *e, const struct x86_fmt *f,
			bool sign, int exp, u128 sig, bool rest)
{
	bool inexact;

	if (exp != f->emin - 1)
		return exp < f->emin;
	return !(x86_keep(e, sign, sig, rest, f->bits, &inexact) >> f->bits);
}

struct x86_num x86_soft_wide(struct x86_env *e, const struct x86_fmt *f,
			     bool sign, int exp, u128 sig, bool rest)
{
	bool tiny = x86_is_tiny(e, f, sign, exp, sig, rest), inexact;
	int bits = exp < f->emin ? f->bits - (f->emin - exp) : f->bits;
	u128 kept;
	struct x86_num n;

	if (tiny && e->ftz) {
		e->flags |= X86_FP_UNDERFLOW | X86_FP_INEXACT;
		return x86_num_zero(sign);
	}
	kept = x86_keep(e, sign, sig, rest, bits, &inexact);
	if (inexact)
		e->flags |= X86_FP_INEXACT | (tiny ? X86_FP_UNDERFLOW : 0);
	if (!kept)
		return x86_num_zero(sign);
	/* The last bit kept weighs 2^(exp - bits + 1). */
	exp = exp - bits + 1;
	if (kept >> 64) {
		kept >>= 1;
		exp++;
	}
	n = x86_num_finite(sign, exp + 63, (uint64_t)kept);
	return n.exp > f->emax ? x86_overflow(e, f, sign) : n;
}

static bool x86_signals(struct x86_num n)
{
	return n.is == X86_IS_NAN && !(n.sig & X86_QUIET);
}

static struct x86_num x86_quiet(struct x86_num n)
{
	n.sig |= X86_QUIET;
	return n;
}

/* Which of two NaNs the x87 takes. */
static bool x86_second_nan(struct x86_num a, struct x86_num b)
{
	if (x86_signals(a) != x86_signals(b))
		return x86_signals(a);
	if (a.sig != b.sig)
		return a.sig < b.sig;
	return a.sign;
}

/* What x86_from80 makes of an encoding that no operation makes. */
static bool x86_is_encoding(struct x86_num n)
{
	return n.is == X86_IS_NAN && n.sig == X86_TOP;
}

/* The result if one operand is a NaN. */
static bool x86_nan_of(struct x86_env *e, struct x86_num a, struct x86_num b,
		       struct x86_num *r)
{
	bool second;

	if (a.is != X86_IS_NAN && b.is != X86_IS_NAN)
		return false;
	if (x86_signals(a) || x86_signals(b))
		e->flags |= X86_FP_INVALID;
	if (x86_is_encoding(a) || x86_is_encoding(b)) {
		*r = x86_invalid(e);
		return true;
	}
	second = a.is != X86_IS_NAN ||
		 (e->x87 && b.is == X86_IS_NAN && x86_second_nan(a, b));
	*r = x86_quiet(second ? b : a);
	return true;
}

static void x86_note_denormal(struct x86_env *e, struct x86_num a,
			      struct x86_num b)
{
	if (a.denormal || b.denormal)
		e->flags |= X86_FP_DENORMAL;
}

/* Adds magnitudes; `minus`: subtracts b's from a's, which is not smaller. */
static struct x86_num x86_add_finite(struct x86_env *e, const struct x86_fmt *f,
				     struct x86_num a, struct x86_num b,
				     bool minus)
{
	/* Three bits above leave room for a carry. */
	u128 x = (u128)a.sig << 61, y = (u128)b.sig << 61;
	int shift = a.exp - b.exp, exp = a.exp + 3, zeros;
	bool rest = false;

	if (shift > 124) {
		rest = true;
		y = 0;
	} else {
		rest = shift && y << (128 - shift) != 0;
		y >>= shift;
	}
	/* What is lost of b makes the difference a little smaller. */
	x = minus ? x - y - rest : x + y;
	if (!x && !rest)
		return x86_num_zero(e->round == X86_DOWN);
	zeros = x >> 64 ? __builtin_clzll((uint64_t)(x >> 64)) :
			  64 + __builtin_clzll((uint64_t)x);
	return x86_soft_wide(e, f, a.sign, exp - zeros, x << zeros, rest);
}

static bool x86_smaller(struct x86_num a, struct x86_num b)
{
	return a.exp != b.exp ? a.exp < b.exp : a.sig < b.sig;
}

struct x86_num x86_soft_add(struct x86_env *e, const struct x86_fmt *f,
			    struct x86_num a, struct x86_num b)
{
	struct x86_num r;

	if (x86_nan_of(e, a, b, &r))
		return r;
	if (a.is == X86_IS_INF && b.is == X86_IS_INF && a.sign != b.sign)
		return x86_invalid(e);
	x86_note_denormal(e, a, b);
	if (a.is == X86_IS_INF || b.is == X86_IS_INF)
		return a.is == X86_IS_INF ? a : b;
	if (a.is == X86_IS_ZERO && b.is == X86_IS_ZERO)
		return x86_num_zero(a.sign == b.sign ? a.sign :
						       e->round == X86_DOWN);
	if (a.is == X86_IS_ZERO || b.is == X86_IS_ZERO)
		return x86_soft_to(e, f, a.is == X86_IS_ZERO ? b : a);
	if (x86_smaller(a, b))
		return x86_add_finite(e, f, b, a, a.sign != b.sign);
	return x86_add_finite(e, f, a, b, a.sign != b.sign);
}

struct x86_num x86_soft_sub(struct x86_env *e, const struct x86_fmt *f,
			    struct x86_num a, struct x86_num b)
{
	if (b.is != X86_IS_NAN)
		b.sign = !b.sign;
	return x86_soft_add(e, f, a, b);
}

struct x86_num x86_soft_mul(struct x86_env *e, const struct x86_fmt *f,
			    struct x86_num a, struct x86_num b)
{
	bool sign = a.sign != b.sign;
	struct x86_num r;
	u128 p;
	int carry;

	if (x86_nan_of(e, a, b, &r))
		return r;
	if ((a.is == X86_IS_INF && b.is == X86_IS_ZERO) ||
	    (a.is == X86_IS_ZERO && b.is == X86_IS_INF))
		return x86_invalid(e);
	x86_note_denormal(e, a, b);
	if (a.is == X86_IS_INF || b.is == X86_IS_INF)
		return x86_num_inf(sign);
	if (a.is == X86_IS_ZERO || b.is == X86_IS_ZERO)
		return x86_num_zero(sign);
	p = (u128)a.sig * b.sig;
	carry = p >> 127 != 0;
	return x86_soft_wide(e, f, sign, a.exp + b.exp + carry, p << !carry,
			     false);
}

static struct x86_num x86_div_finite(struct x86_env *e, const struct x86_fmt *f,
				     struct x86_num a, struct x86_num b)
{
	int smaller = a.sig < b.sig;
	/* The quotient's one is at bit 63; 64 more bits follow. */
	u128 n = (u128)a.sig << (63 + smaller), rem = n % b.sig;
	u128 q = n / b.sig << 64 | (rem << 64) / b.sig;

	rem = (rem << 64) % b.sig;
	return x86_soft_wide(e, f, a.sign != b.sign, a.exp - b.exp - smaller, q,
			     rem != 0);
}

struct x86_num x86_soft_div(struct x86_env *e, const struct x86_fmt *f,
			    struct x86_num a, struct x86_num b)
{
	bool sign = a.sign != b.sign;
	struct x86_num r;

	if (x86_nan_of(e, a, b, &r))
		return r;
	if (a.is == b.is && a.is != X86_IS_FINITE)
		return x86_invalid(e);
	if (b.is == X86_IS_ZERO && a.is == X86_IS_FINITE) {
		e->flags |= X86_FP_ZERO;
		return x86_num_inf(sign);
	}
	x86_note_denormal(e, a, b);
	if (a.is == X86_IS_INF || b.is == X86_IS_ZERO)
		return x86_num_inf(sign);
	if (a.is == X86_IS_ZERO || b.is == X86_IS_INF)
		return x86_num_zero(sign);
	return x86_div_finite(e, f, a, b);
}

/* The root of sig, bit by bit: 66 bits, and whether something is left. */
static u128 x86_root(u128 v, bool *rest)
{
	u128 root = 0, rem = 0;

	for (int i = 0; i < 66; i++) {
		rem = rem << 2 | v >> 126;
		v <<= 2;
		root <<= 1;
		if (rem >= (root << 1 | 1)) {
			rem -= root << 1 | 1;
			root |= 1;
		}
	}
	*rest = rem != 0;
	return root;
}

struct x86_num x86_soft_sqrt(struct x86_env *e, const struct x86_fmt *f,
			     struct x86_num a)
{
	int odd = a.exp & 1;
	struct x86_num r;
	bool rest;
	u128 root;

	if (x86_nan_of(e, a, a, &r))
		return r;
	if (a.sign && a.is != X86_IS_ZERO)
		return x86_invalid(e);
	x86_note_denormal(e, a, a);
	if (a.is != X86_IS_FINITE)
		return a;
	/* sig / 2^63 is at least 1 and below 4 after an odd exponent. */
	root = x86_root((u128)a.sig << (63 + odd), &rest);
	return x86_soft_wide(e, f, false, (a.exp - odd) / 2, root << 62, rest);
}

struct x86_num x86_soft_to(struct x86_env *e, const struct x86_fmt *f,
			   struct x86_num a)
{
	struct x86_num r;

	if (x86_nan_of(e, a, a, &r))
		return r;
	if (a.is != X86_IS_FINITE)
		return a;
	return x86_soft_wide(e, f, a.sign, a.exp, (u128)a.sig << 64, false);
}

struct x86_num x86_soft_rint(struct x86_env *e, struct x86_num a)
{
	bool inexact;
	struct x86_num r;
	u128 kept;

	if (x86_nan_of(e, a, a, &r))
		return r;
	x86_note_denormal(e, a, a);
	if (a.is != X86_IS_FINITE || a.exp >= 63)
		return a;
	kept = x86_keep(e, a.sign, (u128)a.sig << 64, false, a.exp + 1,
			&inexact);
	if (inexact)
		e->flags |= X86_FP_INEXACT;
	if (!kept)
		return x86_num_zero(a.sign);
	return x86_num_finite(a.sign, 63, (uint64_t)kept);
}

int64_t x86_soft_int(struct x86_env *e, struct x86_num a, unsigned bits)
{
	uint64_t most = 1ull << (bits - 1);
	bool inexact = false;
	u128 v = 0;

	if (a.is == X86_IS_NAN || a.is == X86_IS_INF ||
	    (a.is == X86_IS_FINITE && a.exp > 63)) {
		e->flags |= X86_FP_INVALID;
		return (int64_t)(0 - most);
	}
	if (a.is == X86_IS_FINITE)
		v = x86_keep(e, a.sign, (u128)a.sig << 64, false, a.exp + 1,
			     &inexact);
	if (v > most - !a.sign) {
		e->flags |= X86_FP_INVALID;
		return (int64_t)(0 - most);
	}
	if (inexact)
		e->flags |= X86_FP_INEXACT;
	return (int64_t)(a.sign ? 0 - (uint64_t)v : (uint64_t)v);
}

static enum x86_order x86_order_of(struct x86_num a, struct x86_num b)
{
	bool less;

	if (a.is == X86_IS_ZERO && b.is == X86_IS_ZERO)
		return X86_EQUAL;
	if (a.is == X86_IS_ZERO)
		return b.sign ? X86_GREATER : X86_LESS;
	if (b.is == X86_IS_ZERO || a.sign != b.sign)
		return a.sign ? X86_LESS : X86_GREATER;
	if (a.is == b.is &&
	    (a.is == X86_IS_INF || (a.exp == b.exp && a.sig == b.sig)))
		return X86_EQUAL;
	less = a.is == X86_IS_INF ? false :
	       b.is == X86_IS_INF ? true :
				    x86_smaller(a, b);
	return less != a.sign ? X86_LESS : X86_GREATER;
}

enum x86_order x86_soft_compare(struct x86_env *e, struct x86_num a,
				struct x86_num b, bool signals)
{
	if (a.is == X86_IS_NAN || b.is == X86_IS_NAN) {
		if (signals || x86_signals(a) || x86_signals(b))
			e->flags |= X86_FP_INVALID;
		return X86_UNORDERED;
	}
	x86_note_denormal(e, a, b);
	return x86_order_of(a, b);
}
