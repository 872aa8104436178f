#include "cgm/explore.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

enum { MAX_MAIL = 24, HOME = 8, MEMORY = 9, NOTHING = 255, MAX_DRAIN = 400 };

/* A state of the system, small enough to keep millions. */
struct mail {
	uint8_t kind, block, from, to, requester;
	int8_t acks;
	uint8_t dirty, fresh;
};

struct box {
	uint8_t state;
	int8_t acks;
	uint8_t dirty, fresh;
};

struct dir_box {
	uint8_t state, readers, owner, requester;
	int8_t acks;
	uint8_t dirty, fresh, memory;
};

struct sys {
	struct box copy[EXPLORE_CACHES][EXPLORE_BLOCKS];
	struct dir_box home[EXPLORE_BLOCKS];
	/* The access that a cache's processor waits for, or NOTHING. */
	uint8_t want[EXPLORE_CACHES], want_block[EXPLORE_CACHES];
	uint8_t mails;
	struct mail mail[MAX_MAIL];
};

struct run {
	struct explore *x;
	struct sys s; /* being changed by a transition */
	uint64_t *seen, seen_mask, seen_count;
	struct sys *queue;
	uint64_t head, tail, room;
};

static bool wrong(struct run *r, const char *what, unsigned cache,
		  unsigned block, const char *state, const char *event)
{
	if (!r->x->failure[0])
		snprintf(r->x->failure, sizeof(r->x->failure),
			 "%s (cache %u, block %u, %s, %s)", what, cache, block,
			 state, event);
	return false;
}

/*
 * Between the small forms and those of the protocol
 */

static void to_copy(struct cgm_copy *c, const struct box *b, unsigned block)
{
	memset(c, 0, sizeof(*c));
	c->block = block;
	c->state = b->state;
	c->acks = b->acks;
	c->dirty = b->dirty;
	c->data[0] = b->fresh;
	c->mask = b->state == CGM_C_ND || b->state == CGM_C_NW ? 1 : 0;
}

static struct box from_copy(const struct cgm_copy *c)
{
	struct box b = { .state = c->state,
			 .acks = (int8_t)c->acks,
			 .dirty = c->dirty,
			 .fresh = c->data[0] };

	/* What no rule looks at must not tell states apart. */
	if (c->state == CGM_C_I || c->state == CGM_C_II ||
	    c->state == CGM_C_FI || c->state == CGM_C_IS ||
	    c->state == CGM_C_IM || c->state == CGM_C_NF ||
	    c->state == CGM_C_NA)
		b.fresh = 0;
	return b;
}

static void to_dir(struct cgm_dir *h, const struct dir_box *b, unsigned block)
{
	memset(h, 0, sizeof(*h));
	h->block = block;
	h->state = b->state;
	h->readers[0] = b->readers;
	h->owner = b->owner;
	h->requester = b->requester;
	h->acks = b->acks;
	h->dirty = b->dirty;
	h->data[0] = b->fresh;
}

static void from_dir(struct dir_box *b, const struct cgm_dir *h)
{
	bool owned = h->state == CGM_H_X || h->state == CGM_H_FS ||
		     h->state == CGM_H_FD || h->state == CGM_H_RC;
	bool asked = h->state == CGM_H_GS || h->state == CGM_H_GX ||
		     h->state == CGM_H_FS || h->state == CGM_H_FD ||
		     h->state == CGM_H_W;
	bool read = h->state == CGM_H_SH || h->state == CGM_H_GS;

	b->state = h->state;
	b->readers = read ? (uint8_t)h->readers[0] : 0;
	b->owner = owned ? (uint8_t)h->owner : 0;
	b->requester = asked ? (uint8_t)h->requester : 0;
	b->acks = (int8_t)h->acks;
	b->dirty = h->state != CGM_H_NP && h->dirty;
	b->fresh = h->state == CGM_H_NP || h->state == CGM_H_F ? 0 : h->data[0];
}

static void run_send(void *ctx, const struct cgm_packet *p)
{
	struct run *r = ctx;
	bool data = cgm_messages[p->kind].payload;
	struct mail m = { .kind = p->kind,
			  .block = (uint8_t)p->block,
			  .from = (uint8_t)p->from,
			  .to = (uint8_t)p->to,
			  .requester = (uint8_t)p->requester,
			  .acks = (int8_t)p->acks,
			  .dirty = p->dirty,
			  .fresh = data && p->data[0] };

	if (r->s.mails == MAX_MAIL) {
		wrong(r, "too many messages", m.to, m.block, "",
		      cgm_messages[m.kind].name);
		return;
	}
	if (p->kind == CGM_DATA_X || p->kind == CGM_DATA_S ||
	    p->kind == CGM_DATA_E)
		m.dirty = 0;
	r->s.mail[r->s.mails++] = m;
}

