#include "mem/partition.h"

#include <stddef.h>
#include <string.h>

#include "base/fetch.h"
#include "base/minmax.h"
#include "mem/link.h"
#include "simt/view.h"

/*
 * To the SMs
 */

void partition_send_credits(struct mem_partition *m, const struct slice *s,
			    uint32_t sm, uint32_t credits, bool write,
			    cycle_t now)
{
	struct msg c = {
		.time = now + m->request_latency,
		.kind = MSG_CREDIT,
		.id = credits,
		.bytes = { write && m->acknowledges,
			   write && m->sm_region[sm] != s->region },
	};

	wire_send(m->env.wires, m->env.self, sm, &c);
}

static void send_answer(struct mem_partition *m, const struct slice_waiter *w,
			cycle_t time)
{
	struct msg a = {
		.time = time,
		.chunk = w->chunk,
		.id = w->id,
		.kind = MSG_DATA,
		.sectors = w->sectors,
	};

	if (w->kind == MSG_ATOMIC) {
		a.kind = MSG_ATOMIC_DONE;
		a.flags = w->flags;
		a.lanes = w->lanes;
		m->st.atomic_answers++;
	} else if (w->kind == MSG_FENCE) {
		a.kind = MSG_FENCED;
	} else {
		m->st.answers++;
	}
	m->answered++;
	wire_send(m->env.wires, m->env.self, w->sm, &a);
}

void partition_send(struct mem_partition *m, const struct slice_waiter *w,
		    cycle_t time)
{
	send_answer(m, w, time);
}

/* Passes an answer of so many bytes through the out port, which is free. Returns
 * when it has passed. */
static inline cycle_t pass_answer(struct mem_partition *m,
				  struct net_channel *d,
				  const struct slice_waiter *w, uint32_t bytes,
				  cycle_t now)
{
	m->st.bytes_out += bytes;
	if (!w->combined)
		return port_pass(&d->out, now, bytes);
	/* The data passes the port with another answer. */
	return port_pass(&d->out, now, 0) + port_cycles(&d->out, bytes);
}

/* Passes the data of so many sectors. Returns when they would arrive nearby, if
 * they had been there. */
static inline cycle_t pass_data(struct mem_partition *m, struct net_channel *d,
				const struct slice_waiter *w, uint32_t sectors,
				cycle_t now)
{
	uint32_t bytes = m->header + sectors * CHUNK_SECTOR_BYTES;

	if (UNLIKELY(w->combined || !port_is_idle(&d->out, now)))
		return pass_answer(m, d, w, bytes, now) + m->data_lag[sectors];
	m->st.bytes_out += bytes;
	port_start(&d->out, now, bytes);
	return now + m->data_time[sectors];
}

/* Not inlined: most answers are to reads. */
static __attribute__((noinline)) void
send_atomic_answer(struct mem_partition *m, const struct slice *s,
		   struct net_channel *d, const struct slice_waiter *w,
		   cycle_t now)
{
	unsigned bare = w->flags & MSG_NO_RESULT;
	bool far = m->sm_region[w->sm] != s->region;
	uint32_t bytes = m->header;
	cycle_t lag = m->far_lag[far][w->missed] + w->late +
		      m->atomic_lag[bare][w->lanes + 1u];

	if (!bare) {
		bytes += ATOMIC_LANE_BYTES * (w->lanes + 1u);
		lag += far ? m->far_atomic : 0;
	}
	send_answer(m, w, pass_answer(m, d, w, bytes, now) + lag);
}

/* Sends an answer through the out port, which is free. */
static inline void send_through_port(struct mem_partition *m,
				     const struct slice *s,
				     struct net_channel *d,
				     const struct slice_waiter *w, cycle_t now)
{
	bool far = m->sm_region[w->sm] != s->region;
	struct msg a;

	if (UNLIKELY(w->kind != MSG_READ)) {
		send_atomic_answer(m, s, d, w, now);
		return;
	}
	a = (struct msg){
		.time = pass_data(m, d, w, popcount(w->sectors), now) +
			m->far_lag[far][w->missed] + w->late,
		.chunk = w->chunk,
		.id = w->id,
		.kind = MSG_DATA,
		.sectors = w->sectors,
	};
	m->st.answers++;
	m->answered++;
	wire_send(m->env.wires, m->env.self, w->sm, &a);
}

void partition_answer(struct mem_partition *m, const struct slice *s,
		      const struct slice_waiter *w, cycle_t now)
{
	struct net_channel *d = &m->net_channel[s->net_channel];

	if (d->head == d->tail && (LIKELY(port_is_idle(&d->out, now)) ||
				   port_is_free(&d->out, now))) {
		send_through_port(m, s, d, w, now);
		return;
	}
	CHECK(d->tail - d->head <= d->mask);
	d->answer[d->tail++ & d->mask] = *w;
	m->held++;
}

