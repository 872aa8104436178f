#include "simt/mma_layout.h"

/* What each bit of the lane's and the element's number adds, lowest first. */
struct moves {
	uint16_t lane[5], elem[5];
	unsigned elems;
};

static void add_elem(struct moves *v, unsigned move)
{
	v->elem[v->elems++] = (uint16_t)move;
}

/* One element bit for each doubling of `step` below `limit`. */
static void add_elems(struct moves *v, unsigned step, unsigned limit,
		      unsigned pitch)
{
	for (; step < limit; step *= 2)
		add_elem(v, step * pitch);
}

/*
 * A multiplicand, `outer` lines of k elements. Four lanes share a line, and the
 * 32 lanes hold eight lines; the rest is in further registers.
 */
static void place_ab(struct moves *v, const struct frag *f, unsigned outer,
		     unsigned pitch_outer, unsigned pitch_k)
{
	unsigned per = f->per, k = f->shape.k;
	/* A, or a B of 32 columns, which is swapped with A. */
	bool first = f->role == FRAG_A || outer == 32;

	add_elems(v, 1, per, pitch_k);
	v->lane[0] = (uint16_t)(per * pitch_k);
	v->lane[1] = (uint16_t)(2 * per * pitch_k);
	for (int i = 0; i < 3; i++)
		v->lane[2 + i] = (uint16_t)(pitch_outer << i);
	if (first && outer > 8)
		add_elem(v, 8 * pitch_outer);
	add_elems(v, 4 * per, k, pitch_k);
	add_elems(v, first ? 16 : 8, outer, pitch_outer);
}

static void place_c(struct moves *v, unsigned rows, unsigned cols,
		    unsigned pitch_row, unsigned pitch_col)
{
	add_elem(v, pitch_col);
	v->lane[0] = (uint16_t)(2 * pitch_col);
	v->lane[1] = (uint16_t)(4 * pitch_col);
	for (int i = 0; i < 3; i++)
		v->lane[2 + i] = (uint16_t)(pitch_row << i);
	add_elems(v, 8, rows, pitch_row);
	add_elems(v, 8, cols, pitch_col);
}

/*
 * Lanes 0-3 and 16-19 hold one m8n8k4, the next four lanes of each half the next
 * one. A lane of a multiplicand has four elements: along k if `along`, else
 * across it.
 */
static void place_quads(struct moves *v, const struct frag *f,
			struct frag_pitch p)
{
	unsigned outer = f->role == FRAG_B ? p.col : p.row;
	unsigned inner = f->role == FRAG_B ? p.row : p.col;
	bool along = f->role == FRAG_C || f->by_row == (f->role == FRAG_A);

	v->lane[0] = (uint16_t)(along ? outer : inner);
	v->lane[1] = (uint16_t)(2 * v->lane[0]);
	v->lane[2] = p.mat;
	v->lane[3] = (uint16_t)(2 * p.mat);
	v->lane[4] = (uint16_t)(4 * outer);
	add_elems(v, 1, f->role == FRAG_C ? 8 : 4, along ? inner : outer);
	if (f->role == FRAG_C && f->wide) {
		v->elem[1] = (uint16_t)(2 * p.row);
		v->lane[1] = (uint16_t)(2 * p.col);
	}
}

static unsigned mma_layout_sum(const uint16_t *move, unsigned count,
			       unsigned number)
{
	unsigned s = 0;

	for (unsigned i = 0; i < count; i++)
		s += number >> i & 1 ? move[i] : 0;
	return s;
}

void frag_place(struct frag_at *at, const struct frag *f, unsigned count,
		struct frag_pitch p)
{
	struct moves v = { .elems = 0 };

	if (f->quads)
		place_quads(&v, f, p);
	else if (f->role == FRAG_A)
		place_ab(&v, f, f->shape.m, p.row, p.col);
	else if (f->role == FRAG_B)
		place_ab(&v, f, f->shape.n, p.col, p.row);
	else if (f->shape.n == 32) /* computed as its transpose */
		place_c(&v, f->shape.n, f->shape.m, p.col, p.row);
	else
		place_c(&v, f->shape.m, f->shape.n, p.row, p.col);
	for (unsigned l = 0; l < LANES; l++)
		at->lane[l] = (uint16_t)mma_layout_sum(v.lane, 5, l);
	for (unsigned i = 0; i < count && i < FRAG_ELEMS; i++)
		at->elem[i] = (uint16_t)mma_layout_sum(v.elem, v.elems, i);
}
