/*
 * The bulk-copy engine of an SM: takes the copies of warps in order, cuts each
 * into pieces of 512 bytes and hands them to the LSU, at most one in
 * PIECE_CYCLES cycles. The bytes of a piece move when it is handed over. When
 * all pieces of a copy have returned, its mbarrier or its copy group is
 * notified.
 *
 *   warp --> ring of copies --> pieces --> LSU, around the L1
 *   mbarrier, group <-- all have returned <-/
 *
 * Models:  the size of the ring, the path of the pieces through LSU and memory,
 *          the cycles in which shared memory takes them.
 * Does not model: ports of its own (pieces share the LSU's queues and stage
 *          with other instructions); a start-up longer than a load's; reads of
 *          shared memory by copies to global memory, which are complete when
 *          the LSU has all their pieces; prefetches.
 * Owner:   the SM.
 */
#include "simt/bulk.h"
#include "sm/core.h"

enum {
	PIECE_LANES = LANES,
	PIECE_CYCLES = PIECE_LANES * BULK_CHUNK / 128 /* a line a cycle */
};

static struct sm_bulk *bulk_record(struct sm *s, uint32_t number)
{
	return &s->bulk[number % BULKS];
}

bool sm_bulk_full(const struct sm *s)
{
	return s->bulk_end - s->bulk_first > BULKS - LANES;
}

void sm_issue_bulk(struct sm *s, int slot, const struct timed_inst *ti,
		   cycle_t t)
{
	struct slot *p = SM_SLOT(s, slot);
	struct effect *e = p->warp->effect;

	p->fence = 0; /* it waits for no atomics any more */
	for (uint32_t i = 0; i < e->bulk_count; i++) {
		struct sm_bulk *b = bulk_record(s, s->bulk_end++);

		*b = (struct sm_bulk){ .copy = e->bulk[i],
				       .timed = ti,
				       .group = p->groups[GROUP_BULK].open,
				       .slot = (uint8_t)slot };
		if (b->copy.store)
			sm_group_add(&p->groups[GROUP_BULK]);
		p->pending++;
	}
	e->bulk_count = 0;
	s->bulk_next = t + 1;
	s->aside = true;
	sm_prepare_issued(s, slot, t);
}

static void issue_piece(struct sm *s, struct sm_bulk *b, cycle_t t)
{
	const struct bulk *c = &b->copy;
	uint64_t addr[LANES], shared[LANES];
	uint32_t chunks = (c->bytes - b->sent) / BULK_CHUNK;
	struct lsu_inst li = { .kind = c->store ? KIND_STORE : KIND_ASYNC,
			       .space = SPACE_GLOBAL,
			       .flags = b->timed->flags,
			       .subcore = SM_SLOT(s, b->slot)->sub,
			       .tag = NO_OP,
			       .bytes = BULK_CHUNK,
			       .addr = addr,
			       .shared = shared };

	chunks = chunks < PIECE_LANES ? chunks : PIECE_LANES;
	li.mask = 0xffffffffu >> (LANES - chunks);
	for (uint32_t l = 0; l < LANES; l++) {
		uint32_t at = b->sent + (l < chunks ? l : 0) * BULK_CHUNK;

		addr[l] = c->address + at;
		shared[l] = c->offset + at;
	}
	bulk_move(s->view, c, b->sent, chunks);
	if (!c->store) {
		li.tag = sm_track_piece(s, b->slot, b->timed,
					(uint32_t)(b - s->bulk));
		b->coming++;
	} else {
		s->block[SM_SLOT(s, b->slot)->block].stored = true;
	}
	b->sent += chunks * BULK_CHUNK;
	if (UNLIKELY(s->many))
		sm_switch_grid(s, s->block[SM_SLOT(s, b->slot)->block].grid);
	lsu_issue(s->lsu, t, &li);
}

void sm_bulk_came(struct sm *s, uint32_t number, cycle_t ready)
{
	struct sm_bulk *b = bulk_record(s, number);

	b->coming--;
	b->ready = ready > b->ready ? ready : b->ready;
}

/* The copy is complete. */
static void land(struct sm *s, struct sm_bulk *b, cycle_t t)
{
	struct slot *p = SM_SLOT(s, b->slot);

	b->landed = true;
	bulk_land(&b->copy);
	if (b->copy.store)
		sm_group_done(s, p, GROUP_BULK, b->group, t);
	p->pending--;
	sm_reconsider(s, b->slot, t);
}

/* Completes the copies that are due. Returns the cycle in which the next one
 * is. */
static cycle_t land_due(struct sm *s, cycle_t t)
{
	cycle_t next = CYCLE_NEVER;
	bool full = sm_bulk_full(s);

	for (uint32_t i = s->bulk_first; i != s->bulk_sent; i++) {
		struct sm_bulk *b = bulk_record(s, i);

		if (b->landed || b->coming)
			continue;
		if (b->ready <= t)
			land(s, b, t);
		else if (b->ready < next)
			next = b->ready;
	}
	while (s->bulk_first != s->bulk_sent &&
	       bulk_record(s, s->bulk_first)->landed)
		s->bulk_first++;
	if (full && !sm_bulk_full(s))
		sm_wake_deferred(s);
	return next;
}

void sm_bulk_advance(struct sm *s, cycle_t t)
{
	cycle_t next;

	if (s->bulk_sent != s->bulk_end && s->bulk_free <= t) {
		struct sm_bulk *b = bulk_record(s, s->bulk_sent);

		if (lsu_can_issue(s->lsu, SM_SLOT(s, b->slot)->sub)) {
			issue_piece(s, b, t);
			s->bulk_free = t + PIECE_CYCLES;
			s->bulk_sent += b->sent == b->copy.bytes;
		}
	}
	next = land_due(s, t);
	/* If the LSU has no room, its next event is what matters. */
	if (s->bulk_sent != s->bulk_end && s->bulk_free > t &&
	    s->bulk_free < next)
		next = s->bulk_free;
	s->bulk_next = next;
}
