/*
 * Lowering of memory operands, loads and stores.
 */
#include "isa/sass/lower.h"

enum space sass_access_space(enum sass_op op)
{
	switch (op) {
	case SASS_OP_LDG:
	case SASS_OP_STG:
	case SASS_OP_ATOMG:
	case SASS_OP_ATOMG_F:
	case SASS_OP_ATOMG_CAS:
	case SASS_OP_RED:
	case SASS_OP_RED_F:
	case SASS_OP_LDGSTS:
	case SASS_OP_CCTL:
		return SPACE_GLOBAL;
	case SASS_OP_LD:
	case SASS_OP_ST:
	case SASS_OP_ATOM:
	case SASS_OP_ATOM_F:
	case SASS_OP_ATOM_CAS:
	case SASS_OP_QSPC:
		return SPACE_GENERIC;
	case SASS_OP_LDL:
	case SASS_OP_STL:
		return SPACE_LOCAL;
	default:
		return SPACE_SHARED;
	}
}

/* Shared and local memory have addresses of 32 bits. */
static void lower_short_address(struct inst *out, const struct sass_opnd *o,
				slot_t base, bool based)
{
	if (!based && !o->scale) {
		out->addr = ADDR_REG32;
		return;
	}
	out->e = base;
	out->addr = o->scale ? (uint8_t)(ADDR_REG32_X4 + o->scale - 2) :
			       (uint8_t)ADDR_REG32_BASE;
}

void sass_lower_address(struct sass_lower *lo, struct inst *out,
			const struct sass_opnd *o, enum space space)
{
	const struct sass_opnd reg = { .type = SASS_REG, .reg = o->reg };
	bool based = o->has_ureg && !o->desc && o->ureg != SASS_RZ;
	const struct sass_opnd ureg = { .type = SASS_UREG,
					.reg = based ? o->ureg : SASS_RZ };
	slot_t base = sass_source(lo, &ureg);
	bool wide = o->wide || (!o->has_ureg && SASS_MOD(lo->si, E));

	out->space = (uint8_t)space;
	out->offset = o->imm;
	out->a = sass_source(lo, &reg);
	if (space == SPACE_SHARED || space == SPACE_LOCAL) {
		lower_short_address(out, o, base, based);
	} else if (wide && !based) {
		out->addr = ADDR_PAIR;
	} else {
		out->e = base;
		out->addr = wide ? ADDR_PAIR_BASE : ADDR_WORD_BASE;
	}
}

/* Bytes of an element and how many there are, of a modifier of class SIZE. */
static bool lower_size(struct sass_lower *lo, struct inst *out)
{
	unsigned size = sass_access_size(lo->si);
	static const uint8_t width[] = { 1, 1, 2, 2, 4, 4, 4, 4 };
	static const uint8_t count[] = { 1, 1, 1, 1, 1, 2, 4, 4 };

	if (size >= sizeof(width)) {
		sass_lower_refuse(lo, "an access of this size is unknown");
		return false;
	}
	out->width = width[size];
	out->count = count[size];
	out->k = 4;
	if (size == SASS_SIZE_S8 || size == SASS_SIZE_S16)
		out->m |= MEM_SIGNED;
	return true;
}

/* The registers of the data, which follow each other and need no list, which the
 * quick paths do not take; RZ is zero in all. */
static void list_data(struct inst *out, struct sass_more *x, bool is_zero)
{
	x->list.count[0] = out->count;
	x->list.bytes[0] = 4;
	for (uint32_t i = 0; i < out->count; i++)
		x->list.slots[i] = is_zero ? out->d :
					     out->d + i * SASS_PAIR_BYTES;
	if (out->count == 1 || !is_zero)
		out->x = NULL;
}

static bool is_strong(const struct sass_inst *si)
{
	if (si->sm < 80)
		return SASS_MOD(si, STRENGTH) >= SASS_STRENGTH_STRONG;
	switch (SASS_MOD(si, ORDER)) {
	case SASS_ORDER_STRONG_SM:
	case SASS_ORDER_STRONG_GPU_PRIVATE:
	case SASS_ORDER_STRONG_GPU:
	case SASS_ORDER_MMIO_GPU:
	case SASS_ORDER_STRONG_SYS:
	case SASS_ORDER_MMIO_SYS:
		return true;
	default:
		return false;
	}
}

