#include "cgm/moves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Steps from one state. */
struct stepper {
	struct moves *m;
	struct sys s; /* being changed */
};

static bool wrong(struct moves *m, const char *what, unsigned cache,
		  unsigned block, const char *state, const char *event)
{
	if (!m->failure[0])
		snprintf(m->failure, sizeof(m->failure),
			 "%s (cache %u, block %u, %s, %s)", what, cache, block,
			 state, event);
	return false;
}

/*
 * Between the small forms and those of the protocol
 */

static void to_copy(struct cgm_copy *c, const struct sys_copy *b,
		    unsigned block)
{
	memset(c, 0, sizeof(*c));
	c->block = block;
	c->state = b->state;
	c->acks = b->acks;
	c->dirty = b->dirty;
	c->data[0] = b->fresh;
	c->mask = b->state == CGM_C_ND || b->state == CGM_C_NW ? 1 : 0;
}

static void from_copy(struct sys_copy *b, const struct cgm_copy *c)
{
	/* What no rule looks at must not tell states apart. */
	bool empty = c->state == CGM_C_I || c->state == CGM_C_II ||
		     c->state == CGM_C_FI || c->state == CGM_C_IS ||
		     c->state == CGM_C_IM || c->state == CGM_C_NF ||
		     c->state == CGM_C_NA;

	b->state = c->state;
	b->acks = (int8_t)c->acks;
	b->dirty = c->dirty;
	b->fresh = !empty && c->data[0];
}

static void to_dir(struct cgm_dir *h, const struct sys_home *b, unsigned block)
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

static void from_dir(struct sys_home *b, const struct cgm_dir *h)
{
	bool owned = h->state == CGM_H_X || h->state == CGM_H_FS ||
		     h->state == CGM_H_FD || h->state == CGM_H_RC;
	bool asked = h->state == CGM_H_GS || h->state == CGM_H_GX ||
		     h->state == CGM_H_FS || h->state == CGM_H_FD ||
		     h->state == CGM_H_W;
	bool read = h->state == CGM_H_SH || h->state == CGM_H_GS;

	b->state = h->state;
	b->readers = read ? (uint8_t)h->readers[0] : 0;
	b->owner = owned ? (uint8_t)h->owner : SYS_NOBODY;
	b->requester = asked ? (uint8_t)h->requester : SYS_NOBODY;
	b->acks = (int8_t)h->acks;
	b->dirty = h->state != CGM_H_NP && h->dirty;
	b->fresh = h->state != CGM_H_NP && h->state != CGM_H_F && h->data[0];
}

static void step_send(void *ctx, const struct cgm_packet *p)
{
	struct stepper *r = ctx;
	bool data = cgm_messages[p->kind].payload;
	struct sys_mail m = { .kind = p->kind,
			      .block = (uint8_t)p->block,
			      .from = (uint8_t)p->from,
			      .to = (uint8_t)p->to,
			      .requester = (uint8_t)p->requester,
			      .acks = (int8_t)p->acks,
			      .dirty = p->dirty,
			      .fresh = data && p->data[0] };

	if (r->s.mails == SYS_MAIL) {
		wrong(r->m, "too many messages", m.to, m.block, "",
		      cgm_messages[m.kind].name);
		return;
	}
	if (p->kind == CGM_DATA_X || p->kind == CGM_DATA_S ||
	    p->kind == CGM_DATA_E)
		m.dirty = false;
	r->s.mail[r->s.mails++] = m;
}

static void to_packet(struct cgm_packet *p, const struct sys_mail *m)
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
 * Caches
 */

static bool is_plain(const struct moves *m, unsigned cache)
{
	return cache >= m->caches - m->plain;
}

static const enum cgm_op want_op[] = {
	[WANT_LOAD] = CGM_OP_LOAD,
	[WANT_STORE] = CGM_OP_STORE,
	[WANT_FLUSH] = CGM_OP_FLUSH,
	[WANT_ADD] = CGM_OP_ADD,
};

