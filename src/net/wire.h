/*
 * Wires: the only link between two partitions of the GPU.
 *
 *   sender --send--> [ mailbox ] --open--> [ inbox, in order ] --take-->
 *
 * A message carries the time of its arrival: at least one cycle after it was
 * sent, in practice the wire's latency, which is at least the lookahead. So a
 * window of that many cycles can be simulated partition by partition, in any
 * order or in parallel: the receiver finds the messages of one window in its
 * mailbox when the next window begins. Mailboxes are double-buffered by the
 * parity of the window: one barrier per window is enough.
 *
 * Senders append to the receiver's mailbox in any order; the receiver sorts. It
 * takes messages in the order of (time, source, sequence), so nothing depends
 * on the window's size or on threads. A mailbox is filled from its beginning in
 * every window: its lines stay in the host's cache.
 *
 * The two ends take care of room: requests need credits, which come back as
 * messages and take as long; answers need none, because the requester has
 * reserved a place for them. Every box has the room that its partition asked
 * for; exceeding it is a bug.
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
#include "base/bitmap.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "base/fetch.h"

/* A request is for some sectors of an aligned chunk of memory. */
enum {
	CHUNK_BYTES = 128,
	CHUNK_SECTORS = 4, /* of 32 bytes */
	CHUNK_SECTOR_BYTES = 32,
	ATOMIC_LANE_BYTES = 4 /* of an atomic or its result on the wire */
};

enum msg_kind {
	/* SM to memory */
	/* id: chosen by the SM, comes back with the answer; flags: MSG_STRONG */
	MSG_READ,
	MSG_WRITE, /* bytes[]: bit mask of the bytes of each sector */
	/* id: of the SM's struct atomic; flags: MSG_NO_RESULT; bytes[0]: lanes
	 * on one address, less one; bytes[1]: enum msg_sort; bytes[2]: sectors,
	 * as they are counted (coalesce_atomics) */
	MSG_ATOMIC,
	/* id: comes back with the answer, when caches that are not coherent have
	 * written back what came before, and dropped what they have read. Only to
	 * memory that is simulated elsewhere (mem/outside.h). */
	MSG_FENCE,
	/* memory to SM */
	MSG_DATA,        /* id, sectors: the answer to a read */
	MSG_ATOMIC_DONE, /* id, chunk, sectors */
	MSG_FENCED,      /* id */
	MSG_CREDIT, /* id: how many credits are returned; bytes[0]: how many
			  * writes have been taken, with l2.acknowledge; bytes[1]:
			  * the slice is in another region than the SM */
	/* dispatcher to SM, and back */
	MSG_BLOCK, /* chunk: number of the block, id: of the grid, bytes[0]:
			* of the phase (sm/idle.h) */
	MSG_BLOCK_DONE, /* chunk and id as in MSG_BLOCK; flags: MSG_STORED,
			 * MSG_HELD */
	MSG_WRITTEN     /* what the SM held has been taken */
};

enum { MSG_NO_RESULT = 1 };
enum { MSG_STRONG = 1 }; /* of MSG_READ: it goes around the L1 */
/* The block has written to global memory. The SM has no other block, and
 * writes on their way: MSG_WRITTEN, or another block, follows. */
enum { MSG_STORED = 1, MSG_HELD = 2 };

/* Atomics that take different times. */
enum msg_sort { MSG_SORT_INT, MSG_SORT_FLOAT, MSG_SORT_CAS };

/* The other bits of a request's flags: the grid that it belongs to. */
enum { MSG_GRIDS = 128 };
static inline uint8_t msg_grid_flags(uint32_t grid)
{
	return (uint8_t)(grid << 1);
}

static inline uint32_t msg_grid(uint8_t flags)
{
	return flags >> 1;
}

struct msg {
	cycle_t time;   /* of arrival */
	uint64_t chunk; /* address / CHUNK_BYTES */
	uint32_t id;
	uint16_t source; /* partition */
	uint8_t kind;    /* enum msg_kind */
	uint8_t sectors; /* bit i: sector i of the chunk */
	uint8_t flags;
	uint8_t lanes; /* MSG_ATOMIC: active lanes, minus one */
	uint16_t to;   /* partition; private to the wires, as is: */
	uint32_t next; /* in a slot's chain while sorting */
	uint32_t bytes[CHUNK_SECTORS];
};

/* The room that a partition needs. */
struct wire_room {
	uint32_t out; /* maximum messages sent in one window */
	uint32_t in;  /* maximum messages sent to it and not yet taken */
};

/* Whether a write has bytes to leave out of one of its sectors, so that the masks
 * of what it writes travel with it. */
