/*
 * Texture and surface instructions (PTX ISA 9.7.10 and 9.7.11).
 *
 * Operands are lists: 0 the registers of the result or source, 1 the object, 2
 * the coordinates as written, 3 a sampler (ignored: a texture has its own), 4
 * level or gradients (ignored: textures have one level), 5 offsets.
 */
#include <inttypes.h>
#include <string.h>

#include "base/fp.h"
#include "isa/ptx/exec_rows.h"
#include "simt/block.h"
#include "simt/fault.h"
#include "simt/gmem.h"
#include "simt/mem.h"
#include "simt/tex.h"
#include "simt/view.h"

enum { OUT, OBJECT, COORDS, OFFSETS = 5 };

/* What the coordinates of a geometry are. */
struct geom {
	int dims;
	bool layered, cube; /* layered: the layer's number comes first */
};

static struct geom geom_of(const struct opnd_lists *x)
{
	switch (lists_op(x)->attr[PTX_CLASS_GEOM]) {
	case PTX_GEOM_G1D:
		return (struct geom){ 1, false, false };
	case PTX_GEOM_G3D:
		return (struct geom){ 3, false, false };
	case PTX_GEOM_A1D:
		return (struct geom){ 1, true, false };
	case PTX_GEOM_A2D:
		return (struct geom){ 2, true, false };
	case PTX_GEOM_CUBE:
		return (struct geom){ 3, false, true };
	case PTX_GEOM_ACUBE:
		return (struct geom){ 3, true, true };
	default:
		return (struct geom){ 2, false, false };
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
	const uint64_t handle = list_lane(w, in->x, OBJECT, 0, lane);
	const struct tex *t = tex_find(warp_textures(w), handle);

	if (!t)
		warp_fault(w, in, FAULT_ILLEGAL, 1u << lane, handle,
			   "no texture or surface has the handle 0x%" PRIx64,
			   handle);
	return t;
}

/* A lane's coordinates: the layer, then up to three words. */
struct texel_place {
	uint32_t layer;
	int32_t at[3];
};

static struct texel_place tex_place_of(const struct warp *w,
				       const struct opnd_lists *x,
				       struct geom g, int lane)
{
	struct texel_place p = { 0, { 0, 0, 0 } };
	int i = 0;

