#include "sm/sched.h"

#include <string.h>

static uint64_t bit_of(int slot)
{
	return UINT64_C(1) << slot;
}

static int lowest(uint64_t mask)
{
	return __builtin_ctzll(mask);
}

static int highest(uint64_t mask)
{
	return 63 - __builtin_clzll(mask);
}

/*
 * Step from a slot to any older one until there is none. Blocks fill slots
 * upwards, so the lowest is a good guess; a bad one costs a few steps.
 */
static int oldest(const struct sched *s, uint64_t can)
{
	int slot = lowest(can);

	for (uint64_t m; (m = can & s->older[slot]);)
		slot = lowest(m);
	return slot;
}

static int youngest(const struct sched *s, uint64_t can)
{
	int slot = highest(can);

	for (uint64_t m; (m = can & ~s->older[slot] & ~bit_of(slot));)
		slot = highest(m);
	return slot;
}

static int next_slot(const struct sched *s, uint64_t can)
{
	uint64_t above = can & s->after;

	return lowest(above ? above : can);
}

/* ---- lrr, gto, cggty ---- */

static int lrr_pick(struct sched *s, uint64_t can, cycle_t now)
{
	(void)now;
	return next_slot(s, can);
}

static int gto_pick(struct sched *s, uint64_t can, cycle_t now)
{
	(void)now;
	return oldest(s, can);
}

static int cggty_pick(struct sched *s, uint64_t can, cycle_t now)
{
	(void)now;
	return youngest(s, can);
}

static const struct sched_ops lrr = { .name = "lrr", .pick = lrr_pick };

static const struct sched_ops gto = {
	.name = "gto",
	.greedy = UINT64_MAX,
	.pick = gto_pick,
};

static const struct sched_ops cggty = {
	.name = "cggty",
	.greedy = UINT64_MAX,
	.pick = cggty_pick,
};

/* ---- two_level ---- */

struct two_level {
	uint64_t active;
	uint64_t stalled; /* in neither of the other two */
	int count;        /* of the active ones */
	/* Ready and not active, the longest first. */
	int pending;
	int8_t queue[SCHED_SLOTS];
};

static void promote(struct sched *s)
{
	struct two_level *t = s->state;

	while (t->pending && t->count < s->cfg->sm.active_warps) {
		t->active |= bit_of(t->queue[0]);
		t->count++;
		t->pending--;
		memmove(t->queue, t->queue + 1, (size_t)t->pending);
	}
}

/* Out of the active set or the queue, wherever it is. */
static void demote(struct sched *s, int slot)
{
	struct two_level *t = s->state;
	int8_t *at;

	if (t->active & bit_of(slot)) {
		t->active &= ~bit_of(slot);
		t->count--;
		promote(s);
		return;
	}
	at = memchr(t->queue, slot, (size_t)t->pending);
	if (!at)
		return;
	t->pending--;
	memmove(at, at + 1, (size_t)(t->queue + t->pending - at));
}

static enum err two_level_init(struct sched *s, struct arena *a, struct diag *d)
{
	s->state = arena_new(a, struct two_level, 1);
	if (!s->state)
		return fail(d, ERR_NOMEM, "no memory for a warp scheduler");
	return ERR_OK;
}

static void two_level_start(struct sched *s)
{
	memset(s->state, 0, sizeof(struct two_level));
}

static int two_level_pick(struct sched *s, uint64_t can, cycle_t now)
{
	const struct two_level *t = s->state;

	(void)now;
	can &= t->active;
	return can ? next_slot(s, can) : SCHED_NONE;
}

static void two_level_started(struct sched *s, int slot)
{
	struct two_level *t = s->state;

	CHECK(t->pending < SCHED_SLOTS);
	t->queue[t->pending++] = (int8_t)slot;
	promote(s);
}

static void two_level_ended(struct sched *s, int slot)
{
	struct two_level *t = s->state;

	t->stalled &= ~bit_of(slot);
	demote(s, slot);
}

static void two_level_stalled(struct sched *s, int slot)
{
	struct two_level *t = s->state;

	t->stalled |= bit_of(slot);
	demote(s, slot);
}

static void two_level_woken(struct sched *s, int slot)
{
	struct two_level *t = s->state;

	if (!(t->stalled & bit_of(slot)))
		return;
	t->stalled &= ~bit_of(slot);
	two_level_started(s, slot);
}

static const struct sched_ops two_level = {
	.name = "two_level",
	.pick = two_level_pick,
	.init = two_level_init,
	.start = two_level_start,
	.stalled = two_level_stalled,
	.woken = two_level_woken,
	.started = two_level_started,
	.ended = two_level_ended,
};

/* ---- ccws ---- */

