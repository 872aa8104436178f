/*
 * SSE to SSE4.1: floating point.
 *
 * The host computes an operation if its operands and its result are normal
 * numbers, or zeros where that is exact, and the only flag that could be set is
 * "inexact", which is set already (c->quick) or of which the result is free: sums and
 * products are, whose error is 0. Everything else is computed by soft.h: other
 * rounding modes, NaNs, infinities, denormals, the first inexact result of a program.
 */
#include <math.h>

#include "base/fp.h"
#include "isa/x86/exec_sse.h"
#include "isa/x86/soft.h"

static struct x86_env x86_sse_env(const struct x86_cpu *c)
{
	return (struct x86_env){
		.round = c->mxcsr >> X86_MXCSR_ROUND & 3,
		.daz = c->mxcsr & X86_MXCSR_DAZ,
		/* Results are flushed only if underflow is masked. */
		.ftz = c->mxcsr & X86_MXCSR_FTZ && c->mxcsr & X86_FP_UNDERFLOW
								      << 7,
	};
}

/* Sets flags; an exception that is not masked is the guest's fault. */
static void x86_sse_done(struct x86_cpu *c, const struct x86_env *e)
{
	unsigned masked = c->mxcsr >> 7;

	x86_set_mxcsr(c, c->mxcsr | e->flags);
	if (e->flags & ~masked & X86_MXCSR_FLAGS) {
		c->stop = X86_STOP_FAULT;
		c->fault = (struct x86_fault){ .kind = X86_FAULT_FLOAT };
	}
}

/* Bits without the sign: of zero, or of a normal number. */
enum { X86_ONE32 = 1 << 24 };
#define X86_ONE64 (1ull << 53)

X86_INLINE bool x86_plain32(float v)
{
	uint32_t b = f32_bits(v) << 1;

	return b - 1u >= X86_ONE32 - 1u && b < 0xff000000;
}

X86_INLINE bool x86_plain64(double v)
{
	uint64_t b = f64_bits(v) << 1;

	return b - 1u >= X86_ONE64 - 1u && b < 0xffe0000000000000;
}

/* A result that is neither tiny nor huge: the smallest normal number may have
 * been rounded up to. */
X86_INLINE bool x86_normal32(float v)
{
	return (f32_bits(v) << 1) - X86_ONE32 - 1u <
	       0xff000000 - X86_ONE32 - 1u;
}

X86_INLINE bool x86_normal64(double v)
{
	return (f64_bits(v) << 1) - X86_ONE64 - 1u <
	       0xffe0000000000000 - X86_ONE64 - 1u;
}

typedef struct x86_num x86_soft_op(struct x86_env *e, const struct x86_fmt *f,
				   struct x86_num a, struct x86_num b);

static float x86_slow32(struct x86_cpu *c, x86_soft_op *op, float a, float b)
{
	struct x86_env e = x86_sse_env(c);
	struct x86_num r = op(&e, &x86_f32, x86_from32(f32_bits(a), &e),
			      x86_from32(f32_bits(b), &e));

	x86_sse_done(c, &e);
	return f32_of(x86_to32(r));
}

static double x86_slow64(struct x86_cpu *c, x86_soft_op *op, double a, double b)
{
	struct x86_env e = x86_sse_env(c);
	struct x86_num r = op(&e, &x86_f64, x86_from64(f64_bits(a), &e),
			      x86_from64(f64_bits(b), &e));

	x86_sse_done(c, &e);
	return f64_of(x86_to64(r));
}

static struct x86_num x86_soft_root(struct x86_env *e, const struct x86_fmt *f,
				    struct x86_num a, struct x86_num b)
{
	(void)a;
	return x86_soft_sqrt(e, f, b);
}

/* Whether a sum that was rounded to nearest is exact: what is left of both terms. */
X86_INLINE bool x86_exact_sum32(float a, float b, float r)
{
	float back = r - a;

	return (a - (r - back)) + (b - back) == 0;
}

