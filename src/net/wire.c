#include "net/wire.h"

#include <inttypes.h>
#include <string.h>

#include "base/fetch.h"
#include "base/minmax.h"

_Static_assert(sizeof(struct msg) == 48,
	       "a message is three quarters of a host's cache line");

/* A time wheel: each slot is a chain of messages. It sorts the messages by
 * time. It is on the thread's stack, where it stays in the host's cache. */
enum { SLOTS = 512, WORDS = SLOTS / 64 };

struct wheel {
	uint64_t used[WORDS]; /* bit i: slot i has a chain */
	uint32_t head[SLOTS], tail[SLOTS];
};

/* Low bits of a time to ignore, so that the times of all messages in flight fit
 * into the wheel; neighbouring times may share a slot. */
static unsigned wheel_shift(cycle_t horizon)
{
	unsigned bits = 0;

	while ((horizon >> bits) + 2 > SLOTS)
		bits++;
	return bits;
}

/* Words of a slot's marks: whole lines of the host's cache. */
static uint32_t wire_mark_words(uint32_t partitions)
{
	const uint32_t line = 64 / sizeof(bitmap_word);

	return (bitmap_words(partitions) + line - 1) / line * line;
}

static bool wire_mail_init(struct wire_mail *x, struct arena *a, uint32_t room)
{
	x->room = room;
	x->few = arena_new(a, struct msg, min_u64(WIRE_FEW, room));
	x->many = room > WIRE_FEW ? arena_room(a, struct msg, room - WIRE_FEW) :
				    x->few;
	return x->few && x->many;
}

/* Slots beyond the first are used only with several threads. */
static bool wire_slot_init(struct wire_mail *x, struct arena *a, uint32_t room,
			   bool first)
{
	if (first)
		return wire_mail_init(x, a, room);
	x->room = room;
	x->few = arena_room(a, struct msg, room + WIRE_FEW);
	x->many = x->few + WIRE_FEW;
	return x->few;
}

static bool wires_new_slots(struct wires *w, struct arena *a,
			    const struct wire_room *room)
{
	bool good = true;

	for (uint32_t k = 0; good && k < WIRE_SLOTS; k++) {
		w->slot[k] = arena_new(a, struct wire_slot, w->partitions);
		good = w->slot[k];
		for (int p = 0; good && p < 2; p++) {
			w->marks[k][p] = arena_new(
				a, bitmap_word, wire_mark_words(w->partitions));
			good = w->marks[k][p];
		}
		for (uint32_t i = 0; good && i < w->partitions; i++)
			for (int p = 0; good && p < 2; p++)
				good = wire_slot_init(&w->slot[k][i].mail[p], a,
						      room[i].in, !k);
	}
	return good;
}

static bool wire_box_init(struct wire_box *b, struct arena *a,
			  const struct wire_room *room)
{
	b->next = b->sent = CYCLE_NEVER;
	b->room = room->in;
	b->few = arena_new(a, struct msg, WIRE_FEW);
	b->many = arena_room(a, struct msg, room->in);
	b->node = b->few;
	return b->few && b->many && wire_mail_init(&b->out, a, room->out);
}

enum err wires_new(struct wires **out, struct arena *a, uint32_t partitions,
		   const struct wire_room *room, cycle_t horizon,
		   struct diag *d)
{
	const cycle_t max = 1 << 24;
	struct wires *w;
	bool good;

