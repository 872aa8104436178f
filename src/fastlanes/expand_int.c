/*
 * Integers. Words of 64 bits are pairs; the results of a pair go through
 * temporaries where an operand is still needed after the lower word is written.
 */
#include "fastlanes/expand_int.h"
#include "fastlanes/expand.h"
#include "fastlanes/ir.h"

struct fl_pair {
	struct fl_word lo, hi;
};

static enum ptx_type type_of(const struct fl_build *b)
{
	return (enum ptx_type)b->in->op->type[0];
}

static bool fl_is_wide(const struct fl_build *b)
{
	return fl_bytes(type_of(b)) == 8;
}

static unsigned sign_mod(const struct fl_build *b)
{
	return fl_signed(type_of(b)) ? FL_MOD_S : 0;
}

static struct fl_pair pair_src(struct fl_build *b, unsigned i)
{
	return (struct fl_pair){ fl_src(b, i, PTX_U64, 0),
				 fl_src(b, i, PTX_U64, 1) };
}

static void pair_put(struct fl_build *b, struct fl_pair v)
{
	uint32_t lo = fl_dst(b, 0, 0), hi = fl_dst(b, 0, 1);

	fl_move(b, lo, v.lo);
	fl_move(b, hi, v.hi);
}

static struct fl_pair pair_add(struct fl_build *b, enum fl_op op,
			       struct fl_pair x, struct fl_pair y)
{
	uint32_t carry = fl_temp_pred(b);
	uint32_t lo = fl_temp(b), hi = fl_temp(b);

	fl_carry(b, op, FL_MOD_CO, lo, x.lo, y.lo, carry);
	fl_carry(b, op, FL_MOD_CI, hi, x.hi, y.hi, carry);
	return (struct fl_pair){ fl_reg(lo), fl_reg(hi) };
}

static bool is_op(const struct fl_build *b, const enum ptx_op *list, int n)
{
	for (int i = 0; i < n; i++)
		if (b->in->op->op == (uint16_t)list[i])
			return true;
	return false;
}
#define ONE_OF(b, ...)                                             \
	is_op(b, (const enum ptx_op[]){ __VA_ARGS__ },             \
	      (int)(sizeof((const enum ptx_op[]){ __VA_ARGS__ }) / \
		    sizeof(enum ptx_op)))

void expand_add(struct fl_build *b)
{
	bool sub = ONE_OF(b, PTX_OP_SUB_U16, PTX_OP_SUB_S16, PTX_OP_SUB_U32,
			  PTX_OP_SUB_S32, PTX_OP_SUB_U64, PTX_OP_SUB_S64);
	enum fl_op op = sub ? FL_ISUB : FL_IADD;

	if (fl_is_wide(b)) {
		pair_put(b, pair_add(b, op, pair_src(b, 1), pair_src(b, 2)));
		return;
	}
	fl_put(b, op, 0, fl_dst(b, 0, 0), fl_src(b, 1, type_of(b), 0),
	       fl_src(b, 2, type_of(b), 0));
}

/* ---- multiplication ---------------------------------------------------- */

static struct fl_pair pair_mul(struct fl_build *b, struct fl_pair x,
			       struct fl_pair y)
{
	struct fl_word lo = fl_do(b, FL_IMUL, 0, x.lo, y.lo);
	struct fl_word hi = fl_do(b, FL_IMULH, 0, x.lo, y.lo);
	uint32_t mid = fl_temp(b), top = fl_temp(b);

	fl_put3(b, FL_IMAD, 0, mid, x.lo, y.hi, hi);
	fl_put3(b, FL_IMAD, 0, top, x.hi, y.lo, fl_reg(mid));
	return (struct fl_pair){ lo, fl_reg(top) };
}

/* The product of two words of 32 bits. */
static struct fl_pair wide_product(struct fl_build *b)
{
	struct fl_word x = fl_src(b, 1, type_of(b), 0);
	struct fl_word y = fl_src(b, 2, type_of(b), 0);

