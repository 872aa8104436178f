/*
 * Single precision. Approximations are the sequences around the special function
 * unit that simt/lane.c states: scaling, where an operand or a result may be
 * subnormal.
 */
#include "base/fp.h"
#include "fastlanes/expand.h"
#include "fastlanes/ir.h"

/* Bits of constants. */
enum {
	F_ONE = 0x3f800000,
	F_HALF = 0x3f000000,
	F_QUARTER = 0x3e800000,
	F_2_24 = 0x4b800000,
	F_2_12 = 0x45800000,
	F_2_M12 = 0x39800000,
	F_HUGE = 0x7e800000, /* 2^126 */
	F_TINY = 0x00800000, /* the least normal number */
	F_TURN = 0x3e22f983, /* 1 / (2 pi) */
	F_INF = 0x7f800000,
	F_MAGNITUDE = 0x7fffffff
};
#define F_SIGN 0x80000000u
#define F_MINUS_24 0xc1c00000u
#define F_MINUS_126 0xc2fc0000u

static struct fl_word float_src(struct fl_build *b, unsigned i)
{
	return fl_src(b, i, PTX_F32, 0);
}

static bool is_ftz(const struct fl_build *b)
{
	return b->in->op->attr[PTX_CLASS_FTZ];
}

void expand_float(struct fl_build *b)
{
	unsigned mod = fl_float_mods(b->in->op);
	uint32_t d = fl_dst(b, 0, 0);

	switch (b->in->op->op) {
	case PTX_OP_ABS_F32:
	case PTX_OP_NEG_F32:
		fl_put1(b, b->in->op->op == PTX_OP_ABS_F32 ? FL_FABS : FL_FNEG,
			mod, d, float_src(b, 1));
		return;
	case PTX_OP_SQRT_F32:
		fl_put1(b, FL_FSQRT, mod, d, float_src(b, 1));
		return;
	case PTX_OP_FMA_F32:
	case PTX_OP_MAD_F32:
		fl_put3(b, FL_FFMA, mod, d, float_src(b, 1), float_src(b, 2),
			float_src(b, 3));
		return;
	case PTX_OP_SUB_F32:
		mod |= FL_MOD_NEG;
		fl_put(b, FL_FADD, mod, d, float_src(b, 1), float_src(b, 2));
		return;
	case PTX_OP_ADD_F32:
		fl_put(b, FL_FADD, mod, d, float_src(b, 1), float_src(b, 2));
		return;
	default:
		fl_put(b, b->in->op->op == PTX_OP_DIV_F32 ? FL_FDIV : FL_FMUL,
		       mod, d, float_src(b, 1), float_src(b, 2));
	}
}

void expand_float_minmax(struct fl_build *b)
{
	const struct ptx_opcode *op = b->in->op;
	unsigned mod = fl_float_mods(op) & FL_MOD_FTZ;

	if (op->attr[PTX_CLASS_XORSIGN] || op->attr[PTX_CLASS_ABS]) {
		fl_refuse(b, "FastLanes has it without .xorsign and .abs only");
		return;
	}
	if (op->attr[PTX_CLASS_NAN])
		mod |= FL_MOD_NAN;
	fl_put(b, op->op == PTX_OP_MIN_F32 ? FL_FMIN : FL_FMAX, mod,
	       fl_dst(b, 0, 0), float_src(b, 1), float_src(b, 2));
}

void expand_rcp(struct fl_build *b)
{
	fl_put(b, FL_FDIV, fl_float_mods(b->in->op), fl_dst(b, 0, 0),
	       fl_const(F_ONE), float_src(b, 1));
}

/* The sign of the first operand on the magnitude of the second. */
void expand_copysign(struct fl_build *b)
{
	struct fl_word sign =
		fl_do(b, FL_AND, 0, float_src(b, 1), fl_const(F_SIGN));
	struct fl_word magnitude =
		fl_do(b, FL_AND, 0, float_src(b, 2), fl_const(F_MAGNITUDE));

	fl_put(b, FL_OR, 0, fl_dst(b, 0, 0), sign, magnitude);
}

