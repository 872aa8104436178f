/*
 * The x87: moves, conversions, arithmetic, control. All arithmetic is that of
 * soft.h. Exceptions set flags; one
 * that is not masked is the guest's fault at once.
 *
 * Does not model: the pointers to the last instruction and operand (stored as
 * zero).
 */
#include "isa/x86/exec_x87.h"
#include "isa/x86/exec.h"
#include "isa/x86/row.h"
#include "isa/x86/soft.h"

struct x86_env x86_fpu_env(const struct x86_cpu *c)
{
	return (struct x86_env){ .round = c->fpu.control >> X86_FPU_ROUND & 3,
				 .x87 = true };
}

/* Results have the precision that the control word asks for, and all exponents. */
struct x86_fmt x86_fpu_fmt(const struct x86_cpu *c)
{
	static const int bits[] = { 24, 64, 53, 64 };

	return (struct x86_fmt){ bits[c->fpu.control >> X86_FPU_PRECISION & 3],
				 x86_fmt80.emin, x86_fmt80.emax };
}

unsigned x86_st(const struct x86_fpu *f, unsigned n)
{
	return (f->top + n) & 7;
}

const struct x86_inst *x86_fpu_done(struct x86_cpu *c, const struct x86_inst *i,
				    const struct x86_env *e)
{
	c->fpu.status |= (uint16_t)e->flags;
	if (e->flags & ~c->fpu.control & X86_MXCSR_FLAGS)
		return x86_raise(c, i, X86_FAULT_FLOAT);
	return i + 1;
}

static const struct x86_f80 x86_f80_invalid = { 3ull << 62, 0xffff };

/* A register; one that is empty is an invalid operation. */
struct x86_f80 x86_st_raw(struct x86_cpu *c, unsigned n, struct x86_env *e)
{
	unsigned reg = x86_st(&c->fpu, n);

	if (c->fpu.full >> reg & 1)
		return c->fpu.st[reg];
	e->flags |= X86_FP_INVALID;
	c->fpu.status =
		(uint16_t)((c->fpu.status | X86_FPU_STACK) & ~X86_FPU_C1);
	return x86_f80_invalid;
}

struct x86_num x86_st_get(struct x86_cpu *c, unsigned n, struct x86_env *e)
{
	return x86_from80(x86_st_raw(c, n, e));
}

void x86_st_put(struct x86_cpu *c, unsigned n, struct x86_f80 v)
{
	unsigned reg = x86_st(&c->fpu, n);

	c->fpu.st[reg] = v;
	c->fpu.full |= (uint8_t)(1u << reg);
}

void x86_st_push(struct x86_cpu *c, struct x86_f80 v, struct x86_env *e)
{
	c->fpu.top = (c->fpu.top - 1) & 7;
	if (c->fpu.full >> c->fpu.top & 1) {
		e->flags |= X86_FP_INVALID;
		c->fpu.status |= X86_FPU_STACK | X86_FPU_C1;
		v = x86_f80_invalid;
	}
	x86_st_put(c, 0, v);
}

void x86_st_pop(struct x86_cpu *c)
{
	c->fpu.full &= (uint8_t) ~(1u << c->fpu.top);
	c->fpu.top = (c->fpu.top + 1) & 7;
}

bool x86_load80(struct x86_cpu *c, uint64_t at, struct x86_f80 *v)
{
	const uint8_t *p = x86_readable(c, at, 10);

	if (!p)
		return false;
	memcpy(&v->sig, p, 8);
	memcpy(&v->se, p + 8, 2);
	return true;
}

bool x86_store80(struct x86_cpu *c, uint64_t at, struct x86_f80 v)
{
	uint8_t *p = x86_writable(c, at, 10);

	if (!p)
		return false;
	memcpy(p, &v.sig, 8);
	memcpy(p + 8, &v.se, 2);
	return true;
}

/* A number of 32 or 64 bits in memory. */
bool x86_fpu_mem(struct x86_cpu *c, const struct x86_inst *i, struct x86_env *e,
		 struct x86_num *n)
{
	uint64_t v;

	if (!x86_load(c, x86_address(c, i), i->bits, &v))
		return false;
	*n = i->bits == 32 ? x86_from32((uint32_t)v, e) : x86_from64(v, e);
	return true;
}

/* Loads convert; a NaN that signals becomes quiet, except from 80 bits. */
static bool x86_fld_mem(struct x86_cpu *c, const struct x86_inst *i,
			struct x86_env *e, struct x86_f80 *v)
{
	struct x86_num n;

