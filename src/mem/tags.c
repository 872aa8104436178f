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

struct tags_way {
	uint8_t *set;
	uint32_t index; /* of the set */
	uint32_t way;   /* or NONE */
};

static struct tags_line *tags_line_at(const struct tags *t, struct tags_way at)
{
	return (struct tags_line *)(void *)(at.set + t->line_at) + at.way;
}

static uint32_t tags_mshr_of(const struct tags_line *l)
{
	return l->mshr_copied & MSHR_MASK;
}

static void tags_set_mshr(struct tags_line *l, uint32_t mshr)
{
	l->mshr_copied = (l->mshr_copied & ~MSHR_MASK) | mshr;
}

static uint32_t *tags_masks_at(const struct tags *t, struct tags_way at)
{
	return t->bytes + ((size_t)at.index * t->ways_max + at.way) * t->pieces;
}

static uint8_t tags_partial(uint64_t number)
{
	uint8_t p = (uint32_t)number * UINT32_C(0x9e3779b9) >> 24;

	return p < PARTIAL_MIN ? PARTIAL_MIN : p;
}

/* Looks for a line among the ways of a group. */
static inline __attribute__((always_inline)) bool
tags_find_group(const struct tags *t, struct tags_way *at, uint32_t from,
		uint64_t number)
{
	uint64_t ways =
		ways_equal(at->set, t->padded, from, tags_partial(number));

	for (; ways; ways &= ways - 1) {
		at->way = from + ways_first(ways);
		if (LIKELY(tags_line_at(t, *at)->number == number))
			return true;
	}
	at->way = NONE;
	return false;
}

/* Looks for a line in the groups after the first one. Not inlined: most sets have
 * no more. */
static __attribute__((noinline)) struct tags_way
tags_find_beyond(const struct tags *t, uint32_t index, uint64_t number)
{
	struct tags_way at = { .set = tags_set_at(t, index), .index = index };

	for (uint32_t from = WAYS_GROUP; from < t->padded; from += WAYS_GROUP)
		if (tags_find_group(t, &at, from, number))
			break;
	return at;
}

/* Always inlined: a call and its saved registers are a sixth of a hit. */
static inline __attribute__((always_inline)) struct tags_way
tags_find_in(const struct tags *t, uint32_t index, uint64_t number)
{
	struct tags_way at = { .set = tags_set_at(t, index), .index = index };

	if (!tags_find_group(t, &at, 0, number) &&
	    UNLIKELY(t->padded > WAYS_GROUP))
		return tags_find_beyond(t, index, number);
	return at;
}

static struct tags_way tags_find(const struct tags *t, uint64_t number)
{
	return tags_find_in(t, tags_set(t, number), number);
}

/* Whether these are sectors of a line, one at least. */
static bool tags_are_sectors(const struct tags *t, unsigned sectors)
{
	return sectors - 1 < t->all_sectors;
}

static uint32_t tags_count(unsigned sectors)
{
	return (uint32_t)__builtin_popcount(sectors);
}

/* Empties the way, which becomes the oldest of its set. */
static void tags_empty_way(const struct tags *t, struct tags_way at)
{
	uint8_t *rank = tags_ranks(t, at.set), old = rank[at.way];

	for (uint32_t i = 0; i < t->ways; i++)
		rank[i] -= rank[i] > old;
	rank[at.way] = (uint8_t)(t->ways - 1);
	at.set[at.way] = PARTIAL_EMPTY;
}

static uint64_t *tags_in_flight_word(const struct tags *t, uint32_t index,
				     uint32_t way)
{
	if (LIKELY(t->in_flight_words == 1))
		return &t->in_flight[index];
	return &t->in_flight[(size_t)index * t->in_flight_words +
			     way / IN_FLIGHT_BITS];
}

static bool tags_is_in_flight(const struct tags *t, uint32_t index,
			      uint32_t way)
{
	return *tags_in_flight_word(t, index, way) >> way % IN_FLIGHT_BITS & 1;
}

static struct replace_set tags_replace_set(struct tags *t, struct tags_way at)
{
	return (struct replace_set){
		.ways = t->ways,
		.in_flight = tags_in_flight_word(t, at.index, 0),
		.state = at.set + 2 * t->rank_at,
		.shared = &t->policy_word,
	};
}

static __attribute__((noinline)) void tags_policy_touch(struct tags *t,
							struct tags_way at)
{
	struct replace_set set = tags_replace_set(t, at);

	t->policy->touch(&set, at.way);
}

static __attribute__((noinline)) void tags_policy_insert(struct tags *t,
							 struct tags_way at)
{
	struct replace_set set = tags_replace_set(t, at);

	t->policy->insert(&set, at.way);
}

