/*
 * Matrix instructions: collect fragments into matrices, compute, and distribute
 * the result.
 *
 * All are .sync.aligned, so the whole warp executes them. The contribution of
 * lanes that do not exist or are inactive is undefined (PTX ISA 9.7.14).
 */
#include "isa/ptx/exec.h"
#include "isa/ptx/exec_rows.h"
#include "isa/ptx/mma_check.h"
#include "simt/block.h"
#include "simt/mem.h"
#include "simt/mem_matrix.h"
#include "simt/mma.h"
#include "simt/view.h"

#define ALL_LANES 0xffffffffu

static const uint32_t *reg32(const struct warp *w, const struct opnd_lists *x,
			     int list, unsigned i)
{
	return slot_at(w, x->slots[x->first[list] + i]);
}

/* What the opcode of an mma or wmma.mma says. */
static void mma_describe(struct mma_op *m, const struct ptx_opcode *op)
{
	m->shape = ptx_mma_shape(op->attr[PTX_CLASS_SHAPE]);
	for (int i = 0; i < MMA_LISTS; i++)
		m->type[i] = ptx_num_type(op->type[i]);
	if (op->types == 2) { /* wmma of f16 names only D and C */
		m->type[MMA_A] = m->type[MMA_B] = NUM_F16;
		m->type[MMA_C] = ptx_num_type(op->type[1]);
	}
	if (m->type[MMA_A] == NUM_B1)
		m->shape.k /= 32;
	m->row[MMA_D] = m->row[MMA_C] = true;
	m->row[MMA_A] = op->attr[PTX_CLASS_LAYOUT] == PTX_LAYOUT_ROW;
	m->row[MMA_B] = op->attr[PTX_CLASS_LAYOUT2] == PTX_LAYOUT2_ROW;
	m->quads = m->shape.k == 4 && m->type[MMA_A] == NUM_F16;
	m->satfinite = op->attr[PTX_CLASS_SATFINITE] != 0;
	m->bit_and = op->attr[PTX_CLASS_BITOP] == PTX_BITOP_AND;
}

void exec_mma(struct warp *w, const struct inst *in)
{
	struct mma_op m;

	if (!warp_converge(w, ALL_LANES))
		return;
	mma_describe(&m, lists_op(in->x));
	m.sparse = in->op == PTX_OP_MMA_SP;
	m.selector = in->k;
	mma_execute(w, in->x, &m);
}

/*
 * A matrix in memory as wmma.load and wmma.store access it: lines of equal
 * length. Lane l finds the address of line l, for all lanes. Elements of less
 * than a byte are accessed in words, as their layouts allow.
 */
struct lines {
	unsigned count;    /* lines */
	unsigned len;      /* elements of a line */
	unsigned bytes;    /* of an element */
	struct frag_at at; /* LINE_PITCH from line to line */
	void *host[LANES];
};

enum { LINE_PITCH = 64 };

static enum frag_role role_of(unsigned op)
{
	return op == PTX_OP_WMMA_LOAD_A ? FRAG_A :
	       op == PTX_OP_WMMA_LOAD_B ? FRAG_B :
					  FRAG_C;
}

static void shape_lines(struct lines *n, const struct opnd_lists *x)
{
	const struct ptx_opcode *op = lists_op(x);
	bool by_row = op->attr[PTX_CLASS_LAYOUT] == PTX_LAYOUT_ROW;
	struct frag f = { .role = role_of(op->op),
			  .shape = ptx_mma_shape(op->attr[PTX_CLASS_SHAPE]) };
	struct frag_pitch p = { .row = by_row ? LINE_PITCH : 1,
				.col = by_row ? 1 : LINE_PITCH };
	unsigned bits = mma_elem_bits(ptx_num_type(op->type[0]));
	unsigned rows, cols;

	if (op->type[0] == PTX_B1)
		f.shape.k /= 32;
	if (bits == 4)
		f.shape.k /= 8;
	n->bytes = bits == 4 ? 4 : bits / 8;
	f.per = (uint8_t)(n->bytes < 4 ? 4 / n->bytes : 1);
	rows = f.role == FRAG_B ? f.shape.k : f.shape.m;
	cols = f.role == FRAG_A ? f.shape.k : f.shape.n;
	n->count = by_row ? rows : cols;
	n->len = by_row ? cols : rows;
	frag_place(&n->at, &f, x->count[0] * f.per, p);
}

/* Bytes from line to line: the stride operand; default: contiguous lines. */
static uint64_t line_stride(const struct warp *w, const struct opnd_lists *x,
			    const struct lines *n)
{
	enum ptx_type t = lists_op(x)->type[0];
	uint64_t stride,
		bits = t == PTX_B1 ? 1 : mma_elem_bits(ptx_num_type(t));

	if (!x->count[1])
		return (uint64_t)n->len * n->bytes;
	stride = reg32(w, x, 1, 0)[__builtin_ctz(w->mask)];
	return stride * bits / 8;
}

