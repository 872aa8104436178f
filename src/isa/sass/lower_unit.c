/*
 * Lowering of instructions of the units beside the ALUs: atomics, matrices,
 * copies, barriers in memory. Their executors are in exec_atom.c, exec_mma.c and
 * in simt/.
 */
#include "isa/sass/exec_mma.h"
#include "isa/sass/exec_tex.h"
#include "isa/sass/lower.h"
#include "simt/atomic.h"
#include "simt/bulk.h"
#include "simt/mbarrier.h"
#include "simt/mem_matrix.h"

/* The registers of an operand as list number `list` of x. RZ is one slot. */
static void unit_add_list(struct sass_more *x, unsigned list, slot_t first,
			  unsigned count)
{
	struct opnd_lists *l = &x->list;
	unsigned at = list ? l->first[list - 1] + l->count[list - 1] : 0;
	bool regs = SLOT_PLACE(first) == SLOT_REG;

	l->first[list] = (uint8_t)at;
	l->count[list] = (uint8_t)count;
	l->bytes[list] = 4;
	for (unsigned i = 0; i < count; i++)
		l->slots[at + i] = first + (regs ? i * SASS_PAIR_BYTES : 0);
}

/* ---- atomics ---- */

/* What an atomic works on. */
struct unit_type {
	bool known;
	uint8_t type; /* enum num_type */
	uint8_t width, count;
};

#define WORD(t)                     \
	{                           \
		true, NUM_##t, 4, 1 \
	}
#define LONG(t)                     \
	{                           \
		true, NUM_##t, 8, 1 \
	}
#define VECTOR(t, n)                \
	{                           \
		true, NUM_##t, 4, n \
	}

static struct unit_type type_before_sm90(unsigned value)
{
	static const struct unit_type types[8] = {
		[SASS_ATYPE_U32] = WORD(U32),     [SASS_ATYPE_S32] = WORD(S32),
		[SASS_ATYPE_U64] = LONG(U64),     [SASS_ATYPE_F32] = WORD(F32),
		[SASS_ATYPE_F16X2] = WORD(F16X2), [SASS_ATYPE_S64] = LONG(S64),
		[SASS_ATYPE_F64] = LONG(F64),
	};

	return types[value % 8];
}

static struct unit_type type_of_int(unsigned value)
{
	static const struct unit_type types[16] = {
		[SASS_AINT_U32] = WORD(U32),
		[SASS_AINT_S32] = WORD(S32),
		[SASS_AINT_U64] = LONG(U64),
		[SASS_AINT_S64] = LONG(S64),
		[SASS_AINT_U128] = { true, NUM_U64, 16, 1 },
	};

	_Static_assert((int)SASS_CASINT_U64 == (int)SASS_AINT_U64 &&
			       (int)SASS_CASINT_U128 == (int)SASS_AINT_U128,
		       "the types of compare-and-swap are among them");
	return types[value % 16];
}

static struct unit_type type_of_float(unsigned value)
{
	static const struct unit_type types[16] = {
		[SASS_AFLOAT_F16X2] = WORD(F16X2),
		[SASS_AFLOAT_F16X4] = VECTOR(F16X2, 2),
		[SASS_AFLOAT_F16X8] = VECTOR(F16X2, 4),
		[SASS_AFLOAT_BF16X2] = WORD(BF16X2),
		[SASS_AFLOAT_BF16X4] = VECTOR(BF16X2, 2),
		[SASS_AFLOAT_BF16X8] = VECTOR(BF16X2, 4),
		[SASS_AFLOAT_F32_FTZ] = WORD(F32),
		[SASS_AFLOAT_F32X2_FTZ] = VECTOR(F32, 2),
		[SASS_AFLOAT_F32X4_FTZ] = VECTOR(F32, 4),
		[SASS_AFLOAT_F64] = LONG(F64),
	};

	return types[value % 16];
}

static struct unit_type type_in_shared(unsigned value)
{
	static const struct unit_type types[8] = {
		[SASS_SATOM_U32] = WORD(U32),
		[SASS_SATOM_S32] = WORD(S32),
		[SASS_SATOM_U64] = LONG(U64),
		[SASS_SATOM_U128] = { true, NUM_U64, 16, 1 },
	};