/* The executor of a load; a word for each lane has a quick one. */
static exec_fn *load_executor(const struct inst *out)
{
	if (out->width == 4 && out->count > 1 && out->space == SPACE_SHARED)
		return mem_load_shared_vectors;
	/* Strong ones may be part of a loop that waits, which mem_load counts. */
	if (out->width != 4 || out->count != 1 || out->m & MEM_STRONG)
		return mem_load;
	if (out->space == SPACE_SHARED)
		return mem_load_shared;
	return out->addr == ADDR_PAIR ? mem_load_pair_words : mem_load;
}

static bool is_pt(const struct sass_opnd *o)
{
	return o->type == SASS_NONE || (o->reg == SASS_PT && !o->neg);
}

static void lower_load(struct sass_lower *lo, struct inst *out,
		       struct sass_more *x)
{
	const struct sass_opnd *o = lo->si->opnd;

	if (!lower_size(lo, out))
		return;
	if (is_strong(lo->si))
		out->m |= MEM_STRONG;
	if (o[SASS_PU].type != SASS_NONE && o[SASS_PU].reg != SASS_PT)
		sass_lower_refuse(lo, "a load that sets a predicate is not "
				      "supported");
	list_data(out, x, o[SASS_D].reg == SASS_RZ);
	out->exec = load_executor(out);
	if (is_pt(&o[SASS_PQ]))
		return;
	out->x = x;
	x->vector = mem_load;
	out->exec = sass_load_or_zero;
}

static void lower_store(struct sass_lower *lo, struct inst *out,
			struct sass_more *x)
{
	if (!lower_size(lo, out))
		return;
	out->d = out->b;
	list_data(out, x, lo->si->opnd[SASS_B].reg == SASS_RZ);
	out->exec = out->width == 4 && out->count == 1 && out->k == 4 &&
				    out->space == SPACE_SHARED &&
				    out->addr == ADDR_REG32 ?
			    mem_store_shared :
			    mem_store;
}

/* ---- constants ----------------------------------------------------------- */

static void lower_constant(struct sass_lower *lo, struct inst *out,
			   struct sass_more *x)
{
	const struct sass_opnd *o = &lo->si->opnd[SASS_M];
	const struct sass_bank_view *bank = &lo->c->bank[o->bank];
	struct sass_opnd index = { .type = o->has_ureg ? SASS_UREG : SASS_REG,
				   .reg = o->has_ureg ? o->ureg : o->reg };
	uint32_t bytes;

	if (!lower_size(lo, out))
		return;
	bytes = (uint32_t)out->width * out->count;
	sass_check_constant(lo, o);
	out->space = SPACE_CONST;
	out->offset = (int64_t)(uint32_t)o->imm;
	list_data(out, x, false);
	out->x = x;
	x->vector = sass_ldc;
	if (index.reg == SASS_RZ) {
		if (bytes > 8)
			sass_lower_refuse(lo, "a constant of 16 bytes is not "
					      "supported");
		/* Operand b: where it is, for those who ask. */
		out->offset = sass_const_offset(o);
		out->a = sass_bank_slot(lo, o->bank, sass_const_offset(o),
					bytes, out->m & MEM_SIGNED);
		x->vector = sass_ldc_fixed;
	} else {
		if (SASS_MOD(lo->si, LDC) != SASS_LDC_IA)
			sass_lower_refuse(lo, "this index of a constant is not "
					      "supported");
		out->a = sass_source(lo, &index);
		out->addr = ADDR_WORD_BASE;
		out->e = sass_value_slot(lo, bank->address);
	}
	out->exec = lo->si->enc->uniform_guard ? sass_uniform : x->vector;
}

bool sass_lower_memory(struct sass_lower *lo, struct inst *out,
		       struct sass_more *x)
{
	enum sass_op op = sass_op_of(lo->si);
	const struct sass_opnd *o = &lo->si->opnd[SASS_M];

	if (o->type == SASS_CMEM) {
		lower_constant(lo, out, x);
		return true;
	}
	if (o->type != SASS_MEM)
		return false;
	sass_lower_address(lo, out, o, sass_access_space(op));
	switch (op) {
	case SASS_OP_LDG:
	case SASS_OP_LD:
	case SASS_OP_LDS:
	case SASS_OP_LDL:
		lower_load(lo, out, x);
		return true;
	case SASS_OP_STG:
	case SASS_OP_ST:
	case SASS_OP_STS:
	case SASS_OP_STL:
		lower_store(lo, out, x);
		return true;
	case SASS_OP_QSPC:
		out->k = SASS_MOD(lo->si, SPACE);
		if (lo->si->opnd[SASS_D].reg != SASS_RZ)
			sass_lower_refuse(lo, "its register is not supported");
		return true;
	default:
		return false;
	}
}
