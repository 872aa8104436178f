#include "mem/cgm/cache.h"

#include <string.h>

#include "base/minmax.h"

#define CACHE_NONE UINT32_MAX

/* Who has sent an access that nobody waits for. */
#define CACHE_NOBODY UINT16_MAX

/*
 * Places
 */

static struct cgm_copy *cgm_cache_at(const struct cgm_cache *c, size_t i)
{
	return (struct cgm_copy *)(void *)(c->copy + c->copy_bytes * i);
}

/* The number of the first place where a block may be. */
static size_t cgm_cache_set(const struct cgm_cache *c, uint64_t block)
{
	/* Blocks of a slice differ in their upper bits. */
	return (block & (c->cfg.sets - 1)) * c->cfg.ways;
}

static struct cgm_copy *cgm_cache_find(const struct cgm_cache *c,
				       uint64_t block)
{
	size_t first = cgm_cache_set(c, block);

	for (uint32_t i = 0; i < c->cfg.ways; i++) {
		struct cgm_copy *x = cgm_cache_at(c, first + i);

		if (x->state != CGM_C_I && x->block == block)
			return x;
	}
	return NULL;
}

static struct cgm_copy *cgm_cache_buffer(const struct cgm_cache *c, uint32_t i)
{
	return cgm_cache_at(c, (size_t)c->cfg.sets * c->cfg.ways + i);
}

static struct cgm_copy *cgm_cache_free_buffer(const struct cgm_cache *c)
{
	uint32_t i = 0;

	while (cgm_cache_buffer(c, i)->state != CGM_C_I)
		i++;
	return cgm_cache_buffer(c, i);
}

static struct cgm_copy *cgm_cache_leaving(const struct cgm_cache *c,
					  uint64_t block)
{
	if (!c->buffers)
		return NULL;
	for (uint32_t i = 0; i < c->cfg.buffers; i++) {
		struct cgm_copy *x = cgm_cache_buffer(c, i);

		if (x->state != CGM_C_I && x->block == block)
			return x;
	}
	return NULL;
}

static struct cgm_mshr *cgm_cache_mshr(const struct cgm_cache *c,
				       const struct cgm_copy *copy)
{
	for (uint32_t i = 0; i < c->cfg.mshrs; i++)
		if (c->mshr[i].copy == copy)
			return &c->mshr[i];
	return NULL;
}

/*
 * What leaves
 */

static bool cgm_cache_is_bare(const struct cgm_cache *c)
{
	return c->from_net->cfg.bare;
}

static void cgm_cache_send(void *ctx, const struct cgm_packet *p)
{
	struct cgm_cache *c = ctx;

	cgm_out_push(&c->to_net, c->now + c->cfg.latency * c->cfg.period, p);
}

static void cgm_cache_back(struct cgm_cache *c, struct cgm_copy *x,
			   uint32_t kids)
{
	struct cgm_packet p = { .kind = CGM_L1_INVAL,
				.block = x->block,
				.bare = cgm_cache_is_bare(c) };

	for (kids &= x->kids; kids; kids &= kids - 1) {
		int i = __builtin_ctz(kids);

		cgm_out_push(&c->to_kid[i],
			     c->now + c->cfg.latency * c->cfg.period, &p);
		x->kids &= (uint16_t) ~(1u << i);
		c->st.back_invalidations++;
	}
}

static void cgm_cache_reply(struct cgm_cache *c, const struct cgm_packet *p)
{
	cgm_out_pass(&c->to_kid[p->from],
		     c->now + c->cfg.latency * c->cfg.period, CGM_ANSWER, p);
	c->at_kid[p->from]--;
}

/* Performs an access that hits. */
static void cgm_cache_hit(struct cgm_cache *c, struct cgm_copy *x,
			  struct cgm_packet *p)
{
	enum cgm_sort sort = cgm_ops[p->op].sort;
	uint32_t own;

	if (p->from == CACHE_NOBODY)
		return;
	own = 1u << p->from;
	if (sort == CGM_SORT_WRITE || sort == CGM_SORT_RMW)
		cgm_cache_back(c, x, ~own);
	if (!p->bare)
		cgm_perform(x->data, p);
	if (sort == CGM_SORT_READ)
		x->kids |= (uint16_t)own;
	if (sort == CGM_SORT_RMW)
		x->kids &= (uint16_t)~own;
	if (sort == CGM_SORT_WRITE && !c->cfg.coherent)
		x->mask |= p->mask;
	x->used = ++c->clock;
	cgm_cache_reply(c, p);
}

