/*
 * Fast loads and stores of a word of shared memory for each lane of a warp, at
 * addresses in 32-bit registers: the most common load of many programs, and the
 * store before it. Fast loads of vectors of words.
 *
 * Tiles in shared memory are read by rows and by columns, so that the lanes of
 * half a warp load the same word or consecutive words. Both cases are detected
 * by comparing vectors of addresses, and need no load for each lane.
 */
#include <string.h>

#include "simt/block.h"
#include "simt/mem.h"
#include "simt/mem_quick.h"
#include "simt/view.h"

enum { HALF = LANES / 2, WORD = 4, PART = 4, PARTS = HALF / PART };

/* Four lanes, as wide as the vectors of all hosts are. */
typedef uint32_t part_t __attribute__((vector_size(PART * WORD)));

static inline part_t part_at(const uint32_t *from, int i)
{
	part_t v;

	memcpy(&v, from + i * PART, sizeof(v));
	return v;
}

static inline bool any_bit(part_t v)
{
	uint64_t two[2];

	memcpy(two, &v, sizeof(two));
	return two[0] | two[1];
}

/* Whether in each half of the warp the address of lane l is that of the first
 * lane plus l times `step`. */
static inline bool has_step(const uint32_t *from, uint32_t step)
{
	const part_t lane = { 0, 1, 2, 3 };
	part_t stray = { 0 };

	for (int i = 0; i < PARTS; i++) {
		part_t ahead = (lane + (uint32_t)(i * PART)) * step;

		stray |= part_at(from, i) ^ (ahead + from[0]);
		stray |= part_at(from + HALF, i) ^ (ahead + from[HALF]);
	}
	return !any_bit(stray);
}

/* Fills in the effect with EFFECT_NEAR if the words are within near_bytes.
 * False: the reader needs the addresses. */
static inline bool set_near(struct effect *e, enum timing_kind kind,
			    uint64_t spread)
{
	if (spread >= e->near_bytes)
		return false;
	effect_set_pattern(e, kind, EFFECT_NEAR, WORD);
	return true;
}

/* Whether the word at `last` is inside of shared memory. */
static inline bool in_shared(const struct block *b, uint64_t last)
{
	return last + WORD <= b->shared_bytes;
}

/* Lane by lane. False: nothing is done, and mem_load must do it. */
static bool load_scattered(struct warp *w, const struct inst *in,
			   const uint32_t *from)
{
	uint32_t *to = slot_at(w, in->d);
	const struct block *b = w->block;
	uint32_t offset = (uint32_t)in->offset, at[LANES];
	uint32_t all = 0, first = UINT32_MAX, last = 0;

	for (int l = 0; l < LANES; l++) {
		at[l] = from[l] + offset;
		all |= at[l];
		first = at[l] < first ? at[l] : first;
		last = at[l] > last ? at[l] : last;
	}
	if (UNLIKELY(all % WORD || !in_shared(b, last)))
		return false;
	for (int l = 0; l < LANES; l++)
		memcpy(&to[l], b->shared + at[l], WORD);
	if (set_near(w->effect, KIND_LOAD, last - first))
		return true;
	effect_set(w->effect, KIND_LOAD, SPACE_SHARED, LANES_ALL, WORD);
	for (int l = 0; l < LANES; l++)
		w->effect->addr[l] = at[l];
	return true;
}

/* Eight lanes: a quarter of the warp. Where vectors are shorter, two of them. */
typedef uint32_t quarter_t __attribute__((vector_size(LANES / 4 * WORD)));

static inline void spread_word(uint32_t *to, const char *host)
{
	quarter_t all = { 0 };
	uint32_t word;

	memcpy(&word, host, WORD);
	all += word;
	memcpy(to, &all, sizeof(all));
	memcpy(to + HALF / 2, &all, sizeof(all));
}

/* The lane pattern of the address register, as in warp.lane_pattern; 0:
 * none. */
static inline uint64_t find_lane_pattern(const struct effect *e,
					 const uint32_t *from)
{
	uint64_t low = from[0], high = from[HALF];
	uint64_t apart = low < high ? high - low : low - high;
	bool same = has_step(from, 0);

	if ((low | high) >> PATTERN_BITS || (!same && !has_step(from, WORD)))
		return 0;
	apart += same ? 0 : WORD * (HALF - 1);
	return PATTERN_KNOWN | (same ? PATTERN_SAME : 0) |
	       (apart < e->near_bytes ? PATTERN_NEAR : 0) |
	       high << PATTERN_BITS | low;
}

/* The same, without reading the register: one that is written only once in a
 * thread's life, before this instruction, keeps its pattern. 0: not known. */
static inline uint64_t known_lane_pattern(const struct warp *w,
					  const struct inst *in)
{
	return w->lane_pattern[in->m >> MEM_PATTERN];
}

