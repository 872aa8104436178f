#include "isa/ptx/fold.h"

enum { NO_READER = 0xffffffffu };

/* What a compiler knows of a register. */
struct fold_cell {
	uint32_t writes, reads;
	uint32_t reader; /* the last instruction that reads it */
	bool addresses;  /* all reads are addresses of memory accesses */
};

struct folder {
	const struct ptx_func *f;
	const struct time_live *l;
	struct fold_cell *cell;
	uint32_t *block; /* by instruction */
	uint8_t *fold;   /* by instruction: enum ptx_fold */
	bool *full;      /* by instruction: another one is folded into it */
};

static bool is_address(const struct ptx_inst *in,
		       const struct ptx_live_ref *ref)
{
	switch ((enum timing_kind)ptx_rows[in->op->op].kind) {
	case KIND_LOAD:
	case KIND_STORE:
	case KIND_ATOMIC:
		return ref->position == 0;
	default:
		return false;
	}
}

static void note_refs(struct folder *k, uint32_t i)
{
	const struct ptx_inst *in = &k->f->insts[i];

	for (uint32_t r = k->l->at[i]; r < k->l->at[i + 1]; r++) {
		const struct ptx_live_ref *ref = &k->l->ref[r];
		struct fold_cell *c = &k->cell[ref->cell];

		if (ref->write) {
			c->writes++;
			continue;
		}
		c->reads++;
		c->reader = i;
		c->addresses &= is_address(in, ref);
	}
}

static bool fold_prepare(struct folder *k, struct arena *a)
{
	uint32_t n = k->f->inst_count, block = 0;

	k->cell = arena_new(a, struct fold_cell, k->l->cells);
	k->block = arena_new(a, uint32_t, n + 1);
	k->fold = arena_new(a, uint8_t, n + 1);
	k->full = arena_new(a, bool, n + 1);
	if (!k->cell || !k->block || !k->fold || !k->full)
		return false;
	for (uint32_t c = 0; c < k->l->cells; c++)
		k->cell[c].addresses = true;
	for (uint32_t i = 0; i < n; i++) {
		block += k->l->leads[i];
		k->block[i] = block;
		note_refs(k, i);
	}
	return true;
}

/* The register that an instruction writes, if it is one whole register. */
static const struct fold_cell *fold_result(const struct folder *k, uint32_t i)
{
	uint32_t at = k->l->at[i];

	if (at == k->l->at[i + 1] || !k->l->ref[at].write ||
	    (at + 1 < k->l->at[i + 1] && k->l->ref[at + 1].write))
		return NULL;
	return &k->cell[k->l->ref[at].cell];
}

/* Whether nothing else is ever written where the instruction writes, or nobody
 * reads it. */
static bool writes_constants(const struct folder *k, uint32_t i)
{
	const struct fold_cell *c = fold_result(k, i);

	if (c && !c->reads)
		return true;
	for (uint32_t r = k->l->at[i]; r < k->l->at[i + 1]; r++)
		if (k->l->ref[r].write &&
		    k->cell[k->l->ref[r].cell].writes != 1)
			return false;
	return true;
}

/* Whether two instructions are executed by the same lanes. */
static bool fold_same_lanes(const struct folder *k, uint32_t i, uint32_t j)
{
	const struct ptx_inst *a = &k->f->insts[i], *b = &k->f->insts[j];

	return a->guard == b->guard && a->guard_negated == b->guard_negated;
}

/* The only instruction that reads the result, if it is in the same block and
 * nothing is folded into it yet; else NO_READER. */
static uint32_t only_reader(const struct folder *k, uint32_t i)
{
	const struct fold_cell *c = fold_result(k, i);

	if (!c || c->writes != 1 || c->reads != 1 || c->reader <= i ||
	    k->block[c->reader] != k->block[i] || k->full[c->reader] ||
	    k->fold[c->reader] != FOLD_NONE ||
	    !fold_same_lanes(k, i, c->reader))
		return NO_READER;
	return c->reader;
}

/* ---- instructions that are operands or names of others ---- */

/* Special registers that machine code reads from its constants. */
static bool is_constant_sreg(unsigned sreg)
{
	return sreg == PTX_SREG_NTID_X || sreg == PTX_SREG_NTID_Y ||
	       sreg == PTX_SREG_NTID_Z || sreg == PTX_SREG_NCTAID_X ||
	       sreg == PTX_SREG_NCTAID_Y || sreg == PTX_SREG_NCTAID_Z;
}