	if (i->bits == 80)
		return x86_load80(c, x86_address(c, i), v);
	if (!x86_fpu_mem(c, i, e, &n))
		return false;
	if (n.denormal)
		e->flags |= X86_FP_DENORMAL;
	*v = x86_to80(x86_soft_to(e, &x86_fmt80, n));
	return true;
}

X86_DO(fld)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_f80 v;

	if (i->dst_kind == X86_OPND_ST)
		v = x86_st_raw(c, i->dst, &e);
	else if (!x86_fld_mem(c, i, &e, &v))
		return x86_fail(c, i);
	x86_st_push(c, v, &e);
	return x86_fpu_done(c, i, &e);
}

static bool x86_fst_mem(struct x86_cpu *c, const struct x86_inst *i,
			struct x86_env *e)
{
	uint64_t at = x86_address(c, i);
	struct x86_num n;

	if (i->bits == 80)
		return x86_store80(c, at, x86_st_raw(c, 0, e));
	n = x86_soft_to(e, i->bits == 32 ? &x86_f32 : &x86_f64,
			x86_st_get(c, 0, e));
	return x86_store(c, at, i->bits,
			 i->bits == 32 ? x86_to32(n) : x86_to64(n));
}

static const struct x86_inst *x86_fst_pop(struct x86_cpu *c,
					  const struct x86_inst *i, bool pop)
{
	struct x86_env e = x86_fpu_env(c);

	if (i->dst_kind == X86_OPND_ST)
		x86_st_put(c, i->dst, x86_st_raw(c, 0, &e));
	else if (!x86_fst_mem(c, i, &e))
		return x86_fail(c, i);
	if (pop)
		x86_st_pop(c);
	return x86_fpu_done(c, i, &e);
}

X86_DO(fst)
{
	return x86_fst_pop(c, i, false);
}

X86_DO(fstp)
{
	return x86_fst_pop(c, i, true);
}

/* An integer of memory. */
bool x86_fpu_int(struct x86_cpu *c, const struct x86_inst *i, struct x86_num *n)
{
	uint64_t v;

	if (!x86_load(c, x86_address(c, i), i->bits, &v))
		return false;
	*n = x86_from_int((int64_t)x86_sext(v, i->bits));
	return true;
}

X86_DO(fild)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_num n;

	if (!x86_fpu_int(c, i, &n))
		return x86_fail(c, i);
	x86_st_push(c, x86_to80(n), &e);
	return x86_fpu_done(c, i, &e);
}

static const struct x86_inst *
x86_fist_pop(struct x86_cpu *c, const struct x86_inst *i, bool pop, bool chop)
{
	struct x86_env e = x86_fpu_env(c);
	int64_t v;

	if (chop)
		e.round = X86_CHOP;
	v = x86_soft_int(&e, x86_st_get(c, 0, &e), i->bits);
	if (!x86_store(c, x86_address(c, i), i->bits, (uint64_t)v))
		return x86_fail(c, i);
	if (pop)
		x86_st_pop(c);
	return x86_fpu_done(c, i, &e);
}

X86_DO(fist)
{
	return x86_fist_pop(c, i, false, false);
}

X86_DO(fistp)
{
	return x86_fist_pop(c, i, true, false);
}

X86_DO(fisttp)
{
	return x86_fist_pop(c, i, true, true);
}

static const struct x86_inst *
x86_fpu_push_int(struct x86_cpu *c, const struct x86_inst *i, int64_t v)
{
	struct x86_env e = x86_fpu_env(c);

	x86_st_push(c, x86_to80(x86_from_int(v)), &e);
	return x86_fpu_done(c, i, &e);
}

X86_DO(fld1)
{
	return x86_fpu_push_int(c, i, 1);
}

X86_DO(fldz)
{
	return x86_fpu_push_int(c, i, 0);
}

X86_DO(fxch)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_f80 a = x86_st_raw(c, 0, &e), b = x86_st_raw(c, i->dst, &e);

	x86_st_put(c, 0, b);
	x86_st_put(c, i->dst, a);
	return x86_fpu_done(c, i, &e);
}

X86_DO(fchs)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_f80 v = x86_st_raw(c, 0, &e);

	v.se ^= 0x8000;
	x86_st_put(c, 0, v);
	return x86_fpu_done(c, i, &e);
}

X86_DO(fabs)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_f80 v = x86_st_raw(c, 0, &e);

	v.se &= 0x7fff;
	x86_st_put(c, 0, v);
	return x86_fpu_done(c, i, &e);
}

