/*
 * The x87: comparisons with its own flags, constants, remainders, exponents,
 * decimal numbers, its state as a whole.
 */
#include "isa/x86/exec_x87.h"

typedef unsigned __int128 u128;

static const unsigned x86_fpu_order[] = {
	[X86_LESS] = X86_FPU_C0,
	[X86_EQUAL] = X86_FPU_C3,
	[X86_GREATER] = 0,
	[X86_UNORDERED] = X86_FPU_C0 | X86_FPU_C2 | X86_FPU_C3,
};

static const struct x86_inst *x86_fpu_against(struct x86_cpu *c,
					      const struct x86_inst *i,
					      struct x86_num b, bool signals,
					      unsigned pops, struct x86_env *e)
{
	struct x86_num a = x86_st_get(c, 0, e);

	x86_fpu_codes(c, x86_fpu_order[x86_soft_compare(e, a, b, signals)]);
	while (pops--)
		x86_st_pop(c);
	return x86_fpu_done(c, i, e);
}

/* ST(0) with another register, or with a number of memory. */
static const struct x86_inst *x86_fpu_com(struct x86_cpu *c,
					  const struct x86_inst *i,
					  bool signals, unsigned pops)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_num b;

	if (i->dst_kind == X86_OPND_MEM) {
		if (!x86_fpu_mem(c, i, &e, &b))
			return x86_fail(c, i);
	} else {
		/* Without operands it is ST(1). */
		b = x86_st_get(c,
			       i->src_kind == X86_OPND_ST ? i->src :
			       i->dst_kind == X86_OPND_ST ? i->dst :
							    1,
			       &e);
	}
	return x86_fpu_against(c, i, b, signals, pops, &e);
}

X86_DO(fcom)
{
	return x86_fpu_com(c, i, true, 0);
}

X86_DO(fcomp)
{
	return x86_fpu_com(c, i, true, 1);
}

X86_DO(fcompp)
{
	return x86_fpu_com(c, i, true, 2);
}

X86_DO(fucom)
{
	return x86_fpu_com(c, i, false, 0);
}

X86_DO(fucomp)
{
	return x86_fpu_com(c, i, false, 1);
}

X86_DO(fucompp)
{
	return x86_fpu_com(c, i, false, 2);
}

static const struct x86_inst *
x86_fpu_icom(struct x86_cpu *c, const struct x86_inst *i, unsigned pops)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_num b;

	if (!x86_fpu_int(c, i, &b))
		return x86_fail(c, i);
	return x86_fpu_against(c, i, b, true, pops, &e);
}

X86_DO(ficom)
{
	return x86_fpu_icom(c, i, 0);
}

X86_DO(ficomp)
{
	return x86_fpu_icom(c, i, 1);
}

X86_DO(ftst)
{
	struct x86_env e = x86_fpu_env(c);

	return x86_fpu_against(c, i, x86_from_int(0), true, 0, &e);
}

/* A constant with more bits than a register has: it is rounded as all numbers. */
static const struct x86_inst *x86_fpu_constant(struct x86_cpu *c,
					       const struct x86_inst *i,
					       int exp, uint64_t high,
					       uint64_t low)
{
	struct x86_env e = x86_fpu_env(c), quiet = e;
	struct x86_num n = x86_soft_wide(&quiet, &x86_fmt80, false, exp,
					 (u128)high << 64 | low, true);

	x86_st_push(c, x86_to80(n), &e);
	return x86_fpu_done(c, i, &e);
}

X86_DO(fldpi)
{
	return x86_fpu_constant(c, i, 1, 0xc90fdaa22168c234,
				0xc4c6628b80dc1cd1);
}

X86_DO(fldl2t)
{
	return x86_fpu_constant(c, i, 1, 0xd49a784bcd1b8afe,
				0x492bf6ff4dafdb4c);
}

X86_DO(fldl2e)
{
	return x86_fpu_constant(c, i, 0, 0xb8aa3b295c17f0bb,
				0xbe87fed0691d3e88);
}

X86_DO(fldlg2)
{
	return x86_fpu_constant(c, i, -2, 0x9a209a84fbcff798,
				0x8f8959ac0b7c9178);
}

X86_DO(fldln2)
{
	return x86_fpu_constant(c, i, -1, 0xb17217f7d1cf79ab,
				0xc9e3b39803f2f6af);
}

static void x86_note_tiny(struct x86_env *e, struct x86_num a, struct x86_num b)
{
	if (a.denormal || b.denormal)
		e->flags |= X86_FP_DENORMAL;
}

