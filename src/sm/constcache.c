#include "sm/constcache.h"

#include "sm/lru.h"

enum { SEEN_WAYS = 16 };

struct const_late {
	uint64_t line; /* of the first level */
	cycle_t ready;
	uint32_t sub;
};

struct constcache {
	struct lru l0[16]; /* by sub-core */
	struct lru l1;
	struct lru seen; /* lines of the second level, of all launches */
	bool perfect, has_l1, asks;
	uint32_t subcores;
	unsigned shift;            /* bits of addresses within an access */
	unsigned l0_more, l1_more; /* and more of an L0 line, of an L1 line */
	cycle_t l0_cycles, l1_cycles, l2_cycles, first_cycles, word_cycles;
	uint32_t interval, line_bytes;
	/* Lines in flight: a ring, the youngest replaces the oldest. Those
	 * before `late_first` have arrived. */
	struct const_late late[CONSTCACHE_LATE];
	uint32_t late_at, late_first;
	cycle_t latest; /* maximum ready cycle in the ring */
	cycle_t back;   /* by so much an access may precede an earlier one */
	struct stat_lsu *st;
};

enum err constcache_new(struct constcache **out, struct arena *a,
			const struct cfg *cfg, struct stat_lsu *st, bool asks,
			cycle_t back, struct diag *d)
{
	const struct cfg_ccache *k = &cfg->ccache;
	struct constcache *c = arena_new(a, struct constcache, 1);
	int64_t l1_line = k->l1_line > k->l0_line && !asks ? k->l1_line :
							     k->l0_line;
	unsigned line_bits = (unsigned)__builtin_ctzll((uint64_t)k->l0_line);
	bool ok = true;

	if (!c)
		return fail(d, ERR_NOMEM, "no memory for constant caches");
	*c = (struct constcache){
		.perfect = k->perfect,
		.has_l1 = !k->perfect && k->l1,
		.asks = asks,
		.back = back,
		.line_bytes = (uint32_t)k->l0_line,
		.subcores = (uint32_t)cfg->sm.subcores,
		.shift = k->word_cycles ? 0 : line_bits,
		.l0_more = k->word_cycles ? line_bits : 0,
		.l1_more = (unsigned)__builtin_ctzll(
			(uint64_t)(l1_line / k->l0_line)),
		.l0_cycles = (cycle_t)k->l0_cycles,
		.l1_cycles = (cycle_t)k->l1_cycles,
		.l2_cycles = (cycle_t)k->l2_cycles,
		.first_cycles = (cycle_t)k->first_cycles,
		.word_cycles = (cycle_t)k->word_cycles,
		.interval = k->word_cycles ? (uint32_t)k->word_interval : 1,
		.st = st,
	};
	for (uint32_t i = 0; !c->perfect && i < c->subcores; i++)
		ok &= lru_init(&c->l0[i], a, k->l0, k->l0_line, k->l0_ways);
	if (c->has_l1)
		ok &= lru_init(&c->l1, a, k->l1, k->l1_line, k->l1_ways);
	if (c->first_cycles)
		ok &= lru_init(&c->seen, a, CONSTCACHE_SEEN, l1_line,
			       SEEN_WAYS);
	lru_empty(&c->seen);
	*out = c;
	return ok ? ERR_OK :
		    fail(d, ERR_NOMEM, "no memory for constant caches");
}

void constcache_start(struct constcache *c)
{
	for (uint32_t i = 0; !c->perfect && i < c->subcores; i++)
		lru_empty(&c->l0[i]);
	lru_empty(&c->l1);
	c->latest = 0;
}

unsigned constcache_shift(const struct constcache *c)
{
	return c->shift;
}

/* Looks up a line. If it is absent, it is present from now on. */
static inline bool constcache_look(struct lru *c, uint64_t line)
{
	if (LIKELY(lru_use(c, line) != LRU_NOWHERE))
		return true;
	lru_put(c, line);
	return false;
}

static struct const_late *constcache_late(struct constcache *c, uint32_t i)
{
	return &c->late[i % CONSTCACHE_LATE];
}

/* Forgets the oldest lines as far as they will have arrived at any access that
 * follows one of an instruction that made its first at `start`. */
