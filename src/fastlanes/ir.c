#include "fastlanes/ir.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fp.h"

void fl_refuse(struct fl_build *b, const char *fmt, ...)
{
	char why[300];
	va_list ap;

	if (b->failed)
		return;
	b->failed = true;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	fail(b->d, ERR_UNSUPP, "%s:%u:%u: %s: %s", b->module->name,
	     b->in->loc.line, b->in->loc.col, b->in->op->text, why);
}

static void fl_no_memory(struct fl_build *b)
{
	if (!b->failed)
		fail(b->d, ERR_NOMEM, "out of memory");
	b->failed = true;
}

/* A copy of twice the size; the old one stays in the arena. */
static void *fl_grow(struct fl_build *b, const void *old, uint32_t *room,
		     size_t size)
{
	uint32_t more = *room ? 2 * *room : 256;
	void *to = arena_alloc(b->arena, more, size);

	if (!to) {
		fl_no_memory(b);
		return NULL;
	}
	if (old)
		memcpy(to, old, *room * size);
	*room = more;
	return to;
}

static uint32_t fl_new(struct fl_build *b, uint32_t *count, uint8_t **kinds,
		       uint32_t *room, enum fl_value_kind kind)
{
	if (*count == *room) {
		uint8_t *more = fl_grow(b, *kinds, room, 1);

		if (!more)
			return 0;
		*kinds = more;
	}
	(*kinds)[*count] = (uint8_t)kind;
	return (*count)++;
}

uint32_t fl_new_reg(struct fl_build *b, enum fl_value_kind kind)
{
	return fl_new(b, &b->regs, &b->reg_kind, &b->reg_room, kind);
}

uint32_t fl_new_pred(struct fl_build *b, enum fl_value_kind kind)
{
	return fl_new(b, &b->preds, &b->pred_kind, &b->pred_room, kind);
}

uint32_t fl_temp(struct fl_build *b)
{
	return fl_new_reg(b, FL_TEMP);
}

uint32_t fl_temp_pred(struct fl_build *b)
{
	return fl_new_pred(b, FL_TEMP);
}

/* ---- instructions ------------------------------------------------------ */

struct fl_ir *fl_emit(struct fl_build *b, enum fl_op op, unsigned mod)
{
	struct fl_ir *in;

	if (b->count == b->room) {
		struct fl_ir *more = fl_grow(b, b->ir, &b->room, sizeof(*more));

		if (!more)
			return &b->spare;
		b->ir = more;
	}
	in = &b->ir[b->count++];
	*in = (struct fl_ir){
		.op = (uint8_t)op,
		.mod = (uint8_t)mod,
		.guard = FL_NONE,
		.d = FL_NONE,
		.a = FL_NONE,
		.b = FL_NONE,
		.c = FL_NONE,
		.p = FL_NONE,
		.q = FL_NONE,
		.r = FL_NONE,
		.to = FL_NONE,
		.join = FL_NONE,
		.ptx = b->in_index,
	};
	if (b->guard != FL_NONE) {
		in->guard = b->guard;
		in->guard_not = b->in->guard_negated;
	}
	return in;
}

bool fl_commutes(enum fl_op op)
{
	switch (op) {
	case FL_IADD:
	case FL_IMUL:
	case FL_IMULH:
	case FL_IMAD:
	case FL_IMIN:
	case FL_IMAX:
	case FL_AND:
	case FL_OR:
	case FL_XOR:
	case FL_FMUL:
	case FL_FFMA:
		return true;
	default:
		return false;
	}
}

void fl_put3(struct fl_build *b, enum fl_op op, unsigned mod, uint32_t d,
	     struct fl_word a, struct fl_word y, struct fl_word c)
{
	bool swap = a.imm && !y.imm && fl_commutes(op);
	uint32_t ra = fl_as_reg(b, swap ? y : a);
	uint32_t rc = c.v == FL_NONE && !c.imm ? FL_NONE : fl_as_reg(b, c);
	struct fl_ir *in = fl_emit(b, op, mod);

	if (swap)
		y = a;
	in->d = d;
	in->a = ra;
	in->b = y.v;
	in->imm = y.imm;
	in->c = rc;
}

void fl_put(struct fl_build *b, enum fl_op op, unsigned mod, uint32_t d,
	    struct fl_word a, struct fl_word y)
{
	fl_put3(b, op, mod, d, a, y, fl_reg(FL_NONE));
}

void fl_put1(struct fl_build *b, enum fl_op op, unsigned mod, uint32_t d,
	     struct fl_word a)
{
	uint32_t ra = fl_as_reg(b, a);
	struct fl_ir *in = fl_emit(b, op, mod);

	in->d = d;
	in->a = ra;
}