	if (partitions < 1 || partitions > UINT16_MAX)
		return fail(d, ERR_RANGE, "%u partitions: outside [1, %u]",
			    partitions, UINT16_MAX);
	if (horizon < 1 || horizon > max)
		return fail(d, ERR_RANGE,
			    "a message takes up to %" PRIu64
			    " cycles on a wire: outside [1, %" PRIu64 "]",
			    horizon, max);
	w = arena_new(a, struct wires, 1);
	if (!w)
		goto nomem;
	w->partitions = partitions;
	w->slots = 1;
	w->coarse = wheel_shift(horizon);
	w->box = arena_new(a, struct wire_box, partitions);
	good = w->box;
	for (uint32_t i = 0; good && i < partitions; i++)
		good = wire_box_init(&w->box[i], a, &room[i]);
	if (good && wires_new_slots(w, a, room)) {
		*out = w;
		return ERR_OK;
	}
nomem:
	return fail(d, ERR_NOMEM,
		    "out of memory for the wires of %u partitions", partitions);
}

void wires_deal(struct wires *w, unsigned threads, uint32_t first, uint32_t end)
{
	w->alone = threads == 1;
	w->slots = (uint32_t)min_u64(threads, WIRE_SLOTS);
	for (uint32_t i = first; i < end; i++)
		w->box[i].slot =
			(uint8_t)((i - first) * w->slots / (end - first));
}

/* The slots of one partition's mailbox, for one parity. */
struct mailbox {
	struct wire_mail *slot[WIRE_SLOTS];
	uint32_t slots;
};

static struct mailbox mailbox_of(const struct wires *w, uint32_t partition,
				 unsigned parity)
{
	struct mailbox x = { .slots = w->slots };

	for (uint32_t i = 0; i < w->slots; i++)
		x.slot[i] = &w->slot[i][partition].mail[parity];
	return x;
}

static uint32_t mailbox_count(const struct mailbox *x)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->slots; i++)
		n += atomic_load_explicit(&x->slot[i]->count,
					  memory_order_relaxed);
	return n;
}

/* The message with this number: slot and place. */
static struct msg *mailbox_at(const struct mailbox *x, uint32_t i)
{
	return wire_mail_at(x->slot[i >> WIRE_PLACES],
			    i & ((1u << WIRE_PLACES) - 1));
}

/* Whether a comes after b: by time, then by source. */
static bool wire_after(const struct msg *a, const struct msg *b)
{
	return a->time != b->time ? a->time > b->time : a->source > b->source;
}

/* Inserts message i into its slot's chain, behind those that are equal. */
static inline void wheel_insert(struct wheel *h, const struct mailbox *x,
				uint32_t i, unsigned coarse)
{
	struct msg *m = mailbox_at(x, i), *tail, *link;
	uint32_t slot = (uint32_t)(m->time >> coarse) % SLOTS;
	uint64_t bit = UINT64_C(1) << slot % 64;

	m->next = WIRE_NONE;
	if (!(h->used[slot / 64] & bit)) {
		h->used[slot / 64] |= bit;
		h->head[slot] = h->tail[slot] = i;
		return;
	}
	tail = mailbox_at(x, h->tail[slot]);
	CHECK(!((tail->time ^ m->time) >> coarse));
	if (!wire_after(tail, m)) {
		tail->next = i;
		h->tail[slot] = i;
		return;
	}
	link = mailbox_at(x, h->head[slot]);
	if (wire_after(link, m)) {
		m->next = h->head[slot];
		h->head[slot] = i;
		return;
	}
	while (!wire_after(mailbox_at(x, link->next), m))
		link = mailbox_at(x, link->next);
	m->next = link->next;
	link->next = i;
}

/* Appends the chains of some slots to the inbox. */
static inline void wheel_append(struct wire_box *b, const struct wheel *h,
				const struct mailbox *x, uint32_t word,
				uint64_t slots)
{
	for (; slots; slots &= slots - 1) {
		uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(slots);
		uint32_t i = h->head[slot];

		while (i != WIRE_NONE) {
			const struct msg *m = mailbox_at(x, i);

			b->node[b->end++] = *m;
			i = m->next;
		}
	}
}

