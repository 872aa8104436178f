#include "isa/sass/regs.h"

/* Registers of the operands D, A, B and C. */
struct widths {
	uint8_t d, a, b, c;
};

/* Registers of a memory access, by its size. */
static uint8_t size_regs(const struct sass_inst *in)
{
	switch (sass_access_size(in)) {
	case SASS_SIZE_B64:
		return 2;
	case SASS_SIZE_B128:
	case SASS_SIZE_OLD_U128:
		return 4;
	default:
		return 1;
	}
}

uint8_t sass_atomic_registers(const struct sass_inst *in)
{
	uint64_t word[2];
	unsigned type;

	sass_encode(in, word);
	switch (sass_op_of(in)) {
	case SASS_OP_ATOMG_F:
	case SASS_OP_ATOM_F:
	case SASS_OP_RED_F:
		return SASS_MOD(in, AFLOAT) == SASS_AFLOAT_F64 ? 2 : 1;
	case SASS_OP_ATOMS:
	case SASS_OP_ATOMS_CAS:
		return SASS_MOD(in, SATOM) == SASS_SATOM_U64 ? 2 : 1;
	default:
		break;
	}
	type = (unsigned)sass_bits(word, 73, in->sm < 90 ? 3 : 4);
	if (in->sm < 90)
		return type == SASS_ATYPE_U64 || type == SASS_ATYPE_S64 ||
				       type == SASS_ATYPE_F64 ?
			       2 :
			       1;
	return type == 4 ? 4 : type >= 2 ? 2 : 1; /* U32, S32, U64, S64, 128 */
}

static struct widths hmma_widths(const struct sass_inst *in)
{
	uint8_t sum = SASS_MOD(in, ACC) == SASS_ACC_F32 ? 4 : 2;

	switch (SASS_MOD(in, HSHAPE)) {
	case SASS_HSHAPE_M16816:
		return (struct widths){ sum, 4, 2, sum };
	case SASS_HSHAPE_M1684:
		return (struct widths){ sum, 2, 1, sum };
	default: /* 1688: factors of 32 bits take twice the registers */
		if (SASS_MOD(in, HTYPE) == SASS_HTYPE_TF32)
			return (struct widths){ sum, 4, 2, sum };
		return (struct widths){ sum, 2, 1, sum };
	}
}

static struct widths imma_widths(const struct sass_inst *in)
{
	switch (SASS_MOD(in, ISHAPE)) {
	case SASS_ISHAPE_M16816:
		return (struct widths){ 4, 2, 1, 4 };
	case SASS_ISHAPE_M16832:
	case SASS_ISHAPE_M16864:
		return (struct widths){ 4, 4, 2, 4 };
	default:
		return (struct widths){ 2, 1, 1, 2 };
	}
}

bool sass_is_half_sparse(const struct sass_inst *in)
{
	bool tf32 = SASS_MOD(in, HTYPE) == SASS_HTYPE_TF32;
	bool nibbles = SASS_MOD(in, ITYPE) == SASS_ITYPE_U4 ||
		       SASS_MOD(in, ITYPE) == SASS_ITYPE_S4;

	if (sass_op_of(in) == SASS_OP_IMMA_SP)
		return SASS_MOD(in, ISHAPE) ==
		       (nibbles ? SASS_ISHAPE_M16864 : SASS_ISHAPE_M16832);
	return SASS_MOD(in, SPSHAPE) ==
	       (tf32 ? SASS_SPSHAPE_M1688 : SASS_SPSHAPE_M16816);
}

static struct widths sparse_widths(const struct sass_inst *in)
{
	bool wide = sass_op_of(in) == SASS_OP_IMMA_SP ||
		    SASS_MOD(in, ACC) == SASS_ACC_F32;
	uint8_t sum = wide ? 4 : 2, n = sass_is_half_sparse(in) ? 2 : 4;

	return (struct widths){ sum, n, n, sum };
}

static struct widths dmma_widths(const struct sass_inst *in)
{
	switch (SASS_MOD(in, DSHAPE)) {
	case SASS_DSHAPE_M1684:
		return (struct widths){ 8, 4, 2, 8 };
	case SASS_DSHAPE_M1688:
		return (struct widths){ 8, 8, 4, 8 };
	case SASS_DSHAPE_M16816:
		return (struct widths){ 8, 16, 8, 8 };
	default:
		return (struct widths){ 4, 2, 2, 4 };
	}
}

static struct widths bmma_widths(const struct sass_inst *in)
{
	switch (SASS_MOD(in, BSHAPE)) {
	case SASS_BSHAPE_M168128:
		return (struct widths){ 4, 2, 1, 4 };
	case SASS_BSHAPE_M168256:
		return (struct widths){ 4, 4, 2, 4 };
	default:
		return (struct widths){ 2, 1, 1, 2 };
	}
}

