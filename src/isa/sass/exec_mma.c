/*
 * Matrix instructions. The fragments are those of PTX's mma, register by
 * register; simt/mma.h computes.
 *
 * A warp that is split gives its active lanes the result of all lanes'
 * registers; hardware leaves it undefined.
 */
#include "isa/sass/exec.h"
#include "simt/mma.h"

enum { MMA_SLOTS = 64 };

struct mma_slots {
	struct opnd_lists list;
	slot_t slot[MMA_SLOTS];
};

/* Appends the registers of an operand from its first one on. RZ is zero in all
 * of them. */
static void mma_add_list(struct mma_slots *m, int list, slot_t first,
			 unsigned count)
{
	unsigned at = list ? m->list.first[list - 1] + m->list.count[list - 1] :
			     0;
	bool regs = SLOT_PLACE(first) == SLOT_REG;

	m->list.first[list] = (uint8_t)at;
	m->list.count[list] = (uint8_t)count;
	m->list.bytes[list] = 4;
	for (unsigned i = 0; i < count; i++)
		m->slot[at + i] = first + (regs ? i * SASS_PAIR_BYTES : 0);
}

/* Registers of `elems` elements of a warp. */
static unsigned mma_registers(unsigned elems, enum num_type t)
{
	unsigned bits = t == NUM_B1 ? 32 : mma_elem_bits(t);

	return elems * bits / 32 / LANES;
}

/* A is stored by rows and B by columns. */
static struct mma_op mma_of(enum num_type d, enum num_type a, enum num_type b,
			    enum num_type c, struct mma_shape shape)
{
	return (struct mma_op){ .shape = shape,
				.type = { d, a, b, c },
				.row = { true, true, false, true } };
}

static void mma_run_inst(struct warp *w, const struct inst *in,
			 const struct mma_op *op)
{
	unsigned m = op->shape.m, n = op->shape.n, k = op->shape.k;
	struct mma_slots s;

	s.list.slots = s.slot;
	mma_add_list(&s, MMA_D, in->d, mma_registers(m * n, op->type[MMA_D]));
	mma_add_list(&s, MMA_A, in->a, mma_registers(m * k, op->type[MMA_A]));
	mma_add_list(&s, MMA_B, in->b, mma_registers(k * n, op->type[MMA_B]));
	mma_add_list(&s, MMA_C, in->c, mma_registers(m * n, op->type[MMA_C]));
	mma_execute(w, &s.list, op);
}

void sass_hmma(struct warp *w, const struct inst *in)
{
	static const struct mma_shape shapes[] = {
		[SASS_HSHAPE_M1688] = { 16, 8, 8 },
		[SASS_HSHAPE_M16816] = { 16, 8, 16 },
		[SASS_HSHAPE_M1684] = { 16, 8, 4 },
	};
	static const enum num_type factors[] = {
		[SASS_HTYPE_F16] = NUM_F16,
		[SASS_HTYPE_BF16] = NUM_BF16,
		[SASS_HTYPE_TF32] = NUM_TF32,
	};
	const struct sass_inst *i = &sass_more_of(in)->inst;
	enum num_type sum = SASS_MOD(i, ACC) == SASS_ACC_F32 ? NUM_F32 :
							       NUM_F16;
	enum num_type f = factors[SASS_MOD(i, HTYPE)];
	struct mma_op op = mma_of(sum, f, f, sum, shapes[SASS_MOD(i, HSHAPE)]);

	mma_run_inst(w, in, &op);
}

void sass_imma(struct warp *w, const struct inst *in)
{
	static const struct mma_shape shapes[] = {
		[SASS_ISHAPE_M8816] = { 8, 8, 16 },
		[SASS_ISHAPE_M8832] = { 8, 8, 32 },
		[SASS_ISHAPE_M16816] = { 16, 8, 16 },
		[SASS_ISHAPE_M16832] = { 16, 8, 32 },
		[SASS_ISHAPE_M16864] = { 16, 8, 64 },
	};
	static const enum num_type factors[] = {
		[SASS_ITYPE_U8] = NUM_U8,
		[SASS_ITYPE_S8] = NUM_S8,
		[SASS_ITYPE_U4] = NUM_U4,
		[SASS_ITYPE_S4] = NUM_S4,
	};
	const struct sass_inst *i = &sass_more_of(in)->inst;
	struct mma_op op = mma_of(NUM_S32, factors[SASS_MOD(i, ITYPE)],
				  factors[SASS_MOD(i, ITYPE2)], NUM_S32,
				  shapes[SASS_MOD(i, ISHAPE)]);

	op.satfinite = SASS_MOD(i, SAT);
	mma_run_inst(w, in, &op);
}

void sass_dmma(struct warp *w, const struct inst *in)
{
	static const struct mma_shape shapes[] = {
		[SASS_DSHAPE_M884] = { 8, 8, 4 },
		[SASS_DSHAPE_M1684] = { 16, 8, 4 },
		[SASS_DSHAPE_M1688] = { 16, 8, 8 },
		[SASS_DSHAPE_M16816] = { 16, 8, 16 },
	};
	const struct sass_inst *i = &sass_more_of(in)->inst;
	struct mma_op op = mma_of(NUM_F64, NUM_F64, NUM_F64, NUM_F64,
				  shapes[SASS_MOD(i, DSHAPE)]);

	mma_run_inst(w, in, &op);
}

void sass_bmma(struct warp *w, const struct inst *in)
{
	/* k in words. */
	static const struct mma_shape shapes[] = {
		[SASS_BSHAPE_M88128] = { 8, 8, 4 },
		[SASS_BSHAPE_M168128] = { 16, 8, 4 },
		[SASS_BSHAPE_M168256] = { 16, 8, 8 },
	};
	const struct sass_inst *i = &sass_more_of(in)->inst;
	struct mma_op op = mma_of(NUM_S32, NUM_B1, NUM_B1, NUM_S32,
				  shapes[SASS_MOD(i, BSHAPE)]);

	op.bit_and = SASS_MOD(i, BITOP) == SASS_BITOP_AND;
	mma_run_inst(w, in, &op);
}