static void to_packet(struct cgm_packet *p, const struct mail *m)
{
	memset(p, 0, sizeof(*p));
	p->kind = m->kind;
	p->block = m->block;
	p->from = m->from;
	p->to = m->to;
	p->requester = m->requester;
	p->acks = m->acks;
	p->dirty = m->dirty;
	p->mask = 1;
	p->data[0] = m->fresh;
}

/*
 * Transitions
 */

static bool is_plain(const struct explore *x, unsigned cache)
{
	return cache >= x->caches - x->plain;
}

/* A store: every value of the block but the writer's is stale now. */
static void run_store(struct run *r, unsigned cache, unsigned block)
{
	struct sys *s = &r->s;

	if (r->x->plain)
		return;
	/* It writes a part of the block and keeps the rest. */
	if (!s->copy[cache][block].fresh)
		wrong(r, "a write to a stale copy", cache, block, "", "");
	for (unsigned i = 0; i < r->x->caches; i++)
		s->copy[i][block].fresh = i == cache;
	s->home[block].fresh = s->home[block].memory = 0;
	for (unsigned i = 0; i < s->mails; i++)
		if (s->mail[i].block == block)
			s->mail[i].fresh = 0;
}

static bool run_access(struct run *r, unsigned cache, unsigned block,
		       enum cgm_op op);

/* Executes an event at a cache. */
static bool run_cache(struct run *r, unsigned cache, unsigned block,
		      enum cgm_cevent e, const struct cgm_packet *p,
		      uint64_t *actions)
{
	struct cgm_env env = { r->x->table, (uint16_t)cache, HOME, run_send,
			       r };
	struct box *b = &r->s.copy[cache][block];
	const char *state = cgm_cstates[b->state].name;
	struct cgm_copy c;
	bool hole;

	r->x->cache_used[b->state][e] = true;
	to_copy(&c, b, block);
	*actions = cgm_cache_step(&c, e, p, &env, &hole);
	if (hole)
		return wrong(r, "no row", cache, block, state,
			     cgm_cevents[e].name);
	*b = from_copy(&c);
	if (!(*actions & CGM_DO(WAKE)) || r->s.want[cache] == NOTHING ||
	    r->s.want_block[cache] != block)
		return true;
	if (e == CGM_CE_FLUSHED && r->s.want[cache] == CGM_OP_FLUSH) {
		r->s.want[cache] = NOTHING;
		return true;
	}
	if (e == CGM_CE_NC_DATA &&
	    cgm_ops[r->s.want[cache]].sort == CGM_SORT_RMW) {
		r->s.want[cache] = NOTHING;
		return true;
	}
	return run_access(r, cache, block, (enum cgm_op)r->s.want[cache]);
}

static bool run_access(struct run *r, unsigned cache, unsigned block,
		       enum cgm_op op)
{
	struct cgm_packet p = { .block = block,
				.op = (uint8_t)op,
				.size = 1,
				.requester = (uint16_t)cache };
	uint64_t actions;

	r->s.want[cache] = (uint8_t)op;
	r->s.want_block[cache] = (uint8_t)block;
	if (!run_cache(r, cache, block,
		       cgm_access_event(op, !is_plain(r->x, cache)), &p,
		       &actions))
		return false;
	if (actions & CGM_DO(HIT)) {
		r->s.want[cache] = NOTHING;
		if (cgm_ops[op].sort == CGM_SORT_WRITE)
			run_store(r, cache, block);
	}
	return true;
}

/* Whether a cache, or the home, has room for another block. */
static bool has_room(const struct run *r, unsigned cache)
{
	unsigned used = 0;

	for (unsigned b = 0; b < r->x->blocks; b++) {
		uint8_t state = r->s.copy[cache][b].state;

		used += state != CGM_C_I && state != CGM_C_MI &&
			state != CGM_C_II && state != CGM_C_NW;
	}
	return used < r->x->ways;
}

