/* Bulk copies between global and shared memory, at once or piece by piece. */
#include "simt/bulk.h"

#include <string.h>

#include "simt/mbarrier.h"
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