X86_INLINE bool x86_exact_sum64(double a, double b, double r)
{
	double back = r - a;

	return (a - (r - back)) + (b - back) == 0;
}

/* The same of a product: twice the digits hold it. */
X86_INLINE bool x86_exact_product32(float a, float b, float r)
{
	return (double)a * b == r;
}

/* The error is a number of the host's where the product is not tiny. */
X86_INLINE bool x86_exact_product64(double a, double b, double r)
{
	return (fabs(r) > 0x1p-900 && fma(a, b, -r) == 0) || r == 0;
}

/* exact_zero: when a result that is zero is exact; exact: which others are known to
 * be, bits wide. */
#define X86_FLOAT_OF(type, bits, name, soft, expr, exact_zero, exact)       \
	X86_INLINE type x86_##name##bits(struct x86_cpu *c, type a, type b) \
	{                                                                   \
		type r = expr;                                              \
                                                                            \
		if (LIKELY(c->nearest && x86_plain##bits(a) &&              \
			   x86_plain##bits(b) &&                            \
			   (x86_normal##bits(r) ||                          \
			    (r == 0 && (exact_zero))) &&                    \
			   (c->quick || (exact))))                          \
			return r;                                           \
		return x86_slow##bits(c, soft, a, b);                       \
	}
#define X86_FLOAT(name, soft, expr, exact_zero, exact32, exact64)      \
	X86_FLOAT_OF(float, 32, name, soft, expr, exact_zero, exact32) \
	X86_FLOAT_OF(double, 64, name, soft, expr, exact_zero, exact64)
X86_FLOAT(add, x86_soft_add, a + b, true, x86_exact_sum32(a, b, r),
	  x86_exact_sum64(a, b, r))
X86_FLOAT(sub, x86_soft_sub, a - b, true, x86_exact_sum32(a, -b, r),
	  x86_exact_sum64(a, -b, r))
X86_FLOAT(mul, x86_soft_mul, a *b, a == 0 || b == 0,
	  x86_exact_product32(a, b, r), x86_exact_product64(a, b, r))
X86_FLOAT(div, x86_soft_div, a / b, a == 0 && b != 0, false, false)

X86_INLINE float x86_sqrt32(struct x86_cpu *c, float a, float b)
{
	if (LIKELY(c->quick && b > 0 && x86_plain32(b)))
		return sqrtf(b);
	return x86_slow32(c, x86_soft_root, a, b);
}

X86_INLINE double x86_sqrt64(struct x86_cpu *c, double a, double b)
{
	if (LIKELY(c->quick && b > 0 && x86_plain64(b)))
		return sqrt(b);
	return x86_slow64(c, x86_soft_root, a, b);
}

static enum x86_order x86_slow_order(struct x86_cpu *c, struct x86_num a,
				     struct x86_num b, struct x86_env *e,
				     bool signals)
{
	enum x86_order o = x86_soft_compare(e, a, b, signals);

	x86_sse_done(c, e);
	return o;
}

X86_INLINE enum x86_order x86_order32(struct x86_cpu *c, float a, float b,
				      bool signals)
{
	struct x86_env e;

	if (LIKELY(x86_plain32(a) && x86_plain32(b)))
		return a < b ? X86_LESS : a == b ? X86_EQUAL : X86_GREATER;
	e = x86_sse_env(c);
	return x86_slow_order(c, x86_from32(f32_bits(a), &e),
			      x86_from32(f32_bits(b), &e), &e, signals);
}

X86_INLINE enum x86_order x86_order64(struct x86_cpu *c, double a, double b,
				      bool signals)
{
	struct x86_env e;

	if (LIKELY(x86_plain64(a) && x86_plain64(b)))
		return a < b ? X86_LESS : a == b ? X86_EQUAL : X86_GREATER;
	e = x86_sse_env(c);
	return x86_slow_order(c, x86_from64(f64_bits(a), &e),
			      x86_from64(f64_bits(b), &e), &e, signals);
}

/* Of equal zeros and of NaNs, the second operand; denormals stay, unless they
 * are read as zero. */
