/*
 * A link between two elements of CGM, in one direction: three lanes that share
 * its bytes, each with a bounded buffer at the receiver.
 *
 *   sender --send--> | request  | --peek, pop--> receiver
 *                    | coherence|
 *                    | reply    |
 *
 * A message occupies the link for its bytes at so many per cycle, and arrives
 * the latency after its last byte has left. The credit that frees its place
 * takes the latency, too. So within a window of that many ticks neither end
 * sees what the other does, and the two may be simulated on different threads:
 * times, not threads, decide what is visible.
 *
 * Models:  latency, bandwidth, bounded buffers, credits; several links side by
 *          side as one (burst).
 * Does not model: errors, flits (a message moves as a whole).
 * Owner:   written at one end by the sender, at the other by the receiver.
 */
#ifndef HEDDLE_MEM_CGM_WIRE_H
#define HEDDLE_MEM_CGM_WIRE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/diag.h"
#include "mem/cgm/proto.h"

struct cgm_part;

/* An array of places for packets, bare or not. Behind the packet a place has room for
 * a time. A bare one is a line of the host's cache. */
struct cgm_packets {
	char *at;
	size_t size; /* of a place */
};

/* Lives in *a. False: out of memory. */
MUST_USE bool cgm_packets_init(struct cgm_packets *p, struct arena *a,
			       uint32_t count, bool bare);
static inline struct cgm_packet *cgm_packets_at(const struct cgm_packets *p,
						uint32_t i)
{
	return (struct cgm_packet *)(void *)(p->at + p->size * i);
}
static inline cycle_t *cgm_packets_time(const struct cgm_packets *p, uint32_t i)
{
	return (cycle_t *)(void *)(p->at + p->size * (i + 1)) - 1;
}

struct cgm_wire_config {
	cycle_t latency; /* ticks, at least 1 */
	cycle_t beat;    /* ticks in which `width` bytes pass */
	uint32_t width;
	uint32_t room;   /* messages of a lane at the receiver */
	uint32_t burst;  /* messages that begin side by side; 0: 1 */
	uint32_t jitter; /* a test's: up to so many more ticks, at random */
	uint64_t seed;
	bool bare; /* its messages are */
};

/* A lane's part of the sender. */
struct cgm_wire_lane {
	/* Behind each message: when its place was emptied. */
	struct cgm_packets slot;
	/* Where the next message goes, the next credit comes from; messages in
	 * flight or waiting, at most; credits that have come back. */
	uint16_t tail, credit, peak, returned;
	cycle_t last; /* arrival of the last message */
};

/* How many messages of each lane were sent, or taken, ever: 16 bits of each, so
 * that one look tells whether there is any. */
typedef uint64_t cgm_lane_counts;

static inline uint16_t cgm_lane_count(cgm_lane_counts c, unsigned lane)
{
	return (uint16_t)(c >> 16 * lane);
}

static inline cgm_lane_counts cgm_lane_count_up(cgm_lane_counts c,
						unsigned lane)
{
	cgm_lane_counts mask = UINT64_C(0xffff) << 16 * lane;

	return (c & ~mask) | ((c + (UINT64_C(1) << 16 * lane)) & mask);
}

/* What is used together lies together: each part of the sender's that a message
 * needs is a line of the host's cache. */
struct cgm_wire {
	/* The sender's. */
	_Alignas(64) _Atomic cgm_lane_counts sent;
	struct cgm_wire_config cfg;
	cycle_t free;                     /* it may begin another message */
	_Alignas(64) struct cgm_part *to; /* is told when a message arrives */
	/* Is told when a place is free for which it waits. NULL: it looks. */
	struct cgm_part *from;
	/* Bytes; ticks in which it was busy, and that messages waited for it. */
	uint64_t bytes, busy, waited;
	cycle_t began;    /* when the last message did */
	uint32_t beside;  /* how many have begun then */
	uint32_t starves; /* lanes that have starved_since */
	_Alignas(64) struct cgm_wire_lane lane[CGM_LANES];
	uint64_t messages[CGM_MESSAGES]; /* counted by the sender, by kind */
	/* Since when it waits for a place in a lane; CYCLE_NEVER: it does not. */
	cycle_t starved_since[CGM_LANES];
	uint64_t random;
	char name[56]; /* from where to where, for pages */
	bool source;   /* messages begin here: others pass them on */
	/* The receiver's. */
	_Alignas(64) _Atomic cgm_lane_counts popped;
	uint64_t held;                  /* ticks that messages lay here */
	char *place[CGM_LANES];         /* the lanes' places */
	uint32_t place_bytes;           /* of one */
	uint16_t head[CGM_LANES];       /* the first message */
	atomic_bool starved[CGM_LANES]; /* the sender waits for a place */
};

