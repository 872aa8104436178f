#include "sm/l1.h"

#include <string.h>

/*
 * The clock of a port starts this many cycles before cycle 0, because a message
 * may have started to pass it before cycle 0: the time that it takes is part of
 * latencies that are counted from the issue of an instruction.
 */
enum { PORT_PAST = 1 << 20 };

/* Lines are chunks, and their sectors have 32 bytes, as in most caches. */
static inline bool has_plain_lines(const struct l1_cache *c)
{
	return c->shift == UNIT_SHIFT && c->per == 1;
}

void l1_empty(struct l1 *u)
{
	const struct tags_stats *st;
	uint64_t accesses;

	if (!u->fence_empties || !u->data.tags)
		return;
	/* A loop that waits for others empties it again and again. */
	st = tags_stats(u->data.tags);
	accesses = st->reads + st->writes + st->fills;
	if (accesses == u->emptied)
		return;
	u->emptied = accesses;
	tags_invalidate_all(u->data.tags);
}

/* Describes a message; the caller fills in the rest. */
static inline struct msg *l1_describe(const struct l1 *u, struct l1_out *o,
				      enum msg_kind kind, uint64_t chunk,
				      unsigned sectors, uint32_t bytes)
{
	o->partition = mem_partition_of(u->env->shape, chunk);
	o->bytes = u->header + bytes;
	o->counted = false;
	o->m = (struct msg){
		.chunk = chunk,
		.kind = (uint8_t)kind,
		.sectors = (uint8_t)sectors,
		.flags = u->flags,
	};
	return &o->m;
}

/* A write, with its masks in place, has the bytes that they take. */
static inline void l1_add_masks(const struct l1 *u, struct l1_out *o)
{
	if (msg_has_masks(o->m.bytes, o->m.sectors))
		o->bytes += u->write_extra;
}

static void count_sent(struct stat_lsu *st, const struct l1_out *o)
{
	uint32_t n = pieces_count(o->m.sectors);

	st->bytes_out += o->bytes;
	switch (o->m.kind) {
	case MSG_READ:
		st->reads_sent++;
		st->read_sectors_sent += n;
		break;
	case MSG_WRITE:
		st->writes_sent++;
		st->write_sectors_sent += n;
		break;
	case MSG_ATOMIC:
		st->atomics_sent++;
	}
}

/* Sends one message if it can be sent now. */
static inline enum l1_stall l1_send(struct l1 *u, cycle_t now, struct l1_out *o,
				    cycle_t *when)
{
	cycle_t enter = now + u->lead, took, start, free;

	if (u->latency) {
		o->m.time = enter + u->request_latency;
		return L1_GO;
	}
	if (u->tlb.known) {
		*when = tlb_ready(&u->tlb, o->m.chunk, now);
		if (UNLIKELY(*when > now))
			return L1_STALL_TLB;
	}
	*when = CYCLE_NEVER;
	if (o->m.kind != MSG_WRITE && u->outstanding >= u->outstanding_max)
		return L1_STALL_MSHR;
	if (!u->credit[o->partition]) {
		u->no_credit = o->partition;
		return L1_STALL_CREDIT;
	}
	took = o->bytes == u->header ? u->header_cycles :
				       port_cycles(&u->port_out, o->bytes);
	start = enter + PORT_PAST - took;
	if (LIKELY(port_is_idle(&u->port_out, start))) {
		port_start(&u->port_out, start, o->bytes);
		u->credit[o->partition]--;
		o->m.time = enter + u->request_latency;
		return L1_GO;
	}
	if (!port_is_free(&u->port_out, start + LSU_BACKLOG)) {
		free = port_free(&u->port_out);
		*when = now + (free - start - LSU_BACKLOG);
		return L1_STALL_PORT;
	}
	u->credit[o->partition]--;
	o->m.time = port_pass(&u->port_out, start, o->bytes) - PORT_PAST +
		    u->request_latency;
	return L1_GO;
}

/* The message has passed the port. */
static inline void l1_sent(struct l1 *u, struct l1_out *o)
{
	const struct lsu_env *env = u->env;

	u->outstanding += o->m.kind != MSG_WRITE;
	u->writes_sent += o->m.kind == MSG_WRITE;
	if (!o->counted)
		count_sent(env->st, o);
	wire_send(env->wires, env->self, env->first_partition + o->partition,
		  &o->m);
}

