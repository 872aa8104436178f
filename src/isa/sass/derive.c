/*
 * Modifiers that are only names: the disassembler writes IMAD.MOV for a
 * multiply-add that multiplies by zero.
 */
#include "isa/sass/inst.h"

static bool is_zero(const struct sass_opnd *o)
{
	return (o->type == SASS_REG || o->type == SASS_UREG) &&
	       o->reg == SASS_RZ;
}

static bool is_power_of_two(const struct sass_opnd *o)
{
	return (o->type == SASS_SINT || o->type == SASS_UINT) &&
	       (uint32_t)o->imm && !((uint32_t)o->imm & ((uint32_t)o->imm - 1));
}

static uint8_t derive_imad(const struct sass_inst *in)
{
	const struct sass_opnd *b = &in->opnd[SASS_B];

	if (is_zero(&in->opnd[SASS_A]) && is_zero(b))
		return SASS_IMAD_MOV;
	if (!is_power_of_two(b))
		return SASS_IMAD_MAD;
	if ((uint32_t)b->imm == 1)
		return SASS_IMAD_IADD;
	return is_zero(&in->opnd[SASS_C]) ? SASS_IMAD_SHL : SASS_IMAD_MAD;
}

void sass_derive(struct sass_inst *in)
{
	if (sass_op_of(in) == SASS_OP_IMAD)
		in->mod[SASS_CLASS_IMAD] = derive_imad(in);
}
