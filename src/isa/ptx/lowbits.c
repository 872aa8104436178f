#include "isa/ptx/lowbits.h"

#include "base/minmax.h"

/* No write has been seen yet: anything may be true. */
enum { UNSEEN = 0xff };

struct low_pass {
	const struct ptx_func *f;
	const struct time_live *l;
	struct lowbits *cell;
};

static struct lowbits low_make(unsigned known, uint64_t bits)
{
	return (struct lowbits){ (uint8_t)known,
				 (uint8_t)(bits & ((1u << known) - 1)) };
}

static const struct lowbits low_nothing = { 0, 0 };

static bool low_unseen(struct lowbits a)
{
	return a.known == UNSEEN;
}

struct lowbits lowbits_of(int64_t value)
{
	return low_make(LOWBITS, (uint64_t)value);
}

struct lowbits lowbits_add(struct lowbits a, struct lowbits b)
{
	return low_make((unsigned)min_u64(a.known, b.known),
			(uint64_t)a.bits + b.bits);
}

struct lowbits lowbits_of_var(const struct ptx_var *var)
{
	return var->space == SPACE_SHARED ? lowbits_of(0) : low_nothing;
}

static struct lowbits low_sub(struct lowbits a, struct lowbits b)
{
	return low_make((unsigned)min_u64(a.known, b.known),
			(uint64_t)a.bits - b.bits);
}

/* How many of the lowest bits are known to be 0. */
static unsigned low_zeros(struct lowbits a)
{
	return a.bits ? (unsigned)__builtin_ctz(a.bits) : a.known;
}

/* A bit of the product depends on a bit of one factor only as far as the other
 * one is no multiple of a higher power of two. */
static struct lowbits low_mul(struct lowbits a, struct lowbits b)
{
	uint64_t known =
		min_u64(a.known + low_zeros(b), b.known + low_zeros(a));

	return low_make((unsigned)min_u64(known, LOWBITS),
			(uint64_t)a.bits * b.bits);
}

static struct lowbits low_shl(struct lowbits a, uint64_t by)
{
	by = min_u64(by, LOWBITS);
	return low_make((unsigned)min_u64(a.known + by, LOWBITS),
			(uint64_t)a.bits << by);
}

/* Where one of them has a 0, the other one need not be known. */
static struct lowbits low_and(struct lowbits a, struct lowbits b)
{
	unsigned known = 0;

	while (known < LOWBITS) {
		bool in_a = known < a.known, in_b = known < b.known;
		bool zero = (in_a && !(a.bits >> known & 1)) ||
			    (in_b && !(b.bits >> known & 1));

		if (!zero && !(in_a && in_b))
			break;
		known++;
	}
	return low_make(known, a.bits & b.bits);
}

/* What is true of both. */
static struct lowbits low_join(struct lowbits a, struct lowbits b)
{
	unsigned known = (unsigned)min_u64(a.known, b.known);
	unsigned differ = a.bits ^ b.bits;

	if (low_unseen(a))
		return b;
	if (low_unseen(b))
		return a;
	if (differ)
		known = (unsigned)min_u64(known,
					  (unsigned)__builtin_ctz(differ));
	return low_make(known, a.bits);
}

static struct lowbits low_operand(const struct low_pass *p,
				  const struct ptx_opnd *o)
{
	switch (o->kind) {
	case PTX_OPND_IMM:
		return o->imm_kind == PTX_IMM_INT ?
			       lowbits_of((int64_t)o->bits) :
			       low_nothing;
	case PTX_OPND_REG:
		return p->cell[p->l->first[o->reg] +
			       (o->elem > 0 ? (uint32_t)o->elem : 0)];
	case PTX_OPND_VAR:
		return lowbits_add(lowbits_of_var(o->var),
				   lowbits_of(o->offset));
	default:
		return low_nothing;
	}
}

