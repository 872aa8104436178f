#include "net/wire.h"

#include <inttypes.h>
#include <string.h>

_Static_assert(sizeof(struct msg) == 48, "three quarters of a host's line");

/* Eight partitions are looked at at once. */
static uint32_t padded(uint32_t partitions)
{
	return (partitions + 7u) / 8 * 8;
}

/* Slots so that two messages on their way never share one but for the same
 * time; at least a word of bits. */
static uint32_t slots(cycle_t horizon)
{
	uint32_t n = 64;

	while (n <= horizon)
		n *= 2;
	return n;
}

static bool new_in(struct wire_in *in, struct arena *a, uint32_t room,
		   cycle_t horizon)
{
	uint32_t size = slots(horizon);

	in->node = arena_room(a, struct msg, room ? room : 1);
	in->slot = arena_new(a, struct wire_chain, size);
	in->used = arena_new(a, uint64_t, size / 64);
	in->spare = arena_new(a, uint32_t, room ? room : 1);
	if (!in->node || !in->slot || !in->used || !in->spare)
		return false;
	in->room = room;
	in->mask = size - 1;
	in->next = CYCLE_NEVER;
	return true;
}

static bool new_box(struct wire_box *b, struct arena *a,
		    const struct wire_room *room, uint32_t partitions,
		    cycle_t horizon)
{
	b->first = room->dests ? room->first : 0;
	b->dests = room->dests ? room->dests : partitions;
	b->room = room->out;
	b->sent = CYCLE_NEVER;
	for (int i = 0; i < 2; i++) {
		struct wire_out *o = &b->out[i];

		o->node = arena_new(a, struct msg, b->room ? b->room : 1);
		o->last = arena_new(a, uint32_t, b->dests);
		if (!o->node || !o->last)
			return false;
	}
	return new_in(&b->in, a, room->in, horizon);
}

/* A receiver looks only at sources that may send to it. */
static void find_sources(struct wires *w)
{
	for (uint32_t i = 0; i < w->partitions; i++)
		w->box[i].from = w->stride;
	for (uint32_t i = 0; i < w->partitions; i++) {
		const struct wire_box *b = &w->box[i];

		for (uint32_t k = 0; k < b->dests; k++) {
			struct wire_box *to = &w->box[b->first + k];

			if (to->from == w->stride)
				to->from = i / 8 * 8;
			to->to = padded(i + 1);
		}
	}
}

enum err wires_new(struct wires **out, struct arena *a, uint32_t partitions,
		   const struct wire_room *room, cycle_t horizon,
		   struct diag *d)
{
	const cycle_t most = 1 << 24;
	struct wires *w;

	if (partitions < 1 || partitions > UINT16_MAX)
		return fail(d, ERR_RANGE, "%u partitions: outside [1, %u]",
			    partitions, UINT16_MAX);
	if (horizon < 1 || horizon > most)
		return fail(d, ERR_RANGE,
			    "a wire on which a message takes up to %" PRIu64
			    " cycles: outside [1, %" PRIu64 "]",
			    horizon, most);
	w = arena_new(a, struct wires, 1);
	if (!w)
		goto nomem;
	w->partitions = partitions;
	w->stride = padded(partitions);
	w->box = arena_new(a, struct wire_box, partitions);
	if (!w->box)
		goto nomem;
	for (int i = 0; i < 2; i++) {
		size_t n = (size_t)partitions * w->stride;

		w->sent[i] = arena_new(a, uint8_t, w->stride);
		w->mail[i] = arena_new(a, uint32_t, n);
		if (!w->sent[i] || !w->mail[i])
			goto nomem;
	}
	for (uint32_t i = 0; i < partitions; i++)
		if (!new_box(&w->box[i], a, &room[i], partitions, horizon))
			goto nomem;
	find_sources(w);
	*out = w;
	return ERR_OK;
nomem:
	return fail(d, ERR_NOMEM, "no memory for the wires of %u partitions",
		    partitions);
}

cycle_t wire_scan(const struct wire_in *in, cycle_t from)
{
	uint32_t at = (uint32_t)from & in->mask, last = in->mask / 64;
	uint32_t i = at / 64;
	uint64_t bits = in->used[i] >> at % 64;

	if (bits)
		return from + (cycle_t)__builtin_ctzll(bits);
	if (!in->count)
		return CYCLE_NEVER;
	from += 64 - at % 64;
	/* The last word looked at is the first one again: its lower bits. */
	for (uint32_t left = last + 1; left > 0; left--, from += 64) {
		i = i == last ? 0 : i + 1;
		bits = in->used[i];
		if (bits)
			return from + (cycle_t)__builtin_ctzll(bits);
	}
	return CYCLE_NEVER;
}

/* Those never used come last: a large room costs no memory before. */
static uint32_t new_node(struct wire_in *in)
{
	if (in->spares)
		return in->spare[--in->spares];
	CHECK(in->fresh < in->room);
	return in->fresh++;
}