/*
 * Transitions
 */

/* Executes an event. An evicted block moves to a buffer; returns where the
 * block is. */
static struct cgm_copy *cgm_cache_do(struct cgm_cache *c, struct cgm_copy *x,
				     enum cgm_cevent e,
				     const struct cgm_packet *p,
				     uint64_t *actions)
{
	struct cgm_env env = { c->cfg.table,
			       c->cfg.self,
			       cgm_home_of(&c->cfg.homes, x->block),
			       cgm_cache_send,
			       c,
			       cgm_cache_is_bare(c) };
	struct cgm_copy *to;
	bool hole;

	*actions = cgm_cache_step(x, e, p, &env, &hole);
	CHECK(!hole);
	if (*actions & CGM_DO(BACK))
		cgm_cache_back(c, x, ~0u);
	if (!(*actions & (CGM_DO(PUTX) | CGM_DO(NC_PUT))))
		return x;
	to = cgm_cache_free_buffer(c);
	memcpy(to, x, c->copy_bytes);
	x->state = CGM_C_I;
	c->buffers++;
	c->st.writebacks += *actions & CGM_DO(NC_PUT) || to->dirty;
	return to;
}

/* Whether an event would need a write-back buffer, or an MSHR, that is not
 * there. */
static bool cgm_cache_lacks(struct cgm_cache *c, const struct cgm_copy *x,
			    uint8_t state, enum cgm_cevent e)
{
	const struct cgm_row *r = &c->cfg.table->cache[state][e];

	CHECK(r->there);
	if (r->actions & (CGM_DO(PUTX) | CGM_DO(NC_PUT)) &&
	    c->buffers == c->cfg.buffers) {
		c->stall.buffer++;
		return true;
	}
	if (r->actions & CGM_DO(JOIN) && (!x || cgm_cstates[state].stable) &&
	    c->mshrs == c->cfg.mshrs) {
		c->stall.mshr++;
		return true;
	}
	return false;
}

static void cgm_cache_join(struct cgm_cache *c, struct cgm_copy *x,
			   const struct cgm_packet *p)
{
	struct cgm_mshr *m = cgm_cache_mshr(c, x);
	uint32_t i = c->free_waiter;

	CHECK(i != CACHE_NONE);
	c->free_waiter = c->waiter[i].next;
	cgm_packet_copy(&c->waiter[i].access, p);
	c->waiter[i].next = CACHE_NONE;
	if (!m) {
		m = cgm_cache_mshr(c, NULL);
		CHECK(m);
		*m = (struct cgm_mshr){ x, c->now, CACHE_NONE, CACHE_NONE };
		if (++c->mshrs > c->st.mshrs_peak)
			c->st.mshrs_peak = c->mshrs;
	}
	if (m->first == CACHE_NONE)
		m->first = i;
	else
		c->waiter[m->last].next = i;
	m->last = i;
}

/* A way for a block: an empty one, or that of the block used least recently,
 * which is evicted. NULL: not now. */
static struct cgm_copy *cgm_cache_way(struct cgm_cache *c, uint64_t block)
{
	size_t first = cgm_cache_set(c, block);
	struct cgm_copy *to = NULL;
	uint64_t actions;

	for (uint32_t i = 0; i < c->cfg.ways; i++) {
		struct cgm_copy *x = cgm_cache_at(c, first + i);

		if (x->state == CGM_C_I)
			return x;
		if (cgm_cstates[x->state].stable && (!to || x->used < to->used))
			to = x;
	}
	if (!to) {
		c->stall.way++;
		return NULL;
	}
	if (cgm_cache_lacks(c, to, to->state, CGM_CE_EVICT))
		return NULL;
	c->st.evictions++;
	cgm_cache_do(c, to, CGM_CE_EVICT, NULL, &actions);
	return to;
}

/*
 * Accesses
 */

/* The queues have room for what an access or a message may send. Each MSHR may
 * still have to say twice that it is done: a read, then an upgrade. */