static struct fl_word magnitude_of(struct fl_build *b, struct fl_word a)
{
	return fl_do(b, FL_AND, 0, a, fl_const(F_MAGNITUDE));
}

void expand_testp(struct fl_build *b)
{
	struct fl_word a = magnitude_of(b, float_src(b, 1));
	uint32_t p = fl_pred_dst(b, &b->in->opnds[0]);
	unsigned cmp;

	switch (b->in->op->op) {
	case PTX_OP_TESTP_FINITE_F32:
		cmp = FL_LT;
		break;
	case PTX_OP_TESTP_INFINITE_F32:
		cmp = FL_EQ;
		break;
	case PTX_OP_TESTP_NUMBER_F32:
		cmp = FL_LE;
		break;
	default:
		cmp = FL_GT;
	}
	fl_compare(b, FL_ISETP, cmp, p, a, fl_const(F_INF));
}

/* ---- approximations ---------------------------------------------------- */

static struct fl_word fl_special(struct fl_build *b, enum fl_fn fn,
				 struct fl_word a)
{
	return fl_do1(b, FL_MUFU, fn, a);
}

static struct fl_word times(struct fl_build *b, struct fl_word a, uint32_t k)
{
	return fl_do(b, FL_FMUL, 0, a, fl_const(k));
}

/* A predicate: a is subnormal or zero. */
static uint32_t fl_is_tiny(struct fl_build *b, struct fl_word a)
{
	uint32_t p = fl_temp_pred(b);

	fl_compare(b, FL_ISETP, FL_LT, p, magnitude_of(b, a), fl_const(F_TINY));
	return p;
}

/* A predicate: the magnitude exceeds 2^126. A NaN counts, for which the scaling
 * that follows changes nothing. */
static uint32_t is_huge(struct fl_build *b, struct fl_word a)
{
	uint32_t p = fl_temp_pred(b);

	fl_compare(b, FL_ISETP, FL_GT, p, magnitude_of(b, a), fl_const(F_HUGE));
	return p;
}

static struct fl_word choose(struct fl_build *b, uint32_t p, struct fl_word yes,
			     struct fl_word no)
{
	uint32_t d = fl_temp(b);

	fl_select(b, d, yes, no, p, false);
	return fl_reg(d);
}

void expand_tanh(struct fl_build *b)
{
	fl_put1(b, FL_MUFU, FL_FN_TANH, fl_dst(b, 0, 0), float_src(b, 1));
}

void expand_turns(struct fl_build *b)
{
	unsigned mod = (fl_float_mods(b->in->op) & FL_MOD_FTZ) | RND_RZ;
	bool sine = b->in->op->op == PTX_OP_SIN_APPROX_F32;

	fl_put1(b, FL_MUFU, sine ? FL_FN_SIN : FL_FN_COS, fl_dst(b, 0, 0),
		fl_do(b, FL_FMUL, mod, float_src(b, 1), fl_const(F_TURN)));
}

void expand_ex2(struct fl_build *b)
{
	struct fl_word a = float_src(b, 1), r;
	uint32_t p, d = fl_dst(b, 0, 0);

	if (is_ftz(b)) {
		fl_put1(b, FL_MUFU, FL_FN_EX2, d, a);
		return;
	}
	p = fl_temp_pred(b);
	fl_compare(b, FL_FSETP, FL_LT, p, a, fl_const(F_MINUS_126));
	r = fl_special(b, FL_FN_EX2, choose(b, p, times(b, a, F_HALF), a));
	fl_select(b, d, fl_do(b, FL_FMUL, 0, r, r), r, p, false);
}

void expand_lg2(struct fl_build *b)
{
	struct fl_word a = float_src(b, 1), r;
	uint32_t p, d = fl_dst(b, 0, 0);

	if (is_ftz(b)) {
		fl_put1(b, FL_MUFU, FL_FN_LG2, d, a);
		return;
	}
	p = fl_is_tiny(b, a);
	r = fl_special(b, FL_FN_LG2, choose(b, p, times(b, a, F_2_24), a));
	fl_select(b, d, fl_do(b, FL_FADD, 0, r, fl_const(F_MINUS_24)), r, p,
		  false);
}