static void constcache_forget(struct constcache *c, cycle_t start)
{
	if (c->late_at - c->late_first > CONSTCACHE_LATE)
		c->late_first = c->late_at - CONSTCACHE_LATE;
	while (c->late_first != c->late_at &&
	       constcache_late(c, c->late_first)->ready + c->back <= start)
		c->late_first++;
}

/* The maximum of `ready` and the ready cycle of the line, if it is in flight.
 * In the second level (any) it does not matter which sub-core requested it. */
static cycle_t constcache_wait_for(struct constcache *c, uint64_t line,
				   bool any, uint32_t sub, cycle_t ready)
{
	unsigned more = any ? c->l1_more : 0;

	for (uint32_t i = c->late_first; i != c->late_at; i++) {
		const struct const_late *l = constcache_late(c, i);

		if (l->ready > ready && l->line >> more == line >> more &&
		    (any || l->sub == sub))
			ready = l->ready;
	}
	return ready;
}

static void constcache_note(struct constcache *c, uint64_t line, uint32_t sub,
			    cycle_t ready)
{
	*constcache_late(c, c->late_at++) =
		(struct const_late){ .line = line, .ready = ready, .sub = sub };
	if (ready > c->latest)
		c->latest = ready;
}

uint32_t constcache_interval(const struct constcache *c)
{
	return c->interval;
}

/* Reads a line of the first level at cycle t. If no level has it, it was
 * requested from the L2 at cycle sent. */
static cycle_t constcache_read_line(struct constcache *c, uint32_t sub,
				    uint64_t line, bool kept, cycle_t t,
				    cycle_t sent)
{
	cycle_t ready = t + c->l0_cycles;

	if (c->perfect || constcache_look(&c->l0[sub], line)) {
		c->st->const_l0_hits++;
		if (c->latest > ready)
			ready = constcache_wait_for(c, line, false, sub, ready);
		return ready;
	}
	if ((c->has_l1 && constcache_look(&c->l1, line >> c->l1_more)) ||
	    kept) {
		c->st->const_l1_hits++;
		ready = t + c->l1_cycles;
		if (c->latest > ready)
			ready = constcache_wait_for(c, line, true, sub, ready);
	} else {
		c->st->const_misses++;
		ready = sent + c->l2_cycles;
		if (c->first_cycles &&
		    !constcache_look(&c->seen, line >> c->l1_more))
			ready += c->first_cycles;
		if (ready < t + c->l1_cycles)
			ready = t + c->l1_cycles;
	}
	constcache_note(c, line, sub, ready);
	return ready;
}

uint64_t constcache_line(const struct constcache *c, uint64_t access)
{
	return access >> c->l0_more;
}

uint32_t constcache_line_bytes(const struct constcache *c)
{
	return c->line_bytes;
}

static void constcache_keep(struct lru *c, uint64_t line)
{
	if (lru_find(c, line) == LRU_NOWHERE)
		lru_put(c, line);
}

void constcache_fill(struct constcache *c, uint32_t sub, uint64_t line)
{
	constcache_keep(&c->l0[sub], line);
	if (c->has_l1)
		constcache_keep(&c->l1, line);
}

/* Whether a line must be requested. */
static bool constcache_misses(struct constcache *c, uint32_t sub, uint64_t line,
			      bool kept)
{
	if (c->perfect || kept || lru_find(&c->l0[sub], line) != LRU_NOWHERE ||
	    (c->has_l1 && lru_find(&c->l1, line) != LRU_NOWHERE))
		return false;
	c->st->const_misses++;
	return true;
}

cycle_t constcache_read(struct constcache *c, uint32_t sub, uint64_t access,
			bool kept, cycle_t start, cycle_t *t)
{
	cycle_t hit = *t + c->l0_cycles;
	cycle_t sent = c->word_cycles ? start : *t;
	cycle_t ready;

	if (UNLIKELY(c->asks) &&
	    constcache_misses(c, sub, access >> c->l0_more, kept))
		return CYCLE_NEVER;
	constcache_forget(c, start);
	ready = constcache_read_line(c, sub, access >> c->l0_more, kept, *t,
				     sent);
	/* The lanes that are left try again after the answer. */
	*t += c->word_cycles ? ready - hit + c->word_cycles : 1;
	return ready;
}
