/*
 * Wires: the only way in which two partitions of the GPU touch.
 *
 *   sender --send--> [ outbox of this window ] --pull--> [ inbox ] --take-->
 *
 * A message says itself when it arrives: at least one cycle after it was
 * sent, in practice the wire's latency, which is at least the lookahead. So a
 * window of that many cycles can be simulated partition by partition, in any
 * order or at the same time: what is sent in a window is pulled by its
 * receiver when the next window begins. Outboxes are double-buffered by the
 * parity of the window: one barrier per window is enough.
 *
 * A receiver takes messages in the order of (time, source, sequence), whatever
 * the order in which they were pulled, so nothing depends on the window's size
 * or on threads.
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
	uint32_t next;
	uint32_t bytes[CHUNK_SECTORS];
};

/* Room that a partition needs. */
struct wire_room {
	uint32_t out; /* messages sent in one window */
	uint32_t in; /* messages that have been sent to it and not been taken */
	/* It sends to `dests` partitions from `first` on; 0: to any. An outbox
	 * has two words for each of them. */
	uint32_t first, dests;
};

/*
 * What the functions below work on; nobody else's affair.
 */

#define WIRE_NONE UINT32_MAX

struct wire_chain {
	uint32_t head, tail;
};

/* What a partition sends in the windows of one parity. */
struct wire_out {
	struct msg *node;
	uint32_t *last; /* by destination; valid where there is a chain */
	uint32_t used;
};

/* What has been pulled: a wheel of chains in order of source. */
struct wire_in {
	cycle_t next; /* earliest message */
	struct msg *node;
	struct wire_chain *slot; /* by time; valid where its bit is */
	uint64_t *used;          /* by time: there is a chain */
	uint32_t *spare;         /* nodes that are free again, a stack */
	uint32_t spares;
	uint32_t fresh, room; /* nodes never used; all */
	uint32_t mask;        /* slots - 1 */
	uint32_t count;
};

struct wire_box {
	_Alignas(64) struct wire_in in;
	struct wire_out out[2];
	cycle_t sent; /* earliest arrival of this window's messages */
	uint32_t first, dests, room;
	uint32_t from, to; /* sources that may send to it, in eights */
	uint8_t parity;    /* of this window */
};

struct wires {
	uint32_t partitions;
	uint32_t stride; /* partitions, up to a multiple of eight */
	struct wire_box *box;
	uint8_t *sent[2]; /* by source: its outbox is not empty */
	/* By destination and source: the first message of a chain, plus 1; 0:
	 * there is none. Set by the sender, cleared by the receiver, who finds
	 * its senders side by side. */
	uint32_t *mail[2];
};

static inline uint32_t *wire_mail(const struct wires *w, unsigned parity,
				  uint32_t from, uint32_t to)
{
	return &w->mail[parity][(size_t)to * w->stride + from];
}

/* The first used slot from that of `from` on, as a time, or CYCLE_NEVER. */
cycle_t wire_scan(const struct wire_in *in, cycle_t from);

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

/* A window of that parity (0 or 1) begins for the partition: its outbox is
 * emptied, and what others sent to it in the window before is pulled. Returns
 * wire_next. Every partition makes the call in every window, one with nothing
 * to do too, unless nobody sent anything: else it would miss what others have
 * sent to it. */
cycle_t wire_open(struct wires *w, uint32_t part, unsigned parity);
/* Ahead of wire_open, for the host's cache: what every partition has, then
 * what that leads to. */
void wire_prefetch(const struct wires *w, uint32_t part, unsigned parity);
void wire_prefetch_more(const struct wires *w, uint32_t part);
/* Whether any partition sent anything in the window of that parity. */
bool wire_any(const struct wires *w, unsigned parity);

/* m->source is filled in. */
static inline void wire_send(struct wires *w, uint32_t from, uint32_t to,
			     struct msg *m)
{
	struct wire_box *b = &w->box[from];
	struct wire_out *o = &b->out[b->parity];
	uint32_t to_index = to - b->first, i = o->used;
	struct msg *n = &o->node[i];
	uint32_t *mail = wire_mail(w, b->parity, from, to);

	CHECK(to_index < b->dests && i < b->room);
	if (i == 0)
		w->sent[b->parity][from] = 1;
	o->used = i + 1;
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
	n->next = WIRE_NONE;
	for (int k = 0; k < CHUNK_SECTORS; k++)
		n->bytes[k] = m->bytes[k];
	if (*mail)
		o->node[o->last[to_index]].next = i;
	else
		*mail = i + 1;
	o->last[to_index] = i;
	if (m->time < b->sent)
		b->sent = m->time;
}

/* The earliest arrival of what the partition has sent in this window, or
 * CYCLE_NEVER. */
static inline cycle_t wire_sent(const struct wires *w, uint32_t part)
{
	return w->box[part].sent;
}

/* The earliest message that has been pulled and not taken, or CYCLE_NEVER. */
static inline cycle_t wire_next(const struct wires *w, uint32_t part)
{
	return w->box[part].in.next;
}

/* The next message with time <= now, in order; false: none. */
static inline bool wire_take(struct wires *w, uint32_t part, cycle_t now,
			     struct msg *out)
{
	struct wire_in *in = &w->box[part].in;
	uint32_t slot, i;
	struct msg *n;

	if (in->next > now)
		return false;
	slot = (uint32_t)in->next & in->mask;
	i = in->slot[slot].head;
	n = &in->node[i];
	*out = *n;
	in->count--;
	if (n->next != WIRE_NONE) {
		in->slot[slot].head = n->next;
		__builtin_prefetch(&in->node[n->next]);
	} else {
		in->used[slot / 64] &= ~(UINT64_C(1) << slot % 64);
		in->next = wire_scan(in, in->next + 1);
	}
	in->spare[in->spares++] = i;
	return true;
}

/* Looks ahead without taking: the first message with time < to, then the one
 * after it, in order; NULL: no more. */
static inline const struct msg *wire_peek(const struct wires *w, uint32_t part,
					  cycle_t to)
{
	const struct wire_in *in = &w->box[part].in;

	if (in->next >= to)
		return NULL;
	return &in->node[in->slot[in->next & in->mask].head];
}

static inline const struct msg *wire_peek_after(const struct wires *w,
						uint32_t part,
						const struct msg *m, cycle_t to)
{
	const struct wire_in *in = &w->box[part].in;
	cycle_t next;

	if (m->next != WIRE_NONE)
		return &in->node[m->next];
	next = wire_scan(in, m->time + 1);
	return next < to ? &in->node[in->slot[next & in->mask].head] : NULL;
}

/*
 * For net/post.h, which brings messages to partitions whose windows are not
 * each other's: what a partition has sent since wire_open, in that order;
 * an empty outbox again; room in its inbox; a message into its inbox.
 */
static inline const struct msg *wire_outbox(const struct wires *w,
					    uint32_t part, uint32_t *count)
{
	const struct wire_box *b = &w->box[part];

	*count = b->out[b->parity].used;
	return b->out[b->parity].node;
}
void wire_empty(struct wires *w, uint32_t part);
static inline uint32_t wire_space(const struct wires *w, uint32_t part)
{
	return w->box[part].in.room - w->box[part].in.count;
}
void wire_put(struct wires *w, uint32_t part, const struct msg *m);

/* Messages under way to a partition, pulled or not: 0 for all when the GPU is
 * at rest. For checks between windows: it looks at every outbox. */
uint32_t wire_waiting(const struct wires *w, uint32_t part);

#endif