struct fl_word fl_do(struct fl_build *b, enum fl_op op, unsigned mod,
		     struct fl_word a, struct fl_word y)
{
	uint32_t d = fl_temp(b);

	fl_put(b, op, mod, d, a, y);
	return fl_reg(d);
}

struct fl_word fl_do1(struct fl_build *b, enum fl_op op, unsigned mod,
		      struct fl_word a)
{
	uint32_t d = fl_temp(b);

	fl_put1(b, op, mod, d, a);
	return fl_reg(d);
}

void fl_move(struct fl_build *b, uint32_t d, struct fl_word a)
{
	struct fl_ir *in = fl_emit(b, FL_MOV, 0);

	in->d = d;
	in->b = a.v;
	in->imm = a.imm;
}

uint32_t fl_as_reg(struct fl_build *b, struct fl_word w)
{
	uint32_t d;

	if (!w.imm)
		return w.v;
	d = fl_temp(b);
	fl_move(b, d, w);
	return d;
}

void fl_select(struct fl_build *b, uint32_t d, struct fl_word a,
	       struct fl_word y, uint32_t p, bool negated)
{
	bool swap = a.imm && !y.imm;
	uint32_t ra = fl_as_reg(b, swap ? y : a);
	struct fl_ir *in = fl_emit(b, FL_SEL, 0);

	if (swap)
		y = a;
	in->d = d;
	in->a = ra;
	in->b = y.v;
	in->imm = y.imm;
	in->q = p;
	in->q_not = negated ^ swap;
}

void fl_carry(struct fl_build *b, enum fl_op op, unsigned mod, uint32_t d,
	      struct fl_word a, struct fl_word y, uint32_t p)
{
	fl_put(b, op, mod, d, a, y);
	if (!b->failed)
		b->ir[b->count - 1].p = p;
}

void fl_compare(struct fl_build *b, enum fl_op op, unsigned mod, uint32_t p,
		struct fl_word a, struct fl_word y)
{
	fl_put(b, op, mod, FL_NONE, a, y);
	if (!b->failed)
		b->ir[b->count - 1].p = p;
}

/* ---- operands ---------------------------------------------------------- */

unsigned fl_bytes(enum ptx_type t)
{
	return ptx_types[t].bytes;
}

bool fl_signed(enum ptx_type t)
{
	return ptx_types[t].kind == PTX_KIND_S;
}

unsigned fl_reg_bytes(const struct fl_build *b, const struct ptx_opnd *o)
{
	unsigned bytes;

	if (o->kind != PTX_OPND_REG)
		return 0;
	bytes = fl_bytes(b->f->regs[o->reg].type);
	return bytes < 4 ? 4 : bytes;
}

/* As the lowering of PTX understands an immediate. */
static uint64_t fl_immediate(const struct ptx_opnd *o, enum ptx_type type)
{
	if (o->imm_kind == PTX_IMM_F64 && fl_bytes(type) == 4)
		return fp_cvt(FP_F32, FP_F64, o->bits, RND_RN, false);
	if (o->imm_kind == PTX_IMM_INT && type == PTX_F32)
		return fp_from_int(FP_F32, o->bits, true, RND_RN);
	return o->bits;
}

/* The thread's place in its block: a field of what r0 holds at the start. */
static struct fl_word fl_read_tid(struct fl_build *b, enum ptx_sreg s)
{
	unsigned pos = s == PTX_SREG_TID_X ? 0 :
		       s == PTX_SREG_TID_Y ? FL_TID_Y :
					     FL_TID_Z;
	unsigned len = s == PTX_SREG_TID_Z ? FL_TID_Z_BITS : FL_TID_BITS;

	return fl_do(b, FL_BFE, 0, fl_reg(b->tid), fl_const(pos | len << 8));
}

static struct fl_word fl_read_sreg(struct fl_build *b, enum ptx_sreg s)
{
	static const uint8_t known[PTX_SREG_COUNT] = {
#define KNOWN(id) [PTX_SREG_##id] = FL_SREG_##id + 1
		KNOWN(CTAID_X),     KNOWN(CTAID_Y),     KNOWN(CTAID_Z),
		KNOWN(NTID_X),      KNOWN(NTID_Y),      KNOWN(NTID_Z),
		KNOWN(NCTAID_X),    KNOWN(NCTAID_Y),    KNOWN(NCTAID_Z),
		KNOWN(LANEID),      KNOWN(WARPID),      KNOWN(LANEMASK_EQ),
		KNOWN(LANEMASK_LT), KNOWN(LANEMASK_LE), KNOWN(LANEMASK_GT),
		KNOWN(LANEMASK_GE)
#undef KNOWN
	};
	struct fl_ir *in;
	uint32_t d;