/* A store: every value of the block but the writer's is stale now. */
static bool step_store(struct stepper *r, unsigned cache, unsigned block)
{
	struct sys *s = &r->s;

	if (r->m->plain)
		return true;
	/* It writes a part of the block and keeps the rest. */
	if (!s->copy[cache][block].fresh)
		return wrong(r->m, "a write to a stale copy", cache, block, "",
			     "");
	for (unsigned i = 0; i < r->m->caches; i++) {
		if (i != cache && s->copy[i][block].kids)
			return wrong(r->m,
				     "a write while a first-level cache "
				     "elsewhere has the block",
				     i, block, "", "");
		s->copy[i][block].fresh = i == cache;
	}
	s->home[block].fresh = s->home[block].memory = false;
	for (unsigned i = 0; i < s->mails; i++)
		if (s->mail[i].block == block)
			s->mail[i].fresh = false;
	return true;
}

/* Executes an event at a cache. */
static bool step_row(struct stepper *r, unsigned cache, unsigned block,
		     enum cgm_cevent e, const struct cgm_packet *p,
		     uint64_t *actions)
{
	struct cgm_env env = { .table = r->m->table,
			       .self = (uint16_t)cache,
			       .home = SYS_HOME,
			       .send = step_send,
			       .ctx = r };
	struct sys_copy *b = &r->s.copy[cache][block];
	uint8_t state = b->state;
	struct cgm_copy c;
	bool hole;

	r->m->cache_used[state][e] = true;
	to_copy(&c, b, block);
	*actions = cgm_cache_step(&c, e, p, &env, &hole);
	if (hole)
		return wrong(r->m, "no row", cache, block,
			     cgm_cstates[state].name, cgm_cevents[e].name);
	from_copy(b, &c);
	if (*actions & CGM_DO(BACK))
		b->kids = false;
	return true;
}

/* An access begins, joins another, is performed, or has to wait. */
static bool step_access(struct stepper *r, unsigned cache, unsigned block,
			enum sys_want want)
{
	struct cgm_packet p = { .block = block,
				.op = (uint8_t)want_op[want],
				.size = 1,
				.requester = (uint16_t)cache };
	struct sys_copy *c = &r->s.copy[cache][block];
	uint64_t actions;

	if (!step_row(r, cache, block,
		      cgm_access_event(want_op[want], !is_plain(r->m, cache)),
		      &p, &actions))
		return false;
	/* Loads that wait before a store are performed with it. */
	if (actions & CGM_DO(JOIN) && c->want < want)
		c->want = want;
	if (!(actions & CGM_DO(HIT)))
		return true;
	c->want = WANT_NOTHING;
	if (r->m->kids && want == WANT_LOAD)
		c->kids = true;
	return want != WANT_STORE || step_store(r, cache, block);
}

/* The accesses that wait for a block are tried again. */
static bool step_wake(struct stepper *r, unsigned cache, unsigned block,
		      enum cgm_cevent e)
{
	struct sys_copy *c = &r->s.copy[cache][block];
	enum sys_want want = (enum sys_want)c->want;

	if (want == WANT_NOTHING)
		return true;
	if ((e == CGM_CE_FLUSHED && want == WANT_FLUSH) ||
	    (e == CGM_CE_NC_DATA && want == WANT_ADD)) {
		c->want = WANT_NOTHING;
		return true;
	}
	/* Loads may have joined before the store. */
	if (r->m->kids && c->state != CGM_C_I)
		c->kids = true;
	return step_access(r, cache, block, want);
}

static bool step_cache(struct stepper *r, unsigned cache, unsigned block,
		       enum cgm_cevent e, const struct cgm_packet *p)
{
	uint64_t actions;

	return step_row(r, cache, block, e, p, &actions) &&
	       (!(actions & CGM_DO(WAKE)) || step_wake(r, cache, block, e));
}

/*
 * The home and memory
 */

/* Executes an event at the home. The mail stays if it has to wait. */
static bool step_home(struct stepper *r, unsigned block, enum cgm_hevent e,
		      const struct cgm_packet *p, bool *keep)
{
	struct cgm_env env = { .table = r->m->table,
			       .self = SYS_HOME,
			       .home = SYS_MEMORY,
			       .send = step_send,
			       .ctx = r };
	struct sys_home *b = &r->s.home[block];
	uint8_t before = b->state;
	struct cgm_dir h;
	bool hole;

	r->m->home_used[before][e] = true;
	to_dir(&h, b, block);
	*keep = cgm_home_step(&h, e, p, &env, &hole) & CGM_DO(STALL);
	if (hole)
		return wrong(r->m, "no row", SYS_HOME, block,
			     cgm_hstates[before].name, cgm_hevents[e].name);
	from_dir(b, &h);
	return true;
}

