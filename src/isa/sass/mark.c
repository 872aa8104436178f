/*
 * Marks what recording and replay do with every instruction. The rows of
 * sass.def say it, and the instruction refines it: predicates that it writes are
 * facts, whatever else it computes, and those of lanes alone are executed. The
 * marks depend only on the code, so recording and replay agree.
 */
#include "arch/site.h"
#include "isa/sass/exec.h"
#include "isa/sass/program.h"

struct sass_marker {
	struct program *p;
	uint32_t next; /* site */
};

/* Only registers hold values that a replay does not have. */
static bool in_register(slot_t s)
{
	return s != SLOT_NONE && SLOT_PLACE(s) == SLOT_REG;
}

/* Adds an operand whose values are facts. */
static void mark_operand(struct tape_site *s, unsigned i, slot_t from)
{
	s->operand[i] = from;
	s->operand_bytes[i] = 4;
	if (in_register(from))
		s->recorded |= (uint8_t)(1u << i);
}

static bool writes_predicate(const struct sass_opnd *o)
{
	return o->type != SASS_NONE && o->reg != SASS_PT;
}

/* The predicates that it writes. */
static void mark_predicates(struct tape_site *s, const struct inst *in,
			    const struct sass_inst *si)
{
	const struct sass_more *x = sass_more_of(in);
	const struct sass_opnd *o = si->opnd;

	s->operand[0] = s->operand[1] = SLOT_NONE;
	if (writes_predicate(&o[SASS_PU])) {
		s->operand[0] = in->d2;
		s->recorded |= 1;
		s->whole = o[SASS_PU].type == SASS_UPRED;
	}
	if (x && writes_predicate(&o[SASS_PV])) {
		s->operand[1] = x->pv;
		s->recorded |= 2;
		s->whole |= o[SASS_PV].type == SASS_UPRED;
	}
	s->kind = s->recorded ? REPLAY_PRED : REPLAY_COMPUTE;
}

/* The register that has the low word of the address that services return to. */
enum { RETURN_SLOT = 20 * SASS_REG_BYTES };

/* The operands that decide what an instruction does to control. Of an address
 * of code the low word is enough: see exec_flow.c. */
static void mark_steering(struct tape_site *s, const struct inst *in,
			  enum sass_op op)
{
	switch (op) {
	case SASS_OP_BMOV_SET:
	case SASS_OP_NANOSLEEP:
		mark_operand(s, 0, in->b);
		break;
	case SASS_OP_YIELD:
		break;
	case SASS_OP_BRA_DIV:
		mark_operand(s, 0, in->a);
		break;
	case SASS_OP_CALL:
	case SASS_OP_CALL_ABS:
		mark_operand(s, 0, in->a);
		mark_operand(s, 1, SLOT(SLOT_REG, RETURN_SLOT));
		break;
	case SASS_OP_R2P:
	case SASS_OP_UR2UP:
	case SASS_OP_BAR:
	case SASS_OP_BAR_ARV:
	case SASS_OP_BAR_RED:
		mark_operand(s, 0, in->a);
		mark_operand(s, 1, in->b);
		break;
	default: /* BRX, RET, calls */
		mark_operand(s, 0, in->a);
	}
	s->whole = op == SASS_OP_UR2UP || op == SASS_OP_BRA_DIV;
	if (!s->recorded && s->kind == REPLAY_STEER)
		s->kind = REPLAY_FREE;
}

/* What the row says, refined by instruction. */
static enum replay_kind kind_of(const struct inst *in, enum sass_op op)
{
	switch (op) {
	/* They follow from lanes and predicates, or from the text. */
	case SASS_OP_VOTE:
	case SASS_OP_VOTEU:
	case SASS_OP_ELECT:
	case SASS_OP_B2R:
	case SASS_OP_PLOP3:
	case SASS_OP_UPLOP3:
	case SASS_OP_BMOV_GET:
	case SASS_OP_BMOV_COPY:
		return REPLAY_FREE;
	/* It is in a loop that waits for other warps, or for lanes. */
	case SASS_OP_YIELD:
		return REPLAY_SLEEP;
	case SASS_OP_BRA_DIV:
	case SASS_OP_R2P:
	case SASS_OP_UR2UP:
		return REPLAY_STEER;
	case SASS_OP_CALL:
		return in->exec == sass_call_abs ? REPLAY_STEER : REPLAY_FREE;
	case SASS_OP_LDC:
	case SASS_OP_ULDC:
		return in->addr == ADDR_WORD_BASE ? REPLAY_LOAD : REPLAY_FREE;
	case SASS_OP_LDS:
		if (in->exec == mem_load_shared)
			return REPLAY_LOAD_SHARED;
		break;
	case SASS_OP_WARPSYNC:
	case SASS_OP_WARPSYNC_COLLECTIVE:
		return REPLAY_SYNC;
	default:
		break;
	}
	if (in->exec == sass_clock)
		return REPLAY_CLOCK;
	return (enum replay_kind)sass_rows[op].replay;
}

static void mark_one(struct sass_marker *k, const struct code *c, uint32_t i)
{
	const struct inst *in = &c->insts[i];
	const struct sass_inst *si = sass_inst_at(c->func, i);
	enum sass_op op = sass_op_of(si);
	struct tape_site *s = &c->sites[i];

	s->plain = in->exec;
	s->site = k->next;
	s->kind = (uint8_t)kind_of(in, op);
	if (s->kind == REPLAY_TEXELS && k->p->old_trace)
		s->kind = REPLAY_NO_TEXELS;
	s->writes = sass_rows[op].kind == KIND_STORE;
	switch ((enum replay_kind)s->kind) {
	case REPLAY_COMPUTE:
	case REPLAY_PRED:
	case REPLAY_CONVERGE:
		mark_predicates(s, in, si);
		break;
	case REPLAY_SYNC:
		if (op == SASS_OP_WARPSYNC || op == SASS_OP_WARPSYNC_COLLECTIVE)
			mark_operand(s, 0, in->b);
		else
			mark_predicates(s, in, si);
		break;
	case REPLAY_STEER:
	case REPLAY_SLEEP:
		mark_steering(s, in, op);
		break;
	case REPLAY_SURFACE:
	case REPLAY_SURFACE_RED:
		/* Rows of a surface are aligned to the element of a texel. */
		s->operand_bytes[0] = in->width ? in->width : 1;
		break;
	case REPLAY_MBAR:
	case REPLAY_MBAR_TEST:
		s->recorded = in_register(in->b) ? RECORDED_OPERAND : 0;
		break;
	default:
		break;
	}
	k->next += tape_site_count(s);
}

enum err sass_mark(struct program *p, struct diag *d)
{
	struct sass_marker k = { .p = p };

	for (uint32_t f = 0; f < p->func_count; f++) {
		struct code *c = p->funcs[f].code;

		if (!c)
			continue;
		c->sites = arena_new(&p->arena, struct tape_site, c->count);
		if (!c->sites)
			return fail(d, ERR_NOMEM, "out of memory");
		for (uint32_t i = 0; i < c->count; i++)
			mark_one(&k, c, i);
	}
	return ERR_OK;
}
