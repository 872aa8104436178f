#include "simt/mma.h"

#include <string.h>

#include "simt/block.h"
#include "simt/mma_num.h"
#include "simt/mma_sparse.h"

unsigned mma_elem_bits(enum num_type t)
{
	switch (t) {
	case NUM_F64:
		return 64;
	case NUM_F16:
	case NUM_BF16:
		return 16;
	case NUM_S8:
	case NUM_U8:
	case NUM_E4M3:
	case NUM_E5M2:
		return 8;
	case NUM_S4:
	case NUM_U4:
		return 4;
	default:
		return 32;
	}
}

static unsigned per_register(enum num_type t)
{
	unsigned bits = mma_elem_bits(t);

	return bits < 32 ? 32 / bits : 1;
}

static const uint32_t *mma_reg(const struct warp *w, const struct opnd_lists *x,
			       int list, unsigned i)
{
	return slot_at(w, x->slots[x->first[list] + i]);
}

/* Copies the registers of a list into a matrix. */
static void frag_gather(const struct warp *w, const struct opnd_lists *x,
			int list, const struct frag_at *restrict at,
			enum num_type t, uint32_t *restrict to)
{
	unsigned bits = mma_elem_bits(t), per = per_register(t);
	uint32_t mask = bits < 32 ? (1u << bits) - 1 : 0xffffffffu;

	for (unsigned r = 0; r < x->count[list]; r++) {
		const uint32_t *restrict reg = mma_reg(w, x, list, r);

		for (unsigned e = 0; e < per; e++) {
			uint32_t *v = to + at->elem[r * per + e];

			for (int l = 0; l < LANES; l++)
				v[at->lane[l]] = reg[l] >> e * bits & mask;
		}
	}
}

static void frag_scatter(struct warp *w, const struct opnd_lists *x, int list,
			 const struct frag_at *at, enum num_type t,
			 const uint32_t *from)
{
	unsigned bits = mma_elem_bits(t), per = per_register(t);

	for (unsigned r = 0; r < x->count[list]; r++) {
		uint32_t out[LANES] = { 0 };

		for (unsigned e = 0; e < per; e++) {
			const uint32_t *v = from + at->elem[r * per + e];

			for (int l = 0; l < LANES; l++)
				out[l] |= v[at->lane[l]] << e * bits;
		}
		put32(w, x->slots[x->first[list] + r], out);
	}
}

/* Positions in a matrix that is stored by rows. */
static void mma_place(struct frag_at *at, const struct mma_op *m,
		      const struct opnd_lists *x, int list)
{
	enum num_type t = m->type[list];
	unsigned k = m->sparse && list == MMA_A ? m->shape.k / 2u : m->shape.k;
	struct frag f = {
		.role = list == MMA_A ? FRAG_A :
			list == MMA_B ? FRAG_B :
					FRAG_C,
		.shape = { m->shape.m, m->shape.n, (uint16_t)k },
		.per = (uint8_t)per_register(t),
		.quads = m->quads,
		.by_row = m->row[list],
		.wide = t == NUM_F32,
	};
	unsigned rows = f.role == FRAG_B ? k : m->shape.m;
	unsigned cols = f.role == FRAG_A ? k : m->shape.n;
	struct frag_pitch p = { .row = (uint16_t)cols,
				.col = 1,
				.mat = (uint16_t)(rows * cols) };

	/* The lowering refuses what does not fit: mma_operands. */
	CHECK(rows * cols <= (f.role == FRAG_C ? MMA_C_ELEMS : MMA_AB_ELEMS));
	CHECK(x->count[list] * f.per <= FRAG_ELEMS);
	frag_place(at, &f, x->count[list] * f.per, p);
}

/* Whether an element of f64 is two registers. */
static bool mma_in_words(const struct opnd_lists *x, int list)
{
	return x->bytes[list] == 4;
}

static unsigned mma_f64_count(const struct opnd_lists *x, int list)
{
	return x->count[list] / (mma_in_words(x, list) ? 2 : 1);
}

static void mma_get_f64(const struct warp *w, const struct opnd_lists *x,
			int list, unsigned r, uint64_t to[LANES])
{
	if (mma_in_words(x, list)) {
		const uint32_t *lo = mma_reg(w, x, list, 2 * r);
		const uint32_t *hi = mma_reg(w, x, list, 2 * r + 1);

		for (int l = 0; l < LANES; l++)
			to[l] = (uint64_t)hi[l] << 32 | lo[l];
		return;
	}
	memcpy(to, mma_reg(w, x, list, r), LANES * sizeof(*to));
}