/* Sends answers that have waited for the port; returns when the next one can
 * go. */
static __attribute__((noinline)) cycle_t
step_net_channel(struct mem_partition *m, struct net_channel *d, cycle_t now)
{
	bool full = d->tail - d->head >= m->max_answers;

	while (d->head != d->tail) {
		const struct slice_waiter *w = &d->answer[d->head & d->mask];
		cycle_t turn = port_free(&d->out);

		if (turn > now)
			return turn;
		d->head++;
		m->held--;
		send_through_port(m, &m->slice[w->slice], d, w, now);
		if (!full || d->tail - d->head >= m->max_answers)
			continue;
		for (uint32_t i = 0; i < m->slices; i++)
			if (&m->net_channel[m->slice[i].net_channel] == d)
				slice_wake(&m->slice[i], now);
		full = false;
	}
	d->head = d->tail = 0;
	return CYCLE_NEVER;
}

/*
 * From the DRAM
 */

enum dram_taken partition_collect_fills(struct mem_partition *m,
					struct channel *c)
{
	enum dram_taken taken = DRAM_TOOK_ONE;

	while (taken == DRAM_TOOK_ONE) {
		struct dram_done d;

		taken = dram_take(c->dram, &d);
		if (taken == DRAM_TOOK_NONE)
			break;
		if (d.write)
			continue;
		CHECK(c->tail - c->head <= c->mask);
		c->fill[c->tail++ & c->mask] = (struct fill){
			.tag = d.tag,
			.time = d.cycle + m->dram_latency,
		};
	}
	return taken;
}

/* The next event: what the DRAM does, or a fill. */
static inline void set_channel_next(struct channel *c)
{
	c->next = c->look;
	if (c->head != c->tail)
		c->next = min_u64(c->next, c->fill[c->head & c->mask].time);
}

/*
 * A read that the DRAM completes at cycle t is back at t + dram.latency. It
 * need not be known before, so the DRAM is advanced rarely.
 */
static inline void set_channel_due(const struct mem_partition *m,
				   struct channel *c)
{
	struct dram_outlook o = dram_outlook(c->dram);

	c->due = c->look = CYCLE_NEVER;
	if (o.event == CYCLE_NEVER)
		return;
	c->due = o.event + m->dram_latency;
	c->look = o.done + m->dram_latency;
}

/* Advances the DRAM as far as is due before a cycle. */
static inline void catch_up(struct mem_partition *m, struct channel *c,
			    cycle_t before)
{
	while (c->due < before)
		if (partition_sync_dram(m, c, c->due) == DRAM_TOOK_LAST)
			c->due = c->look = CYCLE_NEVER;
		else
			set_channel_due(m, c);
}

static inline void step_channel(struct mem_partition *m, struct channel *c,
				cycle_t now)
{
	if (c->look <= now)
		catch_up(m, c, now + 1);
	c->stale = m->staging != 0;
	while (c->head != c->tail) {
		const struct fill *f = &c->fill[c->head & c->mask];

		if (f->time > now)
			break;
		CHECK(f->time == now);
		c->head++;
		slice_fill(m, &m->slice[tag_slice(f->tag)], f->tag, now);
	}
	if (c->head == c->tail)
		c->head = c->tail = 0;
	set_channel_next(c);
}

/* The channel's queues that slices wait for: a set of enum dram_kind. */
static unsigned kinds_waited_for(const struct mem_partition *m,
				 const struct channel *c)
{
	unsigned kinds = 0;

	for (uint32_t i = 0; i < m->slices; i++) {
		const struct slice *s = &m->slice[i];
		const struct staged *g =
			&s->staged[s->staged_head & s->staged_mask];

		if (slice_has_staged(s) && &m->channel[g->channel] == c)
			kinds |= g->request.write ? DRAM_WRITE : DRAM_READ;
	}
	return kinds;
}

/*
 * The last cycle of the window up to which the channel gets only staged
 * requests, when there is room. A single slice sends nothing else while it has
 * staged requests; several slices may, at their next event or when a fill comes
 * back, which takes dram.latency.
 */
static cycle_t undisturbed_until(const struct mem_partition *m,
				 const struct channel *c, cycle_t others,
				 cycle_t to)
{
	if (m->slices == 1)
		return to - 1;
	if (c->head != c->tail)
		others = min_u64(others, c->fill[c->head & c->mask].time);
	return min_u64(min_u64(others, to) - 1, m->now + m->dram_latency);
}

/* When the channel may have room of these kinds, for which slices wait. The
 * DRAM is advanced right to that cycle if possible. */
