/*
 * Loads, stores, constants. Loads and stores are those of simt/mem.h.
 */
#include <inttypes.h>
#include <string.h>

#include "isa/sass/exec.h"
#include "isa/sass/program.h"
#include "simt/block.h"

/* What rows name; the lowering replaces them by simt's, see lower_mem.c. */
void sass_ldg(struct warp *w, const struct inst *in)
{
	mem_load(w, in);
}

void sass_ld(struct warp *w, const struct inst *in)
{
	mem_load(w, in);
}

void sass_lds(struct warp *w, const struct inst *in)
{
	mem_load(w, in);
}

void sass_ldl(struct warp *w, const struct inst *in)
{
	mem_load(w, in);
}

void sass_stg(struct warp *w, const struct inst *in)
{
	mem_store(w, in);
}

void sass_st(struct warp *w, const struct inst *in)
{
	mem_store(w, in);
}

void sass_sts(struct warp *w, const struct inst *in)
{
	mem_store(w, in);
}

void sass_stl(struct warp *w, const struct inst *in)
{
	mem_store(w, in);
}

/* Lanes whose predicate PQ is false load nothing and receive zero. */
void sass_load_or_zero(struct warp *w, const struct inst *in)
{
	static const uint32_t zero[LANES];
	lanes_t all = w->mask;
	lanes_t load = all & pred_src(w, in, sass_more_of(in)->pq, 1);

	w->mask = all & ~load;
	for (uint32_t i = 0; w->mask && i < in->count; i++)
		put32(w, mem_slot(in, i), zero);
	w->mask = load;
	if (load)
		mem_load(w, in);
	else
		w->effect->kind = KIND_PLAIN;
	w->mask = all;
}

/* ---- constants ----------------------------------------------------------- */

static const struct sass_bank_view *bank_of(const struct warp *w,
					    const struct inst *in)
{
	const struct sass_launch *s = w->block->launch->state;

	return &s->bank[sass_more_of(in)->inst.opnd[SASS_M].bank];
}

/* Where the lanes read, for readers of effects: all at the same place. */
static void note_constant(struct warp *w, const struct inst *in)
{
	uint64_t at = bank_of(w, in)->address + (uint64_t)in->offset;
	uint32_t bytes = (uint32_t)in->width * in->count;
	struct effect *e = w->effect;

	if (LIKELY(e->reader == READER_TIMING)) {
		effect_set_pattern(e, KIND_LOAD, EFFECT_SAME, bytes);
		e->mask = w->mask & w->active;
		e->half[0] = at;
		return;
	}
	effect_set(e, KIND_LOAD, SPACE_CONST, w->mask & w->active, bytes);
	for (int l = 0; l < LANES; l++)
		e->addr[l] = at;
}

/* At a fixed offset: the pool has the value. */
void sass_ldc_fixed(struct warp *w, const struct inst *in)
{
	const uint32_t *from = slot_at(w, in->a);

	put32(w, in->d, from);
	if (in->count == 2)
		put32(w, in->d + SASS_PAIR_BYTES, from + LANES);
	if (UNLIKELY(w->effect->reader != READER_NONE))
		note_constant(w, in);
}

/* The bytes of lane l, extended. False: they are outside of the bank. */
static bool read_constant(const struct sass_bank_view *b, const struct inst *in,
			  uint32_t offset, uint32_t out[4])
{
	uint32_t bytes = (uint32_t)in->width * in->count, top;

	if (offset > b->size || b->size - offset < bytes || offset % bytes)
		return false;
	memset(out, 0, 4 * sizeof(*out));
	memcpy(out, b->bytes + offset, bytes);
	if (in->m & MEM_SIGNED && bytes < 4) {
		top = 1u << (8 * bytes - 1);
		out[0] = (out[0] ^ top) - top;
	}
	return true;
}

/* At an offset plus a register. */
void sass_ldc(struct warp *w, const struct inst *in)
{
	const struct sass_bank_view *b = bank_of(w, in);
	const uint32_t *index = slot_at(w, in->a);
	uint32_t word[4], out[4][LANES] = { { 0 } };

	for (unsigned l = 0; l < LANES; l++) {
		uint32_t at = index[l] + (uint32_t)in->offset;

		if (!(w->mask >> l & 1))
			continue;
		if (!read_constant(b, in, at, word)) {
			warp_fault(w, in, FAULT_ADDRESS, lane_bit(l), at,
				   "%u-byte load from offset 0x%x of a "
				   "constant bank of %u bytes",
				   in->width * in->count, at, b->size);
			return;
		}
		for (unsigned i = 0; i < in->count; i++)
			out[i][l] = word[i];
	}
	if (UNLIKELY(w->effect->reader != READER_NONE)) {
		effect_set(w->effect, KIND_LOAD, SPACE_CONST,
			   w->mask & w->active, in->width * in->count);
		mem_addresses(w, in, w->effect->addr);
	}
	for (uint32_t i = 0; i < in->count; i++)
		put32(w, mem_slot(in, i), out[i]);
}

void sass_uldc(struct warp *w, const struct inst *in)
{
	sass_ldc(w, in);
}

/* ---- others -------------------------------------------------------------- */

void sass_membar(struct warp *w, const struct inst *in)
{
	mem_fence(w, in);
}

/* PU: whether the generic address is in that memory. */
void sass_qspc(struct warp *w, const struct inst *in)
{
	uint64_t addr[LANES];
	lanes_t is = 0;

	mem_addresses(w, in, addr);
	for (unsigned l = 0; l < LANES; l++) {
		enum space s = window_of(addr[l]);

		switch (in->k) {
		case SASS_SPACE_GLOBAL:
			is |= (lanes_t)(s == SPACE_GLOBAL) << l;
			break;
		case SASS_SPACE_LOCAL:
			is |= (lanes_t)(s == SPACE_LOCAL) << l;
			break;
		default: /* every block is a cluster of its own */
			is |= (lanes_t)(s == SPACE_SHARED) << l;
		}
	}
	pred_put(w, in->d2, is);
}