/* Of one time, in order of source; of one source, after what is there. */
static void put(struct wire_in *in, const struct msg *m)
{
	uint32_t slot = (uint32_t)m->time & in->mask, i = new_node(in), *link;
	struct wire_chain *c = &in->slot[slot];
	uint64_t bit = UINT64_C(1) << slot % 64;
	struct msg *n = &in->node[i], *tail;

	in->count++;
	*n = *m;
	n->next = WIRE_NONE;
	if (!(in->used[slot / 64] & bit)) {
		in->used[slot / 64] |= bit;
		c->head = c->tail = i;
		if (m->time < in->next)
			in->next = m->time;
		return;
	}
	tail = &in->node[c->tail];
	CHECK(tail->time == m->time);
	if (tail->source <= m->source) {
		tail->next = i;
		c->tail = i;
		return;
	}
	for (link = &c->head; in->node[*link].source <= m->source;)
		link = &in->node[*link].next;
	n->next = *link;
	*link = i;
}

enum { AHEAD = 64 }; /* sources that are pulled from together */

static const struct msg *first_of(const struct wires *w, uint32_t from,
				  unsigned parity, uint32_t mail)
{
	return &w->box[from].out[parity].node[mail - 1];
}

static void pull(struct wires *w, uint32_t part, const struct msg *m,
		 unsigned parity)
{
	const struct wire_out *o = &w->box[m->source].out[parity];
	struct wire_in *in = &w->box[part].in;

	for (;;) {
		uint32_t next = m->next;

		if (next == WIRE_NONE)
			break;
		__builtin_prefetch(&o->node[next]);
		put(in, m);
		m = &o->node[next];
	}
	put(in, m);
}

/* Pulls from sources in their order. Their chains are looked up first, so that
 * the messages are on their way to the host's cache in the meantime. */
static void pull_from(struct wires *w, uint32_t part, unsigned parity,
		      const uint16_t *from, uint32_t count)
{
	const struct wire_in *in = &w->box[part].in;
	uint32_t *mail = wire_mail(w, parity, 0, part);
	const struct msg *chain[AHEAD];

	for (uint32_t i = 0; i < count && i < in->spares; i++)
		__builtin_prefetch(&in->node[in->spare[in->spares - 1 - i]], 1);
	for (uint32_t i = 0; i < count; i++) {
		chain[i] = first_of(w, from[i], parity, mail[from[i]]);
		mail[from[i]] = 0;
		__builtin_prefetch(chain[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		pull(w, part, chain[i], parity);
}

static void pull_all(struct wires *w, uint32_t part, unsigned parity)
{
	const uint32_t *mail = wire_mail(w, parity, 0, part);
	uint16_t from[AHEAD];
	uint32_t n = 0;

	for (uint32_t i = w->box[part].from; i < w->box[part].to; i += 8) {
		uint32_t any = 0;

		for (uint32_t k = i; k < i + 8; k++)
			any |= mail[k];
		if (!any)
			continue;
		/* Which of them cannot be foreseen: no branch. */
		for (uint32_t k = i; k < i + 8; k++) {
			from[n] = (uint16_t)k;
			n += mail[k] != 0;
		}
		if (n <= AHEAD - 9)
			continue;
		pull_from(w, part, parity, from, n);
		n = 0;
	}
	pull_from(w, part, parity, from, n);
}

cycle_t wire_open(struct wires *w, uint32_t part, unsigned parity)
{
	struct wire_box *b = &w->box[part];
	struct wire_out *o = &b->out[parity];

	b->parity = (uint8_t)parity;
	b->sent = CYCLE_NEVER;
	if (o->used) {
		o->used = 0;
		w->sent[parity][part] = 0;
	}
	pull_all(w, part, parity ^ 1);
	return b->in.next;
}

void wire_prefetch(const struct wires *w, uint32_t part, unsigned parity)
{
	const struct wire_box *b = &w->box[part];
	const uint32_t *mail = wire_mail(w, parity ^ 1, 0, part);

	for (size_t i = 0; i < sizeof(*b); i += 64)
		__builtin_prefetch((const char *)b + i, 1);
	for (uint32_t i = b->from; i < b->to; i += 16)
		__builtin_prefetch(mail + i, 1);
}

void wire_prefetch_more(const struct wires *w, uint32_t part)
{
	const struct wire_in *in = &w->box[part].in;

	__builtin_prefetch(&in->spare[in->spares], 1);
	if (in->spares > 16)
		__builtin_prefetch(&in->spare[in->spares - 16], 1);
}

bool wire_any(const struct wires *w, unsigned parity)
{
	for (uint32_t i = 0; i < w->stride; i += 8) {
		uint64_t eight;

		memcpy(&eight, w->sent[parity] + i, sizeof(eight));
		if (eight)
			return true;
	}
	return false;
}

void wire_empty(struct wires *w, uint32_t part)
{
	struct wire_box *b = &w->box[part];
	struct wire_out *o = &b->out[b->parity];

	for (uint32_t i = 0; i < o->used; i++)
		*wire_mail(w, b->parity, part, o->node[i].to) = 0;
	b->sent = CYCLE_NEVER;
	o->used = 0;
	w->sent[b->parity][part] = 0;
}

void wire_put(struct wires *w, uint32_t part, const struct msg *m)
{
	put(&w->box[part].in, m);
}

uint32_t wire_waiting(const struct wires *w, uint32_t part)
{
	unsigned parity = w->box[part].parity;
	uint32_t n = w->box[part].in.count;

	for (uint32_t from = 0; from < w->partitions; from++) {
		const struct wire_out *o = &w->box[from].out[parity];
		uint32_t mail = *wire_mail(w, parity, from, part);
		const struct msg *m;

		if (!mail)
			continue;
		m = first_of(w, from, parity, mail);
		for (n++; m->next != WIRE_NONE; n++)
			m = &o->node[m->next];
	}
	return n;
}
