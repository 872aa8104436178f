/*
 * Cache-conscious wavefront scheduling: gto among the warps that lost locality
 * does not throttle (Rogers, O'Connor, Aamodt, MICRO 2012).
 *
 * A warp's victim tags (sm.ccws_tags, LRU in sets of sm.ccws_ways) remember
 * lines that it lost from the L1. A miss that finds its line there sets the
 * warp's score to
 *   hits in victim tags / instructions issued * sm.ccws_throttle * cutoff,
 * where cutoff = resident warps * sm.ccws_score. A score falls by one per
 * cycle, down to sm.ccws_score. Warps are stacked, highest score first (of
 * equal ones the last to come down, then the oldest); those that reach above
 * the cutoff may not issue.
 *
 * Different from the paper: a throttled warp issues nothing, not only no load;
 * each scheduler keeps scores for its own warps; a score stops at the cutoff;
 * the first warp of the stack may always issue. The latency of sorting the
 * scores is not modelled.
 */
#include <string.h>

#include "sm/sched_impl.h"

struct ccws_tag {
	uint64_t line;
	uint64_t used; /* the clock at its last use; 0: empty */
};

struct ccws {
	uint64_t hits, issued;     /* in victim tags; instructions */
	uint64_t clock;            /* of the tags' LRU */
	uint64_t allowed;          /* not throttled, until s->wake */
	uint64_t stays;            /* s->same, while it may be throttled */
	int count;                 /* resident warps */
	int8_t stack[SCHED_SLOTS]; /* their slots, highest score first */
	/* The cycle in which a slot's score is back at sm.ccws_score. Kept in
	 * place of the score, which falls with time: that takes no work and
	 * never changes the order. */
	cycle_t settled[SCHED_SLOTS];
	struct ccws_tag *tags; /* sm.ccws_tags of each slot */
};

static struct ccws_tag *ccws_set(const struct sched *s, int slot, uint64_t line)
{
	const struct ccws *c = s->state;
	uint64_t tags = (uint64_t)s->cfg->sm.ccws_tags;
	uint64_t ways = (uint64_t)s->cfg->sm.ccws_ways;

	return c->tags + (uint64_t)slot * tags + line % (tags / ways) * ways;
}

static void ccws_clear_tags(const struct sched *s, int slot)
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
		ccws_clear_tags(s, slot);
}

static uint64_t ccws_excess(cycle_t settled, cycle_t now)
{
	return settled > now ? settled - now : 0;
}

/*
 * Returns the first cycle in which the warps up to stack[top] stay below the
 * cutoff: their scores together exceed the base by at most `room`. The settled
 * times fall along the stack, so that excess at cycle t is the maximum over m
 * of (sum of the first m settled times) - m * t.
 */
static cycle_t ccws_fits_at(const struct ccws *c, int top, uint64_t room)
{
	uint64_t sum = 0, at = 0;

	for (int m = 1; m <= top + 1; m++) {
		uint64_t need;

		sum += c->settled[c->stack[m - 1]];
		need = sum > room ?
			       (sum - room + (uint64_t)m - 1) / (uint64_t)m :
			       0;
		at = need > at ? need : at;
	}
	return at;
}

/* Computes which warps may issue at cycle `now`, and until when that holds. */
static void ccws_update_allowed(struct sched *s, cycle_t now)
{
	struct ccws *c = s->state;
	uint64_t base = (uint64_t)s->cfg->sm.ccws_score, sum = 0;
	int top;

	c->allowed = 0;
	s->wake = CYCLE_NEVER;
	for (top = 0; top < c->count; top++) {
		uint64_t room = (uint64_t)(c->count - 1 - top) * base;

		sum += ccws_excess(c->settled[c->stack[top]], now);
		if (top && sum > room) {
			s->wake = ccws_fits_at(c, top, room);
			break;
		}
		c->allowed |= sched_bit(c->stack[top]);
	}
}

static void ccws_stack_remove(struct ccws *c, int slot)
{
	int8_t *at = memchr(c->stack, slot, (size_t)c->count);

	if (!at)
		return;
	c->count--;
	memmove(at, at + 1, (size_t)(c->stack + c->count - at));
}

/* Who may issue is to be computed again, before the warp that issued last goes
 * on: sched_pick does not ask for it. */
static void ccws_changed(struct sched *s)
{
	struct ccws *c = s->state;

	c->stays |= s->same;
	s->same = 0;
	s->wake = 0;
}

/* Keeps the stack sorted by settled time, latest first, then by age. */
static void ccws_stack_insert(struct sched *s, int slot)
{
	struct ccws *c = s->state;
	int at = c->count++;

	for (; at; at--) {
		int up = c->stack[at - 1];

		if (c->settled[up] > c->settled[slot] ||
		    (c->settled[up] == c->settled[slot] &&
		     s->older[slot] & sched_bit(up)))
			break;
		c->stack[at] = (int8_t)up;
	}
	c->stack[at] = (int8_t)slot;
	ccws_changed(s);
}

static int ccws_pick(struct sched *s, uint64_t can, cycle_t now)
{
	const struct ccws *c = s->state;

	if (now >= s->wake)
		ccws_update_allowed(s, now);
	can &= c->allowed;
	if (!can)
		return SCHED_NONE;
	if (can & c->stays)
		return sched_lowest(can & c->stays);
	return sched_find_oldest(s, sched_not_yielded(s, can));
}

static void ccws_issued(struct sched *s, int slot)
{
	struct ccws *c = s->state;

	(void)slot;
	c->stays = 0;
	c->issued++;
}

static void ccws_started(struct sched *s, int slot)
{
	struct ccws *c = s->state;

	CHECK(c->count < SCHED_SLOTS);
	ccws_clear_tags(s, slot);
	c->stays &= ~sched_bit(slot);
	c->settled[slot] = 0;
	ccws_stack_insert(s, slot);
}

static void ccws_ended(struct sched *s, int slot)
{
	ccws_stack_remove(s->state, slot);
	ccws_changed(s);
}

static void ccws_evicted(struct sched *s, int slot, uint64_t line)
{
	struct ccws *c = s->state;
	struct ccws_tag *set = ccws_set(s, slot, line), *into = set;

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

/* Returns the score of a warp that has just lost a hit, minus the base. */
static uint64_t ccws_points(const struct sched *s)
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
	struct ccws_tag *set = ccws_set(s, slot, line);
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
	c->settled[slot] = now + ccws_points(s);
	ccws_stack_remove(c, slot);
	ccws_stack_insert(s, slot);
}

const struct sched_ops sched_ccws = {
	.name = "ccws",
	.greedy = UINT64_MAX,
	.pick = ccws_pick,
	.init = ccws_init,
	.start = ccws_start,
	.issued = ccws_issued,
	.started = ccws_started,
	.ended = ccws_ended,
	.missed = ccws_missed,
	.evicted = ccws_evicted,
};
