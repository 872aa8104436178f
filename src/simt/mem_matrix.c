#include "simt/mem_matrix.h"

#include "simt/block.h"
#include "simt/mem.h"
#include "simt/view.h"

uint64_t matrix_peek(const char *p, unsigned bytes)
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

static inline void matrix_poke(char *p, unsigned bytes, uint64_t v)
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

lanes_t matrix_view_lanes(const struct warp *w, const struct inst *in,
			  unsigned n)
{
	if (LIKELY(!warp_view(w)))
		return 0;
	return mem_global(w, in) & lanes_below(n);
}

void matrix_load_view(struct warp *w, const struct inst *in, unsigned n,
		      uint32_t size, void *host[LANES])
{
	lanes_t lanes = matrix_view_lanes(w, in, n);

	_Static_assert(sizeof(void *) == sizeof(uintptr_t), "host addresses");
	if (lanes)
		view_load(warp_view(w), w->effect->addr, lanes, size,
			  (uintptr_t *)host);
}

void matrix_put(struct warp *w, lanes_t view, void *const host[LANES],
		unsigned row, unsigned at, unsigned bytes, uint64_t v)
{
	char *p = (char *)host[row] + at;

	if (view >> row & 1)
		view_write(warp_view(w), w->effect->addr[row] + at, p, &v,
			   bytes);
	else
		matrix_poke(p, bytes, v);
}

enum { MATRIX_ROW_BYTES = 16 };

static bool matrix_find_rows(struct warp *w, const struct inst *in,
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
	w->effect->mask &= mem_matrix_lanes(matrices);
	w->effect->distinct = w->effect->mask;
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

void mem_load_matrix(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	bool trans = in->k & MATRIX_TRANS;
	uint32_t out[4][LANES];
	void *host[LANES];

	if (!matrix_find_rows(w, in, KIND_LOAD, x->count[0], host))
		return;
	matrix_load_view(w, in, 8 * x->count[0], MATRIX_ROW_BYTES, host);
	for (unsigned i = 0; i < x->count[0]; i++)
		for (unsigned l = 0; l < LANES; l++)
			out[i][l] =
				(uint32_t)(matrix_peek(matrix_elem(host, i, l,
								   0, trans),
						       2) |
					   matrix_peek(matrix_elem(host, i, l,
								   1, trans),
						       2)
						   << 16);
	for (unsigned i = 0; i < x->count[0]; i++)
		put32(w, x->slots[x->first[0] + i], out[i]);
}

void mem_store_matrix(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	bool trans = in->k & MATRIX_TRANS;
	void *host[LANES];
	lanes_t view;

	if (!matrix_find_rows(w, in, KIND_STORE, x->count[0], host))
		return;
	view = matrix_view_lanes(w, in, 8 * x->count[0]);
	if (view)
		view_begin(warp_view(w));
	for (unsigned i = 0; i < x->count[0]; i++) {
		const uint32_t *reg = slot_at(w, x->slots[x->first[0] + i]);

		for (unsigned l = 0; l < LANES; l++) {
			if (!(w->mask >> l & 1))
				continue;
			for (unsigned h = 0; h < 2; h++)
				matrix_put(w, view, host,
					   matrix_row(i, l, h, trans),
					   matrix_byte(l, h, trans), 2,
					   reg[l] >> 16 * h);
		}
	}
}