	return types[value % 8];
}

/* Sets *op; false: not supported. */
static bool unit_atom_op(const struct sass_inst *i, enum atom_op *op)
{
	static const enum atom_op ops[] = {
		[SASS_ATOM_ADD] = ATOM_ADD,   [SASS_ATOM_MIN] = ATOM_MIN,
		[SASS_ATOM_MAX] = ATOM_MAX,   [SASS_ATOM_INC] = ATOM_INC,
		[SASS_ATOM_DEC] = ATOM_DEC,   [SASS_ATOM_AND] = ATOM_AND,
		[SASS_ATOM_OR] = ATOM_OR,     [SASS_ATOM_XOR] = ATOM_XOR,
		[SASS_ATOM_EXCH] = ATOM_EXCH,
	};
	unsigned v;

	_Static_assert((int)SASS_RED_XOR == (int)SASS_ATOM_XOR,
		       "the values of reductions are those of atomics");
	switch (sass_op_of(i)) {
	case SASS_OP_ATOMG_F:
	case SASS_OP_ATOM_F:
	case SASS_OP_RED_F:
		v = SASS_MOD(i, FRED);
		*op = v == SASS_FRED_ADD ? ATOM_ADD :
		      v == SASS_FRED_MIN ? ATOM_MIN :
					   ATOM_MAX;
		return v <= SASS_FRED_MAX;
	case SASS_OP_ATOMG_CAS:
	case SASS_OP_ATOM_CAS:
	case SASS_OP_ATOMS_CAS:
		*op = ATOM_CAS;
		return true;
	case SASS_OP_RED:
		v = SASS_MOD(i, RED);
		break;
	default:
		v = SASS_MOD(i, ATOM);
	}
	if (v >= sizeof(ops) / sizeof(*ops))
		return false;
	*op = ops[v];
	return true;
}

static struct unit_type unit_atom_type(const struct sass_inst *i)
{
	switch (sass_op_of(i)) {
	case SASS_OP_ATOMS:
	case SASS_OP_ATOMS_CAS:
		return type_in_shared(SASS_MOD(i, SATOM));
	case SASS_OP_ATOMG_F:
	case SASS_OP_ATOM_F:
	case SASS_OP_RED_F:
		return type_of_float(SASS_MOD(i, AFLOAT));
	case SASS_OP_ATOMG_CAS:
	case SASS_OP_ATOM_CAS:
		return type_of_int(SASS_MOD(i, CASINT));
	default:
		return i->enc->from < 90 ?
			       type_before_sm90(SASS_MOD(i, ATYPE)) :
			       type_of_int(SASS_MOD(i, AINT));
	}
}

/* Whether memory performs the operation on the type. */
static bool unit_atom_exists(enum atom_op op, const struct unit_type *t)
{
	bool is_float = t->type >= NUM_F16;
	bool halves = t->type == NUM_F16X2 || t->type == NUM_BF16X2;

	if (t->width == 16)
		return op == ATOM_EXCH || op == ATOM_CAS;
	if (op == ATOM_INC || op == ATOM_DEC)
		return t->type == NUM_U32;
	if (op == ATOM_MIN || op == ATOM_MAX)
		return !is_float || halves;
	return !is_float || op == ATOM_ADD;
}

static void unit_refuse(struct sass_lower *lo)
{
	sass_lower_refuse(lo, "this form of it is not supported");
}

static bool unit_is_rz(const struct sass_opnd *o)
{
	return o->type == SASS_NONE || o->reg == SASS_RZ;
}

static void unit_atom(struct sass_lower *lo, struct inst *out,
		      struct sass_more *x)
{
	const struct sass_inst *i = lo->si;
	struct unit_type t = unit_atom_type(i);
	enum atom_op op;

