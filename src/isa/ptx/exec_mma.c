/*
 * Matrix instructions: collect fragments into matrices, compute, and distribute
 * the result.
 *
 * All are .sync.aligned, so the whole warp executes them. The contribution of
 * lanes that do not exist or are inactive is undefined (PTX ISA 9.7.14).
 */
#include "isa/ptx/exec.h"
#include "isa/ptx/exec_rows.h"
#include "isa/ptx/mma_layout.h"
#include "isa/ptx/mma_num.h"
#include "simt/block.h"
#include "simt/mem.h"
#include "simt/view.h"

#define ALL_LANES 0xffffffffu

/* Bits of an element; b1 is handled in words. */
static unsigned elem_bits(enum ptx_type t)
{
	switch (t) {
	case PTX_F64:
		return 64;
	case PTX_F16:
	case PTX_BF16:
		return 16;
	case PTX_S8:
	case PTX_U8:
	case PTX_E4M3:
	case PTX_E5M2:
		return 8;
	case PTX_S4:
	case PTX_U4:
		return 4;
	default:
		return 32;
	}
}

static unsigned per_register(enum ptx_type t)
{
	unsigned bits = elem_bits(t);

	return bits < 32 ? 32 / bits : 1;
}

static const uint32_t *reg32(const struct warp *w, const struct opnd_lists *x,
			     int list, unsigned i)
{
	return slot_at(w, x->slots[x->first[list] + i]);
}

/* Copies the registers of a list into a matrix. */
static void frag_gather(const struct warp *w, const struct opnd_lists *x,
			int list, const struct frag_at *restrict at,
			enum ptx_type t, uint32_t *restrict to)
{
	unsigned bits = elem_bits(t), per = per_register(t);
	uint32_t mask = bits < 32 ? (1u << bits) - 1 : 0xffffffffu;

	for (unsigned r = 0; r < x->count[list]; r++) {
		const uint32_t *restrict reg = reg32(w, x, list, r);

		for (unsigned e = 0; e < per; e++) {
			uint32_t *v = to + at->elem[r * per + e];

			for (int l = 0; l < LANES; l++)
				v[at->lane[l]] = reg[l] >> e * bits & mask;
		}
	}
}

