#include "mem/cgm/slice.h"

#include <string.h>

#include "base/minmax.h"

static struct cgm_dir *cgm_slice_at(const struct cgm_slice *s, size_t i)
{
	return (struct cgm_dir *)(void *)(s->dir + s->dir_bytes * i);
}

/* The number of the first place where a block may be. */
static size_t cgm_slice_set(const struct cgm_slice *s, uint64_t block)
{
	return (block / s->cfg.slices & (s->cfg.sets - 1)) * s->cfg.ways;
}

static struct cgm_dir *cgm_slice_find(const struct cgm_slice *s, uint64_t block)
{
	size_t first = cgm_slice_set(s, block);

	for (uint32_t i = 0; i < s->cfg.ways; i++) {
		struct cgm_dir *x = cgm_slice_at(s, first + i);

		if (x->state != CGM_H_NP && x->block == block)
			return x;
	}
	return NULL;
}

static void cgm_slice_send(void *ctx, const struct cgm_packet *p)
{
	struct cgm_slice *s = ctx;

	cgm_out_push(&s->to_net, s->now + s->cfg.latency * s->cfg.period, p);
}

static uint64_t cgm_slice_readers(const struct cgm_dir *x)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < CGM_WORDS; i++)
		n += (uint64_t)__builtin_popcountll(x->readers[i]);
	return n;
}

/* Counts for the block what a transition costs other caches; `readers`: how many
 * it had before. */
static void cgm_slice_note(struct cgm_slice *s, const struct cgm_dir *x,
			   uint64_t readers, uint64_t actions)
{
	bool forward = actions & (CGM_DO(FWD_GETS) | CGM_DO(FWD_GETX));
	bool recall = actions & (CGM_DO(RECALL) | CGM_DO(RECALLS));
	uint64_t inval = actions & CGM_DO(INVALS) ? readers : 0;

	if (forward || recall || inval)
		cgm_hot_add(s->hot, x->block, forward, inval, recall);
}

static uint64_t cgm_slice_do(struct cgm_slice *s, struct cgm_dir *x,
			     enum cgm_hevent e, const struct cgm_packet *p)
{
	struct cgm_env env = {
		s->cfg.table,   s->cfg.self, s->cfg.memory,
		cgm_slice_send, s,           s->from_net->cfg.bare
	};
	uint8_t before = x->state;
	uint64_t readers = s->hot ? cgm_slice_readers(x) : 0;
	uint64_t actions;
	bool hole;

	actions = cgm_home_step(x, e, p, &env, &hole);
	CHECK(!hole);
	s->flushing += (x->state == CGM_H_W) - (before == CGM_H_W);
	s->changed |= x->state != before;
	s->st.memory_reads += !!(actions & CGM_DO(MC_LOAD));
	s->st.forwards += !!(actions & (CGM_DO(FWD_GETS) | CGM_DO(FWD_GETX)));
	s->st.recalls += !!(actions & (CGM_DO(RECALL) | CGM_DO(RECALLS)));
	if (s->hot)
		cgm_slice_note(s, x, readers, actions);
	return actions;
}

/* A place for a block: an empty one, or that of the block used least recently
 * among those at rest. NULL: not yet. */
static struct cgm_dir *cgm_slice_way(struct cgm_slice *s, uint64_t block)
{
	size_t first = cgm_slice_set(s, block);
	struct cgm_dir *to = NULL;

	for (uint32_t i = 0; i < s->cfg.ways; i++) {
		struct cgm_dir *x = cgm_slice_at(s, first + i);

		if (x->state == CGM_H_NP)
			return x;
		/* It gives its place away next: one at a time. */
		if (x->state == CGM_H_RC)
			return NULL;
		if (cgm_hstates[x->state].stable && (!to || x->used < to->used))
			to = x;
	}
	if (!to)
		return NULL;
	s->st.writebacks += to->state == CGM_H_H && to->dirty;
	cgm_slice_do(s, to, CGM_HE_EVICT, NULL);
	if (to->state != CGM_H_NP)
		return NULL;
	s->st.evictions++;
	return to;
}

/* Room for what a request may send: to every reader, and replies to flushes. */
static bool cgm_slice_has_room(const struct cgm_slice *s)
{
	return cgm_out_room(&s->to_net, CGM_LANE_COHERENCE) >=
		       s->cfg.agents + 2 &&
	       cgm_out_room(&s->to_net, CGM_LANE_REPLY) >= s->flushing + 3;
}

/* Processes a request; false: it has to wait. */
static bool cgm_slice_request(struct cgm_slice *s, const struct cgm_packet *p)
{
	struct cgm_dir none = { .block = p->block, .state = CGM_H_NP };
	struct cgm_dir *x = cgm_slice_find(s, p->block);
	enum cgm_hevent e;
	uint64_t actions;

	if (!x) {
		e = cgm_home_event(&none, p);
		x = &none;
		if (s->cfg.table->home[CGM_H_NP][e].next != CGM_H_NP) {
			x = cgm_slice_way(s, p->block);
			if (!x)
				return false;
			memset(x, 0, offsetof(struct cgm_dir, data));
			x->block = p->block;
		}
	} else {
		e = cgm_home_event(x, p);
	}
	actions = cgm_slice_do(s, x, e, p);
	x->used = ++s->clock;
	return !(actions & CGM_DO(STALL));
}