/* ---- stores that wait for others ---- */

static inline struct l1_merge *merge_nth(struct l1 *u, unsigned i)
{
	return &u->merge[(u->merge_at + i) % L1_MERGES];
}

/* Makes the oldest one a message. */
static void merge_take(struct l1 *u, struct l1_out *o)
{
	const struct l1_merge *e = merge_nth(u, 0);
	struct msg *m = l1_describe(u, o, MSG_WRITE, e->chunk, e->sectors,
				    pieces_count(e->sectors) * PIECE_BYTES);

	memcpy(m->bytes, e->bytes, sizeof(m->bytes));
	l1_add_masks(u, o);
	m->flags = e->flags;
	o->counted = true;
}

static void merge_drop(struct l1 *u)
{
	u->merge_at = (uint8_t)((u->merge_at + 1u) % L1_MERGES);
	u->merge_count--;
}

static void merge_set_next(struct l1 *u)
{
	u->merge_next = u->merge_count ?
				merge_nth(u, 0)->last + u->merge_cycles :
				CYCLE_NEVER;
}

/* Lets the oldest `n` go before anything else that the lookup sends. */
static void merge_release(struct l1 *u, unsigned n)
{
	for (; n; n--) {
		CHECK(u->out_count < L1_OUT_MAX);
		merge_take(u, &u->out[u->out_count++]);
		merge_drop(u);
	}
	merge_set_next(u);
}

static struct l1_merge *merge_find(struct l1 *u, uint64_t chunk, unsigned *nth)
{
	for (unsigned i = u->merge_count; i-- > 0;)
		if (merge_nth(u, i)->chunk == chunk) {
			*nth = i;
			return merge_nth(u, i);
		}
	return NULL;
}

/* A read or an atomic must not overtake stores to its line. */
static void merge_yield(struct l1 *u, uint64_t chunk)
{
	unsigned i;

	if (merge_find(u, chunk, &i))
		merge_release(u, i + 1);
}

static struct l1_merge *merge_add(struct l1 *u, uint64_t chunk)
{
	struct l1_merge *e;

	if (u->merge_count == u->merge_max)
		merge_release(u, 1);
	e = merge_nth(u, u->merge_count++);
	*e = (struct l1_merge){ .chunk = chunk, .flags = u->flags };
	u->env->st->writes_sent++;
	u->env->st->bytes_out += u->header;
	return e;
}

static uint32_t merge_mask_bytes(const struct l1 *u, const struct l1_merge *e)
{
	return msg_has_masks(e->bytes, e->sectors) ? u->write_extra : 0;
}

/* Adds a store to those that wait. */
static void merge_store(struct l1 *u, uint64_t chunk, uint32_t sectors,
			const uint32_t written[UNIT_PIECES])
{
	unsigned i;
	struct l1_merge *e = merge_find(u, chunk, &i);
	uint32_t more;

	if (e && e->flags == u->flags)
		u->env->st->writes_merged++;
	else
		e = merge_add(u, chunk);
	more = pieces_count(sectors & ~e->sectors);
	u->env->st->write_sectors_sent += more;
	u->env->st->bytes_out += (uint64_t)more * PIECE_BYTES;
	u->env->st->bytes_out -= merge_mask_bytes(u, e);
	e->sectors |= (uint8_t)sectors;
	e->last = u->now;
	for (unsigned s = 0; s < CHUNK_SECTORS; s++)
		e->bytes[s] |= sectors >> s & 1 ? written[s] : 0;
	u->env->st->bytes_out += merge_mask_bytes(u, e);
	merge_set_next(u);
}

/* Adds a message to the queue; the caller fills in the rest. */
static inline struct msg *l1_push(struct l1 *u, enum msg_kind kind,
				  uint64_t chunk, unsigned sectors,
				  uint32_t bytes)
{
	if (UNLIKELY(u->merge_count))
		merge_yield(u, chunk);
	CHECK(u->out_count < L1_OUT_MAX);
	return l1_describe(u, &u->out[u->out_count++], kind, chunk, sectors,
			   bytes);
}

/* Shifts the pieces of a line to their position in the chunk that contains the
 * line, or with which the line begins. */