static inline uint64_t get_lane_pattern(struct warp *w, const struct inst *in,
					const uint32_t *from)
{
	uint32_t place = in->m >> MEM_PATTERN;
	uint64_t pattern = known_lane_pattern(w, in);

	if (pattern)
		return pattern;
	pattern = find_lane_pattern(w->effect, from);
	if (place)
		w->lane_pattern[place] = pattern;
	return pattern;
}

/* The address of the first lane, with the offset; of the upper half, if the
 * pattern is shifted down by PATTERN_BITS. */
static inline uint32_t pattern_low(const struct inst *in, uint64_t pattern)
{
	const uint32_t mask = (1u << PATTERN_BITS) - 1;

	return ((uint32_t)pattern & mask) + (uint32_t)in->offset;
}

/* Loads one word, or consecutive words, for each half of the warp. False: the
 * lanes have no such pattern. */
static inline bool load_by_pattern(struct warp *w, const struct inst *in,
				   uint64_t pattern)
{
	uint32_t low = pattern_low(in, pattern);
	uint32_t high = pattern_low(in, pattern >> PATTERN_BITS);
	const struct block *b = w->block;
	uint32_t *to = slot_at(w, in->d);
	uint64_t more = pattern & PATTERN_SAME ? 0 : WORD * (HALF - 1);

	/* No pattern is near without being known. */
	if (UNLIKELY(!(pattern & PATTERN_NEAR) || (low | high) % WORD ||
		     !in_shared(b, low + more) || !in_shared(b, high + more)))
		return false;
	effect_set_pattern(w->effect, KIND_LOAD, EFFECT_NEAR, WORD);
	if (pattern & PATTERN_SAME) {
		spread_word(to, b->shared + low);
		spread_word(to + HALF, b->shared + high);
	} else {
		memcpy(to, b->shared + low, HALF * WORD);
		memcpy(to + HALF, b->shared + high, HALF * WORD);
	}
	return true;
}

/* The addresses without the offset. */
static inline const uint32_t *shared_register(const struct warp *w,
					      const struct inst *in,
					      uint32_t room[LANES])
{
	const uint32_t *r = slot_at(w, in->a), *base;
	unsigned shift;

	if (in->addr == ADDR_REG32)
		return r;
	base = slot_at(w, in->e);
	shift = mem_address_shift(in);
	for (int l = 0; l < LANES; l++)
		room[l] = (r[l] << shift) + base[l];
	return room;
}

bool store_shared_words(struct warp *w, const struct inst *in)
{
	const char *value = slot_at(w, in->d);
	const struct block *b = w->block;
	uint32_t room[LANES];
	const uint32_t *to = shared_register(w, in, room);
	uint32_t low = to[0] + (uint32_t)in->offset;
	uint32_t high = to[HALF] + (uint32_t)in->offset;
	uint64_t first = low < high ? low : high,
		 last = low < high ? high : low;

	last += WORD * (HALF - 1);
	if (!lanes_are_all(w->mask) || !has_step(to, WORD) ||
	    (low | high) % WORD || !in_shared(b, last) ||
	    !set_near(w->effect, KIND_STORE, last - first))
		return false;
	memcpy(b->shared + low, value, HALF * WORD);
	memcpy(b->shared + high, value + HALF * WORD, HALF * WORD);
	return true;
}

/* The same if the pattern of the addresses is known. */
static inline bool store_by_pattern(struct warp *w, const struct inst *in,
				    uint64_t pattern)
{
	uint32_t low = pattern_low(in, pattern);
	uint32_t high = pattern_low(in, pattern >> PATTERN_BITS);
	const char *value = slot_at(w, in->d);
	const struct block *b = w->block;
	uint64_t more = WORD * (HALF - 1);

	if (UNLIKELY(!(pattern & PATTERN_NEAR) || pattern & PATTERN_SAME ||
		     (low | high) % WORD || !in_shared(b, low + more) ||
		     !in_shared(b, high + more)))
		return false;
	effect_set_pattern(w->effect, KIND_STORE, EFFECT_NEAR, WORD);
	memcpy(b->shared + low, value, HALF * WORD);
	memcpy(b->shared + high, value + HALF * WORD, HALF * WORD);
	return true;
}

/* The first store with this register finds its pattern. */
static __attribute__((noinline)) void store_unknown_words(struct warp *w,
							  const struct inst *in)
{
	if (lanes_are_all(w->mask) && in->m >> MEM_PATTERN)
		get_lane_pattern(w, in, slot_at(w, in->a));
	mem_store(w, in);
}

void mem_store_shared(struct warp *w, const struct inst *in)
{
	if (UNLIKELY(!lanes_are_all(w->mask)) ||
	    !store_by_pattern(w, in, known_lane_pattern(w, in)))
		store_unknown_words(w, in);
}