	return (struct fl_pair){ fl_do(b, FL_IMUL, 0, x, y),
				 fl_do(b, FL_IMULH, sign_mod(b), x, y) };
}

/* The product of two half words, whose signs are extended. */
static struct fl_word half_product(struct fl_build *b)
{
	return fl_do(b, FL_IMUL, 0, fl_src_wide(b, 1, type_of(b)),
		     fl_src_wide(b, 2, type_of(b)));
}

void expand_mul_lo(struct fl_build *b)
{
	if (fl_is_wide(b))
		pair_put(b, pair_mul(b, pair_src(b, 1), pair_src(b, 2)));
	else
		fl_put(b, FL_IMUL, 0, fl_dst(b, 0, 0),
		       fl_src(b, 1, type_of(b), 0),
		       fl_src(b, 2, type_of(b), 0));
}

/* The upper 64 bits of the product of two pairs without signs: the four partial
 * products, with the carries of the middle words. */
static struct fl_pair pair_mul_hi(struct fl_build *b, struct fl_pair x,
				  struct fl_pair y)
{
	const struct fl_word zero = { true, 0 };
	struct fl_pair low = { fl_do(b, FL_IMULH, 0, x.lo, y.lo), zero };
	struct fl_pair mid1 = { fl_do(b, FL_IMUL, 0, x.lo, y.hi),
				fl_do(b, FL_IMULH, 0, x.lo, y.hi) };
	struct fl_pair mid2 = { fl_do(b, FL_IMUL, 0, x.hi, y.lo),
				fl_do(b, FL_IMULH, 0, x.hi, y.lo) };
	struct fl_pair top = { fl_do(b, FL_IMUL, 0, x.hi, y.hi),
			       fl_do(b, FL_IMULH, 0, x.hi, y.hi) };
	struct fl_pair sum = pair_add(b, FL_IADD, mid1, low);
	struct fl_pair cross = { sum.lo, zero };
	struct fl_pair carry = { sum.hi, zero };

	sum = pair_add(b, FL_IADD, mid2, cross);
	cross = (struct fl_pair){ sum.hi, zero };
	return pair_add(b, FL_IADD, pair_add(b, FL_IADD, top, carry), cross);
}

/* A negative factor counts 2^64 too much of the other one. */
static void mul_hi_wide(struct fl_build *b)
{
	struct fl_pair x = pair_src(b, 1), y = pair_src(b, 2);
	struct fl_pair r = pair_mul_hi(b, x, y);

	for (int i = 0; i < 2 && fl_signed(type_of(b)); i++) {
		struct fl_word sign = fl_do(b, FL_SHR, FL_MOD_S,
					    i ? y.hi : x.hi, fl_const(31));
		struct fl_pair other = i ? x : y;

		other.lo = fl_do(b, FL_AND, 0, other.lo, sign);
		other.hi = fl_do(b, FL_AND, 0, other.hi, sign);
		r = pair_add(b, FL_ISUB, r, other);
	}
	pair_put(b, r);
}

void expand_mul_hi(struct fl_build *b)
{
	uint32_t d = fl_dst(b, 0, 0);

	if (fl_is_wide(b))
		mul_hi_wide(b);
	else if (fl_bytes(type_of(b)) == 2)
		fl_put(b, FL_SHR, 0, d, half_product(b), fl_const(16));
	else
		fl_put(b, FL_IMULH, sign_mod(b), d, fl_src(b, 1, PTX_U32, 0),
		       fl_src(b, 2, PTX_U32, 0));
}

void expand_mul_wide(struct fl_build *b)
{
	if (fl_bytes(type_of(b)) == 2)
		fl_move(b, fl_dst(b, 0, 0), half_product(b));
	else
		pair_put(b, wide_product(b));
}