static void frag_scatter(struct warp *w, const struct opnd_lists *x, int list,
			 const struct frag_at *at, enum ptx_type t,
			 const uint32_t *from)
{
	unsigned bits = elem_bits(t), per = per_register(t);

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

/* The operands of mma and wmma.mma in the order of their lists. */
enum { LIST_D, LIST_A, LIST_B, LIST_C, LISTS };

/* What the opcode of an mma or wmma.mma says. */
struct mma_op {
	struct mma_shape shape; /* k of b1 in words */
	enum ptx_type type[LISTS];
	bool row[LISTS]; /* layouts; only those of A and B matter */
	bool quads;      /* four m8n8k4 of f16 */
};

static void mma_describe(struct mma_op *m, const struct ptx_opcode *op)
{
	m->shape = mma_shape(op->attr[PTX_CLASS_SHAPE]);
	for (int i = 0; i < LISTS; i++)
		m->type[i] = op->type[i];
	if (op->types == 2) { /* wmma of f16 names only D and C */
		m->type[LIST_A] = m->type[LIST_B] = PTX_F16;
		m->type[LIST_C] = op->type[1];
	}
	if (m->type[LIST_A] == PTX_B1)
		m->shape.k /= 32;
	m->row[LIST_D] = m->row[LIST_C] = true;
	m->row[LIST_A] = op->attr[PTX_CLASS_LAYOUT] == PTX_LAYOUT_ROW;
	m->row[LIST_B] = op->attr[PTX_CLASS_LAYOUT2] == PTX_LAYOUT2_ROW;
	m->quads = m->shape.k == 4 && m->type[LIST_A] == PTX_F16;
}

/* Positions in a matrix that is stored by rows. */
static void mma_place(struct frag_at *at, const struct mma_op *m,
		      const struct opnd_lists *x, int list)
{
	enum ptx_type t = m->type[list];
	struct frag f = {
		.role = list == LIST_A ? FRAG_A :
			list == LIST_B ? FRAG_B :
					 FRAG_C,
		.shape = m->shape,
		.per = (uint8_t)per_register(t),
		.quads = m->quads,
		.by_row = m->row[list],
		.wide = t == PTX_F32,
	};
	unsigned rows = f.role == FRAG_B ? m->shape.k : m->shape.m;
	unsigned cols = f.role == FRAG_A ? m->shape.k : m->shape.n;
	struct frag_pitch p = { .row = (uint16_t)cols,
				.col = 1,
				.mat = (uint16_t)(rows * cols) };

	/* The lowering refuses what does not fit: mma_operands. */
	CHECK(rows * cols <= (f.role == FRAG_C ? MMA_C_ELEMS : MMA_AB_ELEMS));
	CHECK(x->count[list] * f.per <= FRAG_ELEMS);
	frag_place(at, &f, x->count[list] * f.per, p);
}

static void mma_run_f64(struct warp *w, const struct opnd_lists *x,
			const struct mma_op *m)
{
	uint64_t mat[LISTS][MMA_AB_ELEMS];
	struct frag_at at;

	for (int list = LIST_A; list <= LIST_C; list++) {
		mma_place(&at, m, x, list);
		for (unsigned r = 0; r < x->count[list]; r++) {
			const uint64_t *reg =
				slot_at(w, x->slots[x->first[list] + r]);

			for (int l = 0; l < LANES; l++)
				mat[list][at.lane[l] + at.elem[r]] = reg[l];
		}
	}
	mma_f64(m->shape.m, m->shape.n, m->shape.k, mat[LIST_A], mat[LIST_B],
		mat[LIST_C], mat[LIST_D]);
	mma_place(&at, m, x, LIST_D);
	for (unsigned r = 0; r < x->count[LIST_D]; r++) {
		uint64_t out[LANES];

		for (int l = 0; l < LANES; l++)
			out[l] = mat[LIST_D][at.lane[l] + at.elem[r]];
		put64(w, x->slots[x->first[LIST_D] + r], out);
	}
}

static void mma_run(struct mma_job *j)
{
	switch (j->a_type) {
	case PTX_B1:
		mma_bits(j);
		break;
	case PTX_S8:
	case PTX_U8:
	case PTX_S4:
	case PTX_U4:
		mma_int(j);
		break;
	default:
		mma_float(j);
		break;
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
	const struct mma_model *model = mma_model(m->type[LIST_A], sm);

	/* The GPU is too old for the instruction: use that of sm_90. */
	if (!model)
		model = mma_model(m->type[LIST_A], 90);
	if (model)
		j->model = *model;
	if (m->quads && sm >= 80)
		j->model.way = m->type[LIST_D] == PTX_F16 ? MMA_HALVES :
							    MMA_CHAIN;
	/* wmma's m16n16k8 is made of m16n8k4. */
	if (m->type[LIST_A] == PTX_TF32 && m->shape.n == 16)
		j->model.block = 4;
}

static void run_mma(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	const struct ptx_opcode *op = lists_op(x);
	struct mma_job j;
	struct mma_op m;
	struct frag_at at;

	mma_describe(&m, op);
	if (m.type[LIST_A] == PTX_F64) {
		mma_run_f64(w, x, &m);
		return;
	}
	j.m = m.shape.m;
	j.n = m.shape.n;
	j.k = m.shape.k;
	j.d_type = m.type[LIST_D];
	j.a_type = m.type[LIST_A];
	j.b_type = m.type[LIST_B];
	j.c_type = m.type[LIST_C];
	j.satfinite = op->attr[PTX_CLASS_SATFINITE] != 0;
	j.bit_and = op->attr[PTX_CLASS_BITOP] == PTX_BITOP_AND;
	mma_choose(&j, &m, w->block->launch->machine->sm);
	mma_place(&at, &m, x, LIST_A);
	frag_gather(w, x, LIST_A, &at, j.a_type, j.a);
	mma_place(&at, &m, x, LIST_B);
	frag_gather(w, x, LIST_B, &at, j.b_type, j.b);
	mma_place(&at, &m, x, LIST_C);
	frag_gather(w, x, LIST_C, &at, j.c_type, j.c);
	if (m.quads)
		mma_run_quads(&j);
	else
		mma_run(&j);
	mma_place(&at, &m, x, LIST_D);
	frag_scatter(w, x, LIST_D, &at, j.d_type, j.d);
}

void exec_mma(struct warp *w, const struct inst *in)
{
	if (warp_converge(w, ALL_LANES))
		run_mma(w, in);
}

void exec_wmma_mma(struct warp *w, const struct inst *in)
{
	if (warp_converge(w, ALL_LANES))
		run_mma(w, in);
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
			  .shape = mma_shape(op->attr[PTX_CLASS_SHAPE]) };
	struct frag_pitch p = { .row = by_row ? LINE_PITCH : 1,
				.col = by_row ? 1 : LINE_PITCH };
	unsigned bits = elem_bits(op->type[0]);
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
	uint64_t stride, bits = t == PTX_B1 ? 1 : elem_bits(t);

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

/* Atomic, because other blocks may access the same memory, as on the GPU. */
static inline uint64_t mma_peek(const char *p, unsigned bytes)
{
	switch (bytes) {
	case 1:
		return __atomic_load_n((const uint8_t *)p, __ATOMIC_RELAXED);
	case 2:
		return __atomic_load_n((const uint16_t *)p, __ATOMIC_RELAXED);
	case 4:
		return __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED);
	default:
		return __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);
	}
}