static inline uint64_t pieces_in_chunk(unsigned shift, uint64_t line,
				       uint32_t pieces, uint64_t *chunk)
{
	uint64_t first = line << (shift - PIECE_SHIFT);

	*chunk = first / CHUNK_SECTORS;
	return (uint64_t)pieces << first % CHUNK_SECTORS;
}

/* Sends a read past the queue, if that is empty and the read can be sent now.
 * Described here, it need never be in memory. */
static inline bool l1_send_read(struct l1 *u, uint64_t chunk, unsigned sectors,
				uint32_t id)
{
	struct l1_out o;
	cycle_t when;

	if (UNLIKELY(u->out_count || u->merge_count))
		return false;
	l1_describe(u, &o, MSG_READ, chunk, sectors, 0)->id = id;
	if (UNLIKELY(l1_send(u, u->now, &o, &when) != L1_GO))
		return false;
	l1_sent(u, &o);
	return true;
}

/* Requests pieces of a line, chunk by chunk. */
static inline void l1_request(struct l1 *u, unsigned shift, uint64_t line,
			      uint32_t pieces, uint32_t id)
{
	uint64_t chunk, rest;

	if (shift == UNIT_SHIFT) { /* the line is a chunk */
		if (!l1_send_read(u, line, pieces, id))
			l1_push(u, MSG_READ, line, pieces, 0)->id = id;
		return;
	}
	rest = pieces_in_chunk(shift, line, pieces, &chunk);
	for (; rest; rest >>= CHUNK_SECTORS, chunk++)
		if (rest & 15 && !l1_send_read(u, chunk, rest & 15, id))
			l1_push(u, MSG_READ, chunk, rest & 15, 0)->id = id;
}

/* Sectors as pieces, and pieces as sectors, of `per` pieces. */
static inline uint32_t pieces_of(unsigned per, unsigned sectors)
{
	uint32_t all = (uint32_t)((UINT64_C(1) << per) - 1), pieces = 0;

	if (per == 1)
		return sectors;
	for (; sectors; sectors &= sectors - 1)
		pieces |= all << (unsigned)__builtin_ctz(sectors) * per;
	return pieces;
}

static inline unsigned l1_sectors_of(unsigned per, uint32_t pieces)
{
	unsigned sectors = 0;

	if (per == 1)
		return pieces;
	for (; pieces; pieces &= pieces - 1)
		sectors |= 1u << (unsigned)__builtin_ctz(pieces) / per;
	return sectors;
}

/* Writes dirty bytes back. */
static __attribute__((noinline)) void l1_write_back(struct l1 *u,
						    const struct l1_cache *c,
						    const struct tags_victim *v)
{
	uint32_t pieces = pieces_of(c->per, v->dirty), some = 0;
	uint64_t chunk, rest;
	unsigned p = 0;

	for (uint32_t left = pieces; left; left &= left - 1)
		if (v->bytes[__builtin_ctz(left)])
			some |= left & -left;
	rest = pieces_in_chunk(c->shift, v->line, some, &chunk);
	p = (unsigned)(v->line << (c->shift - PIECE_SHIFT)) % CHUNK_SECTORS;
	for (unsigned i = 0; rest >> i; i += CHUNK_SECTORS) {
		unsigned sectors = rest >> i & 15;
		struct msg *m;

		if (!sectors)
			continue;
		m = l1_push(u, MSG_WRITE, chunk + i / CHUNK_SECTORS, sectors,
			    pieces_count(sectors) * PIECE_BYTES);
		for (unsigned s = 0; s < CHUNK_SECTORS; s++)
			if (sectors >> s & 1)
				m->bytes[s] = v->bytes[i + s - p];
		l1_add_masks(u, &u->out[u->out_count - 1]);
	}
}

/* Handles the result of a lookup: counts an eviction, writes a victim back,
 * requests the pieces that missed. shift: c->shift. */
static inline void l1_handle_result(struct l1 *u, const struct l1_cache *c,
				    unsigned shift, uint64_t line,
				    const struct tags_out *o, uint32_t request)
{
	if (o->victim.evicted)
		u->env->l1->evictions++;
	if (o->victim.dirty)
		l1_write_back(u, c, &o->victim);
	if (request)
		l1_request(u, shift, line, request, c->id + o->mshr);
}