void expand_mad_lo(struct fl_build *b)
{
	enum ptx_type t = type_of(b);

	if (fl_is_wide(b)) {
		struct fl_pair p = pair_mul(b, pair_src(b, 1), pair_src(b, 2));

		pair_put(b, pair_add(b, FL_IADD, p, pair_src(b, 3)));
		return;
	}
	fl_put3(b, FL_IMAD, 0, fl_dst(b, 0, 0), fl_src(b, 1, t, 0),
		fl_src(b, 2, t, 0), fl_src(b, 3, t, 0));
}

void expand_mad_hi(struct fl_build *b)
{
	struct fl_word p = fl_do(b, FL_IMULH, sign_mod(b),
				 fl_src(b, 1, PTX_U32, 0),
				 fl_src(b, 2, PTX_U32, 0));

	fl_put(b, FL_IADD, 0, fl_dst(b, 0, 0), p, fl_src(b, 3, PTX_U32, 0));
}

void expand_mad_wide(struct fl_build *b)
{
	struct fl_pair p;

	if (fl_bytes(type_of(b)) == 2) {
		fl_put(b, FL_IADD, 0, fl_dst(b, 0, 0), half_product(b),
		       fl_src(b, 3, PTX_U32, 0));
		return;
	}
	p = wide_product(b);
	pair_put(b, pair_add(b, FL_IADD, p, pair_src(b, 3)));
}

void expand_divide(struct fl_build *b)
{
	bool rem = ONE_OF(b, PTX_OP_REM_U16, PTX_OP_REM_S16, PTX_OP_REM_U32,
			  PTX_OP_REM_S32);

	fl_put(b, rem ? FL_IREM : FL_IDIV, sign_mod(b), fl_dst(b, 0, 0),
	       fl_src_wide(b, 1, type_of(b)), fl_src_wide(b, 2, type_of(b)));
}

/* ---- sign, order ------------------------------------------------------- */

static const struct fl_pair pair_zero = { { true, 0 }, { true, 0 } };

void expand_neg(struct fl_build *b)
{
	if (fl_is_wide(b))
		pair_put(b, pair_add(b, FL_ISUB, pair_zero, pair_src(b, 1)));
	else
		fl_put(b, FL_ISUB, 0, fl_dst(b, 0, 0), fl_const(0),
		       fl_src(b, 1, type_of(b), 0));
}

static void pair_select(struct fl_build *b, struct fl_pair x, struct fl_pair y,
			uint32_t p, bool negated)
{
	uint32_t lo = fl_temp(b), hi = fl_temp(b);

	fl_select(b, lo, x.lo, y.lo, p, negated);
	fl_select(b, hi, x.hi, y.hi, p, negated);
	pair_put(b, (struct fl_pair){ fl_reg(lo), fl_reg(hi) });
}

void expand_abs(struct fl_build *b)
{
	if (fl_is_wide(b)) {
		struct fl_pair x = pair_src(b, 1);
		struct fl_pair minus = pair_add(b, FL_ISUB, pair_zero, x);
		uint32_t p = fl_temp_pred(b);

		fl_compare(b, FL_ISETP, FL_LT | FL_MOD_CMP_S, p, x.hi,
			   fl_const(0));
		pair_select(b, minus, x, p, false);
		return;
	}
	struct fl_word x = fl_src_wide(b, 1, type_of(b));

	fl_put(b, FL_IMAX, FL_MOD_S, fl_dst(b, 0, 0), x,
	       fl_do(b, FL_ISUB, 0, fl_const(0), x));
}

/* p: x < y. The carry of x - y says that nothing was borrowed. */
static void pair_less(struct fl_build *b, bool is_signed, uint32_t p,
		      struct fl_pair x, struct fl_pair y)
{
	uint32_t carry = fl_temp_pred(b);
	struct fl_ir *in;