/* Notes an accepted access to the line in this way. */
static inline void tags_touch(struct tags *t, struct tags_way at)
{
	if (LIKELY(t->renews))
		ways_renew(tags_ranks(t, at.set), t->padded, at.way);
	else if (t->touches)
		tags_policy_touch(t, at);
}

static inline uint32_t tags_of_rank(const struct tags *t, struct tags_way at,
				    uint32_t rank)
{
	return ways_of_rank(tags_ranks(t, at.set), t->padded, (uint8_t)rank);
}

/* Returns the oldest way below this rank that is not in flight, or NONE. */
static __attribute__((noinline)) uint32_t
tags_oldest_below(const struct tags *t, struct tags_way at, uint32_t rank)
{
	while (rank-- > 0) {
		uint32_t way = tags_of_rank(t, at, rank);

		if (!tags_is_in_flight(t, at.index, way))
			return way;
	}
	return NONE;
}

/* Returns the oldest way that is not in flight, or NONE. */
static inline uint32_t tags_oldest(const struct tags *t, struct tags_way at)
{
	uint32_t last = t->ways - 1, way = tags_of_rank(t, at, last);

	if (LIKELY(!tags_is_in_flight(t, at.index, way)))
		return way;
	return tags_oldest_below(t, at, last);
}

static __attribute__((noinline)) uint32_t tags_policy_victim(struct tags *t,
							     struct tags_way at)
{
	uint32_t oldest = tags_oldest(t, at);
	struct replace_set set = tags_replace_set(t, at);

	if (oldest == NONE || at.set[oldest] == PARTIAL_EMPTY)
		return oldest;
	return t->policy->victim(&set);
}

/* Returns the way to replace, an empty one first, or NONE if all are in
 * flight. */
static inline uint32_t tags_choose(struct tags *t, struct tags_way at)
{
	if (UNLIKELY(t->chooses))
		return tags_policy_victim(t, at);
	return tags_oldest(t, at);
}

/* Copies the masks of the dirty sectors. Most sectors are whole: their masks,
 * which lie far away in memory, are not read. */
static void tags_copy_masks(const struct tags *t, struct tags_way at,
			    unsigned dirty, unsigned whole, uint32_t *to)
{
	uint32_t n = t->pieces_per_sector;

	for (; dirty; dirty &= dirty - 1) {
		uint32_t s = (uint32_t)__builtin_ctz(dirty), p = s * n;

		for (; p < (s + 1) * n; p++)
			to[p] = whole >> s & 1 ? t->piece_full :
						 tags_masks_at(t, at)[p];
	}
}

/* Counts a line that becomes dirty (1) or no longer is (-1). */
static void tags_count_dirty(struct tags *t, uint32_t set, int by)
{
	t->dirty_lines += (uint32_t)by;
	if (UNLIKELY(t->dirty_in_set != NULL))
		t->dirty_in_set[set] += (uint8_t)by;
}

/* Describes the line's dirty sectors in *v and makes them clean. */
static __attribute__((noinline)) void
tags_take_dirty(struct tags *t, struct tags_way at, struct tags_victim *v)
{
	struct tags_line *l = tags_line_at(t, at);

	v->dirty = t->write_back ? l->written : 0;
	v->line = l->number;
	l->written = 0;
	if (!v->dirty)
		return;
	tags_copy_masks(t, at, v->dirty, l->whole, v->bytes);
	tags_count_dirty(t, at.index, -1);
	t->st.dirty_sectors += tags_count(v->dirty);
}

/* Describes the line that has to go in *v; there may be none. */
static inline void tags_evict(struct tags *t, struct tags_way at,
			      struct tags_victim *v)
{
	v->evicted = at.set[at.way] != PARTIAL_EMPTY;
	v->dirty = 0;
	if (!v->evicted)
		return;
	if (!t->unnamed_victims)
		tags_take_dirty(t, at, v);
	t->st.evictions++;
	t->st.dirty_evictions += v->dirty != 0;
}

/* Gives the way to another line. The caller says what is there of it. */
static inline void tags_make_room(struct tags *t, struct tags_way at,
				  uint64_t number, struct tags_victim *v)
{
	tags_evict(t, at, v);
	at.set[at.way] = tags_partial(number);
	ways_renew(tags_ranks(t, at.set), t->padded, at.way);
	if (UNLIKELY(t->inserts))
		tags_policy_insert(t, at);
}

/* The same for a line of which nothing is there. */
static inline void tags_replace(struct tags *t, struct tags_way at,
				uint64_t number, struct tags_victim *v)
{
	tags_make_room(t, at, number, v);
	*tags_line_at(t, at) = (struct tags_line){ .number = number };
}

