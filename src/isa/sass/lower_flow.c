/*
 * Lowering of branches, calls, barriers and special registers.
 */
#include "isa/sass/lower.h"

#include "simt/barrier.h"

static bool is_always(const struct sass_opnd *o)
{
	return o->type == SASS_NONE || (o->reg == SASS_PT && !o->neg);
}

/* The offset in the text that a target names. */
static int64_t text_offset(const struct sass_lower *lo)
{
	const struct sass_opnd *t = &lo->si->opnd[SASS_T];

	if (t->type == SASS_ABS)
		return t->imm;
	return ((int64_t)lo->index + 1) * SASS_BYTES + t->imm;
}

/* A target that is known: its index. */
static void lower_target(struct sass_lower *lo, struct inst *out)
{
	int64_t at = text_offset(lo);

	if (at < 0 || at % SASS_BYTES ||
	    at / SASS_BYTES >= (int64_t)lo->f->inst_count)
		sass_lower_refuse(lo, "its target is outside of the text");
	out->offset = at / SASS_BYTES;
}

/* A target that is added to a register, or none. */
static void lower_register_target(struct sass_lower *lo, struct inst *out)
{
	const struct sass_opnd *t = &lo->si->opnd[SASS_T];

	out->offset = sass_op_of(lo->si) == SASS_OP_LEPC ||
				      sass_op_of(lo->si) == SASS_OP_ULEPC ?
			      (int64_t)lo->index * SASS_BYTES :
			      0;
	if (t->type == SASS_NONE)
		return;
	switch (sass_op_of(lo->si)) {
	case SASS_OP_RET_ABS:
	case SASS_OP_JMX:
	case SASS_OP_JMXU:
		out->offset = t->imm;
		return;
	default:
		out->offset = text_offset(lo);
	}
}

/* Before sm_80 a branch asks whether the whole warp is together. */
static void lower_bra(struct sass_lower *lo, struct inst *out)
{
	unsigned when = SASS_MOD(lo->si, BRA) |
			(unsigned)sass_bits(lo->si->enc->value, 32, 2);

	_Static_assert((int)SASS_BRA_DIV == (int)SASS_BRADIV_DIV,
		       "the conditions have the same numbers");
	lower_target(lo, out);
	out->k = (uint8_t)when;
	out->m = SASS_NEG_A; /* of RZ: all lanes */
	if (when == SASS_BRA_U)
		out->exec = sass_bra_u;
	else if (when != SASS_BRA_PLAIN)
		out->exec = sass_bra_div;
	else if (is_always(&lo->si->opnd[SASS_PP]))
		out->exec = sass_bra_plain;
}

/* Of functions of the system, debuggable code has the address itself. */
static void lower_known_call(struct sass_lower *lo, struct inst *out)
{
	uint64_t at = (uint64_t)text_offset(lo);

	if (!sass_is_service(at)) {
		lower_target(lo, out);
		return;
	}
	out->a = sass_value_slot(lo, at);
	out->exec = sass_call_abs;
}

static void lower_barrier(struct sass_lower *lo, struct inst *out)
{
	const struct sass_opnd *o = lo->si->opnd;
	const struct sass_layout *at = &lo->c->at;
	bool named = o[SASS_I].type != SASS_NONE;
	bool counted = o[SASS_J].type != SASS_NONE && o[SASS_J].imm;
	bool from_reg = o[SASS_B].type != SASS_NONE;

	out->a = sass_source(lo, named ? &o[SASS_I] : &o[SASS_B]);
	out->b = sass_source(lo, named ? &o[SASS_B] : &o[SASS_J]);
	if (named && !from_reg)
		out->b = sass_source(lo, &o[SASS_J]);
	out->k = counted || (named && from_reg) ? BAR_COUNTED : BAR_ALL;
	/* One register has the number and the count. */
	if (!named && from_reg && o[SASS_J].type == SASS_NONE)
		out->k = BAR_PACKED;
	out->c = out->e;
	out->exec = sass_op_of(lo->si) == SASS_OP_BAR     ? bar_sync :
		    sass_op_of(lo->si) == SASS_OP_BAR_ARV ? bar_arrive :
							    bar_red;
	if (out->exec != bar_red)
		return;
	out->count = SASS_MOD(lo->si, BARRED) == SASS_BARRED_POPC ? BAR_POPC :
		     SASS_MOD(lo->si, BARRED) == SASS_BARRED_AND  ? BAR_AND :
								    BAR_OR;
	out->d = SLOT(SLOT_REG,
		      out->count == BAR_POPC ? at->result : at->result_pred);
}

static void lower_warpsync(struct sass_lower *lo, struct inst *out)
{
	const struct sass_opnd *o = lo->si->opnd;

	if (!is_always(&o[SASS_PP]))
		sass_lower_refuse(lo, "its predicate is not supported");
	if (o[SASS_A].type != SASS_NONE)
		out->b = out->a;
	else if (o[SASS_B].type == SASS_NONE)
		out->b = sass_value_slot(lo, UINT32_MAX);
	if (sass_op_of(lo->si) == SASS_OP_WARPSYNC) {
		if (SASS_MOD(lo->si, EXCLUSIVE))
			out->exec = sass_warpsync_exclusive;
		else
			out->flip |= INST_WARP_BARRIER;
		return;
	}
	lower_target(lo, out);
	if (out->offset &&
	    sass_op_of(&lo->c->insts[out->offset - 1]) != SASS_OP_ENDCOLLECTIVE)
		sass_lower_refuse(lo, "its region does not end before its "
				      "target");
}

/* Barrier registers, and the lanes that are active. */
enum { STATE_MACTIVE = 26 };