static struct widths qmma_widths(const struct sass_inst *in)
{
	uint8_t sum = SASS_MOD(in, ACC) == SASS_ACC_F32 ? 4 : 2;

	return SASS_MOD(in, QSHAPE) == SASS_QSHAPE_M16832 ?
		       (struct widths){ sum, 4, 2, sum } :
		       (struct widths){ sum, 2, 1, sum };
}

/* Conversions from or to 64 bits: the formats are at bits 75 and 84. */
static struct widths convert_widths(const struct sass_inst *in)
{
	enum { WIDE = 3 };
	bool from_float = sass_op_of(in) != SASS_OP_I2F64;
	bool to_float = sass_op_of(in) != SASS_OP_F2I64;
	uint64_t word[2];
	uint8_t d, b;

	sass_encode(in, word);
	d = sass_bits(word, 75, to_float ? 3 : 2) == WIDE ? 2 : 1;
	b = sass_bits(word, 84, from_float ? 3 : 2) == WIDE ? 2 : 1;
	return (struct widths){ d, 1, b, 1 };
}

static struct widths access_widths(const struct sass_inst *in)
{
	uint8_t n;

	switch (sass_op_of(in)) {
	case SASS_OP_LDSM:
	case SASS_OP_STSM:
		n = (uint8_t)(1 << SASS_MOD(in, MATRICES));
		return (struct widths){ n, 1, n, 1 };
	case SASS_OP_ATOMS_ARRIVE:
	case SASS_OP_SYNCS_ARRIVE:
	case SASS_OP_SYNCS_PHASECHK:
	case SASS_OP_SYNCS_CCTL:
		return (struct widths){ 2, 1, 1, 1 };
	case SASS_OP_SYNCS_EXCH:
		return (struct widths){ 2, 1, 2, 2 };
	default:
		n = sass_row_of(in)->kind == KIND_ATOMIC ?
			    sass_atomic_registers(in) :
			    size_regs(in);
		return (struct widths){ n, 1, n, n };
	}
}

/* Of instructions other than memory accesses. */
static struct widths plain_widths(const struct sass_inst *in)
{
	switch (sass_op_of(in)) {
	case SASS_OP_IMAD_WIDE:
	case SASS_OP_UIMAD_WIDE:
		return (struct widths){ 2, 1, 1, 2 };
	case SASS_OP_IMAD_HI:
		return (struct widths){ 1, 1, 1, 2 };
	case SASS_OP_UCLEA:
		return (struct widths){ 2, 2, 1, 1 };
	case SASS_OP_UIADD3_64:
	case SASS_OP_DADD:
	case SASS_OP_DMUL:
	case SASS_OP_DFMA:
	case SASS_OP_DSETP:
		return (struct widths){ 2, 2, 2, 2 };
	case SASS_OP_F2F64:
	case SASS_OP_F2I64:
	case SASS_OP_I2F64:
	case SASS_OP_FRND64:
		return convert_widths(in);
	case SASS_OP_CS2R:
		return (struct widths){ SASS_MOD(in, CS32) ? 2 : 1, 1, 1, 1 };
	case SASS_OP_MATCH:
		return (struct widths){ 1, SASS_MOD(in, U64) ? 2 : 1, 1, 1 };
	case SASS_OP_ULDC:
		return (struct widths){ size_regs(in), 1, 1, 1 };
	case SASS_OP_LEPC:
	case SASS_OP_ULEPC:
		return (struct widths){ 2, 1, 1, 1 };
	case SASS_OP_BRX:
	case SASS_OP_BRXU:
	case SASS_OP_JMX:
	case SASS_OP_JMXU:
	case SASS_OP_CALL_REG:
	case SASS_OP_CALL_ABS:
	case SASS_OP_RET:
	case SASS_OP_RET_ABS:
		return (struct widths){ 1, 2, 1, 1 };
	case SASS_OP_HMMA:
		return hmma_widths(in);
	case SASS_OP_IMMA:
		return imma_widths(in);
	case SASS_OP_HMMA_SP:
	case SASS_OP_IMMA_SP:
		return sparse_widths(in);
	case SASS_OP_DMMA:
		return dmma_widths(in);
	case SASS_OP_BMMA:
		return bmma_widths(in);
	case SASS_OP_QMMA:
		return qmma_widths(in);
	default:
		return (struct widths){ 1, 1, 1, 1 };
	}
}

static struct widths widths_of(const struct sass_inst *in)
{
	switch (sass_row_of(in)->kind) {
	case KIND_LOAD:
	case KIND_STORE:
	case KIND_ATOMIC:
		return access_widths(in);
	default:
		return plain_widths(in);
	}
}

