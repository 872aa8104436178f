/*
 * Bulk copies between global and shared memory. A block is a cluster of its own,
 * so shared::cluster addresses are addresses of its own shared memory.
 */
#include <string.h>

#include "isa/ptx/exec_rows.h"
#include "simt/block.h"
#include "simt/bulk.h"
#include "simt/mem.h"
#include "simt/view.h"

/* Finds the bytes of the only lane in w->mask. False: a fault. */
static bool locate_lane(struct warp *w, const struct inst *operand,
			uint32_t size, uint32_t align, char **host)
{
	uintptr_t at[LANES];

	if (!mem_locate(w, operand, KIND_PLAIN, size, align, at))
		return false;
	*host = (char *)at[__builtin_ctz(w->mask)];
	return true;
}

/* Fills in the copy, b->bytes long, of the only lane in w->mask. False: a
 * fault. */
static bool bulk_describe(struct warp *w, const struct bulk_opnds *x,
			  struct bulk *b)
{
	int lane = __builtin_ctz(w->mask);
	char *barrier = NULL;

	if (!locate_lane(w, &x->shared, b->bytes, BULK_CHUNK, &b->shared))
		return false;
	b->offset = (uint32_t)w->effect->addr[lane];
	if (!b->store && !locate_lane(w, &x->barrier, sizeof(*b->barrier),
				      sizeof(*b->barrier), &barrier))
		return false;
	b->barrier = (uint64_t *)(void *)barrier;
	if (!locate_lane(w, &x->global, b->bytes, BULK_CHUNK, &b->global))
		return false;
	b->address = w->effect->addr[lane];
	return true;
}

/* [to], [from]; b: size; c: mask of the bytes of each chunk that are copied. */
void exec_bulk(struct warp *w, const struct inst *in)
{
	const struct bulk_opnds *x = in->x;
	struct view *v = warp_view(w);
	uint32_t all = w->mask;

	if (v)
		w->effect->bulk_count = 0;
	for (uint32_t left = all; left; left &= left - 1) {
		int lane = __builtin_ctz(left);
		uint32_t size = (uint32_t)slot_lane(w, in->b, 4, lane);
		struct bulk b = { .bytes = size / BULK_CHUNK * BULK_CHUNK,
				  .keep = BULK_ALL,
				  .store = x->store };

		if (in->c != SLOT_NONE)
			b.keep = (uint16_t)slot_lane(w, in->c, 2, lane);
		if (!b.bytes)
			continue;
		w->mask = 1u << lane;
		if (!bulk_describe(w, x, &b))
			break;
		if (v)
			w->effect->bulk[w->effect->bulk_count++] = b;
		else
			bulk_at_once(&b);
	}
	w->mask = all;
}