	if (s == PTX_SREG_TID_X || s == PTX_SREG_TID_Y || s == PTX_SREG_TID_Z)
		return fl_read_tid(b, s);
	if (!known[s]) {
		fl_refuse(b, "FastLanes has no %s", ptx_sregs[s].text);
		return fl_const(0);
	}
	d = fl_temp(b);
	in = fl_emit(b, FL_S2R, 0);
	in->d = d;
	in->imm = true;
	in->b = known[s] - 1u;
	return fl_reg(d);
}

struct fl_word fl_src_of(struct fl_build *b, const struct ptx_opnd *o,
			 enum ptx_type type, unsigned half)
{
	struct fl_word at;

	switch (o->kind) {
	case PTX_OPND_REG:
		if (o->elem >= 0 || b->f->regs[o->reg].vec > 1)
			break;
		if (b->param_at[o->reg] != FL_NONE) {
			fl_refuse(b, "FastLanes has no addresses of parameters "
				     "but for loads of them");
			break;
		}
		if (half && fl_reg_bytes(b, o) < 8)
			return fl_const(0);
		return fl_reg(half ? b->hi[o->reg] : b->lo[o->reg]);
	case PTX_OPND_IMM:
		return fl_const((uint32_t)(fl_immediate(o, type) >> 32 * half));
	case PTX_OPND_SREG:
		return half ? fl_const(0) :
			      fl_read_sreg(b, (enum ptx_sreg)o->sreg);
	case PTX_OPND_VAR:
		at = fl_var_address(b, o->var);
		return half ? fl_const(0) :
			      fl_const(at.v + (uint32_t)o->offset);
	}
	fl_refuse(b, "FastLanes has no such operand");
	return fl_const(0);
}

struct fl_word fl_src(struct fl_build *b, unsigned i, enum ptx_type type,
		      unsigned half)
{
	return fl_src_of(b, &b->in->opnds[i], type, half);
}

struct fl_word fl_extend(struct fl_build *b, struct fl_word w,
			 enum ptx_type type)
{
	unsigned bits = 8 * fl_bytes(type), up = 32 - bits;

	if (bits >= 32)
		return w;
	if (w.imm)
		return fl_const(fl_signed(type) ?
					(uint32_t)((int32_t)(w.v << up) >> up) :
					w.v << up >> up);
	if (!fl_signed(type))
		return fl_do(b, FL_AND, 0, w, fl_const(~0u >> up));
	return fl_do(b, FL_BFE, FL_MOD_S, w, fl_const(bits << 8));
}

struct fl_word fl_src_wide(struct fl_build *b, unsigned i, enum ptx_type type)
{
	return fl_extend(b, fl_src(b, i, type, 0), type);
}

uint32_t fl_dst_of(struct fl_build *b, const struct ptx_opnd *o, unsigned half)
{
	if (o->kind == PTX_OPND_SINK)
		return half ? FL_NONE : fl_temp(b);
	if (o->kind != PTX_OPND_REG || o->elem >= 0 ||
	    b->f->regs[o->reg].vec > 1) {
		fl_refuse(b, "FastLanes has no such destination");
		return 0;
	}
	return half ? b->hi[o->reg] : b->lo[o->reg];
}

uint32_t fl_dst(struct fl_build *b, unsigned i, unsigned half)
{
	return fl_dst_of(b, &b->in->opnds[i], half);
}

uint32_t fl_pred_dst(struct fl_build *b, const struct ptx_opnd *o)
{
	if (o->kind == PTX_OPND_SINK)
		return FL_NONE;
	if (o->kind == PTX_OPND_REG && b->f->regs[o->reg].type == PTX_PRED)
		return b->lo[o->reg];
	fl_refuse(b, "expected a predicate");
	return FL_NONE;
}

uint32_t fl_pred_src(struct fl_build *b, const struct ptx_opnd *o,
		     bool *negated)
{
	*negated = o->negated;
	if (o->kind == PTX_OPND_IMM) {
		*negated ^= !o->bits;
		return FL_NONE;
	}
	return fl_pred_dst(b, o);
}

unsigned fl_float_mods(const struct ptx_opcode *op)
{
	unsigned m = 0;

	if (op->attr[PTX_CLASS_RND])
		m = op->attr[PTX_CLASS_RND] - PTX_RND_RN;
	if (op->attr[PTX_CLASS_IRND])
		m = op->attr[PTX_CLASS_IRND] - PTX_IRND_RNI;
	if (op->attr[PTX_CLASS_FTZ])
		m |= FL_MOD_FTZ;
	if (op->attr[PTX_CLASS_SAT])
		m |= FL_MOD_SAT;
	return m;
}