static bool has_buffer(const struct run *r, unsigned cache)
{
	unsigned used = 0;

	for (unsigned b = 0; b < r->x->blocks; b++) {
		uint8_t state = r->s.copy[cache][b].state;

		used += state == CGM_C_MI || state == CGM_C_II ||
			state == CGM_C_NW;
	}
	return used < r->x->buffers;
}

static bool home_has_room(const struct run *r)
{
	unsigned used = 0;

	for (unsigned b = 0; b < r->x->blocks; b++)
		used += r->s.home[b].state != CGM_H_NP;
	return used < r->x->home_ways;
}

static void run_memory(struct run *r, const struct mail *m)
{
	struct dir_box *h = &r->s.home[m->block];
	struct cgm_packet p = {
		.block = m->block, .from = MEMORY, .to = HOME, .requester = HOME
	};

	if (m->kind != CGM_MC_LOAD)
		h->memory = m->fresh;
	p.data[0] = h->memory;
	p.kind = m->kind == CGM_MC_LOAD ? CGM_MC_DATA : CGM_MC_ACK;
	if (m->kind != CGM_MC_PUT)
		run_send(r, &p);
}

/* Memory takes the messages for a block in order: a wire keeps it. */
static bool memory_waits(const struct run *r, unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (r->s.mail[i].to == MEMORY &&
		    r->s.mail[i].block == r->s.mail[at].block)
			return true;
	return false;
}

enum result { DONE, NOT_NOW, FAILED };

/* Executes an event at the home. The mail stays if it has to wait. */
static enum result run_home(struct run *r, unsigned block, enum cgm_hevent e,
			    const struct cgm_packet *p, bool *keep)
{
	struct cgm_env env = { r->x->table, HOME, MEMORY, run_send, r };
	struct dir_box *b = &r->s.home[block];
	uint8_t before = b->state;
	struct cgm_dir h;
	uint64_t actions;
	bool hole;

	if (before == CGM_H_NP &&
	    r->x->table->home[before][e].next == CGM_H_F && !home_has_room(r))
		return NOT_NOW;
	r->x->home_used[before][e] = true;
	to_dir(&h, b, block);
	actions = cgm_home_step(&h, e, p, &env, &hole);
	if (hole) {
		wrong(r, "no row", HOME, block, cgm_hstates[before].name,
		      cgm_hevents[e].name);
		return FAILED;
	}
	from_dir(b, &h);
	*keep = actions & CGM_DO(STALL);
	return *keep && b->state == before ? NOT_NOW : DONE;
}

/* Delivers a message. */
static enum result run_deliver(struct run *r, unsigned at)
{
	struct mail m = r->s.mail[at];
	struct cgm_packet p;
	bool keep = false;
	uint64_t actions;
	enum result done = DONE;
	struct cgm_dir h;

	if (m.to == MEMORY && memory_waits(r, at))
		return NOT_NOW;
	/* Its order among those that are left stays: memory_waits. */
	memmove(&r->s.mail[at], &r->s.mail[at + 1],
		(r->s.mails - at - 1u) * sizeof(m));
	r->s.mails--;
	to_packet(&p, &m);
	if (m.to == MEMORY) {
		run_memory(r, &m);
	} else if (m.to == HOME) {
		to_dir(&h, &r->s.home[m.block], m.block);
		done = run_home(r, m.block, cgm_home_event(&h, &p), &p, &keep);
		if (done == DONE && keep && r->s.mails < MAX_MAIL)
			r->s.mail[r->s.mails++] = m;
	} else {
		struct cgm_copy c;

		to_copy(&c, &r->s.copy[m.to][m.block], m.block);
		if (!run_cache(r, m.to, m.block, cgm_cache_event(&c, &p), &p,
			       &actions))
			done = FAILED;
	}
	return done;
}

/*
 * Checks
 */

static bool may_write(uint8_t state)
{
	return state == CGM_C_M || state == CGM_C_E;
}

static bool check_copies(struct run *r)
{
	for (unsigned b = 0; b < r->x->blocks; b++) {
		unsigned writers = 0, readers = 0;

		for (unsigned i = 0; i < r->x->caches; i++) {
			const struct box *c = &r->s.copy[i][b];
			bool read = may_write(c->state) || c->state == CGM_C_S;

			writers += may_write(c->state);
			readers += read;
			if (read && !c->fresh && !r->x->plain)
				return wrong(r, "a copy is stale", i, b,
					     cgm_cstates[c->state].name, "");
		}
		if (writers && readers > 1)
			return wrong(r, "a writer is not alone", 0, b, "", "");
	}
	return true;
}

