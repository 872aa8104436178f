/*
 * Textures and surfaces. simt/tex.h computes; an object is named by the low word
 * of its handle.
 *
 * Operands are lists (lower_tex.c): the registers of the result or source, the
 * handle, the coordinates as the geometry has them, offsets in texels packed
 * into a word. Levels of detail and gradients are ignored, because textures have
 * one level.
 */
#include "isa/sass/exec_tex.h"

#include <string.h>

#include "base/fp.h"
#include "simt/block.h"
#include "simt/fault.h"
#include "simt/surface.h"
#include "simt/view.h"

static uint32_t tex_word(const struct warp *w, const struct inst *in, int list,
			 unsigned i, int lane)
{
	const struct opnd_lists *x = in->x;
	const uint32_t *reg = slot_at(w, x->slots[x->first[list] + i]);

	return reg[lane];
}

static const struct tex *tex_of(struct warp *w, const struct inst *in, int lane)
{
	return lane_tex_low(w, in, lane, tex_word(w, in, TEX_HANDLE, 0, lane));
}

static struct tex_place tex_at(const struct warp *w, const struct inst *in,
			       int lane)
{
	const struct opnd_lists *x = in->x;
	const struct sass_tex *t = sass_tex_of(in);
	struct tex_place p = { 0, { 0, 0, 0 } };

	for (int i = 0; i < t->geom.dims; i++)
		p.at[i] =
			(int32_t)tex_word(w, in, TEX_COORDS, (unsigned)i, lane);
	if (t->geom.layered) /* the last one of the list */
		p.layer = tex_word(w, in, TEX_COORDS, x->count[TEX_COORDS] - 1u,
				   lane);
	return p;
}

/* The offsets of a lane: nibbles, signed. */
static void tex_offsets(const struct warp *w, const struct inst *in, int lane,
			int32_t offset[3])
{
	const struct opnd_lists *x = in->x;
	uint32_t packed = 0;

	if (x->count[TEX_OFFSETS])
		packed = tex_word(w, in, TEX_OFFSETS, 0, lane);
	for (int i = 0; i < 3; i++)
		offset[i] = (int32_t)(packed << (28 - 4 * i)) >> 28;
}

static uint32_t tex_half(uint32_t f32)
{
	return (uint32_t)fp_cvt(FP_F16, FP_F32, f32, RND_RN, false);
}

/* Writes the components that the mask names, one to a register or two. */
static void tex_put(struct warp *w, const struct inst *in, uint32_t v[LANES][4])
{
	const struct opnd_lists *x = in->x;
	const struct sass_tex *t = sass_tex_of(in);
	unsigned from[4] = { 0 }, n = 0;

	for (unsigned c = 0; c < 4; c++)
		if (t->mask >> c & 1)
			from[n++] = c;
	for (unsigned i = 0; i < x->count[TEX_OUT]; i++) {
		uint32_t out[LANES];

		for (int l = 0; l < LANES && !t->halves; l++)
			out[l] = v[l][from[i]];
		for (int l = 0; l < LANES && t->halves; l++) {
			out[l] = tex_half(v[l][from[2 * i]]);
			if (2 * i + 1 < n)
				out[l] |= tex_half(v[l][from[2 * i + 1]]) << 16;
		}
		put32(w, x->slots[x->first[TEX_OUT] + i], out);
	}
}

/* A 1D texture may be sampled as one of a single row. */
static struct tex_geom tex_geom_for(const struct tex *t, struct tex_geom g)
{
	if (g.dims == 2 && !t->height)
		g.dims = 1;
	return g;
}

void sass_tex(struct warp *w, const struct inst *in)
{
	const struct sass_tex *s = sass_tex_of(in);
	uint32_t v[LANES][4] = { { 0 } };

	for (int l = 0; l < LANES; l++) {
		const struct tex *t;
		struct tex_place p;
		int32_t offset[3];
		struct tex_span span;

		if (!(w->mask >> l & 1))
			continue;
		t = tex_of(w, in, l);
		if (!t)
			return;
		p = tex_at(w, in, l);
		tex_offsets(w, in, l, offset);
		tex_fetch(t, tex_geom_for(t, s->geom), &p, s->integer, offset,
			  v[l], &span);
		tex_effect(w, l, t, &span);
	}
	tex_put(w, in, v);
}

void sass_tld4(struct warp *w, const struct inst *in)
{
	const struct sass_tex *s = sass_tex_of(in);
	uint32_t v[LANES][4] = { { 0 } };

	for (int l = 0; l < LANES; l++) {
		const struct tex *t;
		struct tex_place p;
		float at[3];
		struct tex_span span;

		if (!(w->mask >> l & 1))
			continue;
		t = tex_of(w, in, l);
		if (!t)
			return;
		p = tex_at(w, in, l);
		memcpy(at, p.at, sizeof(at));
		tex_gather(t, s->component, at, v[l], &span);
		tex_effect(w, l, t, &span);
	}
	tex_put(w, in, v);
}

