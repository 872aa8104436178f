/* Bulk copies between global and shared memory, at once or piece by piece. */
#include "simt/bulk.h"

#include <string.h>

#include "simt/block.h"
#include "simt/mbarrier.h"
#include "simt/mem.h"
#include "simt/view.h"

static void copy_kept(char *to, const char *from, uint16_t keep)
{
	if (keep == BULK_ALL) {
		memcpy(to, from, BULK_CHUNK);
		return;
	}
	for (unsigned i = 0; i < BULK_CHUNK; i++)
		if (keep >> i & 1)
			to[i] = from[i];
}

void bulk_land(const struct bulk *b)
{
	if (b->barrier)
		mbar_complete_tx(b->barrier, b->bytes);
}

void bulk_at_once(const struct bulk *b)
{
	char *to = b->store ? b->global : b->shared;
	const char *from = b->store ? b->shared : b->global;

	if (b->keep == BULK_ALL)
		memcpy(to, from, b->bytes);
	else
		for (uint32_t at = 0; at < b->bytes; at += BULK_CHUNK)
			copy_kept(to + at, from + at, b->keep);
	bulk_land(b);
}

/* Stores the bytes of the chunks that the byte mask keeps. */
static void move_kept(struct view *v, const struct bulk *b, uint32_t at,
		      uint32_t chunks)
{
	view_begin(v);
	for (uint32_t i = 0; i < chunks * BULK_CHUNK; i++)
		if (b->keep >> i % BULK_CHUNK & 1)
			view_write(v, b->address + at + i, b->global + at + i,
				   b->shared + at + i, 1);
}

void bulk_move(struct view *v, const struct bulk *b, uint32_t at,
	       uint32_t chunks)
{
	lanes_t mask = lanes_below(chunks);
	uint64_t addr[LANES];
	uintptr_t host[LANES];

	if (!b->global)
		return;
	if (b->keep != BULK_ALL) {
		move_kept(v, b, at, chunks);
		return;
	}
	for (uint32_t l = 0; l < LANES; l++) {
		uint32_t here = at + (l < chunks ? l : 0) * BULK_CHUNK;

		addr[l] = b->address + here;
		host[l] = (uintptr_t)b->global + here;
	}
	if (b->store)
		view_store(v, addr, mask, BULK_CHUNK, host);
	else
		view_load(v, addr, mask, BULK_CHUNK, host);
	for (uint32_t l = 0; l < chunks; l++) {
		char *shared = b->shared + at + l * BULK_CHUNK;

		if (b->store)
			memcpy((void *)host[l], shared, BULK_CHUNK);
		else
			memcpy(shared, (const void *)host[l], BULK_CHUNK);
	}
}

/* ---- the executor ---- */

/* Finds the bytes of the only lane in w->mask. False: a fault. */
static bool bulk_locate(struct warp *w, const struct inst *operand,
			uint32_t size, uint32_t align, char **host)
{
	uintptr_t at[LANES];

	if (!mem_locate(w, operand, KIND_PLAIN, size, align, at))
		return false;
	*host = (char *)at[lanes_first(w->mask)];
	return true;
}

/* Fills in the copy, b->bytes long, of the only lane in w->mask. False: a
 * fault. */
static bool bulk_describe(struct warp *w, const struct bulk_opnds *x,
			  struct bulk *b)
{
	unsigned lane = lanes_first(w->mask);
	char *barrier = NULL;

	if (!bulk_locate(w, &x->shared, b->bytes, BULK_CHUNK, &b->shared))
		return false;
	b->offset = (uint32_t)w->effect->addr[lane];
	if (!b->store && !bulk_locate(w, &x->barrier, sizeof(*b->barrier),
				      sizeof(*b->barrier), &barrier))
		return false;
	b->barrier = (uint64_t *)(void *)barrier;
	if (!bulk_locate(w, &x->global, b->bytes, BULK_CHUNK, &b->global))
		return false;
	b->address = w->effect->addr[lane];
	return true;
}

void bulk_exec(struct warp *w, const struct inst *in)
{
	const struct bulk_opnds *x = in->x;
	struct view *v = warp_view(w);
	lanes_t all = w->mask;

	if (v)
		w->effect->bulk_count = 0;
	for (lanes_t left = bulk_lanes(in, all); left; left &= left - 1) {
		unsigned lane = lanes_first(left);
		uint64_t size = slot_lane(w, in->b, 4, (int)lane);
		struct bulk b = { .bytes = bulk_bytes(in, size),
				  .keep = BULK_ALL,
				  .store = x->store };

		if (in->c != SLOT_NONE)
			b.keep = (uint16_t)slot_lane(w, in->c, 2, (int)lane);
		if (!b.bytes)
			continue;
		w->mask = lane_bit(lane);
		if (!bulk_describe(w, x, &b))
			break;
		if (v)
			w->effect->bulk[w->effect->bulk_count++] = b;
		else
			bulk_at_once(&b);
	}
	w->mask = all;
}