static bool at_rest(const struct run *r)
{
	if (r->s.mails)
		return false;
	for (unsigned b = 0; b < r->x->blocks; b++) {
		if (!cgm_hstates[r->s.home[b].state].stable)
			return false;
		for (unsigned i = 0; i < r->x->caches; i++)
			if (!cgm_cstates[r->s.copy[i][b].state].stable)
				return false;
	}
	return true;
}

static bool check_rest(struct run *r)
{
	for (unsigned i = 0; i < r->x->caches; i++)
		if (r->s.want[i] != NOTHING)
			return wrong(r, "an access waits for ever", i,
				     r->s.want_block[i], "",
				     cgm_ops[r->s.want[i]].name);
	for (unsigned b = 0; b < r->x->blocks && !r->x->plain; b++) {
		const struct dir_box *h = &r->s.home[b];
		bool there = h->state != CGM_H_NP;

		if (h->state != CGM_H_X && !(there ? h->fresh : h->memory))
			return wrong(r, "a write is lost", HOME, b,
				     cgm_hstates[h->state].name, "");
		if (there && h->state != CGM_H_X && !h->dirty && !h->memory)
			return wrong(r, "memory is stale and nobody knows",
				     HOME, b, cgm_hstates[h->state].name, "");
	}
	return true;
}

/* Makes room in the L3, as its slice does for a request that waits. */
static enum result evict_one(struct run *r)
{
	bool keep;

	for (unsigned b = 0; b < r->x->blocks; b++)
		if (cgm_hstates[r->s.home[b].state].stable &&
		    r->s.home[b].state != CGM_H_NP)
			return run_home(r, b, CGM_HE_EVICT, NULL, &keep);
	return NOT_NOW;
}

/* Lets messages alone go on from here until nothing moves. */
static bool check_drains(struct run *r)
{
	for (unsigned n = 0; n < MAX_DRAIN; n++) {
		enum result done = NOT_NOW;
		struct sys before = r->s;

		if (r->x->failure[0])
			return false;
		if (at_rest(r)) {
			if (n > r->x->longest)
				r->x->longest = n;
			return check_rest(r);
		}
		for (unsigned i = 0; i < before.mails && done == NOT_NOW; i++) {
			r->s = before;
			done = run_deliver(r, i);
		}
		if (done == NOT_NOW) {
			r->s = before;
			done = evict_one(r);
		}
		if (done == FAILED)
			return false;
		if (done == NOT_NOW)
			return wrong(r, "deadlock", 0, 0, "", "");
	}
	return wrong(r, "messages never end", 0, 0, "", "");
}

/*
 * The set of states
 */

static uint8_t named(const uint8_t *name, uint8_t id)
{
	return id < EXPLORE_CACHES ? name[id] : id;
}

static int mail_order(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct mail));
}

/* The state with other names for caches and blocks, mail in order. */
static void rename_all(struct sys *to, const struct sys *s,
		       const struct explore *x, const uint8_t *name,
		       const uint8_t *block)
{
	memset(to, 0, sizeof(*to));
	memset(to->want, NOTHING, sizeof(to->want));
	for (unsigned i = 0; i < x->caches; i++) {
		for (unsigned b = 0; b < x->blocks; b++)
			to->copy[name[i]][block[b]] = s->copy[i][b];
		to->want[name[i]] = s->want[i];
		if (s->want[i] != NOTHING)
			to->want_block[name[i]] = block[s->want_block[i]];
	}
	for (unsigned b = 0; b < x->blocks; b++) {
		struct dir_box *h = &to->home[block[b]];

		*h = s->home[b];
		h->readers = 0;
		for (unsigned i = 0; i < x->caches; i++)
			if (s->home[b].readers >> i & 1)
				h->readers |= (uint8_t)(1u << name[i]);
		h->owner = named(name, h->owner);
		h->requester = named(name, h->requester);
	}
	to->mails = s->mails;
	for (unsigned i = 0; i < s->mails; i++) {
		struct mail *m = &to->mail[i];

		*m = s->mail[i];
		m->block = block[m->block];
		m->from = named(name, m->from);
		m->to = named(name, m->to);
		m->requester = named(name, m->requester);
	}
	/* Only memory's are in order, and few: at most one write and what
	 * follows it. MC_LOAD has the smallest number and must come last. */
	for (unsigned i = 0; i < to->mails; i++)
		if (to->mail[i].to == MEMORY && to->mail[i].kind == CGM_MC_LOAD)
			to->mail[i].kind = 254;
	qsort(to->mail, to->mails, sizeof(struct mail), mail_order);
	for (unsigned i = 0; i < to->mails; i++)
		if (to->mail[i].kind == 254)
			to->mail[i].kind = CGM_MC_LOAD;
}