static bool is_folded_move(const struct folder *k, uint32_t i)
{
	const struct ptx_opnd *from = &k->f->insts[i].opnds[1];

	switch (from->kind) {
	case PTX_OPND_IMM:
	case PTX_OPND_VAR:
	case PTX_OPND_FUNC:
		return writes_constants(k, i);
	case PTX_OPND_REG:
	case PTX_OPND_VEC:
		return ptx_overwrites(&k->f->insts[i]);
	case PTX_OPND_SREG:
		return is_constant_sreg(from->sreg) && writes_constants(k, i);
	default:
		return false;
	}
}

static bool is_folded_cvta(const struct ptx_opcode *op)
{
	return op->attr[PTX_CLASS_SS] == PTX_SS_GLOBAL ||
	       op->attr[PTX_CLASS_SS] == PTX_SS_PARAM;
}

static enum ptx_fold fold_cvt(const struct ptx_opcode *op)
{
	unsigned to = ptx_types[op->type[0]].bytes;
	unsigned from = ptx_types[op->type[1]].bytes;
	bool is_signed = ptx_types[op->type[1]].kind == PTX_KIND_S;

	if (op->attr[PTX_CLASS_SAT])
		return FOLD_NONE;
	if (to <= from || (from == 4 && !is_signed))
		return FOLD_AWAY;
	return FOLD_ALU;
}

static enum ptx_fold fold_alone(const struct folder *k, uint32_t i)
{
	const struct ptx_inst *in = &k->f->insts[i];

	switch (in->op->op) {
	case PTX_OP_LD:
		return time_is_param_load(k->f, in) && writes_constants(k, i) ?
			       FOLD_AWAY :
			       FOLD_NONE;
	case PTX_OP_MOV:
		return is_folded_move(k, i) ? FOLD_AWAY : FOLD_NONE;
	case PTX_OP_CVTA:
	case PTX_OP_CVTA_TO:
		return is_folded_cvta(in->op) ? FOLD_AWAY : FOLD_NONE;
	case PTX_OP_CVT_II:
		return fold_cvt(in->op);
	case PTX_OP_NOT_PRED:
		return FOLD_AWAY;
	default:
		return FOLD_NONE;
	}
}

/* ---- pairs ---- */

static bool is_add32(unsigned op)
{
	return op == PTX_OP_ADD_S32 || op == PTX_OP_ADD_U32;
}

static bool is_sum32(unsigned op)
{
	return is_add32(op) || op == PTX_OP_SUB_S32 || op == PTX_OP_SUB_U32;
}

static bool is_add64(unsigned op)
{
	return op == PTX_OP_ADD_S64 || op == PTX_OP_ADD_U64;
}

static bool is_logic(unsigned op)
{
	return op == PTX_OP_AND_B32 || op == PTX_OP_OR_B32 ||
	       op == PTX_OP_XOR_B32 || op == PTX_OP_NOT_B32;
}

/* Without a rounding mode, a compiler may contract. */
static bool contracts(const struct ptx_inst *in)
{
	return !in->op->attr[PTX_CLASS_RND];
}

static bool reads_floats(unsigned op)
{
	unsigned unit = ptx_rows[op].unit;

	return (unit == UNIT_FP32 || unit == UNIT_FP64) &&
	       ptx_rows[op].class == PTX_ROW_LANE;
}

/* Whether instruction `in` disappears in `by`, which alone reads its result. */
static bool fits_into(const struct ptx_inst *in, const struct ptx_inst *by)
{
	unsigned a = in->op->op, b = by->op->op;

	switch (a) {
	case PTX_OP_MUL_LO_S32:
	case PTX_OP_MUL_LO_U32:
		return is_add32(b);
	case PTX_OP_MUL_WIDE_S32:
	case PTX_OP_MUL_WIDE_U32:
		return is_add64(b);
	case PTX_OP_MUL_F32:
		return (b == PTX_OP_ADD_F32 || b == PTX_OP_SUB_F32) &&
		       contracts(in) && contracts(by);
	case PTX_OP_MUL_F64:
		return (b == PTX_OP_ADD_F64 || b == PTX_OP_SUB_F64) &&
		       contracts(in) && contracts(by);
	case PTX_OP_SHL_B32:
		return in->opnds[2].kind == PTX_OPND_IMM && is_add32(b);
	case PTX_OP_SHL_B64:
		return in->opnds[2].kind == PTX_OPND_IMM && is_add64(b);
	case PTX_OP_NEG_F32:
	case PTX_OP_ABS_F32:
	case PTX_OP_NEG_F64:
	case PTX_OP_ABS_F64:
		return reads_floats(b);
	default:
		return (is_sum32(a) && is_sum32(b)) ||
		       (is_logic(a) && is_logic(b));
	}
}