/* The NaN of two operands, or that of an invalid operation. */
static struct x86_num x86_fpu_nan(struct x86_env *e, struct x86_num a,
				  struct x86_num b)
{
	struct x86_num zero = x86_from_int(0);

	if (a.is == X86_IS_NAN || b.is == X86_IS_NAN)
		return x86_soft_add(e, &x86_fmt80, a, b);
	return x86_soft_div(e, &x86_fmt80, zero, zero);
}

/* a scaled by 2 to the power of b, chopped. */
static struct x86_num x86_scaled(struct x86_env *e, struct x86_num a,
				 struct x86_num b)
{
	enum { MOST = 1 << 17 }; /* beyond all exponents */
	int by = 0;

	if (a.is == X86_IS_NAN || b.is == X86_IS_NAN ||
	    (b.is == X86_IS_INF && a.is == (b.sign ? X86_IS_INF : X86_IS_ZERO)))
		return x86_fpu_nan(e, a, b);
	if (b.is != X86_IS_INF || a.is == X86_IS_FINITE)
		x86_note_tiny(e, a, b);
	if (b.is == X86_IS_INF) {
		a.is = b.sign ? X86_IS_ZERO : X86_IS_INF;
		return a;
	}
	if (a.is != X86_IS_FINITE)
		return a;
	if (b.is == X86_IS_FINITE && b.exp >= 0)
		by = b.exp > 16 ? MOST : (int)(b.sig >> (63 - b.exp));
	return x86_soft_wide(e, &x86_fmt80, a.sign, a.exp + (b.sign ? -by : by),
			     (u128)a.sig << 64, false);
}

X86_DO(fscale)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_num a = x86_st_get(c, 0, &e), b = x86_st_get(c, 1, &e);

	x86_st_put(c, 0, x86_to80(x86_scaled(&e, a, b)));
	return x86_fpu_done(c, i, &e);
}

/* The exponent of a; a becomes its significand. */
static struct x86_num x86_extracted(struct x86_env *e, struct x86_num *a)
{
	struct x86_num exponent = *a;

	if (a->is == X86_IS_NAN) {
		*a = x86_soft_to(e, &x86_fmt80, *a);
		return *a;
	}
	if (a->is == X86_IS_FINITE) {
		x86_note_tiny(e, *a, *a);
		exponent = x86_from_int(a->exp);
		a->exp = 0;
		return exponent;
	}
	if (a->is == X86_IS_ZERO)
		e->flags |= X86_FP_ZERO;
	exponent.sign = a->is == X86_IS_ZERO;
	exponent.is = X86_IS_INF;
	return exponent;
}

X86_DO(fxtract)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_num a = x86_st_get(c, 0, &e);
	struct x86_num exponent = x86_extracted(&e, &a);

	x86_st_put(c, 0, x86_to80(exponent));
	x86_st_push(c, x86_to80(a), &e);
	return x86_fpu_done(c, i, &e);
}

/* What a remainder has found: three bits of the quotient, or that it is not done. */
struct x86_quotient {
	unsigned bits;
	bool partial;
};

/* a - b * q, where q is a / b chopped, or rounded to the nearest. Exact; a and b
 * are finite, and a is not much smaller. */
static struct x86_num x86_reduce(struct x86_env *e, struct x86_num a,
				 struct x86_num b, bool nearest,
				 struct x86_quotient *q)
{
	int steps = a.exp - b.exp, left = 0;
	u128 rest = 0;
	uint64_t quotient = 0;

	if (steps >= 64) {
		/* As many steps as this processor takes at once. */
		left = steps - ((steps & 31) | 32);
		steps -= left;
		q->partial = true;
	}
	/* Bit by bit; the first one of a is there for all steps. */
	rest = steps < 0 ? a.sig : 0;
	if (steps >= 0) {
		rest = a.sig;
		for (int n = 0; n <= steps; n++) {
			quotient <<= 1;
			if (rest >= b.sig) {
				rest -= b.sig;
				quotient |= 1;
			}
			if (n < steps)
				rest <<= 1;
		}
	}
	if (nearest && !q->partial) {
		/* Twice the rest against b; below b's last bit for steps of -1. */
		u128 twice = steps < 0 ? rest : rest << 1;
		u128 whole = b.sig;

		if (steps >= -1 &&
		    (twice > whole || (twice == whole && quotient & 1))) {
			quotient++;
			rest = steps < 0 ? (whole << 1) - rest : whole - rest;
			a.sign = !a.sign;
		}
	}
	q->bits = quotient & 7;
	if (!rest)
		return (struct x86_num){ .is = X86_IS_ZERO, .sign = a.sign };
	left += steps < 0 ? a.exp : b.exp;
	while (!(rest >> 127)) {
		rest <<= 1;
		left--;
	}
	return x86_soft_wide(e, &x86_fmt80, a.sign, left + 64, rest, false);
}