static void step_memory(struct stepper *r, const struct sys_mail *m)
{
	struct sys_home *h = &r->s.home[m->block];
	struct cgm_packet p = { .block = m->block,
				.from = SYS_MEMORY,
				.to = SYS_HOME,
				.requester = SYS_HOME };

	if (m->kind != CGM_MC_LOAD)
		h->memory = m->fresh;
	p.data[0] = h->memory;
	p.kind = m->kind == CGM_MC_LOAD ? CGM_MC_DATA : CGM_MC_ACK;
	if (m->kind != CGM_MC_PUT)
		step_send(r, &p);
}

/* Memory takes the messages for a block in order: a wire keeps it. */
static bool memory_waits(const struct sys *s, unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (s->mail[i].to == SYS_MEMORY &&
		    s->mail[i].block == s->mail[at].block)
			return true;
	return false;
}

/* Delivers a message; it is put back if it has to wait. */
static bool step_deliver(struct stepper *r, unsigned at)
{
	struct sys_mail m = r->s.mail[at];
	struct cgm_packet p;
	struct cgm_copy c;
	struct cgm_dir h;
	bool keep = false;

	/* The order of those that are left stays: memory_waits. */
	memmove(&r->s.mail[at], &r->s.mail[at + 1],
		(r->s.mails - at - 1u) * sizeof(m));
	r->s.mails--;
	to_packet(&p, &m);
	if (m.to == SYS_MEMORY) {
		step_memory(r, &m);
	} else if (m.to == SYS_HOME) {
		to_dir(&h, &r->s.home[m.block], m.block);
		if (!step_home(r, m.block, cgm_home_event(&h, &p), &p, &keep))
			return false;
		if (keep && r->s.mails < SYS_MAIL)
			r->s.mail[r->s.mails++] = m;
	} else {
		to_copy(&c, &r->s.copy[m.to][m.block], m.block);
		return step_cache(r, m.to, m.block, cgm_cache_event(&c, &p),
				  &p);
	}
	return true;
}

/*
 * Room
 */

unsigned sys_uses(const struct sys *s, unsigned block)
{
	unsigned uses = 0;

	for (unsigned i = 0; i < SYS_CACHES; i++) {
		const struct sys_copy *c = &s->copy[i][block];
		bool buffer = c->state == CGM_C_MI || c->state == CGM_C_II ||
			      c->state == CGM_C_NW;

		if (buffer)
			uses |= 1u << (USE_EACH * i + USE_BUFFER);
		else if (c->state != CGM_C_I)
			uses |= 1u << (USE_EACH * i + USE_WAY);
		if (c->want)
			uses |= 1u << (USE_EACH * i + USE_MSHR);
	}
	if (s->home[block].state != CGM_H_NP)
		uses |= 1u << USE_HOME;
	return uses;
}

/* Whether a step, which changes one block, takes more than there is. */
static bool lacks_room(const struct sys *before, const struct sys *after,
		       const struct moves *m)
{
	for (unsigned bit = 0; bit <= USE_HOME; bit++) {
		const unsigned room[] = { m->ways, m->buffers, m->mshrs };
		unsigned now = 0, then = 0;

		for (unsigned b = 0; b < m->blocks; b++) {
			then += sys_uses(before, b) >> bit & 1;
			now += sys_uses(after, b) >> bit & 1;
		}
		if (now > then &&
		    now > (bit == USE_HOME ? m->home_ways :
					     room[bit % USE_EACH]))
			return true;
	}
	return false;
}

/*
 * Checks
 */

static bool may_write(uint8_t state)
{
	return state == CGM_C_M || state == CGM_C_E;
}

