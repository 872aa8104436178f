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

/* An array of packets, bare or not. */
struct cgm_packets {
	char *at;
	size_t size; /* of one */
};

/* Lives in *a. False: out of memory. */
MUST_USE bool cgm_packets_init(struct cgm_packets *p, struct arena *a,
			       uint32_t count, bool bare);
static inline struct cgm_packet *cgm_packets_at(const struct cgm_packets *p,
						uint32_t i)
{
	return (struct cgm_packet *)(void *)(p->at + p->size * i);
}

struct cgm_wire_config {
	cycle_t latency; /* ticks, at least 1 */
	cycle_t beat;    /* ticks in which `width` bytes pass */
	uint32_t width;
	uint32_t room;   /* messages of a lane at the receiver */
	uint32_t burst;  /* messages that begin side by side; 0: 1 */
	bool bare;       /* its messages are */
	uint32_t jitter; /* a test's: up to so many more ticks, at random */
	uint64_t seed;
};

struct cgm_wire_lane {
	struct cgm_packets slot;
	cycle_t *freed; /* when a place was emptied */
	/* The sender's: where the next message goes, the next credit comes
	 * from; credits that have come back; messages in flight or waiting. */
	uint32_t tail, credit, returned, peak;
	cycle_t last; /* arrival of the last message; the sender's */
	/* Since when the sender waits for a place; CYCLE_NEVER: it does not. */
	cycle_t starved_since;
};

struct cgm_wire {
	struct cgm_wire_config cfg;
	struct cgm_part *to; /* is told when a message arrives */
	/* Is told when a place is free for which it waits. NULL: it looks. */
	struct cgm_part *from;
	cycle_t free;    /* the sender may begin another message */
	cycle_t began;   /* when the last one did */
	uint32_t beside; /* how many have begun then */
	uint64_t random;
	char name[56]; /* from where to where, for pages */
	bool source;   /* messages begin here: others pass them on */
	/* Counted by the sender: messages by kind; ticks that they waited for the
	 * link, and in which it was busy. */
	uint64_t messages[CGM_MESSAGES], bytes, busy, waited;
	struct cgm_wire_lane lane[CGM_LANES];
	/* How many messages each end has sent or taken, ever. */
	_Alignas(64) atomic_uint sent[CGM_LANES];
	_Alignas(64) atomic_uint popped[CGM_LANES];
	uint32_t head[CGM_LANES]; /* the first message; the receiver's */
	uint64_t held; /* ticks that messages lay here; the receiver's */
	atomic_bool starved[CGM_LANES]; /* the sender waits for a place */
};

/* Lives in *a. NULL: out of memory. */
struct cgm_wire *cgm_wire_new(struct arena *a,
			      const struct cgm_wire_config *cfg);

/* Sender: messages that a lane has room for. */
uint32_t cgm_wire_room(struct cgm_wire *w, unsigned lane, cycle_t now);
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

/* Receiver: a lane has messages, which may not have arrived yet. */
static inline bool cgm_wire_holds(const struct cgm_wire *w, unsigned lane)
{
	return atomic_load_explicit(&w->popped[lane], memory_order_relaxed) !=
	       atomic_load_explicit(&w->sent[lane], memory_order_acquire);
}
/* The first message of a lane that has arrived by now, or NULL. */
static inline const struct cgm_packet *cgm_wire_peek(const struct cgm_wire *w,
						     unsigned lane, cycle_t now)
{
	const struct cgm_packet *p =
		cgm_packets_at(&w->lane[lane].slot, w->head[lane]);

	return cgm_wire_holds(w, lane) && p->time <= now ? p : NULL;
}
void cgm_wire_pop(struct cgm_wire *w, unsigned lane, cycle_t now);
/* When the first message of any lane arrives, or CYCLE_NEVER. */
static inline cycle_t cgm_wire_next(const struct cgm_wire *w)
{
	cycle_t next = CYCLE_NEVER;

	for (unsigned i = 0; i < CGM_LANES; i++) {
		const struct cgm_packet *p =
			cgm_packets_at(&w->lane[i].slot, w->head[i]);

		if (cgm_wire_holds(w, i) && p->time < next)
			next = p->time;
	}
	return next;
}
/* The same of messages that have not arrived by now. */
static inline cycle_t cgm_wire_later(const struct cgm_wire *w, cycle_t now)
{
	cycle_t next = CYCLE_NEVER;

	for (unsigned i = 0; i < CGM_LANES; i++) {
		const struct cgm_packet *p =
			cgm_packets_at(&w->lane[i].slot, w->head[i]);

		if (cgm_wire_holds(w, i) && p->time < next && p->time > now)
			next = p->time;
	}
	return next;
}
/* Messages that were sent on a lane. */
uint64_t cgm_wire_messages(const struct cgm_wire *w, enum cgm_lane lane);
/* Nothing is in flight. For use between windows. */
bool cgm_wire_is_empty(const struct cgm_wire *w);

#endif
