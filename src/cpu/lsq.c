/* Loads and stores: the queues, forwarding, and the port of the data cache. */
#include "base/minmax.h"
#include "cpu/core.h"

bool cpu_lsq_init(struct cpu_core *c, struct arena *a)
{
	c->store_room = (uint32_t)(c->cfg.lsq + c->cfg.store_buffer);
	c->access = arena_new(a, uint16_t, c->slots);
	if (!c->access)
		return false;
	for (int64_t t = 0; t < c->cfg.threads; t++) {
		c->context[t].store =
			arena_new(a, struct cpu_store, c->store_room);
		if (!c->context[t].store)
			return false;
	}
	return true;
}

/*
 * Ports
 */

/* Whether the port takes a request; if not, it is tried again. */
static bool cpu_port_ready(struct cpu_core *c, const struct cpu_port *p,
			   cycle_t now)
{
	if (p->in_flight < CPU_FLIGHTS && cgm_port_can_send(&p->port, now))
		return true;
	c->blocked = true;
	return false;
}

/* A flight that is free; there is one. */
static uint32_t cpu_port_free(const struct cpu_port *p)
{
	uint32_t k = 0;

	while (p->used[k] == UINT64_MAX)
		k++;
	return 64 * k + (uint32_t)__builtin_ctzll(~p->used[k]);
}

struct cpu_flight *cpu_port_ask(struct cpu_core *c, struct cpu_port *p,
				cycle_t now, struct cgm_request *r)
{
	uint32_t i;

	if (!cpu_port_ready(c, p, now))
		return NULL;
	i = cpu_port_free(p);
	p->used[i / 64] |= UINT64_C(1) << i % 64;
	p->flight[i].since = now;
	p->in_flight++;
	r->tag = i;
	cgm_port_send(&p->port, now, r);
	c->active = true;
	return &p->flight[i];
}

const struct cpu_flight *cpu_port_answer(struct cpu_core *c, struct cpu_port *p,
					 cycle_t now)
{
	struct cpu_flight *f;
	struct cgm_answer a;
	bool there = cgm_port_take(&p->port, now, &a);

	CHECK(there);
	f = &p->flight[a.tag];
	CHECK(p->used[a.tag / 64] >> a.tag % 64 & 1);
	p->used[a.tag / 64] &= ~(UINT64_C(1) << a.tag % 64);
	p->in_flight--;
	cgm_port_count(p->st, a.op, now - f->since);
	c->active = true;
	return f;
}

/*
 * Loads
 */

void cpu_lsq_access(struct cpu_core *c, uint16_t at)
{
	uint32_t i = c->accesses++;

	/* The oldest first. */
	for (; i && c->slot[c->access[i - 1]].seq > c->slot[at].seq; i--)
		c->access[i] = c->access[i - 1];
	c->access[i] = at;
	c->slot[at].state = CPU_ACCESSES;
}

void cpu_lsq_drop(struct cpu_core *c, uint16_t at)
{
	for (uint32_t i = 0; i < c->accesses; i++)
		if (c->access[i] == at) {
			for (c->accesses--; i < c->accesses; i++)
				c->access[i] = c->access[i + 1];
			return;
		}
}

void cpu_lsq_undo(struct cpu_core *c, struct cpu_context *x)
{
	(void)c;
	x->stores--;
}

/* Of a load; nothing is known before it is tried. */
enum cpu_older {
	CPU_OLDER_UNKNOWN,
	CPU_OLDER_NONE,
	CPU_OLDER_WAIT,
	CPU_OLDER_FORWARDS
};

static bool cpu_lsq_forwards(const struct cpu_store *o,
			     const struct cpu_slot *s)
{
	return o->address <= s->address &&
	       o->address + o->bytes >= s->address + s->bytes && o->ready;
}

/* What the older stores of its thread mean for a load: the youngest of those
 * that it overlaps with decides. */
static enum cpu_older cpu_lsq_search(const struct cpu_core *c,
				     const struct cpu_context *x,
				     struct cpu_slot *s)
{
	for (uint32_t n = x->stores; n-- > 0;) {
		const struct cpu_store *o = cpu_store_at(c, x, n);

		if (o->seq > s->seq || o->done ||
		    o->address >= s->address + s->bytes ||
		    s->address >= o->address + o->bytes)
			continue;
		s->store = (uint16_t)(o - x->store);
		return cpu_lsq_forwards(o, s) ? CPU_OLDER_FORWARDS :
						CPU_OLDER_WAIT;
	}
	return CPU_OLDER_NONE;
}