static unsigned x86_fpu_examine(const struct x86_fpu *f)
{
	struct x86_f80 v = f->st[f->top];
	unsigned field = v.se & 0x7fff, one = v.sig >> 63;

	if (!(f->full >> f->top & 1))
		return X86_FPU_C3 | X86_FPU_C0;
	if (!field)
		return v.sig ? X86_FPU_C3 | X86_FPU_C2 : X86_FPU_C3;
	if (!one)
		return 0; /* an encoding that no operation makes */
	if (field < 0x7fff)
		return X86_FPU_C2;
	return v.sig << 1 ? X86_FPU_C0 : X86_FPU_C2 | X86_FPU_C0;
}

X86_DO(fxam)
{
	struct x86_fpu *f = &c->fpu;
	unsigned codes = x86_fpu_examine(f);

	if (f->st[f->top].se >> 15)
		codes |= X86_FPU_C1;
	f->status = (uint16_t)((f->status & ~(X86_FPU_C0 | X86_FPU_C1 |
					      X86_FPU_C2 | X86_FPU_C3)) |
			       codes);
	return i + 1;
}

typedef struct x86_num x86_fpu_op(struct x86_env *e, const struct x86_fmt *f,
				  struct x86_num a, struct x86_num b);

static struct x86_num x86_soft_subr(struct x86_env *e, const struct x86_fmt *f,
				    struct x86_num a, struct x86_num b)
{
	return x86_soft_sub(e, f, b, a);
}

static struct x86_num x86_soft_divr(struct x86_env *e, const struct x86_fmt *f,
				    struct x86_num a, struct x86_num b)
{
	return x86_soft_div(e, f, b, a);
}

/* ST(d) = ST(d) op ST(s), or ST(0) op memory. */
static const struct x86_inst *x86_fpu_arith(struct x86_cpu *c,
					    const struct x86_inst *i,
					    x86_fpu_op *op, bool is_int,
					    bool pop)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_fmt f = x86_fpu_fmt(c);
	unsigned d = i->dst_kind == X86_OPND_MEM ? 0 : i->dst;
	struct x86_num b;

	if (i->dst_kind != X86_OPND_MEM)
		b = x86_st_get(c, i->src, &e);
	else if (is_int ? !x86_fpu_int(c, i, &b) : !x86_fpu_mem(c, i, &e, &b))
		return x86_fail(c, i);
	x86_st_put(c, d, x86_to80(op(&e, &f, x86_st_get(c, d, &e), b)));
	if (pop)
		x86_st_pop(c);
	return x86_fpu_done(c, i, &e);
}