static struct x86_num x86_remainder(struct x86_env *e, struct x86_num a,
				    struct x86_num b, bool nearest,
				    struct x86_quotient *q)
{
	*q = (struct x86_quotient){ 0 };
	if (a.is == X86_IS_NAN || b.is == X86_IS_NAN || a.is == X86_IS_INF ||
	    b.is == X86_IS_ZERO)
		return x86_fpu_nan(e, a, b);
	x86_note_tiny(e, a, b);
	if (a.is == X86_IS_ZERO || b.is == X86_IS_INF || a.exp < b.exp - 1)
		return a;
	return x86_reduce(e, a, b, nearest, q);
}

static const struct x86_inst *
x86_fpu_remainder(struct x86_cpu *c, const struct x86_inst *i, bool nearest)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_num a = x86_st_get(c, 0, &e), b = x86_st_get(c, 1, &e);
	struct x86_quotient q;

	x86_st_put(c, 0, x86_to80(x86_remainder(&e, a, b, nearest, &q)));
	x86_fpu_codes(
		c, (q.partial ? X86_FPU_C2 : 0) |
			   (q.partial ? 0 :
					(q.bits & 4 ? X86_FPU_C0 : 0) |
						(q.bits & 2 ? X86_FPU_C3 : 0) |
						(q.bits & 1 ? X86_FPU_C1 : 0)));
	return x86_fpu_done(c, i, &e);
}

X86_DO(fprem)
{
	return x86_fpu_remainder(c, i, false);
}

X86_DO(fprem1)
{
	return x86_fpu_remainder(c, i, true);
}

enum { X86_BCD_BYTES = 10, X86_BCD_DIGITS = 18 };
#define X86_BCD_LIMIT 1000000000000000000ll

X86_DO(fbld)
{
	struct x86_env e = x86_fpu_env(c);
	const uint8_t *p = x86_readable(c, x86_address(c, i), X86_BCD_BYTES);
	struct x86_num n;
	int64_t v = 0;

	if (!p)
		return x86_fail(c, i);
	for (unsigned at = X86_BCD_BYTES - 1; at-- > 0;)
		v = v * 100 + (p[at] >> 4) * 10 + (p[at] & 15);
	n = x86_from_int(v);
	n.sign = p[X86_BCD_BYTES - 1] >> 7;
	x86_st_push(c, x86_to80(n), &e);
	return x86_fpu_done(c, i, &e);
}

/* Digits, or the number that says there are none. */
static void x86_put_bcd(struct x86_env *e, struct x86_num n,
			uint8_t to[X86_BCD_BYTES])
{
	static const uint8_t none[X86_BCD_BYTES] = { [7] = 0xc0, 0xff, 0xff };
	struct x86_env here = *e;
	int64_t v = x86_soft_int(&here, n, 64);

	if (here.flags & X86_FP_INVALID || v >= X86_BCD_LIMIT ||
	    v <= -X86_BCD_LIMIT) {
		e->flags |= X86_FP_INVALID;
		memcpy(to, none, sizeof(none));
		return;
	}
	e->flags |= here.flags;
	if (v < 0)
		v = -v;
	for (unsigned at = 0; at < X86_BCD_BYTES - 1; at++, v /= 100)
		to[at] = (uint8_t)(v / 10 % 10 << 4 | v % 10);
	to[X86_BCD_BYTES - 1] = n.sign ? 0x80 : 0;
}

X86_DO(fbstp)
{
	struct x86_env e = x86_fpu_env(c);
	uint8_t *p = x86_writable(c, x86_address(c, i), X86_BCD_BYTES);

	if (!p)
		return x86_fail(c, i);
	x86_put_bcd(&e, x86_st_get(c, 0, &e), p);
	x86_st_pop(c);
	return x86_fpu_done(c, i, &e);
}

X86_DO(fincstp)
{
	c->fpu.top = (c->fpu.top + 1) & 7;
	c->fpu.status &= (uint16_t)~X86_FPU_C1;
	return i + 1;
}

X86_DO(fdecstp)
{
	c->fpu.top = (c->fpu.top - 1) & 7;
	c->fpu.status &= (uint16_t)~X86_FPU_C1;
	return i + 1;
}

X86_DO(ffree)
{
	c->fpu.full &= (uint8_t) ~(1u << x86_st(&c->fpu, i->dst));
	return i + 1;
}