	if (is_signed) {
		x.hi = fl_do(b, FL_XOR, 0, x.hi, fl_const(0x80000000));
		y.hi = fl_do(b, FL_XOR, 0, y.hi, fl_const(0x80000000));
	}
	fl_carry(b, FL_ISUB, FL_MOD_CO, fl_temp(b), x.lo, y.lo, carry);
	fl_carry(b, FL_ISUB, FL_MOD_CI | FL_MOD_CO, fl_temp(b), x.hi, y.hi,
		 carry);
	in = fl_emit(b, FL_PLOP, FL_BOOL_AND);
	in->p = p;
	in->r = carry;
	in->r_not = true;
}

void expand_minmax(struct fl_build *b)
{
	bool max = ONE_OF(b, PTX_OP_MAX_U16, PTX_OP_MAX_S16, PTX_OP_MAX_U32,
			  PTX_OP_MAX_S32, PTX_OP_MAX_U64, PTX_OP_MAX_S64);

	if (fl_is_wide(b)) {
		struct fl_pair x = pair_src(b, 1), y = pair_src(b, 2);
		uint32_t p = fl_temp_pred(b);

		pair_less(b, fl_signed(type_of(b)), p, x, y);
		pair_select(b, x, y, p, max);
		return;
	}
	fl_put(b, max ? FL_IMAX : FL_IMIN, sign_mod(b), fl_dst(b, 0, 0),
	       fl_src_wide(b, 1, type_of(b)), fl_src_wide(b, 2, type_of(b)));
}

/* |x - y| + z: the greater minus the lesser. */
void expand_sad(struct fl_build *b)
{
	struct fl_word x = fl_src(b, 1, PTX_U32, 0),
		       y = fl_src(b, 2, PTX_U32, 0);
	struct fl_word max = fl_do(b, FL_IMAX, sign_mod(b), x, y);
	struct fl_word min = fl_do(b, FL_IMIN, sign_mod(b), x, y);

	fl_put(b, FL_IADD, 0, fl_dst(b, 0, 0), fl_do(b, FL_ISUB, 0, max, min),
	       fl_src(b, 3, PTX_U32, 0));
}

/* ---- carry chains ------------------------------------------------------ */

static void copy_pred(struct fl_build *b, uint32_t to, uint32_t from)
{
	struct fl_ir *in = fl_emit(b, FL_PLOP, FL_BOOL_AND);

	in->p = to;
	in->r = from;
}

/* The flag itself changes with .cc only. */
static void add_pair_carry(struct fl_build *b, enum fl_op op, unsigned in,
			   unsigned out)
{
	struct fl_pair x = pair_src(b, 1), y = pair_src(b, 2);
	uint32_t lo = fl_temp(b), hi = fl_temp(b), p = fl_temp_pred(b);

	if (in)
		copy_pred(b, p, b->carry);
	fl_carry(b, op, in | FL_MOD_CO, lo, x.lo, y.lo, p);
	fl_carry(b, op, FL_MOD_CI | out, hi, x.hi, y.hi, p);
	if (out)
		copy_pred(b, b->carry, p);
	pair_put(b, (struct fl_pair){ fl_reg(lo), fl_reg(hi) });
}

void expand_add_carry(struct fl_build *b)
{
	bool sub = ONE_OF(b, PTX_OP_SUB_CC_U32, PTX_OP_SUB_CC_S32,
			  PTX_OP_SUBC_U32, PTX_OP_SUBC_S32, PTX_OP_SUB_CC_U64,
			  PTX_OP_SUB_CC_S64, PTX_OP_SUBC_U64, PTX_OP_SUBC_S64);
	bool adds = ptx_rows[b->in->op->op].carry == PTX_CARRY_ADDS;
	unsigned in = adds ? FL_MOD_CI : 0;
	unsigned out = b->in->op->attr[PTX_CLASS_CC] ? FL_MOD_CO : 0;
	enum fl_op op = sub ? FL_ISUB : FL_IADD;

	if (fl_is_wide(b)) {
		add_pair_carry(b, op, in, out);
		return;
	}
	fl_carry(b, op, in | out, fl_dst(b, 0, 0), fl_src(b, 1, PTX_U32, 0),
		 fl_src(b, 2, PTX_U32, 0), b->carry);
}