	if (unit_is_rz(&i->opnd[SASS_D]))
		out->d = SLOT_NONE;
	if (!unit_atom_op(i, &op) || !t.known || !unit_atom_exists(op, &t)) {
		unit_refuse(lo);
		return;
	}
	out->k = atom_code(op, (enum num_type)t.type);
	out->width = t.width;
	out->count = t.count;
	out->m = ATOM_WORDS;
	if (op == ATOM_CAS && (SASS_MOD(i, CAST) == SASS_CAST_CAST ||
			       SASS_MOD(i, CAST) == SASS_CAST_CAST_SPIN))
		out->m |= ATOM_TEST;
	if (out->m & ATOM_TEST && SASS_MOD(i, CAST) == SASS_CAST_CAST_SPIN &&
	    out->space == SPACE_SHARED)
		out->m |= ATOM_SPIN;
	if (t.count == 1)
		return;
	if (out->space != SPACE_GLOBAL)
		unit_refuse(lo);
	out->exec = atom_exec_vector;
	unit_add_list(x, 0, out->d, out->d == SLOT_NONE ? 0 : t.count);
	unit_add_list(x, 1, out->b, t.count);
}

/* Atomics that count, without an operand. */
static void unit_count(struct inst *out, const struct sass_inst *i)
{
	if (unit_is_rz(&i->opnd[SASS_D]))
		out->d = SLOT_NONE;
	out->width = sass_op_of(i) == SASS_OP_ATOMS_POPC ? 4 : 8;
	out->count = 1;
}

/* ---- matrices ---- */

/* Whether sass.def knows the value of a modifier. */
static bool unit_known(const struct sass_inst *i, enum sass_class class)
{
	for (size_t k = 0; k < sass_mod_count; k++)
		if (sass_mods[k].class == class &&
		    sass_mods[k].value == i->mod[class])
			return true;
	return false;
}

/* Signs and rounding exist, but ptxas uses none of them. */
static bool unit_plain_mma(const struct sass_inst *i)
{
	for (unsigned r = SASS_A; r <= SASS_C; r++)
		if (i->opnd[r].neg || i->opnd[r].abs)
			return false;
	return SASS_MOD(i, RND) == SASS_RND_RN &&
	       SASS_MOD(i, SATFINITE) == SASS_SATFINITE_NO;
}

/* Operand e is zero, for sass_mma. */
static void unit_mma(struct sass_lower *lo, struct inst *out)
{
	const struct sass_opnd zero = { .type = SASS_REG, .reg = SASS_RZ };
	struct mma_op op;

	out->e = sass_source(lo, &zero);
	if (!unit_plain_mma(lo->si) || !sass_mma_describe(lo->si, &op))
		unit_refuse(lo);
}

/* Loads and stores of matrices by rows. */
static void unit_rows(struct sass_lower *lo, struct inst *out,
		      struct sass_more *x)
{
	const struct sass_inst *i = lo->si;
	bool store = sass_op_of(i) == SASS_OP_STSM;
	unsigned layout = SASS_MOD(i, MATRIX);

	if (layout > SASS_MATRIX_MT88 || !unit_known(i, SASS_CLASS_MATRICES)) {
		unit_refuse(lo);
		return;
	}
	out->k = layout == SASS_MATRIX_MT88 ? MATRIX_TRANS : 0;
	unit_add_list(x, 0, store ? out->b : out->d,
		      1u << SASS_MOD(i, MATRICES));
}

/* ---- copies ---- */

/* The operands as mem_copy_async has them: the instruction's own address is that
 * of the destination, and list 0 has that of the source. */
static void unit_copy(struct sass_lower *lo, struct inst *out,
		      struct sass_more *x)
{
	const struct sass_inst *i = lo->si;
	unsigned size = sass_access_size(i);
	slot_t predicate = sass_source(lo, &i->opnd[SASS_PP]);
	struct inst to = *out;