enum { VECTOR = 4 }; /* words of the longest vector; the others have two */

/* The addresses with the offset. False: one is not aligned, or outside. */
static inline bool vector_addresses(const struct warp *w, const struct inst *in,
				    const uint32_t *from, uint32_t at[LANES])
{
	uint32_t offset = (uint32_t)in->offset, all = 0, last = 0;
	uint32_t bytes = WORD * in->count;

	for (int l = 0; l < LANES; l++) {
		at[l] = from[l] + offset;
		all |= at[l];
		last = at[l] > last ? at[l] : last;
	}
	return !(all & (bytes - 1)) &&
	       (uint64_t)last + bytes <= w->block->shared_bytes;
}

/* Whether lanes that are served together do not conflict, if those of each half
 * of the warp load the same vector. */
static inline bool halves_are_near(const struct effect *e, uint32_t bytes,
				   uint32_t low, uint32_t high)
{
	uint32_t apart = low < high ? high - low : low - high;

	if (2 * e->near_word <= bytes) /* no more than half a warp */
		return e->near_bytes;
	return (uint64_t)apart + bytes <= e->near_bytes;
}

/* The pattern of such a load: groups of lanes that follow each other load the
 * same vector, or are the halves. */
static inline enum effect_pattern halves_pattern(const struct effect *e,
						 uint32_t bytes, uint32_t low,
						 uint32_t high)
{
	if (!e->near_pairs || bytes <= e->near_word)
		return EFFECT_NEAR;
	if (bytes > 2 * e->near_word || low == high ||
	    (low ^ high) & (e->near_bytes - 1))
		return EFFECT_PAIRED;
	return EFFECT_NEAR;
}

/* Describes such a load. False: the reader of the effect needs addresses. Not
 * inlined, so that functional mode is spared its registers. */
static __attribute__((noinline)) bool set_spread_vectors(struct effect *e,
							 uint32_t bytes,
							 uint32_t low,
							 uint32_t high)
{
	if (!halves_are_near(e, bytes, low, high))
		return false;
	effect_set_pattern(e, KIND_LOAD, halves_pattern(e, bytes, low, high),
			   bytes);
	return true;
}

/* The same `count` words for the lanes of each half. */
static inline __attribute__((always_inline)) void
spread_words(struct warp *w, const struct inst *in, const char *low,
	     const char *high, const uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *to = slot_at(w, mem_slot(in, i));

		spread_word(to, low + i * WORD);
		spread_word(to + HALF, high + i * WORD);
	}
}

/* The lanes of each half of the warp load the same vector. False: they do not,
 * or the reader of the effect needs addresses. described: nobody reads it. */
static inline __attribute__((always_inline)) bool
spread_vectors(struct warp *w, const struct inst *in, uint64_t pattern,
	       const bool described)
{
	const uint32_t bytes = WORD * in->count;
	uint32_t low = pattern_low(in, pattern);
	uint32_t high = pattern_low(in, pattern >> PATTERN_BITS);
	const struct block *b = w->block;

	if (UNLIKELY(!(pattern & PATTERN_SAME) || (low | high) & (bytes - 1) ||
		     (uint64_t)low + bytes > b->shared_bytes ||
		     (uint64_t)high + bytes > b->shared_bytes))
		return false;
	if (!described && !set_spread_vectors(w->effect, bytes, low, high))
		return false;
	if (in->count == VECTOR)
		spread_words(w, in, b->shared + low, b->shared + high, VECTOR);
	else
		spread_words(w, in, b->shared + low, b->shared + high, 2);
	return true;
}

static inline void gather_vectors(const char *shared, const struct inst *in,
				  const uint32_t *at, uint32_t *to[VECTOR])
{
	for (int l = 0; l < LANES; l++)
		for (int i = 0; i < in->count; i++)
			memcpy(&to[i][l], shared + at[l] + i * WORD, WORD);
}

/* How the vectors of lanes that are served together lie. */
enum group { GROUP_OTHER, GROUP_BLOCK, GROUP_RUN };

/* Whether they are within aligned near_bytes, or consecutive. */
static inline enum group vector_group(const struct effect *e,
				      const uint32_t *at, uint32_t lanes,
				      uint32_t bytes)
{
	part_t block = { 0 }, run = { 0 };
	part_t ahead = (part_t){ 0, 1, 2, 3 } * bytes + at[0];

	for (uint32_t i = 0; i < lanes / PART; i++) {
		block |= part_at(at, (int)i) ^ at[0];
		run |= part_at(at, (int)i) ^ ahead;
		ahead += PART * bytes;
	}
	if (!any_bit(block & -e->near_bytes))
		return GROUP_BLOCK;
	return !any_bit(run) && lanes * bytes <= e->near_bytes ? GROUP_RUN :
								 GROUP_OTHER;
}