void expand_mad_carry(struct fl_build *b)
{
	bool hi = ONE_OF(b, PTX_OP_MAD_HI_CC_U32, PTX_OP_MAD_HI_CC_S32,
			 PTX_OP_MADC_HI_U32, PTX_OP_MADC_HI_S32);
	bool adds = ptx_rows[b->in->op->op].carry == PTX_CARRY_ADDS;
	unsigned mod = adds ? FL_MOD_CI : 0;
	struct fl_word p = fl_do(b, hi ? FL_IMULH : FL_IMUL,
				 hi ? sign_mod(b) : 0, fl_src(b, 1, PTX_U32, 0),
				 fl_src(b, 2, PTX_U32, 0));

	if (b->in->op->attr[PTX_CLASS_CC])
		mod |= FL_MOD_CO;
	fl_carry(b, FL_IADD, mod, fl_dst(b, 0, 0), p, fl_src(b, 3, PTX_U32, 0),
		 b->carry);
}

/* ---- bits -------------------------------------------------------------- */

static enum fl_op logic_op(const struct fl_build *b)
{
	if (ONE_OF(b, PTX_OP_AND_B16, PTX_OP_AND_B32, PTX_OP_AND_B64))
		return FL_AND;
	return ONE_OF(b, PTX_OP_OR_B16, PTX_OP_OR_B32, PTX_OP_OR_B64) ? FL_OR :
									FL_XOR;
}

void expand_logic(struct fl_build *b)
{
	enum fl_op op = logic_op(b);

	for (unsigned half = 0; half <= fl_is_wide(b); half++)
		fl_put(b, op, 0, fl_dst(b, 0, half),
		       fl_src(b, 1, type_of(b), half),
		       fl_src(b, 2, type_of(b), half));
}

void expand_not(struct fl_build *b)
{
	for (unsigned half = 0; half <= fl_is_wide(b); half++)
		fl_put(b, FL_XOR, 0, fl_dst(b, 0, half),
		       fl_src(b, 1, type_of(b), half), fl_const(~0u));
}

void expand_cnot(struct fl_build *b)
{
	struct fl_word x = fl_src_wide(b, 1, type_of(b));
	uint32_t p = fl_temp_pred(b), lo = fl_dst(b, 0, 0);

	if (fl_is_wide(b))
		x = fl_do(b, FL_OR, 0, x, fl_src(b, 1, PTX_U64, 1));
	fl_compare(b, FL_ISETP, FL_EQ, p, x, fl_const(0));
	fl_select(b, lo, fl_const(1), fl_const(0), p, false);
	if (fl_is_wide(b))
		fl_move(b, fl_dst(b, 0, 1), fl_const(0));
}

/* A function of two bits, as a table of four: bit 2x + y is f(x, y). */
static struct fl_word logic2(struct fl_build *b, unsigned table,
			     struct fl_word x, struct fl_word y)
{
	const struct fl_word ones = { true, ~0u };
	struct fl_word v;

	if (table == 0 || table == 15)
		return fl_const(table ? ~0u : 0);
	if (table == 3 || table == 12)
		return table == 12 ? x : fl_do(b, FL_XOR, 0, x, ones);
	if (table == 5 || table == 10)
		return table == 10 ? y : fl_do(b, FL_XOR, 0, y, ones);
	if (table == 6 || table == 9) {
		v = fl_do(b, FL_XOR, 0, x, y);
		return table == 6 ? v : fl_do(b, FL_XOR, 0, v, ones);
	}
	/* One or three ones: an AND of operands or negations, or its negation. */
	bool three = __builtin_popcount(table) == 3;
	unsigned one = three ? 15 - table : table;

