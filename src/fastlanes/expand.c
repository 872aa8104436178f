/*
 * From PTX to IR, instruction by instruction; expand.def says which function
 * does which.
 */
#include "fastlanes/expand.h"

#include <string.h>

#include "fastlanes/ir.h"

typedef void fl_expander(struct fl_build *b);

static fl_expander *const expanders[PTX_OP_COUNT] = {
#define EXPAND(op, fn) [PTX_OP_##op] = fn,
#include "fastlanes/expand.def"
};

/* A unit that is missing. */
static const char *missing_unit(const struct ptx_row *row)
{
	if (row->unit == UNIT_TENSOR || row->replay == REPLAY_MATRIX ||
	    row->replay == REPLAY_ROWS)
		return "matrix units";
	if (row->unit == UNIT_FP64)
		return "double precision";
	if (row->unit == UNIT_FP16)
		return "half precision";
	if (row->unit == UNIT_TEX)
		return "textures and surfaces";
	return NULL;
}

/* What the instruction belongs to that FastLanes does not have. */
static const char *missing_part(const struct ptx_opcode *op)
{
	const struct ptx_row *row = &ptx_rows[op->op];
	const char *unit = missing_unit(row);

	if (unit)
		return unit;
	if (row->kind == KIND_ASYNC || row->kind == KIND_BULK ||
	    row->kind == KIND_COMMIT || row->kind == KIND_ASYNC_WAIT)
		return "asynchronous copies";
	if (row->kind == KIND_ATOMIC)
		return "atomics";
	if (row->kind == KIND_CALL)
		return "calls of functions";
	if (row->kind == KIND_INDIRECT)
		return "indirect branches";
	if (row->kind == KIND_BARRIER || row->kind == KIND_ARRIVE)
		return "barriers that reduce or that threads only arrive at";
	for (int i = 0; i < op->types; i++) {
		if (op->type[i] == PTX_F64)
			return "double precision";
		if (op->type[i] == PTX_F16 || op->type[i] == PTX_BF16 ||
		    op->type[i] == PTX_F16X2 || op->type[i] == PTX_BF16X2)
			return "half precision";
	}
	return NULL;
}

static void expand_refused(struct fl_build *b)
{
	const char *part = missing_part(b->in->op);

	if (part)
		fl_refuse(b, "FastLanes has no %s", part);
	else
		fl_refuse(b, "FastLanes has no such instruction");
}

void expand_nothing(struct fl_build *b)
{
	(void)b;
}

/* Whether the instruction's types are ones that its function may see. */
static bool types_fit(struct fl_build *b)
{
	const struct ptx_opcode *op = b->in->op;
	bool moves = op->op == PTX_OP_MOV || op->op == PTX_OP_LD ||
		     op->op == PTX_OP_LD_NC || op->op == PTX_OP_LDU ||
		     op->op == PTX_OP_ST || op->op == PTX_OP_SELP_F64;

	for (int i = 0; i < op->types; i++)
		if (op->type[i] == PTX_B128 ||
		    (missing_part(op) && !(moves && op->type[i] != PTX_B128)))
			return false;
	return true;
}

/* Whether the instruction writes its guard. */
static bool writes_guard(const struct fl_build *b)
{
	const struct ptx_opnd *d = b->in->opnds;

	if (!b->in->opnd_count)
		return false;
	if (d->kind == PTX_OPND_REG)
		return d->reg == b->in->guard;
	for (int i = 0; d->kind == PTX_OPND_DUAL && i < d->count; i++)
		if (d->elems[i].kind == PTX_OPND_REG &&
		    d->elems[i].reg == b->in->guard)
			return true;
	return false;
}

/* All instructions of an expansion have the guard as it was before them. */
static void set_guard(struct fl_build *b)
{
	struct fl_ir *copy;
	uint32_t t;

	b->guard = FL_NONE;
	if (b->in->guard == PTX_NO_REG)
		return;
	if (!writes_guard(b)) {
		b->guard = b->lo[b->in->guard];
		return;
	}
	t = fl_temp_pred(b);
	copy = fl_emit(b, FL_PLOP, FL_BOOL_AND);
	copy->p = t;
	copy->r = b->lo[b->in->guard];
	b->guard = t;
}

static void expand_one(struct fl_build *b)
{
	fl_expander *fn = expanders[b->in->op->op];

	set_guard(b);
	if (fn && types_fit(b))
		fn(b);
	else
		expand_refused(b);
}

/* Makes registers for those of PTX; those of 64 bits get two. */
static void make_registers(struct fl_build *b)
{
	for (uint32_t i = 0; i < b->f->reg_count && !b->failed; i++) {
		enum ptx_type t = b->f->regs[i].type;

		if (t == PTX_PRED) {
			b->lo[i] = fl_new_pred(b, FL_VALUE);
			continue;
		}
		b->lo[i] = fl_new_reg(b, FL_VALUE);
		b->hi[i] = fl_bytes(t) > 4 ? fl_new_reg(b, FL_VALUE) : FL_NONE;
	}
	b->tid = fl_new_reg(b, FL_VALUE);
	b->carry = fl_new_pred(b, FL_VALUE);
}

/* The last instruction must not fall through to nothing. */
static void expand_end(struct fl_build *b)
{
	b->in = NULL;
	b->guard = FL_NONE;
	b->in_index = b->f->inst_count;
	b->first[b->f->inst_count] = b->count;
	fl_emit(b, FL_EXIT, 0);
}

void fl_expand(struct fl_build *b)
{
	struct fl_ir *tid;

	make_registers(b);
	fl_find_params(b);
	fl_place_shared(b);
	b->in = NULL;
	b->guard = FL_NONE;
	tid = fl_emit(b, FL_NOP, 0);
	tid->op = FL_TID;
	tid->d = b->tid;
	for (uint32_t i = 0; i < b->f->inst_count && !b->failed; i++) {
		b->in = &b->f->insts[i];
		b->in_index = i;
		/* The start of the code belongs to the first instruction. */
		b->first[i] = i ? b->count : 0;
		if (!fl_points_to_param(b))
			expand_one(b);
	}
	if (!b->failed)
		expand_end(b);
}