static cycle_t next_room(struct mem_partition *m, struct channel *c,
			 unsigned kinds, cycle_t others, cycle_t to)
{
	cycle_t until = undisturbed_until(m, c, others, to);

	if (m->slices > 1 && m->channels > 1)
		return dram_next_event(c->dram);
	if (c->reached < until && !dram_has_room(c->dram, kinds)) {
		c->reached = dram_advance_to_room(c->dram, kinds, until);
		partition_collect_fills(m, c);
	}
	return dram_has_room(c->dram, kinds) ? c->reached : c->reached + 1;
}

/* Not inlined: there are hardly ever staged requests. */
static __attribute__((noinline)) void
update_channel_room(struct mem_partition *m, struct channel *c, cycle_t others,
		    cycle_t to)
{
	unsigned kinds = kinds_waited_for(m, c);

	if (kinds)
		c->due = c->look = next_room(m, c, kinds, others, to);
	else
		set_channel_due(m, c);
}

static inline void update_channel_next(struct mem_partition *m,
				       struct channel *c, cycle_t others,
				       cycle_t to)
{
	c->stale = false;
	if (LIKELY(!m->staging))
		set_channel_due(m, c);
	else
		update_channel_room(m, c, others, to);
	set_channel_next(c);
}

/*
 * Arrivals
 */

/* In place: copying a struct that was just written field by field would stall
 * on all of its stores. */
static inline void set_request(struct request *restrict r,
			       const struct msg *restrict x, uint64_t offset)
{
	r->chunk = x->chunk;
	r->offset = offset;
	r->id = x->id;
	r->sm = x->source;
	r->kind = x->kind;
	r->sectors = x->sectors;
	r->flags = x->flags;
	r->lanes = x->lanes;
	memcpy(r->bytes, x->bytes, sizeof(r->bytes));
}

static uint32_t request_bytes(const struct mem_partition *m,
			      const struct msg *x)
{
	if (x->kind == MSG_WRITE)
		return m->header +
		       (msg_has_masks(x->bytes, x->sectors) ? m->write_extra :
							      0) +
		       popcount(x->sectors) * CHUNK_SECTOR_BYTES;
	if (x->kind == MSG_ATOMIC)
		return m->header + ATOMIC_LANE_BYTES * (x->lanes + 1u);
	return m->header;
}

/* The slice of this partition that the message is for. */
static inline struct slice *slice_of(const struct mem_partition *m,
				     const struct msg *x, uint32_t slices,
				     uint64_t *offset)
{
	struct slice_place p =
		addrmap_slice(&m->env.shape->map, x->chunk * CHUNK_BYTES);
	uint32_t i = p.slice - m->first_slice;

	CHECK(i < slices && x->kind <= MSG_ATOMIC && x->sectors);
	*offset = p.offset;
	return &m->slice[i];
}

/* Doubles the size of a full ring. Requests that belong to the new half move
 * there; the others stay. Not inlined: it is seldom needed. */
static __attribute__((noinline)) void grow_queue(struct slice *s)
{
	uint32_t old = s->mask;

	CHECK(s->mask + 1 < s->room);
	s->mask = 2 * old + 1;
	for (uint32_t i = s->head; i != s->tail; i++)
		if ((i & s->mask) > old)
			s->queue[i & s->mask] = s->queue[i & old];
}

/* Prefetches the waiter of a request that finds the queue empty. */
static inline void slice_prefetch_waiter(const struct slice *s)
{
	uint32_t token = s->free_waiter == SLICE_NONE ? s->unused_waiter :
							s->free_waiter;

	__builtin_prefetch(&s->waiter[token], 1);
}

/* What the L2 counts of a request that does not look anything up. */
static void count_passing(struct mem_partition *m, const struct msg *x,
			  const struct request *r);

/* A request for memory that stays with the host. */
static __attribute__((noinline)) void
accept_far(struct mem_partition *m, const struct msg *x, cycle_t from)
{
	struct request r;

	set_request(&r, x, 0);
	r.ready = max_u64(x->time, from);
	partition_switch_grid(m, r.flags);
	count_passing(m, x, &r);
	if (r.kind == MSG_READ)
		m->st.sectors_read += popcount(r.sectors);
	m->asked += r.kind != MSG_WRITE;
	link_accept(m->link, &r);
	m->next = min_u64(m->next, m->link->next);
}

/* What the lookup of a request will need: finds and prefetches it. */
static inline void prepare_lookup(const struct mem_partition *m,
				  const struct slice *s, struct request *r,
				  const struct msg *x, uint64_t offset)
{
	uint64_t line = offset >> m->line_bits;
	uint32_t waiting = s->tail - s->head;

	r->set = waiting < SLICE_AHEAD ? tags_prefetch_set(s->tags, line) :
					 tags_set(s->tags, line);
	if (!waiting)
		slice_prefetch_waiter(s);
	if (!s->combining)
		return;
	r->combining = slice_combining(m, offset, x->source);
	__builtin_prefetch(&s->combining[r->combining], 1);
}