/* Appends the whole wheel to the inbox, from the slot of the earliest time. */
static void wheel_unload(struct wire_box *b, const struct wheel *h,
			 const struct mailbox *x, uint32_t first)
{
	uint32_t word = first / 64;
	uint64_t later = UINT64_MAX << first % 64;

	wheel_append(b, h, x, word, h->used[word] & later);
	for (uint32_t i = word + 1; i < word + WORDS; i++)
		wheel_append(b, h, x, i % WORDS, h->used[i % WORDS]);
	wheel_append(b, h, x, word, h->used[word] & ~later);
}

/* Puts the messages left in the inbox into the wheel, first, because they were
 * sent before the mail. They are copied to the first slot of the mailbox, which
 * has room for both. Returns how many there are. */
static uint32_t wire_sort_rest(struct wire_box *b, struct wheel *h,
			       const struct mailbox *x, unsigned coarse)
{
	struct wire_mail *to = x->slot[0];
	uint32_t n = atomic_load_explicit(&to->count, memory_order_relaxed);
	uint32_t end = n + (b->end - b->at);

	CHECK(end <= to->room);
	for (uint32_t i = n; i < end; i++) {
		*wire_mail_at(to, i) = b->node[b->at++];
		wheel_insert(h, x, i, coarse);
	}
	return end - n;
}

/* Puts a slot's mail into the wheel. Returns its earliest time, or `first` if
 * that is earlier. */
static cycle_t wire_sort_slot(struct wheel *h, const struct mailbox *x,
			      uint32_t slot, unsigned coarse, cycle_t first)
{
	struct wire_mail *from = x->slot[slot];
	uint32_t n = atomic_load_explicit(&from->count, memory_order_relaxed);

	for (uint32_t i = 0; i < n; i++) {
		wheel_insert(h, x, slot << WIRE_PLACES | i, coarse);
		first = min_u64(first, wire_mail_at(from, i)->time);
	}
	atomic_store_explicit(&from->count, 0, memory_order_relaxed);
	return first;
}

/* Merges n messages of mail into what is left in the inbox. */
static void wire_sort_in(struct wire_box *b, const struct mailbox *x,
			 uint32_t n, unsigned coarse)
{
	cycle_t first = b->next;
	struct wheel h;
	uint32_t all;

	memset(h.used, 0, sizeof(h.used));
	all = n + wire_sort_rest(b, &h, x, coarse);
	CHECK(all <= b->room);
	for (uint32_t i = 0; i < x->slots; i++)
		first = wire_sort_slot(&h, x, i, coarse, first);
	b->node = all <= WIRE_FEW ? b->few : b->many;
	b->at = b->end = 0;
	wheel_unload(b, &h, x, (uint32_t)(first >> coarse) % SLOTS);
	CHECK(b->node[0].time == first);
	b->next = first;
}

/* Makes room for one more at the end of the inbox, by moving the messages to
 * the place of those that have been taken. */
static void inbox_make_room(struct wire_box *b)
{
	uint32_t n = b->end - b->at;
	struct msg *to = n < WIRE_FEW ? b->few : b->many;

	if (b->end < (b->node == &b->one ? 1 :
		      b->node == b->few  ? WIRE_FEW :
					   b->room))
		return;
	memmove(to, b->node + b->at, n * sizeof(*to));
	b->node = to;
	b->at = 0;
	b->end = n;
}

static void inbox_insert(struct wire_box *b, const struct msg *m)
{
	uint32_t i;

	inbox_make_room(b);
	for (i = b->end++; i > b->at && wire_after(&b->node[i - 1], m); i--)
		b->node[i] = b->node[i - 1];
	b->node[i] = *m;
	b->next = b->node[b->at].time;
}

/* Up to this many messages are inserted one by one: on a machine that is nearly
 * idle, the wheel would cost more than the messages. */
enum { WIRE_SINGLY = 6 };