/* The line of the first pieces of a unit. *pieces: those that are in it, as
 * pieces of the line; *taken: the same as pieces of the unit. */
static inline uint64_t first_line(unsigned shift, const struct unit *p,
				  uint32_t *pieces, uint32_t *taken)
{
	unsigned per, sub;

	*pieces = *taken = p->pieces;
	if (shift >= UNIT_SHIFT)
		return p->number;
	per = 1u << (shift - PIECE_SHIFT);
	sub = (unsigned)__builtin_ctz(p->pieces) / per;
	*taken = p->pieces & ((1u << per) - 1) << sub * per;
	*pieces = *taken >> sub * per;
	return p->number << (UNIT_SHIFT - shift) | sub;
}

/* l1_read of a cache with lines of 1 << shift bytes in sectors of `per` pieces:
 * constants in what is compiled for most caches, and not for others. */
static inline __attribute__((always_inline)) enum tags_result
l1_read_unit(struct l1 *u, struct l1_cache *c, struct unit *p, uint32_t token,
	     uint32_t tag, const unsigned shift, const unsigned per)
{
	struct stat_l1 *st = u->env->l1;
	uint32_t pieces, taken, request;
	uint64_t line = first_line(shift, p, &pieces, &taken);
	struct tags_out o;
	uint32_t set = shift < UNIT_SHIFT ? tags_set(c->tags, line) : p->set;
	enum tags_result r = tags_read_in(
		c->tags, set, line, l1_sectors_of(per, pieces), token, &o);

	if (UNLIKELY(tags_stalled(r)))
		return r;
	p->pieces &= ~taken;
	st->reads++;
	st->sectors_read += pieces_count(pieces);
	if (r == TAGS_HIT) {
		st->read_hits++;
		return r;
	}
	if (r == TAGS_PENDING) {
		st->read_pending++;
		return r;
	}
	request = pieces_of(per, o.request);
	st->read_misses++;
	st->sectors_missed += pieces_count(request);
	l1_handle_result(u, c, shift, line, &o, request);
	if (UNLIKELY(u->env->evicted != NULL) && o.victim.evicted)
		u->env->evicted(u->env->ctx, o.victim.line);
	if (UNLIKELY(u->env->missed != NULL))
		u->env->missed(u->env->ctx, tag, line);
	return r;
}

static __attribute__((noinline)) enum tags_result
l1_read_any(struct l1 *u, struct l1_cache *c, struct unit *p, uint32_t token,
	    uint32_t tag)
{
	return l1_read_unit(u, c, p, token, tag, c->shift, c->per);
}

enum tags_result l1_read(struct l1 *u, struct l1_cache *c, struct unit *p,
			 uint32_t token, uint32_t tag)
{
	if (UNLIKELY(!has_plain_lines(c)))
		return l1_read_any(u, c, p, token, tag);
	return l1_read_unit(u, c, p, token, tag, UNIT_SHIFT, 1);
}

enum tags_result l1_read_line(struct l1 *u, uint64_t number, uint32_t pieces,
			      uint32_t token, uint32_t tag)
{
	struct l1_cache *c = &u->data;
	struct unit p = { .number = number,
			  .pieces = pieces,
			  .set = tags_set(c->tags, number) };

	if (UNLIKELY(!has_plain_lines(c)))
		return l1_read_any(u, c, &p, token, tag);
	return l1_read_unit(u, c, &p, token, tag, UNIT_SHIFT, 1);
}

void l1_read_around(struct l1 *u, const struct unit *p, uint32_t token)
{
	struct msg *m = l1_push(u, MSG_READ, p->number, p->pieces, 0);

	u->env->l1->bypassed++;
	m->id = L1_ID_AROUND | token;
	m->flags |= MSG_STRONG;
}

static void l1_forward_write(struct l1 *u, uint64_t chunk, uint32_t pieces,
			     const uint32_t written[UNIT_PIECES])
{
	uint32_t n = pieces_count(pieces);
	struct msg *m;

	if (u->merge_max) {
		merge_store(u, chunk, pieces, written);
		return;
	}
	m = l1_push(u, MSG_WRITE, chunk, pieces, n * PIECE_BYTES);
	for (unsigned s = 0; s < UNIT_PIECES; s++)
		m->bytes[s] = pieces >> s & 1 ? written[s] : 0;
	l1_add_masks(u, &u->out[u->out_count - 1]);
}

