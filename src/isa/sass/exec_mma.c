/*
 * Matrix instructions. The fragments are those of PTX's mma, register by
 * register; simt/mma.h computes.
 *
 * A warp that is split gives its active lanes the result of all lanes'
 * registers; hardware leaves it undefined.
 */
#include "isa/sass/exec_mma.h"

#include "isa/sass/exec_alu.h"

enum { MMA_SLOTS = 64 };

struct mma_slots {
	struct opnd_lists list;
	slot_t slot[MMA_SLOTS];
};

/* ---- what an instruction computes ---- */

/* A is stored by rows and B by columns. */
static struct mma_op mma_of(enum num_type d, enum num_type a, enum num_type b,
			    struct mma_shape shape)
{
	return (struct mma_op){ .shape = shape,
				.type = { d, a, b, d },
				.row = { true, true, false, true } };
}

static bool describe_hmma(const struct sass_inst *i, struct mma_op *op)
{
	bool wide = SASS_MOD(i, ACC) == SASS_ACC_F32;
	unsigned type = SASS_MOD(i, HTYPE);
	enum num_type sum = wide ? NUM_F32 : NUM_F16;
	enum num_type f = type == SASS_HTYPE_BF16 ? NUM_BF16 :
			  type == SASS_HTYPE_TF32 ? NUM_TF32 :
						    NUM_F16;
	struct mma_shape shape = { 16, 8, 8 };

	switch (SASS_MOD(i, HSHAPE)) {
	case SASS_HSHAPE_M1688:
		break;
	case SASS_HSHAPE_M16816:
		shape.k = 16;
		break;
	case SASS_HSHAPE_M1684:
		shape.k = 4;
		break;
	default:
		return false;
	}
	*op = mma_of(sum, f, f, shape);
	if (type == SASS_HTYPE_TF32)
		return wide && shape.k <= 8;
	return type <= SASS_HTYPE_BF16 && shape.k >= 8 &&
	       (wide || type == SASS_HTYPE_F16);
}

/* Adds what a sparse operation has. */
static bool describe_sparse(const struct sass_inst *i, struct mma_op *op)
{
	op->sparse = true;
	op->selector = (uint8_t)i->opnd[SASS_I].imm;
	return mma_has_selector(op, op->selector);
}

static bool describe_hmma_sp(const struct sass_inst *i, struct mma_op *op)
{
	bool wide = SASS_MOD(i, ACC) == SASS_ACC_F32;
	unsigned type = SASS_MOD(i, HTYPE), shape = SASS_MOD(i, SPSHAPE);
	bool tf32 = type == SASS_HTYPE_TF32;
	enum num_type f = type == SASS_HTYPE_BF16 ? NUM_BF16 :
			  tf32                    ? NUM_TF32 :
						    NUM_F16;
	uint16_t k = shape == SASS_SPSHAPE_M1688  ? 8 :
		     shape == SASS_SPSHAPE_M16816 ? 16 :
						    32;

	*op = mma_of(wide ? NUM_F32 : NUM_F16, f, f,
		     (struct mma_shape){ 16, 8, k });
	if (type > SASS_HTYPE_TF32 || (!wide && type != SASS_HTYPE_F16) ||
	    (tf32 ? k > 16 : k < 16) ||
	    (k == 32 && shape != SASS_SPSHAPE_M16832))
		return false;
	return describe_sparse(i, op);
}

/* Four m8n8k4, one for each quarter of the warp. */
static bool describe_hmma_884(const struct sass_inst *i, struct mma_op *op)
{
	bool wide = SASS_MOD(i, ACC) == SASS_ACC_F32;

	*op = mma_of(wide ? NUM_F32 : NUM_F16, NUM_F16, NUM_F16,
		     (struct mma_shape){ 8, 8, 4 });
	op->quads = true;
	op->row[MMA_A] = SASS_MOD(i, MAJOR) == SASS_MAJOR_ROW;
	op->row[MMA_B] = SASS_MOD(i, MAJOR2) == SASS_MAJOR2_ROW;
	return SASS_MOD(i, ACC) == SASS_MOD(i, ACC2) &&
	       (wide || SASS_MOD(i, STEP) <= SASS_STEP_S1);
}

