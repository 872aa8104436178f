#include "simt/surface.h"

#include <inttypes.h>
#include <string.h>

#include "simt/atomic.h"
#include "simt/block.h"
#include "simt/fault.h"
#include "simt/gmem.h"
#include "simt/mem.h"
#include "simt/view.h"

static const struct tex *tex_or_fault(struct warp *w, const struct inst *in,
				      int lane, uint64_t handle,
				      const struct tex *t)
{
	if (!t)
		warp_fault(w, in, FAULT_ILLEGAL, lane_bit((unsigned)lane),
			   handle,
			   "no texture or surface has the handle 0x%" PRIx64,
			   handle);
	return t;
}

const struct tex *lane_tex(struct warp *w, const struct inst *in, int lane,
			   uint64_t handle)
{
	return tex_or_fault(w, in, lane, handle,
			    tex_find(warp_textures(w), handle));
}

const struct tex *lane_tex_low(struct warp *w, const struct inst *in, int lane,
			       uint32_t handle)
{
	return tex_or_fault(w, in, lane, handle,
			    tex_find_low(warp_textures(w), handle));
}

void tex_fetch(const struct tex *t, struct tex_geom g,
	       const struct tex_place *p, bool integer, const int32_t offset[3],
	       uint32_t out[4], struct tex_span *span)
{
	float at[3];

	memcpy(at, p->at, sizeof(at));
	if (g.cube)
		tex_sample_cube(t, p->layer, at, out, span);
	else if (integer)
		tex_load(t, g.dims, p->layer, p->at, offset, out, span);
	else
		tex_sample(t, g.dims, p->layer, at, offset, out, span);
}

void tex_effect(struct warp *w, int lane, const struct tex *t,
		const struct tex_span *span)
{
	struct effect *e = w->effect;

	if (!e->takes_texels || span->first == TEX_NOWHERE)
		return;
	e->fetched |= lane_bit((unsigned)lane);
	e->bytes = t->channels * texel_bytes(t->format);
	e->addr[lane] = t->guest + (lane & 1 ? span->last : span->first);
}

/* ---- surfaces ---- */

/* Makes a column of texels one of bytes; it may be beyond the last byte. */
static void surf_count_bytes(struct surf_access *a)
{
	uint32_t size = a->tex->channels * texel_bytes(a->tex->format);
	int64_t at = (int64_t)a->place.at[0] * size;

	a->size = size;
	a->place.at[0] = at < 0 ? -(int32_t)size :
			 at > INT32_MAX ?
				  INT32_MAX / (int32_t)size * (int32_t)size :
				  (int32_t)at;
}

bool surf_find(struct warp *w, const struct inst *in, int lane,
	       struct surf_access *a, char **out)
{
	const int32_t *at = a->place.at;
	lanes_t bit = lane_bit((unsigned)lane);

	if (a->texels)
		surf_count_bytes(a);
	if ((uint32_t)at[0] % a->size) {
		warp_fault(w, in, FAULT_MISALIGNED, bit, (uint32_t)at[0],
			   "surface offset %d is not a multiple of %u bytes",
			   at[0], a->size);
		return false;
	}
	*out = surf_at(a->tex, a->geom.dims, a->place.layer, at, a->size,
		       a->mode == SURF_CLAMP);
	if (*out || a->mode != SURF_TRAP)
		return true;
	warp_fault(w, in, FAULT_ADDRESS, bit, (uint32_t)at[0],
		   "outside of the surface: layer %u, byte %d, row %d, "
		   "slice %d",
		   a->place.layer, at[0], at[1], at[2]);
	return false;
}

/* Returns the lane's guest address and keeps it in the effect. */
static uint64_t surf_keep_address(struct warp *w, int lane, const char *host)
{
	const struct gmem *g = w->block->launch->machine->gmem;

	w->effect->addr[lane] = gmem_guest(g, host);
	return w->effect->addr[lane];
}

void surf_fill(uint64_t addr[LANES], lanes_t somewhere)
{
	uint64_t any = somewhere ? addr[lanes_first(somewhere)] : 0;

	for (int l = 0; l < LANES; l++)
		addr[l] = somewhere >> l & 1 ? addr[l] : any;
}

const char *surf_read(struct warp *w, int lane, char *from, uint32_t size)
{
	uintptr_t host[LANES];

	if (!from || !(warp_view(w) || w->effect->takes_texels))
		return from;
	surf_keep_address(w, lane, from);
	if (w->effect->takes_texels) {
		w->effect->fetched |= lane_bit((unsigned)lane);
		w->effect->bytes = size;
	}
	if (!warp_view(w))
		return from;
	host[lane] = (uintptr_t)from;
	view_load(warp_view(w), w->effect->addr, lane_bit((unsigned)lane), size,
		  host);
	return (const char *)host[lane];
}

void surf_write(struct warp *w, int lane, char *to, const void *from,
		uint32_t size)
{
	if (warp_view(w))
		view_write(warp_view(w), surf_keep_address(w, lane, to), to,
			   from, size);
	else
		memcpy(to, from, size);
}

void surf_effect(struct warp *w, const struct inst *in, lanes_t found)
{
	effect_set(w->effect, KIND_PLAIN, in->space, w->mask, inst_bytes(in));
	surf_fill(w->effect->addr, found);
}

void surf_reduce(struct warp *w, const struct inst *in, lanes_t found,
		 const uintptr_t host[LANES], const uint64_t b[LANES])
{
	struct atomic *a;

	if (!warp_view(w)) {
		for (lanes_t left = found; left; left &= left - 1)
			atom_at_once(in, host[lanes_first(left)],
				     b[lanes_first(left)]);
		return;
	}
	for (lanes_t left = found; left; left &= left - 1)
		surf_keep_address(w, (int)lanes_first(left),
				  (const char *)host[lanes_first(left)]);
	surf_effect(w, in, found);
	if (!found)
		return;
	a = view_atomic(warp_view(w), w, in, found, in->width, host);
	a->perform = atom_perform;
	memcpy(a->b[0], b, sizeof(a->b[0]));
}