/* No store becomes older than a load that has been renamed: the store it waits for
 * decides until it is done, and where none was left there is none later. The place of
 * one that is done may be a younger one's. */
static enum cpu_older cpu_lsq_older(const struct cpu_core *c,
				    const struct cpu_context *x,
				    struct cpu_slot *s)
{
	const struct cpu_store *o = &x->store[s->store];
	bool waits = s->older == CPU_OLDER_WAIT && o->seq < s->seq &&
		     !o->done && !cpu_lsq_forwards(o, s);

	if (!waits && s->older != CPU_OLDER_NONE)
		s->older = (uint8_t)cpu_lsq_search(c, x, s);
	return (enum cpu_older)s->older;
}

/* The part of an access in its n-th block. */
static struct cgm_request cpu_lsq_part(uint64_t address, uint32_t bytes,
				       unsigned n, enum cgm_op op)
{
	static const uint8_t zero[CGM_BLOCK];
	uint64_t end = address + bytes;
	uint64_t first = n ? (address / CGM_BLOCK + n) * CGM_BLOCK : address;
	uint64_t last = (first / CGM_BLOCK + 1) * CGM_BLOCK;

	return (struct cgm_request){ .address = first,
				     .op = op,
				     .size = (unsigned)(min_u64(end, last) -
							first),
				     .value = zero };
}

static bool cpu_lsq_send_load(struct cpu_core *c, cycle_t now, uint16_t at)
{
	struct cpu_slot *s = &c->slot[at];
	struct cgm_request r =
		cpu_lsq_part(s->address, s->bytes, s->sent, CGM_OP_LOAD);
	struct cpu_flight *f = cpu_port_ask(c, &c->data, now, &r);

	if (!f)
		return false;
	f->slot = at;
	f->seq = s->seq;
	s->owed++;
	s->sent++;
	s->sends--;
	return true;
}

/* An atomic adds nothing to the word: the guest has executed it already. Its
 * size is a power of two of at most 8 bytes in one block. */
static bool cpu_lsq_send_alone(struct cpu_core *c, cycle_t now, uint16_t at)
{
	struct cpu_slot *s = &c->slot[at];
	struct cgm_request r =
		cpu_lsq_part(s->address, s->bytes, 0,
			     s->kind == UOP_FLUSH ? CGM_OP_FLUSH : CGM_OP_ADD);
	struct cpu_flight *f;

	if (r.op == CGM_OP_ADD)
		r.size = r.size >= 8 ? 8 :
			 r.size >= 4 ? 4 :
			 r.size >= 2 ? 2 :
				       1;
	f = cpu_port_ask(c, &c->data, now, &r);
	if (!f)
		return false;
	f->slot = at;
	f->seq = s->seq;
	s->owed = 1;
	s->sends = 0;
	return true;
}

/* Whether it is finished with the port. */
static bool cpu_lsq_try(struct cpu_core *c, cycle_t now, uint16_t at)
{
	struct cpu_slot *s = &c->slot[at];
	struct cpu_context *x = &c->context[s->thread];
	cycle_t cycle = cpu_core_cycle(c, now);

	if (s->kind != UOP_LOAD)
		return at == cpu_rob_at(c, x, 0) && !x->buffered &&
		       cpu_lsq_send_alone(c, now, at);
	if (x->atomics)
		return false;
	if (!s->sent)
		switch (cpu_lsq_older(c, x, s)) {
		case CPU_OLDER_WAIT:
			s->state = CPU_FORWARDED;
			return false;
		case CPU_OLDER_FORWARDS:
			s->state = CPU_FORWARDED;
			c->st.forwarded++;
			c->active = true;
			cpu_issue_complete_at(
				c, at, cycle + (cycle_t)c->cfg.forward_latency);
			return true;
		default:
			s->state = CPU_ACCESSES;
		}
	while (s->sends && cpu_lsq_send_load(c, now, at))
		;
	return !s->sends;
}

static void cpu_lsq_loads(struct cpu_core *c, cycle_t now)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < c->accesses; i++) {
		uint16_t at = c->access[i];

		if (!cpu_lsq_try(c, now, at))
			c->access[kept++] = at;
	}
	c->accesses = kept;
}

/*
 * Stores
 */

static uint64_t cpu_lsq_mask(const struct cpu_store *o)
{
	uint64_t mask = o->bytes == CGM_BLOCK ? UINT64_MAX :
						(UINT64_C(1) << o->bytes) - 1;

	return mask << o->address % CGM_BLOCK;
}

static bool cpu_lsq_is_whole(const struct cpu_store *o)
{
	return o->sends == 1 && !o->sent;
}

