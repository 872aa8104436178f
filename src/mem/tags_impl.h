/*
 * The state of a tag array. For tags*.c only; mem/tags.h is the interface.
 */
#ifndef HEDDLE_MEM_TAGS_IMPL_H
#define HEDDLE_MEM_TAGS_IMPL_H

#include <stddef.h>

#include "mem/replace.h"
#include "mem/tags.h"
#include "mem/tags_ways.h"

#define TAGS_NONE UINT32_MAX

/* Partial tags: of an empty way, of the padding, the minimum of a line. */
enum { PARTIAL_EMPTY, PARTIAL_PADDING, PARTIAL_MIN };

/* Ranks order the ways: 0 is the newest, ways - 1 the oldest. Empty ways are
 * older than all others; the way emptied last is the oldest. Where there is
 * padding, no rank is that high. */
enum { RANK_PADDING = 0x7f };

enum { IN_FLIGHT_BITS = 64 }; /* of a word */

enum { MSHR_BITS = 24, MSHR_MASK = (1 << MSHR_BITS) - 1 };

struct tags_line {
	uint64_t number;
	uint8_t valid, pending;
	uint8_t written; /* sectors whose byte masks are meaningful */
	uint8_t whole;   /* of these: every byte, whatever the mask is */
	/* The MSHR, if pending, and in the bits above MSHR_BITS the sectors of
	 * which there are copies, see tags_copy. */
	uint32_t mshr_copied;
};

/* The oldest reader, nearly always the only one, waits in the MSHR itself: a
 * miss then needs only half a cache line of the host. */
struct tags_mshr {
	uint64_t number; /* of the line */
	uint32_t set;
	uint8_t way;
	uint8_t need; /* sectors that the oldest still lacks; 0: it has left */
	uint32_t token;
	uint32_t first, last; /* younger ones, in order; if free: first is the
			       * next free MSHR */
	uint32_t count;       /* of all */
};

struct tags_waiter {
	uint32_t token;
	uint32_t next;
	uint32_t need; /* sectors still to come */
};

struct tags {
	/* A set is one aligned block: an array of partial tags, one of ranks,
	 * with policy->way_state one of the policy's state, then the lines. A
	 * hit touches two or three cache lines of the host. */
	uint8_t *sets;
	uint32_t stride, rank_at, line_at; /* bytes */
	uint32_t padded; /* bytes in use of an array, see tags_ways.h */
	struct spread spread;
	uint32_t ways;
	uint8_t all_sectors, group;
	bool write_back, unnamed_victims;
	bool renews;                    /* policy->renews */
	bool touches, inserts, chooses; /* the policy has that function */
	/* It has neither of the latter two, and a set is one group of ways. */
	bool plain;
	uint8_t write_miss;

	/* A bit for each way whose line is in flight, in so many words a set.
	 * They lie apart from the sets: those of a whole cache fill few cache
	 * lines of the host, so a fill finds its own quickly. */
	uint64_t *in_flight;
	uint32_t in_flight_words;
	struct tags_mshr *mshr;
	/* Lists of those used before, the last freed first. Those never used
	 * are taken after them, so that a large bound costs no memory. */
	uint32_t free_mshr, free_waiter;
	uint32_t fresh_mshr, fresh_waiter;
	uint32_t mshrs, waiters, merges; /* bounds */
	uint32_t outstanding, waiting, dirty_lines;

	struct tags_stats st;
	struct tags_waiter *waiter;
	uint32_t pieces, pieces_per_sector, piece_full;
	/*
	 * Byte masks of pieces, by set, way and piece; NULL if the write
	 * policy needs none. Of a valid sector: its dirty bytes. Otherwise the
	 * bytes written so far.
	 */
	uint32_t *bytes;
	uint32_t sets_max, ways_max;
	uint8_t *dirty_in_set; /* dirty lines; NULL: as many as there are */
	uint32_t dirty_ways;   /* at most */
	uint32_t partial_ways; /* lines written in part; 0: no limit */
	/* By sectors: these and all that are fetched together with them. */
	uint8_t grouped[1 << TAGS_SECTORS_MAX];
	const struct replace_ops *policy;
	uint64_t policy_word; /* replace_set.shared */
};

static inline uint8_t *tags_set_at(const struct tags *t, uint32_t index)
{
	return t->sets + (size_t)index * t->stride;
}

static inline uint8_t *tags_ranks(const struct tags *t, uint8_t *set)
{
	return set + t->rank_at;
}

/* Empties all sets. */
void tags_reset(struct tags *t);

#endif