/* Removes an MSHR from those that are free. */
static inline uint32_t tags_pop_mshr(struct tags *t)
{
	uint32_t i = t->free_mshr;

	t->outstanding++;
	if (UNLIKELY(i == NONE))
		return t->fresh_mshr++;
	t->free_mshr = t->mshr[i].first;
	if (LIKELY(t->free_mshr != NONE)) /* the next one to take */
		__builtin_prefetch(&t->mshr[t->free_mshr], 1);
	return i;
}

/* Takes an MSHR for a line. The token waits for the sectors that it needs; with
 * none, nothing waits yet. */
static inline uint32_t tags_take_mshr(struct tags *t, struct tags_way at,
				      uint64_t number, uint32_t token,
				      unsigned need)
{
	uint32_t i = tags_pop_mshr(t);
	struct tags_mshr *m = &t->mshr[i];

	*m = (struct tags_mshr){
		.number = number,
		.set = at.index,
		.way = (uint8_t)at.way,
		.need = (uint8_t)need,
		.token = token,
		.first = NONE,
		.last = NONE,
		.count = need != 0,
	};
	t->waiting += need != 0;
	*tags_in_flight_word(t, at.index, at.way) |= UINT64_C(1)
						     << at.way % IN_FLIGHT_BITS;
	return i;
}

static void tags_free_mshr(struct tags *t, struct tags_way at,
			   struct tags_mshr *m, uint32_t i)
{
	m->first = t->free_mshr;
	t->free_mshr = i;
	*tags_in_flight_word(t, at.index, at.way) &=
		~(UINT64_C(1) << at.way % IN_FLIGHT_BITS);
	t->outstanding--;
}

static void tags_add_waiter(struct tags *t, struct tags_mshr *m, uint32_t token,
			    unsigned need)
{
	uint32_t i = t->free_waiter;
	struct tags_waiter *w;

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
	*w = (struct tags_waiter){ .token = token, .next = NONE, .need = need };
	if (m->last == NONE)
		m->first = i;
	else
		t->waiter[m->last].next = i;
	m->last = i;
}

static void tags_clear_out(struct tags_out *out)
{
	out->request = 0;
	out->forward = 0;
	out->mshr = NONE;
	out->complete = 0;
	out->line = NULL;
	out->victim.evicted = false;
	out->victim.dirty = 0;
}

static enum tags_result tags_refuse(struct tags *t, enum tags_result why)
{
	t->st.stall_way += why == TAGS_STALL_WAY;
	t->st.stall_mshr += why == TAGS_STALL_MSHR;
	t->st.stall_merge += why == TAGS_STALL_MERGE;
	t->st.stall_waiter += why == TAGS_STALL_WAITER;
	return why;
}

/* Can a read that does not hit be accepted? `l` is NULL if the line is
 * absent. */
static enum tags_result
tags_admit_read(const struct tags *t, const struct tags_line *l, uint32_t token)
{
	bool has_mshr = l && l->pending;

	if (!has_mshr && t->outstanding == t->mshrs)
		return TAGS_STALL_MSHR;
	if (token == TAGS_NO_TOKEN)
		return TAGS_MISS;
	if (has_mshr && t->mshr[tags_mshr_of(l)].count >= t->merges)
		return TAGS_STALL_MERGE;
	return t->waiting == t->waiters ? TAGS_STALL_WAITER : TAGS_MISS;
}

static enum tags_result tags_count_miss(struct tags *t, unsigned written,
					unsigned sectors, unsigned lack,
					unsigned request)
{
	t->st.reads++;
	t->st.read_sectors += tags_count(sectors);
	t->st.sector_hits += tags_count(sectors & ~lack);
	t->st.sector_pending += tags_count(lack & ~request);
	t->st.sector_misses += tags_count(request);
	t->st.read_partials += (request & written) != 0;
	if (!request) {
		t->st.read_pending++;
		return TAGS_PENDING;
	}
	t->st.read_misses++;
	return TAGS_MISS;
}

/* Returns the sectors to fetch together with these, of a line that has those of
 * `there`. */
static inline unsigned tags_group_of(struct tags *t, unsigned request,
				     unsigned there)
{
	unsigned more;

	if (t->group <= 1)
		return 0;
	more = t->grouped[request] & ~(request | there);
	t->st.group_fetches += tags_count(more);
	return more;
}