static bool describe_factor(unsigned type, enum num_type *out)
{
	static const enum num_type types[] = {
		[SASS_ITYPE_U8] = NUM_U8,
		[SASS_ITYPE_S8] = NUM_S8,
		[SASS_ITYPE_U4] = NUM_U4,
		[SASS_ITYPE_S4] = NUM_S4,
	};

	if (type > SASS_ITYPE_S4 ||
	    (type > SASS_ITYPE_S8 && type < SASS_ITYPE_U4))
		return false;
	*out = types[type];
	return true;
}

static bool describe_imma(const struct sass_inst *i, struct mma_op *op)
{
	static const struct mma_shape shapes[8] = {
		[SASS_ISHAPE_M8816] = { 8, 8, 16 },
		[SASS_ISHAPE_M8832] = { 8, 8, 32 },
		[SASS_ISHAPE_M16816] = { 16, 8, 16 },
		[SASS_ISHAPE_M16832] = { 16, 8, 32 },
		[SASS_ISHAPE_M16864] = { 16, 8, 64 },
	};
	struct mma_shape s = shapes[SASS_MOD(i, ISHAPE) % 8];
	enum num_type a, b;
	unsigned bytes;

	if (!s.m || !describe_factor(SASS_MOD(i, ITYPE), &a) ||
	    !describe_factor(SASS_MOD(i, ITYPE2), &b) ||
	    mma_elem_bits(a) != mma_elem_bits(b))
		return false;
	*op = mma_of(NUM_S32, a, b, s);
	op->satfinite = SASS_MOD(i, SAT);
	/* A line of A has a whole number of the lanes' registers. */
	bytes = s.k * mma_elem_bits(a) / 8;
	return bytes == 16 || (bytes == 32 && s.m == 16);
}

static bool describe_imma_sp(const struct sass_inst *i, struct mma_op *op)
{
	static const uint16_t depths[8] = {
		[SASS_ISHAPE_M16832] = 32,
		[SASS_ISHAPE_M16864] = 64,
		[SASS_ISHAPE_M168128] = 128,
	};
	uint16_t k = depths[SASS_MOD(i, ISHAPE) % 8];
	enum num_type a, b;
	unsigned bytes;

	if (!describe_factor(SASS_MOD(i, ITYPE), &a) ||
	    !describe_factor(SASS_MOD(i, ITYPE2), &b) ||
	    mma_elem_bits(a) != mma_elem_bits(b))
		return false;
	*op = mma_of(NUM_S32, a, b, (struct mma_shape){ 16, 8, k });
	op->satfinite = SASS_MOD(i, SAT);
	bytes = k * mma_elem_bits(a) / 8;
	return (bytes == 32 || bytes == 64) && describe_sparse(i, op);
}

static bool describe_dmma(const struct sass_inst *i, struct mma_op *op)
{
	static const struct mma_shape shapes[4] = {
		[SASS_DSHAPE_M884] = { 8, 8, 4 },
		[SASS_DSHAPE_M1684] = { 16, 8, 4 },
		[SASS_DSHAPE_M1688] = { 16, 8, 8 },
		[SASS_DSHAPE_M16816] = { 16, 8, 16 },
	};

	*op = mma_of(NUM_F64, NUM_F64, NUM_F64,
		     shapes[SASS_MOD(i, DSHAPE) % 4]);
	return true;
}

static bool describe_bmma(const struct sass_inst *i, struct mma_op *op)
{
	/* k in words. */
	static const struct mma_shape shapes[4] = {
		[SASS_BSHAPE_M88128] = { 8, 8, 4 },
		[SASS_BSHAPE_M168128] = { 16, 8, 4 },
		[SASS_BSHAPE_M168256] = { 16, 8, 8 },
	};
	unsigned bits = SASS_MOD(i, BITOP);

	*op = mma_of(NUM_S32, NUM_B1, NUM_B1, shapes[SASS_MOD(i, BSHAPE) % 4]);
	op->bit_and = bits == SASS_BITOP_AND;
	return op->shape.m &&
	       (bits == SASS_BITOP_AND || bits == SASS_BITOP_XOR);
}

static bool describe_qmma(const struct sass_inst *i, struct mma_op *op)
{
	bool wide = SASS_MOD(i, ACC) == SASS_ACC_F32;
	enum num_type a = SASS_MOD(i, QTYPE) ? NUM_E5M2 : NUM_E4M3;
	enum num_type b = SASS_MOD(i, QTYPE2) ? NUM_E5M2 : NUM_E4M3;
	uint16_t k = SASS_MOD(i, QSHAPE) == SASS_QSHAPE_M16832 ? 32 : 16;

	*op = mma_of(wide ? NUM_F32 : NUM_F16, a, b,
		     (struct mma_shape){ 16, 8, k });
	return true;
}