bool l1_write(struct l1 *u, struct unit *p, const uint32_t written[UNIT_PIECES],
	      bool keep, bool local)
{
	struct l1_cache *c = &u->data;
	uint32_t pieces, taken, bytes[TAGS_PIECES_MAX], forward;
	unsigned move = 0, from = 0;
	uint64_t line;
	struct tags_out o;
	enum tags_result r;

	if (!keep) {
		l1_forward_write(u, p->number, p->pieces, written);
		p->pieces = 0;
		return true;
	}
	line = first_line(c->shift, p, &pieces, &taken);
	if (c->shift > UNIT_SHIFT) {
		unsigned more = c->shift - UNIT_SHIFT;

		/* The chunk is part of a longer line. */
		move = (unsigned)(line & ((1u << more) - 1)) * UNIT_PIECES;
		line >>= more;
		pieces <<= move;
	} else {
		from = (unsigned)__builtin_ctz(taken) -
		       (unsigned)__builtin_ctz(pieces);
	}
	for (uint32_t m = pieces; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		bytes[i] = written[i + from - move];
	}
	if (local && u->claims)
		r = tags_claim(c->tags, line, pieces, &o);
	else
		r = tags_write(c->tags, line, pieces, bytes, &o);
	if (tags_stalled(r))
		return false;
	u->env->l1->writes++;
	u->env->l1->write_hits += r == TAGS_HIT;
	l1_handle_result(u, c, c->shift, line, &o,
			 pieces_of(c->per, o.request));
	forward = pieces & pieces_of(c->per, o.forward);
	if (forward)
		l1_forward_write(u, p->number, forward >> move << from,
				 written);
	p->pieces &= ~taken;
	return true;
}

void l1_atomic(struct l1 *u, const struct unit *p, uint32_t id, uint32_t same,
	       uint32_t sectors, uint8_t flags, enum msg_sort sort)
{
	struct l1_cache *c = &u->data;
	struct msg *m = l1_push(u, MSG_ATOMIC, p->number, p->pieces,
				p->lanes * ATOMIC_LANE_BYTES);

	m->id = id;
	m->flags |= flags;
	m->lanes = (uint8_t)(p->lanes - 1);
	m->bytes[0] = same < m->lanes ? same : m->lanes;
	m->bytes[1] = sort;
	m->bytes[2] = sectors;
	if (!c->tags)
		return;
	if (c->shift >= UNIT_SHIFT) {
		tags_invalidate(c->tags, p->number >> (c->shift - UNIT_SHIFT));
		return;
	}
	for (unsigned i = 0; i < 1u << (UNIT_SHIFT - c->shift); i++)
		tags_invalidate(c->tags,
				p->number << (UNIT_SHIFT - c->shift) | i);
}

enum l1_stall l1_drain(struct l1 *u, cycle_t now, cycle_t *when)
{
	while (u->out_at < u->out_count) {
		struct l1_out *o = &u->out[u->out_at];
		enum l1_stall why = l1_send(u, now, o, when);

		if (why != L1_GO)
			return why;
		l1_sent(u, o);
		u->out_at++;
	}
	u->out_at = u->out_count = 0;
	return L1_GO;
}

void l1_send_merged(struct l1 *u, cycle_t now)
{
	uint32_t no_credit = u->no_credit;
	struct l1_out o;

	merge_set_next(u);
	while (u->merge_next <= now) {
		enum l1_stall why;

		merge_take(u, &o);
		/* Without a credit, until one comes: `never`. */
		why = l1_send(u, now, &o, &u->merge_next);
		if (why != L1_GO)
			break;
		l1_sent(u, &o);
		merge_drop(u);
		merge_set_next(u);
	}
	u->no_credit = no_credit; /* of the messages in `out` */
}

cycle_t l1_arrive(struct l1 *u, cycle_t now, uint32_t bytes)
{
	u->env->st->bytes_in += bytes;
	if (u->latency)
		return now;
	return port_pass(&u->port_in, now, bytes) -
	       port_cycles(&u->port_in, bytes);
}

