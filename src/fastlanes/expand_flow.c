/*
 * Predicates, branches, and what the lanes of a warp do together.
 */
#include "fastlanes/expand.h"
#include "fastlanes/expand_int.h"
#include "fastlanes/ir.h"

/* ---- comparison and selection ------------------------------------------ */

/* The comparison as FastLanes numbers it. */
static unsigned comparison(const struct ptx_opcode *op)
{
	static const uint8_t unsigned_names[] = { FL_LT, FL_LE, FL_GT, FL_GE };

	if (op->attr[PTX_CLASS_ECMP])
		return op->attr[PTX_CLASS_ECMP] - PTX_ECMP_EQ;
	if (op->attr[PTX_CLASS_SCMP])
		return op->attr[PTX_CLASS_SCMP] - PTX_SCMP_EQ;
	if (op->attr[PTX_CLASS_FCMP])
		return op->attr[PTX_CLASS_FCMP] - PTX_FCMP_EQ;
	if (op->attr[PTX_CLASS_UCMP] >= PTX_UCMP_LO)
		return unsigned_names[op->attr[PTX_CLASS_UCMP] - PTX_UCMP_LO];
	return op->attr[PTX_CLASS_UCMP] - PTX_UCMP_EQ;
}

/* p: the comparison of operands 1 and 2, which have type t. */
static void compare(struct fl_build *b, enum ptx_type t, uint32_t p)
{
	unsigned cmp = comparison(b->in->op);

	if (t == PTX_F32) {
		bool ftz = b->in->op->attr[PTX_CLASS_FTZ];

		fl_compare(b, FL_FSETP, cmp | (ftz ? FL_MOD_CMP_FTZ : 0), p,
			   fl_src(b, 1, t, 0), fl_src(b, 2, t, 0));
	} else if (fl_bytes(t) == 8) {
		fl_compare_pairs(b, cmp, fl_signed(t), p, 1);
	} else {
		fl_compare(b, FL_ISETP, cmp | (fl_signed(t) ? FL_MOD_CMP_S : 0),
			   p, fl_src_wide(b, 1, t), fl_src_wide(b, 2, t));
	}
}

static unsigned bool_of(const struct ptx_opcode *op)
{
	switch (op->attr[PTX_CLASS_BOOL]) {
	case PTX_BOOL_OR:
		return FL_BOOL_OR;
	case PTX_BOOL_XOR:
		return FL_BOOL_XOR;
	default:
		return FL_BOOL_AND;
	}
}

/* p = [not] t combined with the predicate operand at `with`, if there is one. */
static void combine(struct fl_build *b, uint32_t p, uint32_t t, bool negated,
		    unsigned with)
{
	uint32_t q = FL_NONE;
	bool q_not = false;
	struct fl_ir *in;

	if (b->in->opnd_count > with)
		q = fl_pred_src(b, &b->in->opnds[with], &q_not);
	in = fl_emit(b, FL_PLOP, bool_of(b->in->op));
	in->p = p;
	in->r = t;
	in->r_not = negated;
	in->q = q;
	in->q_not = q_not;
}

void expand_setp(struct fl_build *b)
{
	enum ptx_type t = (enum ptx_type)b->in->op->type[0];
	const struct ptx_opnd *o = &b->in->opnds[0];
	bool dual = o->kind == PTX_OPND_DUAL;
	uint32_t first = fl_pred_dst(b, dual ? &o->elems[0] : o);
	uint32_t p, second, other = FL_NONE;
	struct fl_ir *in;

	if (!dual && b->in->opnd_count == 3) {
		compare(b, t, first == FL_NONE ? fl_temp_pred(b) : first);
		return;
	}
	p = fl_temp_pred(b);
	compare(b, t, p);
	second = dual ? fl_pred_dst(b, &o->elems[1]) : FL_NONE;
	if (second != FL_NONE) {
		/* The combining predicate may be the one written first. */
		other = fl_temp_pred(b);
		combine(b, other, p, true, 3);
	}
	if (first != FL_NONE)
		combine(b, first, p, false, 3);
	if (second == FL_NONE)
		return;
	in = fl_emit(b, FL_PLOP, FL_BOOL_AND);
	in->p = second;
	in->r = other;
}

void expand_set(struct fl_build *b)
{
	enum ptx_type to = (enum ptx_type)b->in->op->type[0];
	enum ptx_type t = (enum ptx_type)b->in->op->type[1];
	uint32_t p = fl_temp_pred(b), q = p;

	compare(b, t, p);
	if (b->in->opnd_count > 3) {
		q = fl_temp_pred(b);
		combine(b, q, p, false, 3);
	}
	fl_select(b, fl_dst(b, 0, 0),
		  fl_const(to == PTX_F32 ? 0x3f800000u : ~0u), fl_const(0), q,
		  false);
}

/* d = p ? operand 1 : operand 2, of one or two words. */
static void select_words(struct fl_build *b, enum ptx_type t, uint32_t p,
			 bool negated)
{
	for (unsigned half = 0; half <= (fl_bytes(t) == 8); half++)
		fl_select(b, fl_dst(b, 0, half), fl_src(b, 1, t, half),
			  fl_src(b, 2, t, half), p, negated);
}

void expand_selp(struct fl_build *b)
{
	bool negated;
	uint32_t p = fl_pred_src(b, &b->in->opnds[3], &negated);

	select_words(b, (enum ptx_type)b->in->op->type[0], p, negated);
}

void expand_slct(struct fl_build *b)
{
	uint32_t p = fl_temp_pred(b);

	fl_compare(b, FL_ISETP, FL_GE | FL_MOD_CMP_S, p,
		   fl_src(b, 3, PTX_S32, 0), fl_const(0));
	select_words(b, (enum ptx_type)b->in->op->type[0], p, false);
}