#define X86_MINMAX(name, order)                                               \
	X86_INLINE float x86_##name##32(struct x86_cpu * c, float a, float b) \
	{                                                                     \
		return x86_order32(c, a, b, true) == order ?                  \
			       x86_flush32(c, a) :                            \
			       x86_flush32(c, b);                             \
	}                                                                     \
	X86_INLINE double x86_##name##64(struct x86_cpu * c, double a,        \
					 double b)                            \
	{                                                                     \
		return x86_order64(c, a, b, true) == order ?                  \
			       x86_flush64(c, a) :                            \
			       x86_flush64(c, b);                             \
	}

X86_INLINE float x86_flush32(const struct x86_cpu *c, float v)
{
	uint32_t bits = f32_bits(v);

	if (c->mxcsr & X86_MXCSR_DAZ && !(bits & 0x7f800000))
		return f32_of(bits & 0x80000000);
	return v;
}

X86_INLINE double x86_flush64(const struct x86_cpu *c, double v)
{
	uint64_t bits = f64_bits(v);

	if (c->mxcsr & X86_MXCSR_DAZ && !(bits & 0x7ff0000000000000))
		return f64_of(bits & 0x8000000000000000);
	return v;
}

X86_MINMAX(min, X86_LESS)
X86_MINMAX(max, X86_GREATER)

