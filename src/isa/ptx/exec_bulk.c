/*
 * Bulk copies between global and shared memory. A block is a cluster of its
 * own, so that shared::cluster addresses are its own, too.
 */
#include <string.h>

#include "isa/ptx/exec_rows.h"
#include "simt/block.h"
#include "simt/bulk.h"
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

/* Stores of single bytes of the chunks. */
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
	uint32_t mask = 0xffffffffu >> (LANES - chunks);
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

/* Where the one lane in w->mask has its bytes; false: a fault. */
static bool locate_lane(struct warp *w, const struct inst *operand,
			uint32_t size, uint32_t align, char **host)
{
	uintptr_t at[LANES];

	if (!mem_locate(w, operand, size, align, at))
		return false;
	*host = (char *)at[__builtin_ctz(w->mask)];
	return true;
}

/* The copy of the one lane in w->mask, b->bytes long; false: a fault. */
static bool describe(struct warp *w, const struct bulk_opnds *x, struct bulk *b)
{
	int lane = __builtin_ctz(w->mask);
	char *barrier = NULL;

	if (!locate_lane(w, &x->shared, b->bytes, BULK_CHUNK, &b->shared))
		return false;
	b->offset = (uint32_t)w->addr[lane];
	if (!b->store && !locate_lane(w, &x->barrier, sizeof(*b->barrier),
				      sizeof(*b->barrier), &barrier))
		return false;
	b->barrier = (uint64_t *)(void *)barrier;
	if (!locate_lane(w, &x->global, b->bytes, BULK_CHUNK, &b->global))
		return false;
	b->address = w->addr[lane];
	return true;
}

/* [to], [from], b: size; c: the bytes of each chunk that are copied. */
void exec_bulk(struct warp *w, const struct inst *in)
{
	const struct bulk_opnds *x = in->x;
	struct view *v = warp_view(w);
	uint32_t all = w->mask;

	if (v)
		v->bulk_count = 0;
	for (uint32_t left = all; left; left &= left - 1) {
		int lane = __builtin_ctz(left);
		uint32_t size = (uint32_t)slot_lane(w, in->b, 4, lane);
		struct bulk b = { .bytes = size / BULK_CHUNK * BULK_CHUNK,
				  .keep = BULK_ALL,
				  .store = in->op == PTX_OP_BULK_STORE };

		if (in->c != SLOT_NONE)
			b.keep = (uint16_t)slot_lane(w, in->c, 2, lane);
		if (!b.bytes)
			continue;
		w->mask = 1u << lane;
		if (!describe(w, x, &b))
			break;
		if (v)
			v->bulk[v->bulk_count++] = b;
		else
			bulk_at_once(&b);
	}
	w->mask = all;
}