/* Adds the stores behind the n-th that write the same block to its request, and
 * returns the bytes that all of them write. */
static uint64_t cpu_lsq_join(struct cpu_core *c, struct cpu_context *x,
			     uint32_t n)
{
	const struct cpu_store *o = cpu_store_at(c, x, n);
	uint64_t mask = cpu_lsq_mask(o);

	for (uint32_t k = n + 1; k < x->buffered; k++) {
		struct cpu_store *q = cpu_store_at(c, x, k);

		if (!cpu_lsq_is_whole(q) ||
		    q->address / CGM_BLOCK != o->address / CGM_BLOCK)
			continue;
		mask |= cpu_lsq_mask(q);
		q->leader = (uint16_t)(o - x->store);
		q->sends = 0;
		q->sent = q->owed = 1;
		x->unsent--;
		c->st.joined++;
	}
	return mask;
}

static bool cpu_lsq_send_store(struct cpu_core *c, cycle_t now, unsigned thread,
			       uint32_t n)
{
	struct cpu_context *x = &c->context[thread];
	struct cpu_store *o = cpu_store_at(c, x, n);
	struct cgm_request r =
		cpu_lsq_part(o->address, o->bytes, o->sent, CGM_OP_STORE);
	struct cpu_flight *f;

	if (!cpu_port_ready(c, &c->data, now))
		return false;
	if (cpu_lsq_is_whole(o)) {
		r.address -= r.address % CGM_BLOCK;
		r.size = CGM_BLOCK;
		r.mask = cpu_lsq_join(c, x, n);
	}
	f = cpu_port_ask(c, &c->data, now, &r);
	f->slot = CPU_NONE;
	f->store = (uint16_t)(o - x->store);
	f->seq = o->seq;
	f->thread = (uint8_t)thread;
	c->store_flights++;
	o->leader = f->store;
	o->owed++;
	o->sent++;
	x->unsent -= !--o->sends;
	return true;
}

/* The stores of a thread that are committed; false: no more in this cycle. */
static bool cpu_lsq_stores_of(struct cpu_core *c, cycle_t now, unsigned thread)
{
	struct cpu_context *x = &c->context[thread];

	for (uint32_t n = 0; x->unsent && n < x->buffered; n++)
		while (cpu_store_at(c, x, n)->sends)
			if (c->store_flights >=
				    (uint32_t)c->cfg.store_flights ||
			    !cpu_lsq_send_store(c, now, thread, n))
				return false;
	return true;
}

static void cpu_lsq_stores(struct cpu_core *c, cycle_t now)
{
	for (unsigned i = 0; i < (unsigned)c->cfg.threads; i++)
		if (!cpu_lsq_stores_of(c, now, cpu_thread_at(c, i)))
			return;
}

static void cpu_lsq_stored(struct cpu_core *c, const struct cpu_flight *f)
{
	struct cpu_context *x = &c->context[f->thread];

	CHECK(x->store[f->store].seq == f->seq);
	c->store_flights--;
	for (uint32_t n = 0; n < x->buffered; n++) {
		struct cpu_store *o = cpu_store_at(c, x, n);

		if (o->owed && o->leader == f->store)
			o->done = !--o->owed && !o->sends;
	}
	while (x->buffered && cpu_store_at(c, x, 0)->done) {
		const struct cpu_store *o = cpu_store_at(c, x, 0);

		cpu_await_performed(c, o->address, o->bytes);
		x->stores_first = cpu_ring(x->stores_first + 1, c->store_room);
		x->stores--;
		x->buffered--;
	}
}

void cpu_lsq_answers(struct cpu_core *c, cycle_t now)
{
	while (cpu_port_answers(&c->data, now)) {
		const struct cpu_flight *f = cpu_port_answer(c, &c->data, now);
		struct cpu_slot *s;

		if (f->slot == CPU_NONE) {
			cpu_lsq_stored(c, f);
			continue;
		}
		s = &c->slot[f->slot];
		if (s->seq == f->seq && s->kind == UOP_ATOMIC) {
			cpu_await_performed(c, s->address, s->bytes);
			c->context[s->thread].atomic_bytes = 0;
		}
		/* Not if it was squashed. */
		if (s->seq == f->seq && !--s->owed && !s->sends)
			cpu_issue_complete_at(c, f->slot,
					      cpu_core_cycle(c, now));
	}
}

void cpu_lsq(struct cpu_core *c, cycle_t now)
{
	cpu_lsq_loads(c, now);
	cpu_lsq_stores(c, now);
}