	if (size < SASS_SIZE_B32 || size > SASS_SIZE_B128) {
		unit_refuse(lo);
		return;
	}
	/* At most one of the two has a uniform register. */
	sass_lower_address(lo, &to, &i->opnd[SASS_N], SPACE_SHARED);
	if (to.addr == ADDR_REG32_BASE)
		out->e = to.e;
	unit_add_list(x, 0, out->a, 1);
	unit_add_list(x, 1, SLOT_NONE, 0);
	/* Lanes whose predicate is false copy nothing. */
	unit_add_list(x, 2, predicate,
		      i->opnd[SASS_PP].type == SASS_NONE ? 0 : 1);
	out->flip ^= 1;
	out->k = out->addr;
	if (SASS_MOD(i, ZFILL) == SASS_ZFILL_YES)
		out->k |= ADDR_ROUNDED;
	out->m = (uint32_t)out->offset;
	out->a = to.a;
	out->addr = to.addr;
	out->offset = to.offset;
	out->space = SPACE_SHARED;
	out->width = (uint8_t)(4u << (size - SASS_SIZE_B32));
	out->count = 1;
}

static struct inst unit_uniform_address(struct sass_lower *lo,
					enum sass_role role, unsigned i,
					enum space space)
{
	const struct sass_opnd *o = &lo->si->opnd[role];
	struct sass_opnd reg = *o;
	struct inst in = { .space = (uint8_t)space,
			   .op = lo->si->enc->op,
			   .index = lo->index,
			   .guard = SLOT_NONE,
			   .width = BULK_CHUNK,
			   .count = 1 };

	if (reg.reg != SASS_RZ)
		reg.reg = (uint8_t)(reg.reg + i);
	in.addr = space == SPACE_GLOBAL ? ADDR_PAIR : ADDR_REG32;
	in.a = sass_source(lo, &reg);
	return in;
}

/* [B], [A], C: to, from, chunks. A copy to shared memory has the address of its
 * barrier in the register after B. */
static void unit_bulk(struct sass_lower *lo, struct inst *out)
{
	const struct sass_inst *i = lo->si;
	bool store = SASS_MOD(i, TOSPACE) == SASS_TOSPACE_GLOBAL;
	bool from_shared = SASS_MOD(i, FROMSPACE) == SASS_FROMSPACE_SHARED;
	struct bulk_opnds *x =
		arena_new(&lo->p->base.arena, struct bulk_opnds, 1);

	if (!x || store != from_shared || SASS_MOD(i, MULTICAST)) {
		unit_refuse(lo);
		return;
	}
	x->store = store;
	x->global = unit_uniform_address(lo, store ? SASS_B : SASS_A, 0,
					 SPACE_GLOBAL);
	x->shared = unit_uniform_address(lo, store ? SASS_A : SASS_B, 0,
					 SPACE_SHARED);
	x->barrier = unit_uniform_address(lo, SASS_B, 1, SPACE_SHARED);
	out->x = x;
	out->b = out->c;
	out->c = SLOT_NONE;
	out->k = BULK_IN_CHUNKS | BULK_ONCE;
}

/* ---- barriers in memory ---- */

static void unit_arrive(struct sass_lower *lo, struct inst *out)
{
	const struct sass_inst *i = lo->si;

	if (unit_is_rz(&i->opnd[SASS_D]))
		out->d = SLOT_NONE;
	switch (SASS_MOD(i, PARAM)) {
	case SASS_PARAM_A1TR:
		out->k = MBAR_COUNT | MBAR_TX;
		break;
	case SASS_PARAM_A1T0:
		out->k = 0;
		break;
	case SASS_PARAM_ART0:
		out->k = MBAR_COUNT;
		break;
	case SASS_PARAM_A0T1:
		out->b = sass_value_slot(lo, 1);
		out->exec = mbar_tx;
		break;
	case SASS_PARAM_A0TR:
		out->exec = mbar_tx;
		break;
	case SASS_PARAM_A0TX:
		out->k = MBAR_COMPLETE;
		out->exec = mbar_tx;
		break;
	default:
		unit_refuse(lo);
	}
	out->k |= MBAR_WORDS;
	if (SASS_MOD(i, OPTOUT))
		out->k |= MBAR_DROP;
	if (SASS_MOD(i, RETVAL) == SASS_RETVAL_TMASK)
		out->k |= MBAR_MASK;
	if (out->exec == mbar_tx && out->d != SLOT_NONE)
		unit_refuse(lo);
}

