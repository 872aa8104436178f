#include "mem/tags.h"

#include <string.h>

#include "base/fetch.h"
#include "mem/tags_impl.h"

#define NONE TAGS_NONE

uint32_t tags_set(const struct tags *t, uint64_t line)
{
	uint64_t round;

	return spread_to(&t->spread, line, &round);
}

struct place {
	uint8_t *set;
	uint32_t index; /* of the set */
	uint32_t way;   /* or NONE */
};

static struct line *line_of(const struct tags *t, struct place at)
{
	return (struct line *)(void *)(at.set + t->line_at) + at.way;
}

static uint32_t *bytes_of(const struct tags *t, struct place at)
{
	return t->bytes + ((size_t)at.index * t->ways_max + at.way) * t->pieces;
}

static uint8_t partial(uint64_t number)
{
	uint8_t p = (uint32_t)number * UINT32_C(0x9e3779b9) >> 24;

	return p < PART_LEAST ? p + PART_LEAST : p;
}

/* A byte has one bit for each step, which are up to four. */
static inline words_t compare(const uint8_t *row, uint32_t end, uint8_t byte)
{
	row_t all = { 0 }, bit = all + 1;

	for (uint32_t i = 0; i < end; i += STEP) {
		row_t r = *(const row_t *)(const void *)(row + i);

		all |= (row_t)(r == byte) & bit;
		bit += bit;
	}
	return (words_t)all;
}

/*
 * The ways from `from` on, up to 64, whose byte in the row equals the byte: a
 * bit for each, which way_of names. All are compared even if the first does:
 * which one it is cannot be foreseen and a wrong guess of the host's costs
 * more.
 */
static inline uint64_t equal_ways(const struct tags *t, const uint8_t *row,
				  uint32_t from, uint8_t byte)
{
	uint32_t end = t->row - from;
	words_t halves;

	/* Loops of a known length, as long as most caches need. */
	if (end >= GROUP)
		halves = compare(row + from, GROUP, byte);
	else if (end == STEP)
		halves = compare(row + from, STEP, byte);
	else
		halves = compare(row + from, end, byte);
	return halves[0] | halves[1] << STEPS;
}

/* The way that the lowest bit stands for, less `from`. */
static inline uint32_t way_of(uint64_t ways)
{
	uint32_t bit = (uint32_t)__builtin_ctzll(ways), step = bit % STEPS;

	return step * STEP + bit % 8 / STEPS * 8 + bit / 8;
}

/* Inlined by force: a call and its saved registers are a sixth of a hit. */
static inline __attribute__((always_inline)) struct place
find_in(const struct tags *t, uint32_t index, uint64_t number)
{
	struct place at = { .set = set_of(t, index), .index = index };
	uint8_t part = partial(number);

	for (uint32_t from = 0; from < t->row; from += GROUP) {
		uint64_t ways = equal_ways(t, at.set, from, part);

		for (; ways; ways &= ways - 1) {
			at.way = from + way_of(ways);
			if (LIKELY(line_of(t, at)->number == number))
				return at;
		}
	}
	at.way = NONE;
	return at;
}

static struct place find(const struct tags *t, uint64_t number)
{
	return find_in(t, tags_set(t, number), number);
}

static uint32_t count(unsigned sectors)
{
	return (uint32_t)__builtin_popcount(sectors);
}

/* Those newer than `old` become older by one, and that the newest. */
static inline void renew(uint8_t *rank, uint32_t end, uint8_t old)
{
	for (uint32_t i = 0; i < end; i += STEP) {
		row_t *r = (row_t *)(void *)(rank + i), was = *r;

		/* A comparison that holds gives -1. The way's own rank, which
		 * no other has, is cleared here too: a store of one byte would
		 * delay the next load of the row. */
		*r = (was - (row_t)(was < old)) & ~(row_t)(was == old);
	}
}

/* The way becomes the newest of its set. */
static inline void touch(const struct tags *t, struct place at)
{
	uint8_t *rank = ranks(t, at.set);

	if (t->row == GROUP)
		renew(rank, GROUP, rank[at.way]);
	else if (t->row == STEP)
		renew(rank, STEP, rank[at.way]);
	else
		renew(rank, t->row, rank[at.way]);
}

