#include "mem/tags.h"

#include <inttypes.h>
#include <string.h>

#include "mem/tags_impl.h"

enum { HOST_LINE = 64, POOL_MAX = 1 << MSHR_BITS };

static bool tags_power_of_two(uint32_t n)
{
	return n && (n & (n - 1)) == 0;
}

static void tags_reset_set(const struct tags *t, uint8_t *set)
{
	uint8_t *rank = tags_ranks(t, set);

	memset(set, PARTIAL_PADDING, t->rank_at);
	memset(rank, RANK_PADDING, t->rank_at);
	memset(rank + t->rank_at, 0, t->line_at - 2 * t->rank_at);
	for (uint32_t i = 0; i < t->ways; i++) {
		set[i] = PARTIAL_EMPTY;
		rank[i] = (uint8_t)(t->ways - 1 - i);
	}
}

void tags_reset(struct tags *t)
{
	const uint8_t *first = tags_set_at(t, 0);

	tags_reset_set(t, tags_set_at(t, 0));
	for (uint32_t i = 1; i < t->spread.bins; i++)
		memcpy(tags_set_at(t, i), first, t->line_at);
	t->dirty_lines = 0;
	if (t->dirty_in_set)
		memset(t->dirty_in_set, 0, t->sets_max);
}

static enum err tags_check_shape(const struct tags_cfg *c, struct diag *d)
{
	uint64_t set = (uint64_t)c->line_bytes * c->ways;

	if (!tags_power_of_two(c->line_bytes) ||
	    !tags_power_of_two(c->sector_bytes) ||
	    c->sector_bytes > c->line_bytes)
		return fail(
			d, ERR_RANGE,
			"lines of %u bytes in sectors of %u bytes: expected "
			"powers of two, a sector no larger than a line",
			c->line_bytes, c->sector_bytes);
	if (c->line_bytes / c->sector_bytes > TAGS_SECTORS_MAX)
		return fail(
			d, ERR_RANGE,
			"%u sectors of %u bytes in a line: expected at most %d",
			c->line_bytes / c->sector_bytes, c->sector_bytes,
			TAGS_SECTORS_MAX);
	if (c->group && !tags_power_of_two(c->group))
		return fail(d, ERR_RANGE,
			    "%u sectors fetched together: expected a power of "
			    "two",
			    c->group);
	if (c->line_bytes > TAGS_PIECE_BYTES * TAGS_PIECES_MAX)
		return fail(d, ERR_RANGE,
			    "lines of %u bytes: expected at most %d",
			    c->line_bytes, TAGS_PIECE_BYTES * TAGS_PIECES_MAX);
	if (c->ways < 1 || c->ways > TAGS_WAYS_MAX)
		return fail(d, ERR_RANGE, "%u ways: expected 1 to %d", c->ways,
			    TAGS_WAYS_MAX);
	if (c->bytes < set || c->bytes % set || c->bytes / set > SPREAD_MAX)
		return fail(d, ERR_RANGE,
			    "a cache of %" PRIu64 " bytes: expected 1 to %d "
			    "sets of %u ways of %u bytes",
			    c->bytes, SPREAD_MAX, c->ways, c->line_bytes);
	return ERR_OK;
}

/* Checks the bounds of what is in flight and resolves that of waiters. */
static enum err tags_check_bounds(const struct tags_cfg *c, uint32_t *waiters,
				  struct diag *d)
{
	uint64_t n = c->waiters ? c->waiters : (uint64_t)c->mshrs * c->merges;

	if (c->mshrs < 1 || c->mshrs > POOL_MAX)
		return fail(d, ERR_RANGE, "%u MSHRs: expected 1 to %d",
			    c->mshrs, POOL_MAX);
	if (c->merges < 1)
		return fail(d, ERR_RANGE,
			    "0 reads per MSHR: expected at least 1");
	if (n > POOL_MAX)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " reads that wait for a line: expected "
			    "at most %d",
			    n, POOL_MAX);
	*waiters = (uint32_t)n;
	return ERR_OK;
}

static void tags_set_shape(struct tags *t, uint32_t sets, uint32_t ways)
{
	spread_init(&t->spread, sets, t->spread.hash);
	t->ways = ways;
	t->padded = (ways + WAYS_STEP - 1) / WAYS_STEP * WAYS_STEP;
	t->plain = !t->inserts && !t->chooses && t->in_flight_words == 1;
	tags_reset(t);
}

static void tags_set_groups(struct tags *t, uint32_t group, uint32_t sectors)
{
	unsigned members;

	t->group = (uint8_t)(group < 1 ? 1 : group < sectors ? group : sectors);
	members = (1u << t->group) - 1;

	for (unsigned i = 0; i <= t->all_sectors; i++)
		for (unsigned at = 0; i >> at; at += t->group)
			if (i >> at & members)
				t->grouped[i] |= (uint8_t)(members << at);
}

static void tags_configure(struct tags *t, const struct tags_cfg *c)
{
	uint32_t sectors = c->line_bytes / c->sector_bytes;
	uint32_t piece = c->sector_bytes < TAGS_PIECE_BYTES ? c->sector_bytes :
							      TAGS_PIECE_BYTES;

	t->spread.hash = (uint8_t)c->hash;
	t->all_sectors = (uint8_t)((1u << sectors) - 1);
	tags_set_groups(t, c->group, sectors);
	t->pieces = c->line_bytes / piece;
	t->pieces_per_sector = c->sector_bytes / piece;
	t->piece_full = (uint32_t)((UINT64_C(1) << piece) - 1);
	t->write_back = c->write_back;
	t->unnamed_victims = c->unnamed_victims && !c->write_back;
	t->write_miss = (uint8_t)c->write_miss;
	t->merges = c->merges;
}

