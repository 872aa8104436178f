/*
 * The x87's transcendental functions: the nearest numbers (quad.h), with a pi of 66
 * bits, as processors have it. Processors may be one unit of the last place away;
 * docs/cpu.md says how often.
 */
#include "isa/x86/exec_x87.h"
#include "isa/x86/quad.h"

enum { X86_TRIG_EXP = 63 /* from here on arguments are out of range */ };

static struct x86_num x86_math_zero(bool sign)
{
	return (struct x86_num){ .is = X86_IS_ZERO, .sign = sign };
}

static struct x86_num x86_math_inf(bool sign)
{
	return (struct x86_num){ .is = X86_IS_INF, .sign = sign };
}

/* A NaN of the operands; else an invalid operation. */
static struct x86_num x86_math_nan(struct x86_env *e, struct x86_num a,
				   struct x86_num b)
{
	struct x86_num zero = x86_math_zero(false);

	if (a.is == X86_IS_NAN || b.is == X86_IS_NAN)
		return x86_soft_add(e, &x86_fmt80, a, b);
	return x86_soft_div(e, &x86_fmt80, zero, zero);
}

static void x86_math_note(struct x86_env *e, struct x86_num a)
{
	if (a.denormal)
		e->flags |= X86_FP_DENORMAL;
}

/* Which of the results of an angle. */
enum x86_trig { X86_SIN, X86_COS, X86_TAN };

/* Below these exponents processors do not even round up or down. */
enum { X86_TAN_TINY = -33, X86_SIN_TINY = -68, X86_ATAN_TINY = -40 };

static struct x86_num x86_trig_tiny(struct x86_env *e, struct x86_num a,
				    enum x86_trig what)
{
	struct x86_wide one = { 1, 0 }, same = { x86_quad_of(a), a.exp };

	return x86_quad_round(e, what == X86_COS ? one : same, X86_EXACTLY);
}

static struct x86_num x86_trig_of(struct x86_env *e, struct x86_num a,
				  enum x86_trig what)
{
	struct x86_sincos v;

	if (a.is == X86_IS_NAN || a.is == X86_IS_INF)
		return x86_math_nan(e, a, a);
	if (a.is == X86_IS_ZERO)
		return what == X86_COS ? x86_from_int(1) : a;
	x86_math_note(e, a);
	if (a.exp < (what == X86_TAN ? X86_TAN_TINY : X86_SIN_TINY))
		return x86_trig_tiny(e, a, what);
	if (what == X86_TAN)
		return x86_quad_round(e, x86_quad_tan(a), X86_LARGER);
	v = x86_quad_sincos(a);
	return x86_quad_round(e, what == X86_SIN ? v.sin : v.cos, X86_SMALLER);
}

/* C2 says that the argument is too large; then nothing else happens. */
static bool x86_trig_fits(struct x86_cpu *c, struct x86_num a)
{
	bool fits = a.is != X86_IS_FINITE || a.exp < X86_TRIG_EXP;

	c->fpu.status &= (uint16_t) ~(X86_FPU_C2 | X86_FPU_C1);
	if (!fits)
		c->fpu.status |= X86_FPU_C2;
	return fits;
}

static const struct x86_inst *
x86_fpu_trig(struct x86_cpu *c, const struct x86_inst *i, enum x86_trig what)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_num a = x86_st_get(c, 0, &e);

	if (x86_trig_fits(c, a))
		x86_st_put(c, 0, x86_to80(x86_trig_of(&e, a, what)));
	return x86_fpu_done(c, i, &e);
}

X86_DO(fsin)
{
	return x86_fpu_trig(c, i, X86_SIN);
}

X86_DO(fcos)
{
	return x86_fpu_trig(c, i, X86_COS);
}

X86_DO(fsincos)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_num a = x86_st_get(c, 0, &e);

	if (!x86_trig_fits(c, a))
		return x86_fpu_done(c, i, &e);
	x86_st_put(c, 0, x86_to80(x86_trig_of(&e, a, X86_SIN)));
	x86_st_push(c, x86_to80(x86_trig_of(&e, a, X86_COS)), &e);
	return x86_fpu_done(c, i, &e);
}

X86_DO(fptan)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_num a = x86_st_get(c, 0, &e), r, one = x86_from_int(1);

	if (!x86_trig_fits(c, a))
		return x86_fpu_done(c, i, &e);
	r = x86_trig_of(&e, a, X86_TAN);
	x86_st_put(c, 0, x86_to80(r));
	x86_st_push(c, x86_to80(r.is == X86_IS_NAN ? r : one), &e);
	return x86_fpu_done(c, i, &e);
}

/* Angles in eighths of a turn. */
static struct x86_num x86_eighths(struct x86_env *e, bool sign, int n)
{
	struct x86_num x = x86_from_int(1), y = x;
	struct x86_wide w;

	if (!n)
		return x86_math_zero(sign);
	w = x86_quad_atan(y, x);
	w.m *= (x86_quad)(sign ? -n : n);
	return x86_quad_round(e, w, X86_LARGER);
}

static struct x86_num x86_atan_of(struct x86_env *e, struct x86_num y,
				  struct x86_num x)
{
	struct x86_wide w;

