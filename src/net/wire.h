/*
 * Wires: the only way in which two partitions of the GPU touch.
 *
 *   sender --send--> [ mailbox ] --open--> [ inbox, in order ] --take-->
 *
 * A message says itself when it arrives: at least one cycle after it was
 * sent, in practice the wire's latency, which is at least the lookahead. So a
 * window of that many cycles can be simulated partition by partition, in any
 * order or at the same time: what is sent in a window the receiver finds in its
 * mailbox when the next window begins. Mailboxes are double-buffered by the
 * parity of the window: one barrier per window is enough.
 *
 * Senders append to the receiver's mailbox, whoever comes first; the receiver
 * sorts. It takes messages in the order of (time, source, sequence), so nothing
 * depends on the window's size or on threads. A mailbox is filled from its
 * beginning in every window: its lines stay in the host's cache.
 *
 * Room is the affair of the two ends: requests have credits, which come back
 * as messages and take as long; answers need none, because whoever asked has
 * kept a place for them. Every box has the room that its partition stated; to
 * exceed it is a bug.
 *
 * Models:  latency, order, bounded buffers (through credits).
 * Does not model: bandwidth. Ports are modelled by the partitions, which send
 *          no more than theirs allow (net/port.h).
 */
#ifndef HEDDLE_NET_WIRE_H
#define HEDDLE_NET_WIRE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cycle.h"
#include "base/diag.h"

/* Requests are for parts of an aligned chunk of memory. */
enum {
	CHUNK_BYTES = 128,
	CHUNK_SECTORS = 4, /* of 32 bytes */
	CHUNK_SECTOR_BYTES = 32,
	ATOMIC_LANE_BYTES = 4 /* of an atomic or its result on the wire */
};

enum msg_kind {
	/* SM to memory */
	MSG_READ,   /* id: of the SM's, comes back */
	MSG_WRITE,  /* bytes[]: which of each sector */
	MSG_ATOMIC, /* id: of the SM's struct atomic; flags: MSG_NO_RESULT */
	/* memory to SM */
	MSG_DATA,        /* id, sectors: what a read asked for has come */
	MSG_ATOMIC_DONE, /* id, chunk, sectors */
	MSG_CREDIT,      /* id: how many requests there is room for again */
	/* dispatcher to SM, and back */
	MSG_BLOCK,     /* chunk: number of the block, id: of the grid */
	MSG_BLOCK_DONE /* the same */
};

enum { MSG_NO_RESULT = 1 };

struct msg {
	cycle_t time;   /* of arrival */
	uint64_t chunk; /* address / CHUNK_BYTES */
	uint32_t id;
	uint16_t source; /* partition */
	uint8_t kind;    /* enum msg_kind */
	uint8_t sectors; /* bit i: sector i of the chunk */
	uint8_t flags;
	uint8_t lanes; /* MSG_ATOMIC: how many take part, less one */
	uint16_t to;   /* partition; belongs to the wires, as does: */
	uint32_t next; /* in the order of a sort */
	uint32_t bytes[CHUNK_SECTORS];
};

/* Room that a partition needs. */
struct wire_room {
	uint32_t out; /* messages sent in one window */
	uint32_t in; /* messages that have been sent to it and not been taken */
};

/*
 * What the functions below work on; nobody else's affair.
 */

#define WIRE_NONE UINT32_MAX

/*
 * The first messages of a box lie close to those of other boxes; the many that
 * there may be are a room of their own, which is hardly ever used. A mailbox
 * has slots, so that threads do not write to the same lines of the host's
 * cache: messages are numbered by slot and place.
 */
enum { WIRE_FEW = 64, WIRE_SLOTS = 4, WIRE_PLACES = 28 };

struct wire_mail {
	struct msg *few, *many;
	atomic_uint count;
	uint32_t room;
};

/* A slot of a partition's mailbox, by the parity of the window in which it was
 * sent: a line that other threads write to. */
struct wire_slot {
	_Alignas(64) struct wire_mail mail[2];
};

static inline struct msg *wire_mail_at(const struct wire_mail *x, uint32_t i)
{
	return i < WIRE_FEW ? &x->few[i] : &x->many[i - WIRE_FEW];
}

struct wire_box {
	/* What has come, in order; next: the time of the first of it. */
	_Alignas(64) cycle_t next;
	struct msg *node; /* few or many of them */
	uint32_t at, end, room;
	uint8_t parity; /* of this window */
	uint8_t slot;   /* of other mailboxes, for what it sends */
	cycle_t sent;   /* earliest arrival of this window's messages */
	struct msg *few, *many;
	struct wire_mail out; /* what it has sent, if wires.posted */
};

struct wires {
	uint32_t partitions;
	uint32_t slots;  /* of mailboxes, in use */
	unsigned coarse; /* bits of a time that sorting sees to last */
	bool posted;     /* messages go by net/post.h */
	bool alone;      /* one thread simulates all partitions */
	struct wire_box *box;
	struct wire_slot *slot[WIRE_SLOTS]; /* of mailboxes, by receiver */
	uint8_t *sent[2]; /* by parity and source: it has sent something */
};

/*
 * The interface
 */

/*
 * Lives in *a. horizon: no message arrives later than so many cycles after
 * the start of the window in which it is sent; a receiver takes what has
 * arrived before its next window begins.
 */
