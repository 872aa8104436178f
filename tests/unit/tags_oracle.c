#include "tags_oracle.h"

#include <stdlib.h>
#include <string.h>

static uint32_t sectors_in_line(const struct plain *o)
{
	return o->cfg.line_bytes / o->cfg.sector_bytes;
}

static unsigned ones(unsigned x)
{
	unsigned n = 0;

	for (; x; x >>= 1)
		n += x & 1;
	return n;
}

static void set_shape(struct plain *o, uint32_t sets, uint32_t ways)
{
	size_t n = (size_t)sets * ways;

	free(o->at);
	o->at = calloc(n, sizeof(*o->at));
	o->sets = sets;
	o->ways = ways;
	spread_init(&o->spread, sets, o->cfg.hash);
	/* As if way 0 had been emptied last. */
	for (size_t i = 0; i < n; i++)
		o->at[i].emptied = o->clock + ways - i % ways;
	o->clock += ways;
}

void plain_init(struct plain *o, const struct tags_cfg *cfg)
{
	memset(o, 0, sizeof(*o));
	o->cfg = *cfg;
	if (!o->cfg.waiters)
		o->cfg.waiters = cfg->mshrs * cfg->merges;
	set_shape(o, (uint32_t)(cfg->bytes / cfg->line_bytes / cfg->ways),
		  cfg->ways);
}

void plain_free(struct plain *o)
{
	free(o->at);
}

void plain_resize(struct plain *o, uint32_t sets, uint32_t ways)
{
	set_shape(o, sets, ways);
}

static struct plain_line *set_of(struct plain *o, uint64_t line)
{
	uint64_t round;

	return o->at + (size_t)spread_to(&o->spread, line, &round) * o->ways;
}

struct plain_line *plain_find(struct plain *o, uint64_t line)
{
	struct plain_line *set = set_of(o, line);

	for (uint32_t i = 0; i < o->ways; i++)
		if (set[i].used && set[i].line == line)
			return &set[i];
	return NULL;
}

static bool any(const struct plain *o, const bool *flag, uint32_t sector)
{
	for (uint32_t i = 0; i < o->cfg.sector_bytes; i++)
		if (flag[sector * o->cfg.sector_bytes + i])
			return true;
	return false;
}

static bool all(const struct plain *o, const bool *flag, uint32_t sector)
{
	for (uint32_t i = 0; i < o->cfg.sector_bytes; i++)
		if (!flag[sector * o->cfg.sector_bytes + i])
			return false;
	return true;
}

unsigned plain_written(const struct plain *o, const struct plain_line *l)
{
	unsigned w = 0;

	for (uint32_t s = 0; s < sectors_in_line(o); s++)
		if (any(o, l->dirty, s) ||
		    (!(l->valid >> s & 1) && any(o, l->have, s)))
			w |= 1u << s;
	return w;
}

static struct plain_line *oldest(const struct plain *o, struct plain_line *set,
				 bool by_birth)
{
	struct plain_line *best = NULL;

	for (uint32_t i = 0; i < o->ways; i++) {
		bool older = best &&
			     (by_birth ? set[i].born < best->born :
					 set[i].last_use < best->last_use);

		if (!set[i].pending && (!best || older))
			best = &set[i];
	}
	return best;
}

/* Literally: search from the left, or increment all and search again. */
static struct plain_line *srrip_victim(const struct plain *o,
				       struct plain_line *set)
{
	for (;;) {
		for (uint32_t i = 0; i < o->ways; i++)
			if (set[i].rrpv == 3 && !set[i].pending)
				return &set[i];
		for (uint32_t i = 0; i < o->ways; i++)
			if (set[i].rrpv < 3)
				set[i].rrpv++;
	}
}

/* Returns the last use of any way below a node of the tree. */
static uint64_t tree_use(const struct plain *o, const struct plain_line *set,
			 uint32_t node)
{
	uint64_t left, right;

	if (node >= o->ways)
		return set[node - o->ways].last_use;
	left = tree_use(o, set, 2 * node);
	right = tree_use(o, set, 2 * node + 1);
	return left > right ? left : right;
}