static bool check_block(const struct sys *s, struct moves *m, unsigned b)
{
	unsigned writers = 0, readers = 0;

	for (unsigned i = 0; i < m->caches; i++) {
		const struct sys_copy *c = &s->copy[i][b];
		bool read = may_write(c->state) || c->state == CGM_C_S;

		writers += may_write(c->state);
		readers += read;
		if (c->acks < -SYS_CACHES || c->acks > SYS_CACHES)
			return wrong(m, "answers that nobody asked for", i, b,
				     cgm_cstates[c->state].name, "");
		if (read && !c->fresh && !m->plain)
			return wrong(m, "a copy is stale", i, b,
				     cgm_cstates[c->state].name, "");
		if (c->kids && !read && c->state != CGM_C_SM &&
		    c->state != CGM_C_XA && !is_plain(m, i))
			return wrong(m,
				     "a first-level cache has what the second "
				     "level has not",
				     i, b, cgm_cstates[c->state].name, "");
	}
	if (writers && readers > 1)
		return wrong(m, "a writer is not alone", 0, b, "", "");
	return true;
}

bool sys_check(const struct sys *s, struct moves *m)
{
	for (unsigned b = 0; b < m->blocks; b++)
		if (!check_block(s, m, b))
			return false;
	return true;
}

bool sys_is_at_rest(const struct sys *s, const struct moves *m)
{
	if (s->mails)
		return false;
	for (unsigned b = 0; b < m->blocks; b++) {
		if (!cgm_hstates[s->home[b].state].stable)
			return false;
		for (unsigned i = 0; i < m->caches; i++)
			if (!cgm_cstates[s->copy[i][b].state].stable)
				return false;
	}
	return true;
}

static bool check_home(const struct sys_home *h, struct moves *m, unsigned b)
{
	bool there = h->state != CGM_H_NP;

	if (h->state == CGM_H_X)
		return true;
	if (!(there ? h->fresh : h->memory))
		return wrong(m, "a write is lost", SYS_HOME, b,
			     cgm_hstates[h->state].name, "");
	if (there && !h->dirty && !h->memory)
		return wrong(m, "memory is stale and nobody knows", SYS_HOME, b,
			     cgm_hstates[h->state].name, "");
	return true;
}

bool sys_check_rest(const struct sys *s, struct moves *m)
{
	for (unsigned b = 0; b < m->blocks; b++) {
		for (unsigned i = 0; i < m->caches; i++)
			if (s->copy[i][b].want)
				return wrong(
					m, "an access waits for ever", i, b, "",
					cgm_ops[want_op[s->copy[i][b].want]]
						.name);
		if (!m->plain && !check_home(&s->home[b], m, b))
			return false;
	}
	return true;
}

/*
 * All steps
 */

struct round {
	struct stepper r;
	const struct sys *from;
	sys_visit *visit;
	void *ctx;
};

/* Ends a step that has changed the state. */
static bool took(struct round *w, bool good, enum sys_step step)
{
	if (!good || w->r.m->failure[0])
		return false;
	return lacks_room(w->from, &w->r.s, w->r.m) ||
	       w->visit(w->ctx, &w->r.s, step);
}

static bool try_accesses(struct round *w, unsigned cache, unsigned block)
{
	const struct moves *m = w->r.m;

	for (enum sys_want k = WANT_LOAD; k <= WANT_ADD; k++) {
		if ((k == WANT_FLUSH && !m->flushes) ||
		    (k == WANT_ADD && !is_plain(m, cache)))
			continue;
		w->r.s = *w->from;
		if (!took(w, step_access(&w->r, cache, block, k), STEP_ACCESS))
			return false;
	}
	return true;
}

static bool try_eviction(struct round *w, unsigned cache, unsigned block)
{
	uint8_t state = w->from->copy[cache][block].state;

	if (state == CGM_C_I || !cgm_cstates[state].stable)
		return true;
	w->r.s = *w->from;
	return took(w, step_cache(&w->r, cache, block, CGM_CE_EVICT, NULL),
		    STEP_EVICT);
}

static bool may_leave_home(const struct sys *s, unsigned block)
{
	uint8_t state = s->home[block].state;

	return state != CGM_H_NP && cgm_hstates[state].stable;
}

static bool try_home(struct round *w, unsigned block)
{
	bool keep;

	if (!may_leave_home(w->from, block))
		return true;
	w->r.s = *w->from;
	return took(w, step_home(&w->r, block, CGM_HE_EVICT, NULL, &keep),
		    STEP_HOME_EVICT);
}

