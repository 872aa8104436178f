#include "mem/tags.h"

#include <inttypes.h>
#include <string.h>

#include "mem/tags_impl.h"

enum { HOST_LINE = 64, POOL_MAX = 1 << 24 };

static bool power_of_two(uint32_t n)
{
	return n && (n & (n - 1)) == 0;
}

static void reset_set(const struct tags *t, uint8_t *set)
{
	uint8_t *rank = ranks(t, set);

	memset(set, PART_NO_WAY, t->rank_at);
	memset(rank, RANK_NO_WAY, t->rank_at);
	for (uint32_t i = 0; i < t->ways; i++) {
		set[i] = PART_EMPTY;
		rank[i] = (uint8_t)(t->ways - 1 - i);
	}
}

void tags_reset(struct tags *t)
{
	const uint8_t *first = set_of(t, 0);

	reset_set(t, set_of(t, 0));
	for (uint32_t i = 1; i < t->spread.bins; i++)
		memcpy(set_of(t, i), first, t->line_at);
	t->dirty_lines = 0;
}

static enum err check_shape(const struct tags_cfg *c, struct diag *d)
{
	uint64_t set = (uint64_t)c->line_bytes * c->ways;

	if (!power_of_two(c->line_bytes) || !power_of_two(c->sector_bytes) ||
	    c->sector_bytes > c->line_bytes)
		return fail(d, ERR_RANGE,
			    "lines of %u bytes in sectors of %u: powers of two "
			    "are needed, the line's the larger",
			    c->line_bytes, c->sector_bytes);
	if (c->line_bytes / c->sector_bytes > TAGS_SECTORS_MAX)
		return fail(d, ERR_RANGE,
			    "%u sectors of %u bytes in a line: more than %d",
			    c->line_bytes / c->sector_bytes, c->sector_bytes,
			    TAGS_SECTORS_MAX);
	if (c->line_bytes > TAGS_PIECE_BYTES * TAGS_PIECES_MAX)
		return fail(d, ERR_RANGE, "lines of %u bytes: more than %d",
			    c->line_bytes, TAGS_PIECE_BYTES * TAGS_PIECES_MAX);
	if (c->ways < 1 || c->ways > TAGS_WAYS_MAX)
		return fail(d, ERR_RANGE, "%u ways: outside [1, %d]", c->ways,
			    TAGS_WAYS_MAX);
	if (c->bytes < set || c->bytes % set || c->bytes / set > SPREAD_MAX)
		return fail(d, ERR_RANGE,
			    "a cache of %" PRIu64 " bytes: not 1 to %d sets of "
			    "%u ways of %u bytes",
			    c->bytes, SPREAD_MAX, c->ways, c->line_bytes);
	return ERR_OK;
}

/* Checks the bounds of what is under way; *waiters is the last of them. */
static enum err check_bounds(const struct tags_cfg *c, uint32_t *waiters,
			     struct diag *d)
{
	uint64_t n = c->waiters ? c->waiters : (uint64_t)c->mshrs * c->merges;

	if (c->mshrs < 1 || c->mshrs > POOL_MAX)
		return fail(d, ERR_RANGE, "%u MSHRs: outside [1, %d]", c->mshrs,
			    POOL_MAX);
	if (c->merges < 1)
		return fail(d, ERR_RANGE, "an MSHR that holds no read");
	if (n > POOL_MAX)
		return fail(d, ERR_RANGE,
			    "%" PRIu64 " reads that wait for a line: more than "
			    "%d",
			    n, POOL_MAX);
	*waiters = (uint32_t)n;
	return ERR_OK;
}

static void set_shape(struct tags *t, uint32_t sets, uint32_t ways)
{
	spread_init(&t->spread, sets, t->spread.hash);
	t->ways = ways;
	t->row = (ways + STEP - 1) / STEP * STEP;
	tags_reset(t);
}