bool sass_mma_describe(const struct sass_inst *i, struct mma_op *op)
{
	switch (sass_op_of(i)) {
	case SASS_OP_HMMA:
		return describe_hmma(i, op);
	case SASS_OP_HMMA_884:
		return describe_hmma_884(i, op);
	case SASS_OP_HMMA_SP:
		return describe_hmma_sp(i, op);
	case SASS_OP_IMMA:
		return describe_imma(i, op);
	case SASS_OP_IMMA_SP:
		return describe_imma_sp(i, op);
	case SASS_OP_DMMA:
		return describe_dmma(i, op);
	case SASS_OP_BMMA:
		return describe_bmma(i, op);
	case SASS_OP_QMMA:
		return describe_qmma(i, op);
	default:
		return false;
	}
}

/* ---- executors ---- */

static unsigned mma_begin_list(struct mma_slots *m, int list, unsigned count)
{
	unsigned at = list ? m->list.first[list - 1] + m->list.count[list - 1] :
			     0;

	m->list.first[list] = (uint8_t)at;
	m->list.count[list] = (uint8_t)count;
	m->list.bytes[list] = 4;
	return at;
}

/* Appends the registers of an operand from its first one on. RZ is zero in all
 * of them. */
static void mma_add_list(struct mma_slots *m, int list, slot_t first,
			 unsigned count)
{
	unsigned at = mma_begin_list(m, list, count);
	bool regs = SLOT_PLACE(first) == SLOT_REG;

	for (unsigned i = 0; i < count; i++)
		m->slot[at + i] = first + (regs ? i * SASS_PAIR_BYTES : 0);
}

/* The same of a part of a matrix: two registers, the others are `rest`. */
static void mma_add_part(struct mma_slots *m, int list, slot_t first,
			 unsigned count, unsigned step, slot_t rest)
{
	unsigned at = mma_begin_list(m, list, count);
	bool regs = SLOT_PLACE(first) == SLOT_REG;

	for (unsigned i = 0; i < count; i++)
		m->slot[at + i] = i / 2 != step ? rest :
				  regs ? first + i % 2 * SASS_PAIR_BYTES :
					 first;
}

/* Registers of a warp for `elems` elements. */
static unsigned mma_registers(unsigned elems, enum num_type t)
{
	return elems * mma_elem_bits(t) / 32 / LANES;
}

/* From sm_86 on a uniform predicate says whether C is added. */
void sass_mma(struct warp *w, const struct inst *in)
{
	slot_t c = sass_pq(w, in) ? in->c : in->e;
	struct mma_slots s;
	struct mma_op op;
	unsigned m, n, k;

	if (!sass_mma_describe(&sass_more_of(in)->inst, &op))
		return; /* never: the kernel was refused */
	m = op.shape.m;
	n = op.shape.n;
	k = op.shape.k;
	s.list.slots = s.slot;
	mma_add_list(&s, MMA_D, in->d, mma_registers(m * n, op.type[MMA_D]));
	mma_add_list(&s, MMA_A, in->a,
		     mma_registers(op.sparse ? m * k / 2 : m * k,
				   op.type[MMA_A]));
	mma_add_list(&s, MMA_B, in->b, mma_registers(k * n, op.type[MMA_B]));
	mma_add_list(&s, MMA_C, c, mma_registers(m * n, op.type[MMA_C]));
	if (op.sparse)
		mma_add_list(&s, MMA_E, sass_more_of(in)->fourth, 1);
	mma_execute(w, &s.list, &op);
}

/* A step computes two registers of the result. */
void sass_mma_step(struct warp *w, const struct inst *in)
{
	const struct sass_more *x = sass_more_of(in);
	unsigned step = SASS_MOD(&x->inst, STEP), count;
	struct mma_slots s;
	struct mma_op op;

	if (!sass_mma_describe(&x->inst, &op))
		return; /* never: the kernel was refused */
	count = op.type[MMA_D] == NUM_F32 ? 8 : 4;
	s.list.slots = s.slot;
	mma_add_part(&s, MMA_D, in->d, count, step, SLOT_NONE);
	mma_add_list(&s, MMA_A, in->a, 2);
	mma_add_list(&s, MMA_B, in->b, 2);
	/* The instruction has no fourth source, which reads as zero. */
	mma_add_part(&s, MMA_C, in->c, count, step, x->fourth);
	mma_execute(w, &s.list, &op);
}