static inline void mma_poke(char *p, unsigned bytes, uint64_t v)
{
	switch (bytes) {
	case 2:
		__atomic_store_n((uint16_t *)p, (uint16_t)v, __ATOMIC_RELAXED);
		break;
	case 4:
		__atomic_store_n((uint32_t *)p, (uint32_t)v, __ATOMIC_RELAXED);
		break;
	default:
		__atomic_store_n((uint64_t *)p, v, __ATOMIC_RELAXED);
		break;
	}
}

/* Lanes below n whose line is in global memory, if the SM sees it through a
 * view. */
static uint32_t lanes_in_view(const struct warp *w, const struct inst *in,
			      unsigned n)
{
	if (LIKELY(!warp_view(w)))
		return 0;
	return mem_global(w, in) & (n < LANES ? (1u << n) - 1 : ALL_LANES);
}

/* Redirects lanes below n, `size` bytes each, to memory as the SM sees it. */
static void mma_load_view(struct warp *w, const struct inst *in, unsigned n,
			  uint32_t size, void *host[LANES])
{
	uint32_t lanes = lanes_in_view(w, in, n);

	_Static_assert(sizeof(void *) == sizeof(uintptr_t), "host addresses");
	if (lanes)
		view_load(warp_view(w), w->effect->addr, lanes, size,
			  (uintptr_t *)host);
}

/* Writes an element of `bytes` bytes at offset `at` of the line of lane `row`. */
static void put_elem(struct warp *w, uint32_t view, void *const host[LANES],
		     unsigned row, unsigned at, unsigned bytes, uint64_t v)
{
	char *p = (char *)host[row] + at;

	if (view >> row & 1)
		view_write(warp_view(w), w->effect->addr[row] + at, p, &v,
			   bytes);
	else
		mma_poke(p, bytes, v);
}

static void load_f64(struct warp *w, const struct opnd_lists *x,
		     const struct lines *n)
{
	for (unsigned r = 0; r < x->count[0]; r++) {
		uint64_t out[LANES];

		for (int l = 0; l < LANES; l++)
			out[l] = mma_peek(line_elem(n, l, r), 8);
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
	mma_load_view(w, in, n.count, n.len * n.bytes, n.host);
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

				out[l] |= (uint32_t)mma_peek(p, n.bytes)
					  << e * n.bytes * 8;
			}
		put32(w, x->slots[x->first[0] + r], out);
	}
}

void exec_wmma_store(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	struct lines n;
	uint32_t view;
	unsigned per;

	if (!warp_converge(w, ALL_LANES) || !w->mask || !find_lines(&n, w, in))
		return;
	view = lanes_in_view(w, in, n.count);
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
				put_elem(w, view, n.host, at / LINE_PITCH,
					 at % LINE_PITCH * n.bytes, n.bytes,
					 v >> i % per * 8 * n.bytes);
		}
	}
}