struct ccws_tag {
	uint64_t line;
	uint64_t used; /* a number that grows; 0: empty */
};

struct ccws {
	uint64_t hits, issued;     /* in victim tags; instructions */
	uint64_t clock;            /* of the tags' LRU */
	uint64_t allowed;          /* not throttled, until s->wake */
	int count;                 /* resident warps */
	int8_t stack[SCHED_SLOTS]; /* them, the highest score first */
	/* When a slot's score is back at sm.ccws_score. That it falls with
	 * time then needs no work, and never changes the order. */
	cycle_t calm[SCHED_SLOTS];
	struct ccws_tag *tags; /* sm.ccws_tags of each slot */
};

static struct ccws_tag *tag_set(const struct sched *s, int slot, uint64_t line)
{
	const struct ccws *c = s->state;
	uint64_t tags = (uint64_t)s->cfg->sm.ccws_tags;
	uint64_t ways = (uint64_t)s->cfg->sm.ccws_ways;

	return c->tags + (uint64_t)slot * tags + line % (tags / ways) * ways;
}

static void forget_tags(const struct sched *s, int slot)
{
	const struct ccws *c = s->state;
	size_t tags = (size_t)s->cfg->sm.ccws_tags;

	memset(c->tags + (size_t)slot * tags, 0, tags * sizeof(c->tags[0]));
}

static enum err ccws_init(struct sched *s, struct arena *a, struct diag *d)
{
	struct ccws *c = arena_new(a, struct ccws, 1);
	size_t tags = (size_t)s->cfg->sm.ccws_tags;

	if (s->cfg->sm.ccws_tags % s->cfg->sm.ccws_ways)
		return fail(d, ERR_RANGE,
			    "sm.ccws_tags: not a multiple of sm.ccws_ways");
	if (c)
		c->tags = arena_new(a, struct ccws_tag, SCHED_SLOTS * tags);
	if (!c || !c->tags)
		return fail(d, ERR_NOMEM, "no memory for a warp scheduler");
	s->state = c;
	return ERR_OK;
}

static void ccws_start(struct sched *s)
{
	struct ccws *c = s->state;
	struct ccws_tag *tags = c->tags;

	memset(c, 0, sizeof(*c));
	c->tags = tags;
	for (int slot = 0; slot < SCHED_SLOTS; slot++)
		forget_tags(s, slot);
}

static uint64_t above(cycle_t calm, cycle_t now)
{
	return calm > now ? calm - now : 0;
}

/*
 * The first cycle in which the warps up to stack[top] stay below the cutoff:
 * their scores exceed the base by no more than `room` in all. With the calm
 * times falling along the stack, that excess at cycle t is the largest of
 * (sum of the first m calm times) - m * t.
 */
static cycle_t fits_at(const struct ccws *c, int top, uint64_t room)
{
	uint64_t sum = 0, at = 0;

	for (int m = 1; m <= top + 1; m++) {
		uint64_t need;

		sum += c->calm[c->stack[m - 1]];
		need = sum > room ?
			       (sum - room + (uint64_t)m - 1) / (uint64_t)m :
			       0;
		at = need > at ? need : at;
	}
	return at;
}

/* Who may issue at cycle `now`, and until when that holds. */
static void cut_off(struct sched *s, cycle_t now)
{
	struct ccws *c = s->state;
	uint64_t base = (uint64_t)s->cfg->sm.ccws_score, sum = 0;
	int top;

	c->allowed = 0;
	s->wake = CYCLE_NEVER;
	for (top = 0; top < c->count; top++) {
		uint64_t room = (uint64_t)(c->count - 1 - top) * base;

		sum += above(c->calm[c->stack[top]], now);
		if (top && sum > room) {
			s->wake = fits_at(c, top, room);
			break;
		}
		c->allowed |= bit_of(c->stack[top]);
	}
}

static void take_out(struct ccws *c, int slot)
{
	int8_t *at = memchr(c->stack, slot, (size_t)c->count);

	if (!at)
		return;
	c->count--;
	memmove(at, at + 1, (size_t)(c->stack + c->count - at));
}

/* Where its calm time, then its age, says. */
static void put_in(struct sched *s, int slot)
{
	struct ccws *c = s->state;
	int at = c->count++;

	for (; at; at--) {
		int up = c->stack[at - 1];

		if (c->calm[up] > c->calm[slot] ||
		    (c->calm[up] == c->calm[slot] &&
		     s->older[slot] & bit_of(up)))
			break;
		c->stack[at] = (int8_t)up;
	}
	c->stack[at] = (int8_t)slot;
	s->wake = 0;
}

static int ccws_pick(struct sched *s, uint64_t can, cycle_t now)
{
	const struct ccws *c = s->state;

	if (now >= s->wake)
		cut_off(s, now);
	can &= c->allowed;
	if (!can)
		return SCHED_NONE;
	if (s->last != SCHED_NONE && can & bit_of(s->last))
		return s->last;
	return oldest(s, can);
}

