/*
 * What a tag array is made of; for tags.c and tags_new.c only.
 */
#ifndef HEDDLE_MEM_TAGS_IMPL_H
#define HEDDLE_MEM_TAGS_IMPL_H

#include <stddef.h>

#include "mem/tags.h"

#define TAGS_NONE UINT32_MAX

/* Partial tags, the first row of a set. Those of lines are larger. */
enum { PART_EMPTY, PART_NO_WAY, PART_LEAST };

/* The second row is the order of the ways: 0 is the newest, ways - 1 the
 * oldest; empty ways are older than all others. Ways that do not exist are
 * older than any can be. */
enum { RANK_NO_WAY = 0xff };

enum { BUSY_BITS = 64 }; /* of a word */

/* Rows are compared in steps of so many ways and padded to them; as many steps
 * as fit a word of bits are a group. */
enum { STEP = 16, STEPS = 4, GROUP = STEP * STEPS };

typedef uint8_t row_t __attribute__((vector_size(STEP), may_alias));
typedef uint64_t words_t __attribute__((vector_size(STEP)));

struct line {
	uint64_t number;
	uint8_t valid, pending;
	uint8_t written; /* sectors whose byte masks mean something */
	uint8_t whole;   /* of these: every byte, whatever the mask says */
	uint32_t mshr;   /* if pending */
};

/* The oldest reader, nearly always the only one, waits in the MSHR itself:
 * half of a line of the host is all that a miss takes. */
struct mshr {
	uint64_t number; /* of the line */
	uint32_t set;
	uint8_t way;
	uint8_t need; /* sectors that the oldest still lacks; 0: it has gone */
	uint32_t token;
	uint32_t first, last; /* younger ones, in order; free: first is next */
	uint32_t count;       /* of all */
};

struct waiter {
	uint32_t token;
	uint32_t next;
	uint32_t need; /* sectors still to come */
};

struct tags {
	/* A set is one aligned piece: the row of partial tags, the row of
	 * ranks, the lines. A hit touches two or three lines of the host. */
	uint8_t *sets;
	uint32_t stride, rank_at, line_at; /* bytes */
	uint32_t row;                      /* bytes of a row in use */
	struct spread spread;
	uint32_t ways;
	uint8_t all_sectors;
	bool write_back, lru, nameless;
	uint8_t write_miss, replace;
	uint32_t pieces, pieces_per_sector, piece_full;
	/*
	 * Byte masks of pieces, by set, way and piece; NULL if the policy
	 * needs none. Of a valid sector: its dirty bytes. Else the bytes
	 * written so far.
	 */
	uint32_t *bytes;
	/* The ways of each set whose lines are under way, in so many words.
	 * All of a cache take fewer lines of the host than the rows do, in
	 * which a fill would have to find its own. */
	uint64_t *busy;
	uint32_t busy_words;
	struct mshr *mshr;
	struct waiter *waiter;
	/* Lists of what was used before, the last freed first; what never was
	 * comes after it, so that a large room costs no memory. */
	uint32_t free_mshr, free_waiter;
	uint32_t fresh_mshr, fresh_waiter;
	uint32_t mshrs, waiters, merges; /* bounds */
	uint32_t outstanding, waiting, dirty_lines;
	uint32_t sets_max, ways_max;
	uint64_t random;
	struct tags_stats st;
};

static inline uint8_t *set_of(const struct tags *t, uint32_t index)
{
	return t->sets + (size_t)index * t->stride;
}

static inline uint8_t *ranks(const struct tags *t, uint8_t *set)
{
	return set + t->rank_at;
}

/* Empties all sets. */
void tags_reset(struct tags *t);

#endif