static uint64_t sys_hash(const struct sys *s)
{
	const uint8_t *p = (const uint8_t *)s;
	size_t size =
		offsetof(struct sys, mail) + s->mails * sizeof(s->mail[0]);
	uint64_t h = 0x9e3779b97f4a7c15u;

	for (size_t i = 0; i < size; i++) {
		h = (h ^ p[i]) * 0x100000001b3u;
		h ^= h >> 29;
	}
	h *= 0xbf58476d1ce4e5b9u;
	h ^= h >> 32;
	return h ? h : 1;
}

static const uint8_t orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
				      { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
static const uint8_t block_orders[2][2] = { { 0, 1 }, { 1, 0 } };

/* What a cache looks like without its name. */
static uint64_t cache_look(const struct sys *s, const struct explore *x,
			   unsigned cache, const uint8_t *block)
{
	uint64_t h = s->want[cache];

	if (s->want[cache] != NOTHING)
		h = h * 2 + block[s->want_block[cache]];
	for (unsigned k = 0; k < x->blocks; k++) {
		unsigned b = block[k]; /* its own inverse */
		const struct box *c = &s->copy[cache][b];
		const struct dir_box *d = &s->home[b];

		h = h * 31 + c->state;
		h = h * 31 + (uint8_t)c->acks;
		h = h * 31 + c->dirty * 2u + c->fresh;
		h = h * 31 + (d->readers >> cache & 1u);
	}
	return h;
}

/* Whether a naming numbers caches in the order of their looks: of namings that
 * do not, another one stands for the state. */
static bool is_ordered(const uint64_t *look, const uint8_t *name,
		       const struct explore *x)
{
	unsigned alike = x->caches - x->plain;

	for (unsigned i = 0; i < EXPLORE_CACHES; i++)
		if (i >= alike && name[i] != i)
			return false;
	for (unsigned i = 0; i < alike; i++)
		for (unsigned k = 0; k < alike; k++)
			if (name[i] < name[k] && look[i] > look[k])
				return false;
	return true;
}

/* The smallest hash of all namings: the same for states that are alike. */
static uint64_t sys_key(const struct sys *s, const struct explore *x)
{
	uint64_t best = UINT64_MAX, look[EXPLORE_CACHES] = { 0 };
	struct sys t;

	for (unsigned k = 0; k < x->blocks; k++) {
		for (unsigned i = 0; i < x->caches; i++)
			look[i] = cache_look(s, x, i, block_orders[k]);
		for (unsigned i = 0; i < 6; i++) {
			uint64_t h;

			if (!is_ordered(look, orders[i], x))
				continue;
			rename_all(&t, s, x, orders[i], block_orders[k]);
			h = sys_hash(&t);
			if (h < best)
				best = h;
		}
	}
	return best;
}

static void set_grow(struct run *r)
{
	uint64_t *old = r->seen, size = r->seen_mask + 1;

	r->seen_mask = 2 * size - 1;
	r->seen = calloc(2 * size, sizeof(*r->seen));
	CHECK(r->seen);
	for (uint64_t i = 0; i < size; i++) {
		uint64_t at = old[i] & r->seen_mask;

		while (old[i] && r->seen[at])
			at = (at + 1) & r->seen_mask;
		if (old[i])
			r->seen[at] = old[i];
	}
	free(old);
}

static bool set_add(struct run *r, uint64_t key)
{
	uint64_t at = key & r->seen_mask;

	for (; r->seen[at]; at = (at + 1) & r->seen_mask)
		if (r->seen[at] == key)
			return false;
	r->seen[at] = key;
	if (++r->seen_count > r->seen_mask / 2)
		set_grow(r);
	return true;
}

static void queue_push(struct run *r, const struct sys *s)
{
	if (r->tail == r->room) {
		/* What was explored is not needed any more. */
		memmove(r->queue, r->queue + r->head,
			(r->tail - r->head) * sizeof(*s));
		r->tail -= r->head;
		r->head = 0;
		if (r->tail * 2 > r->room) {
			r->room = r->room * 2;
			r->queue = realloc(r->queue, r->room * sizeof(*s));
			CHECK(r->queue);
		}
	}
	r->queue[r->tail++] = *s;
}

/* A state that a transition has reached. */
static bool reached(struct run *r)
{
	if (r->x->failure[0])
		return false;
	r->x->steps++;
	if (!set_add(r, sys_key(&r->s, r->x)))
		return true;
	r->x->states++;
	if (!check_copies(r))
		return false;
	queue_push(r, &r->s);
	return check_drains(r);
}

/*
 * All transitions of a state
 */

static bool try_accesses(struct run *r, const struct sys *s, unsigned cache)
{
	static const enum cgm_op op[] = { CGM_OP_LOAD, CGM_OP_STORE,
					  CGM_OP_FLUSH, CGM_OP_ADD };

	for (unsigned b = 0; b < r->x->blocks; b++)
		for (unsigned k = 0; k < 4; k++) {
			r->s = *s;
			if (s->want[cache] != NOTHING ||
			    (op[k] == CGM_OP_FLUSH && !r->x->flushes) ||
			    (op[k] == CGM_OP_ADD && !is_plain(r->x, cache)) ||
			    (s->copy[cache][b].state == CGM_C_I &&
			     !has_room(r, cache)))
				continue;
			/* A flush of what is owned needs a buffer. */
			if (!has_buffer(r, cache) &&
			    (op[k] == CGM_OP_FLUSH || op[k] == CGM_OP_ADD))
				continue;
			if (!run_access(r, cache, b, op[k]) || !reached(r))
				return false;
		}
	return true;
}

static bool try_evictions(struct run *r, const struct sys *s, unsigned cache)
{
	for (unsigned b = 0; b < r->x->blocks; b++) {
		uint8_t state = s->copy[cache][b].state;
		uint64_t actions;

		r->s = *s;
		if (state == CGM_C_I || !cgm_cstates[state].stable ||
		    (state != CGM_C_S && !has_buffer(r, cache)))
			continue;
		if (!run_cache(r, cache, b, CGM_CE_EVICT, NULL, &actions) ||
		    !reached(r))
			return false;
	}
	return true;
}

static bool try_home(struct run *r, const struct sys *s)
{
	for (unsigned b = 0; b < r->x->blocks; b++) {
		uint8_t state = s->home[b].state;
		bool keep;

		r->s = *s;
		if (state == CGM_H_NP || !cgm_hstates[state].stable)
			continue;
		if (run_home(r, b, CGM_HE_EVICT, NULL, &keep) == FAILED ||
		    !reached(r))
			return false;
	}
	return true;
}

static bool try_all(struct run *r, const struct sys *s)
{
	for (unsigned i = 0; i < r->x->caches; i++)
		if (!try_accesses(r, s, i) || !try_evictions(r, s, i))
			return false;
	if (!try_home(r, s))
		return false;
	for (unsigned i = 0; i < s->mails; i++) {
		enum result done;

		r->s = *s;
		done = run_deliver(r, i);
		if (done == FAILED || (done == DONE && !reached(r)))
			return false;
	}
	return true;
}

static void begin(struct run *r)
{
	memset(&r->s, 0, sizeof(r->s));
	memset(r->s.want, NOTHING, sizeof(r->s.want));
	for (unsigned b = 0; b < r->x->blocks; b++)
		r->s.home[b].memory = 1;
}

bool explore_run(struct explore *x)
{
	struct run r = { .x = x, .seen_mask = (1 << 16) - 1, .room = 1 << 12 };
	bool good;

	r.seen = calloc(r.seen_mask + 1, sizeof(*r.seen));
	r.queue = malloc(r.room * sizeof(*r.queue));
	CHECK(r.seen && r.queue);
	begin(&r);
	good = reached(&r);
	/* check_drains changed r.s, not what was queued. */
	while (good && r.head < r.tail && x->states < x->limit) {
		struct sys s = r.queue[r.head++];

		good = try_all(&r, &s);
	}
	if (good && r.head < r.tail)
		good = wrong(&r, "more states than the limit", 0, 0, "", "");
	free(r.seen);
	free(r.queue);
	return good;
}
