/*
 * Texture and surface instructions (PTX ISA 9.7.10 and 9.7.11).
 *
 * Operands are lists: 0 the registers of the result or source, 1 the object, 2
 * the coordinates as written, 3 a sampler (ignored: a texture has its own), 4
 * level or gradients (ignored: textures have one level), 5 offsets.
 */
#include <string.h>

#include "base/fp.h"
#include "isa/ptx/exec_rows.h"
#include "simt/block.h"
#include "simt/fault.h"
#include "simt/gmem.h"
#include "simt/mem.h"
#include "simt/surface.h"
#include "simt/view.h"

enum { OUT, OBJECT, COORDS, OFFSETS = 5 };

static struct tex_geom geom_of(const struct opnd_lists *x)
{
	switch (lists_op(x)->attr[PTX_CLASS_GEOM]) {
	case PTX_GEOM_G1D:
		return (struct tex_geom){ 1, false, false };
	case PTX_GEOM_G3D:
		return (struct tex_geom){ 3, false, false };
	case PTX_GEOM_A1D:
		return (struct tex_geom){ 1, true, false };
	case PTX_GEOM_A2D:
		return (struct tex_geom){ 2, true, false };
	case PTX_GEOM_CUBE:
		return (struct tex_geom){ 3, false, true };
	case PTX_GEOM_ACUBE:
		return (struct tex_geom){ 3, true, true };
	default:
		return (struct tex_geom){ 2, false, false };
	}
}

static uint64_t list_lane(const struct warp *w, const struct opnd_lists *x,
			  int list, int i, int lane)
{
	return slot_lane(w, x->slots[x->first[list] + i], x->bytes[list], lane);
}

/* The texture or surface of a lane. NULL: the launch has faulted. */
static const struct tex *object_of(struct warp *w, const struct inst *in,
				   int lane)
{
	return lane_tex(w, in, lane, list_lane(w, in->x, OBJECT, 0, lane));
}

/* The layer's number comes first. */
static struct tex_place tex_place_of(const struct warp *w,
				     const struct opnd_lists *x,
				     struct tex_geom g, int lane)
{
	struct tex_place p = { 0, { 0, 0, 0 } };
	int i = 0;

	if (g.layered)
		p.layer = (uint32_t)list_lane(w, x, COORDS, i++, lane);
	for (int k = 0; k < g.dims && i < x->count[COORDS]; k++)
		p.at[k] = (int32_t)list_lane(w, x, COORDS, i++, lane);
	return p;
}

static void tex_sample_lane(struct warp *w, const struct opnd_lists *x,
			    const struct tex *t, int lane, uint32_t out[4])
{
	const struct tex_geom g = geom_of(x);
	const struct tex_place p = tex_place_of(w, x, g, lane);
	int32_t offset[3] = { 0, 0, 0 };
	struct tex_span span;

	for (int i = 0; i < g.dims && x->count[OFFSETS] >= g.dims; i++)
		offset[i] = (int32_t)list_lane(w, x, OFFSETS, i, lane);
	tex_fetch(t, g, &p, lists_op(x)->type[1] == PTX_S32, offset, out,
		  &span);
	tex_effect(w, lane, t, &span);
}

static uint32_t to_f16_bits(uint32_t f32)
{
	return (uint32_t)fp_cvt(FP_F16, FP_F32, f32, RND_RN, false);
}

/* Writes the four values of every lane to the destination, in its type. */
static void put_values(struct warp *w, const struct inst *in,
		       uint32_t v[LANES][4])
{
	const struct opnd_lists *x = in->x;
	const enum ptx_type type = (enum ptx_type)lists_op(x)->type[0];
	uint64_t r[LANES];

	for (int i = 0; i < x->count[OUT]; i++) {
		for (int l = 0; l < LANES; l++) {
			if (type == PTX_F16X2)
				r[l] = to_f16_bits(v[l][2 * i & 3]) |
				       to_f16_bits(v[l][(2 * i + 1) & 3]) << 16;
			else if (type == PTX_F16)
				r[l] = to_f16_bits(v[l][i & 3]);
			else
				r[l] = v[l][i & 3];
		}
		put_any(w, x->slots[x->first[OUT] + i], x->bytes[OUT], r);
	}
}