/* What the end of the copies before it adds to a barrier. */
static void unit_copies_arrive(struct sass_lower *lo, struct inst *out)
{
	if (lo->si->enc->from < 90) {
		out->exec = sass_atoms_arrive;
		out->d = SLOT_NONE;
		return;
	}
	switch (SASS_MOD(lo->si, LDGSTSBAR)) {
	case SASS_LDGSTSBAR_ARVCNT:
		out->k = MBAR_COUNT;
		break;
	case SASS_LDGSTSBAR_TRANSCNT:
		out->k = MBAR_TX;
		break;
	default:
		unit_refuse(lo);
	}
}

/* Also SYNCS.CCTL.IVALL, without an address, which concerns a cache only. */
static void unit_barrier(struct sass_lower *lo, struct inst *out)
{
	const struct sass_inst *i = lo->si;

	out->width = 8;
	out->count = 1;
	switch (sass_op_of(i)) {
	case SASS_OP_SYNCS_ARRIVE:
		unit_arrive(lo, out);
		break;
	case SASS_OP_SYNCS_PHASECHK:
		out->d = out->d2;
		out->k = MBAR_TOP;
		break;
	case SASS_OP_SYNCS_EXCH:
		if (unit_is_rz(&i->opnd[SASS_D]))
			out->d = SLOT_NONE;
		break;
	case SASS_OP_SYNCS_CCTL:
		if (i->opnd[SASS_M].type == SASS_NONE ||
		    SASS_MOD(i, SCCTL) != SASS_SCCTL_IV)
			out->exec = warp_nop;
		break;
	default:
		unit_copies_arrive(lo, out);
	}
}

static bool unit_is_atomic(enum sass_op op)
{
	switch (op) {
	case SASS_OP_ATOM:
	case SASS_OP_ATOM_F:
	case SASS_OP_ATOM_CAS:
	case SASS_OP_ATOMG:
	case SASS_OP_ATOMG_F:
	case SASS_OP_ATOMG_CAS:
	case SASS_OP_ATOMS:
	case SASS_OP_ATOMS_CAS:
	case SASS_OP_RED:
	case SASS_OP_RED_F:
		return true;
	default:
		return false;
	}
}

bool sass_lower_unit(struct sass_lower *lo, struct inst *out,
		     struct sass_more *x)
{
	if (unit_is_atomic(sass_op_of(lo->si))) {
		unit_atom(lo, out, x);
		return true;
	}
	switch (sass_op_of(lo->si)) {
	case SASS_OP_ATOMS_POPC:
	case SASS_OP_ATOMS_ARRIVE:
		unit_count(out, lo->si);
		return true;
	case SASS_OP_HMMA:
	case SASS_OP_HMMA_884:
	case SASS_OP_HMMA_SP:
	case SASS_OP_QMMA:
	case SASS_OP_IMMA:
	case SASS_OP_IMMA_SP:
	case SASS_OP_DMMA:
	case SASS_OP_BMMA:
		unit_mma(lo, out);
		return true;
	case SASS_OP_MOVM:
		if (SASS_MOD(lo->si, MOVM) != SASS_MOVM_MT88)
			unit_refuse(lo);
		return true;
	case SASS_OP_LDSM:
	case SASS_OP_STSM:
		unit_rows(lo, out, x);
		return true;
	case SASS_OP_LDGSTS:
		unit_copy(lo, out, x);
		return true;
	case SASS_OP_DEPBAR: /* how many groups may be left */
		out->offset = lo->si->opnd[SASS_I].imm;
		return true;
	case SASS_OP_SYNCS_ARRIVE:
	case SASS_OP_SYNCS_PHASECHK:
	case SASS_OP_SYNCS_EXCH:
	case SASS_OP_SYNCS_CCTL:
	case SASS_OP_ARRIVES:
		unit_barrier(lo, out);
		return true;
	case SASS_OP_UBLKCP:
		unit_bulk(lo, out);
		return true;
	default:
		return sass_lower_tex(lo, out);
	}
}