/* Passes a message through the in port. Returns when it has passed. */
static inline cycle_t pass_request(struct mem_partition *m, struct port *in,
				   const struct msg *x, cycle_t now)
{
	uint32_t bytes = m->header;

	if (LIKELY(x->kind == MSG_READ && port_is_idle(in, now))) {
		m->st.bytes_in += bytes;
		port_start(in, now, bytes);
		return now + m->header_cycles;
	}
	bytes = request_bytes(m, x);
	m->st.bytes_in += bytes;
	return port_pass(in, now, bytes);
}

/* Passes a message through the in port and adds it to its slice's queue. */
static inline __attribute__((always_inline)) void
accept_message(struct mem_partition *m, const struct msg *x, cycle_t from,
	       uint32_t slices)
{
	uint64_t offset;
	struct slice *s;
	struct request *r;

	if (UNLIKELY(m->link != NULL) && mem_is_far(m->env.shape, x->chunk)) {
		accept_far(m, x, from);
		return;
	}
	s = slice_of(m, x, slices, &offset);
	if (UNLIKELY(s->tail - s->head > s->mask))
		grow_queue(s);
	r = &s->queue[s->tail & s->mask];
	if (s->tags)
		prepare_lookup(m, s, r, x, offset);
	set_request(r, x, offset);
	/* Only inexact engines deliver late. */
	r->ready = pass_request(m, &m->net_channel[s->net_channel].in, x,
				max_u64(x->time, from));
	if (s->head == s->tail++)
		s->next = max_u64(r->ready, s->free);
	m->next = min_u64(m->next, s->next);
}

/* Passes what arrives before `to`, which is something, through the in port now,
 * in order: when a request has passed depends on no other event in between. */
static inline __attribute__((always_inline)) void
accept_for(struct mem_partition *m, cycle_t from, cycle_t to, uint32_t slices)
{
	for (uint32_t i = 0; i < slices; i++) {
		const struct slice *s = &m->slice[i];
		uint32_t n = s->tail - s->head;

		for (uint32_t k = 0; UNLIKELY(k < n) && k < SLICE_AHEAD; k++)
			slice_prefetch(s, k);
	}
	do
		accept_message(m, wire_take_from(m->inbox, m->inbox->next),
			       from, slices);
	while (m->inbox->next < to);
}

/* Compiled for partitions of one slice, as most are, and for others. */
static __attribute__((noinline)) void accept_arrivals(struct mem_partition *m,
						      cycle_t from, cycle_t to)
{
	if (LIKELY(m->slices == 1))
		accept_for(m, from, to, 1);
	else
		accept_for(m, from, to, m->slices);
}

/*
 * Time
 */

/* Staged requests and answers that wait: what of them can go now. This and the
 * next function are needed if partition_has_more. */
static inline __attribute__((always_inline)) void
step_waiting(struct mem_partition *m, cycle_t now, uint32_t slices,
	     uint32_t net_channels)
{
	for (uint32_t i = 0; m->staging && i < slices; i++)
		if (slice_has_staged(&m->slice[i]))
			slice_drain(m, &m->slice[i], now);
	for (uint32_t i = 0; i < net_channels; i++)
		if (m->net_channel[i].head != m->net_channel[i].tail)
			step_net_channel(m, &m->net_channel[i], now);
}

/* Steps the link. Returns when it, or a port for which answers wait, has
 * something to do next. */
static inline __attribute__((always_inline)) cycle_t
step_link(struct mem_partition *m, cycle_t now, uint32_t net_channels)
{
	cycle_t next = CYCLE_NEVER;

	for (uint32_t i = 0; i < net_channels; i++) {
		const struct net_channel *d = &m->net_channel[i];

		if (d->head != d->tail)
			next = min_u64(next,
				       max_u64(port_free(&d->out), now + 1));
	}
	if (!m->link)
		return next;
	if (m->link->next <= now)
		link_step(m, m->link, now);
	return min_u64(next, m->link->next);
}

/* Simulates one cycle of a window that ends at `to`. The counts are those of the
 * partition: constants for those that have one of each, as most do. */
static inline __attribute__((always_inline)) void
step_components(struct mem_partition *m, cycle_t now, cycle_t to,
		uint32_t slices, uint32_t channels, uint32_t net_channels)
{
	uint32_t first = slices > 1 ? (uint32_t)(now % slices) : 0;
	cycle_t next = CYCLE_NEVER;

	m->now = now;
	for (uint32_t i = 0; i < channels; i++)
		if (m->channel[i].next <= now)
			step_channel(m, &m->channel[i], now);
	if (UNLIKELY(partition_has_more(m)))
		step_waiting(m, now, slices, net_channels);
	/* The first of the slices that share a port changes from cycle to
	 * cycle. */
	for (uint32_t i = 0, k = first; i < slices; i++) {
		if (m->slice[k].next <= now)
			slice_step(m, &m->slice[k], now);
		next = min_u64(next, m->slice[k].next);
		k = k + 1 == slices ? 0 : k + 1;
	}
	if (UNLIKELY(partition_has_more(m)))
		next = min_u64(next, step_link(m, now, net_channels));
	for (uint32_t i = 0; i < channels; i++) {
		if (m->channel[i].stale)
			update_channel_next(m, &m->channel[i], next, to);
		next = min_u64(next, m->channel[i].next);
	}
	CHECK(next > now);
	m->next = next;
}