bool sys_steps(const struct sys *s, struct moves *m, sys_visit *visit,
	       void *ctx)
{
	struct round w = { { m, *s }, s, visit, ctx };

	for (unsigned b = 0; b < m->blocks; b++) {
		for (unsigned i = 0; i < m->caches; i++)
			if (!try_accesses(&w, i, b) || !try_eviction(&w, i, b))
				return false;
		if (!try_home(&w, b))
			return false;
	}
	for (unsigned i = 0; i < s->mails; i++) {
		if (s->mail[i].to == SYS_MEMORY && memory_waits(s, i))
			continue;
		w.r.s = *s;
		if (!took(&w, step_deliver(&w.r, i), STEP_MESSAGE))
			return false;
	}
	return true;
}

/* A message that has to wait is the last one afterwards, and nothing else has
 * changed. */
static bool only_waits(const struct sys *before, const struct sys *after,
		       const struct moves *m)
{
	uint8_t a[SYS_BYTES], b[SYS_BYTES];
	unsigned size = sys_encode(before, m, a);

	return size == sys_encode(after, m, b) && !memcmp(a, b, size);
}

bool sys_settle(struct sys *s, struct moves *m)
{
	struct stepper r = { m, *s };
	bool keep;

	for (unsigned i = 0; i < s->mails; i++) {
		if (s->mail[i].to == SYS_MEMORY && memory_waits(s, i))
			continue;
		r.s = *s;
		if (!step_deliver(&r, i))
			return false;
		if (only_waits(s, &r.s, m) || lacks_room(s, &r.s, m))
			continue;
		*s = r.s;
		return true;
	}
	for (unsigned b = 0; b < m->blocks; b++) {
		r.s = *s;
		if (!may_leave_home(s, b))
			continue;
		if (!step_home(&r, b, CGM_HE_EVICT, NULL, &keep))
			return false;
		*s = r.s;
		return true;
	}
	return wrong(m, "deadlock", 0, 0, "", "");
}

void sys_first(struct sys *s, const struct moves *m)
{
	memset(s, 0, sizeof(*s));
	for (unsigned b = 0; b < m->blocks; b++)
		s->home[b] = (struct sys_home){ .owner = SYS_NOBODY,
						.requester = SYS_NOBODY,
						.memory = true };
}

/*
 * Names
 */

const uint8_t sys_orders[SYS_ORDERS][SYS_CACHES] = { { 0, 1, 2 }, { 0, 2, 1 },
						     { 1, 0, 2 }, { 1, 2, 0 },
						     { 2, 0, 1 }, { 2, 1, 0 } };

bool sys_may_rename(const struct moves *m, unsigned order)
{
	for (unsigned i = m->caches - m->plain; i < SYS_CACHES; i++)
		if (sys_orders[order][i] != i)
			return false;
	return true;
}

static uint8_t named(const uint8_t *name, uint8_t id)
{
	return id < SYS_CACHES ? name[id] : id;
}

void sys_rename(struct sys *to, const struct sys *s, const struct moves *m,
		unsigned order, bool swap_blocks)
{
	const uint8_t *name = sys_orders[order];

	memset(to, 0, offsetof(struct sys, mails));
	for (unsigned b = 0; b < m->blocks; b++) {
		unsigned at = b ^ swap_blocks;
		struct sys_home *h = &to->home[at];

		*h = s->home[b];
		h->readers = 0;
		for (unsigned i = 0; i < m->caches; i++) {
			to->copy[name[i]][at] = s->copy[i][b];
			if (s->home[b].readers >> i & 1)
				h->readers |= (uint8_t)(1u << name[i]);
		}
		h->owner = named(name, h->owner);
		h->requester = named(name, h->requester);
	}
	to->mails = s->mails;
	for (unsigned i = 0; i < s->mails; i++) {
		struct sys_mail *x = &to->mail[i];

		*x = s->mail[i];
		x->block ^= swap_blocks;
		x->from = named(name, x->from);
		x->to = named(name, x->to);
		x->requester = named(name, x->requester);
	}
}

/*
 * Bytes
 */

/* A message as a number. Those to memory are in order, and few: at most one
 * write, and a read after it, which has the larger number. */