static void ccws_issued(struct sched *s, int slot)
{
	struct ccws *c = s->state;

	(void)slot;
	c->issued++;
}

static void ccws_started(struct sched *s, int slot)
{
	struct ccws *c = s->state;

	CHECK(c->count < SCHED_SLOTS);
	forget_tags(s, slot);
	c->calm[slot] = 0;
	put_in(s, slot);
}

static void ccws_ended(struct sched *s, int slot)
{
	take_out(s->state, slot);
	s->wake = 0;
}

static void ccws_evicted(struct sched *s, int slot, uint64_t line)
{
	struct ccws *c = s->state;
	struct ccws_tag *set = tag_set(s, slot, line), *into = set;

	for (int64_t w = 0; w < s->cfg->sm.ccws_ways; w++) {
		if (set[w].used && set[w].line == line) {
			into = &set[w];
			break;
		}
		if (set[w].used < into->used)
			into = &set[w];
	}
	*into = (struct ccws_tag){ line, ++c->clock };
}

/* The score of a warp that has just lost a hit, less the base. */
static uint64_t lost_points(const struct sched *s)
{
	const struct ccws *c = s->state;
	uint64_t base = (uint64_t)s->cfg->sm.ccws_score;
	uint64_t cutoff = (uint64_t)c->count * base;
	uint64_t issued = c->issued ? c->issued : 1;
	unsigned __int128 points = (unsigned __int128)c->hits * cutoff *
				   (uint64_t)s->cfg->sm.ccws_throttle / issued;

	if (points > cutoff)
		points = cutoff;
	return points > base ? (uint64_t)points - base : 0;
}

static void ccws_missed(struct sched *s, int slot, uint64_t line, cycle_t now)
{
	struct ccws *c = s->state;
	struct ccws_tag *set = tag_set(s, slot, line);
	int64_t w = 0;

	while (w < s->cfg->sm.ccws_ways &&
	       !(set[w].used && set[w].line == line))
		w++;
	/* A load may miss after its warp has ended. */
	if (w == s->cfg->sm.ccws_ways ||
	    !memchr(c->stack, slot, (size_t)c->count))
		return;
	set[w].used = 0;
	c->hits++;
	c->calm[slot] = now + lost_points(s);
	take_out(c, slot);
	put_in(s, slot);
}

static const struct sched_ops ccws = {
	.name = "ccws",
	.pick = ccws_pick,
	.init = ccws_init,
	.start = ccws_start,
	.issued = ccws_issued,
	.started = ccws_started,
	.ended = ccws_ended,
	.missed = ccws_missed,
	.evicted = ccws_evicted,
};

/* ---- what they share ---- */

const struct sched_ops *const sched_all[] = {
	[CFG_SCHEDULER_LRR] = &lrr,
	[CFG_SCHEDULER_GTO] = &gto,
	[CFG_SCHEDULER_TWO_LEVEL] = &two_level,
	[CFG_SCHEDULER_CGGTY] = &cggty,
	[CFG_SCHEDULER_CCWS] = &ccws,
	NULL,
};

enum err sched_init(struct sched *s, struct arena *a, const struct cfg *cfg,
		    uint64_t mine, struct diag *d)
{
	memset(s, 0, sizeof(*s));
	s->cfg = cfg;
	s->mine = mine;
	s->ops = sched_all[cfg->sm.scheduler];
	if (s->ops->init && s->ops->init(s, a, d))
		return d->code;
	sched_start(s);
	return ERR_OK;
}

void sched_start(struct sched *s)
{
	s->last = SCHED_NONE;
	s->same = 0;
	s->after = UINT64_MAX;
	s->wake = CYCLE_NEVER;
	/* Any order will do for slots that never started; it must be one. */
	for (int slot = 0; slot < SCHED_SLOTS; slot++)
		s->older[slot] = s->mine & (bit_of(slot) - 1);
	if (s->ops->start)
		s->ops->start(s);
}

void sched_started(struct sched *s, int slot)
{
	CHECK(s->mine & bit_of(slot));
	for (uint64_t m = s->mine; m; m &= m - 1)
		s->older[lowest(m)] &= ~bit_of(slot);
	s->older[slot] = s->mine & ~bit_of(slot);
	/* It is not the warp that issued last from this slot. */
	if (s->last == slot) {
		s->last = SCHED_NONE;
		s->same = 0;
	}
	if (s->ops->started)
		s->ops->started(s, slot);
}

void sched_ended(struct sched *s, int slot)
{
	if (s->ops->ended)
		s->ops->ended(s, slot);
}