void expand_pred_logic(struct fl_build *b)
{
	static const uint8_t bools[] = { FL_BOOL_AND, FL_BOOL_OR, FL_BOOL_XOR };
	unsigned op = b->in->op->op;
	unsigned which = op == PTX_OP_OR_PRED  ? 1 :
			 op == PTX_OP_XOR_PRED ? 2 :
						 0;
	uint32_t p = fl_pred_dst(b, &b->in->opnds[0]);
	bool r_not, q_not = false;
	uint32_t r = fl_pred_src(b, &b->in->opnds[1], &r_not), q = FL_NONE;
	struct fl_ir *in;

	if (op == PTX_OP_NOT_PRED)
		r_not = !r_not;
	else
		q = fl_pred_src(b, &b->in->opnds[2], &q_not);
	in = fl_emit(b, FL_PLOP, bools[which]);
	in->p = p;
	in->r = r;
	in->r_not = r_not;
	in->q = q;
	in->q_not = q_not;
}

/* ---- lanes together ---------------------------------------------------- */

/* The members of .sync are the lanes that are active: FastLanes' lanes do not
 * wait for each other. */
void expand_shfl(struct fl_build *b)
{
	const struct ptx_opnd *o = &b->in->opnds[0];
	bool dual = o->kind == PTX_OPND_DUAL;
	uint32_t d = fl_dst_of(b, dual ? &o->elems[0] : o, 0);
	uint32_t p = dual ? fl_pred_dst(b, &o->elems[1]) : FL_NONE;
	unsigned mode = b->in->op->attr[PTX_CLASS_SHFL] - PTX_SHFL_UP;

	fl_put3(b, FL_SHFL, mode, d, fl_src(b, 1, PTX_B32, 0),
		fl_src(b, 2, PTX_B32, 0), fl_src(b, 3, PTX_B32, 0));
	if (!b->failed)
		b->ir[b->count - 1].p = p;
}

static struct fl_word fl_ballot(struct fl_build *b, uint32_t p, bool negated)
{
	uint32_t d = fl_temp(b);
	struct fl_ir *in = fl_emit(b, FL_BALLOT, 0);

	in->d = d;
	in->q = p;
	in->q_not = negated;
	return fl_reg(d);
}

void expand_ballot(struct fl_build *b)
{
	bool negated = false;
	uint32_t p = FL_NONE;

	if (b->in->op->op != PTX_OP_ACTIVEMASK)
		p = fl_pred_src(b, &b->in->opnds[1], &negated);
	fl_move(b, fl_dst(b, 0, 0), fl_ballot(b, p, negated));
}

/* all: no lane without it; any: a lane with it; uni: one of both is none. */
void expand_vote(struct fl_build *b)
{
	bool negated;
	uint32_t d = fl_pred_dst(b, &b->in->opnds[0]);
	uint32_t p = fl_pred_src(b, &b->in->opnds[1], &negated);
	struct fl_word with = fl_ballot(b, p, negated);
	struct fl_word without = fl_ballot(b, p, !negated);
	uint32_t none, all;
	struct fl_ir *in;

	switch (b->in->op->attr[PTX_CLASS_VOTE]) {
	case PTX_VOTE_ALL:
		fl_compare(b, FL_ISETP, FL_EQ, d, without, fl_const(0));
		return;
	case PTX_VOTE_ANY:
		fl_compare(b, FL_ISETP, FL_NE, d, with, fl_const(0));
		return;
	case PTX_VOTE_UNI:
		none = fl_temp_pred(b);
		all = fl_temp_pred(b);
		fl_compare(b, FL_ISETP, FL_EQ, none, with, fl_const(0));
		fl_compare(b, FL_ISETP, FL_EQ, all, without, fl_const(0));
		in = fl_emit(b, FL_PLOP, FL_BOOL_OR);
		in->p = d;
		in->r = none;
		in->q = all;
		return;
	default:
		fl_refuse(b, "FastLanes has no such vote");
	}
}

void expand_bar(struct fl_build *b)
{
	struct fl_word id = fl_src(b, 0, PTX_U32, 0);

	if (!id.imm || id.v || b->in->opnd_count > 1)
		fl_refuse(b, "FastLanes has barrier 0 of all threads only");
	else if (b->in->guard != PTX_NO_REG)
		fl_refuse(b, "FastLanes has barriers without a guard only");
	else
		fl_emit(b, FL_BAR, 0);
}

/* ---- control ----------------------------------------------------------- */

static struct fl_ir *branch_to(struct fl_build *b, uint32_t label)
{
	struct fl_ir *in = fl_emit(b, FL_BRA, 0);

	in->to = b->f->labels[label].inst;
	in->join = b->flow.join[b->in_index];
	return in;
}

void expand_bra(struct fl_build *b)
{
	branch_to(b, b->in->opnds[0].label);
}

/* A comparison and a branch for each target but the last. */
void expand_brx(struct fl_build *b)
{
	const struct ptx_targets *t = &b->f->targets[b->in->opnds[1].targets];
	struct fl_word index = fl_src(b, 0, PTX_U32, 0);

	if (b->in->guard != PTX_NO_REG) {
		fl_refuse(b, "FastLanes has it without a guard only");
		return;
	}
	for (uint32_t i = 0; i + 1 < t->count; i++) {
		uint32_t p = fl_temp_pred(b);

		fl_compare(b, FL_ISETP, FL_EQ, p, index, fl_const(i));
		branch_to(b, t->labels[i])->guard = p;
	}
	branch_to(b, t->labels[t->count - 1]);
}

void expand_exit(struct fl_build *b)
{
	fl_emit(b, FL_EXIT, 0);
}

void expand_trap(struct fl_build *b)
{
	fl_emit(b, FL_TRAP, 0);
}