static void lower_bmov(struct sass_lower *lo, struct inst *out)
{
	const struct sass_opnd *state = &lo->si->opnd[SASS_CB];
	bool sets = sass_op_of(lo->si) == SASS_OP_BMOV_SET;

	if (state->reg >= SASS_BARRIERS &&
	    (sets || state->reg != STATE_MACTIVE))
		sass_lower_refuse(lo, "this state is not supported");
	out->k = state->reg;
	out->c = sass_source(lo, state);
	out->m = SASS_MOD(lo->si, CLEAR);
}

/* Between two barrier registers: the opcode says in which direction. */
static void lower_bmov_copy(struct sass_lower *lo, struct inst *out)
{
	const struct sass_opnd *o = lo->si->opnd;
	bool first = lo->si->enc->opcode == 0xf55;
	const struct sass_opnd *from = &o[first ? SASS_S : SASS_CB];
	const struct sass_opnd *to = &o[first ? SASS_CB : SASS_S];

	if (from->reg >= SASS_BARRIERS || to->reg >= SASS_BARRIERS)
		sass_lower_refuse(lo, "this state is not supported");
	out->c = sass_source(lo, from);
	out->d = sass_source(lo, to);
	out->m = SASS_MOD(lo->si, CLEAR);
}

static void lower_sreg(struct sass_lower *lo, struct inst *out)
{
	unsigned number = lo->si->opnd[SASS_S].reg;
	uint32_t *at = &lo->p->sreg_at[number];

	out->k = (uint8_t)number;
	out->count = sass_op_of(lo->si) == SASS_OP_CS2R &&
				     SASS_MOD(lo->si, CS32) == SASS_CS32_B64 ?
			     2 :
			     1;
	switch (sass_sreg_when(number)) {
	case SASS_SREG_NONE:
		sass_lower_refuse(lo, "this special register is not supported");
		return;
	case SASS_SREG_READ:
		out->exec = sass_clock;
		return;
	case SASS_SREG_STORED:
		break;
	}
	if (*at == SASS_SREG_UNUSED) {
		*at = lo->p->base.sreg_bytes;
		lo->p->base.sreg_bytes += SASS_REG_BYTES;
	}
	lo->p->base.reads_place |= sass_sreg_is_place(number);
	out->a = SLOT(SLOT_SREG, *at);
	if (lo->si->opnd[SASS_D].type == SASS_UREG)
		out->exec = sass_s2ur;
}

static void lower_rpc(struct sass_lower *lo, struct inst *out)
{
	bool high = SASS_MOD(lo->si, RPC) == SASS_RPC_HI;
	slot_t rpc =
		SLOT(SLOT_REG, lo->c->at.rpc + (high ? SASS_REG_BYTES : 0u));

	if (lo->si->opnd[SASS_D].type == SASS_NONE)
		out->d = rpc;
	else
		out->b = rpc;
}

bool sass_lower_flow(struct sass_lower *lo, struct inst *out)
{
	const struct sass_opnd *o = lo->si->opnd;

	switch (sass_op_of(lo->si)) {
	case SASS_OP_BRA:
	case SASS_OP_JMP:
		lower_bra(lo, out);
		return true;
	case SASS_OP_BRXU:
	case SASS_OP_JMXU:
		if (SASS_MOD(lo->si, BRA) != SASS_BRA_PLAIN)
			sass_lower_refuse(lo, "its condition is not supported");
		lower_register_target(lo, out);
		return true;
	case SASS_OP_BRA_U:
	case SASS_OP_BRA_UP:
	case SASS_OP_BRA_DIV:
		out->k = SASS_MOD(lo->si, BRADIV);
		out->m = o[SASS_A].neg ? SASS_NEG_A : 0;
		lower_target(lo, out);
		return true;
	case SASS_OP_CALL:
		lower_known_call(lo, out);
		return true;
	case SASS_OP_BRX:
	case SASS_OP_JMX:
	case SASS_OP_CALL_REG:
	case SASS_OP_CALL_ABS:
	case SASS_OP_RET:
	case SASS_OP_RET_ABS:
	case SASS_OP_LEPC:
		lower_register_target(lo, out);
		return true;
	case SASS_OP_ULEPC:
		lower_register_target(lo, out);
		return false; /* the rest is that of uniform instructions */
	case SASS_OP_BSSY:
	case SASS_OP_BSYNC:
	case SASS_OP_BREAK:
		out->d = sass_source(lo, &o[SASS_CB]);
		return true;
	case SASS_OP_BMOV_GET:
	case SASS_OP_BMOV_SET:
		lower_bmov(lo, out);
		return true;
	case SASS_OP_BMOV_COPY:
		lower_bmov_copy(lo, out);
		return true;
	case SASS_OP_WARPSYNC:
	case SASS_OP_WARPSYNC_COLLECTIVE:
		lower_warpsync(lo, out);
		return true;
	case SASS_OP_BAR:
	case SASS_OP_BAR_ARV:
	case SASS_OP_BAR_RED:
		lower_barrier(lo, out);
		return true;
	case SASS_OP_B2R:
		out->a = SLOT(SLOT_REG, lo->c->at.result);
		out->b = SLOT(SLOT_REG, lo->c->at.result_pred);
		return true;
	case SASS_OP_RPCMOV:
		lower_rpc(lo, out);
		return true;
	case SASS_OP_BPT:
		if (SASS_MOD(lo->si, BPT) != SASS_BPT_TRAP)
			sass_lower_refuse(lo, "only traps are supported");
		return true;
	case SASS_OP_S2R:
	case SASS_OP_S2UR:
	case SASS_OP_CS2R:
		lower_sreg(lo, out);
		return true;
	default:
		return false;
	}
}
