/*
 * Replacement policies: choose which line of a full set is evicted.
 *
 * A policy is one file with one struct replace_ops; replace.c lists them all:
 *
 *   replace_lru.c     lru     the least recently used
 *   replace_fifo.c    fifo    the first allocated
 *   replace_random.c  random  any, by a fixed sequence
 *   replace_srrip.c   srrip   the one whose re-reference is predicted to be
 *                             the most distant
 *   replace_plru.c    plru    a binary tree that points away from recent use
 *
 * The tag array (mem/tags.h) does what all policies share. It takes an empty
 * way before any policy is asked, and orders the ways by age: a way that gets
 * a line becomes the newest. Policies that are nothing but an order by age
 * need no function; the tag array has them inlined.
 *
 * Owner:   a tag array. Policies allocate nothing; equal calls give equal
 *          answers on every host.
 */
#ifndef HEDDLE_MEM_REPLACE_H
#define HEDDLE_MEM_REPLACE_H

#include <stdbool.h>
#include <stdint.h>

/* A set, as a policy sees it. */
struct replace_set {
	uint32_t ways;
	/* A bit for each way, in words of 64: its line is in flight. Such a
	 * line cannot be evicted. */
	const uint64_t *in_flight;
	/* With ops->way_state: a byte for each way, the policy's own. Zero when
	 * the cache is made, resized, or emptied with nothing in flight. */
	uint8_t *state;
	uint64_t *shared; /* one word for the whole cache, the policy's own */
};

struct replace_ops {
	const char *name; /* as in l1.replace and l2.replace */
	bool renews;      /* an access makes its way the newest */
	bool way_state;   /* the policy uses replace_set.state */
	/* Any of these functions may be NULL. */
	/* The cache is made; *shared is zero. */
	void (*init)(uint64_t *shared, uint64_t seed);
	/* A read or write of a line in this way was accepted, in flight or
	 * not. Not called if `renews`. */
	void (*touch)(const struct replace_set *s, uint32_t way);
	/* The way, empty or returned by victim, gets another line. */
	void (*insert)(const struct replace_set *s, uint32_t way);
	/* Returns the way to evict, whose line is not in flight: no way is
	 * empty, and at least one is not in flight. insert of that way
	 * follows. NULL: the oldest. */
	uint32_t (*victim)(const struct replace_set *s);
};

/* Every policy, by enum cfg_replace; NULL-terminated. */
extern const struct replace_ops *const replace_all[];

extern const struct replace_ops replace_lru, replace_fifo, replace_random,
	replace_srrip, replace_plru;

static inline bool replace_in_flight(const struct replace_set *s, uint32_t way)
{
	return s->in_flight[way / 64] >> way % 64 & 1;
}

#endif