/* The pattern of two groups, each without conflicts; EFFECT_LANES: the reader
 * needs addresses. */
static inline enum effect_pattern pair_pattern(const struct effect *e,
					       const uint32_t *at,
					       uint32_t lanes, uint32_t bytes)
{
	uint32_t apart = at[0] ^ at[lanes];

	if (vector_group(e, at, 2 * lanes, bytes) == GROUP_BLOCK)
		return EFFECT_PAIRED;
	/* Two different runs that need every bank. */
	if (apart && lanes * bytes == e->near_bytes &&
	    at[lanes - 1] - at[0] == (lanes - 1) * bytes &&
	    at[2 * lanes - 1] - at[lanes] == (lanes - 1) * bytes)
		return EFFECT_NEAR;
	return EFFECT_LANES;
}

/* The pattern of the vectors of all lanes. */
static inline enum effect_pattern vectors_pattern(const struct effect *e,
						  const uint32_t at[LANES],
						  uint32_t bytes)
{
	uint32_t lanes = LANES * e->near_word / bytes;
	enum effect_pattern all;

	if (!e->near_bytes || lanes < PART)
		return EFFECT_LANES;
	lanes = lanes < LANES ? lanes : LANES;
	for (uint32_t l = 0; l < LANES; l += lanes)
		if (vector_group(e, at + l, lanes, bytes) == GROUP_OTHER)
			return EFFECT_LANES;
	if (!e->near_pairs || lanes == LANES)
		return EFFECT_NEAR;
	all = pair_pattern(e, at, lanes, bytes);
	for (uint32_t l = 2 * lanes; l < LANES; l += 2 * lanes)
		if (pair_pattern(e, at + l, lanes, bytes) != all)
			return EFFECT_LANES;
	return all;
}

/* Describes a load of vectors from at[]. Not inlined, so that functional mode is
 * spared its registers. */
static __attribute__((noinline)) void
set_vectors(struct effect *e, const uint32_t at[LANES], uint32_t bytes)
{
	enum effect_pattern pattern = vectors_pattern(e, at, bytes);

	if (pattern != EFFECT_LANES) {
		effect_set_pattern(e, KIND_LOAD, pattern, bytes);
		return;
	}
	effect_set(e, KIND_LOAD, SPACE_SHARED, LANES_ALL, bytes);
	for (int l = 0; l < LANES; l++)
		e->addr[l] = at[l];
}

/* Loads two or four words for each lane. False: nothing is done, and mem_load
 * must do it. */
static bool load_vectors(struct warp *w, const struct inst *in,
			 const uint32_t *from)
{
	uint32_t at[LANES], *to[VECTOR];

	if (UNLIKELY(!lanes_are_all(w->mask)))
		return false;
	if (spread_vectors(w, in, get_lane_pattern(w, in, from), false))
		return true;
	if (UNLIKELY(!vector_addresses(w, in, from, at)))
		return false;
	for (uint32_t i = 0; i < in->count; i++)
		to[i] = slot_at(w, mem_slot(in, i));
	gather_vectors(w->block->shared, in, at, to);
	if (w->effect->reader != READER_NONE)
		set_vectors(w->effect, at, (uint32_t)WORD * in->count);
	return true;
}

/* Apart from the common case, which needs none of its registers and room. */
static __attribute__((noinline)) void load_other_vectors(struct warp *w,
							 const struct inst *in)
{
	uint32_t room[LANES];

	if (LIKELY(lanes_are_all(w->mask)) &&
	    spread_vectors(w, in, known_lane_pattern(w, in), false))
		return;
	if (!load_vectors(w, in, shared_register(w, in, room)))
		mem_load(w, in);
}

void mem_load_shared_vectors(struct warp *w, const struct inst *in)
{
	if (!lanes_are_all(w->mask) || w->effect->reader != READER_NONE ||
	    !spread_vectors(w, in, known_lane_pattern(w, in), true))
		load_other_vectors(w, in);
}

static __attribute__((noinline)) void load_unknown_words(struct warp *w,
							 const struct inst *in)
{
	uint32_t room[LANES];
	const uint32_t *from;

	if (!lanes_are_all(w->mask) || in->d == SLOT_NONE) {
		mem_load(w, in);
		return;
	}
	from = shared_register(w, in, room);
	if (!load_by_pattern(w, in, get_lane_pattern(w, in, from)) &&
	    !load_scattered(w, in, from))
		mem_load(w, in);
}

/* Loads of words: the addresses are needed only if their pattern is not known,
 * or is none. */
void mem_load_shared(struct warp *w, const struct inst *in)
{
	if (UNLIKELY(!lanes_are_all(w->mask) || in->d == SLOT_NONE) ||
	    !load_by_pattern(w, in, known_lane_pattern(w, in)))
		load_unknown_words(w, in);
}
