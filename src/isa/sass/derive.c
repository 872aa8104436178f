/*
 * Modifiers that are only names: the disassembler writes IMAD.MOV for a
 * multiply-add that multiplies by zero.
 */
#include "isa/sass/inst.h"

static bool is_number(const struct sass_opnd *o, uint32_t v)
{
	return (o->type == SASS_SINT || o->type == SASS_UINT) &&
	       (uint32_t)o->imm == v;
}

static bool is_zero(const struct sass_opnd *o)
{
	return (o->type == SASS_REG && o->reg == SASS_RZ) || is_number(o, 0);
}

/* A shift by 16 or 31 is not called one. */
static bool is_shift(const struct sass_opnd *o)
{
	uint32_t v = (uint32_t)o->imm;

	return o->type == SASS_SINT && v && !(v & (v - 1)) && v != 0x10000 &&
	       v != 0x80000000;
}

static bool is_uniform(const struct sass_opnd *o)
{
	return o->type == SASS_UREG || o->type == SASS_XCONST;
}

static uint8_t derive_imad(const struct sass_inst *in)
{
	const struct sass_opnd *a = &in->opnd[SASS_A], *b = &in->opnd[SASS_B],
			       *c = &in->opnd[SASS_C];
	bool no_c = c->type == SASS_REG && c->reg == SASS_RZ;

	if (is_uniform(b) || is_uniform(c))
		return SASS_IMAD_MAD;
	if (is_zero(a) || is_zero(b))
		return SASS_IMAD_MOV;
	if (is_number(b, 1))
		return no_c ? SASS_IMAD_MOV : SASS_IMAD_IADD;
	return no_c && is_shift(b) ? SASS_IMAD_SHL : SASS_IMAD_MAD;
}

void sass_derive(struct sass_inst *in)
{
	if (sass_op_of(in) == SASS_OP_IMAD)
		in->mod[SASS_CLASS_IMAD] = derive_imad(in);
}