MUST_USE enum err wires_new(struct wires **out, struct arena *a,
			    uint32_t partitions, const struct wire_room *room,
			    cycle_t horizon, struct diag *d);

/* When nothing is under way, and for partitions that so many threads are going
 * to simulate, in runs of neighbours: who sends where. The order in which
 * messages are taken does not depend on it. */
void wires_deal(struct wires *w, unsigned threads, uint32_t first,
		uint32_t end);

/* A window of that parity (0 or 1) begins for the partition: what others sent
 * to it in the window before comes into its inbox. Returns wire_next. Every
 * partition makes the call in every window, one with nothing to do too, unless
 * nobody sent anything: else it would miss what others have sent to it. */
cycle_t wire_open(struct wires *w, uint32_t partition, unsigned parity);
/* Ahead of wire_open, for the host's cache: what every partition has, then
 * what that leads to. */
void wire_prefetch(const struct wires *w, uint32_t partition);
void wire_prefetch_more(const struct wires *w, uint32_t partition,
			unsigned parity);
/* Whether any partition sent anything in the window of that parity. */
bool wire_any(const struct wires *w, unsigned parity);

/* A place for one more. What several threads must do at once takes the host
 * longer. */
static inline uint32_t wire_place(struct wire_mail *x, bool alone)
{
	uint32_t i;

	if (!alone)
		return atomic_fetch_add_explicit(&x->count, 1,
						 memory_order_relaxed);
	i = atomic_load_explicit(&x->count, memory_order_relaxed);
	atomic_store_explicit(&x->count, i + 1, memory_order_relaxed);
	return i;
}

/* m->source is filled in. */
static inline void wire_send(struct wires *w, uint32_t from, uint32_t to,
			     struct msg *m)
{
	struct wire_box *b = &w->box[from];
	struct wire_mail *x = &w->slot[b->slot][to].mail[b->parity];
	struct msg *n;
	uint32_t i;

	CHECK(to < w->partitions);
	if (UNLIKELY(w->posted))
		x = &b->out;
	i = wire_place(x, w->alone);
	CHECK(i < x->room);
	n = wire_mail_at(x, i);
	m->source = (uint16_t)from;
	/* Field by field: the sender's copy need never be in memory. */
	n->time = m->time;
	n->chunk = m->chunk;
	n->id = m->id;
	n->source = m->source;
	n->kind = m->kind;
	n->sectors = m->sectors;
	n->flags = m->flags;
	n->lanes = m->lanes;
	n->to = (uint16_t)to;
	for (int k = 0; k < CHUNK_SECTORS; k++)
		n->bytes[k] = m->bytes[k];
	if (b->sent == CYCLE_NEVER)
		w->sent[b->parity][from] = 1;
	if (m->time < b->sent)
		b->sent = m->time;
}

/* The earliest arrival of what the partition has sent in this window, or
 * CYCLE_NEVER. */
static inline cycle_t wire_sent(const struct wires *w, uint32_t partition)
{
	return w->box[partition].sent;
}

/* The earliest message in the inbox, or CYCLE_NEVER. */
static inline cycle_t wire_next(const struct wires *w, uint32_t partition)
{
	return w->box[partition].next;
}

/* The next message with time <= now, in order; false: none. */
static inline bool wire_take(struct wires *w, uint32_t partition, cycle_t now,
			     struct msg *out)
{
	struct wire_box *b = &w->box[partition];

	if (b->next > now)
		return false;
	*out = b->node[b->at++];
	b->next = b->at < b->end ? b->node[b->at].time : CYCLE_NEVER;
	return true;
}

/* Looks ahead without taking: the first message with time < to, then the one
 * after it, in order; NULL: no more. */
static inline const struct msg *wire_peek(const struct wires *w,
					  uint32_t partition, cycle_t to)
{
	const struct wire_box *b = &w->box[partition];

	return b->next < to ? &b->node[b->at] : NULL;
}

static inline const struct msg *wire_peek_after(const struct wires *w,
						uint32_t partition,
						const struct msg *m, cycle_t to)
{
	const struct wire_box *b = &w->box[partition];

	m++;
	return m < b->node + b->end && m->time < to ? m : NULL;
}

/*
 * For net/post.h, which brings messages to partitions whose windows are not
 * each other's: from now on wire_send keeps them with the sender; what a
 * partition has sent since it was last emptied, in that order; room in its
 * inbox; a message into its inbox.
 */
void wires_post(struct wires *w, bool posted);
static inline uint32_t wire_posts(const struct wires *w, uint32_t partition)
{
	return atomic_load_explicit(&w->box[partition].out.count,
				    memory_order_relaxed);
}
static inline const struct msg *wire_post(const struct wires *w,
					  uint32_t partition, uint32_t i)
{
	return wire_mail_at(&w->box[partition].out, i);
}
void wire_empty(struct wires *w, uint32_t partition);
static inline uint32_t wire_space(const struct wires *w, uint32_t partition)
{
	const struct wire_box *b = &w->box[partition];

	return b->room - (b->end - b->at);
}
void wire_put(struct wires *w, uint32_t partition, const struct msg *m);

/* Messages under way to a partition, in its boxes: 0 for all when the GPU is
 * at rest. For checks between windows. */
uint32_t wire_waiting(const struct wires *w, uint32_t partition);

#endif