static void set_policy(struct tags *t, const struct tags_cfg *c)
{
	uint32_t sectors = c->line_bytes / c->sector_bytes;
	uint32_t piece = c->sector_bytes < TAGS_PIECE_BYTES ? c->sector_bytes :
							      TAGS_PIECE_BYTES;

	t->spread.hash = (uint8_t)c->hash;
	t->all_sectors = (uint8_t)((1u << sectors) - 1);
	t->pieces = c->line_bytes / piece;
	t->pieces_per_sector = c->sector_bytes / piece;
	t->piece_full = (uint32_t)((UINT64_C(1) << piece) - 1);
	t->write_back = c->write_back;
	t->nameless = c->nameless && !c->write_back;
	t->write_miss = (uint8_t)c->write_miss;
	t->replace = (uint8_t)c->replace;
	t->lru = c->replace == TAGS_LRU;
	t->merges = c->merges;
	/* Never 0, from which xorshift would not move. */
	t->random = (c->seed + UINT64_C(0x9e3779b97f4a7c15)) *
			    UINT64_C(0xbf58476d1ce4e5b9) |
		    1;
}

static bool allocate(struct tags *t, struct arena *a, const struct tags_cfg *c,
		     uint32_t waiters)
{
	size_t masks = (size_t)t->sets_max * t->ways_max * t->pieces;

	t->rank_at = (c->ways + STEP - 1) / STEP * STEP;
	t->line_at = 2 * t->rank_at;
	t->stride = (t->line_at + c->ways * (uint32_t)sizeof(struct line) +
		     HOST_LINE - 1) /
		    HOST_LINE * HOST_LINE;
	t->sets = arena_alloc(a, t->sets_max, t->stride);
	t->busy_words = (c->ways + BUSY_BITS - 1) / BUSY_BITS;
	t->busy = arena_new(a, uint64_t, t->sets_max * t->busy_words);
	t->mshr = arena_new(a, struct mshr, c->mshrs);
	t->waiter = arena_room(a, struct waiter, waiters);
	if (c->write_back || c->write_miss == TAGS_VALIDATE) {
		t->bytes = arena_room(a, uint32_t, masks);
		if (!t->bytes)
			return false;
	}
	if (!t->sets || !t->busy || !t->mshr || !t->waiter)
		return false;
	t->free_mshr = t->free_waiter = TAGS_NONE;
	t->mshrs = c->mshrs;
	t->waiters = waiters;
	return true;
}

enum err tags_new(struct tags **out, struct arena *a,
		  const struct tags_cfg *cfg, struct diag *d)
{
	uint32_t waiters = 0;
	enum err e = check_shape(cfg, d);
	struct tags *t;

	if (e == ERR_OK)
		e = check_bounds(cfg, &waiters, d);
	if (e != ERR_OK)
		return e;
	t = arena_new(a, struct tags, 1);
	if (!t)
		return fail(d, ERR_NOMEM, "no memory for a cache");
	t->ways_max = cfg->ways;
	t->sets_max = (uint32_t)(cfg->bytes / cfg->line_bytes / cfg->ways);
	set_policy(t, cfg);
	if (!allocate(t, a, cfg, waiters))
		return fail(d, ERR_NOMEM,
			    "no memory for the tags of %" PRIu64 " bytes",
			    cfg->bytes);
	set_shape(t, t->sets_max, t->ways_max);
	*out = t;
	return ERR_OK;
}

void tags_resize(struct tags *t, uint32_t sets, uint32_t ways)
{
	CHECK(!t->outstanding && !t->dirty_lines);
	CHECK(sets >= 1 && sets <= t->sets_max);
	CHECK(ways >= 1 && ways <= t->ways_max);
	set_shape(t, sets, ways);
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
	LAW(s->fill_sectors <= s->sector_misses + s->write_fetches);
	LAW(t->outstanding ||
	    s->fill_sectors == s->sector_misses + s->write_fetches);
#undef LAW
	return NULL;
}