static bool cgm_cache_has_room(const struct cgm_cache *c)
{
	if (cgm_out_room(&c->to_net, CGM_LANE_REPLY) < 2 * c->mshrs + 4 ||
	    cgm_out_room(&c->to_net, CGM_LANE_REQUEST) < c->mshrs + 4)
		return false;
	for (uint32_t i = 0; i < c->cfg.kids; i++)
		if (cgm_out_room(&c->to_kid[i], CGM_LANE_REPLY) <
		    c->at_kid[i] + 4)
			return false;
	return true;
}

static void cgm_cache_count(struct cgm_cache *c, uint64_t actions,
			    const struct cgm_packet *p, uint8_t state)
{
	bool read = cgm_ops[p->op].sort == CGM_SORT_READ;

	c->st.accesses++;
	c->st.reads += read;
	if (actions & CGM_DO(HIT))
		c->st.hits++;
	else if (actions & CGM_DO(UPGRADE))
		c->st.upgrades++;
	else if (cgm_cstates[state].stable)
		c->st.misses++;
	else
		c->st.joins++;
}

/* Processes an access; false: it has to wait. */
static bool cgm_cache_access(struct cgm_cache *c, struct cgm_packet *p)
{
	enum cgm_cevent e =
		cgm_access_event((enum cgm_op)p->op, c->cfg.coherent);
	struct cgm_copy *x = cgm_cache_find(c, p->block);
	uint8_t state = x ? x->state : CGM_C_I;
	uint64_t actions;

	if (cgm_cache_leaving(c, p->block)) {
		c->stall.leaving++;
		return false;
	}
	if (cgm_cache_lacks(c, x, state, e))
		return false;
	if (!x) {
		x = cgm_cache_way(c, p->block);
		if (!x)
			return false;
		memset(x, 0, offsetof(struct cgm_copy, data));
		x->block = p->block;
		x->used = ++c->clock;
	}
	cgm_cache_do(c, x, e, p, &actions);
	if (actions & CGM_DO(STALL))
		return false;
	cgm_cache_count(c, actions, p, state);
	if (actions & CGM_DO(HIT))
		cgm_cache_hit(c, x, p);
	else
		cgm_cache_join(c, x, p);
	return true;
}

static bool cgm_cache_fence(struct cgm_cache *c, const struct cgm_packet *p)
{
	if (c->cfg.coherent) {
		cgm_cache_reply(c, p);
		return true;
	}
	c->fencing = true;
	c->fence_at = 0;
	cgm_packet_copy(&c->fence, p);
	return true;
}

/* Goes on with a fence: one block a cycle. */
static void cgm_cache_go_on(struct cgm_cache *c)
{
	uint32_t n = c->cfg.sets * c->cfg.ways;
	uint64_t actions;

	if (c->mshrs || !cgm_cache_has_room(c))
		return;
	for (; c->fence_at < n; c->fence_at++) {
		struct cgm_copy *x = cgm_cache_at(c, c->fence_at);

		if (x->state == CGM_C_I)
			continue;
		if (cgm_cache_lacks(c, x, x->state, CGM_CE_EVICT))
			return;
		cgm_cache_do(c, x, CGM_CE_EVICT, NULL, &actions);
		c->fence_at++;
		return;
	}
	if (c->buffers)
		return;
	c->fencing = false;
	cgm_cache_reply(c, &c->fence);
}

/*
 * Prefetching
 */

/* Whether it has everything that asking for a block may take. */
static bool cgm_cache_may_prefetch(const struct cgm_cache *c)
{
	return 2 * (c->mshrs + 1) <= c->cfg.mshrs &&
	       c->buffers < c->cfg.buffers && cgm_cache_has_room(c) &&
	       c->free_waiter != CACHE_NONE;
}

/* Asks for the next block of a stream. True: did something. */
static bool cgm_cache_prefetch(struct cgm_cache *c)
{
	struct cgm_packet p = { .kind = CGM_ACCESS,
				.op = CGM_OP_LOAD,
				.from = CACHE_NOBODY,
				.bare = cgm_cache_is_bare(c) };
	struct cgm_copy *x;
	uint64_t actions;

	if (!c->cfg.prefetch || !cgm_streams_next(&c->streams, &p.block) ||
	    !cgm_cache_may_prefetch(c))
		return false;
	cgm_streams_took(&c->streams, p.block);
	if (cgm_cache_find(c, p.block) || cgm_cache_leaving(c, p.block))
		return true;
	x = cgm_cache_way(c, p.block);
	if (!x)
		return true;
	memset(x, 0, offsetof(struct cgm_copy, data));
	x->block = p.block;
	x->used = ++c->clock;
	cgm_cache_do(c, x, cgm_access_event(CGM_OP_LOAD, c->cfg.coherent), &p,
		     &actions);
	CHECK(!(actions & CGM_DO(STALL)));
	c->st.prefetches++;
	cgm_cache_join(c, x, &p);
	return true;
}

