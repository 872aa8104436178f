#include "mem/cgm/wire.h"

#include "base/minmax.h"
#include "mem/cgm/part.h"

bool cgm_packets_init(struct cgm_packets *p, struct arena *a, uint32_t count,
		      bool bare)
{
	p->size = CGM_SIZE(struct cgm_packet, bare);
	p->at = arena_alloc(a, count, p->size);
	return p->at;
}

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

		l->starved_since = CYCLE_NEVER;
		l->freed = arena_new(a, cycle_t, cfg->room);
		if (!cgm_packets_init(&l->slot, a, cfg->room, cfg->bare) ||
		    !l->freed)
			return NULL;
	}
	return w;
}

static uint32_t cgm_wire_after(const struct cgm_wire *w, uint32_t at)
{
	return at + 1 == w->cfg.room ? 0 : at + 1;
}

/* The sender's own count. */
static uint32_t cgm_wire_sent(const struct cgm_wire *w, unsigned lane)
{
	return atomic_load_explicit(&w->sent[lane], memory_order_relaxed);
}

uint32_t cgm_wire_room(struct cgm_wire *w, unsigned lane, cycle_t now)
{
	struct cgm_wire_lane *l = &w->lane[lane];
	uint32_t popped =
		atomic_load_explicit(&w->popped[lane], memory_order_acquire);

	while (l->returned != popped &&
	       l->freed[l->credit] + w->cfg.latency <= now) {
		l->credit = cgm_wire_after(w, l->credit);
		l->returned++;
	}
	return w->cfg.room - (cgm_wire_sent(w, lane) - l->returned);
}

/*
 * The receiver sees `starved` in the next window at the latest. What it frees
 * before that, the sender has seen when a latency has passed, which is no shorter
 * than a window: until then it looks in every cycle.
 */
cycle_t cgm_wire_wait(struct cgm_wire *w, unsigned lane, cycle_t now)
{
	struct cgm_wire_lane *l = &w->lane[lane];

	if (l->returned !=
	    atomic_load_explicit(&w->popped[lane], memory_order_acquire))
		return max_u64(l->freed[l->credit] + w->cfg.latency, now + 1);
	if (!w->from)
		return now + 1;
	if (l->starved_since == CYCLE_NEVER) {
		l->starved_since = now;
		atomic_store_explicit(&w->starved[lane], true,
				      memory_order_relaxed);
	}
	return now - l->starved_since < w->cfg.latency ? now + 1 : CYCLE_NEVER;
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

/* The link is busy once as many messages have begun as pass side by side. */
static void cgm_wire_begin(struct cgm_wire *w, cycle_t now, cycle_t beats)
{
	if (w->began != now)
		w->beside = 0;
	w->began = now;
	if (++w->beside >= w->cfg.burst)
		w->free = now + beats * w->cfg.beat;
}

void cgm_wire_send(struct cgm_wire *w, unsigned lane, cycle_t now,
		   const struct cgm_packet *p)
{
	struct cgm_wire_lane *l = &w->lane[lane];
	uint32_t sent = cgm_wire_sent(w, lane);
	unsigned bytes = cgm_bytes(p);
	cycle_t beats = (bytes + w->cfg.width - 1) / w->cfg.width;
	struct cgm_packet *to = cgm_packets_at(&l->slot, l->tail);

	CHECK(w->free <= now && sent - l->returned < w->cfg.room &&
	      p->bare == w->cfg.bare);
	if (l->starved_since != CYCLE_NEVER) {
		l->starved_since = CYCLE_NEVER;
		atomic_store_explicit(&w->starved[lane], false,
				      memory_order_relaxed);
	}
	cgm_wire_begin(w, now, beats);
	cgm_packet_copy(to, p);
	to->lane = (uint8_t)lane;
	to->time = max_u64(now + w->cfg.latency + (beats - 1) * w->cfg.beat +
				   cgm_wire_jitter(w),
			   l->last);
	l->last = to->time;
	w->messages[p->kind]++;
	w->bytes += bytes;
	w->busy += beats * w->cfg.beat;
	if (sent + 1 - l->returned > l->peak)
		l->peak = sent + 1 - l->returned;
	l->tail = cgm_wire_after(w, l->tail);
	cgm_part_mail(w->to, to->time);
	atomic_store_explicit(&w->sent[lane], sent + 1, memory_order_release);
}

void cgm_wire_pop(struct cgm_wire *w, unsigned lane, cycle_t now)
{
	struct cgm_wire_lane *l = &w->lane[lane];
	uint32_t popped =
		atomic_load_explicit(&w->popped[lane], memory_order_relaxed);

	w->held += now - cgm_packets_at(&l->slot, w->head[lane])->time;
	l->freed[w->head[lane]] = now;
	w->head[lane] = cgm_wire_after(w, w->head[lane]);
	atomic_store_explicit(&w->popped[lane], popped + 1,
			      memory_order_release);
	if (atomic_load_explicit(&w->starved[lane], memory_order_relaxed))
		cgm_part_mail(w->from, now + w->cfg.latency);
}

uint64_t cgm_wire_messages(const struct cgm_wire *w, enum cgm_lane lane)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < CGM_MESSAGES; i++)
		if (cgm_messages[i].lane == lane)
			n += w->messages[i];
	return n;
}

bool cgm_wire_is_empty(const struct cgm_wire *w)
{
	return cgm_wire_next(w) == CYCLE_NEVER;
}