/* Does what wire_sort_in does, for few messages. */
static void wire_insert_in(struct wire_box *b, const struct mailbox *x,
			   uint32_t all)
{
	CHECK(all <= b->room);
	if (b->at == b->end) {
		b->node = b->few;
		b->at = b->end = 0;
	}
	for (uint32_t k = 0; k < x->slots; k++) {
		uint32_t n = atomic_load_explicit(&x->slot[k]->count,
						  memory_order_relaxed);

		for (uint32_t i = 0; i < n; i++)
			inbox_insert(b, wire_mail_at(x->slot[k], i));
		if (n)
			atomic_store_explicit(&x->slot[k]->count, 0,
					      memory_order_relaxed);
	}
}

/* Moves all mail into the inbox. Not inlined: a single message does not need the
 * registers. */
static __attribute__((noinline)) void
wire_take_some(struct wires *w, uint32_t partition, unsigned parity)
{
	struct wire_box *b = &w->box[partition];
	struct mailbox x = mailbox_of(w, partition, parity);
	uint32_t n = mailbox_count(&x);

	if (n + (b->end - b->at) <= WIRE_SINGLY)
		wire_insert_in(b, &x, n + (b->end - b->at));
	else
		wire_sort_in(b, &x, n, w->coarse);
}

/* Moves a single message into the inbox, which is empty: all that most
 * partitions have on a machine that is nearly idle. False: there is more. */
static bool wire_take_single(struct wires *w, uint32_t partition,
			     unsigned parity)
{
	struct wire_box *b = &w->box[partition];
	struct wire_mail *x = &w->slot[0][partition].mail[parity];

	if (b->at != b->end || w->slots > 1 ||
	    atomic_load_explicit(&x->count, memory_order_relaxed) != 1)
		return false;
	atomic_store_explicit(&x->count, 0, memory_order_relaxed);
	b->one = *x->few;
	b->node = &b->one;
	b->at = 0;
	b->end = 1;
	b->next = b->one.time;
	return true;
}

cycle_t wire_receive(struct wires *w, uint32_t partition, unsigned from)
{
	if (!wire_take_single(w, partition, from))
		wire_take_some(w, partition, from);
	return w->box[partition].next;
}

void wire_take_mail(struct wires *w, uint32_t partition, unsigned parity)
{
	for (uint32_t i = 0; i < w->slots; i++)
		bitmap_set(w->marks[i][parity], partition, false, w->alone);
	wire_receive(w, partition, parity);
}

/* Bytes of a box to prefetch; the host's own prefetcher does the rest. */
enum { PREFETCH_BYTES = 256 };

void wire_prefetch_more(const struct wires *w, uint32_t partition,
			unsigned parity)
{
	const struct wire_box *b = &w->box[partition];
	const struct wire_mail *x = &w->slot[0][partition].mail[parity ^ 1];

	fetch_soon(x->few, PREFETCH_BYTES);
	fetch_soon(b->few, PREFETCH_BYTES);
}

bool wire_any(const struct wires *w, unsigned parity)
{
	for (uint32_t i = 0; i < bitmap_words(w->partitions); i++)
		if (wire_mail(w, parity, i))
			return true;
	return false;
}

void wires_use_outboxes(struct wires *w, bool posted)
{
	w->posted = posted;
}

void wire_outbox_clear(struct wires *w, uint32_t partition)
{
	struct wire_box *b = &w->box[partition];

	atomic_store_explicit(&b->out.count, 0, memory_order_relaxed);
	b->sent = CYCLE_NEVER;
}

void wire_inbox_insert(struct wires *w, uint32_t partition, const struct msg *m)
{
	CHECK(wire_inbox_space(w, partition));
	inbox_insert(&w->box[partition], m);
}

uint32_t wire_waiting(const struct wires *w, uint32_t partition)
{
	const struct wire_box *b = &w->box[partition];
	uint32_t n = b->end - b->at;

	for (unsigned i = 0; i < 2; i++) {
		struct mailbox x = mailbox_of(w, partition, i);

		n += mailbox_count(&x);
	}
	return n;
}
