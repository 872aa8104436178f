#include "mem/cgm/part.h"

#include "base/minmax.h"

void cgm_part_init(struct cgm_part *p,
		   cycle_t (*step)(struct cgm_part *p, cycle_t now),
		   cycle_t period)
{
	p->step = step;
	p->period = period;
	p->wake = p->rest = CYCLE_NEVER;
	atomic_init(&p->mail, CYCLE_NEVER);
}

bool cgm_out_init(struct cgm_out *o, struct arena *a, struct cgm_part *from,
		  struct cgm_wire *w, uint32_t room)
{
	o->wire = w;
	w->from = from;
	o->room = room;
	for (unsigned i = 0; i < CGM_LANES; i++)
		if (!cgm_packets_init(&o->lane[i].slot, a, room, w->cfg.bare))
			return false;
	return true;
}

static struct cgm_packet *cgm_out_first(const struct cgm_out_lane *l)
{
	return cgm_packets_at(&l->slot, l->head);
}

/* Message i of a lane. */
static struct cgm_packet *cgm_out_at(const struct cgm_out *o,
				     const struct cgm_out_lane *l, uint32_t i)
{
	uint32_t at = l->head + i;

	return cgm_packets_at(&l->slot, at < o->room ? at : at - o->room);
}

struct cgm_packet *cgm_out_pass(struct cgm_out *o, cycle_t ready,
				enum cgm_msg kind, const struct cgm_packet *p)
{
	struct cgm_out_lane *l = &o->lane[cgm_messages[kind].lane];
	struct cgm_packet *to = cgm_out_at(o, l, l->count);

	CHECK(l->count < o->room && p->bare == o->wire->cfg.bare);
	/* In order, though some take longer than others. */
	if (l->count)
		ready = max_u64(ready, cgm_out_at(o, l, l->count - 1)->time);
	cgm_packet_copy(to, p);
	to->kind = (uint8_t)kind;
	to->time = ready;
	if (!l->count++) {
		cycle_t first = max_u64(ready, o->wire->free);

		o->next = o->count ? min_u64(o->next, first) : first;
		o->lanes |= 1u << cgm_messages[kind].lane;
	}
	o->count++;
	return to;
}

/* When a lane that has messages may send the first; *waits: for room. */
static cycle_t cgm_out_next(struct cgm_out *o, unsigned lane, cycle_t now,
			    bool *waits)
{
	cycle_t ready = cgm_out_first(&o->lane[lane])->time;

	if (ready > now || !cgm_wire_is_free(o->wire, now))
		return max_u64(max_u64(ready, o->wire->free), now + 1);
	*waits = true;
	return cgm_wire_wait(o->wire, lane, now);
}

static bool cgm_out_may_leave(const struct cgm_out *o, unsigned lane,
			      cycle_t now)
{
	const struct cgm_out_lane *l = &o->lane[lane];

	return l->count && cgm_out_first(l)->time <= now &&
	       cgm_wire_is_free(o->wire, now) &&
	       cgm_wire_has_room(o->wire, lane, 1, now);
}

static void cgm_out_leave(struct cgm_out *o, unsigned lane, cycle_t now)
{
	struct cgm_out_lane *l = &o->lane[lane];
	const struct cgm_packet *p = cgm_out_first(l);

	o->wire->waited += now - p->time;
	cgm_wire_send(o->wire, lane, now, p);
	l->head = l->head + 1 == o->room ? 0 : l->head + 1;
	/* Begins anew, where the host's cache has it. */
	if (!--l->count) {
		l->head = 0;
		o->lanes &= ~(1u << lane);
	}
	o->count--;
	o->turn = lane + 1 == CGM_LANES ? 0 : lane + 1;
}

cycle_t cgm_out_send(struct cgm_out *o, cycle_t now)
{
	/* Bit i: the lane whose turn is the i-th. */
	unsigned turn = o->turn,
		 lanes = (o->lanes | o->lanes << CGM_LANES) >> turn &
			 ((1u << CGM_LANES) - 1);
	cycle_t next = CYCLE_NEVER;
	bool waits = false;

	for (; lanes; lanes &= lanes - 1) {
		unsigned k = turn + (unsigned)__builtin_ctz(lanes);

		if (k >= CGM_LANES)
			k -= CGM_LANES;
		while (cgm_out_may_leave(o, k, now))
			cgm_out_leave(o, k, now);
		if (o->lane[k].count)
			next = min_u64(next, cgm_out_next(o, k, now, &waits));
	}
	/* Room comes without notice. */
	o->next = waits ? 0 : next;
	return next;
}