	if (g.layered)
		p.layer = (uint32_t)list_lane(w, x, COORDS, i++, lane);
	for (int k = 0; k < g.dims && i < x->count[COORDS]; k++)
		p.at[k] = (int32_t)list_lane(w, x, COORDS, i++, lane);
	return p;
}

static void tex_sample_lane(const struct warp *w, const struct opnd_lists *x,
			    const struct tex *t, int lane, uint32_t out[4])
{
	const struct geom g = geom_of(x);
	const struct texel_place p = tex_place_of(w, x, g, lane);
	int32_t offset[3] = { 0, 0, 0 };
	float at[3];

	memcpy(at, p.at, sizeof(at));
	for (int i = 0; i < g.dims && x->count[OFFSETS] >= g.dims; i++)
		offset[i] = (int32_t)list_lane(w, x, OFFSETS, i, lane);
	if (g.cube)
		tex_sample_cube(t, p.layer, at, out);
	else if (lists_op(x)->type[1] == PTX_S32)
		tex_load(t, g.dims, p.layer, p.at, offset, out);
	else
		tex_sample(t, g.dims, p.layer, at, offset, out);
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
		struct texel_place p;
		float at[3];

		if (!(w->mask >> l & 1))
			continue;
		t = object_of(w, in, l);
		if (!t)
			return;
		p = tex_place_of(w, x, geom_of(x), l);
		memcpy(at, p.at, sizeof(at));
		tex_gather(t, channel, at, v[l]);
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

/* The number of layers is the size of the dimension after the last one. A 1D
 * texture has the height 1, a 1D surface 0. */
static uint32_t height_of(const struct tex *t, bool surface)
{
	if (t->height)
		return t->height;
	return t->layers ? t->layers : surface ? 0 : 1;
}

static uint32_t tex_answer(const struct tex *t, unsigned query, bool surface)
{
	switch (query) {
	case PTX_QUERY_WIDTH:
		return t->width;
	case PTX_QUERY_HEIGHT:
		return height_of(t, surface);
	case PTX_QUERY_DEPTH:
		return t->depth ? t->depth : t->height ? t->layers : 0;
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

/*
 * Sets *out to a lane's `size` bytes, or to NULL if the access is outside and
 * ignored. False: the launch has faulted.
 */
static bool tex_locate(struct warp *w, const struct inst *in, int lane,
		       uint32_t size, char **out)
{
	const struct opnd_lists *x = in->x;
	const struct geom g = geom_of(x);
	const unsigned mode = lists_op(x)->attr[PTX_CLASS_CLAMP];
	const struct tex *t = object_of(w, in, lane);
	struct texel_place p;

	if (!t)
		return false;
	p = tex_place_of(w, x, g, lane);
	if (in->op == PTX_OP_SUST_P) {
		/* Texels are counted, and may be beyond the last byte. */
		size = t->channels * texel_bytes(t->format);
		int64_t at = (int64_t)p.at[0] * size;
		p.at[0] = at < 0 ? -(int32_t)size :
			  at > INT32_MAX ?
				   INT32_MAX / (int32_t)size * (int32_t)size :
				   (int32_t)at;
	}
	if ((uint32_t)p.at[0] % size) {
		warp_fault(w, in, FAULT_MISALIGNED, 1u << lane,
			   (uint32_t)p.at[0],
			   "surface offset %d is not a multiple of %u bytes",
			   p.at[0], size);
		return false;
	}
	*out = surf_at(t, g.dims, p.layer, p.at, size, mode == PTX_CLAMP_CLAMP);
	if (*out || mode != PTX_CLAMP_TRAP)
		return true;
	warp_fault(w, in, FAULT_ADDRESS, 1u << lane, (uint32_t)p.at[0],
		   "outside of the surface: layer %u, byte %d, row %d, "
		   "slice %d",
		   p.layer, p.at[0], p.at[1], p.at[2]);
	return false;
}

/* With timing: returns the lane's guest address and keeps it in the effect. */
static uint64_t keep_address(struct warp *w, int lane, const char *host)
{
	const struct gmem *g = w->block->launch->machine->gmem;

	w->effect->addr[lane] = gmem_guest(g, host);
	return w->effect->addr[lane];
}

/* Gives lanes whose access is ignored the address of one in `somewhere`, or 0. */
static void fill_addresses(uint64_t addr[LANES], uint32_t somewhere)
{
	uint64_t any = somewhere ? addr[__builtin_ctz(somewhere)] : 0;

	for (int l = 0; l < LANES; l++)
		addr[l] = somewhere >> l & 1 ? addr[l] : any;
}

enum { SURF_MAX = 4 }; /* registers of an access */

/* Where to read the bytes at `from`, as the SM sees them. */
static const char *read_through_view(struct warp *w, int lane, char *from,
				     uint32_t size)
{
	uintptr_t host[LANES];

	if (!warp_view(w) || !from)
		return from;
	host[lane] = (uintptr_t)from;
	keep_address(w, lane, from);
	view_load(warp_view(w), w->effect->addr, 1u << lane, size, host);
	return (const char *)host[lane];
}

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
		from = read_through_view(w, l, at, bytes * x->count[OUT]);
		for (unsigned i = 0; from && i < x->count[OUT]; i++)
			memcpy(&v[i][l], from + i * bytes, bytes);
	}
	for (int i = 0; i < x->count[OUT]; i++)
		put_any(w, x->slots[x->first[OUT] + i], x->bytes[OUT], v[i]);
}

/* Writes a lane's bytes to `to`. Returns their number. */
static uint32_t tex_store(const struct warp *w, const struct inst *in, int lane,
			  char *to)
{
	const struct opnd_lists *x = in->x;
	const uint32_t bytes = ptx_types[lists_op(x)->type[0]].bytes;
	uint32_t texel[SURF_MAX] = { 0 };
	const struct tex *t;

	for (int i = 0; i < x->count[OUT]; i++) {
		uint64_t v = list_lane(w, x, OUT, i, lane);

		texel[i] = (uint32_t)v;
		if (in->op != PTX_OP_SUST_P)
			memcpy(to + (uint32_t)i * bytes, &v, bytes);
	}
	if (in->op != PTX_OP_SUST_P)
		return bytes * x->count[OUT];
	t = tex_find(warp_textures(w), list_lane(w, x, OBJECT, 0, lane));
	surf_put(t, to, texel, x->count[OUT]);
	return t->channels * texel_bytes(t->format);
}

/* The same through the SM's view of memory. */
static void store_timed(struct warp *w, const struct inst *in, int lane,
			char *to)
{
	char bytes[SURF_MAX * 8];
	uint32_t n = tex_store(w, in, lane, bytes);

	view_write(warp_view(w), keep_address(w, lane, to), to, bytes, n);
}

/* Sets the effect of an access; `found`: the lanes that access a texel. */
static void set_surface_effect(struct warp *w, const struct inst *in,
			       uint32_t found)
{
	effect_set(w->effect, KIND_PLAIN, in->space, w->mask, inst_bytes(in));
	fill_addresses(w->effect->addr, found);
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
		if (to && warp_view(w))
			store_timed(w, in, l, to);
		else if (to)
			tex_store(w, in, l, to);
	}
	if (warp_view(w))
		set_surface_effect(w, in, somewhere);
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
	fill_addresses(addr, somewhere);
	return somewhere;
}

static uint64_t sured_result(unsigned op, enum ptx_type type, uint64_t a,
			     uint64_t b)
{
	const bool less = type == PTX_S32 ? (int32_t)a < (int32_t)b : a < b;

	switch (op) {
	case PTX_REDOP_MIN:
		return less ? a : b;
	case PTX_REDOP_MAX:
		return less ? b : a;
	case PTX_REDOP_AND:
		return a & b;
	case PTX_REDOP_OR:
		return a | b;
	case PTX_REDOP_XOR:
		return a ^ b;
	default:
		return a + b;
	}
}

static void reduce32(const struct ptx_opcode *o, uint32_t *p, uint32_t b)
{
	const unsigned op = o->attr[PTX_CLASS_REDOP];
	const enum ptx_type t = (enum ptx_type)o->type[0];
	uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(
		p, &old, (uint32_t)sured_result(op, t, old, b), true,
		__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void reduce64(const struct ptx_opcode *o, uint64_t *p, uint64_t b)
{
	const unsigned op = o->attr[PTX_CLASS_REDOP];
	const enum ptx_type t = (enum ptx_type)o->type[0];
	uint64_t old = __atomic_load_n(p, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(p, &old,
					    sured_result(op, t, old, b), true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void sured_lane(const struct inst *in, void *at, uint64_t b)
{
	const struct opnd_lists *x = in->x;

	if (ptx_types[lists_op(x)->type[0]].bytes == 8)
		reduce64(lists_op(x), at, b);
	else
		reduce32(lists_op(x), at, (uint32_t)b);
}

static void perform_sured(struct atomic *a, unsigned lane)
{
	sured_lane(a->in, (void *)a->host[lane], a->b[0][lane]);
}

/* Records the reductions of these lanes, to be performed later. */
static void sured_timed(struct warp *w, const struct inst *in, uint32_t lanes,
			const uintptr_t host[LANES])
{
	const struct opnd_lists *x = in->x;
	struct atomic *a = view_atomic(warp_view(w), w, in, lanes,
				       ptx_types[lists_op(x)->type[0]].bytes,
				       host);

	a->perform = perform_sured;
	for (int l = 0; l < LANES; l++)
		a->b[0][l] = list_lane(w, x, OUT, 0, l);
}

void exec_sured(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	const uint32_t bytes = ptx_types[lists_op(x)->type[0]].bytes;
	uintptr_t host[LANES] = { 0 };
	uint32_t later = 0;

	for (int l = 0; l < LANES; l++) {
		char *at;

		if (!(w->mask >> l & 1))
			continue;
		if (!tex_locate(w, in, l, bytes, &at))
			return;
		if ((uintptr_t)at % bytes) {
			warp_fault(w, in, FAULT_MISALIGNED, 1u << l, 0,
				   "the rows of the surface are not aligned");
			return;
		}
		if (!at)
			continue;
		if (warp_view(w)) {
			keep_address(w, l, at);
			host[l] = (uintptr_t)at;
			later |= 1u << l;
		} else {
			sured_lane(in, at, list_lane(w, x, OUT, 0, l));
		}
	}
	if (warp_view(w))
		set_surface_effect(w, in, later);
	if (later)
		sured_timed(w, in, later, host);
}