/* Lives in *a. NULL: out of memory. */
struct cgm_wire *cgm_wire_new(struct arena *a,
			      const struct cgm_wire_config *cfg);

/* Messages of a lane in flight or waiting: the sender's view. */
static inline uint32_t cgm_wire_taken(const struct cgm_wire *w, unsigned lane)
{
	cgm_lane_counts sent =
		atomic_load_explicit(&w->sent, memory_order_relaxed);

	return (uint16_t)(cgm_lane_count(sent, lane) - w->lane[lane].returned);
}
/* Whether a lane has room for so many messages with the credits that are back. */
bool cgm_wire_regains(struct cgm_wire *w, unsigned lane, uint32_t places,
		      cycle_t now);
/* Sender: whether a lane has room for so many messages. Credits matter once places
 * become scarce. */
static inline bool cgm_wire_has_room(struct cgm_wire *w, unsigned lane,
				     uint32_t places, cycle_t now)
{
	return cgm_wire_taken(w, lane) + places <= w->cfg.room ||
	       cgm_wire_regains(w, lane, places, now);
}
static inline bool cgm_wire_is_free(const struct cgm_wire *w, cycle_t now)
{
	return w->free <= now;
}
/* A lane has less room than the sender needs: when to look again, later than
 * now. CYCLE_NEVER: it will be told. */
cycle_t cgm_wire_wait(struct cgm_wire *w, unsigned lane, cycle_t now);
/* The link must be free and the lane have room; p is bare as the link is. */
void cgm_wire_send(struct cgm_wire *w, unsigned lane, cycle_t now,
		   const struct cgm_packet *p);

/* The same in two steps: where the sender writes the next message of a lane,
 * and that it has. */
static inline struct cgm_packet *cgm_wire_begin(const struct cgm_wire *w,
						unsigned lane)
{
	return cgm_packets_at(&w->lane[lane].slot, w->lane[lane].tail);
}
void cgm_wire_end(struct cgm_wire *w, unsigned lane, cycle_t now);

/* Receiver: which lanes have messages, which may not have arrived yet; 0: none
 * has, else any of a lane's 16 bits are set. */
static inline cgm_lane_counts cgm_wire_held(const struct cgm_wire *w)
{
	return atomic_load_explicit(&w->popped, memory_order_relaxed) ^
	       atomic_load_explicit(&w->sent, memory_order_acquire);
}
static inline bool cgm_wire_holds(const struct cgm_wire *w, unsigned lane)
{
	return cgm_lane_count(cgm_wire_held(w), lane);
}
/* The first message of a lane that has any. */
static inline const struct cgm_packet *cgm_wire_first(const struct cgm_wire *w,
						      unsigned lane)
{
	return (const struct cgm_packet *)(const void *)(w->place[lane] +
							 w->head[lane] *
								 w->place_bytes);
}
/* The first message of a lane that has arrived by now, or NULL. */
static inline const struct cgm_packet *cgm_wire_peek(const struct cgm_wire *w,
						     unsigned lane, cycle_t now)
{
	const struct cgm_packet *p;

	if (!cgm_wire_holds(w, lane))
		return NULL;
	p = cgm_wire_first(w, lane);
	return p->time <= now ? p : NULL;
}
void cgm_wire_pop(struct cgm_wire *w, unsigned lane, cycle_t now);
/* When the first message of a lane arrives, or CYCLE_NEVER. */
static inline cycle_t cgm_wire_next_of(const struct cgm_wire *w, unsigned lane)
{
	return cgm_wire_holds(w, lane) ? cgm_wire_first(w, lane)->time :
					 CYCLE_NEVER;
}
/* Of all lanes, of messages that arrive after `now`. */
static inline cycle_t cgm_wire_later(const struct cgm_wire *w, cycle_t now)
{
	cgm_lane_counts held = cgm_wire_held(w);
	cycle_t next = CYCLE_NEVER;

	for (unsigned i = 0; held; i++, held >>= 16) {
		cycle_t time;

		if (!(held & 0xffff))
			continue;
		time = cgm_wire_first(w, i)->time;
		if (time < next && time > now)
			next = time;
	}
	return next;
}
/* Of all lanes; none arrives at tick 0. */
static inline cycle_t cgm_wire_next(const struct cgm_wire *w)
{
	return cgm_wire_later(w, 0);
}
/* Messages that were sent on a lane. */
uint64_t cgm_wire_messages(const struct cgm_wire *w, enum cgm_lane lane);
/* Nothing is in flight. For use between windows. */
bool cgm_wire_is_empty(const struct cgm_wire *w);

#endif