	if (one & 3)
		x = fl_do(b, FL_XOR, 0, x, ones);
	if (one & 5)
		y = fl_do(b, FL_XOR, 0, y, ones);
	v = fl_do(b, FL_AND, 0, x, y);
	return three ? fl_do(b, FL_XOR, 0, v, ones) : v;
}

/* g0 where a is 0, g1 where it is 1: g0 ^ (a & (g0 ^ g1)). */
void expand_lop3(struct fl_build *b)
{
	struct fl_word x = fl_src(b, 1, PTX_U32, 0),
		       y = fl_src(b, 2, PTX_U32, 0);
	struct fl_word z = fl_src(b, 3, PTX_U32, 0),
		       t = fl_src(b, 4, PTX_U32, 0);
	struct fl_word base, change;

	if (!t.imm) {
		fl_refuse(b, "FastLanes has it with a constant table only");
		return;
	}
	base = logic2(b, t.v & 15, y, z);
	change = logic2(b, (t.v ^ t.v >> 4) & 15, y, z);
	fl_put(b, FL_XOR, 0, fl_dst(b, 0, 0), base,
	       fl_do(b, FL_AND, 0, x, change));
}

void expand_popc(struct fl_build *b)
{
	uint32_t d = fl_dst(b, 0, 0);

	if (fl_is_wide(b))
		fl_put(b, FL_IADD, 0, d,
		       fl_do1(b, FL_POPC, 0, fl_src(b, 1, PTX_U64, 0)),
		       fl_do1(b, FL_POPC, 0, fl_src(b, 1, PTX_U64, 1)));
	else
		fl_put1(b, FL_POPC, 0, d, fl_src(b, 1, PTX_U32, 0));
}

void expand_clz(struct fl_build *b)
{
	struct fl_word hi, more;
	uint32_t p;

	if (!fl_is_wide(b)) {
		fl_put1(b, FL_CLZ, 0, fl_dst(b, 0, 0),
			fl_src(b, 1, PTX_U32, 0));
		return;
	}
	p = fl_temp_pred(b);
	hi = fl_do1(b, FL_CLZ, 0, fl_src(b, 1, PTX_U64, 1));
	more = fl_do(b, FL_IADD, 0,
		     fl_do1(b, FL_CLZ, 0, fl_src(b, 1, PTX_U64, 0)),
		     fl_const(32));
	fl_compare(b, FL_ISETP, FL_EQ, p, hi, fl_const(32));
	fl_select(b, fl_dst(b, 0, 0), more, hi, p, false);
}

void expand_brev(struct fl_build *b)
{
	if (fl_is_wide(b))
		pair_put(b,
			 (struct fl_pair){ fl_do1(b, FL_BREV, 0,
						  fl_src(b, 1, PTX_U64, 1)),
					   fl_do1(b, FL_BREV, 0,
						  fl_src(b, 1, PTX_U64, 0)) });
	else
		fl_put1(b, FL_BREV, 0, fl_dst(b, 0, 0),
			fl_src(b, 1, PTX_U32, 0));
}

/* 31 minus the leading zeros; of a negative number, those of its complement. */
void expand_bfind(struct fl_build *b)
{
	struct fl_word x = fl_src(b, 1, PTX_U32, 0);

	if (fl_signed(type_of(b)))
		x = fl_do(b, FL_XOR, 0, x,
			  fl_do(b, FL_SHR, FL_MOD_S, x, fl_const(31)));
	fl_put(b, FL_ISUB, 0, fl_dst(b, 0, 0), fl_const(31),
	       fl_do1(b, FL_CLZ, 0, x));
}

/* The low byte of a source that is a position or a length. */
static struct fl_word low_byte(struct fl_build *b, unsigned i)
{
	struct fl_word w = fl_src(b, i, PTX_U32, 0);

	return w.imm ? fl_const(w.v & 255) :
		       fl_do(b, FL_AND, 0, w, fl_const(255));
}

