#include "mem/cgm/wire.h"

#include "base/minmax.h"
#include "mem/cgm/part.h"

enum {
	WIRE_ROOM_MOST = UINT16_MAX, /* what 16 bits can count */
	HOST_LINE = 64               /* of the host's cache */
};

bool cgm_packets_init(struct cgm_packets *p, struct arena *a, uint32_t count,
		      bool bare)
{
	p->size = round_up(CGM_SIZE(struct cgm_packet, bare) + sizeof(cycle_t),
			   HOST_LINE);
	p->at = arena_alloc(a, count, p->size);
	return p->at;
}

struct cgm_wire *cgm_wire_new(struct arena *a,
			      const struct cgm_wire_config *cfg)
{
	struct cgm_wire *w = arena_new(a, struct cgm_wire, 1);

	if (!w)
		return NULL;
	CHECK(cfg->room <= WIRE_ROOM_MOST);
	w->cfg = *cfg;
	w->random = cfg->seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (unsigned i = 0; i < CGM_LANES; i++) {
		struct cgm_packets *slot = &w->lane[i].slot;

		if (!cgm_packets_init(slot, a, cfg->room, cfg->bare))
			return NULL;
		w->place[i] = slot->at;
		w->place_bytes = (uint32_t)slot->size;
		w->starved_since[i] = CYCLE_NEVER;
	}
	return w;
}

/* The place after another. */
static uint16_t cgm_wire_after(const struct cgm_wire *w, uint16_t at)
{
	return at + 1u == w->cfg.room ? 0 : (uint16_t)(at + 1);
}

/* When the next place whose credit comes back was emptied. */
static cycle_t cgm_wire_freed(const struct cgm_wire_lane *l)
{
	return *cgm_packets_time(&l->slot, l->credit);
}

/* The receiver has emptied places whose credits are not back. */
static bool cgm_wire_owes(const struct cgm_wire *w, unsigned lane)
{
	cgm_lane_counts popped =
		atomic_load_explicit(&w->popped, memory_order_acquire);

	return w->lane[lane].returned != cgm_lane_count(popped, lane);
}

/* Takes the credits that are back. */
static void cgm_wire_collect(struct cgm_wire *w, unsigned lane, cycle_t now)
{
	struct cgm_wire_lane *l = &w->lane[lane];

	while (cgm_wire_owes(w, lane) &&
	       cgm_wire_freed(l) + w->cfg.latency <= now) {
		l->credit = cgm_wire_after(w, l->credit);
		l->returned++;
	}
}

bool cgm_wire_regains(struct cgm_wire *w, unsigned lane, uint32_t places,
		      cycle_t now)
{
	cgm_wire_collect(w, lane, now);
	return cgm_wire_taken(w, lane) + places <= w->cfg.room;
}

/*
 * The receiver sees `starved` in the next window at the latest. What it frees
 * before that, the sender has seen when a latency has passed, which is no shorter
 * than a window: until then it looks in every cycle.
 */
cycle_t cgm_wire_wait(struct cgm_wire *w, unsigned lane, cycle_t now)
{
	struct cgm_wire_lane *l = &w->lane[lane];

	if (cgm_wire_owes(w, lane))
		return max_u64(cgm_wire_freed(l) + w->cfg.latency, now + 1);
	if (!w->from)
		return now + 1;
	if (w->starved_since[lane] == CYCLE_NEVER) {
		w->starved_since[lane] = now;
		w->starves++;
		atomic_store_explicit(&w->starved[lane], true,
				      memory_order_relaxed);
	}
	return now - w->starved_since[lane] < w->cfg.latency ? now + 1 :
							       CYCLE_NEVER;
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
static void cgm_wire_occupy(struct cgm_wire *w, cycle_t now, cycle_t beats)
{
	if (w->began != now)
		w->beside = 0;
	w->began = now;
	if (++w->beside >= w->cfg.burst)
		w->free = now + beats * w->cfg.beat;
}

/* How many beats the link is busy with a message. */
static cycle_t cgm_wire_beats(const struct cgm_wire *w, unsigned bytes)
{
	/* Most messages: a division less. */
	return bytes <= w->cfg.width ?
		       1 :
		       (bytes + w->cfg.width - 1) / w->cfg.width;
}

static void cgm_wire_count(struct cgm_wire *w, unsigned kind, unsigned bytes,
			   cycle_t beats)
{
	w->messages[kind]++;
	w->bytes += bytes;
	w->busy += beats * w->cfg.beat;
}

/* Counts a message that is sent now. */
static void cgm_wire_peak(struct cgm_wire *w, unsigned lane, cycle_t now)
{
	struct cgm_wire_lane *l = &w->lane[lane];

	if (cgm_wire_taken(w, lane) < l->peak)
		return;
	/* Maybe not: credits may be back. */
	cgm_wire_collect(w, lane, now);
	l->peak = (uint16_t)max_u64(l->peak, cgm_wire_taken(w, lane) + 1);
}

/* It has a place in the lane. */
static void cgm_wire_fed(struct cgm_wire *w, unsigned lane)
{
	if (w->starved_since[lane] == CYCLE_NEVER)
		return;
	w->starved_since[lane] = CYCLE_NEVER;
	w->starves--;
	atomic_store_explicit(&w->starved[lane], false, memory_order_relaxed);
}

void cgm_wire_end(struct cgm_wire *w, unsigned lane, cycle_t now)
{
	struct cgm_wire_lane *l = &w->lane[lane];
	cgm_lane_counts sent =
		atomic_load_explicit(&w->sent, memory_order_relaxed);
	struct cgm_packet *p = cgm_wire_begin(w, lane);
	unsigned bytes = cgm_bytes(p);
	cycle_t beats = cgm_wire_beats(w, bytes);

	CHECK(w->free <= now && cgm_wire_taken(w, lane) < w->cfg.room);
	if (w->starves)
		cgm_wire_fed(w, lane);
	cgm_wire_occupy(w, now, beats);
	cgm_wire_count(w, p->kind, bytes, beats);
	l->last = max_u64(now + w->cfg.latency + (beats - 1) * w->cfg.beat +
				  cgm_wire_jitter(w),
			  l->last);
	p->lane = (uint8_t)lane;
	p->time = l->last;
	cgm_wire_peak(w, lane, now);
	l->tail = cgm_wire_after(w, l->tail);
	cgm_part_mail(w->to, l->last);
	atomic_store_explicit(&w->sent, cgm_lane_count_up(sent, lane),
			      memory_order_release);
}

void cgm_wire_send(struct cgm_wire *w, unsigned lane, cycle_t now,
		   const struct cgm_packet *p)
{
	CHECK(p->bare == w->cfg.bare);
	cgm_packet_copy(cgm_wire_begin(w, lane), p);
	cgm_wire_end(w, lane, now);
}

void cgm_wire_pop(struct cgm_wire *w, unsigned lane, cycle_t now)
{
	cgm_lane_counts popped =
		atomic_load_explicit(&w->popped, memory_order_relaxed);
	uint16_t head = w->head[lane];
	const struct cgm_packets slot = { w->place[lane], w->place_bytes };

	w->held += now - cgm_packets_at(&slot, head)->time;
	*cgm_packets_time(&slot, head) = now;
	w->head[lane] = cgm_wire_after(w, head);
	atomic_store_explicit(&w->popped, cgm_lane_count_up(popped, lane),
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