/* Prefetches for the fills of this window: first their MSHRs, a while later
 * what those point to. */
static void prefetch_mshrs(const struct mem_partition *m,
			   const struct channel *c, cycle_t to)
{
	for (uint32_t i = c->head; i != c->tail; i++) {
		const struct fill *f = &c->fill[i & c->mask];
		const struct slice *s = &m->slice[tag_slice(f->tag)];

		if (f->time >= to)
			break;
		if (s->tags)
			tags_prefetch_mshr(s->tags, tag_mshr(f->tag));
	}
}

static void prefetch_fills(const struct mem_partition *m,
			   const struct channel *c, cycle_t to)
{
	for (uint32_t i = c->head; i != c->tail; i++) {
		const struct fill *f = &c->fill[i & c->mask];
		const struct slice *s = &m->slice[tag_slice(f->tag)];
		uint32_t token;

		if (f->time >= to)
			break;
		if (!s->tags)
			continue;
		token = tags_prefetch_fill(s->tags, tag_mshr(f->tag));
		if (token != TAGS_NO_TOKEN)
			__builtin_prefetch(&s->waiter[token], 1);
	}
}

void mem_partition_prefetch(const struct mem_partition *m)
{
	fetch_soon(m, offsetof(struct mem_partition, piece_map));
	/* They follow it in memory; most partitions have one of each. */
	fetch_soon(m + 1, sizeof(struct slice) + sizeof(struct channel) +
				  sizeof(struct net_channel));
}

void mem_partition_prefetch_more(const struct mem_partition *m)
{
	if (m->fixed)
		return;
	for (uint32_t i = 0; i < m->slices; i++) {
		const struct slice *s = &m->slice[i];

		fetch_soon(s, sizeof(*s));
		fetch_soon(&s->queue[s->head & s->mask],
			   SLICE_AHEAD * sizeof(*s->queue));
		if (s->tags)
			tags_prefetch_self(s->tags);
	}
	for (uint32_t i = 0; i < m->channels; i++) {
		const struct channel *c = &m->channel[i];

		fetch_soon(c, offsetof(struct channel, base));
		fetch_soon(&c->fill[c->head & c->mask], 128);
		dram_prefetch(c->dram);
	}
	for (uint32_t i = 0; i < m->net_channels; i++)
		fetch_soon(&m->net_channel[i], sizeof(m->net_channel[i]));
}

static struct slice_waiter waiter_of(const struct msg *x)
{
	return (struct slice_waiter){ .chunk = x->chunk,
				      .id = x->id,
				      .sm = x->source,
				      .kind = x->kind,
				      .sectors = x->sectors,
				      .flags = x->flags,
				      .lanes = x->lanes };
}

/* A request on its way past the queues of the slices; reads are the caller's to count. */
static void count_arrival(struct mem_partition *m, const struct msg *x,
			  const struct request *r)
{
	m->st.bytes_in += request_bytes(m, x);
	if (r->kind == MSG_WRITE) {
		m->st.writes++;
		m->st.sectors_written += popcount(r->sectors);
	} else if (r->kind == MSG_ATOMIC) {
		m->st.atomics++;
		m->st.atomic_lanes += r->lanes + 1u;
		m->st.atomic_sectors += r->bytes[2];
		partition_record_atomic(m, r);
	}
}

/* mem.kind = latency: a request is answered when it arrives. */
static void answer_fixed(struct mem_partition *m, const struct msg *x,
			 cycle_t from)
{
	uint64_t offset;
	struct slice *s = slice_of(m, x, m->slices, &offset);
	cycle_t now = max_u64(x->time, from), time;
	struct slice_waiter w = waiter_of(x);
	struct request r;

	set_request(&r, x, offset);
	partition_switch_grid(m, r.flags);
	time = now + m->fixed_lag[slice_touch(m, s, &r) ? 0 : 1];
	count_arrival(m, x, &r);
	if (r.kind == MSG_ATOMIC)
		time += m->atomic_latency;
	if (r.kind != MSG_WRITE) {
		m->asked++;
		partition_send(m, &w, time);
	}
}

