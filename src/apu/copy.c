#include "apu/copy.h"

#include "base/minmax.h"

void copy_begin(struct copy_engine *e, const struct apu_copy *box)
{
	e->box = *box;
	e->x = e->y = e->z = 0;
	e->in_flight = 0;
	if (!box->width || !box->height)
		e->z = box->depth;
}

/* The place of the next piece, and of what it is copied from; what of its block is
 * in the row. */
struct copy_place {
	uint64_t to, from, bytes;
};

static bool copy_next(struct copy_engine *e, struct copy_place *p)
{
	const struct apu_copy *b = &e->box;

	if (e->z == b->depth)
		return false;
	p->to = b->to + e->z * b->to_slice + e->y * b->to_row + e->x;
	p->from = b->from + e->z * b->from_slice + e->y * b->from_row + e->x;
	p->bytes = min_u64(b->width - e->x, CGM_BLOCK - p->to % CGM_BLOCK);
	e->x += p->bytes;
	if (e->x < b->width)
		return true;
	e->x = 0;
	if (++e->y == b->height) {
		e->y = 0;
		e->z++;
	}
	return true;
}

static uint64_t piece_mask(uint64_t first, uint64_t bytes)
{
	uint64_t all = bytes < CGM_BLOCK ? (1ull << bytes) - 1 : UINT64_MAX;

	return all << first;
}

static void piece_store(struct copy_engine *e, uint32_t i, cycle_t now)
{
	struct copy_piece *p = &e->piece[i];

	p->state = COPY_STORES;
	bridge_copy(e->bridge, i,
		    &(struct bridge_request){ .at = now,
					      .op = CGM_OP_STORE,
					      .address = p->to,
					      .mask = p->mask });
}

static void piece_load(struct copy_engine *e, uint32_t i,
		       const struct copy_place *from, cycle_t now)
{
	uint64_t first = from->from / CGM_BLOCK;
	uint64_t last = (from->from + from->bytes - 1) / CGM_BLOCK;

	e->piece[i].state = COPY_LOADS;
	for (uint64_t block = first; block <= last; block++)
		bridge_copy(e->bridge, i,
			    &(struct bridge_request){ .at = now,
						      .op = CGM_OP_LOAD,
						      .address = block *
								 CGM_BLOCK });
}

static void piece_begin(struct copy_engine *e, uint32_t i, cycle_t now)
{
	struct copy_place place;

	if (!copy_next(e, &place))
		return;
	e->piece[i].to = place.to / CGM_BLOCK * CGM_BLOCK;
	e->piece[i].mask = piece_mask(place.to % CGM_BLOCK, place.bytes);
	e->in_flight++;
	if (e->box.reads)
		piece_load(e, i, &place, now);
	else
		piece_store(e, i, now);
}

static void piece_advance(struct copy_engine *e, uint32_t i, cycle_t now)
{
	struct copy_piece *p = &e->piece[i];

	if (p->state != COPY_FREE && e->bridge->copy_left[i])
		return;
	if (p->state == COPY_LOADS) {
		piece_store(e, i, now);
		return;
	}
	if (p->state == COPY_STORES) {
		p->state = COPY_FREE;
		e->in_flight--;
	}
	piece_begin(e, i, now);
}

bool copy_advance(struct copy_engine *e, cycle_t now)
{
	for (uint32_t i = 0; i < e->room; i++)
		piece_advance(e, i, now);
	return !e->in_flight;
}