static bool is_multiplication(unsigned op)
{
	return ptx_rows[op].unit == UNIT_INT && ptx_rows[op].lat == LAT_MAD;
}

/* ---- products with several readers ---- */

/* Products that a compiler computes again for each sum. */
enum { COPIES = 4, COPY_DISTANCE = 256 };

static bool reads_cell(const struct folder *k, uint32_t i, uint32_t cell)
{
	for (uint32_t r = k->l->at[i]; r < k->l->at[i + 1]; r++)
		if (!k->l->ref[r].write && k->l->ref[r].cell == cell)
			return true;
	return false;
}

static bool takes_product(const struct folder *k, uint32_t product, uint32_t i)
{
	const struct ptx_inst *in = &k->f->insts[i];

	return fold_same_lanes(k, product, i) && k->fold[i] == FOLD_NONE &&
	       !k->full[i] && fits_into(&k->f->insts[product], in);
}

/* Whether every reader of a product is a sum in the same block; these take
 * it. */
static bool fold_product(struct folder *k, uint32_t i)
{
	const struct fold_cell *c = fold_result(k, i);
	uint32_t cell = k->l->ref[k->l->at[i]].cell, by[COPIES], n = 0;

	if (!is_multiplication(k->f->insts[i].op->op) || k->full[i] || !c ||
	    c->writes != 1 || c->reads > COPIES)
		return false;
	for (uint32_t j = i + 1; j <= c->reader && n < c->reads; j++) {
		if (k->block[j] != k->block[i] || j - i > COPY_DISTANCE)
			return false;
		if (!reads_cell(k, j, cell))
			continue;
		if (!takes_product(k, i, j))
			return false;
		by[n++] = j;
	}
	if (!n || n != c->reads)
		return false;
	while (n-- > 0) {
		k->full[by[n]] = true;
		k->fold[by[n]] = FOLD_MAD;
	}
	return true;
}

static bool is_comparison(const struct ptx_inst *in)
{
	return ptx_rows[in->op->op].replay == REPLAY_PRED;
}

/* Comparisons combine their result with another predicate. */
static bool combines_comparison(const struct folder *k, uint32_t i)
{
	uint32_t last = i;

	while (last > 0 && k->block[last - 1] == k->block[i] &&
	       !is_comparison(&k->f->insts[last - 1]))
		last--;
	if (!last || k->block[last - 1] != k->block[i])
		return false;
	for (uint32_t r = k->l->at[i]; r < k->l->at[i + 1]; r++)
		if (!k->l->ref[r].write &&
		    k->cell[k->l->ref[r].cell].reads == 1)
			return true;
	return false;
}

/* A constant that is added to an address is part of the access. */
static bool is_offset(const struct folder *k, uint32_t i)
{
	const struct ptx_inst *in = &k->f->insts[i];
	const struct fold_cell *c = fold_result(k, i);

	return (is_add32(in->op->op) || is_add64(in->op->op)) &&
	       in->opnds[2].kind == PTX_OPND_IMM && c && c->writes == 1 &&
	       c->addresses;
}

static void fold_inst(struct folder *k, uint32_t i)
{
	const struct ptx_inst *in = &k->f->insts[i];
	uint32_t by = k->full[i] ? NO_READER : only_reader(k, i);
	enum ptx_fold fold = fold_alone(k, i);

	if (k->fold[i] != FOLD_NONE)
		return;
	if (fold == FOLD_NONE && is_offset(k, i))
		fold = FOLD_AWAY;
	if (fold == FOLD_NONE && !k->full[i] &&
	    (in->op->op == PTX_OP_AND_PRED || in->op->op == PTX_OP_OR_PRED) &&
	    combines_comparison(k, i))
		fold = FOLD_AWAY;
	if (fold == FOLD_NONE && fold_product(k, i))
		fold = FOLD_AWAY;
	if (fold == FOLD_NONE && by != NO_READER &&
	    !is_multiplication(in->op->op) && fits_into(in, &k->f->insts[by])) {
		fold = FOLD_AWAY;
		k->full[by] = true;
	}
	k->fold[i] = (uint8_t)fold;
}

uint8_t *fold_find(const struct ptx_func *f, const struct time_live *l,
		   struct arena *a)
{
	struct folder k = { .f = f, .l = l };

	if (!fold_prepare(&k, a))
		return NULL;
	for (uint32_t i = 0; i < f->inst_count; i++)
		if (f->insts[i].guard == PTX_NO_REG || f->insts[i].apart)
			fold_inst(&k, i);
	return k.fold;
}