/* The result of an instruction from its sources a, b and c. */
static struct lowbits low_compute(const struct ptx_inst *in, struct lowbits a,
				  struct lowbits b, struct lowbits c)
{
	switch (in->op->op) {
	case PTX_OP_MOV:
	case PTX_OP_CVTA:
	case PTX_OP_CVTA_TO:
		return a;
	case PTX_OP_CVT_II:
		return in->op->attr[PTX_CLASS_SAT] ? low_nothing : a;
	case PTX_OP_ADD_S32:
	case PTX_OP_ADD_U32:
	case PTX_OP_ADD_S64:
	case PTX_OP_ADD_U64:
		return lowbits_add(a, b);
	case PTX_OP_SUB_S32:
	case PTX_OP_SUB_U32:
	case PTX_OP_SUB_S64:
	case PTX_OP_SUB_U64:
		return low_sub(a, b);
	case PTX_OP_MUL_LO_S32:
	case PTX_OP_MUL_LO_U32:
	case PTX_OP_MUL_LO_S64:
	case PTX_OP_MUL_LO_U64:
	case PTX_OP_MUL_WIDE_S32:
	case PTX_OP_MUL_WIDE_U32:
		return low_mul(a, b);
	case PTX_OP_MAD_LO_S32:
	case PTX_OP_MAD_LO_U32:
	case PTX_OP_MAD_LO_S64:
	case PTX_OP_MAD_LO_U64:
	case PTX_OP_MAD_WIDE_S32:
	case PTX_OP_MAD_WIDE_U32:
		return lowbits_add(low_mul(a, b), c);
	case PTX_OP_SHL_B32:
	case PTX_OP_SHL_B64:
		return in->opnds[2].kind == PTX_OPND_IMM ?
			       low_shl(a, in->opnds[2].bits) :
			       low_make(low_zeros(a), 0);
	case PTX_OP_AND_B32:
	case PTX_OP_AND_B64:
		return low_and(a, b);
	case PTX_OP_OR_B32:
	case PTX_OP_OR_B64:
		return low_make((unsigned)min_u64(a.known, b.known),
				a.bits | b.bits);
	case PTX_OP_XOR_B32:
	case PTX_OP_XOR_B64:
		return low_make((unsigned)min_u64(a.known, b.known),
				a.bits ^ b.bits);
	case PTX_OP_SELP_B32:
	case PTX_OP_SELP_B64:
	case PTX_OP_SELP_S32:
	case PTX_OP_SELP_S64:
	case PTX_OP_SELP_U32:
	case PTX_OP_SELP_U64:
		return low_join(a, b);
	default:
		return low_nothing;
	}
}

/* UNSEEN: it reads what nothing has written yet. */
static struct lowbits low_result(const struct low_pass *p,
				 const struct ptx_inst *in)
{
	struct lowbits source[3] = { low_nothing, low_nothing, low_nothing };

	if (!in->opnd_count || in->opnds[0].kind != PTX_OPND_REG)
		return low_nothing;
	for (unsigned i = 0; i < 3 && i + 1u < in->opnd_count; i++) {
		source[i] = low_operand(p, &in->opnds[i + 1]);
		if (low_unseen(source[i]))
			return source[i];
	}
	return low_compute(in, source[0], source[1], source[2]);
}

/* Returns whether more has become known of what the instruction writes. */
static bool low_step(struct low_pass *p, uint32_t i)
{
	struct lowbits result = { UNSEEN, 0 };
	bool changed = false, computed = false;

	for (uint32_t r = p->l->at[i]; r < p->l->at[i + 1]; r++) {
		struct lowbits *to = &p->cell[p->l->ref[r].cell], joined;

		if (!p->l->ref[r].write)
			break;
		if (!computed)
			result = low_result(p, &p->f->insts[i]);
		computed = true;
		joined = low_join(*to, result);
		changed |= joined.known != to->known || joined.bits != to->bits;
		*to = joined;
	}
	return changed;
}

struct lowbits *lowbits_find(const struct ptx_func *f,
			     const struct time_live *l, struct arena *a)
{
	struct low_pass p = { .f = f, .l = l };
	bool changed = true;

	p.cell = arena_new(a, struct lowbits, l->cells + 1);
	if (!p.cell)
		return NULL;
	for (uint32_t c = 0; c < l->cells; c++)
		p.cell[c].known = UNSEEN;
	for (uint32_t i = 0; i < f->param_count; i++)
		if (f->params[i]->space == SPACE_REG)
			p.cell[l->first[f->params[i]->index]] = low_nothing;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < f->inst_count; i++)
			changed |= low_step(&p, i);
	}
	/* What only itself is computed from is never written. */
	for (uint32_t c = 0; c < l->cells; c++)
		if (low_unseen(p.cell[c]))
			p.cell[c] = low_nothing;
	return p.cell;
}