static cycle_t advance_fixed(struct mem_partition *m, cycle_t from, cycle_t to)
{
	const struct msg *x;

	while ((x = wire_take_next(m->env.wires, m->env.self, to - 1))) {
		m->now = max_u64(m->now, x->time);
		answer_fixed(m, x, from);
	}
	return wire_next(m->env.wires, m->env.self);
}

static void count_passing(struct mem_partition *m, const struct msg *x,
			  const struct request *r)
{
	count_arrival(m, x, r);
	if (r->kind == MSG_READ) {
		m->st.reads++;
		m->st.read_misses++;
	}
}

static void hand_over(struct mem_partition *m, const struct msg *x)
{
	struct request r;

	if (x->kind == MSG_FENCE) {
		m->asked++;
		m->env.outside->request(m->env.outside->ctx, x);
		return;
	}
	set_request(&r, x, 0);
	partition_switch_grid(m, r.flags);
	count_passing(m, x, &r);
	m->asked += r.kind != MSG_WRITE;
	m->env.outside->request(m->env.outside->ctx, x);
}

/* The write has had its credit before. */
static void acknowledge_write(struct mem_partition *m, uint32_t sm, cycle_t now)
{
	struct msg c = { .time = now + m->request_latency,
			 .kind = MSG_CREDIT,
			 .bytes = { 1 } };

	if (m->acknowledges)
		wire_send(m->env.wires, m->env.self, sm, &c);
}

static cycle_t advance_outside(struct mem_partition *m, cycle_t to)
{
	const struct mem_outside *o = m->env.outside;
	struct mem_outside_event e;
	const struct msg *x;

	while ((x = wire_take_next(m->env.wires, m->env.self, to - 1))) {
		m->now = max_u64(m->now, x->time);
		hand_over(m, x);
	}
	while (o->next(o->ctx, &e)) {
		const struct slice_waiter w = waiter_of(&e.msg);

		switch (e.kind) {
		case MEM_OUTSIDE_ANSWER:
			partition_send(m, &w, e.at);
			break;
		case MEM_OUTSIDE_CREDIT:
			partition_credit(m, m->slice, e.msg.source, false, to);
			break;
		case MEM_OUTSIDE_WRITTEN:
			acknowledge_write(m, e.msg.source, to);
			break;
		}
	}
	return o->busy(o->ctx) ? to : wire_next(m->env.wires, m->env.self);
}

/* Simulates a window, with the partition's counts as step_components has
 * them. */
static inline __attribute__((always_inline)) void
advance_components(struct mem_partition *m, cycle_t from, cycle_t to,
		   uint32_t slices, uint32_t channels, uint32_t net_channels)
{
	for (uint32_t i = 0; i < channels; i++)
		prefetch_mshrs(m, &m->channel[i], to);
	if (m->inbox->next < to)
		accept_arrivals(m, from, to);
	for (uint32_t i = 0; i < channels; i++)
		prefetch_fills(m, &m->channel[i], to);
	while (m->next < to)
		step_components(m, m->next, to, slices, channels, net_channels);
}

/* Not inlined: what most partitions need is compiled by itself. */
static __attribute__((noinline)) cycle_t advance_other(struct mem_partition *m,
						       cycle_t from, cycle_t to)
{
	if (m->env.outside)
		return advance_outside(m, to);
	if (m->fixed)
		return advance_fixed(m, from, to);
	advance_components(m, from, to, m->slices, m->channels,
			   m->net_channels);
	return min_u64(m->next, m->inbox->next);
}

cycle_t mem_partition_advance(struct mem_partition *m, cycle_t from, cycle_t to)
{
	CHECK(from < to && m->next >= from);
	if (UNLIKELY(!m->single))
		return advance_other(m, from, to);
	advance_components(m, from, to, 1, 1, 1);
	return min_u64(m->next, m->inbox->next);
}

void mem_partition_catch_up(struct mem_partition *m, cycle_t to)
{
	for (uint32_t i = 0; i < m->channels; i++) {
		struct channel *c = &m->channel[i];

		if (c->due >= to)
			continue;
		catch_up(m, c, to);
		set_channel_next(c);
	}
}

cycle_t mem_partition_last(const struct mem_partition *m)
{
	return m->now;
}

/*
 * Atomics
 */

void partition_record_atomic(struct mem_partition *m, const struct request *r)
{
	CHECK(m->atomics < m->atomic_room);
	m->atomic[m->atomics++] = (struct atomic_record){
		.chunk = r->chunk,
		.id = r->id,
		.sm = r->sm,
		.sectors = r->sectors,
	};
}

bool mem_partition_has_atomics(const struct mem_partition *m)
{
	return m->atomics != 0;
}