/* ---- the list ------------------------------------------------------------ */

struct use_list {
	struct sass_use *use;
	unsigned count;
};

static void list_use(struct use_list *l, enum sass_file file, unsigned reg,
		     unsigned role, unsigned width, bool writes)
{
	bool pred = file == SASS_FILE_P || file == SASS_FILE_UP;
	unsigned none = pred ? SASS_PT : SASS_RZ;

	for (unsigned i = 0; i < width && reg + i < none; i++)
		if (l->count < SASS_USES)
			l->use[l->count++] =
				(struct sass_use){ .file = (uint8_t)file,
						   .reg = (uint8_t)(reg + i),
						   .role = (uint8_t)role,
						   .part = (uint8_t)i,
						   .writes = writes };
}

/* A global address is a pair; so is a descriptor, or a base that is added to
 * such an address. */
static void list_memory(struct use_list *l, const struct sass_inst *in,
			const struct sass_opnd *o, unsigned role)
{
	bool global = SASS_MOD(in, E) || sass_op_of(in) == SASS_OP_LDGSTS;
	bool pair = o->has_ureg && !o->desc ? o->wide : global;

	if (role == SASS_N) /* of a copy: in shared memory */
		global = pair = false;
	if (o->has_reg)
		list_use(l, SASS_FILE_R, o->reg, role, pair || o->wide ? 2 : 1,
			 false);
	if (o->has_ureg)
		list_use(l, SASS_FILE_UR, o->ureg, role,
			 global || o->desc ? 2 : 1, false);
}

static unsigned width_of(const struct widths *w, unsigned role)
{
	switch (role) {
	case SASS_D:
		return w->d;
	case SASS_A:
		return w->a;
	case SASS_B:
		return w->b;
	case SASS_C:
		return w->c;
	default:
		return 1;
	}
}

static bool is_destination(unsigned role)
{
	return role == SASS_D || role == SASS_D2 || role == SASS_PU ||
	       role == SASS_PV;
}

static void list_operand(struct use_list *l, const struct sass_inst *in,
			 const struct widths *w, unsigned role)
{
	const struct sass_opnd *o = &in->opnd[role];
	unsigned width = width_of(w, role);
	bool writes = is_destination(role);

	switch (o->type) {
	case SASS_REG:
		list_use(l, SASS_FILE_R, o->reg, role, width, writes);
		break;
	case SASS_UREG:
		list_use(l, SASS_FILE_UR, o->reg, role, width, writes);
		break;
	case SASS_PRED:
		list_use(l, SASS_FILE_P, o->reg, role, 1, writes);
		break;
	case SASS_UPRED:
		list_use(l, SASS_FILE_UP, o->reg, role, 1, writes);
		break;
	case SASS_XCONST:
		list_use(l, SASS_FILE_UR, o->ureg, role, 2, false);
		break;
	case SASS_MEM:
		list_memory(l, in, o, role);
		break;
	case SASS_CMEM: /* the index of a constant */
		if (o->has_reg)
			list_use(l, SASS_FILE_R, o->reg, role, 1, false);
		if (o->has_ureg)
			list_use(l, SASS_FILE_UR, o->ureg, role, 1, false);
		break;
	}
}

/* The predicates that an instruction moves to or from a register: those of its
 * mask. They are no operands. */
static void list_mask(struct use_list *l, const struct sass_inst *in)
{
	const struct sass_opnd *mask = &in->opnd[SASS_B];
	bool fixed = mask->type == SASS_UINT || mask->type == SASS_SINT;
	enum sass_file file = SASS_FILE_P;
	bool writes = false;

	switch (sass_op_of(in)) {
	case SASS_OP_P2R:
		break;
	case SASS_OP_R2P:
		writes = true;
		break;
	case SASS_OP_UP2UR:
		file = SASS_FILE_UP;
		break;
	case SASS_OP_UR2UP:
		file = SASS_FILE_UP;
		writes = true;
		break;
	default:
		return;
	}
	for (unsigned i = 0; i < SASS_PT; i++)
		if (!fixed || mask->imm >> i & 1)
			list_use(l, file, i, writes ? SASS_PU : SASS_PP, 1,
				 writes);
}

unsigned sass_uses(const struct sass_inst *in, struct sass_use out[SASS_USES])
{
	struct use_list l = { .use = out };
	struct widths w = widths_of(in);

	list_use(&l, in->enc->uniform_guard ? SASS_FILE_UP : SASS_FILE_P,
		 in->guard, SASS_GUARD, 1, false);
	for (unsigned role = 0; role < SASS_ROLES; role++)
		list_operand(&l, in, &w, role);
	list_mask(&l, in);
	return l.count;
}
