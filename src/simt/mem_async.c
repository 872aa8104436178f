/*
 * Asynchronous copies from global to shared memory. They are complete when they
 * are executed; the SM models the time that they take.
 */
#include <string.h>

#include "simt/block.h"
#include "simt/mem.h"
#include "simt/view.h"

/* The bytes at the end that are not copied, where the address says so: what it
 * is beyond a multiple of the width. */
static void async_left_out(struct warp *w, const struct inst *in,
			   uint32_t n[LANES])
{
	struct inst source = mem_async_source(in);
	uint64_t addr[LANES];

	source.addr &= (uint8_t)~ADDR_ROUNDED;
	mem_addresses(w, &source, addr);
	for (int l = 0; l < LANES; l++)
		n[l] -= (uint32_t)(addr[l] & (in->width - 1u));
}

/* Bytes that each lane copies; the rest of its destination becomes zero. */
static void async_lengths(struct warp *w, const struct inst *in,
			  uint32_t n[LANES])
{
	const struct opnd_lists *x = in->x;
	pred_t ignored = 0;

	if (x->count[2]) /* ignore-src */
		ignored = pred_src(w, in, x->slots[x->first[2]], 0);
	for (int l = 0; l < LANES; l++) {
		n[l] = in->width;
		if (x->count[1]) /* src-size */
			n[l] = (uint32_t)slot_lane(w, x->slots[x->first[1]], 4,
						   l);
		n[l] = n[l] > in->width ? in->width : n[l];
	}
	if (in->k & ADDR_ROUNDED)
		async_left_out(w, in, n);
	for (int l = 0; l < LANES; l++)
		n[l] = ignored >> l & 1 ? 0 : n[l];
}

/* Resolves the addresses that the lanes read; a lane that copies nothing may
 * have any address. */
static bool locate_source(struct warp *w, const struct inst *source,
			  const uint32_t n[LANES], uintptr_t from[LANES])
{
	lanes_t all = w->mask, left = all;
	uintptr_t at[LANES];
	bool ok = true;

	while (ok && left) {
		uint32_t size = n[lanes_first(left)];

		w->mask = 0;
		for (int l = 0; l < LANES; l++)
			if (left >> l & 1 && n[l] == size)
				w->mask |= lane_bit((unsigned)l);
		left &= ~w->mask;
		if (!size)
			continue;
		ok = mem_locate(w, source, KIND_PLAIN, size, source->width, at);
		if (ok && warp_view(w))
			view_load(warp_view(w), w->effect->addr, w->mask, size,
				  at);
		for (int l = 0; ok && l < LANES; l++)
			if (w->mask >> l & 1)
				from[l] = at[l];
	}
	w->mask = all;
	return ok;
}

struct inst mem_async_source(const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	struct inst source = *in;

	source.a = x->count[0] ? x->slots[x->first[0]] : SLOT_NONE;
	source.addr = in->k;
	source.offset = (int32_t)in->m;
	source.space = SPACE_GLOBAL;
	return source;
}

lanes_t mem_async_lanes(struct warp *w, const struct inst *in)
{
	uint32_t n[LANES];
	lanes_t mask = 0;

	async_lengths(w, in, n);
	for (int l = 0; l < LANES; l++)
		mask |= (lanes_t)(n[l] != 0) << l;
	return mask & w->mask;
}

/* Leaves the addresses of source and destination in the effect. */
static void keep_addresses(struct warp *w, const struct inst *in,
			   const struct inst *source, const uint32_t n[LANES])
{
	struct effect *e = w->effect;

	effect_set(e, KIND_ASYNC, in->space, w->mask, in->width);
	mem_addresses(w, in, e->addr);
	mem_addresses(w, source, e->source);
	e->source_mask = 0;
	for (int l = 0; l < LANES; l++)
		e->source_mask |= (lanes_t)(n[l] != 0) << l;
	e->source_mask &= w->mask;
}

void mem_copy_async(struct warp *w, const struct inst *in)
{
	uintptr_t to[LANES], from[LANES] = { 0 };
	struct inst source = mem_async_source(in);
	uint32_t bytes = in->width, n[LANES];

	if (!mem_locate(w, in, KIND_ASYNC, bytes, bytes, to))
		return;
	async_lengths(w, in, n);
	if (!locate_source(w, &source, n, from))
		return;
	if (w->effect->reader != READER_NONE)
		keep_addresses(w, in, &source, n);
	for (int l = 0; l < LANES; l++) {
		if (!(w->mask >> l & 1))
			continue;
		if (n[l])
			memcpy((void *)to[l], (const void *)from[l], n[l]);
		memset((char *)to[l] + n[l], 0, bytes - n[l]);
	}
}