static void tags_set_replacement(struct tags *t, const struct tags_cfg *c)
{
	const struct replace_ops *p = replace_all[c->replace];

	t->policy = p;
	t->renews = p->renews;
	t->touches = p->touch != NULL;
	t->inserts = p->insert != NULL;
	t->chooses = p->victim != NULL;
	if (p->init)
		p->init(&t->policy_word, c->seed);
}

static bool tags_allocate(struct tags *t, struct arena *a,
			  const struct tags_cfg *c, uint32_t waiters)
{
	size_t masks = (size_t)t->sets_max * t->ways_max * t->pieces;

	t->rank_at = (c->ways + WAYS_STEP - 1) / WAYS_STEP * WAYS_STEP;
	t->line_at = (t->policy->way_state ? 3 : 2) * t->rank_at;
	t->stride = (t->line_at + c->ways * (uint32_t)sizeof(struct tags_line) +
		     HOST_LINE - 1) /
		    HOST_LINE * HOST_LINE;
	t->sets = arena_alloc(a, t->sets_max, t->stride);
	t->in_flight_words = (c->ways + IN_FLIGHT_BITS - 1) / IN_FLIGHT_BITS;
	t->in_flight = arena_new(a, uint64_t, t->sets_max * t->in_flight_words);
	t->mshr = arena_new(a, struct tags_mshr, c->mshrs);
	t->waiter = arena_room(a, struct tags_waiter, waiters);
	if (c->write_back || c->write_miss == TAGS_VALIDATE) {
		t->bytes = arena_room(a, uint32_t, masks);
		if (!t->bytes)
			return false;
	}
	if (!t->sets || !t->in_flight || !t->mshr || !t->waiter)
		return false;
	if (c->write_back && c->dirty_ways && c->dirty_ways < c->ways) {
		t->dirty_ways = c->dirty_ways;
		t->dirty_in_set = arena_new(a, uint8_t, t->sets_max);
		if (!t->dirty_in_set)
			return false;
	}
	if (c->write_back && c->partial_ways < c->ways)
		t->partial_ways = c->partial_ways;
	t->free_mshr = t->free_waiter = TAGS_NONE;
	t->mshrs = c->mshrs;
	t->waiters = waiters;
	return true;
}

enum err tags_new(struct tags **out, struct arena *a,
		  const struct tags_cfg *cfg, struct diag *d)
{
	uint32_t waiters = 0;
	enum err e = tags_check_shape(cfg, d);
	struct tags *t;

	if (e == ERR_OK)
		e = tags_check_bounds(cfg, &waiters, d);
	if (e != ERR_OK)
		return e;
	t = arena_new(a, struct tags, 1);
	if (!t)
		return fail(d, ERR_NOMEM, "no memory for a cache");
	t->ways_max = cfg->ways;
	t->sets_max = (uint32_t)(cfg->bytes / cfg->line_bytes / cfg->ways);
	tags_configure(t, cfg);
	tags_set_replacement(t, cfg);
	if (!tags_allocate(t, a, cfg, waiters))
		return fail(d, ERR_NOMEM,
			    "no memory for the tags of %" PRIu64 " bytes",
			    cfg->bytes);
	tags_set_shape(t, t->sets_max, t->ways_max);
	*out = t;
	return ERR_OK;
}

void tags_resize(struct tags *t, uint32_t sets, uint32_t ways)
{
	CHECK(!t->outstanding && !t->dirty_lines);
	CHECK(sets >= 1 && sets <= t->sets_max);
	CHECK(ways >= 1 && ways <= t->ways_max);
	tags_set_shape(t, sets, ways);
}

uint32_t tags_sets(const struct tags *t)
{
	return t->spread.bins;
}

uint32_t tags_ways(const struct tags *t)
{
	return t->ways;
}

uint32_t tags_outstanding(const struct tags *t)
{
	return t->outstanding;
}

uint32_t tags_dirty_lines(const struct tags *t)
{
	return t->dirty_lines;
}

const struct tags_stats *tags_stats(const struct tags *t)
{
	return &t->st;
}

const char *tags_broken_law(const struct tags *t)
{
	const struct tags_stats *s = &t->st;

#define LAW(cond)                     \
	do {                          \
		if (!(cond))          \
			return #cond; \
	} while (0)
	LAW(s->read_hits + s->read_pending + s->read_misses == s->reads);
	LAW(s->sector_hits + s->sector_pending + s->sector_misses ==
	    s->read_sectors);
	LAW(s->write_hits + s->write_misses == s->writes);
	LAW(s->read_partials <= s->read_misses);
	LAW(s->dirty_evictions <= s->evictions);
	LAW(s->dirty_evictions + s->cleans <= s->dirty_sectors);
	LAW(s->fills <= s->fill_sectors);
	LAW(s->fill_sectors <= s->sector_misses + s->write_fetches +
				       s->group_fetches + s->completions);
	LAW(t->outstanding ||
	    s->fill_sectors == s->sector_misses + s->write_fetches +
				       s->group_fetches + s->completions);
#undef LAW
	return NULL;
}
