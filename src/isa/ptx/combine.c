#include "isa/ptx/combine.h"

#include "isa/ptx/uniform.h"

enum { HAS_REDUX = 80 }; /* compute capability */

struct combiner {
	const struct ptx_func *f;
	const struct time_live *l;
	struct ptx_uniform u;
	bool redux;
};

static bool is_combined_sum(unsigned op)
{
	return op == PTX_OP_ATOM_ADD || op == PTX_OP_RED_ADD;
}

/* Operations that REDUX has, but for sums. */
static bool is_combined_choice(unsigned op)
{
	switch (op) {
	case PTX_OP_ATOM_MIN:
	case PTX_OP_ATOM_MAX:
	case PTX_OP_ATOM_AND:
	case PTX_OP_ATOM_OR:
	case PTX_OP_ATOM_XOR:
	case PTX_OP_RED_MIN:
	case PTX_OP_RED_MAX:
	case PTX_OP_RED_AND:
	case PTX_OP_RED_OR:
	case PTX_OP_RED_XOR:
		return true;
	default:
		return false;
	}
}

static bool can_combine(const struct ptx_inst *in)
{
	return (is_combined_sum(in->op->op) ||
		is_combined_choice(in->op->op)) &&
	       ptx_types[in->op->type[0]].kind != PTX_KIND_F;
}

static bool combines_wide(const struct ptx_inst *in)
{
	return ptx_types[in->op->type[0]].bytes == 8;
}

/* The value follows it. */
static const struct ptx_opnd *atomic_memory(const struct ptx_inst *in)
{
	return &in->opnds[in->opnds[0].kind == PTX_OPND_MEM ? 0 : 1];
}

static bool adds_one(const struct ptx_inst *in)
{
	const struct ptx_opnd *value = atomic_memory(in) + 1;

	return value->kind == PTX_OPND_IMM && value->bits == 1;
}

/* ATOMS.POPC.INC, which takes all lanes. */
static bool is_increment(const struct ptx_inst *in)
{
	return in->op->attr[PTX_CLASS_SS] == PTX_SS_SHARED &&
	       in->op->type[0] == PTX_U32 && adds_one(in);
}

static bool operand_differs(const struct combiner *k, const struct ptx_opnd *o)
{
	return o->kind == PTX_OPND_REG &&
	       k->u.differs[k->l->first[o->reg] +
			    (o->elem > 0 ? (uint32_t)o->elem : 0)];
}

static bool combine_reads_result(const struct combiner *k, uint32_t i)
{
	for (uint32_t r = k->l->at[i]; r < k->l->at[i + 1]; r++)
		if (k->l->ref[r].write && k->l->read[k->l->ref[r].cell])
			return true;
	return false;
}

static enum ptx_fold combine_one(const struct combiner *k, uint32_t i)
{
	const struct ptx_inst *in = &k->f->insts[i];
	bool sum = is_combined_sum(in->op->op);
	bool word = !combines_wide(in);
	bool result = combine_reads_result(k, i);

	if (sum && !result && k->redux && is_increment(in))
		return FOLD_COUNTED;
	if (operand_differs(k, atomic_memory(in)->elems) ||
	    uniform_is_alone(&k->u, k->f, k->l, i))
		return FOLD_NONE;
	if (sum && !operand_differs(k, atomic_memory(in) + 1))
		return result ? FOLD_COMBINED_RESULT : FOLD_COMBINED;
	if (!word || (result && !sum))
		return FOLD_NONE;
	if (!result && k->redux)
		return FOLD_REDUCED;
	return sum ? FOLD_SCANNED : FOLD_NONE;
}

bool combine_atomics(uint8_t *fold, const struct ptx_func *f,
		     const struct ptx_flow *flow, const struct ptx_live *live,
		     const struct time_live *l, const struct cfg *cfg,
		     struct arena *scratch)
{
	struct combiner k = { .f = f,
			      .l = l,
			      .redux = cfg->gpu.capability >= HAS_REDUX };
	bool found = false;

	for (uint32_t i = 0; i < f->inst_count; i++) {
		if (!can_combine(&f->insts[i]))
			continue;
		if (!found && !uniform_find(&k.u, f, flow, live, l, scratch))
			return false;
		found = true;
		fold[i] = (uint8_t)combine_one(&k, i);
	}
	return true;
}

unsigned combine_issues(const struct ptx_inst *in, enum ptx_fold fold)
{
	switch (fold) {
	case FOLD_COMBINED:
		/* S2R, VOTEU, UFLO, POPC, ISETP; IMAD; of 64 bits two UIMAD and
		 * copies of the product. */
		return combines_wide(in) ? 10 : adds_one(in) ? 5 : 6;
	case FOLD_COMBINED_RESULT:
		/* The same, S2R, LOP3, POPC, SHFL, and a sum or a product. */
		return combines_wide(in) ? 17 : adds_one(in) ? 10 : 11;
	case FOLD_REDUCED:
		return 6; /* S2R, VOTEU, UFLO, ISETP, REDUX, MOV */
	case FOLD_SCANNED:
		/* VOTE, ISETP, BRA; S2R, ISETP; five times SHFL, IADD and MOV;
		 * SHFL, SHFL, IADD. */
		return 23;
	default:
		return 0;
	}
}