/* The scalar and packed forms of one operation. */
#define X86_ARITH4(name)                                               \
	X86_VEC(name##ss)                                              \
	{                                                              \
		d->f[0] = x86_##name##32(c, d->f[0], s->f[0]);         \
	}                                                              \
	X86_VEC(name##sd)                                              \
	{                                                              \
		d->d[0] = x86_##name##64(c, d->d[0], s->d[0]);         \
	}                                                              \
	X86_VEC(name##ps)                                              \
	{                                                              \
		for (unsigned j = 0; j < 4; j++)                       \
			d->f[j] = x86_##name##32(c, d->f[j], s->f[j]); \
	}                                                              \
	X86_VEC(name##pd)                                              \
	{                                                              \
		for (unsigned j = 0; j < 2; j++)                       \
			d->d[j] = x86_##name##64(c, d->d[j], s->d[j]); \
	}
X86_ARITH4(add)
X86_ARITH4(sub)
X86_ARITH4(mul)
X86_ARITH4(div)
X86_ARITH4(min)
X86_ARITH4(max)
X86_ARITH4(sqrt)

/*
 * Approximations of 1/x and of 1/sqrt(x), of which every processor has others: the
 * manuals allow a relative error of 1.5 * 2^-12. These are the nearest numbers.
 * No mode or flag plays a part; denormals are zero, as operands and as results.
 */
X86_INLINE float x86_no_denormal(float v)
{
	uint32_t bits = f32_bits(v);

	return bits & 0x7f800000 ? v : f32_of(bits & 0x80000000);
}

X86_INLINE float x86_quiet(float v)
{
	return f32_of(f32_bits(v) | 0x00400000);
}

X86_INLINE float x86_rcp(float v)
{
	if (v != v)
		return x86_quiet(v);
	return x86_no_denormal((float)(1.0 / (double)x86_no_denormal(v)));
}

X86_INLINE float x86_rsqrt(float v)
{
	if (v != v)
		return x86_quiet(v);
	v = x86_no_denormal(v);
	if (v < 0)
		return f32_of(0xffc00000);
	return (float)(1.0 / sqrt((double)v));
}

#define X86_APPROXIMATE(name)                          \
	X86_VEC(name##ss)                              \
	{                                              \
		d->f[0] = x86_##name(s->f[0]);         \
	}                                              \
	X86_VEC(name##ps)                              \
	{                                              \
		for (unsigned j = 0; j < 4; j++)       \
			d->f[j] = x86_##name(s->f[j]); \
	}
X86_APPROXIMATE(rcp)
X86_APPROXIMATE(rsqrt)

/* Comparisons 0 to 7: eq, lt, le, unordered, and their opposites; lt and le
 * signal quiet NaNs. */
X86_INLINE bool x86_compare_is(enum x86_order o, unsigned what)
{
	bool is;

	switch (what & 3) {
	case 0:
		is = o == X86_EQUAL;
		break;
	case 1:
		is = o == X86_LESS;
		break;
	case 2:
		is = o == X86_LESS || o == X86_EQUAL;
		break;
	default:
		is = o == X86_UNORDERED;
		break;
	}
	return is ^ (what >> 2 & 1);
}

X86_INLINE bool x86_compare_signals(unsigned what)
{
	return (what & 3) == 1 || (what & 3) == 2;
}

X86_INLINE uint32_t x86_cmp32(struct x86_cpu *c, float a, float b, unsigned imm)
{
	enum x86_order o = x86_order32(c, a, b, x86_compare_signals(imm));

	return x86_compare_is(o, imm) ? ~0u : 0;
}

X86_INLINE uint64_t x86_cmp64(struct x86_cpu *c, double a, double b,
			      unsigned imm)
{
	enum x86_order o = x86_order64(c, a, b, x86_compare_signals(imm));

	return x86_compare_is(o, imm) ? ~0ull : 0;
}

X86_VEC(cmpss)
{
	d->w[0] = x86_cmp32(c, d->f[0], s->f[0], imm);
}

X86_VEC(cmpsd)
{
	d->q[0] = x86_cmp64(c, d->d[0], s->d[0], imm);
}

X86_VEC(cmpps)
{
	for (unsigned j = 0; j < 4; j++)
		d->w[j] = x86_cmp32(c, d->f[j], s->f[j], imm);
}

X86_VEC(cmppd)
{
	for (unsigned j = 0; j < 2; j++)
		d->q[j] = x86_cmp64(c, d->d[j], s->d[j], imm);
}

X86_INLINE void x86_set_order(struct x86_cpu *c, enum x86_order o)
{
	static const uint8_t flags[] = {
		[X86_LESS] = X86_CF,
		[X86_EQUAL] = X86_ZF,
		[X86_GREATER] = 0,
		[X86_UNORDERED] = X86_CF | X86_PF | X86_ZF,
	};

	x86_set_flags(c, flags[o]);
}

X86_VEC(comiss)
{
	x86_set_order(c, x86_order32(c, d->f[0], s->f[0], true));
}

X86_VEC(ucomiss)
{
	x86_set_order(c, x86_order32(c, d->f[0], s->f[0], false));
}

X86_VEC(comisd)
{
	x86_set_order(c, x86_order64(c, d->d[0], s->d[0], true));
}

X86_VEC(ucomisd)
{
	x86_set_order(c, x86_order64(c, d->d[0], s->d[0], false));
}

/* Conversions between formats; denormals are noted. */
static struct x86_num x86_convert(struct x86_cpu *c, struct x86_num n,
				  const struct x86_fmt *f, struct x86_env *e)
{
	if (n.denormal)
		e->flags |= X86_FP_DENORMAL;
	n = x86_soft_to(e, f, n);
	x86_sse_done(c, e);
	return n;
}

X86_INLINE double x86_widen(struct x86_cpu *c, float v)
{
	struct x86_env e;

	if (LIKELY(x86_plain32(v)))
		return (double)v;
	e = x86_sse_env(c);
	return f64_of(x86_to64(
		x86_convert(c, x86_from32(f32_bits(v), &e), &x86_f64, &e)));
}

X86_INLINE float x86_narrow(struct x86_cpu *c, double v)
{
	float r = (float)v;
	struct x86_env e;

	if (LIKELY(c->quick && x86_plain64(v) && (x86_normal32(r) || v == 0)))
		return r;
	e = x86_sse_env(c);
	return f32_of(x86_to32(
		x86_convert(c, x86_from64(f64_bits(v), &e), &x86_f32, &e)));
}

X86_VEC(cvtss2sd)
{
	d->d[0] = x86_widen(c, s->f[0]);
}

X86_VEC(cvtsd2ss)
{
	d->f[0] = x86_narrow(c, s->d[0]);
}

X86_VEC(cvtps2pd)
{
	d->d[0] = x86_widen(c, s->f[0]);
	d->d[1] = x86_widen(c, s->f[1]);
}

X86_VEC(cvtpd2ps)
{
	d->f[0] = x86_narrow(c, s->d[0]);
	d->f[1] = x86_narrow(c, s->d[1]);
	d->q[1] = 0;
}

/* From integers: all of 32 bits are doubles. */
static float x86_int_to32(struct x86_cpu *c, int64_t v)
{
	struct x86_env e = x86_sse_env(c);

	return f32_of(x86_to32(x86_convert(c, x86_from_int(v), &x86_f32, &e)));
}

static double x86_int_to64(struct x86_cpu *c, int64_t v)
{
	struct x86_env e = x86_sse_env(c);

	return f64_of(x86_to64(x86_convert(c, x86_from_int(v), &x86_f64, &e)));
}

X86_VEC(cvtdq2ps)
{
	for (unsigned j = 0; j < 4; j++)
		d->f[j] = c->quick ? (float)(int32_t)s->w[j] :
				     x86_int_to32(c, (int32_t)s->w[j]);
}

X86_VEC(cvtdq2pd)
{
	d->d[0] = (int32_t)s->w[0];
	d->d[1] = (int32_t)s->w[1];
}

/* To integers. chop: toward zero, whatever the mode. */
static int64_t x86_slow_int(struct x86_cpu *c, struct x86_num n,
			    struct x86_env *e, bool chop, unsigned bits)
{
	int64_t v;

	if (chop)
		e->round = X86_CHOP;
	v = x86_soft_int(e, n, bits);
	x86_sse_done(c, e);
	return v;
}

/* Of what is quick: magnitudes that fit anyhow, after rounding to nearest. */
X86_INLINE int64_t x86_double_int(struct x86_cpu *c, double v, bool chop,
				  unsigned bits)
{
	struct x86_env e;

	if (LIKELY(c->quick && fabs(v) < (bits == 32 ? 0x7fffffff : 0x1p62)))
		return (int64_t)(chop ? v : rint(v));
	e = x86_sse_env(c);
	return x86_slow_int(c, x86_from64(f64_bits(v), &e), &e, chop, bits);
}

X86_INLINE int64_t x86_float_int(struct x86_cpu *c, float v, bool chop,
				 unsigned bits)
{
	struct x86_env e;

	if (LIKELY(c->quick && fabsf(v) < (bits == 32 ? 0x1p30f : 0x1p62f)))
		return (int64_t)(chop ? v : rintf(v));
	e = x86_sse_env(c);
	return x86_slow_int(c, x86_from32(f32_bits(v), &e), &e, chop, bits);
}

X86_VEC(cvtps2dq)
{
	for (unsigned j = 0; j < 4; j++)
		d->w[j] = (uint32_t)x86_float_int(c, s->f[j], false, 32);
}

X86_VEC(cvttps2dq)
{
	for (unsigned j = 0; j < 4; j++)
		d->w[j] = (uint32_t)x86_float_int(c, s->f[j], true, 32);
}

X86_VEC(cvtpd2dq)
{
	for (unsigned j = 0; j < 2; j++)
		d->w[j] = (uint32_t)x86_double_int(c, s->d[j], false, 32);
	d->q[1] = 0;
}

X86_VEC(cvttpd2dq)
{
	for (unsigned j = 0; j < 2; j++)
		d->w[j] = (uint32_t)x86_double_int(c, s->d[j], true, 32);
	d->q[1] = 0;
}

/* SSE3: neighbours, those of the first operand before those of the second. */
#define X86_PAIRS(name)                                        \
	X86_VEC(h##name##ps)                                   \
	{                                                      \
		struct x86_xmm a = *d;                         \
                                                               \
		d->f[0] = x86_##name##32(c, a.f[0], a.f[1]);   \
		d->f[1] = x86_##name##32(c, a.f[2], a.f[3]);   \
		d->f[2] = x86_##name##32(c, s->f[0], s->f[1]); \
		d->f[3] = x86_##name##32(c, s->f[2], s->f[3]); \
	}                                                      \
	X86_VEC(h##name##pd)                                   \
	{                                                      \
		struct x86_xmm a = *d;                         \
                                                               \
		d->d[0] = x86_##name##64(c, a.d[0], a.d[1]);   \
		d->d[1] = x86_##name##64(c, s->d[0], s->d[1]); \
	}
X86_PAIRS(add)
X86_PAIRS(sub)

X86_VEC(addsubps)
{
	for (unsigned j = 0; j < 4; j += 2) {
		d->f[j] = x86_sub32(c, d->f[j], s->f[j]);
		d->f[j + 1] = x86_add32(c, d->f[j + 1], s->f[j + 1]);
	}
}

X86_VEC(addsubpd)
{
	d->d[0] = x86_sub64(c, d->d[0], s->d[0]);
	d->d[1] = x86_add64(c, d->d[1], s->d[1]);
}

/* SSE4.1: the sum of the products that the upper half of the immediate chooses, to
 * the elements that the lower half chooses; the others are 0. */
X86_VEC(dpps)
{
	float p[4], sum;

	for (unsigned j = 0; j < 4; j++)
		p[j] = imm >> (4 + j) & 1 ? x86_mul32(c, d->f[j], s->f[j]) : 0;
	sum = x86_add32(c, x86_add32(c, p[0], p[1]), x86_add32(c, p[2], p[3]));
	for (unsigned j = 0; j < 4; j++)
		d->f[j] = imm >> j & 1 ? sum : 0;
}

X86_VEC(dppd)
{
	double p[2], sum;

	for (unsigned j = 0; j < 2; j++)
		p[j] = imm >> (4 + j) & 1 ? x86_mul64(c, d->d[j], s->d[j]) : 0;
	sum = x86_add64(c, p[0], p[1]);
	for (unsigned j = 0; j < 2; j++)
		d->d[j] = imm >> j & 1 ? sum : 0;
}

/* Bits of the immediate of round: a mode, or that of MXCSR; not to note what is
 * inexact. */
enum { X86_ROUND_MODE = 3, X86_ROUND_MXCSR = 4, X86_ROUND_QUIET = 8 };

static struct x86_env x86_round_env(const struct x86_cpu *c, unsigned imm)
{
	struct x86_env e = x86_sse_env(c);

	if (!(imm & X86_ROUND_MXCSR))
		e.round = (enum x86_round)(imm & X86_ROUND_MODE);
	return e;
}

static void x86_round_done(struct x86_cpu *c, struct x86_env *e, unsigned imm)
{
	e->flags &= ~(unsigned)X86_FP_DENORMAL;
	if (imm & X86_ROUND_QUIET)
		e->flags &= ~(unsigned)X86_FP_INEXACT;
	x86_sse_done(c, e);
}

/* What the host may round: noting that it is inexact changes nothing. */
X86_INLINE bool x86_round_quick(const struct x86_cpu *c, unsigned imm)
{
	return c->quick && !(imm & X86_ROUND_MXCSR);
}

X86_INLINE double x86_round_host(double v, unsigned imm)
{
	switch ((enum x86_round)(imm & X86_ROUND_MODE)) {
	case X86_DOWN:
		return floor(v);
	case X86_UP:
		return ceil(v);
	case X86_CHOP:
		return trunc(v);
	default:
		return rint(v);
	}
}

X86_INLINE float x86_round32(struct x86_cpu *c, float v, unsigned imm)
{
	struct x86_env e;
	uint32_t r;

	if (LIKELY(x86_round_quick(c, imm) && x86_plain32(v)))
		return (float)x86_round_host((double)v, imm);
	e = x86_round_env(c, imm);
	r = x86_to32(x86_soft_rint(&e, x86_from32(f32_bits(v), &e)));
	x86_round_done(c, &e, imm);
	return f32_of(r);
}

X86_INLINE double x86_round64(struct x86_cpu *c, double v, unsigned imm)
{
	struct x86_env e;
	uint64_t r;

	if (LIKELY(x86_round_quick(c, imm) && x86_plain64(v)))
		return x86_round_host(v, imm);
	e = x86_round_env(c, imm);
	r = x86_to64(x86_soft_rint(&e, x86_from64(f64_bits(v), &e)));
	x86_round_done(c, &e, imm);
	return f64_of(r);
}

X86_VEC(roundss)
{
	d->f[0] = x86_round32(c, s->f[0], imm);
}

X86_VEC(roundsd)
{
	d->d[0] = x86_round64(c, s->d[0], imm);
}

X86_VEC(roundps)
{
	for (unsigned j = 0; j < 4; j++)
		d->f[j] = x86_round32(c, s->f[j], imm);
}

X86_VEC(roundpd)
{
	for (unsigned j = 0; j < 2; j++)
		d->d[j] = x86_round64(c, s->d[j], imm);
}

#define X86_SSF(id, mn, form, sem, undef, unit, lat, uops) \
	X86_MAKE_##form(id, sem, true)
#include "isa/x86/x86.def"

X86_DO(cvtsi2ss)
{
	uint64_t v;

	if (UNLIKELY(!x86_get_src(c, i, &v)))
		return x86_fail(c, i);
	c->x[i->dst].f[0] = x86_int_to32(c, (int64_t)x86_sext(v, i->src_bits));
	return c->stop ? x86_fail(c, i) : i + 1;
}

X86_DO(cvtsi2sd)
{
	uint64_t v;

	if (UNLIKELY(!x86_get_src(c, i, &v)))
		return x86_fail(c, i);
	if (i->src_bits == 32) {
		c->x[i->dst].d[0] = (int32_t)v;
		return i + 1;
	}
	c->x[i->dst].d[0] = c->quick ? (double)(int64_t)v :
				       x86_int_to64(c, (int64_t)v);
	return c->stop ? x86_fail(c, i) : i + 1;
}

/* The operand, a register or memory of `bits`. */
X86_INLINE bool x86_vec_value(struct x86_cpu *c, const struct x86_inst *i,
			      unsigned bits, uint64_t *v)
{
	if (i->src_kind == X86_OPND_MEM)
		return x86_load(c, x86_address(c, i), bits, v);
	*v = c->x[i->src].q[0];
	return true;
}

X86_INLINE const struct x86_inst *x86_run_to_int(struct x86_cpu *c,
						 const struct x86_inst *i,
						 bool is32, bool chop)
{
	uint64_t v;
	int64_t r;

	if (UNLIKELY(!x86_vec_value(c, i, is32 ? 32 : 64, &v)))
		return x86_fail(c, i);
	r = is32 ? x86_float_int(c, f32_of((uint32_t)v), chop, i->bits) :
		   x86_double_int(c, f64_of(v), chop, i->bits);
	x86_put(c, i->dst, i->bits, (uint64_t)r);
	return UNLIKELY(c->stop) ? x86_fail(c, i) : i + 1;
}

X86_DO(cvtss2si)
{
	return x86_run_to_int(c, i, true, false);
}

X86_DO(cvttss2si)
{
	return x86_run_to_int(c, i, true, true);
}

X86_DO(cvtsd2si)
{
	return x86_run_to_int(c, i, false, false);
}

X86_DO(cvttsd2si)
{
	return x86_run_to_int(c, i, false, true);
}

/* Bits beyond these fault. */
enum { X86_MXCSR_KNOWN = 0xffff };

X86_DO(ldmxcsr)
{
	uint64_t v;

	if (!x86_get_dst(c, i, &v))
		return x86_fail(c, i);
	if (v & ~(uint64_t)X86_MXCSR_KNOWN)
		return x86_raise(c, i, X86_FAULT_PROTECT);
	x86_set_mxcsr(c, (uint32_t)v);
	return i + 1;
}

X86_DO(stmxcsr)
{
	return x86_put_dst(c, i, c->mxcsr) ? i + 1 : x86_fail(c, i);
}