/* Returns the victim below a node, or NULL if all ways are in flight: that of
 * the child whose last use is older, else that of the other. */
static struct plain_line *tree_victim(const struct plain *o,
				      struct plain_line *set, uint32_t node)
{
	uint32_t first = 2 * node, second = 2 * node + 1;
	struct plain_line *found;

	if (node >= o->ways) {
		found = &set[node - o->ways];
		return found->pending ? NULL : found;
	}
	if (tree_use(o, set, second) < tree_use(o, set, first)) {
		first = 2 * node + 1;
		second = 2 * node;
	}
	found = tree_victim(o, set, first);
	return found ? found : tree_victim(o, set, second);
}

static struct plain_line *empty_way(const struct plain *o,
				    struct plain_line *set)
{
	struct plain_line *best = NULL;

	for (uint32_t i = 0; i < o->ways; i++)
		if (!set[i].used && (!best || set[i].emptied > best->emptied))
			best = &set[i];
	return best;
}

static bool all_in_flight(const struct plain *o, const struct plain_line *set)
{
	for (uint32_t i = 0; i < o->ways; i++)
		if (!set[i].used || !set[i].pending)
			return false;
	return true;
}

/* Returns the way for a new line; not all ways may be in flight. */
static struct plain_line *victim(struct plain *o, struct plain_line *set)
{
	struct plain_line *best = empty_way(o, set);

	if (best)
		return best;
	switch (o->cfg.replace) {
	case CFG_REPLACE_LRU:
		return oldest(o, set, false);
	case CFG_REPLACE_FIFO:
		return oldest(o, set, true);
	case CFG_REPLACE_RANDOM:
		/* An illegal choice must not be followed. */
		best = &set[o->random_way];
		return best->pending ? oldest(o, set, true) : best;
	case CFG_REPLACE_SRRIP:
		return srrip_victim(o, set);
	case CFG_REPLACE_PLRU:
		return tree_victim(o, set, 1);
	}
	return NULL;
}

static void count_dirty(struct plain *o, const struct plain_line *l)
{
	for (uint32_t s = 0; s < sectors_in_line(o); s++)
		o->st.dirty_sectors += any(o, l->dirty, s);
}

static bool is_dirty(const struct plain_line *l)
{
	for (int i = 0; i < PLAIN_LINE_BYTES; i++)
		if (l->dirty[i])
			return true;
	return false;
}

/* Gives a way to a line, which must be absent. */
static struct plain_line *put(struct plain *o, uint64_t line,
			      struct plain_out *out)
{
	struct plain_line *l = victim(o, set_of(o, line));

	if (l->used) {
		out->evicted = true;
		out->victim = l->line;
		memcpy(out->dirty, l->dirty, sizeof(out->dirty));
		o->st.evictions++;
		o->st.dirty_evictions += is_dirty(l);
		count_dirty(o, l);
	}
	memset(l, 0, sizeof(*l));
	l->used = true;
	l->line = line;
	l->born = o->clock;
	l->rrpv = 2;
	return l;
}

static void stall(struct plain *o, struct plain_out *out, enum tags_result r)
{
	out->result = r;
	switch (r) {
	case TAGS_STALL_WAY:
		o->st.stall_way++;
		break;
	case TAGS_STALL_MSHR:
		o->st.stall_mshr++;
		break;
	case TAGS_STALL_MERGE:
		o->st.stall_merge++;
		break;
	default:
		o->st.stall_waiter++;
		break;
	}
}

static void wait_for(struct plain *o, struct plain_line *l, uint32_t token,
		     unsigned need)
{
	l->wait[l->waits].token = token;
	l->wait[l->waits].need = need;
	l->waits++;
	o->waiters++;
}