void expand_root_approx(struct fl_build *b)
{
	bool root = b->in->op->op == PTX_OP_SQRT_APPROX_F32;
	enum fl_fn fn = root ? FL_FN_SQRT : FL_FN_RSQ;
	struct fl_word a = float_src(b, 1), r;
	uint32_t p, d = fl_dst(b, 0, 0);

	if (is_ftz(b)) {
		fl_put1(b, FL_MUFU, fn, d, a);
		return;
	}
	p = fl_is_tiny(b, a);
	r = fl_special(b, fn, choose(b, p, times(b, a, F_2_24), a));
	fl_select(b, d, times(b, r, root ? F_2_M12 : F_2_12), r, p, false);
}

void expand_rcp_approx(struct fl_build *b)
{
	struct fl_word a = float_src(b, 1), scale;
	uint32_t d = fl_dst(b, 0, 0), tiny, huge;

	if (is_ftz(b)) {
		fl_put1(b, FL_MUFU, FL_FN_RCP, d, a);
		return;
	}
	tiny = fl_is_tiny(b, a);
	huge = is_huge(b, a);
	scale = choose(b, tiny, fl_const(F_2_24), fl_const(F_ONE));
	scale = choose(b, huge, fl_const(F_QUARTER), scale);
	a = fl_do(b, FL_FMUL, 0, a, scale);
	fl_put(b, FL_FMUL, 0, d, scale, fl_special(b, FL_FN_RCP, a));
}

/* Multiplies both operands of a division by the same number, or by none. */
static void scale_both(struct fl_build *b, uint32_t p, uint32_t k, unsigned mod,
		       struct fl_word *x, struct fl_word *y)
{
	*x = choose(b, p, fl_do(b, FL_FMUL, mod, *x, fl_const(k)), *x);
	*y = choose(b, p, fl_do(b, FL_FMUL, mod, *y, fl_const(k)), *y);
}

void expand_div_approx(struct fl_build *b)
{
	unsigned mod = fl_float_mods(b->in->op) & FL_MOD_FTZ;
	struct fl_word x = float_src(b, 1), y = float_src(b, 2);

	if (b->in->op->op == PTX_OP_DIV_FULL_F32)
		scale_both(b, is_huge(b, y), F_QUARTER, mod, &x, &y);
	if (!is_ftz(b))
		scale_both(b, fl_is_tiny(b, y), F_2_24, 0, &x, &y);
	fl_put(b, FL_FMUL, mod, fl_dst(b, 0, 0), x,
	       fl_special(b, FL_FN_RCP, y));
}

/* ---- conversions ------------------------------------------------------- */

void expand_cvt_float(struct fl_build *b)
{
	const struct ptx_opcode *op = b->in->op;
	unsigned mod = fl_float_mods(op);

	if (op->attr[PTX_CLASS_RELU] || op->attr[PTX_CLASS_SATFINITE]) {
		fl_refuse(b, "FastLanes has it without .relu and .satfinite "
			     "only");
		return;
	}
	if (op->attr[PTX_CLASS_IRND])
		mod |= FL_MOD_INT;
	fl_put1(b, FL_F2F, mod, fl_dst(b, 0, 0), float_src(b, 1));
}

static bool refuse_wide(struct fl_build *b, enum ptx_type t)
{
	if (fl_bytes(t) < 8)
		return false;
	fl_refuse(b, "FastLanes converts integers of up to 32 bits to and from "
		     "floats");
	return true;
}

/* Writes a word that has a type to a register that may be wider. */
static void put_typed(struct fl_build *b, struct fl_word w, enum ptx_type t)
{
	fl_move(b, fl_dst(b, 0, 0), w);
	if (fl_reg_bytes(b, &b->in->opnds[0]) < 8)
		return;
	fl_move(b, fl_dst(b, 0, 1),
		fl_signed(t) ? fl_do(b, FL_SHR, FL_MOD_S, w, fl_const(31)) :
			       fl_const(0));
}