/* The lanes whose addresses lie in the record's sectors. */
static uint32_t atomic_lanes_in(const struct atomic *a,
				const struct atomic_record *r)
{
	uint32_t lanes = 0;

	for (uint32_t left = a->mask; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(left);
		uint64_t sector = a->addr[i] / CHUNK_SECTOR_BYTES;

		if (sector / CHUNK_SECTORS == r->chunk &&
		    (r->sectors >> sector % CHUNK_SECTORS & 1))
			lanes |= 1u << i;
	}
	return lanes;
}

void mem_partition_perform(struct mem_partition *m)
{
	for (uint32_t i = 0; i < m->atomics; i++) {
		const struct atomic_record *r = &m->atomic[i];
		struct atomic *a = &m->env.views[r->sm]->atomics[r->id];
		uint32_t lanes = atomic_lanes_in(a, r);

		if (lanes)
			atomic_perform(a, lanes);
	}
	m->atomics = 0;
}

/*
 * Between launches
 */

/* Copies the bytes [from, to) that belong to one slice, at most a few times
 * what it holds. */
static void copy_into_slice(struct mem_partition *m, struct slice *s,
			    uint64_t from, uint64_t to)
{
	const struct addrmap *map = &m->env.shape->map;
	uint64_t piece = map->cfg.interleave;
	uint64_t round = from / piece / map->cfg.slices;
	struct slice_place p = {
		.slice = m->first_slice + s->index,
	};

	for (;; round++) {
		uint64_t address;

		if (round * piece * map->cfg.slices >= to)
			return;
		p.offset = round * piece;
		address = addrmap_address(map, p);
		for (uint64_t at = 0; at < piece; at += CHUNK_BYTES)
			if (address + at >= from && address + at < to)
				slice_host_chunk(m, s, p.offset + at);
	}
}

/* A copy that lies in one piece of one slice. */
static void copy_one_piece(struct mem_partition *m, uint64_t from,
			   uint64_t chunks)
{
	struct slice_place p = addrmap_slice(&m->env.shape->map, from);
	uint32_t i = p.slice - m->first_slice;

	for (uint64_t k = 0; i < m->slices && k < chunks; k++)
		slice_host_chunk(m, &m->slice[i], p.offset + k * CHUNK_BYTES);
}

/*
 * The number of chunks at the end of a copy that can still be in the L2 after
 * it. Of each aligned run of as many lines as there are sets, a set gets one,
 * and of each aligned run of as many pieces as there are slices, a slice gets
 * one. So if the oldest line is evicted, what the ways hold and a little more
 * is enough. With other policies it is twice what the L2 holds: exact for fifo,
 * and an approximation for those that may keep a line longer.
 */
static uint64_t max_lasting_chunks(const struct mem_partition *m)
{
	const struct cfg *c = m->env.cfg;
	const struct addrmap_cfg *map = &m->env.shape->map.cfg;
	uint64_t bytes = (uint64_t)c->l2.bytes, more = bytes;

	if (c->l2.replace == CFG_REPLACE_LRU)
		more = bytes / (uint64_t)c->l2.ways +
		       2 * (uint64_t)map->slices * map->interleave;
	return (bytes + min_u64(more, bytes)) / CHUNK_BYTES;
}

void mem_partition_host_copy(struct mem_partition *m, uint64_t first_chunk,
			     uint64_t chunks)
{
	const struct cfg *c = m->env.cfg;
	uint64_t last = max_lasting_chunks(m);
	uint64_t interleave = m->env.shape->map.cfg.interleave;

	if (!c->l2.on || !c->l2.host_copies || !chunks)
		return;
	if (chunks > last) {
		first_chunk += chunks - last;
		chunks = last;
	}
	if (first_chunk * CHUNK_BYTES / interleave ==
	    ((first_chunk + chunks) * CHUNK_BYTES - 1) / interleave) {
		copy_one_piece(m, first_chunk * CHUNK_BYTES, chunks);
		return;
	}
	for (uint32_t i = 0; i < m->slices; i++)
		copy_into_slice(m, &m->slice[i], first_chunk * CHUNK_BYTES,
				(first_chunk + chunks) * CHUNK_BYTES);
}

void mem_partition_preload(struct mem_partition *m, uint32_t grid,
			   uint64_t chunk)
{
	struct slice_place p =
		addrmap_slice(&m->env.shape->map, chunk * CHUNK_BYTES);
	struct slice *s = &m->slice[p.slice - m->first_slice];
	uint32_t fetched;

	if (m->grid != grid)
		partition_settle(m, grid);
	fetched = slice_preload(m, s, p.offset);
	m->st.sectors_missed += fetched;
	m->bytes_read += (uint64_t)fetched * CHUNK_SECTOR_BYTES;
}

