#include "base/fp.h"

typedef unsigned __int128 u128;

#define U128(x) ((u128)(x))

const struct fp_desc fp_desc[FP_FMT_COUNT] = {
#define X(id, e, m, bias, emin, skip, sign, inf, nan, max) \
	[FP_##id] = { e, m, bias, emin, skip, sign, inf, nan, max },
	FP_FMT_MAP(X)
#undef X
};

enum num_kind { ZERO, FINITE, INF, NAN_ };

/*
 * (-1)^neg * sig * 2^exp; sig is not zero when FINITE. Where a result does not
 * fit, the lowest bit of sig stands for the bits that were lost ("jam"); it lies
 * far enough below every rounding position to act as a sticky bit.
 */
struct num {
	enum num_kind kind;
	bool neg;
	int exp;
	u128 sig;
};

/* Normalised significands have their top bit here: one bit for a carry. */
enum { TOP = 125 };

static int msb(u128 x)
{
	uint64_t hi = (uint64_t)(x >> 64);

	return hi ? 127 - __builtin_clzll(hi) :
		    63 - __builtin_clzll((uint64_t)x);
}

static uint64_t fp_sign_bit(const struct fp_desc *d)
{
	if (!d->has_sign)
		return 0;
	return UINT64_C(1) << (d->exp_bits + d->man_bits + d->skip);
}

static uint64_t with_sign(const struct fp_desc *d, bool neg, uint64_t mag)
{
	return neg ? mag | fp_sign_bit(d) : mag;
}

static uint64_t mag_of(const struct fp_desc *d, uint64_t bits)
{
	uint64_t width = d->exp_bits + d->man_bits + d->skip;

	return bits & ((UINT64_C(1) << width) - 1);
}

static struct num fp_unpack(enum fp_fmt f, uint64_t bits)
{
	const struct fp_desc *d = &fp_desc[f];
	uint64_t mag = mag_of(d, bits);
	struct num n = { .kind = FINITE, .neg = (bits & fp_sign_bit(d)) != 0 };

	if (d->inf && mag == d->inf)
		n.kind = INF;
	else if (mag > d->max && d->nan)
		n.kind = NAN_;
	else if (mag >> d->skip == 0 && d->has_sign)
		n.kind = ZERO;
	if (n.kind != FINITE)
		return n;
	mag >>= d->skip;
	int e = (int)(mag >> d->man_bits);
	n.sig = mag & ((UINT64_C(1) << d->man_bits) - 1);
	if (e || !d->has_sign)
		n.sig |= U128(1) << d->man_bits;
	else
		e = 1;
	n.exp = e - d->bias - d->man_bits;
	return n;
}

/* cut: the part cut off is 0 zero, 1 less than half, 2 half, 3 more than half
 * of the last bit kept. */
static bool fp_round_up(bool neg, bool odd, int cut, enum rnd r)
{
	switch (r) {
	case RND_RN:
		return cut == 3 || (cut == 2 && odd);
	case RND_RNA:
		return cut >= 2;
	case RND_RM:
		return cut && neg;
	case RND_RP:
		return cut && !neg;
	case RND_RO:
		return cut && !odd;
	case RND_RZ:
		break;
	}
	return false;
}

/* sig * 2^-shift as an integer; the caller ensures that it fits. */
static u128 fp_shift_round(u128 sig, int shift, bool neg, enum rnd r)
{
	if (shift <= 0)
		return sig << -shift;
	if (shift > 127)
		return fp_round_up(neg, false, sig != 0, r);
	u128 whole = sig >> shift, rest = sig - (whole << shift);
	u128 half = U128(1) << (shift - 1);
	int cut = rest == 0 ? 0 : rest < half ? 1 : rest == half ? 2 : 3;

	return whole + fp_round_up(neg, whole & 1, cut, r);
}

static uint64_t fp_overflow(const struct fp_desc *d, bool neg, enum rnd r,
			    bool satfinite)
{
	bool to_max = r == RND_RZ || r == RND_RO ||
		      r == (neg ? RND_RP : RND_RM);

	if (satfinite || (d->inf && to_max) || (!d->inf && !d->nan))
		return with_sign(d, neg, d->max);
	return d->inf ? with_sign(d, neg, d->inf) : d->nan;
}

/* Rounds a FINITE number into the format. */
static uint64_t fp_pack(enum fp_fmt f, struct num n, enum rnd r, bool satfinite)
{
	const struct fp_desc *d = &fp_desc[f];
	int e = n.exp + msb(n.sig);

	if (e > d->bias + 1)
		return fp_overflow(d, n.neg, r, satfinite);
	int unit = (e < d->emin ? d->emin : e) - d->man_bits;
	uint64_t sig = (uint64_t)fp_shift_round(n.sig, unit - n.exp, n.neg, r);
	uint64_t field = (uint64_t)(unit + d->man_bits + d->bias);
	/* The hidden bit adds one to the field, a carry out of sig as well. */
	uint64_t mag = sig ? sig + ((field - 1) << d->man_bits) : 0;

	mag <<= d->skip;
	if (mag > d->max)
		return fp_overflow(d, n.neg, r, satfinite);
	return with_sign(d, n.neg, mag);
}

bool fp_is_nan(enum fp_fmt f, uint64_t bits)
{
	return fp_unpack(f, bits).kind == NAN_;
}

bool fp_is_neg(enum fp_fmt f, uint64_t bits)
{
	return (bits & fp_sign_bit(&fp_desc[f])) != 0;
}

static uint64_t nan_of(enum fp_fmt f, uint64_t a, uint64_t b, uint64_t c)
{
	return f == FP_F64 ? fp_nan64(a, b, c) : fp_desc[f].nan;
}

static uint64_t zero_of(enum fp_fmt f, bool neg)
{
	return with_sign(&fp_desc[f], neg, 0);
}

static uint64_t inf_of(enum fp_fmt f, bool neg, enum rnd r)
{
	const struct fp_desc *d = &fp_desc[f];

	return d->inf ? with_sign(d, neg, d->inf) :
			fp_overflow(d, neg, r, false);
}

static struct num num_normalise(struct num n)
{
	int up = TOP - msb(n.sig);

	n.sig <<= up;
	n.exp -= up;
	return n;
}

static u128 fp_shift_jam(u128 sig, int n)
{
	if (n > 127)
		return sig != 0;
	u128 whole = sig >> n;

	return whole | ((whole << n) != sig);
}

/*
 * The sum of two FINITE numbers. Bits are jammed only when the exponents
 * differ by more than TOP - 106, where a subtraction cancels at most one
 * leading bit, so the jammed bit stays below every rounding position.
 */
static struct num num_sum(struct num a, struct num b, enum rnd r)
{
	a = num_normalise(a);
	b = num_normalise(b);
	if (a.exp < b.exp || (a.exp == b.exp && a.sig < b.sig)) {
		struct num t = a;

		a = b;
		b = t;
	}
	b.sig = fp_shift_jam(b.sig, a.exp - b.exp);
	a.sig = a.neg == b.neg ? a.sig + b.sig : a.sig - b.sig;
	if (!a.sig) {
		a.kind = ZERO;
		a.neg = r == RND_RM;
	}
	return a;
}

static struct num num_product(struct num a, struct num b)
{
	a.neg ^= b.neg;
	if (a.kind == NAN_ || b.kind == NAN_ ||
	    (a.kind == INF && b.kind == ZERO) ||
	    (a.kind == ZERO && b.kind == INF))
		a.kind = NAN_;
	else if (a.kind == INF || b.kind == INF)
		a.kind = INF;
	else if (a.kind == ZERO || b.kind == ZERO)
		a.kind = ZERO;
	a.sig *= b.sig;
	a.exp += b.exp;
	return a;
}

static struct num num_add(struct num a, struct num b, enum rnd r)
{
	if (a.kind == NAN_ || b.kind == NAN_ ||
	    (a.kind == INF && b.kind == INF && a.neg != b.neg)) {
		a.kind = NAN_;
		return a;
	}
	if (a.kind == ZERO && b.kind == ZERO) {
		if (a.neg != b.neg)
			a.neg = r == RND_RM;
		return a;
	}
	if (a.kind == INF || b.kind == ZERO)
		return a;
	if (b.kind == INF || a.kind == ZERO)
		return b;
	return num_sum(a, b, r);
}

/* a, b and c are the operands, from which a NaN may take its payload. */
static uint64_t fp_finish(enum fp_fmt f, struct num n, enum rnd r, uint64_t a,
			  uint64_t b, uint64_t c)
{
	switch (n.kind) {
	case ZERO:
		return zero_of(f, n.neg);
	case INF:
		return inf_of(f, n.neg, r);
	case NAN_:
		return nan_of(f, a, b, c);
	case FINITE:
		break;
	}
	return fp_pack(f, n, r, false);
}

uint64_t fp_add(enum fp_fmt f, uint64_t a, uint64_t b, enum rnd r)
{
	return fp_finish(f, num_add(fp_unpack(f, a), fp_unpack(f, b), r), r, a,
			 b, 0);
}

uint64_t fp_mul(enum fp_fmt f, uint64_t a, uint64_t b, enum rnd r)
{
	return fp_finish(f, num_product(fp_unpack(f, a), fp_unpack(f, b)), r, a,
			 b, 0);
}

uint64_t fp_fma(enum fp_fmt f, uint64_t a, uint64_t b, uint64_t c, enum rnd r)
{
	struct num p = num_product(fp_unpack(f, a), fp_unpack(f, b));

	/* A NaN in b takes precedence, then one in c. */
	return fp_finish(f, num_add(p, fp_unpack(f, c), r), r, a, c, b);
}

static struct num num_quotient(struct num a, struct num b)
{
	a = num_normalise(a);
	u128 q = a.sig / b.sig;

	/* At least TOP - 53 bits: the remainder can be jammed. */
	a.sig = q | (q * b.sig != a.sig);
	a.exp -= b.exp;
	return a;
}

uint64_t fp_div(enum fp_fmt f, uint64_t a, uint64_t b, enum rnd r)
{
	struct num x = fp_unpack(f, a), y = fp_unpack(f, b);

	x.neg ^= y.neg;
	if (x.kind == NAN_ || y.kind == NAN_ ||
	    (x.kind == y.kind && x.kind != FINITE))
		x.kind = NAN_;
	else if (y.kind == INF)
		x.kind = ZERO;
	else if (y.kind == ZERO)
		x.kind = INF;
	else if (x.kind == FINITE)
		x = num_quotient(x, y);
	/* The first NaN operand wins, unlike in sums and products. */
	return fp_finish(f, x, r, b, a, 0);
}

/* The integer square root, with the remainder jammed in. */
static u128 root_jam(u128 x)
{
	u128 root = 0;

	for (int i = 63; i >= 0; i--) {
		u128 t = root | U128(1) << i;

		if (t * t <= x)
			root = t;
	}
	return root | (root * root != x);
}

uint64_t fp_sqrt(enum fp_fmt f, uint64_t a, enum rnd r)
{
	struct num n = fp_unpack(f, a);

	if (n.neg && n.kind != ZERO)
		n.kind = NAN_;
	if (n.kind == FINITE) {
		n = num_normalise(n);
		if (n.exp & 1) {
			n.sig <<= 1;
			n.exp--;
		}
		n.sig = root_jam(n.sig);
		n.exp /= 2;
	}
	return fp_finish(f, n, r, a, 0, 0);
}

uint64_t fp_round_int(enum fp_fmt f, uint64_t a, enum rnd r)
{
	struct num n = fp_unpack(f, a);

	if (n.kind == FINITE && n.exp < 0) {
		n.sig = fp_shift_round(n.sig, -n.exp, n.neg, r);
		n.exp = 0;
		if (!n.sig)
			n.kind = ZERO;
	}
	return fp_finish(f, n, r, a, 0, 0);
}

/* Keeps the sign and as much of the payload as fits; makes the NaN quiet. */
static uint64_t keep_payload(const struct fp_desc *to,
			     const struct fp_desc *from, uint64_t bits)
{
	uint64_t top = bits << (64 - from->man_bits) >> (64 - 52);
	uint64_t man = (top | UINT64_C(1) << 51) >> (52 - to->man_bits);

	return with_sign(to, bits & fp_sign_bit(from), to->inf | man);
}

/*
 * The one place that says what a NaN turns into: conversions to and from f64
 * and from bf16 to f32 keep its payload, all others give the canonical NaN of
 * the format.
 */
static uint64_t cvt_nan(enum fp_fmt to, enum fp_fmt from, uint64_t bits)
{
	if (to == FP_F32 && from == FP_BF16)
		return bits << 16 & 0xffffffff;
	if ((to == FP_F64 || from == FP_F64) && fp_desc[to].inf &&
	    fp_desc[from].inf)
		return keep_payload(&fp_desc[to], &fp_desc[from], bits);
	return fp_desc[to].nan ? fp_desc[to].nan : fp_desc[to].max;
}

uint64_t fp_cvt(enum fp_fmt to, enum fp_fmt from, uint64_t bits, enum rnd r,
		bool satfinite)
{
	struct num n = fp_unpack(from, bits);

	if (n.kind == NAN_)
		return cvt_nan(to, from, bits);
	if (n.kind == INF && satfinite)
		return with_sign(&fp_desc[to], n.neg, fp_desc[to].max);
	if (n.kind == FINITE)
		return fp_pack(to, n, r, satfinite);
	return fp_finish(to, n, r, 0, 0, 0);
}

uint64_t fp_from_int(enum fp_fmt f, uint64_t v, bool is_signed, enum rnd r)
{
	struct num n = { .kind = FINITE };

	n.neg = is_signed && v >> 63;
	n.sig = n.neg ? 0 - v : v;
	return v ? fp_pack(f, n, r, false) : 0;
}

/*
 * PTX ISA 9.7.9.21: a NaN gives zero, unless either side is 64 bits wide; then
 * it gives the top bit alone.
 */
static uint64_t int_of_nan(enum fp_fmt f, unsigned width, bool is_signed)
{
	if (f != FP_F64 && width != 64)
		return 0;
	return (is_signed ? ~UINT64_C(0) : UINT64_C(1)) << (width - 1);
}

uint64_t fp_to_int(enum fp_fmt f, uint64_t bits, unsigned width, bool is_signed,
		   enum rnd r)
{
	struct num n = fp_unpack(f, bits);
	uint64_t max = ~UINT64_C(0) >> (64 - width + is_signed);
	uint64_t limit = !n.neg ? max : is_signed ? max + 1 : 0;
	u128 v = 0;

	if (n.kind == NAN_)
		return int_of_nan(f, width, is_signed);
	if (n.kind == INF || (n.kind == FINITE && n.exp + msb(n.sig) > 64))
		v = limit;
	else if (n.kind == FINITE)
		v = fp_shift_round(n.sig, -n.exp, n.neg, r);
	if (v > limit)
		v = limit;
	return n.neg ? 0 - (uint64_t)v : (uint64_t)v;
}