/* The kid whose turn is the i-th. */
static uint32_t cgm_cache_kid(const struct cgm_cache *c, uint32_t i)
{
	uint32_t k = c->turn + i;

	return k < c->cfg.kids ? k : k - c->cfg.kids;
}

/* True: an access was taken. */
static bool cgm_cache_accesses(struct cgm_cache *c)
{
	for (uint32_t i = 0; i < c->cfg.kids && !c->fencing; i++) {
		uint32_t k = cgm_cache_kid(c, i);
		struct cgm_wire *w = c->from_kid[k];
		const struct cgm_packet *p =
			cgm_wire_peek(w, CGM_LANE_REQUEST, c->now);
		struct cgm_packet in;

		if (!p)
			continue;
		if (!cgm_cache_has_room(c)) {
			c->stall.room++;
			return false;
		}
		cgm_packet_copy(&in, p);
		in.from = (uint16_t)k;
		c->at_kid[k]++;
		if (in.op == CGM_OP_FENCE ? !cgm_cache_fence(c, &in) :
					    !cgm_cache_access(c, &in)) {
			c->at_kid[k]--;
			continue;
		}
		if (in.op != CGM_OP_FENCE)
			cgm_streams_note(&c->streams, in.block);
		cgm_wire_pop(w, CGM_LANE_REQUEST, c->now);
		c->turn = k + 1 == c->cfg.kids ? 0 : k + 1;
		return true;
	}
	return false;
}

/*
 * Messages
 */

/* Tries the accesses again that wait for a block. */
static void cgm_cache_wake(struct cgm_cache *c, struct cgm_copy *x,
			   enum cgm_cevent e, const struct cgm_packet *p)
{
	struct cgm_mshr *m = cgm_cache_mshr(c, x);
	uint64_t actions;

	if (!m)
		return;
	while (m->first != CACHE_NONE) {
		uint32_t i = m->first;
		struct cgm_waiter *w = &c->waiter[i];

		if (e == CGM_CE_FLUSHED) {
			cgm_cache_reply(c, &w->access);
		} else if (x->state == CGM_C_I) {
			/* An atomic that was executed elsewhere. */
			if (!p->bare)
				memcpy(w->access.data, p->data, CGM_BLOCK);
			cgm_cache_reply(c, &w->access);
		} else {
			cgm_cache_do(c, x,
				     cgm_access_event((enum cgm_op)w->access.op,
						      c->cfg.coherent),
				     &w->access, &actions);
			if (!(actions & CGM_DO(HIT)))
				return; /* an upgrade: they wait on */
			cgm_cache_hit(c, x, &w->access);
		}
		m->first = w->next;
		w->next = c->free_waiter;
		c->free_waiter = i;
	}
	c->st.mshr_ticks += c->now - m->since;
	m->copy = NULL;
	c->mshrs--;
}

static void cgm_cache_take(struct cgm_cache *c, const struct cgm_packet *p)
{
	struct cgm_copy none = { .block = p->block, .state = CGM_C_I };
	struct cgm_copy *x = cgm_cache_leaving(c, p->block);
	bool leaving = x;
	enum cgm_cevent e;
	uint64_t actions;

	if (!x)
		x = cgm_cache_find(c, p->block);
	if (!x)
		x = &none;
	e = cgm_cache_event(x, p);
	c->st.forwards += e == CGM_CE_FWD_GETS || e == CGM_CE_FWD_GETX;
	c->st.invalidations += e == CGM_CE_INVAL;
	c->st.recalls += e == CGM_CE_RECALL;
	cgm_cache_do(c, x, e, p, &actions);
	if (leaving && x->state == CGM_C_I)
		c->buffers--;
	if (actions & CGM_DO(WAKE) && !leaving)
		cgm_cache_wake(c, x, e, p);
}