void exec_tex(struct warp *w, const struct inst *in)
{
	uint32_t v[LANES][4] = { { 0 } };

	for (int l = 0; l < LANES; l++) {
		const struct tex *t;

		if (!(w->mask >> l & 1))
			continue;
		t = object_of(w, in, l);
		if (!t)
			return;
		tex_sample_lane(w, in->x, t, l, v[l]);
	}
	put_values(w, in, v);
}

void exec_tld4(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	const unsigned channel = lists_op(x)->attr[PTX_CLASS_COMP] - PTX_COMP_R;
	uint32_t v[LANES][4] = { { 0 } };

	for (int l = 0; l < LANES; l++) {
		const struct tex *t;
		struct tex_place p;
		float at[3];
		struct tex_span span;

		if (!(w->mask >> l & 1))
			continue;
		t = object_of(w, in, l);
		if (!t)
			return;
		p = tex_place_of(w, x, geom_of(x), l);
		memcpy(at, p.at, sizeof(at));
		tex_gather(t, channel, at, v[l], &span);
		tex_effect(w, l, t, &span);
	}
	put_values(w, in, v);
}

/* ---- queries ---- */

/* Codes of PTX ISA 5.3.2: normalised types come first. */
static uint32_t channel_type(const struct tex *t)
{
	static const uint32_t plain[TEXEL_COUNT] = { 0x10da, 0x10db, 0x10dc,
						     0x10d7, 0x10d8, 0x10d9,
						     0x10dd, 0x10de };

	if (t->as_float)
		switch (t->format) {
		case TEXEL_S8:
			return 0x10d0;
		case TEXEL_S16:
			return 0x10d1;
		case TEXEL_U8:
			return 0x10d2;
		case TEXEL_U16:
			return 0x10d3;
		default:
			break;
		}
	return plain[t->format];
}

static uint32_t channel_order(const struct tex *t)
{
	return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;
}

static uint32_t tex_answer(const struct tex *t, unsigned query, bool surface)
{
	switch (query) {
	case PTX_QUERY_WIDTH:
		return tex_extent(t, 0, surface);
	case PTX_QUERY_HEIGHT:
		return tex_extent(t, 1, surface);
	case PTX_QUERY_DEPTH:
		return tex_extent(t, 2, surface);
	case PTX_QUERY_CHANNEL_DATA_TYPE:
		return channel_type(t);
	case PTX_QUERY_CHANNEL_ORDER:
		return channel_order(t);
	case PTX_QUERY_NORMALIZED_COORDS:
		return t->normalized;
	case PTX_QUERY_ARRAY_SIZE:
		return t->layers;
	case PTX_QUERY_NUM_MIPMAP_LEVELS:
	case PTX_QUERY_NUM_SAMPLES:
		return 1;
	default:
		return 0;
	}
}

void exec_txq(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	uint32_t v[LANES] = { 0 };

	for (int l = 0; l < LANES; l++) {
		const struct tex *t;

		if (!(w->mask >> l & 1))
			continue;
		t = object_of(w, in, l);
		if (!t)
			return;
		v[l] = tex_answer(t, lists_op(x)->attr[PTX_CLASS_QUERY],
				  in->op == PTX_OP_SUQ);
	}
	put32(w, in->d, v);
}

/*
 * An object is both a texture and a surface; there are no samplers. in->k is the
 * type that is tested for.
 */
void exec_istypep(struct warp *w, const struct inst *in)
{
	uint32_t bits = 0;

	for (int l = 0; l < LANES; l++)
		if (w->mask >> l & 1 &&
		    tex_find(warp_textures(w), slot_lane(w, in->a, 8, l)))
			bits |= 1u << l;
	if (in->k == PTX_SAMPLERREF)
		bits = 0;
	pred_put(w, in->d, bits);
}

/* ---- surfaces ---- */

static enum surf_mode surf_mode_of(const struct opnd_lists *x)
{
	switch (lists_op(x)->attr[PTX_CLASS_CLAMP]) {
	case PTX_CLAMP_TRAP:
		return SURF_TRAP;
	case PTX_CLAMP_CLAMP:
		return SURF_CLAMP;
	default:
		return SURF_IGNORE;
	}
}

/*
 * Sets *out to a lane's `size` bytes, or to NULL if the access is outside and
 * ignored. False: the launch has faulted.
 */