void expand_bfe(struct fl_build *b)
{
	struct fl_word pos = low_byte(b, 2), len = low_byte(b, 3), field;

	if (pos.imm && len.imm)
		field = fl_const(pos.v | len.v << 8);
	else
		field = fl_do(b, FL_OR, 0,
			      fl_do(b, FL_SHL, 0, len, fl_const(8)), pos);
	fl_put(b, FL_BFE, sign_mod(b), fl_dst(b, 0, 0),
	       fl_src(b, 1, PTX_U32, 0), field);
}

/* The field is where mask is 1: y ^ ((y ^ (x << pos)) & mask). */
void expand_bfi(struct fl_build *b)
{
	struct fl_word x = fl_src(b, 1, PTX_U32, 0),
		       y = fl_src(b, 2, PTX_U32, 0);
	struct fl_word pos = low_byte(b, 3), len = low_byte(b, 4);
	struct fl_word ones, mask, in;

	ones = fl_do(b, FL_ISUB, 0, fl_do(b, FL_SHL, 0, fl_const(1), len),
		     fl_const(1));
	mask = fl_do(b, FL_SHL, 0, ones, pos);
	in = fl_do(b, FL_XOR, 0, fl_do(b, FL_SHL, 0, x, pos), y);
	fl_put(b, FL_XOR, 0, fl_dst(b, 0, 0), fl_do(b, FL_AND, 0, in, mask), y);
}

/* ---- shifts ------------------------------------------------------------ */

/* By a constant below 64. */
static struct fl_pair shl_const(struct fl_build *b, struct fl_pair x,
				uint32_t n)
{
	struct fl_word n_low = fl_const(n & 31);
	uint32_t hi = fl_temp(b);

	if (n >= 32)
		return (struct fl_pair){ fl_const(0),
					 fl_do(b, FL_SHL, 0, x.lo, n_low) };
	fl_put3(b, FL_SHF, 0, hi, x.lo, n_low, x.hi);
	return (struct fl_pair){ fl_do(b, FL_SHL, 0, x.lo, n_low), fl_reg(hi) };
}

static struct fl_pair shr_const(struct fl_build *b, unsigned sign,
				struct fl_pair x, uint32_t n)
{
	struct fl_word n_low = fl_const(n & 31);
	uint32_t lo = fl_temp(b);

	if (n >= 32)
		return (struct fl_pair){ fl_do(b, FL_SHR, sign, x.hi, n_low),
					 sign ? fl_do(b, FL_SHR, sign, x.hi,
						      fl_const(31)) :
						fl_const(0) };
	fl_put3(b, FL_SHF, FL_MOD_R, lo, x.lo, n_low, x.hi);
	return (struct fl_pair){ fl_reg(lo),
				 fl_do(b, FL_SHR, sign, x.hi, n_low) };
}

/* Shifts of words give 0 from 32 on, so that of the two amounts 32 - n and
 * n - 32 the one that is negative contributes nothing. */
static struct fl_pair shl_any(struct fl_build *b, struct fl_pair x,
			      struct fl_word n)
{
	struct fl_word down = fl_do(b, FL_ISUB, 0, fl_const(32), n);
	struct fl_word up = fl_do(b, FL_ISUB, 0, n, fl_const(32));
	struct fl_word hi = fl_do(b, FL_OR, 0, fl_do(b, FL_SHL, 0, x.hi, n),
				  fl_do(b, FL_SHR, 0, x.lo, down));

	hi = fl_do(b, FL_OR, 0, hi, fl_do(b, FL_SHL, 0, x.lo, up));
	return (struct fl_pair){ fl_do(b, FL_SHL, 0, x.lo, n), hi };
}