/* Receives what another cache asks for, to look at it later; true: something came. */
static bool cgm_cache_receive(struct cgm_cache *c)
{
	const struct cgm_packet *p =
		cgm_wire_peek(c->from_net, CGM_LANE_COHERENCE, c->now);
	struct cgm_packet *to =
		&c->snoop[(c->first_snoop + c->snoops) % CGM_SNOOPS];

	if (!p || !c->cfg.snoop || c->snoops == CGM_SNOOPS)
		return false;
	cgm_packet_copy(to, p);
	to->time = c->now + c->cfg.snoop * c->cfg.period;
	c->snoops++;
	cgm_wire_pop(c->from_net, CGM_LANE_COHERENCE, c->now);
	return true;
}

/* What another cache asks for and is to be looked at now, or NULL. */
static const struct cgm_packet *cgm_cache_asked(const struct cgm_cache *c)
{
	const struct cgm_packet *p = &c->snoop[c->first_snoop];

	if (!c->cfg.snoop)
		return cgm_wire_peek(c->from_net, CGM_LANE_COHERENCE, c->now);
	return c->snoops && p->time <= c->now ? p : NULL;
}

/* Does what another cache asks for; false: nothing, not yet, or no room. */
static bool cgm_cache_snoop(struct cgm_cache *c)
{
	const struct cgm_packet *p = cgm_cache_asked(c);

	if (!p || !cgm_cache_has_room(c))
		return false;
	cgm_cache_take(c, p);
	if (!c->cfg.snoop) {
		cgm_wire_pop(c->from_net, CGM_LANE_COHERENCE, c->now);
		return true;
	}
	c->first_snoop = (c->first_snoop + 1) % CGM_SNOOPS;
	c->snoops--;
	return true;
}

/* When the first one is looked at; of those that are due, if any may go on. */
static cycle_t cgm_cache_next_snoop(const struct cgm_cache *c, bool any)
{
	cycle_t due = c->snoop[c->first_snoop].time;

	return c->snoops && (any || due > c->now) ? due : CYCLE_NEVER;
}

/* Takes a reply from the network, which always has room: it is reserved when its
 * request is sent. Else what another cache asks for. False: neither. */
static bool cgm_cache_message(struct cgm_cache *c)
{
	bool received = cgm_cache_receive(c);
	const struct cgm_packet *p =
		cgm_wire_peek(c->from_net, CGM_LANE_REPLY, c->now);

	if (!p)
		return cgm_cache_snoop(c) || received;
	cgm_cache_take(c, p);
	cgm_wire_pop(c->from_net, CGM_LANE_REPLY, c->now);
	return true;
}

/* Counts the stalls of a cycle for n of them. */
static void cgm_cache_add_stalls(struct cgm_stat_cache *st,
				 const struct cgm_cache_stalls *stall,
				 uint64_t n)
{
	st->stall_mshr += n * stall->mshr;
	st->stall_buffer += n * stall->buffer;
	st->stall_way += n * stall->way;
	st->stall_leaving += n * stall->leaving;
	st->stall_room += n * stall->room;
}

struct cgm_stat_cache cgm_cache_stats(const struct cgm_cache *c, cycle_t now)
{
	struct cgm_stat_cache st = c->st;

	cgm_cache_add_stalls(&st, &c->stall, cgm_part_rested(&c->part, now));
	return st;
}

/* Sends what may leave; returns when more may, and in *moved whether any did. */
static cycle_t cgm_cache_drain(struct cgm_cache *c, bool *moved)
{
	uint32_t before = c->to_net.count, after;
	cycle_t next = cgm_out_drain(&c->to_net, c->now);

	after = c->to_net.count;
	for (uint32_t i = 0; i < c->cfg.kids; i++) {
		before += c->to_kid[i].count;
		next = min_u64(next, cgm_out_drain(&c->to_kid[i], c->now));
		after += c->to_kid[i].count;
	}
	*moved |= before != after;
	return next;
}

/* When a message or access arrives that is not there yet, or, if any may go on,
 * one that is. */