static bool tex_locate(struct warp *w, const struct inst *in, int lane,
		       uint32_t size, char **out)
{
	const struct opnd_lists *x = in->x;
	struct surf_access a = { .tex = object_of(w, in, lane),
				 .geom = geom_of(x),
				 .mode = surf_mode_of(x),
				 .texels = in->op == PTX_OP_SUST_P,
				 .size = size };

	if (!a.tex)
		return false;
	a.place = tex_place_of(w, x, a.geom, lane);
	return surf_find(w, in, lane, &a, out);
}

enum { SURF_MAX = 4 }; /* registers of an access */

void exec_suld(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	const uint32_t bytes = ptx_types[lists_op(x)->type[0]].bytes;
	uint64_t v[SURF_MAX][LANES] = { { 0 } };

	for (int l = 0; l < LANES; l++) {
		const char *from;
		char *at;

		if (!(w->mask >> l & 1))
			continue;
		if (!tex_locate(w, in, l, bytes * x->count[OUT], &at))
			return;
		from = surf_read(w, l, at, bytes * x->count[OUT]);
		for (unsigned i = 0; from && i < x->count[OUT]; i++)
			memcpy(&v[i][l], from + i * bytes, bytes);
	}
	for (int i = 0; i < x->count[OUT]; i++)
		put_any(w, x->slots[x->first[OUT] + i], x->bytes[OUT], v[i]);
}

/* Writes a lane's bytes to `to`. */
static void tex_store(struct warp *w, const struct inst *in, int lane, char *to)
{
	const struct opnd_lists *x = in->x;
	uint32_t bytes = ptx_types[lists_op(x)->type[0]].bytes;
	uint32_t n = bytes * x->count[OUT], texel[SURF_MAX] = { 0 };
	char out[SURF_MAX * 8];
	const struct tex *t;

	for (int i = 0; i < x->count[OUT]; i++) {
		uint64_t v = list_lane(w, x, OUT, i, lane);

		texel[i] = (uint32_t)v;
		memcpy(out + (uint32_t)i * bytes, &v, bytes);
	}
	if (in->op == PTX_OP_SUST_P) {
		t = tex_find(warp_textures(w),
			     list_lane(w, x, OBJECT, 0, lane));
		surf_put(t, out, texel, x->count[OUT]);
		n = t->channels * texel_bytes(t->format);
	}
	surf_write(w, lane, to, out, n);
}

void exec_sust(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	const uint32_t bytes = ptx_types[lists_op(x)->type[0]].bytes;
	uint32_t somewhere = 0;

	if (warp_view(w))
		view_begin(warp_view(w));
	for (int l = 0; l < LANES; l++) {
		char *to;

		if (!(w->mask >> l & 1))
			continue;
		if (!tex_locate(w, in, l, bytes * x->count[OUT], &to))
			return;
		somewhere |= (uint32_t)(to != NULL) << l;
		if (to)
			tex_store(w, in, l, to);
	}
	if (warp_view(w))
		surf_effect(w, in, somewhere);
}

lanes_t surface_addresses(struct warp *w, const struct inst *in,
			  uint64_t addr[LANES])
{
	const struct gmem *g = w->block->launch->machine->gmem;
	const struct opnd_lists *x = in->x;
	const uint32_t bytes = ptx_types[lists_op(x)->type[0]].bytes;
	uint32_t somewhere = 0;

	for (uint32_t left = w->mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		char *at;

		if (!tex_locate(w, in, l, bytes * x->count[OUT], &at))
			return 0;
		if (!at)
			continue;
		somewhere |= 1u << l;
		addr[l] = gmem_guest(g, at);
	}
	surf_fill(addr, somewhere);
	return somewhere;
}

void exec_sured(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	uintptr_t host[LANES] = { 0 };
	uint64_t b[LANES] = { 0 };
	lanes_t found = 0;

	for (int l = 0; l < LANES; l++) {
		char *at;

		if (!(w->mask >> l & 1))
			continue;
		if (!tex_locate(w, in, l, in->width, &at))
			return;
		if ((uintptr_t)at % in->width) {
			warp_fault(w, in, FAULT_MISALIGNED, 1u << l, 0,
				   "the rows of the surface are not aligned");
			return;
		}
		if (!at)
			continue;
		host[l] = (uintptr_t)at;
		b[l] = list_lane(w, x, OUT, 0, l);
		found |= lane_bit((unsigned)l);
	}
	surf_reduce(w, in, found, host, b);
}