static struct fl_pair shr_any(struct fl_build *b, unsigned sign,
			      struct fl_pair x, struct fl_word n)
{
	struct fl_word up = fl_do(b, FL_ISUB, 0, fl_const(32), n);
	struct fl_word down = fl_do(b, FL_ISUB, 0, n, fl_const(32));
	struct fl_word near = fl_do(b, FL_OR, 0, fl_do(b, FL_SHR, 0, x.lo, n),
				    fl_do(b, FL_SHL, 0, x.hi, up));
	struct fl_word far = fl_do(b, FL_SHR, sign, x.hi, down);
	uint32_t p = fl_temp_pred(b), lo = fl_temp(b);

	fl_compare(b, FL_ISETP, FL_LT, p, n, fl_const(32));
	fl_select(b, lo, near, far, p, false);
	return (struct fl_pair){ fl_reg(lo), fl_do(b, FL_SHR, sign, x.hi, n) };
}

/* From 64 on all bits are gone, or are the sign. */
static uint32_t shift_limit(uint32_t n)
{
	return n > 63 ? 63 : n;
}

void expand_shl(struct fl_build *b)
{
	struct fl_word n = fl_src(b, 2, PTX_U32, 0);

	if (!fl_is_wide(b))
		fl_put(b, FL_SHL, 0, fl_dst(b, 0, 0),
		       fl_src(b, 1, type_of(b), 0), n);
	else if (n.imm && n.v > 63)
		pair_put(b, pair_zero);
	else if (n.imm)
		pair_put(b, shl_const(b, pair_src(b, 1), n.v));
	else
		pair_put(b, shl_any(b, pair_src(b, 1), n));
}

void expand_shr(struct fl_build *b)
{
	struct fl_word n = fl_src(b, 2, PTX_U32, 0);
	unsigned sign = sign_mod(b);

	if (!fl_is_wide(b))
		fl_put(b, FL_SHR, sign, fl_dst(b, 0, 0),
		       fl_src_wide(b, 1, type_of(b)), n);
	else if (n.imm && n.v > 63 && !sign)
		pair_put(b, pair_zero);
	else if (n.imm)
		pair_put(b,
			 shr_const(b, sign, pair_src(b, 1), shift_limit(n.v)));
	else
		pair_put(b, shr_any(b, sign, pair_src(b, 1), n));
}

void expand_shf(struct fl_build *b)
{
	bool right = ONE_OF(b, PTX_OP_SHF_R_WRAP_B32);

	fl_put3(b, FL_SHF, right ? FL_MOD_R : 0, fl_dst(b, 0, 0),
		fl_src(b, 1, PTX_U32, 0), fl_src(b, 3, PTX_U32, 0),
		fl_src(b, 2, PTX_U32, 0));
}

void expand_prmt(struct fl_build *b)
{
	fl_put3(b, FL_PRMT, 0, fl_dst(b, 0, 0), fl_src(b, 1, PTX_U32, 0),
		fl_src(b, 3, PTX_U32, 0), fl_src(b, 2, PTX_U32, 0));
}

/* ---- comparison -------------------------------------------------------- */

/* Sets p to the comparison of two pairs. */
void fl_compare_pairs(struct fl_build *b, unsigned cmp, bool is_signed,
		      uint32_t p, unsigned first)
{
	struct fl_pair x = pair_src(b, first), y = pair_src(b, first + 1);
	bool swap = cmp == FL_GT || cmp == FL_LE;
	bool negate = cmp == FL_GE || cmp == FL_LE;
	struct fl_ir *in;

	if (cmp == FL_EQ || cmp == FL_NE) {
		struct fl_word lo = fl_do(b, FL_XOR, 0, x.lo, y.lo);
		struct fl_word hi = fl_do(b, FL_XOR, 0, x.hi, y.hi);

		fl_compare(b, FL_ISETP, cmp, p, fl_do(b, FL_OR, 0, lo, hi),
			   fl_const(0));
		return;
	}
	pair_less(b, is_signed, p, swap ? y : x, swap ? x : y);
	if (!negate || b->failed)
		return;
	in = &b->ir[b->count - 1];
	in->r_not = !in->r_not;
}