void sass_txq(struct warp *w, const struct inst *in)
{
	uint32_t v[LANES][4] = { { 0 } };

	for (int l = 0; l < LANES; l++) {
		const struct tex *t;

		if (!(w->mask >> l & 1))
			continue;
		t = tex_of(w, in, l);
		if (!t)
			return;
		for (unsigned i = 0; i < 3; i++)
			v[l][i] = tex_extent(t, i, false);
	}
	tex_put(w, in, v);
}

/* ---- surfaces ---- */

/* Sets *out to a lane's bytes, or to NULL if the access is outside and ignored.
 * False: the launch has faulted. */
static bool tex_surf_find(struct warp *w, const struct inst *in, int lane,
			  struct surf_access *a, char **out)
{
	const struct sass_tex *s = sass_tex_of(in);

	*a = (struct surf_access){ .tex = tex_of(w, in, lane),
				   .geom = s->geom,
				   .mode = s->mode,
				   .texels = s->texels,
				   .size = inst_bytes(in) };
	if (!a->tex)
		return false;
	a->place = tex_at(w, in, lane);
	return surf_find(w, in, lane, a, out);
}

void sass_suld(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	uint32_t v[4][LANES] = { { 0 } };

	for (int l = 0; l < LANES; l++) {
		struct surf_access a;
		uint32_t word[4] = { 0 };
		const char *from;
		char *at;

		if (!(w->mask >> l & 1))
			continue;
		if (!tex_surf_find(w, in, l, &a, &at))
			return;
		from = surf_read(w, l, at, a.size);
		if (from)
			memcpy(word, from, a.size);
		if (in->m & MEM_SIGNED)
			word[0] = a.size == 1 ? (uint32_t)(int8_t)word[0] :
						(uint32_t)(int16_t)word[0];
		for (unsigned i = 0; i < x->count[TEX_OUT]; i++)
			v[i][l] = word[i];
	}
	for (unsigned i = 0; i < x->count[TEX_OUT]; i++)
		put32(w, x->slots[x->first[TEX_OUT] + i], v[i]);
}

/* Writes a lane's bytes; as a texel, they are converted to its format. */
static void tex_surf_store(struct warp *w, const struct inst *in, int lane,
			   const struct surf_access *a, char *to)
{
	const struct opnd_lists *x = in->x;
	uint32_t word[4] = { 0 };
	char texel[16];

	for (unsigned i = 0; i < x->count[TEX_OUT]; i++)
		word[i] = tex_word(w, in, TEX_OUT, i, lane);
	if (!a->texels) {
		surf_write(w, lane, to, word, a->size);
		return;
	}
	surf_put(a->tex, texel, word, x->count[TEX_OUT]);
	surf_write(w, lane, to, texel, a->size);
}

void sass_sust(struct warp *w, const struct inst *in)
{
	lanes_t found = 0;

	if (warp_view(w))
		view_begin(warp_view(w));
	for (int l = 0; l < LANES; l++) {
		struct surf_access a;
		char *to;

		if (!(w->mask >> l & 1))
			continue;
		if (!tex_surf_find(w, in, l, &a, &to))
			return;
		if (!to)
			continue;
		found |= lane_bit((unsigned)l);
		tex_surf_store(w, in, l, &a, to);
	}
	if (warp_view(w))
		surf_effect(w, in, found);
}

void sass_sured(struct warp *w, const struct inst *in)
{
	uintptr_t host[LANES] = { 0 };
	uint64_t b[LANES] = { 0 };
	lanes_t found = 0;

	for (int l = 0; l < LANES; l++) {
		struct surf_access a;
		char *at;

		if (!(w->mask >> l & 1))
			continue;
		if (!tex_surf_find(w, in, l, &a, &at))
			return;
		if ((uintptr_t)at % in->width) {
			warp_fault(w, in, FAULT_MISALIGNED,
				   lane_bit((unsigned)l), 0,
				   "the rows of the surface are not aligned");
			return;
		}
		if (!at)
			continue;
		host[l] = (uintptr_t)at;
		b[l] = tex_word(w, in, TEX_OUT, 0, l);
		if (in->width == 8)
			b[l] |= (uint64_t)tex_word(w, in, TEX_OUT, 1, l) << 32;
		found |= lane_bit((unsigned)l);
	}
	surf_reduce(w, in, found, host, b);
}

lanes_t sass_surface_addresses(struct warp *w, const struct inst *in,
			       uint64_t addr[LANES])
{
	const struct gmem *g = w->block->launch->machine->gmem;
	lanes_t somewhere = 0;

	for (lanes_t left = w->mask; left; left &= left - 1) {
		int l = (int)lanes_first(left);
		struct surf_access a;
		char *at;

		if (!tex_surf_find(w, in, l, &a, &at))
			return 0;
		if (!at)
			continue;
		somewhere |= lane_bit((unsigned)l);
		addr[l] = gmem_guest(g, at);
	}
	surf_fill(addr, somewhere);
	return somewhere;
}