static unsigned sectors_of_bytes(uint64_t address, uint32_t bytes)
{
	unsigned first = address % CHUNK_BYTES / CHUNK_SECTOR_BYTES;
	unsigned n = bytes > CHUNK_SECTOR_BYTES ? bytes / CHUNK_SECTOR_BYTES :
						  1;

	return ((1u << n) - 1) << first;
}

void l1_read_scalar(struct l1 *u, uint64_t address, uint32_t bytes, uint32_t id)
{
	l1_push(u, MSG_READ, address / CHUNK_BYTES,
		sectors_of_bytes(address, bytes), 0)
		->id = id;
}

enum l1_stall l1_send_scalar(struct l1 *u, cycle_t now, bool fence,
			     uint64_t address, uint32_t bytes, uint32_t id,
			     cycle_t *when)
{
	uint32_t no_credit = u->no_credit;
	struct l1_out o;
	enum l1_stall why;

	l1_describe(u, &o, fence ? MSG_FENCE : MSG_READ, address / CHUNK_BYTES,
		    sectors_of_bytes(address, bytes), 0)
		->id = id;
	why = l1_send(u, now, &o, when);
	if (why == L1_GO)
		l1_sent(u, &o);
	u->no_credit = no_credit; /* of the messages in `out` */
	return why;
}

static const struct tags *tags_of(const struct l1 *u, uint32_t id)
{
	return id & L1_ID_TEX ? u->tex.tags : u->data.tags;
}

void l1_prefetch_mshr(const struct l1 *u, uint32_t id)
{
	if (!(id & (L1_ID_AROUND | L1_ID_SCALAR)))
		tags_prefetch_mshr(tags_of(u, id), id & L1_ID_NUMBER);
}

uint32_t l1_prefetch_fill(const struct l1 *u, uint32_t id)
{
	if (UNLIKELY(id & L1_ID_SCALAR))
		return TAGS_NO_TOKEN;
	if (id & L1_ID_AROUND)
		return id & L1_ID_NUMBER;
	return tags_prefetch_fill(tags_of(u, id), id & L1_ID_NUMBER);
}

/* The sectors of an MSHR that are complete now that these pieces have
 * arrived. */
static unsigned completed_sectors(struct l1_cache *c, uint32_t mshr,
				  uint32_t pieces)
{
	uint32_t all = (uint32_t)((UINT64_C(1) << c->per) - 1);
	unsigned sectors = l1_sectors_of(c->per, pieces), whole = 0;

	if (!c->arrived)
		return sectors;
	c->arrived[mshr] |= pieces;
	for (; sectors; sectors &= sectors - 1) {
		unsigned s = (unsigned)__builtin_ctz(sectors);

		if ((c->arrived[mshr] >> s * c->per & all) == all) {
			whole |= 1u << s;
			c->arrived[mshr] &= ~(all << s * c->per);
		}
	}
	return whole;
}

/* l1_fill of any cache, or of none. */
static __attribute__((noinline)) uint32_t
fill_any(struct l1 *u, uint32_t id, uint64_t chunk, unsigned sectors)
{
	struct l1_cache *c = id & L1_ID_TEX ? &u->tex : &u->data;
	uint32_t mshr = id & L1_ID_NUMBER;
	uint64_t pieces = sectors;

	if (id & L1_ID_AROUND) {
		u->tokens[0] = mshr;
		return 1;
	}
	if (c->shift != UNIT_SHIFT) {
		uint64_t first = tags_mshr_line(c->tags, mshr)
				 << (c->shift - PIECE_SHIFT);

		pieces = pieces << (chunk - first / CHUNK_SECTORS) *
					   CHUNK_SECTORS >>
			 first % CHUNK_SECTORS;
	}
	sectors = completed_sectors(c, mshr, (uint32_t)pieces);
	return sectors ? tags_fill_mshr(c->tags, mshr, sectors, u->tokens) : 0;
}

uint32_t l1_fill(struct l1 *u, uint32_t id, uint64_t chunk, unsigned sectors)
{
	u->outstanding--;
	if (UNLIKELY(id > L1_ID_NUMBER || !has_plain_lines(&u->data)))
		return fill_any(u, id, chunk, sectors);
	return tags_fill_mshr(u->data.tags, id, sectors, u->tokens);
}