#define X86_FPU_OP(name, op)                                  \
	X86_DO(name)                                          \
	{                                                     \
		return x86_fpu_arith(c, i, op, false, false); \
	}                                                     \
	X86_DO(name##p)                                       \
	{                                                     \
		return x86_fpu_arith(c, i, op, false, true);  \
	}
X86_FPU_OP(fadd, x86_soft_add)
X86_FPU_OP(fsub, x86_soft_sub)
X86_FPU_OP(fsubr, x86_soft_subr)
X86_FPU_OP(fmul, x86_soft_mul)
X86_FPU_OP(fdiv, x86_soft_div)
X86_FPU_OP(fdivr, x86_soft_divr)

X86_DO(fiadd)
{
	return x86_fpu_arith(c, i, x86_soft_add, true, false);
}

X86_DO(fimul)
{
	return x86_fpu_arith(c, i, x86_soft_mul, true, false);
}

X86_DO(fisub)
{
	return x86_fpu_arith(c, i, x86_soft_sub, true, false);
}

X86_DO(fisubr)
{
	return x86_fpu_arith(c, i, x86_soft_subr, true, false);
}

X86_DO(fidiv)
{
	return x86_fpu_arith(c, i, x86_soft_div, true, false);
}

X86_DO(fidivr)
{
	return x86_fpu_arith(c, i, x86_soft_divr, true, false);
}

X86_DO(fsqrt)
{
	struct x86_env e = x86_fpu_env(c);
	struct x86_fmt f = x86_fpu_fmt(c);

	x86_st_put(c, 0, x86_to80(x86_soft_sqrt(&e, &f, x86_st_get(c, 0, &e))));
	return x86_fpu_done(c, i, &e);
}

X86_DO(frndint)
{
	struct x86_env e = x86_fpu_env(c);

	x86_st_put(c, 0, x86_to80(x86_soft_rint(&e, x86_st_get(c, 0, &e))));
	return x86_fpu_done(c, i, &e);
}

static const struct x86_inst *x86_fpu_compare(struct x86_cpu *c,
					      const struct x86_inst *i,
					      bool signals, bool pop)
{
	static const uint8_t flags[] = {
		[X86_LESS] = X86_CF,
		[X86_EQUAL] = X86_ZF,
		[X86_GREATER] = 0,
		[X86_UNORDERED] = X86_CF | X86_PF | X86_ZF,
	};
	struct x86_env e = x86_fpu_env(c);
	struct x86_num a = x86_st_get(c, 0, &e);

	x86_set_flags(c, flags[x86_soft_compare(
				 &e, a, x86_st_get(c, i->src, &e), signals)]);
	if (pop)
		x86_st_pop(c);
	return x86_fpu_done(c, i, &e);
}

X86_DO(fucomi)
{
	return x86_fpu_compare(c, i, false, false);
}

X86_DO(fucomip)
{
	return x86_fpu_compare(c, i, false, true);
}

X86_DO(fcomi)
{
	return x86_fpu_compare(c, i, true, false);
}

X86_DO(fcomip)
{
	return x86_fpu_compare(c, i, true, true);
}

uint16_t x86_fpu_status(const struct x86_fpu *f)
{
	return (uint16_t)((f->status & ~(7 << X86_FPU_TOP)) |
			  f->top << X86_FPU_TOP);
}

X86_DO(fnstcw)
{
	return x86_put_dst(c, i, c->fpu.control) ? i + 1 : x86_fail(c, i);
}

X86_DO(fldcw)
{
	uint64_t v;

	if (!x86_get_dst(c, i, &v))
		return x86_fail(c, i);
	c->fpu.control = (uint16_t)v;
	return i + 1;
}

X86_DO(fnstsw)
{
	return x86_put_dst(c, i, x86_fpu_status(&c->fpu)) ? i + 1 :
							    x86_fail(c, i);
}

/* Two bits for each register: 0 a number, 1 zero, 2 other, 3 empty. */
static unsigned x86_fpu_tags(const struct x86_fpu *f)
{
	unsigned tags = 0;

	for (unsigned reg = 0; reg < 8; reg++) {
		struct x86_f80 v = f->st[reg];
		unsigned field = v.se & 0x7fff, tag = 0;

		if (!(f->full >> reg & 1))
			tag = 3;
		else if (!field && !v.sig)
			tag = 1;
		else if (!field || field == 0x7fff || !(v.sig >> 63))
			tag = 2;
		tags |= tag << 2 * reg;
	}
	return tags;
}

/* The environment: control, status and tags, each in 4 bytes, and 16 more. */
enum { X86_FPU_ENV = 28 };

X86_DO(fnstenv)
{
	uint8_t *p = x86_writable(c, x86_address(c, i), X86_FPU_ENV);
	/* Unused halves are ones. */
	uint32_t env[7] = {
		0xffff0000u | c->fpu.control,
		0xffff0000u | x86_fpu_status(&c->fpu),
		0xffff0000u | x86_fpu_tags(&c->fpu), [6] = 0xffff0000u
	};

	if (!p)
		return x86_fail(c, i);
	memcpy(p, env, sizeof(env));
	/* All exceptions are masked afterwards. */
	c->fpu.control |= X86_MXCSR_FLAGS;
	return i + 1;
}

X86_DO(fldenv)
{
	const uint8_t *p = x86_readable(c, x86_address(c, i), X86_FPU_ENV);
	uint32_t env[3];

	if (!p)
		return x86_fail(c, i);
	memcpy(env, p, sizeof(env));
	c->fpu.control = (uint16_t)env[0];
	c->fpu.top = env[1] >> X86_FPU_TOP & 7;
	c->fpu.status = (uint16_t)(env[1] & ~(7u << X86_FPU_TOP));
	c->fpu.full = 0;
	for (unsigned reg = 0; reg < 8; reg++)
		if ((env[2] >> 2 * reg & 3) != 3)
			c->fpu.full |= (uint8_t)(1u << reg);
	return i + 1;
}

X86_DO(fnclex)
{
	c->fpu.status &= 0x7f00;
	return i + 1;
}

X86_DO(fninit)
{
	c->fpu.control = X86_FPU_CONTROL;
	c->fpu.status = 0;
	c->fpu.top = 0;
	c->fpu.full = 0;
	return i + 1;
}