/* A read of a line that is absent. */
static __attribute__((noinline)) enum tags_result
tags_read_absent(struct tags *t, uint32_t set, uint64_t number,
		 unsigned sectors, uint32_t token, struct tags_out *out)
{
	struct tags_way at = { .set = tags_set_at(t, set), .index = set };
	enum tags_result r = tags_admit_read(t, NULL, token);
	unsigned need = token == TAGS_NO_TOKEN ? 0 : sectors, request;
	struct tags_line *l;

	tags_clear_out(out);
	if (tags_stalled(r))
		return tags_refuse(t, r);
	at.way = tags_choose(t, at);
	if (at.way == NONE)
		return tags_refuse(t, TAGS_STALL_WAY);
	tags_replace(t, at, number, &out->victim);
	request = sectors | tags_group_of(t, sectors, 0);
	l = tags_line_at(t, at);
	l->pending = (uint8_t)request;
	out->mshr = tags_take_mshr(t, at, number, token, need);
	tags_set_mshr(l, out->mshr);
	out->request = (uint8_t)request;
	out->line = l;
	return tags_count_miss(t, 0, sectors, sectors, sectors);
}

/* Field by field, so that nothing is written twice: an MSHR that one read waits for,
 * and a line of which sectors are in flight. */
static inline void tags_set_waiting(struct tags_mshr *m, struct tags_way at,
				    uint64_t number, uint32_t token,
				    unsigned need)
{
	m->number = number;
	m->set = at.index;
	m->way = (uint8_t)at.way;
	m->need = (uint8_t)need;
	m->token = token;
	m->first = m->last = NONE;
	m->count = 1;
}

static inline void tags_set_fetched(struct tags_line *l, uint64_t number,
				    unsigned pending, uint32_t mshr)
{
	l->number = number;
	l->valid = 0;
	l->pending = (uint8_t)pending;
	l->written = 0;
	l->whole = 0;
	l->mshr_copied = mshr; /* no copies */
}

/* tags_read_absent in one go, if an MSHR is free and the oldest way of the set, and
 * if that is the one to take: nearly always. */
static inline enum tags_result tags_read_new(struct tags *t, struct tags_way at,
					     uint64_t number, unsigned sectors,
					     uint32_t token,
					     struct tags_out *out)
{
	uint8_t *rank = tags_ranks(t, at.set), last = (uint8_t)(t->ways - 1);
	uint32_t padded = t->padded, n = tags_count(sectors), mshr;
	uint64_t *in_flight = &t->in_flight[at.index];
	unsigned request;

	if (UNLIKELY(!t->plain || token == TAGS_NO_TOKEN ||
		     t->outstanding == t->mshrs || t->waiting == t->waiters))
		return tags_read_absent(t, at.index, number, sectors, token,
					out);
	/* Those of a plain cache are in one group. */
	at.way = ways_first(ways_equal(rank, padded, 0, last));
	if (UNLIKELY(*in_flight >> at.way & 1))
		return tags_read_absent(t, at.index, number, sectors, token,
					out);
	*in_flight |= UINT64_C(1) << at.way;
	tags_evict(t, at, &out->victim);
	at.set[at.way] = tags_partial(number);
	ways_rotate(rank, padded, last);
	request = sectors | tags_group_of(t, sectors, 0);
	mshr = tags_pop_mshr(t);
	tags_set_waiting(&t->mshr[mshr], at, number, token, sectors);
	t->waiting++;
	out->request = (uint8_t)request;
	out->forward = 0;
	out->mshr = mshr;
	out->complete = 0;
	out->line = tags_line_at(t, at);
	tags_set_fetched(out->line, number, request, mshr);
	t->st.reads++;
	t->st.read_misses++;
	t->st.read_sectors += n;
	t->st.sector_misses += n;
	return TAGS_MISS;
}

/* A read that lacks sectors of a line that is there. */
static __attribute__((noinline)) enum tags_result
tags_read_more(struct tags *t, struct tags_way at, unsigned sectors,
	       uint32_t token, struct tags_out *out)
{
	struct tags_line *l = tags_line_at(t, at);
	enum tags_result r = tags_admit_read(t, l, token);
	unsigned lack = sectors & ~l->valid, request = lack & ~l->pending, more;

	if (tags_stalled(r))
		return tags_refuse(t, r);
	tags_touch(t, at);
	if (!l->pending)
		tags_set_mshr(l, tags_take_mshr(t, at, l->number, 0, 0));
	more = tags_group_of(t, request, l->valid | l->pending);
	l->pending |= (uint8_t)(request | more);
	if (token != TAGS_NO_TOKEN)
		tags_add_waiter(t, &t->mshr[tags_mshr_of(l)], token, lack);
	out->request = (uint8_t)(request | more);
	out->mshr = tags_mshr_of(l);
	return tags_count_miss(t, l->written, sectors, lack, request);
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
	struct tags_way at = tags_find_in(t, set, line);
	struct tags_line *l = at.way == NONE ? NULL : tags_line_at(t, at);

	CHECK(tags_are_sectors(t, sectors));
	if (!l)
		return tags_read_new(t, at, line, sectors, token, out);
	tags_clear_out(out);
	out->line = l;
	if (sectors & ~l->valid)
		return tags_read_more(t, at, sectors, token, out);
	t->st.reads++;
	t->st.read_hits++;
	t->st.read_sectors += tags_count(sectors);
	t->st.sector_hits += tags_count(sectors);
	if (l->pending)
		out->mshr = tags_mshr_of(l);
	tags_touch(t, at);
	return TAGS_HIT;
}