/* Inactive lanes repeat the line of an active one, as in mem_resolve. */
static void place_lines(const struct warp *w, const struct lines *n,
			uint64_t base, uint64_t stride, uint64_t addr[LANES])
{
	unsigned first = (unsigned)__builtin_ctz(w->mask);

	for (unsigned l = 0; l < LANES; l++)
		addr[l] = base +
			  (w->mask >> l & 1 ? l : first) % n->count * stride;
}

static unsigned line_align(const struct lines *n)
{
	return n->bytes < 4 ? 4 : n->bytes;
}

static bool find_lines(struct lines *n, struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	uint64_t *addr = w->effect->addr;

	shape_lines(n, x);
	effect_set(w->effect, KIND_PLAIN, in->space, w->mask, inst_bytes(in));
	mem_addresses(w, in, addr);
	place_lines(w, n, addr[__builtin_ctz(w->mask)], line_stride(w, x, n),
		    addr);
	return mem_resolve(w, in, in->space, addr, n->len * n->bytes,
			   line_align(n), n->host);
}

uint64_t wmma_stride(const struct warp *w, const struct inst *in)
{
	struct lines n;

	shape_lines(&n, in->x);
	return line_stride(w, in->x, &n);
}

uint32_t wmma_lines(const struct warp *w, const struct inst *in, uint64_t base,
		    uint64_t stride, uint64_t addr[LANES])
{
	struct lines n;

	shape_lines(&n, in->x);
	place_lines(w, &n, base, stride, addr);
	return line_align(&n);
}

static inline char *line_elem(const struct lines *n, int lane, unsigned i)
{
	unsigned at = n->at.lane[lane] + n->at.elem[i];

	return (char *)n->host[at / LINE_PITCH] + at % LINE_PITCH * n->bytes;
}

static void load_f64(struct warp *w, const struct opnd_lists *x,
		     const struct lines *n)
{
	for (unsigned r = 0; r < x->count[0]; r++) {
		uint64_t out[LANES];

		for (int l = 0; l < LANES; l++)
			out[l] = matrix_peek(line_elem(n, l, r), 8);
		put64(w, x->slots[x->first[0] + r], out);
	}
}

void exec_wmma_load(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	struct lines n;
	unsigned per;

	if (!warp_converge(w, ALL_LANES) || !w->mask || !find_lines(&n, w, in))
		return;
	matrix_load_view(w, in, n.count, n.len * n.bytes, n.host);
	if (n.bytes == 8) {
		load_f64(w, x, &n);
		return;
	}
	per = 4 / n.bytes;
	for (unsigned r = 0; r < x->count[0]; r++) {
		uint32_t out[LANES] = { 0 };

		for (unsigned e = 0; e < per; e++)
			for (int l = 0; l < LANES; l++) {
				const char *p = line_elem(&n, l, r * per + e);

				out[l] |= (uint32_t)matrix_peek(p, n.bytes)
					  << e * n.bytes * 8;
			}
		put32(w, x->slots[x->first[0] + r], out);
	}
}

void exec_wmma_store(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	struct lines n;
	lanes_t view;
	unsigned per;

	if (!warp_converge(w, ALL_LANES) || !w->mask || !find_lines(&n, w, in))
		return;
	view = matrix_view_lanes(w, in, n.count);
	if (view)
		view_begin(warp_view(w));
	per = n.bytes < 4 ? 4 / n.bytes : 1;
	for (unsigned i = 0; i < x->count[0] * per; i++) {
		slot_t s = x->slots[x->first[0] + i / per];

		for (int l = 0; l < LANES; l++) {
			uint64_t v = n.bytes == 8 ?
					     ((uint64_t *)slot_at(w, s))[l] :
					     ((uint32_t *)slot_at(w, s))[l];

			unsigned at = n.at.lane[l] + n.at.elem[i];

			if (w->mask >> l & 1)
				matrix_put(w, view, n.host, at / LINE_PITCH,
					   at % LINE_PITCH * n.bytes, n.bytes,
					   v >> i % per * 8 * n.bytes);
		}
	}
}

void exec_ldmatrix(struct warp *w, const struct inst *in)
{
	if (warp_converge(w, ALL_LANES))
		mem_load_matrix(w, in);
}

void exec_stmatrix(struct warp *w, const struct inst *in)
{
	if (warp_converge(w, ALL_LANES))
		mem_store_matrix(w, in);
}

void exec_movmatrix(struct warp *w, const struct inst *in)
{
	if (warp_converge(w, ALL_LANES))
		mma_transpose(w, in);
}