/* The other sectors of groups with one of `request`, but those of `there`. */
static unsigned rest_of_groups(struct plain *o, unsigned request,
			       unsigned there)
{
	uint32_t n = o->cfg.group ? o->cfg.group : 1;
	unsigned more = 0;

	for (uint32_t s = 0; s < sectors_in_line(o); s++)
		for (uint32_t k = 0; k < sectors_in_line(o); k++)
			if (request >> k & 1 && k / n == s / n)
				more |= 1u << s;
	more &= ~(request | there);
	o->st.group_fetches += ones(more);
	return more;
}

void plain_read(struct plain *o, uint64_t line, unsigned sectors,
		uint32_t token, struct plain_out *out)
{
	struct plain_line *l = plain_find(o, line);
	unsigned lack = l ? sectors & ~l->valid : sectors;
	unsigned request = l ? lack & ~l->pending : lack;
	bool merge = l && l->pending, waits = token != TAGS_NO_TOKEN;

	memset(out, 0, sizeof(*out));
	o->clock++;
	if (lack) {
		if (!merge && o->mshrs == o->cfg.mshrs)
			return stall(o, out, TAGS_STALL_MSHR);
		if (waits && merge && l->waits == o->cfg.merges)
			return stall(o, out, TAGS_STALL_MERGE);
		if (waits && o->waiters == o->cfg.waiters)
			return stall(o, out, TAGS_STALL_WAITER);
		if (!l && all_in_flight(o, set_of(o, line)))
			return stall(o, out, TAGS_STALL_WAY);
		o->mshrs += !merge;
	}
	if (l)
		l->rrpv = 0;
	else
		l = put(o, line, out);
	l->last_use = o->clock;
	out->request = request |
		       rest_of_groups(o, request, l->valid | l->pending);
	l->pending |= out->request;
	if (lack && waits)
		wait_for(o, l, token, lack);
	out->result = request ? TAGS_MISS : lack ? TAGS_PENDING : TAGS_HIT;
	o->st.reads++;
	o->st.read_hits += out->result == TAGS_HIT;
	o->st.read_pending += out->result == TAGS_PENDING;
	o->st.read_misses += out->result == TAGS_MISS;
	o->st.read_partials += (request & plain_written(o, l)) != 0;
	o->st.read_sectors += ones(sectors);
	o->st.sector_hits += ones(sectors & ~lack);
	o->st.sector_pending += ones(lack & ~request);
	o->st.sector_misses += ones(request);
}

/* Sets the flags of the bytes written. */
static void spell_out(const struct plain *o, uint32_t pieces,
		      const uint32_t *bytes, bool *flag)
{
	uint32_t size = o->cfg.sector_bytes < 32 ? o->cfg.sector_bytes : 32;

	memset(flag, 0, PLAIN_LINE_BYTES);
	for (uint32_t i = 0; i < o->cfg.line_bytes; i++)
		flag[i] = (pieces >> i / size & 1) &&
			  (!bytes || (bytes[i / size] >> i % size & 1));
}

/* Records a write to a sector that is kept. */
static void note(const struct plain *o, struct plain_line *l, uint32_t s,
		 const bool *flag)
{
	bool remembers = o->cfg.write_back ||
			 o->cfg.write_miss == TAGS_VALIDATE;
	bool valid = l->valid >> s & 1;

	if (!o->cfg.write_back && o->cfg.write_miss == TAGS_AROUND)
		return;
	for (uint32_t i = 0; i < o->cfg.sector_bytes; i++) {
		uint32_t b = s * o->cfg.sector_bytes + i;

		l->dirty[b] |= flag[b] && o->cfg.write_back;
		l->have[b] |= flag[b] && remembers && !valid;
	}
	if (all(o, l->have, s) || all(o, flag, s))
		l->valid |= 1u << s;
}