/*
 * ldmatrix and stmatrix: 8x8 matrices of 16-bit elements. Lane l has the
 * address of row l % 8 of matrix l / 8; the addresses of lanes beyond the last
 * matrix are ignored. A lane's register has two adjacent elements of a row, or
 * with .trans of a column.
 */
enum { MATRIX_ROW_BYTES = 16 };

static bool mma_find_rows(struct warp *w, const struct inst *in,
			  enum timing_kind kind, unsigned matrices,
			  void *host[LANES])
{
	uint64_t *addr = w->effect->addr;

	effect_set(w->effect, KIND_PLAIN, in->space, w->mask, MATRIX_ROW_BYTES);
	mem_addresses(w, in, addr);
	for (unsigned l = 8 * matrices; l < LANES; l++)
		addr[l] = addr[l % (8 * matrices)];
	if (!mem_resolve(w, in, in->space, addr, MATRIX_ROW_BYTES,
			 MATRIX_ROW_BYTES, host))
		return false;
	w->effect->kind = (uint8_t)kind;
	w->effect->distinct &= mem_matrix_lanes(matrices);
	return true;
}

/* Where half h of lane l's register for matrix i is in memory: its row, counted
 * over all matrices, and its byte in the row. */
static inline unsigned matrix_row(unsigned i, unsigned l, unsigned h,
				  bool trans)
{
	return 8 * i + (trans ? l % 4 * 2 + h : l / 4);
}

static inline unsigned matrix_byte(unsigned l, unsigned h, bool trans)
{
	return 2 * (trans ? l / 4 : l % 4 * 2 + h);
}

static inline char *matrix_elem(void *const host[LANES], unsigned i, unsigned l,
				unsigned h, bool trans)
{
	return (char *)host[matrix_row(i, l, h, trans)] +
	       matrix_byte(l, h, trans);
}

void exec_ldmatrix(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	bool trans = lists_op(x)->attr[PTX_CLASS_TRANS] != 0;
	uint32_t out[4][LANES];
	void *host[LANES];

	if (!warp_converge(w, ALL_LANES) ||
	    !mma_find_rows(w, in, KIND_LOAD, x->count[0], host))
		return;
	mma_load_view(w, in, 8 * x->count[0], MATRIX_ROW_BYTES, host);
	for (unsigned i = 0; i < x->count[0]; i++)
		for (unsigned l = 0; l < LANES; l++)
			out[i][l] = (uint32_t)(mma_peek(matrix_elem(host, i, l,
								    0, trans),
							2) |
					       mma_peek(matrix_elem(host, i, l,
								    1, trans),
							2)
						       << 16);
	for (unsigned i = 0; i < x->count[0]; i++)
		put32(w, x->slots[x->first[0] + i], out[i]);
}

void exec_stmatrix(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	bool trans = lists_op(x)->attr[PTX_CLASS_TRANS] != 0;
	void *host[LANES];
	uint32_t view;

	if (!warp_converge(w, ALL_LANES) ||
	    !mma_find_rows(w, in, KIND_STORE, x->count[0], host))
		return;
	view = lanes_in_view(w, in, 8 * x->count[0]);
	if (view)
		view_begin(warp_view(w));
	for (unsigned i = 0; i < x->count[0]; i++) {
		const uint32_t *reg = reg32(w, x, 0, i);

		for (unsigned l = 0; l < LANES; l++) {
			if (!(w->mask >> l & 1))
				continue;
			for (unsigned h = 0; h < 2; h++)
				put_elem(w, view, host,
					 matrix_row(i, l, h, trans),
					 matrix_byte(l, h, trans), 2,
					 reg[l] >> 16 * h);
		}
	}
}

void exec_movmatrix(struct warp *w, const struct inst *in)
{
	const uint32_t *a = slot_at(w, in->a);
	uint32_t out[LANES];

	if (!warp_converge(w, ALL_LANES))
		return;
	for (unsigned l = 0; l < LANES; l++) {
		/* Elements (row, col) and (row, col + 1) of the result. */
		unsigned row = l / 4, col = l % 4 * 2, from = row / 2;
		unsigned half = row % 2 * 16;

		out[l] = (a[col * 4 + from] >> half & 0xffff) |
			 (a[(col + 1) * 4 + from] >> half & 0xffff) << 16;
	}
	put32(w, in->d, out);
}