static inline bool msg_has_masks(const uint32_t bytes[CHUNK_SECTORS],
				 unsigned sectors)
{
	bool part = false;

	for (unsigned i = 0; i < CHUNK_SECTORS; i++)
		part |= (sectors >> i & 1) && bytes[i] != UINT32_MAX;
	return part;
}

/*
 * Private to the functions below
 */

#define WIRE_NONE UINT32_MAX

/*
 * The first WIRE_FEW messages of a box lie close to those of other boxes. The
 * rest have a room of their own (base/arena.h), which is hardly ever used. A
 * mailbox has slots, so that threads do not write to the same lines of the
 * host's cache. A message's number is its slot and its place in the slot, the
 * low WIRE_PLACES bits.
 */
enum { WIRE_FEW = 64, WIRE_SLOTS = 4, WIRE_PLACES = 28 };

struct wire_mail {
	struct msg *few, *many;
	atomic_uint count;
	uint32_t room;
};

/* A slot of a partition's mailbox, by the parity of the window in which a
 * message was sent. Other threads write to this cache line. */
struct wire_slot {
	_Alignas(64) struct wire_mail mail[2];
};

static inline struct msg *wire_mail_at(const struct wire_mail *x, uint32_t i)
{
	return i < WIRE_FEW ? &x->few[i] : &x->many[i - WIRE_FEW];
}

struct wire_box {
	/* The inbox, node[at .. end - 1], in order; next: the time of the
	 * first message. */
	_Alignas(64) cycle_t next;
	struct msg *node; /* &one, few or many */
	uint32_t at, end, room;
	uint8_t parity; /* of this window */
	uint8_t slot;   /* in other mailboxes, for messages that it sends */
	cycle_t sent;   /* earliest arrival of this window's messages */
	struct msg *few, *many;
	_Alignas(64) struct msg one; /* beside the rest in the host's cache */
	struct wire_mail out;        /* the outbox, if wires.posted */
};

struct wires {
	uint32_t partitions;
	uint32_t slots;  /* of mailboxes, in use */
	unsigned coarse; /* low bits of a time that its wheel slot ignores */
	bool posted;     /* messages go through net/post.h */
	bool alone;      /* one thread simulates all partitions */
	struct wire_box *box;
	struct wire_slot *slot[WIRE_SLOTS]; /* of mailboxes, by receiver */
	/* By slot, parity and receiver: whether there is mail. Each thread has
	 * its slot, so that threads seldom write to the same lines. */
	bitmap_word *marks[WIRE_SLOTS][2];
};

/*
 * The interface
 */

/*
 * Lives in *a. horizon: maximum cycles from the start of the window in which a
 * message is sent to its arrival. A receiver takes what has arrived before its
 * next window begins.
 */
MUST_USE enum err wires_new(struct wires **out, struct arena *a,
			    uint32_t partitions, const struct wire_room *room,
			    cycle_t horizon, struct diag *d);

/* Assigns mailbox slots to the partitions first .. end - 1, which this many
 * threads are going to simulate, each a run of neighbours. Call it when no
 * message is in flight. The order in which messages are taken does not depend
 * on it. */
void wires_deal(struct wires *w, unsigned threads, uint32_t first,
		uint32_t end);

/* Begins a window of that parity (0 or 1) for the partition: moves the messages
 * sent to it in the window before into its inbox. Returns wire_next. Must be
 * called in every window for the partitions that have mail, else they would
 * miss it, and for those that are going to be simulated. */
static inline cycle_t wire_open(struct wires *w, uint32_t partition,
				unsigned parity);
/* Prefetch for wire_open into the host's cache: first the structures that every
 * partition has, then the messages that these point to. */
static inline void wire_prefetch(const struct wires *w, uint32_t partition);
void wire_prefetch_more(const struct wires *w, uint32_t partition,
			unsigned parity);
/* Which partitions have mail that was sent in a window of that parity: bit i of
 * a word is partition 64 * word + i. */
static inline uint64_t wire_mail(const struct wires *w, unsigned parity,
				 uint32_t word)
{
	uint64_t all = bitmap_word_at(w->marks[0][parity], word);

	for (uint32_t i = 1; i < w->slots; i++)
		all |= bitmap_word_at(w->marks[i][parity], word);
	return all;
}
/* There is mail that was sent in a window of that parity: moves it into the
 * inbox. */
void wire_take_mail(struct wires *w, uint32_t partition, unsigned parity);

/*
 * Instead of wire_open where every partition always sends in windows of the same
 * parity, which wire_open has set once. wire_collect is wire_mail, and forgets
 * which of the partitions in `mask` have mail: each of them must call
 * wire_receive, for what was sent in windows of parity `from`, and no other need
 * do anything.
 */