bool mem_partition_idle(const struct mem_partition *m)
{
	for (uint32_t i = 0; i < m->slices; i++) {
		const struct slice *s = &m->slice[i];

		if (s->head != s->tail || s->waiting || slice_has_staged(s))
			return false;
	}
	if (m->link && m->link->count)
		return false;
	for (uint32_t i = 0; i < m->net_channels; i++)
		if (m->net_channel[i].head != m->net_channel[i].tail)
			return false;
	return m->next == CYCLE_NEVER &&
	       wire_next(m->env.wires, m->env.self) == CYCLE_NEVER;
}

/*
 * Statistics
 */

uint64_t mem_partition_requests(const struct mem_partition *m, uint32_t slice)
{
	const struct slice *s = &m->slice[slice];

	return s->served + s->tail;
}

void mem_partition_stats(const struct mem_partition *m, struct stat_l2 *l2,
			 struct stat_dram *dram)
{
	uint64_t *to = (uint64_t *)l2, peak = l2->queue_most;
	const uint64_t *from = (const uint64_t *)&m->st;

	for (size_t i = 0; i < sizeof(*l2) / sizeof(*to); i++)
		to[i] += from[i];
	l2->queue_most = max_u64(peak, m->st.queue_most);
	dram->bytes_read += m->bytes_read;
	dram->bytes_written += m->bytes_written;
	for (uint32_t i = 0; i < m->channels; i++) {
		const struct channel *c = &m->channel[i];
		const struct dram_stats *s = dram_stats(c->dram);

		dram->reads += s->reads - c->base.reads;
		dram->writes += s->writes - c->base.writes;
		dram->row_hits += s->row_hits - c->base.row_hits;
		dram->row_misses += s->row_misses - c->base.row_misses;
		dram->row_conflicts += s->row_conflicts - c->base.row_conflicts;
		dram->activates += s->activates - c->base.activates;
		dram->precharges += s->precharges - c->base.precharges;
		dram->refreshes += s->refreshes - c->base.refreshes;
		dram->bus_clocks += s->bus_clocks - c->base.bus_clocks;
	}
}

/* Not inlined: there is hardly ever more than one grid. */
__attribute__((noinline)) void partition_settle(struct mem_partition *m,
						uint32_t grid)
{
	uint64_t *to = (uint64_t *)&m->own[m->grid];
	const uint64_t *now = (const uint64_t *)&m->st;
	uint64_t *mark = (uint64_t *)&m->mark;

	for (size_t i = 0; i < sizeof(m->st) / sizeof(*to); i++)
		to[i] += now[i] - mark[i];
	m->mark = m->st;
	m->grid = grid;
	m->shared = true;
}

void mem_partition_own_stats(struct mem_partition *m, uint32_t grid,
			     struct stat_l2 *l2, struct stat_dram *dram)
{
	uint64_t *to = (uint64_t *)l2;
	const uint64_t *from = (const uint64_t *)&m->own[grid];

	partition_settle(m, m->grid);
	for (size_t i = 0; i < sizeof(*l2) / sizeof(*to); i++)
		to[i] += from[i];
	if (m->fixed)
		return;
	dram->bytes_read += m->own[grid].sectors_missed * CHUNK_SECTOR_BYTES;
	dram->bytes_written += m->own[grid].write_backs * CHUNK_SECTOR_BYTES;
}

void mem_partition_clear_stats(struct mem_partition *m)
{
	if (m->shared)
		memset(m->own, 0, MSG_GRIDS * sizeof(*m->own));
	m->shared = false;
	m->grid = 0;
	m->mark = (struct stat_l2){ 0 };
	m->st = (struct stat_l2){ 0 };
	m->bytes_read = m->bytes_written = 0;
	for (uint32_t i = 0; i < m->channels; i++)
		m->channel[i].base = *dram_stats(m->channel[i].dram);
}

const char *mem_partition_broken_law(const struct mem_partition *m)
{
	uint64_t waiting = 0, moved = 0;

	for (uint32_t i = 0; i < m->slices; i++) {
		const struct slice *s = &m->slice[i];
		const char *law = s->tags ? tags_broken_law(s->tags) : NULL;

		if (law)
			return law;
		/* The head of the queue may wait before it is counted, which is
		 * when it is accepted. */
		waiting += s->waiting - (s->token != SLICE_NONE);
	}
	for (uint32_t i = 0; i < m->net_channels; i++)
		waiting += m->net_channel[i].tail - m->net_channel[i].head;
	waiting += m->link ? m->link->answers : 0;
	for (uint32_t i = 0; i < m->channels; i++)
		moved += dram_stats(m->channel[i].dram)->bytes;
#define LAW(cond)                     \
	do {                          \
		if (!(cond))          \
			return #cond; \
	} while (0)
	LAW(m->asked == m->answered + waiting);
	LAW(moved <= m->moved);
	LAW(m->next != CYCLE_NEVER || moved == m->moved);
	LAW(m->next != CYCLE_NEVER || waiting == 0);
#undef LAW
	return NULL;
}