	if (x.is == X86_IS_NAN || y.is == X86_IS_NAN)
		return x86_math_nan(e, x, y);
	x86_math_note(e, y);
	x86_math_note(e, x);
	if (y.is == X86_IS_INF)
		return x86_eighths(e, y.sign,
				   x.is != X86_IS_INF ? 2 :
				   x.sign             ? 3 :
							1);
	if (y.is == X86_IS_ZERO || x.is == X86_IS_INF)
		return x86_eighths(e, y.sign, x.sign ? 4 : 0);
	if (x.is == X86_IS_ZERO)
		return x86_eighths(e, y.sign, 2);
	w = x86_quad_atan(y, x);
	if (y.sign)
		w.m = -w.m;
	return x86_quad_round(e, w,
			      !x.sign && y.exp - x.exp < X86_ATAN_TINY ?
				      X86_EXACTLY :
				      X86_SMALLER);
}

static struct x86_num x86_exp_of(struct x86_env *e, struct x86_num a)
{
	struct x86_num one = x86_from_int(1);

	if (a.is == X86_IS_NAN)
		return x86_math_nan(e, a, a);
	if (a.is == X86_IS_ZERO)
		return a;
	if (a.is == X86_IS_INF && a.sign)
		one.sign = true;
	if (a.is == X86_IS_INF)
		return a.sign ? one : a;
	x86_math_note(e, a);
	e->flags |= X86_FP_INEXACT;
	if (a.exp == 0 && a.sig == one.sig && a.sign) {
		a.exp = -1;
		return a;
	}
	if (a.exp >= 0) /* processors leave others than 1 as they are, too */
		return a;
	return x86_quad_round(e, x86_quad_exp(a), X86_LARGER);
}

X86_DO(f2xm1)
{
	struct x86_env e = x86_fpu_env(c);

	x86_st_put(c, 0, x86_to80(x86_exp_of(&e, x86_st_get(c, 0, &e))));
	return x86_fpu_done(c, i, &e);
}

/* y times a logarithm that is finite and not zero. */
static struct x86_num x86_times(struct x86_env *e, struct x86_num y,
				struct x86_wide w, enum x86_sink sink)
{
	w.m *= x86_quad_of(y);
	w.exp += y.exp;
	return x86_quad_round(e, w, sink);
}

/* y times a logarithm that is zero or infinite. */
static struct x86_num x86_times_exactly(struct x86_env *e, struct x86_num y,
					struct x86_num log)
{
	return x86_soft_mul(e, &x86_fmt80, y, log);
}

static struct x86_num x86_log_times(struct x86_env *e, struct x86_num y,
				    struct x86_num x)
{
	if (x.is == X86_IS_NAN || y.is == X86_IS_NAN ||
	    (x.sign && x.is != X86_IS_ZERO))
		return x86_math_nan(e, x, y);
	x86_math_note(e, x);
	x86_math_note(e, y);
	if (x.is == X86_IS_ZERO) {
		if (y.is == X86_IS_FINITE)
			e->flags |= X86_FP_ZERO;
		return x86_times_exactly(e, y, x86_math_inf(true));
	}
	if (x.is == X86_IS_INF)
		return x86_times_exactly(e, y, x);
	if (x.exp == 0 && x.sig << 1 == 0) /* 1 */
		return x86_times_exactly(e, y, x86_math_zero(false));
	if (y.is != X86_IS_FINITE) {
		y.sign ^= x.exp < 0;
		return y;
	}
	return x86_times(e, y, x86_quad_log(x),
			 x.sig << 1 ? X86_LARGER : X86_EXACTLY);
}

static struct x86_num x86_log1p_times(struct x86_env *e, struct x86_num y,
				      struct x86_num x)
{
	if (x.is == X86_IS_NAN || y.is == X86_IS_NAN)
		return x86_math_nan(e, x, y);
	x86_math_note(e, x);
	x86_math_note(e, y);
	if (x.is == X86_IS_INF && x.sign)
		return x86_math_nan(e, x, y);
	if (x.is != X86_IS_FINITE)
		return x86_times_exactly(e, y, x);
	if (y.is != X86_IS_FINITE) {
		y.sign ^= x.sign;
		return y;
	}
	if (x.sign && x.exp >= 0) { /* processors leave it as it is */
		e->flags |= X86_FP_INEXACT;
		return x;
	}
	return x86_times(e, y, x86_quad_log1p(x), X86_LARGER);
}

typedef struct x86_num x86_math_op(struct x86_env *e, struct x86_num y,
				   struct x86_num x);

/* ST(1) becomes the result, and ST(0) goes. */
static const struct x86_inst *
x86_fpu_two(struct x86_cpu *c, const struct x86_inst *i, x86_math_op *op)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_num x = x86_st_get(c, 0, &e), y = x86_st_get(c, 1, &e);

	x86_st_put(c, 1, x86_to80(op(&e, y, x)));
	x86_st_pop(c);
	return x86_fpu_done(c, i, &e);
}

X86_DO(fpatan)
{
	return x86_fpu_two(c, i, x86_atan_of);
}

X86_DO(fyl2x)
{
	return x86_fpu_two(c, i, x86_log_times);
}

X86_DO(fyl2xp1)
{
	return x86_fpu_two(c, i, x86_log1p_times);
}