void plain_write(struct plain *o, uint64_t line, uint32_t pieces,
		 const uint32_t *bytes, struct plain_out *out)
{
	struct plain_line *l = plain_find(o, line);
	unsigned sectors = 0, absent = 0, keep, request = 0;
	unsigned there = l ? l->valid | l->pending | plain_written(o, l) : 0;
	bool flag[PLAIN_LINE_BYTES];

	memset(out, 0, sizeof(*out));
	o->clock++;
	spell_out(o, pieces, bytes, flag);
	for (uint32_t s = 0; s < sectors_in_line(o); s++) {
		if (!any(o, flag, s))
			continue;
		sectors |= 1u << s;
		if (there >> s & 1)
			continue;
		absent |= 1u << s;
		if (o->cfg.write_miss == TAGS_FETCH && !all(o, flag, s))
			request |= 1u << s;
	}
	keep = o->cfg.write_miss == TAGS_AROUND ? sectors & ~absent : sectors;
	if (request && !(l && l->pending) && o->mshrs == o->cfg.mshrs)
		return stall(o, out, TAGS_STALL_MSHR);
	if (keep && !l && all_in_flight(o, set_of(o, line)))
		return stall(o, out, TAGS_STALL_WAY);
	if (keep) {
		if (l)
			l->rrpv = 0;
		else
			l = put(o, line, out);
		o->mshrs += request && !l->pending;
		l->last_use = o->clock;
		out->request = request |
			       rest_of_groups(o, request,
					      l->valid | l->pending | absent);
		l->pending |= out->request;
		for (uint32_t s = 0; s < sectors_in_line(o); s++)
			if (keep >> s & 1)
				note(o, l, s, flag);
	}
	out->forward = o->cfg.write_back ? sectors & ~keep : sectors;
	out->result = absent ? TAGS_MISS : TAGS_HIT;
	o->st.writes++;
	o->st.write_hits += !absent;
	o->st.write_misses += absent != 0;
	o->st.write_sectors += ones(sectors);
	o->st.write_fetches += ones(request);
}

uint32_t plain_fill(struct plain *o, struct plain_line *l, unsigned sectors,
		    uint32_t *tokens)
{
	uint32_t n = 0, left = 0;

	l->valid |= sectors;
	l->pending &= ~sectors;
	for (unsigned i = 0; i < l->waits; i++) {
		l->wait[i].need &= ~sectors;
		if (l->wait[i].need)
			l->wait[left++] = l->wait[i];
		else
			tokens[n++] = l->wait[i].token;
	}
	l->waits = left;
	o->waiters -= n;
	o->mshrs -= !l->pending;
	o->st.fills++;
	o->st.fill_sectors += ones(sectors);
	return n;
}

static void drop(struct plain *o, struct plain_line *l)
{
	l->valid = 0;
	memset(l->have, 0, sizeof(l->have));
	memset(l->dirty, 0, sizeof(l->dirty));
	if (l->pending)
		return;
	l->used = false;
	l->emptied = ++o->clock;
}

void plain_invalidate(struct plain *o, uint64_t line)
{
	struct plain_line *l = plain_find(o, line);

	if (l)
		drop(o, l);
}

void plain_invalidate_all(struct plain *o)
{
	if (!o->mshrs) {
		set_shape(o, o->sets, o->ways);
		return;
	}
	for (size_t i = (size_t)o->sets * o->ways; i-- > 0;)
		if (o->at[i].used)
			drop(o, &o->at[i]);
}

bool plain_clean(struct plain *o, struct plain_line *l, struct plain_out *out)
{
	if (!l->used || !is_dirty(l))
		return false;
	memset(out, 0, sizeof(*out));
	out->victim = l->line;
	memcpy(out->dirty, l->dirty, sizeof(out->dirty));
	count_dirty(o, l);
	o->st.cleans++;
	memset(l->dirty, 0, sizeof(l->dirty));
	memset(l->have, 0, sizeof(l->have));
	if (!l->valid && !l->pending) {
		l->used = false;
		l->emptied = ++o->clock;
	}
	return true;
}