static cycle_t cgm_cache_arrival(const struct cgm_cache *c, bool any)
{
	cycle_t next = any ? cgm_wire_next(c->from_net) :
			     cgm_wire_later(c->from_net, c->now);

	for (uint32_t i = 0; i < c->cfg.kids; i++)
		next = min_u64(next,
			       any ? cgm_wire_next(c->from_kid[i]) :
				     cgm_wire_later(c->from_kid[i], c->now));
	return next;
}

static cycle_t cgm_cache_cycle(struct cgm_part *part, cycle_t now)
{
	struct cgm_cache *c = (struct cgm_cache *)part;
	bool moved, fenced = c->fencing;
	cycle_t next;

	cgm_cache_add_stalls(&c->st, &c->stall, cgm_part_rested(part, now));
	c->stall = (struct cgm_cache_stalls){ 0 };
	c->now = now;
	moved = cgm_cache_message(c);
	if (c->fencing)
		cgm_cache_go_on(c);
	else
		moved |= cgm_cache_accesses(c) || cgm_cache_prefetch(c);
	moved |= fenced || c->fencing;
	cgm_cache_add_stalls(&c->st, &c->stall, 1);
	next = cgm_cache_drain(c, &moved);
	part->rest = moved ? CYCLE_NEVER : now;
	next = min_u64(next, cgm_cache_arrival(c, moved));
	next = min_u64(next, cgm_cache_next_snoop(c, moved));
	if (c->fencing && !c->mshrs)
		next = now + 1;
	if (moved && c->cfg.prefetch)
		next = now + 1;
	return max_u64(next, now + 1);
}

static enum err cgm_cache_outs(struct cgm_cache *c, struct arena *a,
			       struct cgm_wire *const (*kid)[2],
			       struct cgm_wire *const net[2], struct diag *d)
{
	const struct cgm_cache_config *cfg = &c->cfg;

	c->from_net = net[0];
	c->from_net->to = &c->part;
	if (!cgm_out_init(&c->to_net, a, &c->part, net[1],
			  4 * cfg->mshrs + cfg->buffers + 8))
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < cfg->kids; i++) {
		c->from_kid[i] = kid[i][0];
		c->from_kid[i]->to = &c->part;
		if (!cgm_out_init(&c->to_kid[i], a, &c->part, kid[i][1],
				  2 * cfg->kid_misses + 16))
			return fail(d, ERR_NOMEM, "out of memory");
	}
	return ERR_OK;
}

enum err cgm_cache_new(struct cgm_cache **out, struct arena *a,
		       const struct cgm_cache_config *cfg,
		       struct cgm_wire *const (*kid)[2],
		       struct cgm_wire *const net[2], struct diag *d)
{
	struct cgm_cache *c = arena_new(a, struct cgm_cache, 1);
	/* One more of each first-level cache: its page walk. */
	uint32_t waiters = cfg->kids * (cfg->kid_misses + 1) +
			   (cfg->prefetch ? cfg->mshrs : 0);

	if (!c)
		return fail(d, ERR_NOMEM, "out of memory");
	CHECK(cfg->kids <= CGM_KIDS);
	c->cfg = *cfg;
	c->streams.distance = cfg->prefetch;
	c->copy_bytes = CGM_SIZE(struct cgm_copy, net[0]->cfg.bare);
	c->copy = arena_alloc(a, (size_t)cfg->sets * cfg->ways + cfg->buffers,
			      c->copy_bytes);
	c->mshr = arena_new(a, struct cgm_mshr, cfg->mshrs);
	c->waiter = arena_new(a, struct cgm_waiter, waiters);
	if (!c->copy || !c->mshr || !c->waiter)
		return fail(d, ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < waiters; i++)
		c->waiter[i].next = i + 1 < waiters ? i + 1 : CACHE_NONE;
	cgm_part_init(&c->part, cgm_cache_cycle, cfg->period);
	*out = c;
	return cgm_cache_outs(c, a, kid, net, d);
}

bool cgm_cache_is_idle(const struct cgm_cache *c)
{
	if (c->mshrs || c->buffers || c->fencing ||
	    !cgm_out_is_empty(&c->to_net) || c->snoops ||
	    !cgm_wire_is_empty(c->from_net))
		return false;
	for (uint32_t i = 0; i < c->cfg.kids; i++)
		if (!cgm_out_is_empty(&c->to_kid[i]) ||
		    !cgm_wire_is_empty(c->from_kid[i]))
			return false;
	return true;
}