static bool cgm_slice_waits_before(const struct cgm_slice *s, uint64_t block,
				   uint32_t end)
{
	for (uint32_t i = 0; i < end; i++)
		if (cgm_packets_at(&s->pending, i)->block == block)
			return true;
	return false;
}

/* Tries what waits; true: a request was served. */
static bool cgm_slice_pending(struct cgm_slice *s)
{
	if (!s->changed || !s->waiting || !cgm_slice_has_room(s))
		return false;
	s->changed = false;
	s->tried = true; /* which may have evicted something */
	for (uint32_t i = 0; i < s->waiting; i++) {
		struct cgm_packet *p = cgm_packets_at(&s->pending, i);

		if (cgm_slice_waits_before(s, p->block, i))
			continue;
		if (!cgm_slice_has_room(s)) {
			s->changed = true;
			return false;
		}
		if (!cgm_slice_request(s, p))
			continue;
		s->st.waiting_ticks += s->now - p->time;
		memmove(p, cgm_packets_at(&s->pending, i + 1),
			(s->waiting - i - 1) * s->pending.size);
		s->waiting--;
		s->changed = true; /* others may go on, too */
		return true;
	}
	return false;
}

static void cgm_slice_count(struct cgm_slice *s, const struct cgm_packet *p,
			    bool hit)
{
	s->st.requests++;
	s->st.hits += hit;
	s->st.upgrades += p->kind == CGM_UPGRADE;
	s->st.puts += p->kind == CGM_PUTX || p->kind == CGM_NC_PUT;
}

/* Takes a request from the network; true: there was one, and room. */
static bool cgm_slice_next(struct cgm_slice *s)
{
	const struct cgm_packet *p =
		cgm_wire_peek(s->from_net, CGM_LANE_REQUEST, s->now);
	bool there;

	if (!p)
		return false;
	if (!cgm_slice_has_room(s) || s->waiting == s->cfg.pending) {
		s->stalled++;
		return false;
	}
	there = cgm_slice_find(s, p->block);
	cgm_slice_count(s, p, there);
	if (cgm_slice_waits_before(s, p->block, s->waiting) ||
	    !cgm_slice_request(s, p)) {
		struct cgm_packet *to =
			cgm_packets_at(&s->pending, s->waiting++);

		cgm_packet_copy(to, p);
		to->time = s->now;
		s->st.joins += there;
		if (s->waiting > s->st.waiting_peak)
			s->st.waiting_peak = s->waiting;
	}
	cgm_wire_pop(s->from_net, CGM_LANE_REQUEST, s->now);
	return true;
}

static bool cgm_slice_reply(struct cgm_slice *s)
{
	const struct cgm_packet *p =
		cgm_wire_peek(s->from_net, CGM_LANE_REPLY, s->now);
	struct cgm_dir *x;

	if (!p)
		return false;
	x = cgm_slice_find(s, p->block);
	CHECK(x);
	cgm_slice_do(s, x, cgm_home_event(x, p), p);
	cgm_wire_pop(s->from_net, CGM_LANE_REPLY, s->now);
	return true;
}

static cycle_t cgm_slice_step(struct cgm_part *part, cycle_t now)
{
	struct cgm_slice *s = (struct cgm_slice *)part;
	uint32_t queued;
	cycle_t next;
	bool moved;

	s->st.stalls += cgm_part_rested(part, now) * s->stalled;
	s->stalled = 0;
	s->now = now;
	s->tried = false;
	moved = cgm_slice_reply(s) || cgm_slice_pending(s) ||
		cgm_slice_next(s) || s->tried;
	s->st.stalls += s->stalled;
	queued = s->to_net.count;
	next = cgm_out_drain(&s->to_net, now);
	moved |= s->to_net.count != queued;
	part->rest = moved ? CYCLE_NEVER : now;
	if (!moved)
		/* Only a message or room lets it go on. */
		next = min_u64(next, cgm_wire_later(s->from_net, now));
	else if (s->changed && s->waiting)
		next = now + 1;
	else
		next = min_u64(next, cgm_wire_next(s->from_net));
	return max_u64(next, now + 1);
}

enum err cgm_slice_new(struct cgm_slice **out, struct arena *a,
		       const struct cgm_slice_config *cfg,
		       struct cgm_wire *const net[2], struct diag *d)
{
	struct cgm_slice *s = arena_new(a, struct cgm_slice, 1);

	if (!s)
		return fail(d, ERR_NOMEM, "out of memory");
	s->cfg = *cfg;
	s->dir_bytes = CGM_SIZE(struct cgm_dir, net[0]->cfg.bare);
	s->dir = arena_alloc(a, (size_t)cfg->sets * cfg->ways, s->dir_bytes);
	if (!s->dir ||
	    !cgm_packets_init(&s->pending, a, cfg->pending, net[0]->cfg.bare) ||
	    !cgm_out_init(&s->to_net, a, &s->part, net[1],
			  2 * cfg->agents + 32))
		return fail(d, ERR_NOMEM, "out of memory");
	cgm_part_init(&s->part, cgm_slice_step, cfg->period);
	s->from_net = net[0];
	s->from_net->to = &s->part;
	*out = s;
	return ERR_OK;
}

bool cgm_slice_is_idle(const struct cgm_slice *s)
{
	return !s->waiting && !s->flushing && cgm_out_is_empty(&s->to_net) &&
	       cgm_wire_is_empty(s->from_net);
}