static uint32_t mail_number(const struct sys_mail *m)
{
	bool last = m->to == SYS_MEMORY && m->kind == CGM_MC_LOAD;

	return (uint32_t)last << 31 | (uint32_t)m->kind << 18 |
	       (uint32_t)m->block << 17 | (uint32_t)m->from << 13 |
	       (uint32_t)m->to << 9 | (uint32_t)m->requester << 5 |
	       (uint32_t)(m->acks + 3) << 2 | (uint32_t)m->dirty << 1 |
	       (uint32_t)m->fresh;
}

static struct sys_mail number_mail(uint32_t n)
{
	return (struct sys_mail){ .kind = n >> 18 & 0xff,
				  .block = n >> 17 & 1,
				  .from = n >> 13 & 15,
				  .to = n >> 9 & 15,
				  .requester = n >> 5 & 15,
				  .acks = (int8_t)((int)(n >> 2 & 7) - 3),
				  .dirty = n >> 1 & 1,
				  .fresh = n & 1 };
}

static uint8_t *encode_block(const struct sys *s, const struct moves *m,
			     unsigned b, uint8_t *to)
{
	const struct sys_home *h = &s->home[b];

	for (unsigned i = 0; i < m->caches; i++) {
		const struct sys_copy *c = &s->copy[i][b];

		*to++ = (uint8_t)(c->state | c->want << 4);
		*to++ = (uint8_t)((c->acks + 3) << 3 | c->dirty << 2 |
				  c->fresh << 1 | c->kids);
	}
	*to++ = (uint8_t)(h->state | h->dirty << 4 | h->fresh << 5 |
			  h->memory << 6);
	*to++ = h->readers;
	*to++ = (uint8_t)(h->owner << 4 | h->requester);
	*to++ = (uint8_t)h->acks;
	return to;
}

unsigned sys_encode(const struct sys *s, const struct moves *m, uint8_t *to)
{
	uint32_t mail[SYS_MAIL];
	uint8_t *at = to;

	for (unsigned b = 0; b < m->blocks; b++)
		at = encode_block(s, m, b, at);
	for (unsigned i = 0; i < s->mails; i++) {
		uint32_t n = mail_number(&s->mail[i]);
		unsigned k = i;

		for (; k && mail[k - 1] > n; k--)
			mail[k] = mail[k - 1];
		mail[k] = n;
	}
	memcpy(at, mail, s->mails * sizeof(mail[0]));
	return (unsigned)(at - to) + s->mails * (unsigned)sizeof(mail[0]);
}

static const uint8_t *decode_block(struct sys *s, const struct moves *m,
				   unsigned b, const uint8_t *at)
{
	for (unsigned i = 0; i < m->caches; i++, at += 2)
		s->copy[i][b] = (struct sys_copy){
			.state = at[0] & 15,
			.want = at[0] >> 4,
			.acks = (int8_t)((int)(at[1] >> 3) - 3),
			.dirty = at[1] >> 2 & 1,
			.fresh = at[1] >> 1 & 1,
			.kids = at[1] & 1,
		};
	s->home[b] = (struct sys_home){ .state = at[0] & 15,
					.dirty = at[0] >> 4 & 1,
					.fresh = at[0] >> 5 & 1,
					.memory = at[0] >> 6 & 1,
					.readers = at[1],
					.owner = at[2] >> 4,
					.requester = at[2] & 15,
					.acks = (int8_t)at[3] };
	return at + 4;
}

void sys_decode(struct sys *s, const struct moves *m, const uint8_t *from,
		unsigned size)
{
	const uint8_t *at = from;

	memset(s, 0, offsetof(struct sys, mail));
	for (unsigned b = 0; b < m->blocks; b++)
		at = decode_block(s, m, b, at);
	s->mails = (size - (unsigned)(at - from)) / (unsigned)sizeof(uint32_t);
	for (unsigned i = 0; i < s->mails; i++, at += sizeof(uint32_t)) {
		uint32_t n;

		memcpy(&n, at, sizeof(n));
		s->mail[i] = number_mail(n);
	}
}

_Static_assert(CGM_CSTATES <= 16 && CGM_HSTATES <= 16, "states have 4 bits");
