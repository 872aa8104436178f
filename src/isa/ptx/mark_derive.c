/*
 * Finds what follows from predicates alone. A compiler turns the predicate of a
 * wait into a number and back:
 *
 *	mbarrier.try_wait P, ...;  selp.b32 r, 1, 0, P;  setp.eq.s32 Q, r, 0;
 *
 * Registers that are written only in this way (by a selp of constants, and by
 * lane rows from such registers and constants) need no facts: a replay computes
 * them.
 */
#include "isa/ptx/live.h"
#include "isa/ptx/mark.h"

static bool is_selp(unsigned op)
{
	static const bool selp[PTX_OP_COUNT] = {
#define SELP(id, ...) [PTX_OP_##id] = true,
#include "isa/ptx/ptx.def"
	};

	return selp[op];
}

struct deriver {
	const struct ptx_func *f;
	bool *derived; /* by register: only derived instructions write it */
	bool *inst;    /* by instruction */
};

static bool is_predicate(const struct deriver *v, const struct ptx_opnd *o)
{
	return o->kind == PTX_OPND_REG && v->f->regs[o->reg].type == PTX_PRED;
}

/* Calls `each` for the registers of an operand that is written. Memory operands
 * write no register. */
static void each_written(struct deriver *v, const struct ptx_opnd *o,
			 void (*each)(struct deriver *v, uint32_t reg),
			 int depth)
{
	if (o->kind == PTX_OPND_REG)
		each(v, o->reg);
	if (o->kind == PTX_OPND_MEM || o->kind == PTX_OPND_TEX || depth > 3)
		return;
	for (uint32_t i = 0; i < o->count; i++)
		each_written(v, &o->elems[i], each, depth + 1);
}

static void each_result(struct deriver *v, const struct ptx_inst *in,
			void (*each)(struct deriver *v, uint32_t reg))
{
	uint32_t n = in->op->op == PTX_OP_CALL ? in->opnd_count : 1;

	for (uint32_t i = 0; i < n && i < in->opnd_count; i++)
		each_written(v, &in->opnds[i], each, 0);
}

static void clear_derived(struct deriver *v, uint32_t reg)
{
	v->derived[reg] = false;
}

static void set_derived(struct deriver *v, uint32_t reg)
{
	v->derived[reg] = true;
}

/* Whether the result follows from predicates, constants and derived registers. */
static bool result_follows(const struct deriver *v, const struct ptx_inst *in)
{
	bool selp = is_selp(in->op->op), any = selp;

	if (ptx_rows[in->op->op].class != PTX_ROW_LANE ||
	    ptx_is_carry(in->op->op))
		return false;
	for (uint32_t i = 1; i < in->opnd_count; i++) {
		const struct ptx_opnd *o = &in->opnds[i];

		if (o->kind == PTX_OPND_IMM || is_predicate(v, o))
			continue;
		if (o->kind != PTX_OPND_REG || !v->derived[o->reg])
			return false;
		any = true;
	}
	return any;
}

/* One round: marks the registers that only derived instructions write. Returns
 * whether another instruction has become derived. */
static bool derive_round(struct deriver *v)
{
	const struct ptx_func *f = v->f;
	bool more = false;

	for (uint32_t i = 0; i < f->inst_count; i++) {
		bool now = result_follows(v, &f->insts[i]);

		more |= now && !v->inst[i];
		v->inst[i] = now;
	}
	for (uint32_t i = 0; i < f->inst_count; i++)
		if (v->inst[i])
			each_result(v, &f->insts[i], set_derived);
	for (uint32_t i = 0; i < f->inst_count; i++)
		if (!v->inst[i])
			each_result(v, &f->insts[i], clear_derived);
	return more;
}

bool *ptx_derived(const struct ptx_func *f, struct arena *scratch)
{
	struct deriver v = { .f = f };
	uint32_t rounds = 8; /* the longest chain that is followed */

	v.derived = arena_new(scratch, bool, f->reg_count + 1);
	v.inst = arena_new(scratch, bool, f->inst_count + 1);
	if (!v.derived || !v.inst)
		return NULL;
	while (derive_round(&v) && --rounds)
		;
	/* An instruction is derived if all its sources and its destination are:
	 * else another instruction may have written the destination. */
	for (uint32_t i = 0; i < f->inst_count; i++) {
		const struct ptx_opnd *d = f->insts[i].opnds;

		v.inst[i] = result_follows(&v, &f->insts[i]) &&
			    d->kind == PTX_OPND_REG && v.derived[d->reg];
	}
	return v.inst;
}