static void mma_put_f64(struct warp *w, const struct opnd_lists *x, unsigned r,
			const uint64_t from[LANES])
{
	const slot_t *d = &x->slots[x->first[MMA_D]];
	uint32_t lo[LANES], hi[LANES];

	if (!mma_in_words(x, MMA_D)) {
		put64(w, d[r], from);
		return;
	}
	for (int l = 0; l < LANES; l++) {
		lo[l] = (uint32_t)from[l];
		hi[l] = (uint32_t)(from[l] >> 32);
	}
	put32(w, d[2 * r], lo);
	put32(w, d[2 * r + 1], hi);
}

static void mma_run_f64(struct warp *w, const struct opnd_lists *x,
			const struct mma_op *m)
{
	uint64_t mat[MMA_LISTS][MMA_AB_ELEMS], reg[LANES];
	struct frag_at at;

	for (int list = MMA_A; list <= MMA_C; list++) {
		mma_place(&at, m, x, list);
		for (unsigned r = 0; r < mma_f64_count(x, list); r++) {
			mma_get_f64(w, x, list, r, reg);
			for (int l = 0; l < LANES; l++)
				mat[list][at.lane[l] + at.elem[r]] = reg[l];
		}
	}
	mma_f64(m->shape.m, m->shape.n, m->shape.k, mat[MMA_A], mat[MMA_B],
		mat[MMA_C], mat[MMA_D]);
	mma_place(&at, m, x, MMA_D);
	for (unsigned r = 0; r < mma_f64_count(x, MMA_D); r++) {
		for (int l = 0; l < LANES; l++)
			reg[l] = mat[MMA_D][at.lane[l] + at.elem[r]];
		mma_put_f64(w, x, r, reg);
	}
}

/* Each of the four m8n8k4 is a separate job. */
static void mma_run_quads(struct mma_job *all)
{
	struct mma_job one = *all;
	unsigned ab = one.m * one.k, c = one.m * one.n;

	for (unsigned q = 0; q < 4; q++) {
		memcpy(one.a, all->a + q * ab, ab * sizeof(*one.a));
		memcpy(one.b, all->b + q * ab, ab * sizeof(*one.b));
		memcpy(one.c, all->c + q * c, c * sizeof(*one.c));
		mma_run(&one);
		memcpy(all->d + q * c, one.d, c * sizeof(*one.d));
	}
}

/* Chooses the architecture's arithmetic for this opcode. */
static void mma_choose(struct mma_job *j, const struct mma_op *m, unsigned sm)
{
	const struct mma_model *model = mma_model(m->type[MMA_A], sm);

	/* The GPU is too old for the instruction: use that of sm_90. */
	if (!model)
		model = mma_model(m->type[MMA_A], 90);
	if (model)
		j->model = *model;
	if (m->quads && sm >= 80)
		j->model.way = m->type[MMA_D] == NUM_F16 ? MMA_HALVES :
							   MMA_CHAIN;
	/* wmma's m16n16k8 is made of m16n8k4. */
	if (m->type[MMA_A] == NUM_TF32 && m->shape.n == 16)
		j->model.block = 4;
}

void mma_execute(struct warp *w, const struct opnd_lists *x,
		 const struct mma_op *m)
{
	struct mma_job j;
	struct frag_at at;

	if (m->type[MMA_A] == NUM_F64) {
		mma_run_f64(w, x, m);
		return;
	}
	j.m = m->shape.m;
	j.n = m->shape.n;
	j.k = m->shape.k;
	j.d_type = m->type[MMA_D];
	j.a_type = m->type[MMA_A];
	j.b_type = m->type[MMA_B];
	j.c_type = m->type[MMA_C];
	j.satfinite = m->satfinite;
	j.bit_and = m->bit_and;
	mma_choose(&j, m, w->block->launch->machine->sm);
	mma_place(&at, m, x, MMA_A);
	frag_gather(w, x, MMA_A, &at, j.a_type, j.a);
	mma_place(&at, m, x, MMA_B);
	frag_gather(w, x, MMA_B, &at, j.b_type, j.b);
	mma_place(&at, m, x, MMA_C);
	frag_gather(w, x, MMA_C, &at, j.c_type, j.c);
	if (m->sparse)
		mma_run_sparse(&j, m, mma_reg(w, x, MMA_E, 0));
	else if (m->quads)
		mma_run_quads(&j);
	else
		mma_run(&j);
	mma_place(&at, m, x, MMA_D);
	frag_scatter(w, x, MMA_D, &at, j.d_type, j.d);
}

void mma_transpose(struct warp *w, const struct inst *in)
{
	const uint32_t *a = slot_at(w, in->a);
	uint32_t out[LANES];

	for (unsigned l = 0; l < LANES; l++) {
		/* Elements (row, col) and (row, col + 1) of the result. */
		unsigned row = l / 4, col = l % 4 * 2, from = row / 2;
		unsigned half = row % 2 * 16;

		out[l] = (a[col * 4 + from] >> half & 0xffff) |
			 (a[(col + 1) * 4 + from] >> half & 0xffff) << 16;
	}
	put32(w, in->d, out);
}
