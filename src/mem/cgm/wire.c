#include "mem/cgm/wire.h"

#include "base/minmax.h"
#include "mem/cgm/part.h"

struct cgm_wire *cgm_wire_new(struct arena *a,
			      const struct cgm_wire_config *cfg)
{
	struct cgm_wire *w = arena_new(a, struct cgm_wire, 1);

	if (!w)
		return NULL;
	w->cfg = *cfg;
	w->random = cfg->seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (unsigned i = 0; i < CGM_LANES; i++) {
		struct cgm_wire_lane *l = &w->lane[i];

		l->slot = arena_new(a, struct cgm_packet, cfg->room);
		l->freed = arena_new(a, cycle_t, cfg->room);
		if (!l->slot || !l->freed)
			return NULL;
	}
	return w;
}

static uint32_t cgm_lane_sent(const struct cgm_wire_lane *l)
{
	return atomic_load_explicit(&l->sent, memory_order_acquire);
}

static uint32_t cgm_lane_popped(const struct cgm_wire_lane *l)
{
	return atomic_load_explicit(&l->popped, memory_order_acquire);
}

uint32_t cgm_wire_room(struct cgm_wire *w, unsigned lane, cycle_t now)
{
	struct cgm_wire_lane *l = &w->lane[lane];
	uint32_t popped = cgm_lane_popped(l);

	while (l->returned != popped &&
	       l->freed[l->returned % w->cfg.room] + w->cfg.latency <= now)
		l->returned++;
	return w->cfg.room - (cgm_lane_sent(l) - l->returned);
}

static cycle_t cgm_wire_jitter(struct cgm_wire *w)
{
	if (!w->cfg.jitter)
		return 0;
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (w->random >> 20) % (w->cfg.jitter + 1);
}

void cgm_wire_send(struct cgm_wire *w, unsigned lane, cycle_t now,
		   const struct cgm_packet *p)
{
	struct cgm_wire_lane *l = &w->lane[lane];
	uint32_t sent = cgm_lane_sent(l);
	unsigned bytes = cgm_bytes(p);
	cycle_t beats = (bytes + w->cfg.width - 1) / w->cfg.width;
	struct cgm_packet *to = &l->slot[sent % w->cfg.room];

	CHECK(w->free <= now && sent - l->returned < w->cfg.room);
	w->free = now + beats * w->cfg.beat;
	*to = *p;
	to->lane = (uint8_t)lane;
	to->time = max_u64(now + w->cfg.latency + (beats - 1) * w->cfg.beat +
				   cgm_wire_jitter(w),
			   l->last);
	l->last = to->time;
	w->messages[lane]++;
	w->bytes += bytes;
	w->busy += beats * w->cfg.beat;
	if (sent + 1 - l->returned > l->peak)
		l->peak = sent + 1 - l->returned;
	cgm_part_mail(w->to, to->time);
	atomic_store_explicit(&l->sent, sent + 1, memory_order_release);
}

const struct cgm_packet *cgm_wire_peek(const struct cgm_wire *w, unsigned lane,
				       cycle_t now)
{
	const struct cgm_wire_lane *l = &w->lane[lane];
	uint32_t at = atomic_load_explicit(&l->popped, memory_order_relaxed);
	const struct cgm_packet *p = &l->slot[at % w->cfg.room];

	return at != cgm_lane_sent(l) && p->time <= now ? p : NULL;
}

void cgm_wire_pop(struct cgm_wire *w, unsigned lane, cycle_t now)
{
	struct cgm_wire_lane *l = &w->lane[lane];
	uint32_t at = atomic_load_explicit(&l->popped, memory_order_relaxed);

	l->freed[at % w->cfg.room] = now;
	atomic_store_explicit(&l->popped, at + 1, memory_order_release);
}

cycle_t cgm_wire_next(const struct cgm_wire *w)
{
	cycle_t next = CYCLE_NEVER;

	for (unsigned i = 0; i < CGM_LANES; i++) {
		const struct cgm_wire_lane *l = &w->lane[i];
		uint32_t at =
			atomic_load_explicit(&l->popped, memory_order_relaxed);

		if (at != cgm_lane_sent(l))
			next = min_u64(next, l->slot[at % w->cfg.room].time);
	}
	return next;
}

bool cgm_wire_is_empty(const struct cgm_wire *w)
{
	return cgm_wire_next(w) == CYCLE_NEVER;
}