/* The way, now empty, becomes the oldest of its set. */
static void retire(const struct tags *t, struct place at)
{
	uint8_t *rank = ranks(t, at.set), old = rank[at.way];

	for (uint32_t i = 0; i < t->ways; i++)
		rank[i] -= rank[i] > old;
	rank[at.way] = (uint8_t)(t->ways - 1);
	at.set[at.way] = PART_EMPTY;
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return x * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t *busy_word(const struct tags *t, uint32_t index, uint32_t way)
{
	return &t->busy[(size_t)index * t->busy_words + way / BUSY_BITS];
}

static bool is_busy(const struct tags *t, uint32_t index, uint32_t way)
{
	return *busy_word(t, index, way) >> way % BUSY_BITS & 1;
}

/* One of the ways that are not under way, of which there is at least one. */
static uint32_t random_way(struct tags *t, uint32_t index)
{
	uint32_t n = 0, k;

	for (uint32_t i = 0; i < t->ways; i++)
		n += !is_busy(t, index, i);
	k = (uint32_t)((next_random(&t->random) >> 32) * n >> 32);
	for (uint32_t i = 0;; i++)
		if (!is_busy(t, index, i) && k-- == 0)
			return i;
}

static uint32_t way_of_rank(const struct tags *t, uint8_t *set, uint8_t rank)
{
	for (uint32_t from = 0;; from += GROUP) {
		uint64_t ways = equal_ways(t, ranks(t, set), from, rank);

		if (ways)
			return from + way_of(ways);
	}
}

/* The way to replace, empty ones first; NONE if all are under way. */
static inline uint32_t choose(struct tags *t, struct place at)
{
	for (uint32_t older = t->ways; older > 0; older--) {
		uint32_t way = way_of_rank(t, at.set, (uint8_t)(older - 1));

		if (UNLIKELY(is_busy(t, at.index, way)))
			continue;
		if (t->replace == TAGS_RANDOM && at.set[way] != PART_EMPTY)
			return random_way(t, at.index);
		return way;
	}
	return NONE;
}

/* The masks of the dirty sectors. Most are whole: theirs, which lie far away,
 * are not looked at. */
static void copy_bytes(const struct tags *t, struct place at, unsigned dirty,
		       unsigned whole, uint32_t *to)
{
	uint32_t n = t->pieces_per_sector;

	for (; dirty; dirty &= dirty - 1) {
		uint32_t s = (uint32_t)__builtin_ctz(dirty), p = s * n;

		for (; p < (s + 1) * n; p++)
			to[p] = whole >> s & 1 ? t->piece_full :
						 bytes_of(t, at)[p];
	}
}

/* Describes the line's dirty sectors, which become clean. */
static void take_dirty(struct tags *t, struct place at, struct tags_victim *v)
{
	struct line *l = line_of(t, at);

	v->dirty = t->write_back ? l->written : 0;
	v->line = l->number;
	l->written = 0;
	if (!v->dirty)
		return;
	copy_bytes(t, at, v->dirty, l->whole, v->bytes);
	t->dirty_lines--;
	t->st.dirty_sectors += count(v->dirty);
}

/* Gives the way at.way to another line. */
static inline void replace(struct tags *t, struct place at, uint64_t number,
			   struct tags_victim *v)
{
	if (at.set[at.way] != PART_EMPTY) {
		if (!t->nameless)
			take_dirty(t, at, v);
		v->evicted = true;
		t->st.evictions++;
		t->st.dirty_evictions += v->dirty != 0;
	}
	*line_of(t, at) = (struct line){ .number = number };
	at.set[at.way] = partial(number);
	touch(t, at);
}

static inline uint32_t take_mshr(struct tags *t, struct place at,
				 uint64_t number)
{
	uint32_t i = t->free_mshr == NONE ? t->fresh_mshr++ : t->free_mshr;
	struct mshr *m = &t->mshr[i];

	if (t->free_mshr != NONE)
		t->free_mshr = m->first;
	if (t->free_mshr != NONE) /* the next one to be taken */
		__builtin_prefetch(&t->mshr[t->free_mshr], 1);
	*m = (struct mshr){
		.number = number,
		.set = at.index,
		.way = (uint8_t)at.way,
		.first = NONE,
		.last = NONE,
	};
	*busy_word(t, at.index, at.way) |= UINT64_C(1) << at.way % BUSY_BITS;
	t->outstanding++;
	return i;
}

static void give_mshr(struct tags *t, struct place at, uint32_t i)
{
	t->mshr[i].first = t->free_mshr;
	t->free_mshr = i;
	*busy_word(t, at.index, at.way) &= ~(UINT64_C(1) << at.way % BUSY_BITS);
	t->outstanding--;
}

static void wait_for(struct tags *t, struct mshr *m, uint32_t token,
		     unsigned need)
{
	uint32_t i = t->free_waiter;
	struct waiter *w;

	m->count++;
	t->waiting++;
	if (!m->need && m->first == NONE) {
		m->token = token;
		m->need = (uint8_t)need;
		return;
	}
	if (i == NONE)
		i = t->fresh_waiter++;
	else
		t->free_waiter = t->waiter[i].next;
	w = &t->waiter[i];
	*w = (struct waiter){ .token = token, .next = NONE, .need = need };
	if (m->last == NONE)
		m->first = i;
	else
		t->waiter[m->last].next = i;
	m->last = i;
}

static void clear(struct tags_out *out)
{
	out->request = 0;
	out->forward = 0;
	out->mshr = NONE;
	out->victim.evicted = false;
	out->victim.dirty = 0;
}

static enum tags_result stall(struct tags *t, enum tags_result why)
{
	t->st.stall_way += why == TAGS_STALL_WAY;
	t->st.stall_mshr += why == TAGS_STALL_MSHR;
	t->st.stall_merge += why == TAGS_STALL_MERGE;
	t->st.stall_waiter += why == TAGS_STALL_WAITER;
	return why;
}

/* Can a read of a line (NULL: absent) that does not hit be accepted? */
static enum tags_result admit_read(const struct tags *t, const struct line *l,
				   uint32_t token)
{
	bool has_mshr = l && l->pending;

	if (!has_mshr && t->outstanding == t->mshrs)
		return TAGS_STALL_MSHR;
	if (token == TAGS_NO_TOKEN)
		return TAGS_MISS;
	if (has_mshr && t->mshr[l->mshr].count >= t->merges)
		return TAGS_STALL_MERGE;
	return t->waiting == t->waiters ? TAGS_STALL_WAITER : TAGS_MISS;
}

static enum tags_result count_miss(struct tags *t, unsigned written,
				   unsigned sectors, unsigned lack,
				   unsigned request)
{
	t->st.reads++;
	t->st.read_sectors += count(sectors);
	t->st.sector_hits += count(sectors & ~lack);
	t->st.sector_pending += count(lack & ~request);
	t->st.sector_misses += count(request);
	t->st.read_partials += (request & written) != 0;
	if (!request) {
		t->st.read_pending++;
		return TAGS_PENDING;
	}
	t->st.read_misses++;
	return TAGS_MISS;
}

/* `l` is the line if it is there. */
static enum tags_result read_lacking(struct tags *t, struct place at,
				     struct line *l, uint64_t number,
				     unsigned sectors, uint32_t token,
				     struct tags_out *out)
{
	enum tags_result r = admit_read(t, l, token);
	/* A line just replaced is written and not read: it may be far away. */
	struct line was = { 0 };
	unsigned lack, request;
	uint32_t mshr;

	if (tags_stalled(r))
		return stall(t, r);
	if (!l) {
		at.way = choose(t, at);
		if (at.way == NONE)
			return stall(t, TAGS_STALL_WAY);
		replace(t, at, number, &out->victim);
		l = line_of(t, at);
	} else {
		was = *l;
		if (t->lru)
			touch(t, at);
	}
	mshr = was.pending ? was.mshr : take_mshr(t, at, number);
	lack = sectors & ~was.valid;
	request = lack & ~was.pending;
	l->mshr = mshr;
	l->pending = (uint8_t)(was.pending | request);
	if (token != TAGS_NO_TOKEN)
		wait_for(t, &t->mshr[mshr], token, lack);
	out->request = (uint8_t)request;
	out->mshr = mshr;
	return count_miss(t, was.written, sectors, lack, request);
}

enum tags_result tags_read(struct tags *t, uint64_t line, unsigned sectors,
			   uint32_t token, struct tags_out *out)
{
	return tags_read_in(t, tags_set(t, line), line, sectors, token, out);
}

enum tags_result tags_read_in(struct tags *t, uint32_t set, uint64_t line,
			      unsigned sectors, uint32_t token,
			      struct tags_out *out)
{
	struct place at = find_in(t, set, line);
	struct line *l = at.way == NONE ? NULL : line_of(t, at);

	CHECK(sectors && !(sectors & ~t->all_sectors));
	clear(out);
	if (!l || sectors & ~l->valid)
		return read_lacking(t, at, l, line, sectors, token, out);
	t->st.reads++;
	t->st.read_hits++;
	t->st.read_sectors += count(sectors);
	t->st.sector_hits += count(sectors);
	if (l->pending)
		out->mshr = l->mshr;
	if (t->lru)
		touch(t, at);
	return TAGS_HIT;
}

/* The sectors of pieces. */
static unsigned sectors_of(const struct tags *t, uint32_t pieces)
{
	uint32_t group = (uint32_t)((UINT64_C(1) << t->pieces_per_sector) - 1);
	unsigned sectors = 0;

	if (t->pieces_per_sector == 1)
		return pieces;
	for (uint32_t s = 0; s * t->pieces_per_sector < t->pieces; s++)
		if (pieces >> s * t->pieces_per_sector & group)
			sectors |= 1u << s;
	return sectors;
}

/* Adds what is written of sector s to its masks; are all bytes there? */
static bool add_bytes(const struct tags *t, uint32_t *mask, bool fresh,
		      uint32_t s, uint32_t pieces, const uint32_t *bytes)
{
	bool whole = true;

	for (uint32_t j = 0; j < t->pieces_per_sector; j++) {
		uint32_t p = s * t->pieces_per_sector + j;
		uint32_t old = fresh || !mask ? 0 : mask[p];
		uint32_t b = 0;

		if (pieces >> p & 1) {
			b = bytes ? bytes[p] : t->piece_full;
			CHECK(b && !(b & ~t->piece_full));
		}
		b |= old;
		whole &= b == t->piece_full;
		if (mask)
			mask[p] = b;
	}
	return whole;
}

/* Sectors that this write alone fills. */
static unsigned whole_sectors(const struct tags *t, unsigned sectors,
			      uint32_t pieces, const uint32_t *bytes)
{
	unsigned whole = 0;

	if (!bytes && t->pieces_per_sector == 1)
		return sectors;
	for (; sectors; sectors &= sectors - 1) {
		uint32_t s = (uint32_t)__builtin_ctz(sectors);

		if (add_bytes(t, NULL, true, s, pieces, bytes))
			whole |= 1u << s;
	}
	return whole;
}

/* Notes a write to the kept sectors of a line. */
static void record(struct tags *t, struct place at, unsigned keep,
		   uint32_t pieces, const uint32_t *bytes)
{
	struct line *l = line_of(t, at);
	uint32_t *mask = t->bytes ? bytes_of(t, at) : NULL;
	unsigned old = l->written, full;

	/* Nothing is dirty; what is valid stays so, what is not is on its way. */
	if (!t->write_back)
		keep = t->write_miss == TAGS_AROUND ? 0 : keep & ~l->valid;
	full = (old & l->whole & keep) | whole_sectors(t, keep, pieces, bytes);
	l->whole |= (uint8_t)full;
	l->valid |= full;
	l->written = (uint8_t)(t->write_back ? old | full : old & ~full);
	for (unsigned rest = keep & ~full; rest; rest &= rest - 1) {
		uint32_t s = (uint32_t)__builtin_ctz(rest);
		unsigned bit = 1u << s;
		bool whole = add_bytes(t, mask, !(old & bit), s, pieces, bytes);

		l->whole = (uint8_t)(whole ? l->whole | bit : l->whole & ~bit);
		if (whole)
			l->valid |= bit;
		if (t->write_back || (!whole && mask))
			l->written |= bit;
		else
			l->written &= ~bit;
	}
	if (t->write_back && !old && l->written)
		t->dirty_lines++;
}

static enum tags_result count_write(struct tags *t, unsigned sectors,
				    unsigned absent, unsigned request)
{
	t->st.writes++;
	t->st.write_sectors += count(sectors);
	t->st.write_fetches += count(request);
	if (!absent) {
		t->st.write_hits++;
		return TAGS_HIT;
	}
	t->st.write_misses++;
	return TAGS_MISS;
}

enum tags_result tags_write(struct tags *t, uint64_t line, uint32_t pieces,
			    const uint32_t *bytes, struct tags_out *out)
{
	struct place at = find(t, line);
	struct line *l = at.way == NONE ? NULL : line_of(t, at);
	unsigned sectors = sectors_of(t, pieces), keep = sectors;
	unsigned absent = sectors, request = 0;

	CHECK(sectors && !(sectors & ~t->all_sectors));
	clear(out);
	if (l)
		absent &= ~(l->valid | l->pending | l->written);
	if (t->write_miss == TAGS_AROUND)
		keep &= ~absent;
	else if (t->write_miss == TAGS_FETCH)
		request = absent & ~whole_sectors(t, absent, pieces, bytes);
	if (request && !(l && l->pending) && t->outstanding == t->mshrs)
		return stall(t, TAGS_STALL_MSHR);
	if (!l && keep) {
		at.way = choose(t, at);
		if (at.way == NONE)
			return stall(t, TAGS_STALL_WAY);
		replace(t, at, line, &out->victim);
		l = line_of(t, at);
	} else if (keep && t->lru) {
		touch(t, at);
	}
	if (request && !l->pending)
		l->mshr = take_mshr(t, at, line);
	if (keep) {
		l->pending |= request;
		record(t, at, keep, pieces, bytes);
	}
	if (l && l->pending)
		out->mshr = l->mshr;
	out->request = (uint8_t)request;
	out->forward = (uint8_t)(t->write_back ? sectors & ~keep : sectors);
	return count_write(t, sectors, absent, request);
}

void tags_place(struct tags *t, uint64_t line, uint32_t pieces)
{
	struct place at = find(t, line);
	unsigned sectors = sectors_of(t, pieces);
	struct tags_victim ignored;

	if (at.way == NONE) {
		at.way = choose(t, at);
		if (at.way == NONE)
			return;
		replace(t, at, line, &ignored);
	} else if (t->lru) {
		touch(t, at);
	}
	line_of(t, at)->valid |= sectors & ~line_of(t, at)->pending;
	record(t, at, sectors, pieces, NULL);
}

/* Hands out the tokens of waiters that lack nothing more. */
static uint32_t wake(struct tags *t, struct mshr *m, unsigned sectors,
		     uint32_t *tokens)
{
	uint32_t *link = &m->first, last = NONE, n = 0;

	if (m->need) {
		m->need &= ~sectors;
		if (!m->need)
			tokens[n++] = m->token;
	}
	while (*link != NONE) {
		uint32_t i = *link;
		struct waiter *w = &t->waiter[i];

		w->need &= ~sectors;
		if (w->need) {
			last = i;
			link = &w->next;
			continue;
		}
		tokens[n++] = w->token;
		*link = w->next;
		w->next = t->free_waiter;
		t->free_waiter = i;
	}
	m->last = last;
	m->count -= n;
	t->waiting -= n;
	return n;
}

uint32_t tags_fill_mshr(struct tags *t, uint32_t mshr, unsigned sectors,
			uint32_t *tokens)
{
	struct mshr *m = &t->mshr[mshr];
	struct place at = {
		.set = set_of(t, m->set),
		.index = m->set,
		.way = m->way,
	};
	struct line *l = line_of(t, at);
	uint32_t n;

	CHECK(sectors && !(sectors & ~l->pending) && l->mshr == mshr);
	l->pending &= ~sectors;
	l->valid |= sectors;
	if (!t->write_back)
		l->written &= ~sectors;
	n = wake(t, m, sectors, tokens);
	if (!l->pending)
		give_mshr(t, at, mshr);
	t->st.fills++;
	t->st.fill_sectors += count(sectors);
	return n;
}

uint32_t tags_fill(struct tags *t, uint64_t line, unsigned sectors,
		   uint32_t *tokens)
{
	struct place at = find(t, line);

	CHECK(at.way != NONE && line_of(t, at)->pending);
	return tags_fill_mshr(t, line_of(t, at)->mshr, sectors, tokens);
}

uint64_t tags_mshr_line(const struct tags *t, uint32_t mshr)
{
	return t->mshr[mshr].number;
}

static void drop(struct tags *t, struct place at)
{
	struct line *l = line_of(t, at);

	if (t->write_back && l->written)
		t->dirty_lines--;
	l->valid = 0;
	l->written = 0;
	if (!l->pending)
		retire(t, at);
}

void tags_invalidate(struct tags *t, uint64_t line)
{
	struct place at = find(t, line);

	if (at.way != NONE)
		drop(t, at);
}

void tags_invalidate_all(struct tags *t)
{
	if (!t->outstanding) {
		tags_reset(t);
		return;
	}
	for (uint32_t i = 0; i < t->spread.bins; i++) {
		struct place at = {
			.set = set_of(t, i),
			.index = i,
		};

		/* Downwards, so that way 0 is emptied last. */
		for (at.way = t->ways; at.way-- > 0;)
			if (at.set[at.way] != PART_EMPTY)
				drop(t, at);
	}
}

bool tags_clean_next(struct tags *t, uint32_t *cursor, struct tags_victim *v)
{
	uint32_t end = t->spread.bins * t->ways;

	for (; t->dirty_lines && *cursor < end; ++*cursor) {
		uint32_t i = *cursor / t->ways;
		struct place at = {
			.set = set_of(t, i),
			.index = i,
			.way = *cursor % t->ways,
		};

		if (at.set[at.way] == PART_EMPTY || !line_of(t, at)->written)
			continue;
		v->evicted = false;
		take_dirty(t, at, v);
		t->st.cleans++;
		if (!line_of(t, at)->valid && !line_of(t, at)->pending)
			retire(t, at);
		++*cursor;
		return true;
	}
	return false;
}

struct tags_probe tags_probe(const struct tags *t, uint64_t line)
{
	return tags_probe_in(t, tags_set(t, line), line);
}

struct tags_probe tags_probe_in(const struct tags *t, uint32_t set,
				uint64_t line)
{
	struct place at = find_in(t, set, line);
	struct tags_probe p = { .set = at.index, .way = at.way };

	if (at.way == NONE)
		return p;
	p.present = true;
	p.valid = line_of(t, at)->valid;
	p.pending = line_of(t, at)->pending;
	p.written = line_of(t, at)->written;
	return p;
}

void tags_prefetch_self(const struct tags *t)
{
	fetch_early(t, sizeof(*t));
}

void tags_prefetch_mshr(const struct tags *t, uint32_t mshr)
{
	__builtin_prefetch(&t->mshr[mshr], 1);
}

uint32_t tags_prefetch_fill(const struct tags *t, uint32_t mshr)
{
	const struct mshr *m = &t->mshr[mshr];
	struct place at = { .set = set_of(t, m->set), .way = m->way };

	__builtin_prefetch(line_of(t, at), 1);
	return m->need ? m->token : TAGS_NO_TOKEN;
}

void tags_prefetch(const struct tags *t, uint32_t set)
{
	fetch_soon(set_of(t, set), t->stride);
}

void tags_prefetch_rows(const struct tags *t, uint32_t set)
{
	fetch_soon(set_of(t, set), t->line_at);
}

void tags_prefetch_line(const struct tags *t, uint32_t set, uint64_t line)
{
	struct place at = { .set = set_of(t, set) };
	uint8_t part = partial(line);

	for (uint32_t from = 0; from < t->row; from += GROUP) {
		uint64_t ways = equal_ways(t, at.set, from, part);

		if (ways) {
			at.way = from + way_of(ways);
			__builtin_prefetch(line_of(t, at), 1);
		}
	}
}