/* Returns the sectors that the pieces belong to. */
static unsigned tags_sectors(const struct tags *t, uint32_t pieces)
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

/* Adds what is written of sector s to its masks. Are all of its bytes written
 * then? */
static bool tags_add_bytes(const struct tags *t, uint32_t *mask, bool fresh,
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

/* Of these pieces, those of which every byte is written. */
static uint32_t tags_whole_pieces(const struct tags *t, uint32_t pieces,
				  const uint32_t *bytes)
{
	uint32_t whole = 0;

	for (uint32_t left = pieces; left; left &= left - 1) {
		uint32_t p = (uint32_t)__builtin_ctz(left);

		CHECK(bytes[p] && !(bytes[p] & ~t->piece_full));
		whole |= (uint32_t)(bytes[p] == t->piece_full) << p;
	}
	return whole;
}

/* Returns the sectors that this write covers completely. */
static unsigned tags_whole_sectors(const struct tags *t, unsigned sectors,
				   uint32_t pieces, const uint32_t *bytes)
{
	unsigned whole = 0;

	if (t->pieces_per_sector == 1)
		return bytes ? tags_whole_pieces(t, sectors, bytes) : sectors;
	for (; sectors; sectors &= sectors - 1) {
		uint32_t s = (uint32_t)__builtin_ctz(sectors);

		if (tags_add_bytes(t, NULL, true, s, pieces, bytes))
			whole |= 1u << s;
	}
	return whole;
}

/* Records a write to the sectors of a line that keep it. */
static void tags_record_write(struct tags *t, struct tags_way at, unsigned keep,
			      uint32_t pieces, const uint32_t *bytes)
{
	struct tags_line *l = tags_line_at(t, at);
	uint32_t *mask = t->bytes ? tags_masks_at(t, at) : NULL;
	unsigned old = l->written, full;

	/* Nothing becomes dirty. Valid sectors stay valid; with TAGS_AROUND
	 * the others are in flight. */
	if (!t->write_back)
		keep = t->write_miss == TAGS_AROUND ? 0 : keep & ~l->valid;
	full = (old & l->whole & keep) |
	       tags_whole_sectors(t, keep, pieces, bytes);
	l->whole |= (uint8_t)full;
	l->valid |= full;
	l->written = (uint8_t)(t->write_back ? old | full : old & ~full);
	for (unsigned rest = keep & ~full; rest; rest &= rest - 1) {
		uint32_t s = (uint32_t)__builtin_ctz(rest);
		unsigned bit = 1u << s;
		bool whole =
			tags_add_bytes(t, mask, !(old & bit), s, pieces, bytes);

		l->whole = (uint8_t)(whole ? l->whole | bit : l->whole & ~bit);
		if (whole)
			l->valid |= bit;
		if (t->write_back || (!whole && mask))
			l->written |= bit;
		else
			l->written &= ~bit;
	}
	if (t->write_back && !old && l->written)
		tags_count_dirty(t, at.index, 1);
}

static enum tags_result tags_count_write(struct tags *t, unsigned sectors,
					 unsigned absent, unsigned request)
{
	t->st.writes++;
	t->st.write_sectors += tags_count(sectors);
	t->st.write_fetches += tags_count(request);
	if (!absent) {
		t->st.write_hits++;
		return TAGS_HIT;
	}
	t->st.write_misses++;
	return TAGS_MISS;
}

/* Cleans the line, which stays; its partly written sectors are discarded. */
static void tags_clean(struct tags *t, struct tags_way at,
		       struct tags_victim *v)
{
	tags_take_dirty(t, at, v);
	t->st.cleans++;
	if (!tags_line_at(t, at)->valid && !tags_line_at(t, at)->pending)
		tags_empty_way(t, at);
}

/* After a write to the line in `at`: if there are too many dirty ones now, cleans
 * the oldest other. A dirty victim has made room, so *v is free for it. */
static void tags_limit_dirty(struct tags *t, struct tags_way at,
			     struct tags_victim *v)
{
	uint32_t written = at.way;

	if (LIKELY(!t->dirty_in_set) ||
	    t->dirty_in_set[at.index] <= t->dirty_ways)
		return;
	for (uint32_t older = t->ways; older > 0; older--) {
		at.way = tags_of_rank(t, at, older - 1);
		if (at.way != written && at.set[at.way] != PARTIAL_EMPTY &&
		    tags_line_at(t, at)->written) {
			tags_clean(t, at, v);
			return;
		}
	}
}

/* The sectors of which a part was written and the rest is not on its way. */
static unsigned tags_lacking(const struct tags_line *l)
{
	return l->written & ~(l->valid | l->pending);
}

/* The oldest line of the set, other than this one, that lacks parts of sectors,
 * if there are too many of them; else NONE. */
static uint32_t tags_partial_beyond(const struct tags *t, struct tags_way at)
{
	const uint8_t *rank = tags_ranks(t, at.set);
	uint32_t written = at.way, oldest = NONE, count = 0;

	for (at.way = 0; at.way < t->ways; at.way++) {
		if (at.set[at.way] == PARTIAL_EMPTY ||
		    !tags_lacking(tags_line_at(t, at)))
			continue;
		count++;
		if (at.way != written &&
		    (oldest == NONE || rank[at.way] > rank[oldest]))
			oldest = at.way;
	}
	return count > t->partial_ways ? oldest : NONE;
}

/* After a write that left the line in `at` without parts of sectors: if the set
 * has too many such lines now, fetches what the oldest other one lacks and
 * writes it back, unless *out has another line to write back. Without a free
 * MSHR it stays as it is. */
static void tags_limit_partial(struct tags *t, struct tags_way at,
			       struct tags_out *out)
{
	struct tags_line *l;

	at.way = tags_partial_beyond(t, at);
	if (at.way == NONE)
		return;
	l = tags_line_at(t, at);
	if (!l->pending && t->outstanding == t->mshrs)
		return;
	if (!l->pending)
		tags_set_mshr(l, tags_take_mshr(t, at, l->number, 0, 0));
	out->complete = (uint8_t)tags_lacking(l);
	out->complete_line = l->number;
	out->complete_mshr = tags_mshr_of(l);
	l->pending |= out->complete;
	t->st.completions += tags_count(out->complete);
	if (out->victim.dirty)
		return;
	tags_take_dirty(t, at, &out->victim);
	t->st.cleans++;
}

enum tags_result tags_write(struct tags *t, uint64_t line, uint32_t pieces,
			    const uint32_t *bytes, struct tags_out *out)
{
	struct tags_way at = tags_find(t, line);
	struct tags_line *l = at.way == NONE ? NULL : tags_line_at(t, at);
	unsigned sectors = tags_sectors(t, pieces), keep = sectors;
	unsigned absent = sectors, request = 0, more = 0;

	CHECK(tags_are_sectors(t, sectors));
	tags_clear_out(out);
	if (l)
		absent &= ~(l->valid | l->pending | l->written);
	if (t->write_miss == TAGS_AROUND)
		keep &= ~absent;
	else if (t->write_miss == TAGS_FETCH)
		request = absent &
			  ~tags_whole_sectors(t, absent, pieces, bytes);
	if (request && !(l && l->pending) && t->outstanding == t->mshrs)
		return tags_refuse(t, TAGS_STALL_MSHR);
	if (!l && keep) {
		at.way = tags_choose(t, at);
		if (at.way == NONE)
			return tags_refuse(t, TAGS_STALL_WAY);
		tags_replace(t, at, line, &out->victim);
		l = tags_line_at(t, at);
	} else if (keep) {
		tags_touch(t, at);
	}
	if (request && !l->pending)
		tags_set_mshr(l, tags_take_mshr(t, at, line, 0, 0));
	if (request)
		more = tags_group_of(t, request,
				     l->valid | l->pending | absent);
	if (keep) {
		l->pending |= (uint8_t)(request | more);
		tags_record_write(t, at, keep, pieces, bytes);
		tags_limit_dirty(t, at, &out->victim);
		if (UNLIKELY(t->partial_ways) && absent &&
		    tags_lacking(tags_line_at(t, at)))
			tags_limit_partial(t, at, out);
	}
	if (l && l->pending)
		out->mshr = tags_mshr_of(l);
	out->line = l;
	out->request = (uint8_t)(request | more);
	out->forward = (uint8_t)(t->write_back ? sectors & ~keep : sectors);
	return tags_count_write(t, sectors, absent, request);
}

enum tags_result tags_claim(struct tags *t, uint64_t line, uint32_t pieces,
			    struct tags_out *out)
{
	struct tags_way at = tags_find(t, line);
	unsigned sectors = tags_sectors(t, pieces), absent;
	struct tags_line *l;

	CHECK(!t->write_back);
	tags_clear_out(out);
	if (at.way == NONE) {
		at.way = tags_choose(t, at);
		if (at.way == NONE)
			return tags_refuse(t, TAGS_STALL_WAY);
		tags_replace(t, at, line, &out->victim);
	} else {
		tags_touch(t, at);
	}
	l = tags_line_at(t, at);
	absent = sectors & ~(l->valid | l->pending);
	l->valid |= (uint8_t)absent;
	l->written &= (uint8_t)~absent;
	if (l->pending)
		out->mshr = tags_mshr_of(l);
	out->forward = (uint8_t)sectors;
	return tags_count_write(t, sectors, absent, 0);
}

void tags_place(struct tags *t, uint64_t line, uint32_t pieces)
{
	struct tags_way at = tags_find(t, line);
	unsigned sectors = tags_sectors(t, pieces);
	struct tags_victim ignored;

	if (at.way == NONE) {
		at.way = tags_choose(t, at);
		if (at.way == NONE)
			return;
		tags_replace(t, at, line, &ignored);
	} else {
		tags_touch(t, at);
	}
	tags_line_at(t, at)->valid |= sectors & ~tags_line_at(t, at)->pending;
	tags_record_write(t, at, sectors, pieces, NULL);
	tags_limit_dirty(t, at, &ignored);
}

/* Removes the younger waiters that lack nothing more and stores their tokens
 * from number n on. Returns the number of all. Not inlined: there are hardly
 * ever any. */
static __attribute__((noinline)) uint32_t
tags_wake_younger(struct tags *t, struct tags_mshr *m, unsigned sectors,
		  uint32_t *tokens, uint32_t n)
{
	uint32_t *link = &m->first, last = NONE;

	while (*link != NONE) {
		uint32_t i = *link;
		struct tags_waiter *w = &t->waiter[i];

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
	return n;
}

/* The same for all of them. */
static inline uint32_t tags_wake(struct tags *t, struct tags_mshr *m,
				 unsigned sectors, uint32_t *tokens,
				 bool younger)
{
	uint32_t n = 0;

	if (m->need) {
		m->need &= ~sectors;
		if (!m->need)
			tokens[n++] = m->token;
	}
	if (younger)
		n = tags_wake_younger(t, m, sectors, tokens, n);
	m->count -= n;
	t->waiting -= n;
	return n;
}

unsigned tags_copy(struct tags_line *l, unsigned sectors)
{
	unsigned lack = sectors & ~(l->mshr_copied >> MSHR_BITS);

	l->mshr_copied |= sectors << MSHR_BITS;
	return lack;
}

void tags_drop_copies(struct tags_line *l, unsigned sectors)
{
	l->mshr_copied &= ~(sectors << MSHR_BITS);
}

/* Compiled for MSHRs that several reads wait for, and for others. */
static inline __attribute__((always_inline)) uint32_t
tags_fill_for(struct tags *t, uint32_t mshr, unsigned sectors, uint32_t *tokens,
	      bool younger)
{
	struct tags_mshr *m = &t->mshr[mshr];
	struct tags_way at = {
		.set = tags_set_at(t, m->set),
		.index = m->set,
		.way = m->way,
	};
	struct tags_line *l = tags_line_at(t, at);
	uint32_t n;

	CHECK(sectors && !(sectors & ~l->pending) && tags_mshr_of(l) == mshr);
	l->pending &= ~sectors;
	l->valid |= sectors;
	if (!t->write_back)
		l->written &= ~sectors;
	n = tags_wake(t, m, sectors, tokens, younger);
	if (!l->pending)
		tags_free_mshr(t, at, m, mshr);
	t->st.fills++;
	t->st.fill_sectors += tags_count(sectors);
	return n;
}

static __attribute__((noinline)) uint32_t tags_fill_many(struct tags *t,
							 uint32_t mshr,
							 unsigned sectors,
							 uint32_t *tokens)
{
	return tags_fill_for(t, mshr, sectors, tokens, true);
}

/* Not inlined: see tags_fill_mshr. */
static __attribute__((noinline)) uint32_t tags_fill_part(struct tags *t,
							 uint32_t mshr,
							 unsigned sectors,
							 uint32_t *tokens)
{
	return tags_fill_for(t, mshr, sectors, tokens, false);
}

/* Nearly always a fill brings all that the line waits for, and one read waits. */
uint32_t tags_fill_mshr(struct tags *t, uint32_t mshr, unsigned sectors,
			uint32_t *tokens)
{
	struct tags_mshr *m = &t->mshr[mshr];
	struct tags_way at = {
		.set = tags_set_at(t, m->set),
		.index = m->set,
		.way = m->way,
	};
	struct tags_line *l = tags_line_at(t, at);

	if (UNLIKELY(m->first != NONE))
		return tags_fill_many(t, mshr, sectors, tokens);
	if (UNLIKELY(!m->need || l->pending != sectors ||
		     tags_mshr_of(l) != mshr))
		return tags_fill_part(t, mshr, sectors, tokens);
	l->pending = 0;
	l->valid |= (uint8_t)sectors;
	if (!t->write_back)
		l->written &= (uint8_t)~sectors;
	*tokens = m->token;
	t->waiting--;
	tags_free_mshr(t, at, m, mshr);
	t->st.fills++;
	t->st.fill_sectors += tags_count(sectors);
	return 1;
}

uint32_t tags_fill(struct tags *t, uint64_t line, unsigned sectors,
		   uint32_t *tokens)
{
	struct tags_way at = tags_find(t, line);

	CHECK(at.way != NONE && tags_line_at(t, at)->pending);
	return tags_fill_mshr(t, tags_mshr_of(tags_line_at(t, at)), sectors,
			      tokens);
}

uint64_t tags_mshr_line(const struct tags *t, uint32_t mshr)
{
	return t->mshr[mshr].number;
}

static void tags_drop(struct tags *t, struct tags_way at)
{
	struct tags_line *l = tags_line_at(t, at);

	if (t->write_back && l->written)
		tags_count_dirty(t, at.index, -1);
	l->valid = 0;
	l->written = 0;
	l->mshr_copied &= MSHR_MASK;
	if (!l->pending)
		tags_empty_way(t, at);
}

void tags_invalidate(struct tags *t, uint64_t line)
{
	struct tags_way at = tags_find(t, line);

	if (at.way != NONE)
		tags_drop(t, at);
}

void tags_invalidate_all(struct tags *t)
{
	if (!t->outstanding) {
		tags_reset(t);
		return;
	}
	for (uint32_t i = 0; i < t->spread.bins; i++) {
		struct tags_way at = {
			.set = tags_set_at(t, i),
			.index = i,
		};

		/* From the last way down, so that way 0 is emptied last. */
		for (at.way = t->ways; at.way-- > 0;)
			if (at.set[at.way] != PARTIAL_EMPTY)
				tags_drop(t, at);
	}
}

bool tags_clean_next(struct tags *t, uint32_t *cursor, struct tags_victim *v)
{
	uint32_t end = t->spread.bins * t->ways;

	for (; t->dirty_lines && *cursor < end; ++*cursor) {
		uint32_t i = *cursor / t->ways;
		struct tags_way at = {
			.set = tags_set_at(t, i),
			.index = i,
			.way = *cursor % t->ways,
		};

		if (at.set[at.way] == PARTIAL_EMPTY ||
		    !tags_line_at(t, at)->written)
			continue;
		v->evicted = false;
		tags_clean(t, at, v);
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
	struct tags_way at = tags_find_in(t, set, line);
	struct tags_probe p = { .set = at.index, .way = at.way };

	if (at.way == NONE)
		return p;
	p.present = true;
	p.valid = tags_line_at(t, at)->valid;
	p.pending = tags_line_at(t, at)->pending;
	p.written = tags_line_at(t, at)->written;
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
	const struct tags_mshr *m = &t->mshr[mshr];
	struct tags_way at = { .set = tags_set_at(t, m->set), .way = m->way };

	__builtin_prefetch(tags_line_at(t, at), 1);
	return m->need ? m->token : TAGS_NO_TOKEN;
}

static inline void tags_prefetch_ways(const struct tags *t, uint32_t set)
{
	const uint8_t *first = tags_set_at(t, set);

	__builtin_prefetch(first, 1);
	if (UNLIKELY(t->line_at > FETCH_LINE))
		fetch_soon(first + FETCH_LINE, t->line_at - FETCH_LINE);
}

void tags_prefetch(const struct tags *t, uint32_t set)
{
	fetch_soon(tags_set_at(t, set), t->stride);
}

/* The lines of the set are needed only later. */
uint32_t tags_prefetch_set(const struct tags *t, uint64_t line)
{
	uint32_t set = tags_set(t, line);

	tags_prefetch_ways(t, set);
	__builtin_prefetch(tags_in_flight_word(t, set, 0), 1);
	__builtin_prefetch(
		&t->mshr[t->free_mshr == NONE ? t->fresh_mshr : t->free_mshr],
		1);
	return set;
}

void tags_prefetch_lookup(const struct tags *t, uint32_t set)
{
	tags_prefetch_ways(t, set);
}

void tags_prefetch_line(const struct tags *t, uint32_t set, uint64_t line)
{
	struct tags_way at = { .set = tags_set_at(t, set) };
	uint8_t partial = tags_partial(line);

	for (uint32_t from = 0; from < t->padded; from += WAYS_GROUP) {
		uint64_t ways = ways_equal(at.set, t->padded, from, partial);

		if (ways) {
			at.way = from + ways_first(ways);
			__builtin_prefetch(tags_line_at(t, at), 1);
		}
	}
}