static inline uint64_t wire_collect(struct wires *w, unsigned from,
				    uint32_t word, uint64_t mask)
{
	uint64_t mail = wire_mail(w, from, word) & mask;

	for (uint32_t i = 0; mail && i < w->slots; i++)
		bitmap_remove(w->marks[i][from], word, mail);
	return mail;
}
cycle_t wire_receive(struct wires *w, uint32_t partition, unsigned from);

static inline cycle_t wire_open(struct wires *w, uint32_t partition,
				unsigned parity)
{
	struct wire_box *b = &w->box[partition];
	uint64_t mail = wire_mail(w, parity ^ 1, partition / 64);

	b->parity = (uint8_t)parity;
	b->sent = CYCLE_NEVER;
	if (mail >> partition % 64 & 1)
		wire_take_mail(w, partition, parity ^ 1);
	return b->next;
}

static inline void wire_prefetch(const struct wires *w, uint32_t partition)
{
	fetch_soon(&w->box[partition], offsetof(struct wire_box, out));
	for (uint32_t i = 0; i < w->slots; i++)
		fetch_soon(&w->slot[i][partition], 1);
}

/* Whether any partition has. */
bool wire_any(const struct wires *w, unsigned parity);

/* Reserves a place for one more. An atomic addition takes the host longer, so
 * it is used only with several threads. */
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

/* The first message in a mailbox's slot marks its receiver. */
static inline void wire_mark(struct wires *w, const struct wire_box *b,
			     uint32_t to)
{
	if (LIKELY(!w->posted))
		bitmap_set(w->marks[b->slot][b->parity], to, true, w->alone);
}

/* Sends a message; sets m->source. */
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
	if (!i)
		wire_mark(w, b, to);
	n = wire_mail_at(x, i);
	m->source = (uint16_t)from;
	/* Field by field, so that the sender's copy need never be in memory. */
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
	if (m->time < b->sent)
		b->sent = m->time;
}

/* The earliest arrival of the messages that the partition has sent in this
 * window, or CYCLE_NEVER. */
static inline cycle_t wire_sent(const struct wires *w, uint32_t partition)
{
	return w->box[partition].sent;
}

/* The same since it was last called. */
static inline cycle_t wire_take_sent(struct wires *w, uint32_t partition)
{
	struct wire_box *b = &w->box[partition];
	cycle_t sent = b->sent;

	b->sent = CYCLE_NEVER;
	return sent;
}

/* The arrival of the first message in the inbox, or CYCLE_NEVER. */
static inline cycle_t wire_next(const struct wires *w, uint32_t partition)
{
	return w->box[partition].next;
}

/* wire_take_next by the partition's box, whose place never changes. */
static inline const struct msg *wire_take_from(struct wire_box *b, cycle_t now)
{
	const struct msg *m = &b->node[b->at];

	if (b->next > now)
		return NULL;
	b->next = ++b->at < b->end ? m[1].time : CYCLE_NEVER;
	return m;
}

/* Takes the next message with time <= now, in order; NULL: none. It is valid
 * until the partition's next wire_open. */
static inline const struct msg *wire_take_next(struct wires *w,
					       uint32_t partition, cycle_t now)
{
	return wire_take_from(&w->box[partition], now);
}

/* The same, as a copy; false: none. */
static inline bool wire_take(struct wires *w, uint32_t partition, cycle_t now,
			     struct msg *out)
{
	const struct msg *m = wire_take_next(w, partition, now);

	if (m)
		*out = *m;
	return m;
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
 * For net/post.h, which carries messages between partitions that do not have
 * the same windows.
 */

/* While posted, wire_send puts messages into the sender's outbox. */
void wires_use_outboxes(struct wires *w, bool posted);
/* The messages in a partition's outbox, in the order in which it sent them. */
static inline uint32_t wire_outbox_count(const struct wires *w,
					 uint32_t partition)
{
	return atomic_load_explicit(&w->box[partition].out.count,
				    memory_order_relaxed);
}
static inline const struct msg *wire_outbox_at(const struct wires *w,
					       uint32_t partition, uint32_t i)
{
	return wire_mail_at(&w->box[partition].out, i);
}
void wire_outbox_clear(struct wires *w, uint32_t partition);
/* How many more messages fit into a partition's inbox. */
static inline uint32_t wire_inbox_space(const struct wires *w,
					uint32_t partition)
{
	const struct wire_box *b = &w->box[partition];

	return b->room - (b->end - b->at);
}
/* Inserts a message into a partition's inbox, in order. */
void wire_inbox_insert(struct wires *w, uint32_t partition,
		       const struct msg *m);

/* Messages in flight to a partition, in its mailbox and inbox: 0 for all when
 * the GPU is idle. For checks between windows. */
uint32_t wire_waiting(const struct wires *w, uint32_t partition);

#endif