/* A narrow type saturates at its own limits. */
void expand_cvt_to_int(struct fl_build *b)
{
	enum ptx_type to = (enum ptx_type)b->in->op->type[0];
	unsigned sign = fl_signed(to) ? FL_MOD_S : 0, bits = 8 * fl_bytes(to);
	unsigned mod = fl_float_mods(b->in->op) & 7;
	struct fl_word v;

	if (refuse_wide(b, to))
		return;
	v = fl_do1(b, FL_F2I, mod | (sign ? FL_MOD_CVT_S : 0), float_src(b, 1));
	if (bits < 32) {
		uint32_t max = (1u << (bits - (sign != 0))) - 1;

		v = fl_do(b, FL_IMIN, sign, v, fl_const(max));
		if (sign)
			v = fl_do(b, FL_IMAX, sign, v, fl_const(~max));
	}
	put_typed(b, v, to);
}

void expand_cvt_from_int(struct fl_build *b)
{
	enum ptx_type from = (enum ptx_type)b->in->op->type[1];
	unsigned mod = fl_float_mods(b->in->op);
	unsigned sign = fl_signed(from) ? FL_MOD_CVT_S : 0;
	uint32_t d = fl_dst(b, 0, 0);
	struct fl_word v;

	if (refuse_wide(b, from))
		return;
	v = fl_do1(b, FL_I2F, (mod & 3) | sign, fl_src_wide(b, 1, from));
	if (mod & FL_MOD_SAT)
		fl_put1(b, FL_F2F, FL_MOD_SAT, d, v);
	else
		fl_move(b, d, v);
}

/* Clamps an extended word of one type to the range of another. */
static struct fl_word fl_saturated(struct fl_build *b, struct fl_word v,
				   enum ptx_type to, enum ptx_type from)
{
	unsigned sign = fl_signed(to), bits = 8 * fl_bytes(to) - sign;
	uint32_t max = ~0u >> (32 - bits);

	if (!fl_signed(from))
		return fl_do(b, FL_IMIN, 0, v, fl_const(max));
	if (!sign) {
		v = fl_do(b, FL_IMAX, FL_MOD_S, v, fl_const(0));
		return fl_do(b, FL_IMIN, 0, v, fl_const(max));
	}
	v = fl_do(b, FL_IMIN, FL_MOD_S, v, fl_const(max));
	return fl_do(b, FL_IMAX, FL_MOD_S, v, fl_const(~max));
}

static void cvt_int_sat(struct fl_build *b, enum ptx_type to,
			enum ptx_type from)
{
	if (fl_bytes(to) == 8 || fl_bytes(from) == 8) {
		fl_refuse(b, "FastLanes saturates integers of up to 32 bits");
		return;
	}
	put_typed(b, fl_saturated(b, fl_src_wide(b, 1, from), to, from), to);
}

void expand_cvt_int(struct fl_build *b)
{
	const struct ptx_opcode *op = b->in->op;
	enum ptx_type to = (enum ptx_type)op->type[0];
	enum ptx_type from = (enum ptx_type)op->type[1];
	struct fl_word v;

	if (op->attr[PTX_CLASS_SAT]) {
		cvt_int_sat(b, to, from);
		return;
	}
	if (fl_bytes(to) == 8 && fl_bytes(from) == 8) {
		fl_move(b, fl_dst(b, 0, 0), fl_src(b, 1, from, 0));
		fl_move(b, fl_dst(b, 0, 1), fl_src(b, 1, from, 1));
		return;
	}
	v = fl_bytes(to) < fl_bytes(from) ?
		    fl_extend(b, fl_src(b, 1, from, 0), to) :
		    fl_src_wide(b, 1, from);
	/* The same width: the destination's sign counts. */
	if (fl_bytes(to) == fl_bytes(from))
		v = fl_extend(b, v, to);
	put_typed(b, v, fl_bytes(to) == 8 ? from : to);
}
